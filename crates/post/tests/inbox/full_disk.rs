//! A disk that is full: a send is refused by name and nothing of it is there, what was sent can be read, and once there is room
//! the same send goes through (LED-6).

use crate::world::{caller, person, real_post, refusal, sending, subjects};
use brainstem_ledger::Kept;
use brainstem_post::inbox::{FetchRequest, InboxPriority, InboxQuery, InboxSend, RowState};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder on a file system of its own, if this process may mount one.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(folder: &Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=3m", "none"]).arg(folder);
        let is_mounted = mount.output().is_ok_and(|mounted| mounted.status.success());
        is_mounted.then(|| Self(folder.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Writes files until no byte more has room.
fn fill(folder: &Path) {
    for len in [64 * 1_024, 1] {
        let write = |n: usize| std::fs::write(folder.join(format!("beside-{len}-{n}")), vec![b'x'; len]);
        assert!((0..100_000).any(|n| write(n).is_err()), "the disk has a limit");
    }
}

fn make_room(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_file() {
            std::fs::remove_file(entry.path()).unwrap();
        }
    }
}

#[test] // spec: LED-6, INB-8, INB-14
fn a_full_disk_refuses_a_send_by_name_and_what_was_sent_can_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(dir.path()) else {
        println!("skipped: this process may not mount a small disk");
        return;
    };
    let post = real_post(&disk.0);
    let (ana, codex) = (person("human:ana"), caller("codex:maker", "one"));
    let query = InboxQuery { state: RowState::Unread, text: None, ref_id: None, limit: 500 };
    let read =
        || post.list_inbox(&codex, &query).map(|listed| (subjects(&listed.rows), listed.counts.unread));
    for n in 0..5 {
        // The last ones come by the ledger alone: no reader has folded them into the mirror yet.
        post.send_inbox(&ana, &sending("codex", &format!("m{n}"), InboxPriority::Normal)).unwrap();
        if n == 2 {
            assert_eq!(read().unwrap().1, 3);
        }
    }
    fill(&disk.0);
    let keyed = |priority| InboxSend {
        key: Some("k".into()),
        ..sending("codex", &"late".repeat(2_000)[..400], priority)
    };
    let mut sent = 0;
    // What lies free in the pages of the file takes a few more.
    let refused = loop {
        let text = format!("more{sent} {}", "x".repeat(300));
        match post.send_inbox(&ana, &sending("codex", &text, InboxPriority::Urgent)) {
            Ok(_) => sent += 1,
            refused => break refusal(refused),
        }
        assert!(sent < 10_000, "the disk is full");
    };
    assert_eq!(refused.0, "store.no_space");
    assert_eq!(refusal(post.send_inbox(&ana, &keyed(InboxPriority::Urgent))).0, "store.no_space");
    let (seen, unread) = read().expect("what was sent can be read");
    assert_eq!((seen.len(), unread), (5 + sent, 5 + sent as u64), "what was answered, and nothing half sent");
    assert_eq!(post.inbox_counts(&codex).unwrap().unread, unread);
    let another = real_post(&disk.0).list_inbox(&codex, &query).expect("another process reads it too");
    assert_eq!(another.rows.len(), 5 + sent);
    // A lease that no other session sees would be none.
    let fetch = FetchRequest { limit: 5, lease_s: None };
    assert_eq!(refusal(post.fetch_inbox(&codex, &fetch)).0, "store.no_space");
    make_room(&disk.0);
    let late = post.send_inbox(&ana, &keyed(InboxPriority::Urgent)).expect("there is room again");
    assert!(!late.is_repeat);
    assert_eq!(read().unwrap().1, unread + 1);
    assert_eq!(post.fetch_inbox(&codex, &fetch).unwrap().rows.len(), 5);
    let verified = post.ledger().verify(&Kept::default(), &[]).unwrap();
    assert!(verified.holds(), "{verified:?}");
}
