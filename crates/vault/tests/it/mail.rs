//! Boxes on a simulated disk, beside people who write and move files by hand.

use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{
    Disk, DiskFault, Failing, FailingFor, FaultyDisk, ObservedDisk, SimDisk, SyncFailures, verbs,
};
use brainstem_base::ids::CountingIds;
use brainstem_base::{Coded as _, Timestamp};
use brainstem_mail::name::MailboxName;
use brainstem_mail::resolve::KnownUnderName;
use brainstem_mail::{FileName, MessageDraft, MessageKind, Priority};
use brainstem_vault::StoreError;
use brainstem_vault::mail::{
    IgnoreRule, MailFault, MailFolder, MailRoot, Pruning, SessionRecords, TrackedMessages, UnreadCount,
};
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

#[test] // spec: MAIL-1, MAIL-5, MAIL-6, MAIL-7, MAIL-9, MAIL-19
fn a_tree_that_people_and_other_tools_wrote_reads_as_it_is() {
    let (disk, root) = world();
    for (n, kind) in MessageKind::SENT.iter().enumerate() {
        disk.write_raw(
            format!("{ROOT}/orchestrator/20260128T15300{n}Z_ana_{kind}.md"),
            by_hand(kind.as_str(), "").as_bytes(),
        );
    }
    disk.write_raw(
        format!("{ROOT}/orchestrator/2026-01-28T15-30-09_ana_status.md"),
        by_hand("status", "x: 1\n").as_bytes(),
    );
    disk.write_raw(
        format!("{ROOT}/orchestrator/read/20260128T150000Z_worker-feat-104_status.md"),
        by_hand("status", "").as_bytes(),
    );
    disk.write_raw(
        format!("{ROOT}/worker-feat-104/archive/20260128T120000Z_orchestrator_task.md"),
        by_hand("task", "").as_bytes(),
    );
    disk.write_raw(
        format!("{ROOT}/__broadcast/20260128T160000Z_nexus_announcement.md"),
        by_hand("announcement", "").as_bytes(),
    );
    // Broken messages, and files that are not messages at all.
    for (file, bytes) in [
        ("20260128T160001Z_ana_task.md", b"no fences\n".to_vec()),
        ("20260128T160002Z_ana_task.md", by_hand("task", "tags: {a\n").into_bytes()),
        ("20260128T160003Z_ana_task.md", b"---\nfrom: a\n---\n".to_vec()),
        ("20260128T160004Z_ana_task.md", b"---\nfrom: \xff\n---\n".to_vec()),
        ("20260128T160005Z_ana_task.md", vec![b'x'; 1028 * 1024 + 1]),
        ("hello.md", by_hand("task", "").into_bytes()),
    ] {
        disk.write_raw(format!("{ROOT}/orchestrator/{file}"), &bytes);
    }
    disk.write_raw(format!("{ROOT}/orchestrator/notes.txt"), b"mine");
    disk.make_link("/etc/passwd", format!("{ROOT}/orchestrator/20260128T160006Z_ana_task.md"));
    let before = disk.dump();

    let boxes: Vec<String> = root.boxes().unwrap().iter().map(|name| name.to_string()).collect();
    assert_eq!(boxes, ["__broadcast", "orchestrator", "worker-feat-104"]);
    let listing = root.mailbox(&name("orchestrator")).unwrap().list(MailFolder::Unread).unwrap();
    let kinds: Vec<&str> = listing.found.iter().map(|found| found.head.kind.as_str()).collect();
    assert_eq!(kinds, ["status", "status", "alert", "task", "question", "response", "report", "handoff"]);
    let why: Vec<(&str, &str)> =
        listing.unreadable.iter().map(|bad| (bad.file.as_str(), bad.why.as_str())).collect();
    let expected = [
        "line `---`",
        "`tags` cannot be read",
        "`to` is missing",
        "UTF-8",
        "at most",
        "no regular file",
        "its name should be 20260128T153000Z_ana_task.md",
        "does not end with .md",
    ];
    assert_eq!(why.len(), expected.len(), "{why:?}");
    for ((file, why), expected) in why.iter().zip(expected) {
        assert!(why.contains(expected), "{file}: {why}");
    }
    let broadcast = root.mailbox(&name("__broadcast")).unwrap().list(MailFolder::Unread).unwrap();
    assert_eq!(broadcast.found[0].head.warnings.len(), 1, "an unknown type is listed with a warning");
    assert_eq!(disk.dump(), before, "looking changes nothing");
}

#[test] // spec: MAIL-1a, MAIL-7, MAIL-8
fn messages_of_one_second_never_replace_one_another() {
    let (disk, root) = world();
    let orchestrator = root.mailbox(&name("orchestrator")).unwrap();
    let first = orchestrator.deliver(&draft("ana", "orchestrator", "one")).unwrap();
    assert!(first.box_made && root.is_private());
    assert_eq!(disk.dump()[Path::new("/src/cherry/.mail/.gitignore")], b"*\n");
    let second = orchestrator.deliver(&draft("ana", "orchestrator", "one")).unwrap();
    assert_eq!(first.file.as_str(), "20260128T153000Z_ana_task.md");
    assert_eq!(second.file.as_str(), "20260128T153000Z_ana~0001_task.md");
    // Neither after the first has moved on: its name stays its own.
    orchestrator.mark_read(&first.file, &name("ana"), now()).unwrap();
    orchestrator.take(&second.file, &name("w"), later(1000)).unwrap();
    let third = orchestrator.deliver(&draft("ana", "orchestrator", "three")).unwrap();
    assert_eq!(third.file.as_str(), "20260128T153000Z_ana~0002_task.md");
    assert_eq!(subjects(&root, "orchestrator", MailFolder::Unread), ["three"]);
    assert!(!disk.dump().keys().any(|path| path.display().to_string().contains("/.tmp")));
}

