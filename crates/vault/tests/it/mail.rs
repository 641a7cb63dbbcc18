//! Boxes on a simulated disk, beside people who write and move files by hand.

mod damaged;
mod git;
mod keyed;
mod messages;
mod sessions;
mod swept;

use brainstem_base::Timestamp;
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{Disk, SimDisk};
use brainstem_base::ids::CountingIds;
use brainstem_mail::name::MailboxName;
use brainstem_mail::{FileName, MessageDraft, MessageKind, Priority};
use brainstem_vault::mail::{MailFolder, MailRoot};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) const ROOT: &str = "/src/cherry/.mail";

pub(crate) const START: &str = "2026-01-28T15:30:00Z";

pub(crate) fn now() -> Timestamp {
    Timestamp::parse_rfc3339(START).unwrap()
}

pub(crate) fn later(ms: i64) -> Timestamp {
    Timestamp::from_ms(now().ms() + ms)
}

pub(crate) fn root_on(disk: Arc<dyn Disk>) -> MailRoot {
    // Two processes never draw the same ids.
    static PROCESSES: AtomicU64 = AtomicU64::new(1);
    let ids = Arc::new(CountingIds::from(PROCESSES.fetch_add(1, Ordering::SeqCst) << 32));
    MailRoot::of_project(disk, ids, Arc::new(ManualClock::at(now().ms())), Path::new("/src/cherry"))
}

pub(crate) fn world() -> (SimDisk, MailRoot) {
    let disk = SimDisk::new();
    disk.make_dirs("/src/cherry");
    let root = root_on(Arc::new(disk.clone()));
    (disk, root)
}

pub(crate) fn name(text: &str) -> MailboxName {
    MailboxName::parse(text).unwrap()
}

pub(crate) fn file(text: &str) -> FileName {
    FileName::parse(text).unwrap()
}

pub(crate) fn draft(from: &str, to: &str, body: &str) -> MessageDraft {
    MessageDraft {
        from: name(from),
        to: name(to),
        kind: MessageKind::Task,
        timestamp: now(),
        needs_response: false,
        priority: Priority::Normal,
        tags: Vec::new(),
        in_reply_to: None,
        thread_id: None,
        expires: None,
        subject: body.to_owned(),
        extras: Vec::new(),
        body: body.to_owned(),
    }
}

/// The subjects in a folder of a box.
pub(crate) fn subjects(root: &MailRoot, mailbox: &str, folder: MailFolder) -> Vec<String> {
    let listing = root.mailbox(&name(mailbox)).unwrap().list(folder).unwrap();
    assert_eq!(listing.unreadable, [], "{folder:?}");
    listing.found.into_iter().map(|found| found.head.subject).collect()
}

fn by_hand(kind: &str, keys: &str) -> String {
    format!(
        "---\nfrom: ana\nto: orchestrator\ntype: {kind}\ntimestamp: 2026-01-28T15:30:00Z\n{keys}---\n\nBy hand.\n"
    )
}
