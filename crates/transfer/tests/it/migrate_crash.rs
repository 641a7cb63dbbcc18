//! Power is lost before every step of a migration and of its rollback, the disk fills up, others write
//! meanwhile; then it is repeated, or undone.

use crate::migrate::{apply, places, put, rollback, without_logs};
use crate::power_loss::{Call, Mortal, call, crashed, later};
use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, clock, files_below, service, two_repositories,
};
use brainstem_base::Coded as _;
use brainstem_base::disk::{Disk as _, SimDisk, UnsyncedFate};
use brainstem_memory::{InitRequest, Tier};
use brainstem_transfer::{MigrateRequest, Transfer};
use std::path::Path;
use std::sync::Arc;

fn small() -> SimDisk {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    for root in [CHERRY, PLUM] {
        memory.begin(&caller(MAKER, root)).unwrap();
    }
    memory.init(&caller(MAKER, PLUM), &InitRequest::default()).unwrap();
    put(&disk, "Hall", "Tags: cherry\n", "Trees.");
    put(&disk, "Press", "Tags: plum\n", "Slowly.");
    put(&disk, "Tabs", "Origin-Brain: medulla\n", "Use tabs.");
    disk.write_raw("/src/fig/.git/HEAD", b"ref: refs/heads/main\n");
    memory.begin(&caller(MAKER, "/src/fig")).unwrap();
    disk.rename(Path::new("/src/fig"), Path::new("/src/fig-away")).unwrap();
    disk.sync_dir(Path::new("/src")).unwrap();
    disk
}

fn apply_call() -> Call {
    call(|memory| {
        Transfer::new(memory).migrate_apply(&caller(PERSON, CHERRY), &MigrateRequest::default(), &|_, _| ())
    })
}

#[test] // spec: MEM-42, MEM-13, IF-5, MEM-42b
fn an_apply_that_loses_power_at_any_step_is_completed_by_its_repeat() {
    let prepared = small();
    let before = without_logs(&prepared);
    let whole = prepared.reboot(UnsyncedFate::Kept);
    apply_call()(&service(Arc::new(whole.clone()), &later())).unwrap();
    crashed(&prepared, &apply_call(), |disk, told| {
        let everywhere = places(disk);
        assert!(
            ["hall.light.md", "press.light.md", "tabs.light.md"]
                .iter()
                .all(|name| everywhere.contains_key(*name)),
            "{told}: {everywhere:?}"
        );
        // Undone from wherever it was cut off.
        let undone = disk.reboot(UnsyncedFate::Kept);
        match rollback(&service(Arc::new(undone.clone()), &later())) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.code().name(), "migrate.nothing", "{told}"),
        }
        assert_eq!(without_logs(&undone), before, "{told}, rolled back");
        // Or completed.
        let done = apply(&service(Arc::new(disk.clone()), &later()));
        assert!(done.gates.unwrap().hold(), "{told}");
        assert_eq!(without_logs(disk), without_logs(&whole), "{told}, repeated");
        rollback(&service(Arc::new(disk.clone()), &later())).unwrap();
        assert_eq!(without_logs(disk), before, "{told}, repeated and rolled back");
    });
}

#[test] // spec: MEM-42, MEM-13, MEM-42b
fn a_rollback_that_loses_power_at_any_step_is_completed_by_its_repeat() {
    let prepared = small();
    let before = without_logs(&prepared);
    apply_call()(&service(Arc::new(prepared.clone()), &later())).unwrap();
    let rolled = call(rollback);
    crashed(&prepared, &rolled, |disk, told| {
        let everywhere = places(disk);
        assert_eq!(everywhere.len(), 3, "{told}: {everywhere:?}");
        match rollback(&service(Arc::new(disk.clone()), &later())) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.code().name(), "migrate.nothing", "{told}"),
        }
        assert_eq!(without_logs(disk), before, "{told}, repeated");
        // Applying again instead is fine too.
        assert!(apply(&service(Arc::new(disk.clone()), &later())).gates.unwrap().hold(), "{told}");
    });
}

#[test] // spec: MEM-42b, MEM-13
fn what_a_killed_migration_left_is_certain_once_its_repeat_has_answered() {
    let prepared = small();
    let before = without_logs(&prepared);
    let applied = prepared.reboot(UnsyncedFate::Kept);
    apply(&service(Arc::new(applied.clone()), &later()));
    let after = without_logs(&applied);
    for (call, start, expected) in [(apply_call(), &prepared, &after), (call(rollback), &applied, &before)] {
        for operations in 0.. {
            let disk = start.reboot(UnsyncedFate::Kept);
            let mortal = Arc::new(Mortal::new(disk.clone(), operations));
            let killed = call(&service(mortal.clone(), &later())).is_err();
            match call(&service(Arc::new(disk.clone()), &later())) {
                Ok(()) => {}
                Err(error) => assert_eq!(error.code().name(), "migrate.nothing", "{operations}"),
            }
            // Only now does the power go.
            let found = without_logs(&disk.reboot(UnsyncedFate::Lost));
            assert_eq!(found, *expected, "killed after {operations} operations");
            if mortal.has_survived() {
                assert!(!killed);
                break;
            }
        }
    }
}

#[test] // spec: MEM-42, MEM-13
fn whoever_writes_a_label_after_a_move_was_cut_off_loses_nothing() {
    let prepared = small();
    crashed(&prepared, &apply_call(), |disk, told| {
        let memory = service(Arc::new(disk.clone()), &later());
        let new = crate::world::doctrine("Hall", "Written meanwhile.");
        memory.memorize(&caller(PERSON, CHERRY), &new).unwrap();
        let done = apply(&memory);
        assert!(done.gates.unwrap().hold(), "{told}: {:?}", done.gates);
        let texts: Vec<String> =
            files_below(disk, HOME).into_values().map(|b| String::from_utf8_lossy(&b).into_owned()).collect();
        for text in ["Written meanwhile.", "Trees."] {
            assert!(texts.iter().any(|file| file.contains(text)), "{told}: {text} is lost");
        }
        let shown = memory.look_at(&caller(PERSON, CHERRY), "Hall", Tier::Medulla).unwrap();
        assert_eq!(shown.claim.unwrap().text, "Written meanwhile.", "{told}");
    });
}

#[test] // spec: MEM-42, MEM-13b
fn a_full_disk_stops_an_apply_between_claims_and_the_repeat_goes_on() {
    let prepared = small();
    let mut stopped = 0;
    for space in (0..8_000).step_by(97) {
        let disk = prepared.reboot(UnsyncedFate::Kept);
        disk.set_space_left(Some(space));
        let memory = service(Arc::new(disk.clone()), &later());
        if let Err(error) = apply_call()(&memory) {
            // Once a claim has moved, the answer does not say that nothing was changed.
            match error.code().name() {
                "store.unconfirmed" => {
                    assert!(error.to_string().contains("half way"), "{space}: {error}");
                    assert!(error.fix().unwrap().contains("repeat the call"), "{space}: {error}");
                    stopped += 1;
                }
                code => assert_eq!(code, "store.no_space", "{space}: {error}"),
            }
        }
        assert_eq!(places(&disk).len(), 3, "{space}");
        disk.set_space_left(None);
        assert!(apply(&memory).gates.unwrap().hold(), "{space}");
        assert!(places(&disk).values().all(|stores| *stores == 1), "{space}");
    }
    assert!(stopped > 0);
}
