//! A sweep, and the pruning of archives.

use super::{ROOT, draft, later, name, subjects, world};
use brainstem_base::disk::{DiskFault, SyncFailures};
use brainstem_mail::MessageDraft;
use brainstem_vault::mail::{MailFolder, Pruning, TrackedMessages};
use std::path::Path;

#[test] // spec: MAIL-8, MAIL-13
fn a_sweep_archives_what_is_over_and_removes_what_a_crash_left() {
    let (disk, root) = world();
    let w = root.mailbox(&name("w")).unwrap();
    w.deliver(&MessageDraft { expires: Some(later(1000)), ..draft("ana", "w", "short") }).unwrap();
    w.deliver(&draft("ana", "w", "long")).unwrap();
    disk.write_raw(format!("{ROOT}/w/.tmp-0123456789abcdef"), b"half");
    // Where earlier versions put them.
    disk.write_raw(format!("{ROOT}/w/.tmp/.tmp-0123456789abcdef"), b"half");
    disk.write_raw(format!("{ROOT}/w/.tmp/mine.txt"), b"not ours");
    assert_eq!(
        w.unread(&[name("w")], &TrackedMessages::default(), later(1000)).unwrap().unread,
        1,
        "what is over is not unread"
    );
    let two_days = later(1000);
    let swept = w.sweep(two_days);
    assert_eq!((swept.expired.len(), swept.temps), (1, 2), "{swept:?}");
    assert_eq!(subjects(&root, "w", MailFolder::Archive), ["short"]);
    assert_eq!(subjects(&root, "w", MailFolder::Unread), ["long"]);
    assert!(disk.dump().contains_key(Path::new(&format!("{ROOT}/w/.tmp/mine.txt"))));
    assert_eq!(w.sweep(two_days), Default::default(), "a second one finds nothing");
}

#[test] // spec: MAIL-13
fn pruning_removes_archived_messages_alone_and_says_which() {
    let (_, root) = world();
    let w = root.mailbox(&name("w")).unwrap();
    let old = w.deliver(&draft("ana", "w", "old")).unwrap().file;
    let young =
        w.deliver(&MessageDraft { timestamp: later(86_400_000), ..draft("ana", "w", "young") }).unwrap().file;
    w.deliver(&draft("ana", "w", "unread")).unwrap();
    for file in [&old, &young] {
        w.archive(file, &name("w")).unwrap();
    }
    let told = w.prune(later(1000), Pruning::DryRun);
    assert_eq!(told.files, std::slice::from_ref(&old));
    assert_eq!(subjects(&root, "w", MailFolder::Archive), ["old", "young"], "only told");
    assert_eq!(w.prune(later(1000), Pruning::Real).files, [old]);
    assert_eq!(subjects(&root, "w", MailFolder::Archive), ["young"]);
    assert_eq!(subjects(&root, "w", MailFolder::Unread), ["unread"]);
}

#[test] // spec: MAIL-13
fn pruning_names_what_it_removed_where_the_disk_stops_it() {
    let (disk, root) = world();
    let w = root.mailbox(&name("w")).unwrap();
    let archived = |subject: &str| {
        let file = w.deliver(&draft("ana", "w", subject)).unwrap().file;
        w.archive(&file, &name("w")).unwrap().file
    };
    let (first, second) = (archived("first"), archived("second"));
    disk.freeze_after(format!("{ROOT}/w/archive"), 1);
    let pruned = w.prune(later(1000), Pruning::Real);
    assert_eq!((pruned.files, pruned.stuck.len()), (vec![first], 1), "the second could not go");
    assert_eq!(subjects(&root, "w", MailFolder::Archive), ["second"]);
    disk.thaw();
    disk.fail_syncs_after(0, SyncFailures::One, DiskFault::Other);
    let pruned = w.prune(later(1000), Pruning::Real);
    let codes: Vec<&str> = pruned.stuck.iter().map(|fault| fault.code.name()).collect();
    assert_eq!((pruned.files, codes), (vec![second], vec!["store.unconfirmed"]));
    let (disk, root) = world();
    disk.make_dirs(format!("{ROOT}/w"));
    disk.make_link("/elsewhere", format!("{ROOT}/w/archive"));
    assert_eq!(root.mailbox(&name("w")).unwrap().prune(later(1000), Pruning::Real).stuck.len(), 1);
}
