//! Folders that are no projects: homes, folders of the system, and what is outside every repository.

use crate::place::Place;
use crate::world::{MAKER, Short as _, caller, clock, code, principal, service_at};
use brainstem_base::Coded as _;
use brainstem_base::disk::RealDisk;
use brainstem_memory::{Caller, CallerPlace, InitRequest, RootHints, Tier};
use std::sync::Arc;

#[test] // spec: MEM-15, MEM-17
fn a_persons_home_and_the_home_of_the_program_are_never_projects() {
    let place = Place::new();
    place.repository("home");
    place.write("home/.brainstem/agent-memory/readme", "");
    place.write("home/notes/readme", "");
    for dir in ["home", "home/.brainstem", "home/.brainstem/agent-memory"] {
        assert_eq!(place.lands(dir), "nowhere", "{dir}");
        assert_eq!(code(place.memory().begin(&place.in_(dir))), "memory.not_a_project", "{dir}");
        assert_eq!(code(place.memory().tell(&place.in_(dir), "a", "b")), "memory.brainless_root", "{dir}");
    }
    assert_eq!(code(place.memory().begin(&caller(MAKER, "/"))), "memory.not_a_project");
    assert_eq!(
        place.lands("home/notes"),
        "nowhere",
        "dotfiles in git make no project of what lies in a home"
    );
    assert_eq!(place.begin("home/notes"), place.at("home/notes"));
    assert_eq!(place.lands("home/notes"), "home/notes");
    assert_eq!(place.lands("home"), "nowhere");
}

#[test] // spec: MEM-15, MEM-17
fn outside_every_repository_reads_see_the_medulla_and_writes_are_refused() {
    let place = Place::new();
    let memory = place.memory();
    let deleted = place.at("src/gone");
    std::fs::create_dir(&deleted).unwrap();
    std::fs::remove_dir(&deleted).unwrap();
    let nobody_knows = Caller::new(principal(MAKER), CallerPlace::lasting(RootHints::default()));
    for caller in [place.in_("src"), caller(MAKER, &deleted), nobody_knows] {
        assert_eq!(code(memory.tell(&caller, "a", "b")), "memory.brainless_root");
        assert_eq!(code(memory.take_back(&caller, "a")), "memory.brainless_root");
        let beat = memory.beat(&caller, "anything");
        assert_eq!(beat.binding.trust_mode.as_str(), "unbound");
        assert!(beat.gaps.iter().any(|gap| gap.name == "unbound"), "{:?}", beat.gaps);
        assert_eq!(beat.sources.len(), 1);
    }
    assert!(!place.at("home/.brainstem").exists(), "nothing was written");
    assert_eq!(code(memory.begin(&caller(MAKER, &deleted))), "memory.root_missing");
}

#[test] // spec: MEM-1, MEM-13
fn a_home_that_is_no_folder_is_named_by_every_read_and_refused_to_every_write() {
    let place = Place::new();
    place.repository("src/cherry");
    place.write("home/file", "not a folder");
    let memory = service_at(Arc::new(RealDisk), &clock(), &place.at("home/file"), Some(&place.at("home")));
    let cherry = place.in_("src/cherry");
    let beat = memory.beat(&cherry, "retry");
    let home = place.at("home/file").display().to_string();
    for gaps in [
        &beat.gaps,
        &memory.all(&cherry).gaps,
        &memory.find(&cherry, "retry", Tier::Both).gaps,
        &memory.brains(&cherry).unwrap().gaps,
    ] {
        let named =
            |gap: &brainstem_memory::Gap| gap.name.contains("unreadable") && gap.detail.contains(&home);
        assert!(gaps.iter().any(named), "{gaps:?}");
        assert!(!gaps.iter().any(|gap| gap.name == "empty"), "{gaps:?}");
    }
    assert_eq!(beat.binding.trust_mode.as_str(), "degraded");
    assert_eq!(code(memory.look_at(&cherry, "Retry policy", Tier::Both)), "home.unusable");
    assert_eq!(code(memory.begin(&cherry)), "home.unusable");
    assert_eq!(std::fs::read_to_string(place.at("home/file")).unwrap(), "not a folder");
}

#[test] // spec: MEM-2
fn a_home_in_the_folder_of_the_repository_is_no_place_to_init_from() {
    let place = Place::new();
    place.repository("src/cherry");
    for home in ["src/cherry/.brainstem", "src/cherry/.brainstem/home"] {
        let memory = service_at(Arc::new(RealDisk), &clock(), &place.at(home), Some(&place.at("home")));
        let refused = memory.init(&place.in_("src/cherry"), &InitRequest::default()).unwrap_err();
        assert!(refused.fix().unwrap().contains("BRAINSTEM_HOME"), "{refused:?}");
        assert_eq!(refused.code().name(), "home.unusable", "{home}");
        assert!(!place.at("src/cherry/.brainstem").exists(), "{home}");
    }
}

#[test] // spec: MEM-17
fn folders_of_the_system_are_no_projects_and_a_repository_among_them_is_one() {
    let disk = crate::world::two_repositories();
    let memory = crate::world::service(std::sync::Arc::new(disk.clone()), &crate::world::clock());
    for dir in
        ["/dev", "/dev/pts", "/proc/self", "/sys/kernel", "/etc", "/tmp", "/usr", "/var", "/home", "/dev/shm"]
    {
        disk.make_dirs(dir);
        let refused = memory.begin(&caller(MAKER, dir)).unwrap_err();
        assert!(refused.fix().is_some_and(|fix| fix.contains("bootstrap PATH")), "{dir}");
        assert_eq!(code(Err::<(), _>(refused)), "memory.not_a_project", "{dir}");
    }
    assert!(disk.dump().keys().all(|path| !path.starts_with("/home/ana/.brainstem")), "nothing was made");
    disk.write_raw("/etc/.git/HEAD", b"ref: refs/heads/main\n");
    for dir in ["/etc", "/tmp/play", "/var/lib/jenkins", "/dev/shm/play", "/usr/src/app"] {
        disk.make_dirs(dir);
        assert_eq!(code(memory.begin(&caller(MAKER, dir))), "ok", "{dir}");
    }
}

#[test] // spec: MEM-17
fn init_says_at_once_that_a_home_folder_is_no_project() {
    for is_repository in [false, true] {
        let place = Place::new();
        if is_repository {
            place.git("home", &["init", "-q"]);
        }
        let refused = place.memory().init(&place.in_("home"), &InitRequest::default()).unwrap_err();
        assert_eq!(refused.code().name(), "memory.not_a_project", "{refused}");
        assert!(refused.to_string().contains("a person's home folder"), "{refused}");
    }
}
