//! What is kept about old messages: read once, checked by the stamp of the file, and made anew if it is gone.

use crate::mail::{ROOT, draft, file, name, now, root_on, world};
use brainstem_base::disk::{ObservedDisk, SimDisk, verbs};
use brainstem_base::ids::CountingIds;
use brainstem_mail::thread::Link;
use brainstem_vault::mail::{Links, MailFolder, MailRoot, Pruning};
use std::path::Path;
use std::sync::Arc;

const HOME: &str = "/home/ana/.brainstem";

fn text(keys: &str) -> String {
    format!("---\nfrom: ana\nto: w\ntype: task\ntimestamp: 2026-01-28T15:30:00Z\n{keys}---\n\nBody.\n")
}

fn old(n: usize) -> String {
    format!("{ROOT}/w/archive/20260101T0000{:02}Z_ana~{:04}_task.md", n / 9_000, n % 9_000 + 1)
}

fn archived(disk: &SimDisk, count: usize) {
    for n in 0..count {
        disk.write_raw(old(n), text(&format!("in_reply_to: m{n}\n")).as_bytes());
    }
}

/// The links of the archive of one box, as a process that has just started sees them, and what it read.
fn look(disk: &SimDisk) -> (Vec<Link>, u64) {
    let observed = Arc::new(ObservedDisk::counting(Arc::new(disk.clone())));
    let root: MailRoot = root_on(observed.clone());
    let mailbox = root.mailbox(&name("w")).unwrap();
    let mut links =
        Links::new(observed.clone(), Arc::new(CountingIds::from(77)), Path::new(HOME), Path::new(ROOT));
    let mut found = Vec::new();
    for folder in [MailFolder::Read, MailFolder::Archive] {
        let looked = links.look(&mailbox, folder).unwrap();
        found.extend(looked.links.into_iter().map(|(_, link)| link));
    }
    let read = observed.counts().get(verbs::READ).copied().unwrap_or_default();
    links.keep();
    (found, read)
}

fn kept(disk: &SimDisk) -> Vec<std::path::PathBuf> {
    disk.dump().into_keys().filter(|path| path.starts_with(format!("{HOME}/local/mail-links"))).collect()
}

#[test] // spec: MAIL-14, MAIL-20
fn an_old_message_is_read_once_and_what_is_kept_can_go() {
    let (disk, _) = world();
    disk.make_dirs(HOME);
    archived(&disk, 500);
    let (first, read) = look(&disk);
    // The file of what is kept, and every message.
    assert_eq!((first.len(), read), (500, 501));
    assert_eq!(first[7].in_reply_to.as_deref(), Some("m7"));
    assert_eq!(look(&disk), (first.clone(), 1), "only what is kept");
    // If it is removed, everything is read once more, with the same result.
    let [path] = kept(&disk).try_into().unwrap();
    let whole = disk.dump().remove(&path).unwrap();
    disk.write_raw(&path, b"");
    assert_eq!(look(&disk), (first.clone(), 501));
    // Half a line at its end, and a line of an unknown message.
    disk.write_raw(&path, &[b"[\"x\"\n", &whole[..whole.len() - 9]].concat());
    assert_eq!(look(&disk), (first.clone(), 2));
    disk.write_raw(&path, &vec![0xFF; 5_000]);
    assert_eq!(look(&disk), (first, 501));
}

#[test] // spec: MAIL-5, MAIL-14
fn a_message_that_somebody_changed_or_moved_is_read_again() {
    let (disk, root) = world();
    disk.make_dirs(HOME);
    archived(&disk, 200);
    look(&disk);
    disk.set_time_ns(1_000_000_000);
    disk.write_raw(old(3), text("in_reply_to: another\nneeds_response: true\n").as_bytes());
    let (links, read) = look(&disk);
    assert_eq!((links[3].in_reply_to.as_deref(), links[3].needs_response, read), (Some("another"), true, 2));
    // A file that is not a message is read and reported each time.
    disk.write_raw(old(4), b"no message");
    assert_eq!((look(&disk).0.len(), look(&disk).1), (199, 3));
    // One that was pruned is gone from the answer.
    let w = root.mailbox(&name("w")).unwrap();
    let sent = w.deliver(&draft("ana", "w", "new")).unwrap();
    w.archive(&sent.file, &name("w")).unwrap();
    assert_eq!(look(&disk).0.len(), 200);
    w.prune(brainstem_base::Timestamp::from_ms(now().ms() + 1), Pruning::Real);
    assert_eq!(look(&disk).0, []);
    assert_eq!(w.found_in(MailFolder::Archive, &file("20260101T000000Z_ana~0001_task.md")).unwrap(), None);
}

#[test] // spec: MAIL-14
fn what_is_kept_does_not_grow_without_end() {
    let (disk, _) = world();
    disk.make_dirs(HOME);
    archived(&disk, 400);
    for turn in 1..12 {
        // Every file changes each time, as after a restore.
        disk.set_time_ns(turn * 1_000_000_000);
        archived(&disk, 400);
        assert_eq!(look(&disk).0.len(), 400);
    }
    let [path] = kept(&disk).try_into().unwrap();
    let lines = disk.dump()[&path].split(|byte| *byte == b'\n').count();
    assert!(lines < 2 * 400 + 1_000 + 2, "{lines}");
    let (before, read) = look(&disk);
    assert_eq!((before.len(), read), (400, 1));
}

#[test] // spec: MAIL-14, MAIL-19
fn without_a_place_to_keep_it_everything_works() {
    let (disk, _) = world();
    archived(&disk, 150);
    assert_eq!((look(&disk).1, look(&disk).1), (150, 150));
    assert!(kept(&disk).is_empty(), "looking makes no home for nobody");
    disk.make_dirs(HOME);
    disk.set_read_only(true);
    assert_eq!((look(&disk).0.len(), kept(&disk).len()), (150, 0));
    disk.set_read_only(false);
    disk.write_raw(format!("{HOME}/local"), b"a file where a folder should be");
    assert_eq!(look(&disk).0.len(), 150);
}
