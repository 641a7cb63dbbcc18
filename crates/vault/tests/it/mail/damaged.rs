//! Files that are no messages, links, names that differ by case, and a disk that fails.

use super::{ROOT, by_hand, draft, file, later, name, now, root_on, subjects, world};
use brainstem_base::Coded as _;
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{DiskFault, Failing, FailingFor, FaultyDisk, ObservedDisk, verbs};
use brainstem_base::ids::CountingIds;
use brainstem_mail::{MessageDraft, Priority};
use brainstem_vault::mail::{MailFolder, MailRoot, TrackedMessages, UnreadCount};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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