#[test] // spec: MAIL-5, MAIL-10
fn reading_and_archiving_move_the_file_and_keep_every_byte() {
    let (disk, root) = world();
    let text = by_hand("task", "# mine\nx-odd:   {deep: [1,\n  2]}\n");
    let at = |folder: &str| format!("{ROOT}/orchestrator/{folder}20260128T153000Z_ana_task.md");
    disk.write_raw(at(""), text.as_bytes());
    let orchestrator = root.mailbox(&name("orchestrator")).unwrap();
    let message = file("20260128T153000Z_ana_task.md");
    let moved = orchestrator.mark_read(&message, &name("w"), later(5000)).unwrap();
    assert_eq!((moved.folder, moved.unchanged), (MailFolder::Read, false));
    let stamped = text.replacen("---\n\nBy", "read_at: 2026-01-28T15:30:05.000Z\n---\n\nBy", 1);
    assert_eq!(String::from_utf8_lossy(&disk.dump()[Path::new(&at("read/"))]), stamped);
    assert!(orchestrator.mark_read(&message, &name("w"), later(9000)).unwrap().unchanged);
    let archived = orchestrator.archive(&message, &name("w")).unwrap();
    assert_eq!((archived.folder, archived.unchanged), (MailFolder::Archive, false));
    assert_eq!(String::from_utf8_lossy(&disk.dump()[Path::new(&at("archive/"))]), stamped);
    assert!(orchestrator.mark_read(&message, &name("w"), now()).unwrap().unchanged, "it is further on");
    let gone = orchestrator.archive(&file("20260128T153009Z_ana_task.md"), &name("w"));
    assert!(matches!(gone, Err(MailFault::NotFound { .. })), "{gone:?}");
}

#[test] // spec: MAIL-10
fn a_message_that_came_with_a_time_of_reading_gets_that_of_its_reader() {
    let (disk, root) = world();
    let at = |folder: &str| format!("{ROOT}/w/{folder}20260128T153000Z_ana_task.md");
    let text = by_hand("task", "read_at: 2020-01-01T00:00:00Z\n");
    disk.write_raw(at(""), text.as_bytes());
    let (w, message) = (root.mailbox(&name("w")).unwrap(), file("20260128T153000Z_ana_task.md"));
    for ms in [5000, 9000] {
        w.mark_read(&message, &name("w"), later(ms)).unwrap();
        let read = String::from_utf8_lossy(&disk.dump()[Path::new(&at("read/"))]).into_owned();
        assert_eq!(read, text.replacen("2020-01-01T00:00:00Z", "2026-01-28T15:30:05.000Z", 1), "once");
    }
}

#[test] // spec: MAIL-10
fn a_name_that_is_taken_in_the_next_folder_is_numbered_there() {
    let (disk, root) = world();
    disk.write_raw(format!("{ROOT}/w/20260128T153000Z_ana_task.md"), by_hand("task", "").as_bytes());
    disk.write_raw(format!("{ROOT}/w/read/20260128T153000Z_ana_task.md"), b"another one");
    let moved = root
        .mailbox(&name("w"))
        .unwrap()
        .mark_read(&file("20260128T153000Z_ana_task.md"), &name("w"), now())
        .unwrap();
    assert_eq!(moved.file.as_str(), "20260128T153000Z_ana~0001_task.md");
    assert_eq!(
        disk.dump()[Path::new("/src/cherry/.mail/w/read/20260128T153000Z_ana_task.md")],
        b"another one"
    );
}

#[test] // spec: MAIL-11
fn one_takes_a_message_and_the_others_are_told_who() {
    let (_, root) = world();
    let tag = root.mailbox(&name("worker")).unwrap();
    let message = tag.deliver(&draft("ana", "worker", "do it")).unwrap().file;
    let taken = tag.take(&message, &name("w1"), later(1000)).unwrap();
    assert!(!taken.renewed && taken.lease.returned == 0);
    assert_eq!(subjects(&root, "worker", MailFolder::Unread), [""; 0]);
    assert_eq!(subjects(&root, "worker", MailFolder::Held), ["do it"]);
    let refused = tag.take(&message, &name("w2"), later(1000)).unwrap_err();
    assert_eq!(refused.code().name(), "mail.claimed");
    assert!(refused.to_string().starts_with("w1 holds"), "{refused}");
    for refused in [tag.mark_read(&message, &name("w2"), now()), tag.archive(&message, &name("w2"))] {
        assert_eq!(refused.unwrap_err().code().name(), "mail.claimed");
    }
    // Its own holder gets it no second time either, unless it says that it holds it.
    assert_eq!(tag.take(&message, &name("w1"), later(5000)).unwrap_err().code().name(), "mail.claimed");
    let longer = tag.take_or_hold_longer(&message, &name("w1"), &[], later(5000)).unwrap();
    assert!(longer.renewed && longer.lease.until == later(5000));
    assert_eq!(tag.give_back(later(4999)).unwrap().leases, []);
    tag.mark_read(&message, &name("w1"), later(10)).unwrap();
    assert_eq!(subjects(&root, "worker", MailFolder::Read), ["do it"]);
}

