//! Messages that another program is still writing: they are shown as such, left alone, and no byte of them is lost.

use crate::mail::{ROOT, draft, file, later, name, now, world};
use brainstem_base::Coded as _;
use brainstem_base::disk::SimDisk;
use brainstem_vault::mail::{MailFolder, MailRoot, UnreadView, Writing};
use std::path::Path;

const MESSAGE: &str = "20260128T153000Z_ana_task.md";
const HEAD: &[u8] = b"---\nfrom: ana\nto: w\ntype: task\ntimestamp: 2026-01-28T15:30:00Z\n---\nDo NOT";
const REST: &[u8] = b" delete the database.\n";

/// What the disk says of time is what the clock says, less so many milliseconds.
fn written_ms_ago(disk: &SimDisk, ms: i64) {
    disk.set_time_ns(i128::from(now().ms() - ms) * 1_000_000);
}

fn writing(root: &MailRoot, folder: MailFolder) -> Vec<Writing> {
    let listing = root.mailbox(&name("w")).unwrap().list(folder).unwrap();
    listing.found.iter().map(|found| found.writing).collect()
}

fn bytes(disk: &SimDisk, path: &str) -> String {
    String::from_utf8_lossy(&disk.dump()[Path::new(&format!("{ROOT}/w/{path}"))]).into_owned()
}

#[test] // spec: MAIL-9
fn what_somebody_still_writes_is_left_alone_until_it_is_closed() {
    let (disk, root) = world();
    written_ms_ago(&disk, 60_000);
    let writer = disk.open_writer(format!("{ROOT}/w/{MESSAGE}"));
    writer.write(HEAD);
    assert_eq!(writing(&root, MailFolder::Unread), [Writing::Open], "a minute of silence, and not closed");
    let w = root.mailbox(&name("w")).unwrap();
    let refused = [
        w.mark_read(&file(MESSAGE), &name("w"), now()).map(drop),
        w.archive(&file(MESSAGE), &name("w")).map(drop),
        w.take(&file(MESSAGE), &name("w"), later(1000)).map(drop),
        w.take_or_hold_longer(&file(MESSAGE), &name("w"), &[], later(1000)).map(drop),
    ];
    for refused in refused {
        assert_eq!(refused.unwrap_err().code().name(), "mail.unfinished");
    }
    let mut waiting = UnreadView::default();
    assert!(w.look_again(&mut waiting).unwrap().arrived.is_empty(), "nobody is woken for half a message");
    writer.write(REST);
    drop(writer);
    assert_eq!(w.look_again(&mut waiting).unwrap().arrived.len(), 1);
    assert_eq!(writing(&root, MailFolder::Unread), [Writing::Done]);
    w.mark_read(&file(MESSAGE), &name("w"), now()).unwrap();
    let read = bytes(&disk, &format!("read/{MESSAGE}"));
    assert!(read.contains("read_at: ") && read.ends_with("Do NOT delete the database.\n"), "{read}");
}

#[test] // spec: MAIL-9
fn a_file_that_a_program_forgot_to_close_holds_nothing_up_for_ever() {
    let (disk, root) = world();
    written_ms_ago(&disk, 10 * 60_000);
    let writer = disk.open_writer(format!("{ROOT}/w/{MESSAGE}"));
    writer.write(HEAD);
    assert_eq!(writing(&root, MailFolder::Unread), [Writing::Done]);
    let moved = root.mailbox(&name("w")).unwrap().mark_read(&file(MESSAGE), &name("w"), now()).unwrap();
    assert!(moved.unstamped.is_some(), "it is moved as it is, so that what comes still gets into it");
    writer.write(REST);
    assert!(bytes(&disk, &format!("read/{MESSAGE}")).ends_with("Do NOT delete the database.\n"));
    // Once it is closed, a repeat notes when it was read.
    drop(writer);
    let again = root.mailbox(&name("w")).unwrap().mark_read(&file(MESSAGE), &name("w"), now()).unwrap();
    assert!(again.unchanged && again.unstamped.is_none());
    assert!(bytes(&disk, &format!("read/{MESSAGE}")).contains("read_at: "));
}

#[test] // spec: MAIL-9, MAIL-10
fn where_the_system_does_not_tell_no_byte_is_lost_either() {
    for (quiet_ms, expected) in [(0, Writing::Recent), (5_000, Writing::Done)] {
        let (disk, root) = world();
        disk.hide_writers();
        written_ms_ago(&disk, quiet_ms);
        let writer = disk.open_writer(format!("{ROOT}/w/{MESSAGE}"));
        writer.write(HEAD);
        assert_eq!(writing(&root, MailFolder::Unread), [expected]);
        let w = root.mailbox(&name("w")).unwrap();
        assert!(w.mark_read(&file(MESSAGE), &name("w"), now()).unwrap().unstamped.is_some());
        writer.write(REST);
        assert!(bytes(&disk, &format!("read/{MESSAGE}")).ends_with("Do NOT delete the database.\n"));
    }
    // What this program delivers came whole: it is stamped at once.
    let (disk, root) = world();
    disk.hide_writers();
    written_ms_ago(&disk, 0);
    let w = root.mailbox(&name("w")).unwrap();
    let sent = w.deliver(&draft("ana", "w", "do it")).unwrap().file;
    assert_eq!(writing(&root, MailFolder::Unread), [Writing::Done]);
    assert_eq!(w.mark_read(&sent, &name("w"), now()).unwrap().unstamped, None);
}

#[test] // spec: MAIL-9, MAIL-10
fn a_writer_that_comes_at_any_step_of_a_mark_loses_nothing() {
    use brainstem_base::disk::ObservedDisk;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, Mutex};
    for at in 0.. {
        let (disk, _) = world();
        written_ms_ago(&disk, 60_000);
        disk.write_raw(format!("{ROOT}/w/{MESSAGE}"), HEAD);
        let writer = Arc::new(Mutex::new(None));
        let (kept, inner, count) = (writer.clone(), disk.clone(), AtomicU64::new(0));
        let observed = ObservedDisk::new(Arc::new(disk.clone()), move |_| {
            if count.fetch_add(1, Ordering::SeqCst) == at {
                let there = [format!("{ROOT}/w/{MESSAGE}"), format!("{ROOT}/w/read/{MESSAGE}")];
                let path = there.iter().find(|path| inner.dump().contains_key(Path::new(path)));
                *kept.lock().unwrap() = Some(inner.open_writer(path.expect("it is somewhere")));
            }
        });
        let root = crate::mail::root_on(Arc::new(observed));
        let marked = root.mailbox(&name("w")).unwrap().mark_read(&file(MESSAGE), &name("w"), now());
        let Some(writer) = writer.lock().unwrap().take() else {
            assert!(at > 5 && marked.unwrap().unstamped.is_none());
            return;
        };
        // From the last step on it is another file: a program that opens it then writes into that one.
        writer.write(REST);
        let whole = disk.dump().into_values().any(|bytes| bytes.ends_with(REST));
        assert!(whole, "step {at}: {marked:?}");
    }
}
