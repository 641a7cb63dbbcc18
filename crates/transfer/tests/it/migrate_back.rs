//! What was done to claims since a migration moved them: it stays, is named with what can be done, and the rest
//! is rolled back.

use crate::migrate::{apply, count, live, medulla, mixed, rollback, row, slug, without_logs};
use crate::world::{HOME, MAKER, PERSON, PLUM, Short as _, caller, code, files_below};
use brainstem_base::Coded as _;
use brainstem_base::disk::{Disk as _, SimDisk};
use brainstem_memory::{
    Confirmation, ForgetRequest, InitRequest, Memory, PromoteRequest, RenameRequest, Tier, WriteTier,
};
use brainstem_transfer::RowFate;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[test] // spec: MEM-42, MEM-42b
fn what_changed_since_stays_and_is_named_with_what_to_do_and_the_rest_goes_back() {
    type Change = fn(&SimDisk, &Memory);
    let cases: [(&str, &str, &str, Change); 7] = [
        ("Press 1", "it says something else there", "brainstem promote 'Press 1'", |_, memory| {
            memory.tell(&caller(MAKER, PLUM), "Press 1", "Turn it fast.").unwrap();
        }),
        (
            "Press 2",
            "taken back there by codex:maker on 2026-07-04: it was wrong",
            "brainstem show 'Press 2' --tier medulla",
            |_, memory| {
                memory.take_back(&caller(MAKER, PLUM), "Press 2").unwrap();
            },
        ),
        (
            "Press 3",
            "another claim has its name in the medulla",
            "brainstem rename 'Press 3'",
            |_, memory| {
                let new = crate::world::doctrine("Press 3", "Another one.");
                memory.memorize(&caller(PERSON, PLUM), &new).unwrap();
            },
        ),
        (
            "Hall fix 1",
            "its original is no longer in the medulla's history",
            "brainstem promote 'Hall fix 1'",
            |disk, _| {
                let gone = files_below(disk, medulla().join(".history"));
                let gone = gone.keys().find(|path| path.to_string_lossy().contains("hall-fix-1")).unwrap();
                disk.unlink(gone).unwrap();
            },
        ),
        ("Press 1", "forgotten there", "brainstem show 'Press 1' --tier medulla", |_, memory| {
            let request =
                ForgetRequest { label: "Press 1".into(), tier: None, confirmation: Confirmation::Given };
            memory.forget(&caller(PERSON, PLUM), &request).unwrap();
        }),
        (
            "Press 2",
            "it was promoted since",
            "brainstem learn 'Press 2' wrong --tier medulla",
            |_, memory| {
                let request = PromoteRequest {
                    label: "Press 2".into(),
                    reason: "for all".into(),
                    ..PromoteRequest::default()
                };
                memory.promote(&caller(PERSON, PLUM), &request).unwrap();
            },
        ),
        ("Press 3", "renamed there to \"Slow press\"", "brainstem promote 'Slow press'", |_, memory| {
            let request = RenameRequest { label: "Press 3".into(), to: "Slow press".into(), tier: None };
            memory.rename(&caller(PERSON, PLUM), &request).unwrap();
        }),
    ];
    for (label, why, verb, change) in cases {
        let (disk, memory) = mixed();
        let before = live(&disk);
        apply(&memory);
        change(&disk, &memory);
        let since = live(&disk);
        let back = rollback(&memory).unwrap();
        assert_eq!(count(&back.rows, RowFate::Back), 14, "{label}: {:#?}", back.rows);
        let stays = row(&back.rows, label);
        assert_eq!(stays.fate, RowFate::Stays, "{stays:?}");
        assert!(stays.reason.contains(why) && stays.reason.contains(verb), "{stays:?}");
        // What was not touched since is where it was, byte for byte; what was is as it is.
        let after = live(&disk);
        let file = format!("{}.light.md", slug(label));
        let others = |files: &BTreeMap<PathBuf, Vec<u8>>| -> BTreeMap<PathBuf, Vec<u8>> {
            let others = files
                .iter()
                .filter(|(path, _)| !path.ends_with(&file) && !path.ends_with("slow-press.light.md"));
            others.map(|(path, bytes)| (path.clone(), bytes.clone())).collect()
        };
        assert_eq!(others(&after), others(&before), "{label}");
        let its = |files: &BTreeMap<PathBuf, Vec<u8>>| -> Vec<(PathBuf, Vec<u8>)> {
            let its = files
                .iter()
                .filter(|(path, _)| path.ends_with(&file) || path.ends_with("slow-press.light.md"));
            its.map(|(path, bytes)| (path.clone(), bytes.clone())).collect()
        };
        assert_eq!(its(&after), its(&since), "{label} is as it was left");
        assert_eq!(code(rollback(&memory)), "migrate.nothing", "{label}: it is undone");
        assert!(apply(&memory).gates.unwrap().hold(), "{label}: and can be done again");
    }
}