#[test] // spec: MAIL-11
fn what_is_held_too_long_comes_back_and_says_how_often() {
    let (disk, root) = world();
    let tag = root.mailbox(&name("worker")).unwrap();
    let message = tag.deliver(&draft("ana", "worker", "do it")).unwrap().file;
    for n in 0..3 {
        let taken = tag.take(&message, &name("w1"), later(1000)).unwrap();
        assert_eq!(taken.lease.returned, n);
        assert_eq!(tag.give_back(later(1000)).unwrap().leases.len(), 1);
        assert_eq!(subjects(&root, "worker", MailFolder::Unread), ["do it"]);
    }
    // A process that comes too late finds nothing to finish, and a person that moved it by hand wins.
    tag.take(&message, &name("w1"), later(1000)).unwrap();
    tag.give_back(later(2000)).unwrap();
    let box_path = format!("{ROOT}/worker/{message}");
    disk.make_dirs(format!("{ROOT}/worker/read"));
    disk.rename(Path::new(&box_path), Path::new(&format!("{ROOT}/worker/read/{message}"))).unwrap();
    for late in [
        tag.take(&message, &name("w1"), later(9000)),
        tag.take_or_hold_longer(&message, &name("w1"), &[], later(9000)),
    ] {
        assert_eq!(late.unwrap_err().code().name(), "mail.not_found");
    }
    assert_eq!(subjects(&root, "worker", MailFolder::Read), ["do it"]);
}

#[test] // spec: MAIL-9, MAIL-11
fn a_file_under_a_damaged_name_is_named_and_stays_where_it_is() {
    let (disk, root) = world();
    let w = root.mailbox(&name("w")).unwrap();
    let message = w.deliver(&draft("ana", "w", "do it")).unwrap().file;
    w.take(&message, &name("w1"), later(1000)).unwrap();
    for damaged in ["~w1~abc~1", "~w1~1", ""] {
        let text = by_hand("task", "");
        disk.write_raw(format!("{ROOT}/w/.claimed/20260128T150000Z_b_task.md{damaged}"), text.as_bytes());
    }
    for odd in ["20260128T150000Z_b_task.MD", "-rf", "note.txt"] {
        disk.write_raw(format!("{ROOT}/w/{odd}"), b"x");
    }
    disk.write_raw(format!("{ROOT}/w/.claimed/20260128T140000Z_b_task.md~returned"), b".");
    disk.make_dirs(format!("{ROOT}/w/somebodys-folder"));
    let before = disk.dump();
    let names = |folder| {
        let listing = w.list(folder).unwrap();
        listing.unreadable.into_iter().map(|bad| bad.file).collect::<Vec<_>>()
    };
    assert_eq!(names(MailFolder::Unread), ["-rf", "20260128T150000Z_b_task.MD", "note.txt"]);
    let held = [
        "20260128T150000Z_b_task.md",
        "20260128T150000Z_b_task.md~w1~1",
        "20260128T150000Z_b_task.md~w1~abc~1",
    ];
    assert_eq!(names(MailFolder::Held), held);
    let damaged = w.damaged_leases().unwrap();
    assert_eq!(damaged.len(), 3);
    assert!(damaged[0].why.contains("move it back to the box"), "{:?}", damaged[0]);
    assert_eq!(
        w.unread(&[name("w")], &TrackedMessages::default(), now()).unwrap().unread,
        0,
        "none of them waits for somebody"
    );
    w.give_back(later(500)).unwrap();
    assert_eq!(disk.dump(), before);
}

#[test] // spec: MAIL-9, MAIL-15
fn only_what_reads_as_a_message_is_counted_as_unread() {
    let (disk, root) = world();
    let w = root.mailbox(&name("w")).unwrap();
    w.deliver(&draft("ana", "w", "a message")).unwrap();
    disk.make_dirs(format!("{ROOT}/w/20260128T150000Z_a_task.md"));
    disk.make_link("/etc/passwd", format!("{ROOT}/w/20260128T150001Z_a_task.md"));
    disk.write_raw(format!("{ROOT}/w/20260128T150002Z_a_task.md"), b"no frontmatter");
    disk.write_raw(format!("{ROOT}/w/note.md"), by_hand("task", "").as_bytes());
    let long = by_hand("task", "") + &"x".repeat(2 << 20);
    disk.write_raw(format!("{ROOT}/w/20260128T150003Z_a_task.md"), long.as_bytes());
    let counted = w.unread(&[name("w")], &TrackedMessages::default(), now()).unwrap();
    assert_eq!(counted, UnreadCount { unread: 1, unreadable: 5, ..UnreadCount::default() });
    let listed = w.list(MailFolder::Unread).unwrap();
    assert_eq!((listed.found.len(), listed.unreadable.len()), (1, 5), "what is counted is what is listed");
}

#[test] // spec: MAIL-11
fn how_often_a_message_came_back_goes_with_it() {
    let (disk, root) = world();
    let w = root.mailbox(&name("w")).unwrap();
    let counted = || disk.dump().keys().any(|path| path.to_string_lossy().ends_with("~returned"));
    for archives in [false, true] {
        let message = w.deliver(&draft("ana", "w", "do it")).unwrap().file;
        w.take(&message, &name("w1"), later(1000)).unwrap();
        w.give_back(later(1000)).unwrap();
        assert!(counted() && w.returned(&message) == 1);
        if archives {
            w.archive(&message, &name("w1")).unwrap();
        } else {
            w.mark_read(&message, &name("w1"), now()).unwrap();
        }
        assert!(!counted());
    }
}

