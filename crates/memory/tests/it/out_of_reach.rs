//! A store that cannot be read is never one that holds nothing: what is not known is said to be unknown.

use crate::world::{
    CHERRY, HOME, MAKER, PERSON, Short as _, caller, clock, code, doctrine, service, service_at,
    two_repositories,
};
use brainstem_base::disk::{DiskFault, FaultyDisk, RealDisk, SimDisk, SyncFailures, verbs};
use brainstem_memory::{Caller, DelegateRequest, DoctorRequest, InitRequest, Memory, Tier, WriteTier};
use brainstem_transfer::mixed_medulla;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Puts something else in a place.
type Put = fn(&Path);

/// A disk on which nothing below some folders can be read, as with a folder that is closed to this user or a
/// disk that fails.
fn closed(inner: &SimDisk, below: Vec<PathBuf>, fault: DiskFault) -> Arc<FaultyDisk> {
    Arc::new(FaultyDisk::new(Arc::new(inner.clone()), move |step| {
        // A folder that is closed can be seen from above it.
        let is_seen = step.verb == verbs::STAT && below.contains(&step.path);
        let is_closed = below.iter().any(|dir| step.path.starts_with(dir));
        (is_closed && !is_seen).then_some(fault)
    }))
}

/// Nothing that is asked says that there is nothing, and everything names what could not be read. How much the
/// answer counts may be wrong by what is out of reach, and then it says so.
fn is_never_absent(memory: &Memory, cherry: &Caller, what: &str) {
    let (beat, listed) = (memory.beat(cherry, "retry"), memory.all(cherry));
    let sought = memory.find(cherry, "retry", Tier::Both);
    let all = memory.find(cherry, "retry", Tier::AllBrains);
    for (door, gaps, count, uncounted) in [
        ("north", &beat.gaps, beat.memory_exists, beat.uncounted),
        ("list", &listed.gaps, listed.memory_exists, listed.uncounted),
        ("seek", &sought.gaps, sought.memory_exists, sought.uncounted),
        ("all brains", &all.gaps, all.memory_exists, all.uncounted),
    ] {
        let names = ["store_unreadable", "unreadable_brain", "brains_unreadable"];
        assert!(gaps.iter().any(|gap| names.contains(&gap.name)), "{what}, {door}: {gaps:?}");
        assert!(!gaps.iter().any(|gap| gap.name == "empty"), "{what}, {door}: {gaps:?}");
        assert!(uncounted, "{what}, {door}: {count} and not a word of more: {gaps:?}");
    }
    assert_eq!(beat.binding.trust_mode.as_str(), "degraded", "{what}");
    let told = format!("{:?} {:?}", beat.next_moves, beat.reception);
    for word in ["first thing", "no brain yet", "No durable memory"] {
        assert!(!told.contains(word), "{what}: {told}");
    }
    // Whoever lists brains is told, and the store is never one with nothing in it.
    let status = memory.status(cherry).unwrap();
    assert!(!status.brains.gaps.is_empty(), "{what}");
    let here = status.brains.brains.iter().find(|row| row.here).map(|row| row.claims);
    assert!(here.is_none_or(|claims| claims.is_none()), "{what}: {here:?}");
    let found = memory.instances();
    assert!(!found.gaps.is_empty(), "{what}");
    assert!(found.brains.iter().all(|(_, standing)| standing.claims.is_none()), "{what}: {found:?}");
    let delegate = DelegateRequest { task: "retry".into(), budget_tokens: 400, ..DelegateRequest::default() };
    if let Ok(packet) = memory.delegate(cherry, &delegate, &|packet| packet) {
        assert!(packet.uncounted || packet.memory_exists > 1, "{what}: {:?}", packet.gaps);
    }
}

/// Cherry and the medulla with a claim each, cherry's under the home or in its repository.
fn with_claims(in_repository: bool) -> SimDisk {
    let disk = two_repositories();
    disk.write_raw(format!("{CHERRY}/.git/config"), b"[core]\n");
    let memory = service(Arc::new(disk.clone()), &clock());
    let cherry = caller(MAKER, CHERRY);
    memory.begin(&cherry).unwrap();
    if in_repository {
        memory.init(&cherry, &InitRequest::default()).unwrap();
    }
    memory.tell(&cherry, "Retry policy", "three times").unwrap();
    disk
}

#[test] // spec: MEM-23, MEM-27
fn a_store_that_is_closed_or_fails_is_unknown_and_never_empty() {
    for in_repository in [false, true] {
        let disk = with_claims(in_repository);
        let brain = service(Arc::new(disk.clone()), &clock()).route(&caller(MAKER, CHERRY)).brain().cloned();
        let brain = brain.unwrap();
        let home = Path::new(HOME);
        let places = [
            vec![brain.store_paths().claims],
            vec![brain.folder.clone(), brain.store_paths().claims],
            vec![home.join("project-brains"), brain.store_paths().claims],
            vec![
                home.join("project-brains"),
                Path::new(CHERRY).join(".brainstem"),
                home.join("agent-memory"),
            ],
            vec![home.to_owned(), Path::new(CHERRY).join(".brainstem")],
        ];
        for below in places {
            // Closed to this user, failing, a loop of links or a name that is too long.
            for fault in [DiskFault::ReadOnly, DiskFault::Other] {
                let what = format!("{below:?} {fault:?}");
                let memory = service(closed(&disk, below.clone(), fault), &clock());
                is_never_absent(&memory, &caller(MAKER, CHERRY), &what);
            }
        }
    }
}

