//! A brain that cannot be read is named as that: never as one that is not there, never replaced.

use crate::world::{CHERRY, MAKER, Short as _, caller, clock, code, service, two_repositories};
use brainstem_base::disk::{Disk as _, SimDisk};
use brainstem_memory::{InitRequest, Memory, Route, Tier};
use std::path::Path;
use std::sync::Arc;

fn fresh(disk: &SimDisk) -> Memory {
    service(Arc::new(disk.clone()), &clock())
}

/// Cherry with a claim, and the folder of its brain.
fn with_a_claim() -> (SimDisk, std::path::PathBuf) {
    let disk = two_repositories();
    let cherry = caller(MAKER, CHERRY);
    let folder = fresh(&disk).begin(&cherry).unwrap().brain.folder;
    fresh(&disk).tell(&cherry, "Retry policy", "three times").unwrap();
    (disk, folder)
}

fn is_named(disk: &SimDisk, folder: &Path, what: &str) {
    let cherry = caller(MAKER, CHERRY);
    let memory = fresh(disk);
    assert!(matches!(*memory.route(&cherry), Route::Broken { .. }), "{what}: {:?}", memory.route(&cherry));
    let (beat, listed) = (memory.beat(&cherry, "retry"), memory.all(&cherry));
    let sought = memory.find(&cherry, "retry", Tier::Both);
    for (gaps, exists) in [
        (&beat.gaps, beat.memory_exists),
        (&listed.gaps, listed.memory_exists),
        (&sought.gaps, sought.memory_exists),
    ] {
        let named = gaps.iter().find(|gap| gap.name == "unreadable_brain");
        let folder = folder.display().to_string();
        assert!(named.is_some_and(|gap| gap.detail.contains(&folder)), "{what}: {gaps:?}");
        assert!(!gaps.iter().any(|gap| gap.name == "unbound" || gap.name == "empty"), "{what}: {gaps:?}");
        assert_eq!(exists, 1, "{what}");
    }
    assert!(!format!("{:?}", beat.next_moves).contains("bootstrap"), "{what}");
    assert_eq!(beat.binding.trust_mode.as_str(), "degraded", "{what}");
    assert_eq!(code(memory.look_at(&cherry, "Retry policy", Tier::Both)), "store.unreadable", "{what}");
    assert_eq!(code(memory.tell(&cherry, "a", "b")), "store.unreadable", "{what}");
    assert_eq!(code(memory.take_back(&cherry, "Retry policy")), "store.unreadable", "{what}");
    assert_eq!(code(memory.boot_set(&cherry, "a", "b", None)), "store.unreadable", "{what}");
}

#[test] // spec: MEM-1, MEM-13
fn a_brain_without_a_readable_manifest_is_named_and_never_replaced() {
    let kinds = ["damaged", "of another kind", "removed", "unreadable"];
    for what in kinds {
        let (disk, folder) = with_a_claim();
        let manifest = folder.join("brain.json");
        let text = String::from_utf8(disk.dump()[&manifest].clone()).unwrap();
        match what {
            "damaged" => disk.write_raw(&manifest, b"{\"id\":"),
            "of another kind" => disk.write_raw(&manifest, text.replace("project", "other").as_bytes()),
            "removed" => disk.unlink(&manifest).unwrap(),
            // A folder in its place cannot be read as a file by anybody.
            _ => {
                disk.unlink(&manifest).unwrap();
                disk.make_dirs(&manifest);
            }
        }
        let before = disk.dump();
        is_named(&disk, &folder, what);
        let cherry = caller(MAKER, CHERRY);
        assert_eq!(code(fresh(&disk).begin(&cherry)), "store.unreadable", "{what}");
        assert_eq!(code(fresh(&disk).init(&cherry, &InitRequest::default())), "store.unreadable", "{what}");
        let mut after = disk.dump();
        after.retain(|path, _| before.contains_key(path) || !path.to_string_lossy().contains("/local/"));
        assert_eq!(before, after, "{what}");
    }
}

#[test] // spec: MEM-1, MEM-13
fn a_brain_that_lost_its_record_is_named_until_a_bootstrap_gives_it_back() {
    for damage in [None, Some(&b"{}"[..])] {
        let (disk, folder) = with_a_claim();
        let record = folder.join("root.json");
        match damage {
            None => disk.unlink(&record).unwrap(),
            Some(bytes) => disk.write_raw(&record, bytes),
        }
        is_named(&disk, &folder, "root.json");
        let refused = fresh(&disk).tell(&caller(MAKER, CHERRY), "a", "b").unwrap_err();
        assert!(brainstem_base::Coded::fix(&refused).unwrap().contains("bootstrap"), "{refused:?}");
        fresh(&disk).begin(&caller(MAKER, CHERRY)).unwrap();
        assert_eq!(fresh(&disk).all(&caller(MAKER, CHERRY)).rows.len(), 1);
    }
}

#[test] // spec: MEM-2, MEM-13
fn claims_that_came_with_a_damaged_manifest_are_not_called_absent() {
    let disk = two_repositories();
    let claim = b"---\nProtocol: L1GHT/1.0\nNode: Retry policy\n---\n# Retry policy\n\nThree times.\n";
    disk.write_raw(format!("{CHERRY}/.brainstem/agent-memory/retry-policy.light.md"), claim);
    disk.write_raw(format!("{CHERRY}/.brainstem/brain.json"), b"<<<<<<< ours\n");
    is_named(&disk, Path::new(&format!("{CHERRY}/.brainstem")), "in the repository");
    assert_eq!(code(fresh(&disk).begin(&caller(MAKER, CHERRY))), "store.unreadable");
}

#[test] // spec: MEM-15
fn a_bootstrap_that_was_cut_off_before_its_manifest_is_completed() {
    let (disk, folder) = with_a_claim();
    for path in ["brain.json", "agent-memory/retry-policy.light.md"] {
        disk.unlink(&folder.join(path)).unwrap();
    }
    let cherry = caller(MAKER, CHERRY);
    assert!(matches!(*fresh(&disk).route(&cherry), Route::Brainless { .. }));
    assert!(!fresh(&disk).begin(&cherry).unwrap().existed);
}