#[test] // spec: MAIL-7
fn a_key_that_is_used_for_another_message_is_refused() {
    let (disk, root) = world();
    let w = root.mailbox(&name("w")).unwrap();
    let first = draft("ana", "w", "one");
    let sent = w.deliver_once(&first, "k").unwrap();
    let others = [
        brainstem_mail::MessageDraft { body: "two".into(), ..first.clone() },
        brainstem_mail::MessageDraft { subject: "two".into(), ..first.clone() },
        brainstem_mail::MessageDraft { kind: MessageKind::Alert, ..first.clone() },
        brainstem_mail::MessageDraft { priority: Priority::Urgent, ..first.clone() },
        brainstem_mail::MessageDraft { needs_response: true, ..first.clone() },
        brainstem_mail::MessageDraft { tags: vec!["x".into()], ..first.clone() },
        brainstem_mail::MessageDraft { thread_id: Some("x".into()), ..first.clone() },
        brainstem_mail::MessageDraft { expires: Some(later(3_600_000)), ..first.clone() },
    ];
    let before = disk.dump();
    for other in &others {
        let refused = w.deliver_once(other, "k").unwrap_err();
        assert_eq!(refused.code().name(), "mail.key_reused");
        assert!(refused.to_string().contains(sent.file.as_str()), "{refused}");
    }
    assert_eq!(disk.dump(), before);
    // The same message later, in any folder, is the one that was sent.
    w.mark_read(&sent.file, &name("w"), now()).unwrap();
    let later = brainstem_mail::MessageDraft { timestamp: later(60_000), ..first.clone() };
    assert!(w.deliver_once(&later, "k").unwrap().repeated);
    assert!(!w.deliver_once(&others[0], "k2").unwrap().repeated);
    assert!(
        !w.deliver_once(&draft("bob", "w", "two"), "k").unwrap().repeated,
        "another sender's key is another"
    );
}

#[test] // spec: MAIL-12
fn a_broadcast_is_seen_once_by_each_and_stays_for_the_others() {
    let (disk, root) = world();
    let all = root.mailbox(&MailboxName::broadcast()).unwrap();
    let message = all.deliver(&draft("ana", "__broadcast", "hello")).unwrap().file;
    assert_eq!(all.unread(&[name("w1")], &TrackedMessages::default(), now()).unwrap().unread, 1);
    assert!(all.mark_seen(&message, &name("w1")).unwrap());
    assert!(!all.mark_seen(&message, &name("w1")).unwrap());
    assert_eq!(all.unread(&[name("w1")], &TrackedMessages::default(), now()).unwrap().unread, 0);
    assert_eq!(all.unread(&[name("w2")], &TrackedMessages::default(), now()).unwrap().unread, 1);
    assert!(disk.dump().contains_key(Path::new(&format!("{ROOT}/__broadcast/{message}"))));
}

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

#[test] // spec: MAIL-9
fn a_disk_that_fails_is_not_blamed_on_the_message() {
    let (disk, root) = world();
    let w = root.mailbox(&name("w")).unwrap();
    let sent = w.deliver(&draft("ana", "w", "hello")).unwrap();
    disk.fail_reads_of(&sent.path, DiskFault::Other);
    let fault = w.find(&sent.file).unwrap_err();
    assert_eq!(fault.code().name(), "store.failed", "{fault}");
    let listing = w.list(MailFolder::Unread).unwrap();
    assert!(listing.unreadable[0].why.contains("the disk"), "{:?}", listing.unreadable);
    disk.mend_reads();
    // The answer names the stamp that could not be made, too.
    disk.fail_reads_of(format!("{ROOT}/w/read/{}", sent.file), DiskFault::Other);
    let moved = w.mark_read(&sent.file, &name("w"), now()).unwrap();
    assert_eq!((moved.folder, moved.unstamped.is_some()), (MailFolder::Read, true));
}

#[test] // spec: MAIL-9, MAIL-10
fn a_message_that_was_sent_is_read_after_it_was_marked_read() {
    let (disk, root) = world();
    let w = root.mailbox(&name("w")).unwrap();
    let empty = draft("ana", "w", "").render().len() + 1;
    let largest = MessageDraft { body: "x".repeat(1024 * 1024 - empty), ..draft("ana", "w", "") };
    assert_eq!(largest.check(), Ok(()));
    let sent = w.deliver_once(&largest, &"k".repeat(200)).unwrap().file;
    let moved = w.mark_read(&sent, &name("w"), now()).unwrap();
    assert_eq!(moved.unstamped, None);
    let (_, message) = w.find(&sent).unwrap();
    assert_eq!((message.head.read_at, message.body().len()), (Some(now()), 1024 * 1024 - empty + 1));
    // A message that was written up to the limit goes without the stamp, and stays readable.
    let by_hand = by_hand("task", "");
    let long = |len: usize| format!("{by_hand}{}", "x".repeat(len - by_hand.len()));
    for (file_name, text) in [
        ("20260128T170000Z_ana_task.md", long(1028 * 1024)),
        ("20260128T170001Z_ana_task.md", long(1028 * 1024 - 30)),
    ] {
        disk.write_raw(format!("{ROOT}/w/{file_name}"), text.as_bytes());
        let moved = w.mark_read(&file(file_name), &name("w"), now()).unwrap();
        assert!(moved.unstamped.is_some(), "{file_name}");
        assert_eq!(w.find(&file(file_name)).unwrap().1.text(), text, "not a byte changed");
    }
}

