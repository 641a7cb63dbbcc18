//! What other users and other clones of a checkout meet.

use crate::place::Place;
use crate::world::{Short as _, clock, service_at};
use brainstem_base::disk::{DiskStep, FaultyDisk, RealDisk, verbs};
use brainstem_base::{Coded as _, DiskFault};
use brainstem_memory::{ForgetRequest, GitWish, InitRequest};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test] // spec: MEM-2
fn folders_of_memory_in_a_repository_are_as_other_folders_of_the_checkout_and_those_of_the_home_are_not() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.init("src/cherry");
    place.tell("src/cherry", "Port", "5432");
    let usual = mode(&place.at("src/cherry/lib"));
    for folder in ["src/cherry/.brainstem", "src/cherry/.brainstem/agent-memory"] {
        assert_eq!(mode(&place.at(folder)), usual, "{folder}");
    }
    // Git takes the folder away, and a write makes it anew.
    place.git("src/cherry", &["clean", "-qfdx"]);
    place.init("src/cherry");
    assert_eq!(mode(&place.at("src/cherry/.brainstem/agent-memory")), usual);
    for folder in ["home/.brainstem", "home/.brainstem/agent-memory", "home/.brainstem/project-brains"] {
        assert_eq!(mode(&place.at(folder)), 0o700, "{folder}");
    }
    // What is private stays its owner's.
    place.repository("src/plum");
    place.begin("src/plum");
    let private = InitRequest { git: GitWish::Private, ..InitRequest::default() };
    place.memory().init(&place.in_("src/plum"), &private).unwrap();
    assert_eq!(mode(&place.at("src/plum/.brainstem")), 0o700);
}

#[test] // spec: MEM-2
fn folders_of_memory_change_their_permissions_with_the_sharing_of_the_project() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.init("src/cherry");
    let folders = ["src/cherry/.brainstem", "src/cherry/.brainstem/agent-memory"];
    let modes = || folders.map(|folder| mode(&place.at(folder)));
    let usual = mode(&place.at("src/cherry"));
    let init = |git| {
        let request = InitRequest { git, ..InitRequest::default() };
        place.memory().init(&place.in_("src/cherry"), &request).unwrap();
    };
    assert_eq!(modes(), [mode(&place.at("src/cherry/lib")); 2]);
    init(GitWish::Private);
    assert_eq!(modes(), [0o700; 2]);
    init(GitWish::Shared);
    assert_eq!(modes(), [usual; 2]);
    // What a person set stays while the sharing does.
    std::fs::set_permissions(place.at(folders[0]), std::fs::Permissions::from_mode(0o750)).unwrap();
    init(GitWish::AsItIs);
    assert_eq!(modes(), [0o750, usual]);
}

#[test] // spec: MEM-2
fn a_project_that_becomes_private_while_git_tracks_it_changes_no_tracked_file() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.init("src/cherry");
    place.tell("src/cherry", "Port", "5432");
    place.commit("src/cherry");
    let private = InitRequest { git: GitWish::Private, ..InitRequest::default() };
    let _ = place.memory().init(&place.in_("src/cherry"), &private);
    assert_eq!(place.committable("src/cherry"), [] as [String; 0]);
    // Once git tracks it no longer, the manifest says that it is private.
    place.git("src/cherry", &["rm", "-rq", "--cached", ".brainstem"]);
    place.memory().count_call(place.in_("src/cherry").place(), None);
    let manifest = std::fs::read_to_string(place.at("src/cherry/.brainstem/brain.json")).unwrap();
    assert!(manifest.contains("\"sharing\": \"private\""), "{manifest}");
}

#[test] // spec: MEM-48, IF-4
fn what_another_clone_still_has_of_a_forgotten_claim_is_named_with_a_call_of_that_clone() {
    let place = Place::new();
    place.repository("src/first");
    place.begin("src/first");
    place.init("src/first");
    place.tell("src/first", "Retry policy", "three times");
    place.commit("src/first");
    place.git("src", &["clone", "-q", "first", "second"]);
    place.tell("src/second", "Retry policy", "four times");
    let forget = ForgetRequest {
        label: "Retry policy".into(),
        tier: None,
        confirmation: brainstem_memory::Confirmation::Given,
    };
    let forgotten = place.memory().forget(&place.in_("src/first"), &forget).unwrap();
    let calls: Vec<String> =
        forgotten.notes.iter().flat_map(|note| note.calls()).map(ToString::to_string).collect();
    let root = place.at("src/second").display().to_string();
    assert_eq!(calls, [format!("brainstem forget 'Retry policy' --root {root}")]);
    place.memory().forget(&place.in_("src/second"), &forget).unwrap();
    assert_eq!(place.found("src/second"), [] as [String; 0]);
}

#[test] // spec: MEM-1, IF-4
fn a_manifest_that_this_user_may_not_read_is_named_as_a_matter_of_permissions() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.init("src/cherry");
    place.tell("src/cherry", "Port", "5432");
    let folder = place.at("src/cherry/.brainstem");
    let closed = folder.clone();
    let is_closed = move |step: &DiskStep| {
        [verbs::READ, verbs::LIST].contains(&step.verb) && step.path.starts_with(&closed)
    };
    let disk =
        FaultyDisk::new(Arc::new(RealDisk), move |step| is_closed(step).then_some(DiskFault::ReadOnly));
    let home = place.at("home/bob/.brainstem");
    let memory = service_at(Arc::new(disk), &clock(), &home, Some(&place.at("home/bob")));
    let refused = memory.tell(&place.in_("src/cherry"), "Host", "db").unwrap_err();
    assert!(refused.to_string().contains("this user may not read its brain.json"), "{refused}");
    let fix = refused.fix().unwrap().to_string();
    assert!(fix.contains(&format!("chmod -R a+rX {}", folder.display())), "{fix}");
    assert!(!fix.contains("aside") && !fix.contains("backup"), "{fix}");
}
