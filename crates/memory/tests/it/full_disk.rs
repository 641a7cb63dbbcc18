//! A disk that is full or read-only refuses the call and leaves every file as it was.

use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, claim, clock, code, doctrine, service,
    two_repositories,
};
use brainstem_base::disk::{Fate, SimDisk};
use brainstem_memory::{MemorizeRequest, Memory, MemoryError, RetractRequest};
use std::path::Path;
use std::sync::Arc;

type Ask = fn(&Memory) -> Result<(), MemoryError>;

fn prepared() -> SimDisk {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    let cherry = caller(MAKER, CHERRY);
    memory.begin(&cherry).unwrap();
    memory.tell(&cherry, "Retry policy", "three times").unwrap();
    memory.memorize(&caller(PERSON, CHERRY), &doctrine("Tabs", "use tabs")).unwrap();
    disk
}

fn asks() -> Vec<(&'static str, Ask)> {
    vec![
        ("birth", |memory| memory.tell(&caller(MAKER, CHERRY), "Timeouts", "ten seconds").map(drop)),
        ("supersede", |memory| memory.tell(&caller(MAKER, CHERRY), "Retry policy", "four times").map(drop)),
        ("affirm", |memory| {
            let request = MemorizeRequest { reaffirm: true, ..claim("Retry policy", "three times") };
            memory.memorize(&caller(MAKER, CHERRY), &request).map(drop)
        }),
        ("doctrine", |memory| {
            memory.memorize(&caller(MAKER, CHERRY), &doctrine("Spaces", "never")).map(drop)
        }),
        ("doctrine superseded", |memory| {
            memory.memorize(&caller(MAKER, CHERRY), &doctrine("Tabs", "use four blanks")).map(drop)
        }),
        ("retract", |memory| memory.take_back(&caller(MAKER, CHERRY), "Retry policy").map(drop)),
        ("retract doctrine", |memory| {
            let tier = Some("medulla".into());
            let request = RetractRequest { label: "Tabs".into(), reason: "no longer".into(), tier };
            memory.retract(&caller(MAKER, CHERRY), &request).map(drop)
        }),
        ("bootstrap", |memory| memory.begin(&caller(MAKER, PLUM)).map(drop)),
    ]
}

/// Every file is there with the same bytes; what is new has a temporary name or is an empty lock, or
/// belongs to a brain that is not finished.
fn assert_untouched(before: &SimDisk, after: &SimDisk, told: &str) {
    let (mut before, mut after) = (before.dump(), after.dump());
    // How often an agent wrote within this minute is local state.
    for files in [&mut before, &mut after] {
        files.retain(|path, _| !path.starts_with(Path::new(HOME).join("local")));
    }
    for (path, bytes) in &before {
        assert_eq!(after.remove(path).as_ref(), Some(bytes), "{told}: {}", path.display());
    }
    for (path, bytes) in after {
        let name = path.file_name().unwrap().to_string_lossy();
        let is_lock = bytes.is_empty() && path.parent().unwrap().ends_with(".locks");
        let is_unfinished =
            path.components().any(|part| part.as_os_str().to_string_lossy().starts_with("plum-"));
        assert!(name.starts_with(".tmp-") || is_lock || is_unfinished, "{told}: left {}", path.display());
    }
}

#[test] // spec: MEM-13
fn a_full_disk_refuses_at_every_byte_and_changes_nothing() {
    let before = prepared();
    for (name, ask) in asks() {
        let mut refused = 0;
        for bytes in 0.. {
            let disk = before.reboot(Fate::Kept);
            disk.set_space_left(Some(bytes));
            let told = format!("{name} with {bytes} bytes left");
            let answer = code(ask(&service(Arc::new(disk.clone()), &clock())));
            if answer == "ok" {
                break;
            }
            assert_eq!(answer, "store.no_space", "{told}");
            assert_untouched(&before, &disk, &told);
            refused += 1;
            // With room again, the repeat is as good as the first.
            if bytes % 37 == 0 {
                disk.set_space_left(None);
                assert_eq!(code(ask(&service(Arc::new(disk.clone()), &clock()))), "ok", "{told}, then room");
            }
        }
        assert!(refused > 100, "{name} needs space, so it was refused: {refused}");
    }
}

#[test] // spec: MEM-13
fn a_read_only_disk_refuses_and_still_reads() {
    let before = prepared();
    for (name, ask) in asks() {
        let disk = before.reboot(Fate::Kept);
        disk.set_read_only(true);
        let memory = service(Arc::new(disk.clone()), &clock());
        assert_eq!(code(ask(&memory)), "store.read_only", "{name}");
        assert_eq!(before.dump(), disk.dump(), "{name}");
        let beat = memory.beat(&caller(MAKER, CHERRY), "retry");
        assert_eq!((beat.memory.len(), beat.memory_exists), (2, 2), "{name}: {:?}", beat.gaps);
    }
}

#[test] // spec: MEM-1
fn a_moved_root_is_recognised_on_a_read_only_disk_too() {
    use brainstem_base::disk::Disk as _;
    let disk = prepared();
    disk.rename(Path::new(CHERRY), Path::new("/src/moved")).unwrap();
    disk.set_read_only(true);
    let memory = service(Arc::new(disk.clone()), &clock());
    assert_eq!(memory.beat(&caller(MAKER, "/src/moved"), "retry").memory_exists, 2);
}