#[test] // spec: MAIL-2
fn nothing_is_read_or_written_through_a_link() {
    let (disk, root) = world();
    disk.make_dirs("/etc/secret");
    disk.make_dirs(ROOT);
    disk.make_link("/etc/secret", format!("{ROOT}/w"));
    assert_eq!(root.mailbox(&name("w")).err().map(|fault| fault.code().name()), Some("store.unreadable"));
    disk.make_dirs(format!("{ROOT}/v"));
    for folder in ["read", "archive", ".claimed", ".tmp"] {
        disk.make_link("/etc/secret", format!("{ROOT}/v/{folder}"));
    }
    let v = root.mailbox(&name("v")).unwrap();
    assert!(v.deliver(&draft("ana", "v", "x")).is_err());
    assert!(
        v.list(MailFolder::Read).is_err()
            && v.take(&file("20260128T153000Z_a_task.md"), &name("w"), now()).is_err()
    );
    assert!(!disk.dump().keys().any(|path| path.starts_with("/etc/secret")), "{:?}", disk.dump().keys());
    disk.make_link("/etc/secret", "/src/plum-mail");
    let linked = MailRoot::at(
        Arc::new(disk.clone()),
        Arc::new(CountingIds::from(9)),
        Arc::new(ManualClock::at(0)),
        "/src/plum-mail".into(),
    );
    assert!(linked.boxes().is_err());
}

#[test] // spec: MAIL-2
fn names_that_differ_only_by_case_are_refused() {
    let (_, root) = world();
    root.mailbox(&name("Worker")).unwrap().deliver(&draft("ana", "Worker", "x")).unwrap();
    let refused = root.mailbox(&name("worker")).err().map(|fault| fault.code().name());
    assert_eq!(refused, Some("mail.other_spelling"));
    assert!(root.mailbox(&name("Worker")).is_ok());
}

#[test] // spec: MAIL-9
fn a_file_that_is_still_written_is_looked_at_again() {
    let (disk, _) = world();
    let path = format!("{ROOT}/w/20260128T153000Z_ana_task.md");
    disk.set_time_ns(i128::from(now().ms()) * 1_000_000);
    disk.write_raw(&path, b"---\nfrom: a");
    let reads = Arc::new(AtomicU64::new(0));
    let writer = (disk.clone(), path.clone());
    let observed = ObservedDisk::new(Arc::new(disk.clone()), move |step| {
        // The other program goes on before the third look.
        if step.verb == verbs::READ && reads.fetch_add(1, Ordering::SeqCst) == 2 {
            writer.0.write_raw(&writer.1, by_hand("task", "").as_bytes());
        }
    });
    let root = root_on(Arc::new(observed));
    assert_eq!(subjects(&root, "w", MailFolder::Unread), [""]);
    // A file that never becomes whole is listed with its reason, at once if it is old.
    disk.write_raw(&path, b"---\nfrom: a");
    let fresh = root.mailbox(&name("w")).unwrap().list(MailFolder::Unread).unwrap();
    assert!(fresh.unreadable[0].why.contains("may still be written"), "{fresh:?}");
    let observed = Arc::new(ObservedDisk::counting(Arc::new(disk.clone())));
    disk.set_time_ns(0);
    disk.write_raw(&path, b"---\nfrom: a");
    let old = root_on(observed.clone()).mailbox(&name("w")).unwrap().list(MailFolder::Unread).unwrap();
    assert!(!old.unreadable[0].why.contains("still"), "{old:?}");
    assert_eq!(observed.counts()[verbs::READ], 1);
}

#[test] // spec: MAIL-15, MAIL-20
fn looking_at_what_is_unread_costs_what_is_unread() {
    let cost = |archived: usize| {
        let (disk, _) = world();
        for n in 0..archived {
            disk.write_raw(
                format!("{ROOT}/w/archive/20260128T{:06}Z_a~{:04}_task.md", n / 10_000, n % 10_000),
                b"x",
            );
        }
        let observed = Arc::new(ObservedDisk::counting(Arc::new(disk.clone())));
        let root = root_on(observed.clone());
        let w = root.mailbox(&name("w")).unwrap();
        for n in 0..10 {
            w.deliver(&MessageDraft {
                priority: if n == 3 { Priority::Urgent } else { Priority::Low },
                ..draft("ana", "w", "x")
            })
            .unwrap();
        }
        observed.reset();
        assert_eq!(subjects(&root, "w", MailFolder::Unread).len(), 10);
        let listed = observed.counts();
        observed.reset();
        assert_eq!(
            w.unread(&[name("w")], &TrackedMessages::default(), now()).unwrap(),
            UnreadCount { unread: 10, urgent: 1, ..UnreadCount::default() }
        );
        (listed, observed.counts())
    };
    let empty = cost(0);
    assert_eq!(empty, cost(100_000));
    assert_eq!(empty.0[verbs::READ], 10);
    assert!(empty.0.values().sum::<u64>() <= 16, "{:?}", empty.0);
}

#[test] // spec: MAIL-1a
fn git_is_told_to_leave_mail_alone_unless_it_is_to_be_committed() {
    let (disk, root) = world();
    root.ensure().unwrap();
    assert!(root.is_private());
    root.set_ignore(IgnoreRule::Scaffold).unwrap();
    assert!(!root.is_private());
    root.ensure().unwrap();
    assert!(!root.is_private(), "what was chosen stays");
    let (by_hand, root_by_hand) = world();
    by_hand.make_dirs(format!("{ROOT}/w"));
    root_by_hand.mailbox(&name("w")).unwrap().deliver(&draft("ana", "w", "x")).unwrap();
    assert!(root_by_hand.is_private(), "a root that a shell made is private, too");
    for (text, private) in [
        ("*\n", true),
        ("# x\n*\n", true),
        ("*  \r\n", true),
        // Git takes these for the names of files that begin with a blank, or end with a tab or a blank.
        ("# x\n *\n", false),
        ("*\t\n", false),
        ("*\\ \n", false),
        ("*\n !w/\n", true),
        ("*\n!w/\n", false),
        ("!w/\n*\n", true),
        ("*.log\n", false),
        ("", false),
    ] {
        disk.write_raw(format!("{ROOT}/.gitignore"), text.as_bytes());
        assert_eq!(root.is_private(), private, "{text:?}");
    }
}

