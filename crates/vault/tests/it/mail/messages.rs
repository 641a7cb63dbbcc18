//! Messages as files: read, moved, numbered, taken and given back.

use super::{ROOT, by_hand, draft, file, later, name, now, subjects, world};
use brainstem_base::Coded as _;
use brainstem_base::disk::Disk;
use brainstem_mail::name::MailboxName;
use brainstem_mail::{MessageDraft, MessageKind};
use brainstem_vault::mail::{MailFault, MailFolder, TrackedMessages};
use std::path::Path;

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