#[test] // spec: MEM-42b, MEM-2
fn a_rollback_waits_for_a_brain_that_is_away() {
    let (disk, memory) = mixed();
    memory.init(&caller(MAKER, PLUM), &InitRequest::default()).unwrap();
    let before = without_logs(&disk);
    apply(&memory);
    disk.rename(Path::new(PLUM), Path::new("/src/.away")).unwrap();
    let refused = rollback(&memory).unwrap_err();
    assert_eq!(refused.code().name(), "migrate.changed");
    let fix = refused.fix().unwrap();
    assert!(
        refused.to_string().contains(PLUM) && fix.contains("brainstem migrate rollback"),
        "{refused} {fix}"
    );
    disk.rename(Path::new("/src/.away"), Path::new(PLUM)).unwrap();
    rollback(&memory).unwrap();
    assert_eq!(without_logs(&disk), before);
}

#[test] // spec: MEM-42, MEM-48, MEM-42b
fn what_was_forgotten_since_is_not_in_the_way_not_brought_back_and_named() {
    let forget = |memory: &Memory, tier: Option<WriteTier>| {
        let request = ForgetRequest { label: "Press 1".into(), tier, confirmation: Confirmation::Given };
        memory.forget(&caller(PERSON, PLUM), &request).unwrap().notes
    };
    // In the medulla alone: it stays where it went.
    let (disk, memory) = mixed();
    apply(&memory);
    forget(&memory, Some(WriteTier::Medulla));
    let back = rollback(&memory).unwrap();
    assert_eq!(count(&back.rows, RowFate::Back), 14);
    let stays = row(&back.rows, "Press 1");
    assert_eq!(stays.fate, RowFate::Stays);
    assert!(stays.reason.contains("original was forgotten in the medulla"), "{stays:?}");
    assert!(memory.look_at(&caller(MAKER, PLUM), "Press 1", Tier::Project).unwrap().claim.is_some());
    assert_eq!(live(&disk).len(), 25);

    // On both sides: nothing is left but the count.
    let (disk, memory) = mixed();
    apply(&memory);
    for tier in [None, Some(WriteTier::Medulla)] {
        let notes = forget(&memory, tier);
        // Deleting here does not delete there, and the answer says so.
        assert!(notes.iter().any(|note| note.contains("until it is forgotten there too")), "{notes:?}");
    }
    for (path, bytes) in files_below(&disk, HOME) {
        assert!(!String::from_utf8_lossy(&bytes).contains("press-1"), "{}", path.display());
    }
    let back = rollback(&memory).unwrap();
    assert_eq!((count(&back.rows, RowFate::Back), back.rows.len()), (14, 14));
    assert!(
        back.notes.iter().any(|note| note.contains("1 claim") && note.contains("forgotten")),
        "{:?}",
        back.notes
    );
    assert_eq!(live(&disk).len(), 24);
}