fn unchecked() -> Result<(), StoreError> {
    Ok(())
}

#[test] // spec: MAIL-3, MAIL-4
fn sessions_are_known_with_their_tags_until_they_age_out() {
    let disk = SimDisk::new();
    disk.make_dirs("/home/ana/.brainstem");
    let sessions = |root: &str| {
        SessionRecords::new(
            Arc::new(disk.clone()),
            Arc::new(CountingIds::from(7)),
            Path::new("/home/ana/.brainstem"),
            Path::new(root),
        )
    };
    let here = sessions(ROOT);
    here.touch(&name("w1"), &[name("worker")], Some("codex:maker"), &unchecked, now()).unwrap();
    let steps = disk.steps();
    here.touch(&name("w1"), &[name("worker")], Some("codex:maker"), &unchecked, later(30_000)).unwrap();
    assert_eq!(disk.steps(), steps, "nothing is written for somebody who was just here");
    here.touch(&name("w1"), &[name("night")], None, &unchecked, later(61_000)).unwrap();
    let record = here.find(&name("w1")).unwrap();
    assert_eq!(
        (record.tags.as_slice(), record.agent.as_deref()),
        (&["worker".to_owned(), "night".to_owned()][..], Some("codex:maker"))
    );
    assert_eq!((record.first_seen, record.last_seen), (now().ms(), later(61_000).ms()));
    assert!(record.is_live(later(60_000)) && !record.is_live(later(3_600_000)));
    let names = here.names(later(3_600_000));
    assert!(names.contains(&name("w1")) && names.contains(&name("night")), "gone, and still known");
    assert!(sessions("/src/plum/.mail").all(now()).is_empty(), "another project has its own");
    // A clock that was a year ahead, and is right again.
    let year = 365 * 86_400_000;
    here.touch(&name("w2"), &[], None, &unchecked, later(year)).unwrap();
    assert!(!here.find(&name("w2")).unwrap().is_live(now()));
    here.touch(&name("w2"), &[], None, &unchecked, now()).unwrap();
    assert_eq!(here.find(&name("w2")).unwrap().last_seen, now().ms());
    assert_eq!(here.forget_old(later(40 * 86_400_000)), 2);
    assert!(here.all(now()).is_empty());
}

#[test] // spec: MAIL-4
fn a_session_that_said_goodbye_is_not_live_until_it_calls_again() {
    let disk = SimDisk::new();
    disk.make_dirs("/home/ana/.brainstem");
    let home = Path::new("/home/ana/.brainstem");
    let here = SessionRecords::new(Arc::new(disk), Arc::new(CountingIds::from(7)), home, Path::new(ROOT));
    let is_live = |to: &str| here.readers_of_name(&[name(to)], later(2)).is_live;
    here.leave(&name("nobody"), &|_| true, now()).unwrap();
    assert!(here.find(&name("nobody")).is_none(), "only a session on record can leave");
    here.touch(&name("w1"), &[name("worker")], Some("codex:maker"), &unchecked, now()).unwrap();
    here.touch(&name("w2"), &[name("worker")], Some("codex:maker"), &unchecked, now()).unwrap();
    here.leave(&name("w2"), &|_| true, later(1)).unwrap();
    assert_eq!((is_live("w1"), is_live("w2"), is_live("worker")), (true, false, true));
    assert!(here.is_anybody_here(&name("w3"), later(2)), "who left last hides nobody");
    here.leave(&name("w1"), &|_| true, later(1)).unwrap();
    assert_eq!((is_live("w1"), is_live("worker")), (false, false));
    assert!(!here.is_anybody_here(&name("w3"), later(2)));
    assert!(here.names(later(2)).contains(&name("worker")), "gone, and still known");
    here.touch(&name("w1"), &[], None, &unchecked, later(2)).unwrap();
    assert!(is_live("w1"), "a call a moment later makes it live");
    here.leave(&name("w1"), &|_| true, later(3)).unwrap();
    here.register(&name("w1"), &[], None, &|| Ok::<_, StoreError>(()), later(4)).unwrap();
    assert!(is_live("w1"));
}

