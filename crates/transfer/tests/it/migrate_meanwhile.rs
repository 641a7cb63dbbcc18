//! What happens beside a migration: roots that are away and return, and others who write while it counts.

use crate::migrate::{apply, count, ghosts, live, medulla, mixed, rollback, without_logs};
use crate::power_loss::{call, crashed, later};
use crate::world::{CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, service};
use brainstem_base::Coded as _;
use brainstem_base::disk::{Disk as _, UnsyncedFate};
use brainstem_memory::{
    Confirmation, DoctorRequest, ForgetRequest, Memory, RenameRequest, RetractRequest, Tier, WriteTier,
};
use brainstem_transfer::{MigrateRequest, RowFate, Transfer, mixed_medulla};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[test] // spec: MEM-42c, MEM-1, MEM-42b
fn a_ghost_that_was_swept_is_found_again_when_its_root_returns() {
    for returns_as in ["/src/fig", "/src/fig-elsewhere"] {
        for rolls_back_first in [false, true] {
            let (disk, memory) = mixed();
            disk.write_raw("/src/fig/.git/HEAD", b"ref: refs/heads/main\n");
            let there = caller(MAKER, "/src/fig");
            let brain = memory.begin(&there).unwrap().brain;
            memory.tell(&there, "Once", "It was so.").unwrap();
            memory.take_back(&there, "Once").unwrap();
            // Only away: a disk that is not mounted, a folder that is elsewhere for a while.
            disk.rename(Path::new("/src/fig"), Path::new("/src/.away")).unwrap();
            let before = without_logs(&disk);
            assert!(apply(&memory).ghosts[0].swept);
            disk.rename(Path::new("/src/.away"), Path::new(returns_as)).unwrap();
            let here = caller(MAKER, returns_as);
            let findings =
                memory.doctor(&here, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
            let finding = findings.iter().find(|finding| finding.trouble.name() == "brain_set_aside");
            let fix = &finding.unwrap_or_else(|| panic!("{findings:#?}")).fix;
            assert_eq!(*fix, format!("brainstem bootstrap {returns_as}"));
            if rolls_back_first {
                rollback(&memory).unwrap();
            }
            let found = memory.begin(&here).unwrap();
            assert!(found.existed, "{returns_as}");
            assert_eq!(found.brain.manifest.id, brain.manifest.id, "its id is minted once");
            let shown = memory.look_at(&here, "Once", Tier::Project).unwrap();
            assert_eq!(shown.history.len(), 1, "history and all");
            let findings =
                memory.doctor(&here, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
            assert!(findings.iter().all(|finding| finding.trouble.name() != "brain_set_aside"));
            if !rolls_back_first {
                let back = rollback(&memory).unwrap();
                assert_eq!((back.brains.len(), count(&back.rows, RowFate::Back)), (1, 15));
            }
            let after = without_logs(&disk);
            let claims = |files: &BTreeMap<PathBuf, String>| -> Vec<PathBuf> {
                files.keys().filter(|path| path.to_string_lossy().ends_with(".light.md")).cloned().collect()
            };
            assert_eq!(claims(&after), claims(&before));
        }
    }
}

#[test] // spec: MEM-42c, MEM-1
fn another_project_at_the_path_of_a_swept_brain_gets_its_own_and_a_rollback_works() {
    let (disk, memory) = ghosts();
    assert!(apply(&memory).ghosts.iter().any(|ghost| ghost.swept));
    // The project was moved beside its path, and another one began there.
    disk.write_raw("/src/fig/.git/HEAD", b"ref: refs/heads/main\n");
    let here = caller(MAKER, "/src/fig");
    let new = memory.begin(&here).unwrap();
    assert!(!new.existed);
    memory.tell(&here, "New", "Of the new one.").unwrap();
    let back = rollback(&memory).unwrap();
    assert_eq!(back.brains.len(), 1);
    assert_eq!(memory.begin(&here).unwrap().brain.manifest.id, new.brain.manifest.id);
    let moved = memory.begin(&caller(MAKER, "/src/fig-away")).unwrap();
    assert!(moved.existed && moved.brain.manifest.id != new.brain.manifest.id);
    assert_eq!(memory.look_at(&here, "New", Tier::Project).unwrap().claim.unwrap().text, "Of the new one.");
}

#[test] // spec: MEM-42c, MEM-1, MEM-13
fn a_root_that_was_made_anew_at_its_path_gets_the_brain_that_was_set_aside_for_it() {
    let (prepared, memory) = mixed();
    let commit = "1111111111111111111111111111111111111111\n";
    prepared.write_raw("/src/deep/fig/.git/HEAD", commit.as_bytes());
    let there = caller(MAKER, "/src/deep/fig");
    let brain = memory.begin(&there).unwrap().brain;
    prepared.rename(Path::new("/src/deep"), Path::new("/src/deep-away")).unwrap();
    apply(&memory);
    // Cloned again: another folder at the same path, with the same commit.
    prepared.write_raw("/src/deep/fig/.git/HEAD", commit.as_bytes());
    let prepared = prepared.reboot(UnsyncedFate::Kept);
    let ask = call(|memory: &Memory| memory.begin(&caller(MAKER, "/src/deep/fig")));
    crashed(&prepared, &ask, |disk, told| {
        let memory = service(Arc::new(disk.clone()), &later());
        let found = memory.begin(&there).unwrap();
        assert!(found.existed, "{told}");
        assert_eq!(found.brain.manifest.id, brain.manifest.id, "{told}");
        let folders: Vec<_> = disk.list(&Path::new(HOME).join("project-brains")).unwrap();
        assert_eq!(folders.len(), 3, "{told}: {folders:?}");
        assert!(rollback(&memory).unwrap().brains.len() == 1, "{told}");
        let back = crate::promoted::acts(disk).into_iter().filter(|act| act.act == "unsweep_root");
        assert_eq!(back.count(), 1, "{told}: on record once");
    });
}

#[test] // spec: MEM-42c, MEM-1, MEM-21
fn another_project_at_the_path_of_a_brain_that_was_set_aside_sees_nothing_of_it() {
    let (disk, memory) = mixed();
    disk.write_raw("/src/deep/fig/.git/HEAD", b"ref: refs/heads/main\n");
    let there = caller(MAKER, "/src/deep/fig");
    let before = memory.begin(&there).unwrap().brain;
    disk.rename(Path::new("/src/deep"), Path::new("/src/deep-away")).unwrap();
    apply(&memory);
    disk.write_raw("/src/deep/fig/.git/HEAD", b"ref: refs/heads/main\n");
    let new = memory.begin(&there).unwrap();
    assert!(!new.existed && new.brain.manifest.id != before.manifest.id, "nothing says that it is the same");
    // The folder itself is recognised where it lies now.
    assert_eq!(
        memory.begin(&caller(MAKER, "/src/deep-away/fig")).unwrap().brain.manifest.id,
        before.manifest.id
    );
}

#[test] // spec: MEM-42
fn what_others_do_meanwhile_is_not_missing_and_not_twice() {
    type Meanwhile = fn(&Memory);
    let cases: [(&str, Meanwhile); 6] = [
        ("taken back where it went", |memory| {
            drop(memory.take_back(&caller(MAKER, CHERRY), "Cherry: naming").unwrap())
        }),
        ("superseded where it went", |memory| {
            memory.tell(&caller(MAKER, CHERRY), "Cherry: naming", "Otherwise.").unwrap();
        }),
        ("doctrine taken back", |memory| {
            let request =
                RetractRequest { label: "Tabs".into(), reason: "no".into(), tier: Some(WriteTier::Medulla) };
            memory.retract(&caller(PERSON, CHERRY), &request).unwrap();
        }),
        ("doctrine renamed", |memory| {
            let request =
                RenameRequest { label: "Tabs".into(), to: "Spaces".into(), tier: Some(WriteTier::Medulla) };
            memory.rename(&caller(PERSON, CHERRY), &request).unwrap();
        }),
        ("doctrine forgotten", |memory| {
            let request = ForgetRequest {
                label: "Tabs".into(),
                tier: Some(WriteTier::Medulla),
                confirmation: Confirmation::Given,
            };
            memory.forget(&caller(PERSON, CHERRY), &request).unwrap();
        }),
        ("another of that name in the medulla", |memory| {
            let new = crate::world::doctrine("Cherry: naming", "Another one.");
            memory.memorize(&caller(PERSON, CHERRY), &new).unwrap();
        }),
    ];
    for (told, meanwhile) in cases {
        let (_, memory) = mixed();
        let other = memory.clone();
        let last = move |done: usize, total: usize| {
            if done == total {
                meanwhile(&other);
            }
        };
        let done =
            Transfer::new(&memory).migrate_apply(&caller(PERSON, CHERRY), &MigrateRequest::default(), &last);
        let gates = done.unwrap_or_else(|error| panic!("{told}: {error}")).gates.unwrap();
        assert!(gates.hold() && gates.missing == 0 && gates.twice == 0, "{told}: {gates:?}");
        assert_eq!(gates.before, 25, "{told}");
        assert_eq!(gates.projects + gates.medulla + gates.left, 25, "{told}: {gates:?}");
    }
}

#[test] // spec: MEM-42
fn a_count_that_does_not_add_up_is_an_error_that_says_what_and_what_to_do() {
    // A file that somebody deleted under it, and a store that cannot be looked at.
    for breaks in [false, true] {
        let (disk, memory) = mixed();
        let store = memory.begin(&caller(MAKER, PLUM)).unwrap().brain.store_paths().claims;
        let (aside, gone) = (store.with_file_name("aside"), store.join("press-1.light.md"));
        let last = |done: usize, total: usize| {
            if done == total && breaks {
                disk.rename(&store, &aside).unwrap();
                disk.make_link(&aside, &store);
            } else if done == total {
                disk.unlink(&gone).unwrap();
            }
        };
        let refused = Transfer::new(&memory)
            .migrate_apply(&caller(PERSON, CHERRY), &MigrateRequest::default(), &last)
            .unwrap_err();
        assert_eq!(refused.code().name(), "migrate.miscounted", "{refused}");
        assert!(refused.to_string().contains("Press 1"), "{refused}");
        let fix = refused.fix().unwrap();
        assert!(fix.contains("brainstem migrate apply"), "{fix}");
        if breaks {
            assert!(refused.to_string().contains("could not be looked at"), "{refused}");
            disk.unlink(&store).unwrap();
            disk.rename(&aside, &store).unwrap();
            let again = apply(&memory);
            assert!(again.gates.unwrap().hold() && again.number == Some(1), "the repeat ends it");
        } else {
            assert!(refused.to_string().contains("missing"), "{refused}");
            assert!(fix.contains("brainstem migrate rollback"), "{fix}");
            let back = rollback(&memory).unwrap();
            assert_eq!(count(&back.rows, RowFate::Back), 15, "its original is brought back");
            assert!(live(&disk).contains_key(&medulla().join("press-1.light.md")));
        }
    }
}
