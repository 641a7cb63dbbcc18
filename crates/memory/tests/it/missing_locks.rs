//! The folders of locks can go while no process runs, and no export has them: whatever takes a lock makes its folder.

use crate::place::Place;
use crate::world::{MAKER, PERSON, Short as _, caller, doctrine};
use brainstem_base::Coded as _;
use brainstem_memory::{InitRequest, PromoteRequest, RenameRequest, WriteTier};
use brainstem_transfer::{MigrateRequest, Transfer};

/// Takes the folder of locks away from every store under the home.
fn without_locks(place: &Place) {
    let brains = std::fs::read_dir(place.at("home/.brainstem/brains")).into_iter().flatten();
    let brains = brains.map(|brain| brain.unwrap().path()).chain([place.at("home/.brainstem")]);
    for locks in brains.map(|brain| brain.join("agent-memory/.locks")).filter(|locks| locks.exists()) {
        std::fs::remove_dir_all(locks).unwrap();
    }
}

#[test] // spec: MEM-1, MEM-2
fn a_home_without_its_folders_of_locks_takes_every_call_that_locks() {
    let place = Place::new();
    for dir in ["src/cherry", "src/plum", "src/pear"] {
        place.repository(dir);
    }
    place.begin("src/cherry");
    let (memory, cherry, ana) =
        (place.memory(), place.in_("src/cherry"), caller(PERSON, place.at("src/cherry")));
    memory.memorize(&ana, &doctrine("Tabs", "use tabs")).unwrap();
    memory.tell(&cherry, "Deploy", "on Friday").unwrap();
    without_locks(&place);
    place.begin("src/plum");
    without_locks(&place);
    place.init("src/plum");
    without_locks(&place);
    let promotion =
        PromoteRequest { label: "Deploy".into(), reason: "it holds".into(), ..PromoteRequest::default() };
    memory.promote(&ana, &promotion).unwrap();
    without_locks(&place);
    let renaming =
        RenameRequest { label: "Tabs".into(), to: "Blanks".into(), tier: Some(WriteTier::Medulla) };
    memory.rename(&ana, &renaming).unwrap();
    without_locks(&place);
    Transfer::new(&memory).migrate_apply(&ana, &MigrateRequest::default(), &|_, _| ()).unwrap();
    without_locks(&place);
    memory.boot_set(&cherry, "build", "cargo build", None).unwrap();
    without_locks(&place);
    memory.init(&cherry, &InitRequest::default()).unwrap();
    without_locks(&place);
    place.begin("src/pear");
    without_locks(&place);
    let brain = place.origin("src/pear");
    memory.set_aside(&ana, &brain, "it was a trial").unwrap();
}

#[test] // spec: MEM-23
fn a_home_that_lost_its_folder_of_claims_gets_no_folder_of_locks() {
    let place = Place::new();
    for dir in ["src/cherry", "src/plum"] {
        place.repository(dir);
    }
    place.begin("src/cherry");
    std::fs::remove_dir_all(place.at("home/.brainstem/agent-memory")).unwrap();
    let refused = place.memory().begin(&caller(MAKER, place.at("src/plum"))).unwrap_err();
    assert_eq!(refused.code().name(), "store.unreadable");
    assert!(!place.at("home/.brainstem/agent-memory").exists());
}