#[test] // spec: MAIL-4, MEM-21
fn sessions_that_were_seen_before_another_folder_was_made_at_the_path_are_not_on_record() {
    let disk = SimDisk::new();
    disk.make_dirs("/home/ana/.brainstem");
    let project = Path::new(ROOT).parent().unwrap();
    disk.make_dirs(project);
    let sessions = || {
        let home = Path::new("/home/ana/.brainstem");
        SessionRecords::new(Arc::new(disk.clone()), Arc::new(CountingIds::from(7)), home, Path::new(ROOT))
    };
    sessions().touch(&name("w1"), &[name("merger")], Some("codex:maker"), &unchecked, now()).unwrap();
    assert!(sessions().names(now()).contains(&name("merger")));
    disk.rename(project, &project.with_file_name("moved")).unwrap();
    disk.make_dirs(project);
    let here = sessions();
    assert!(here.names(later(1)).is_empty() && here.all(later(1)).is_empty());
    assert!(!here.readers_of_name(&[name("merger")], later(1)).known.is_tag);
    let record = here.touch(&name("w1"), &[], None, &unchecked, later(1)).unwrap();
    assert_eq!((record.tags.len(), record.agent, record.first_seen), (0, None, later(1).ms()));

    // A record of an earlier version says nothing about the folder, and counts.
    let dir = Path::new("/home/ana/.brainstem/local/sessions-register");
    let dir = dir.join(&disk.list(dir).unwrap()[0].name);
    let old = format!(r#"{{"name":"w2","root":{ROOT:?},"first_seen":{0},"last_seen":{0}}}"#, now().ms());
    disk.write_raw(dir.join("w2.json"), old.as_bytes());
    assert!(here.find(&name("w2")).is_some());
}

#[test] // spec: MAIL-3, MAIL-4, IF-25a
fn whoever_reads_a_box_is_found_without_a_look_at_everybody() {
    let disk = SimDisk::new();
    disk.make_dirs("/home/ana/.brainstem");
    let observed = Arc::new(ObservedDisk::counting(Arc::new(disk.clone())));
    let here = SessionRecords::new(
        observed.clone(),
        Arc::new(CountingIds::from(7)),
        Path::new("/home/ana/.brainstem"),
        Path::new(ROOT),
    );
    let known = |to: &[&str], at| {
        let names: Vec<MailboxName> = to.iter().map(|to| name(to)).collect();
        let standing = here.readers_of_name(&names, at);
        let KnownUnderName { is_session, is_tag, is_agent } = standing.known;
        (is_session, is_tag, is_agent, standing.is_live)
    };
    for n in 0..500 {
        here.touch(&name(&format!("old-{n}")), &[name("crowd")], Some("mcp"), &unchecked, later(-3_600_000))
            .unwrap();
    }
    here.touch(&name("w1"), &[name("worker")], Some("codex:maker"), &unchecked, now()).unwrap();
    here.readers_of_name(&[name("nobody")], now());
    observed.reset();
    assert_eq!(known(&["w1"], now()), (true, false, false, true));
    assert_eq!(known(&["worker"], now()), (false, true, false, true));
    assert_eq!(known(&["codex.maker"], now()), (false, false, true, true));
    assert!(observed.counts()[verbs::READ] <= 5, "{:?}", observed.counts());
    observed.reset();
    assert_eq!(known(&["later"], now()), (false, false, false, false));
    assert!(observed.counts().get(verbs::READ).copied().unwrap_or(0) <= 5, "{:?}", observed.counts());
    assert_eq!(known(&["worker"], later(3_600_000)), (false, true, false, false), "gone, and still known");
    assert!(here.is_anybody_here(&name("w2"), now()) && !here.is_anybody_here(&name("w1"), now()));
    // A session that an older program registers has no marks, and is still found.
    let record = |name: &str, tag: &str, seen: Timestamp| {
        format!(
            r#"{{"name":"{name}","tags":["{tag}"],"root":"{ROOT}","agent":"codex-mcp-client","first_seen":{0},"last_seen":{0}}}"#,
            seen.ms()
        )
    };
    let dir = disk.dump().into_keys().find(|path| path.ends_with("w1.json")).unwrap();
    disk.write_raw(dir.with_file_name("elder.json"), record("elder", "night", now()).as_bytes());
    assert_eq!(known(&["night"], now()), (false, true, false, true));
    assert_eq!(
        known(&["codex.elsewhere", "codex-mcp-client"], now()),
        (false, false, true, true),
        "by any name"
    );
    // A session that says other tags reads other boxes.
    here.register(&name("w1"), &[name("night")], Some("codex:maker"), &|| Ok::<_, StoreError>(()), now())
        .unwrap();
    assert_eq!(known(&["worker"], now()), (false, false, false, false));
    // A session that was not seen for a month is forgotten, with its marks.
    assert_eq!(known(&["crowd"], later(40 * 86_400_000)), (false, false, false, false));
    assert!(!disk.dump().keys().any(|path| path.to_string_lossy().contains("/crowd/")));
}

#[test] // spec: MAIL-7
fn a_send_with_a_key_has_one_end() {
    let (_, root) = world();
    let w = root.mailbox(&name("w")).unwrap();
    let first = MessageDraft { expires: Some(later(3_600_000)), ..draft("ana", "w", "x") };
    w.deliver_once(&first, "k").unwrap();
    // The same day, or as long from the repeat as from the send.
    for (at, expires) in [(90_000, 3_600_000), (90_000, 3_690_000)] {
        let again = MessageDraft { timestamp: later(at), expires: Some(later(expires)), ..first.clone() };
        assert!(w.deliver_once(&again, "k").unwrap().repeated, "{expires}");
    }
    for expires in [None, Some(later(7_200_000)), Some(later(1_800_000))] {
        let other = MessageDraft { timestamp: later(90_000), expires, ..first.clone() };
        assert_eq!(w.deliver_once(&other, "k").unwrap_err().code().name(), "mail.key_reused", "{expires:?}");
    }
}

#[test] // spec: MAIL-9, MAIL-15
fn messages_that_lie_in_no_box_are_named() {
    let (disk, root) = world();
    root.mailbox(&name("w")).unwrap().deliver(&draft("ana", "w", "x")).unwrap();
    assert_eq!(root.astray().unwrap(), []);
    let file = "20260128T153103Z_ana_task.md";
    let astray = ["zürich", "bad name", "con", "-x", "w/sub", "w/read/sub"];
    for folder in astray {
        disk.write_raw(format!("{ROOT}/{folder}/{file}"), b"---\n");
    }
    disk.write_raw(format!("{ROOT}/{file}"), b"---\n");
    disk.write_raw(format!("{ROOT}/notes of mine/x.txt"), b"no message");
    let named: Vec<String> = root.astray().unwrap().iter().map(|it| it.path.display().to_string()).collect();
    for path in astray.iter().map(|folder| format!("{ROOT}/{folder}")).chain([format!("{ROOT}/{file}")]) {
        assert!(named.contains(&path), "{path} of {named:?}");
    }
    assert_eq!(named.len(), astray.len() + 1);
    // A folder that the disk fails to list may hold messages, and hides no other.
    let mut unlisted = 0;
    for after in 0..12 {
        let faulty = FaultyDisk::after(Arc::new(disk.clone()), Failing::Opens, FailingFor::Once, after);
        let found = root_on(Arc::new(faulty)).astray().unwrap();
        unlisted += found.iter().filter(|it| it.why.starts_with("it cannot be listed")).count();
    }
    assert!(unlisted > 5, "{unlisted}");
}

#[test] // spec: MAIL-7
fn a_send_with_a_key_is_made_once() {
    let (_, root) = world();
    let w = root.mailbox(&name("w")).unwrap();
    let first = w.deliver_once(&draft("ana", "w", "x"), "k1").unwrap();
    let moment = MessageDraft { timestamp: later(90_000), ..draft("ana", "w", "x") };
    let again = w.deliver_once(&moment, "k1").unwrap();
    assert_eq!((again.file.clone(), again.repeated), (first.file.clone(), true));
    w.archive(&first.file, &name("w")).unwrap();
    assert!(w.deliver_once(&moment, "k1").unwrap().repeated, "also when it has been archived");
    assert!(!w.deliver_once(&moment, "k2").unwrap().repeated);
    assert!(!w.deliver_once(&MessageDraft { from: name("bo"), ..moment.clone() }, "k1").unwrap().repeated);
    assert!(!w.deliver(&moment).unwrap().repeated, "without a key, two equal messages are two");
    assert_eq!(subjects(&root, "w", MailFolder::Unread).len(), 3);
}

#[test] // spec: MAIL-7
fn a_send_with_a_key_is_made_once_also_when_its_message_is_gone() {
    let (disk, root) = world();
    let w = root.mailbox(&name("w")).unwrap();
    let (pruned, removed) = (draft("ana", "w", "pruned"), draft("ana", "w", "removed"));
    let file = w.deliver_once(&pruned, "k1").unwrap().file;
    w.archive(&file, &name("w")).unwrap();
    assert_eq!(w.prune(later(1000), Pruning::Real).files.len(), 1);
    let path = w.deliver_once(&removed, "k2").unwrap().path;
    disk.unlink(&path).unwrap();
    for (draft, key) in [(&pruned, "k1"), (&removed, "k2")] {
        let moment = MessageDraft { timestamp: later(90_000), ..draft.clone() };
        let again = w.deliver_once(&moment, key).unwrap();
        assert_eq!((again.repeated, again.gone), (true, true), "{key}");
        // Another message under the key is refused, as it is while the first one is there.
        let other = MessageDraft { body: "other".into(), ..moment };
        assert_eq!(w.deliver_once(&other, key).unwrap_err().code().name(), "mail.key_reused", "{key}");
    }
    assert!(subjects(&root, "w", MailFolder::Unread).is_empty());
}

#[test] // spec: MAIL-1a
fn a_private_root_is_private_whatever_happens_to_its_gitignore() {
    let (disk, root) = world();
    disk.make_dirs("/home/ana/.brainstem");
    let root = root.noting_below(Path::new("/home/ana/.brainstem"));
    let path = format!("{ROOT}/.gitignore");
    let ignore = Path::new(&path);
    let send = || root.mailbox(&name("w")).unwrap().deliver(&draft("ana", "w", "x"));
    send().unwrap();
    disk.unlink(ignore).unwrap();
    send().unwrap();
    assert!(root.is_private(), "it was removed");
    disk.write_raw(ignore, b"# nothing\n\n");
    send().unwrap();
    assert_eq!(disk.dump()[ignore], b"# nothing\n\n*\n", "it had no rule");
    // Another kind of file has its name: private messages stay where they are, and no more come.
    disk.unlink(ignore).unwrap();
    disk.write_raw(ignore.join("x"), b"");
    let fault = send().unwrap_err();
    assert_eq!(fault.code().name(), "store.private_exposed");
    assert!(fault.to_string().contains("is a folder"), "{fault}");
    assert_eq!(root.ensure().unwrap_err().code().name(), "store.private_exposed");
    disk.unlink(&ignore.join("x")).unwrap();
    disk.remove_dir(ignore).unwrap();
    root.ensure().unwrap();
    assert!(root.is_private());
    // Where a person let git commit it, that is kept.
    root.set_ignore(IgnoreRule::Scaffold).unwrap();
    root.note_committed().unwrap();
    disk.unlink(ignore).unwrap();
    root.ensure().unwrap();
    assert!(!root.is_private() && disk.dump()[ignore].starts_with(b".tmp/\n"));
    root.forget_committed().unwrap();
    disk.unlink(ignore).unwrap();
    root.ensure().unwrap();
    assert!(root.is_private());
}

#[test] // spec: MAIL-1a
fn what_a_person_told_git_about_the_mail_stays() {
    let (disk, root) = world();
    let path = format!("{ROOT}/.gitignore");
    let text = || String::from_utf8(disk.dump()[Path::new(&path)].clone()).unwrap();
    root.ensure().unwrap();
    disk.write_raw(&path, b"# mine\r\nnotes/\r\n*\n!x");
    root.set_ignore(IgnoreRule::Scaffold).unwrap();
    let shared = "# mine\r\nnotes/\r\n!x\n.tmp/\n.tmp-*\n.claimed/\n.seen/\n.keys/\n.names/\n";
    assert_eq!((text().as_str(), root.is_private()), (shared, false));
    root.set_ignore(IgnoreRule::Scaffold).unwrap();
    assert_eq!(text(), shared, "once");
    root.set_ignore(IgnoreRule::Everything).unwrap();
    assert_eq!((text().as_str(), root.is_private()), ("# mine\r\nnotes/\r\n!x\n*\n", true));
}
