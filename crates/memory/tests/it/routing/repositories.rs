//! A repository, a project inside it, a submodule and a home behind a link.

use crate::place::Place;
use crate::world::{Short as _, clock, code, service_at};
use brainstem_base::Coded as _;
use brainstem_base::disk::RealDisk;
use brainstem_memory::{BootstrapRequest, EjectRequest, InitRequest, MemoryError, RootWish};
use std::path::PathBuf;
use std::sync::Arc;

#[test] // spec: MEM-15, MEM-17
fn a_repository_is_one_project_wherever_in_it_the_caller_stands() {
    let place = Place::new();
    place.repository("src/cherry");
    place.repository("src/cherry/vendor/nested");
    place.link("src/cherry", "shortcut");
    assert_eq!(place.lands("src/cherry/lib"), "src/cherry?");
    assert_eq!(code(place.memory().tell(&place.in_("src/cherry"), "a", "b")), "memory.brainless_root");
    assert!(!place.at("home/.brainstem").exists(), "a refused write leaves nothing");

    assert_eq!(place.begin("src/cherry/lib"), place.at("src/cherry"));
    for dir in ["src/cherry", "src/cherry/lib", "src/cherry/vendor", "shortcut", "shortcut/lib"] {
        assert_eq!(place.lands(dir), "src/cherry", "{dir}");
    }
    assert_eq!(place.lands("src/cherry/not/yet/there"), "src/cherry");
    assert_eq!(place.lands("src/cherry/vendor/nested"), "src/cherry/vendor/nested?", "a project of its own");
    assert_eq!(place.begin("src/cherry/vendor/nested/lib"), place.at("src/cherry/vendor/nested"));
    assert_eq!(place.lands("src/cherry/vendor/nested/lib"), "src/cherry/vendor/nested");
    assert_eq!(place.lands("src/cherry/vendor"), "src/cherry");
}

#[test] // spec: MEM-17
fn a_folder_can_be_made_a_project_inside_a_repository() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    let request =
        BootstrapRequest { path: Some("lib".into()), root: RootWish::ExactFolder, ..Default::default() };
    let made = place.memory().bootstrap(&place.in_("src/cherry"), &request).unwrap();
    assert_eq!((made.brain.root, made.existed), (place.at("src/cherry/lib"), false));
    assert_eq!(place.lands("src/cherry/lib/deep"), "src/cherry/lib", "the nearest root wins");
    assert_eq!(place.lands("src/cherry"), "src/cherry");
}

#[test] // spec: MEM-2, MEM-17
fn a_project_inside_a_repository_moves_no_memory_of_the_repository() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.tell("src/cherry", "Retry policy", "three times");
    let request =
        BootstrapRequest { path: Some("lib".into()), root: RootWish::ExactFolder, ..Default::default() };
    place.memory().bootstrap(&place.in_("src/cherry"), &request).unwrap();
    std::fs::create_dir(place.at("src/cherry/lib/deep")).unwrap();
    let top = place.at("src/cherry");
    let init = |dir: &str, path: Option<PathBuf>| {
        let request = InitRequest { path, ..Default::default() };
        place.memory().init(&place.in_(dir), &request).map(|done| done.root)
    };
    let eject = |dir: &str, path: Option<PathBuf>| {
        let request = EjectRequest { path, ..Default::default() };
        place.memory().eject(&place.in_(dir), &request).map(|done| done.root)
    };
    type Call<'a> = &'a dyn Fn(&str, Option<PathBuf>) -> Result<PathBuf, MemoryError>;
    let verbs: [Call<'_>; 2] = [&init, &eject];
    for verb in verbs {
        let stood =
            [("src/cherry/lib", None), ("src/cherry/lib/deep", None), ("src/cherry", Some("lib".into()))];
        for (dir, path) in stood {
            let refused = verb(dir, path).unwrap_err();
            assert_eq!(refused.code().name(), "memory.not_a_repository");
            assert!(refused.fix().unwrap().contains(&top.display().to_string()), "{:?}", refused.fix());
        }
        assert!(!top.join(".brainstem").exists(), "nothing became committable");
    }
    // The fix, to the letter.
    assert_eq!(init("src/cherry/lib", Some(top.clone())).unwrap(), top);
    assert_eq!(eject("src/cherry/lib", Some(top.clone())).unwrap(), top);
}

#[test] // spec: MEM-17, MEM-1
fn a_home_reached_by_a_link_is_the_same_home() {
    let place = Place::new();
    place.repository("src/cherry");
    std::fs::create_dir(place.at("disk2")).unwrap();
    place.link("disk2", "home/.brainstem");
    place.begin("src/cherry");
    place.tell("src/cherry", "Retry policy", "three times");
    assert!(place.at("disk2/home.json").exists());
    let memory = service_at(Arc::new(RealDisk), &clock(), &place.at("disk2"), Some(&place.at("home")));
    assert_eq!(memory.all(&place.in_("src/cherry")).rows.len(), 1);
    assert_eq!(place.lands("disk2"), "nowhere", "the home is no project by any name");
}

#[test] // spec: MEM-17, MEM-15
fn a_folder_inside_a_project_without_git_gets_a_brain_of_its_own_only_by_name() {
    let place = Place::new();
    place.write("src/notes/deep/readme", "hello");
    place.begin("src/notes");
    let origin = place.origin("src/notes");
    let (memory, deep) = (place.memory(), place.in_("src/notes/deep"));
    let refused = memory.begin(&deep).unwrap_err();
    assert_eq!(refused.code().name(), "memory.has_brain");
    assert!(refused.to_string().contains(&origin), "{refused}");
    let fix = refused.fix().unwrap().to_string();
    assert!(
        fix.contains(&format!("brainstem bootstrap {} --exact", place.at("src/notes/deep").display())),
        "{fix}"
    );
    place.tell("src/notes/deep", "Retry policy", "three times");
    assert_eq!(place.found("src/notes"), ["three times"]);
    let exact = BootstrapRequest { root: RootWish::ExactFolder, ..Default::default() };
    assert_eq!(memory.bootstrap(&deep, &exact).unwrap().brain.root, place.at("src/notes/deep"));
    assert!(memory.begin(&deep).unwrap().existed, "the repeat finds it");
}