#[test] // spec: MEM-23, MEM-27
fn a_medulla_that_is_closed_is_unknown_where_nothing_else_is() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    memory.memorize(&caller(PERSON, CHERRY), &doctrine("Tabs", "use tabs")).unwrap();
    let below = vec![Path::new(HOME).join("agent-memory")];
    let memory = service(closed(&disk, below, DiskFault::ReadOnly), &clock());
    let beat = memory.beat(&caller(MAKER, CHERRY), "tabs");
    assert_eq!((beat.memory_exists, beat.uncounted), (0, true), "{:?}", beat.gaps);
    assert!(!beat.gaps.iter().any(|gap| gap.name == "empty"), "{:?}", beat.gaps);
}

#[test] // spec: MEM-23, MEM-27
fn something_else_in_the_place_of_a_store_is_named_on_a_real_disk() {
    let replaced: [(&str, Put); 3] = [
        ("a file", |at| std::fs::write(at, "x").unwrap()),
        ("a loop", |at| std::os::unix::fs::symlink(at, at).unwrap()),
        ("a link to nothing", |at| std::os::unix::fs::symlink("/nothing/here", at).unwrap()),
    ];
    for (kind, put) in replaced {
        for place in ["claims", "folder", "brains", "home"] {
            let dir = tempfile::tempdir().unwrap();
            let at = |path: &str| dir.path().canonicalize().unwrap().join(path);
            std::fs::create_dir_all(at("cherry/.git")).unwrap();
            std::fs::write(at("cherry/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
            let open = || service_at(Arc::new(RealDisk), &clock(), &at("home"), None);
            let cherry = caller(MAKER, at("cherry"));
            let brain = open().begin(&cherry).unwrap().brain;
            open().tell(&cherry, "Retry policy", "three times").unwrap();
            let broken = match place {
                "claims" => brain.store_paths().claims,
                "folder" => brain.folder.clone(),
                "brains" => at("home/project-brains"),
                _ => at("home"),
            };
            std::fs::rename(&broken, at("aside")).unwrap();
            put(&broken);
            let what = format!("{kind} for the {place}");
            let memory = open();
            let beat = memory.beat(&cherry, "retry");
            let listed = memory.all(&cherry);
            let sought = memory.find(&cherry, "retry", Tier::Both);
            for (gaps, count, uncounted) in [
                (&beat.gaps, beat.memory_exists, beat.uncounted),
                (&listed.gaps, listed.memory_exists, listed.uncounted),
                (&sought.gaps, sought.memory_exists, sought.uncounted),
            ] {
                assert!(uncounted || count > 0, "{what}: {gaps:?}");
                assert!(!gaps.iter().any(|gap| gap.name == "empty"), "{what}: {gaps:?}");
                let named =
                    gaps.iter().any(|gap| ["store_unreadable", "unreadable_brain"].contains(&gap.name));
                assert!(named, "{what}: {gaps:?}");
            }
            assert!(!format!("{:?}", beat.next_moves).contains("first thing"), "{what}");
        }
    }
}

#[test] // spec: MEM-43
fn the_doctor_names_each_folder_and_file_that_cannot_be_read() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    let cherry = caller(MAKER, CHERRY);
    let folder = memory.begin(&cherry).unwrap().brain.folder;
    memory.init(&cherry, &InitRequest::default()).unwrap();
    memory.tell(&cherry, "Retry policy", "three times").unwrap();
    memory.boot_set(&cherry, "build", "cargo build", None).unwrap();
    let doctor = |below: Vec<PathBuf>| {
        let memory = service(closed(&disk, below, DiskFault::ReadOnly), &clock());
        memory.doctor(&cherry, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings
    };
    assert_eq!(doctor(Vec::new()), []);
    for place in [
        PathBuf::from(HOME),
        folder.clone(),
        folder.join("boot_memory_state.json"),
        folder.join("agent-memory/.locks"),
        Path::new(CHERRY).join(".brainstem"),
    ] {
        let found = doctor(vec![place.clone()]);
        let is_named = found.iter().any(|finding| finding.place.starts_with(&place));
        assert!(is_named, "{}: {found:?}", place.display());
    }
}

#[test] // spec: MEM-13a, MEM-13b
fn a_home_that_cannot_be_opened_refuses_and_nothing_is_called_unconfirmed() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    let before = disk.dump();
    disk.fail_syncs_after(0, SyncFailures::AllLater, DiskFault::ReadOnly);
    assert_eq!(
        code(memory.memorize(&caller(PERSON, CHERRY), &doctrine("Tabs", "use tabs"))),
        "store.read_only"
    );
    let set = memory.boot_set(&caller(PERSON, CHERRY), "build", "cargo build", Some(WriteTier::Medulla));
    assert_eq!(code(set), "store.read_only");
    let is_local = |path: &Path| path.starts_with(Path::new(HOME).join("local"));
    let files = |dump: std::collections::BTreeMap<PathBuf, Vec<u8>>| -> Vec<PathBuf> {
        dump.into_keys().filter(|path| !is_local(path)).collect()
    };
    assert_eq!(files(before), files(disk.dump()));
}
