//! A name is given to one message of a mail root, whichever box the message goes to.

use crate::mail::{ROOT, draft, file, later, name, now, root_on, world};
use brainstem_base::disk::{ObservedDisk, SimDisk, verbs};
use brainstem_vault::mail::{MailFolder, MailRoot, Pruning};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

fn send(root: &MailRoot, to: &str) -> String {
    root.mailbox(&name(to)).unwrap().deliver(&draft("orch", to, "do it")).unwrap().file.to_string()
}

fn reserved(disk: &SimDisk) -> Vec<String> {
    let below = format!("{ROOT}/.names/");
    let all = disk.dump();
    let paths = all.keys().filter_map(|path| path.to_str()?.strip_prefix(&below).map(str::to_owned));
    paths.filter(|path| path != ".gitignore" && path != "boxes.lock").collect()
}

#[test] // spec: MAIL-7
fn messages_of_one_second_to_many_boxes_have_a_name_each() {
    let (disk, root) = world();
    assert_eq!(send(&root, "alice"), "20260128T153000Z_orch_task.md");
    assert_eq!(send(&root, "bob"), "20260128T153000Z_orch~0001_task.md");
    // Wherever the first has gone meanwhile, and whichever process sends.
    let alice = root.mailbox(&name("alice")).unwrap();
    alice.take(&file("20260128T153000Z_orch_task.md"), &name("w"), later(1000)).unwrap();
    assert_eq!(send(&root_on(Arc::new(disk.clone())), "carol"), "20260128T153000Z_orch~0002_task.md");
    alice.archive(&file("20260128T153000Z_orch_task.md"), &name("w")).unwrap();
    alice.prune(later(1), Pruning::Real);
    assert_eq!(send(&root, "dora"), "20260128T153000Z_orch~0003_task.md");
    assert_eq!(root.boxes().unwrap().len(), 4, "the reservations are no box");
    assert_eq!(disk.dump()[Path::new(&format!("{ROOT}/.names/.gitignore"))], b"*\n");
}

#[test] // spec: MAIL-7
fn a_tree_without_reservations_works_as_it_did() {
    let (disk, root) = world();
    let text = b"---\nfrom: orch\nto: w\ntype: task\ntimestamp: 2026-01-28T15:30:00Z\n---\n";
    disk.write_raw(format!("{ROOT}/w/read/20260128T153000Z_orch_task.md"), text);
    disk.write_raw(format!("{ROOT}/w/20260128T153000Z_orch~0001_task.md"), text);
    assert_eq!(send(&root, "w"), "20260128T153000Z_orch~0002_task.md", "no message of the box is replaced");
    let moved = root.mailbox(&name("w")).unwrap().mark_read(
        &file("20260128T153000Z_orch~0001_task.md"),
        &name("w"),
        now(),
    );
    assert_eq!(moved.unwrap().file.as_str(), "20260128T153000Z_orch~0001_task.md");
}

#[test] // spec: MAIL-7, MAIL-10
fn an_old_message_whose_name_is_taken_where_it_goes_gets_another() {
    for day in ["20260127", "20260126", "20251228"] {
        let (disk, root) = world();
        let old = format!("{day}T103000Z_orch_task.md");
        let text = b"---\nfrom: orch\nto: w\ntype: task\ntimestamp: 2026-01-28T15:30:00Z\n---\n";
        for folder in ["w", "w/read", "w/archive"] {
            disk.write_raw(format!("{ROOT}/{folder}/{old}"), text);
        }
        let w = root.mailbox(&name("w")).unwrap();
        let moved = w.mark_read(&file(&old), &name("w"), now()).unwrap();
        assert_eq!(moved.file.as_str(), format!("{day}T103000Z_orch~0001_task.md"));
    }
}

#[test] // spec: MAIL-7
fn reservations_go_after_a_day() {
    let (disk, root) = world();
    let old = format!("{ROOT}/.names/2026012714/20260127T145959Z_orch_task.md");
    let young = format!("{ROOT}/.names/2026012715/20260127T150000Z_orch_task.md");
    for path in [&old, &young] {
        disk.write_raw(path, b"");
    }
    disk.write_raw(format!("{ROOT}/.names/mine.txt"), b"somebody's");
    send(&root, "alice");
    let young = "2026012715/20260127T150000Z_orch_task.md";
    let mine = "2026012815/20260128T153000Z_orch_task.md";
    assert_eq!(reserved(&disk), [young, mine, "mine.txt"], "with the first message of an hour");
    assert_eq!(root.sweep_names(later(3_600_000)).unwrap(), 1);
    assert_eq!(reserved(&disk), [mine, "mine.txt"]);
    assert_eq!(root.sweep_names(later(3_600_000)).unwrap(), 0);
}

#[test] // spec: MAIL-7, MAIL-20
fn the_thousandth_name_of_a_second_is_found_in_a_few_looks() {
    let disk = SimDisk::new();
    disk.make_dirs("/src/cherry");
    let observed = Arc::new(ObservedDisk::counting(Arc::new(disk.clone())));
    let root = root_on(observed.clone());
    let mut names = BTreeSet::new();
    for n in 0..1000 {
        names.insert(send(&root, &format!("w{}", n % 10)));
    }
    assert_eq!(names.len(), 1000);
    observed.reset();
    send(&root, "w1");
    let counts = observed.counts();
    assert!(counts[verbs::STAT] < 60, "{counts:?}");
    assert_eq!(root.mailbox(&name("w1")).unwrap().list(MailFolder::Unread).unwrap().found.len(), 101);
}

#[test] // spec: MAIL-2, MAIL-7
fn a_link_in_place_of_the_reservations_is_refused() {
    for link in [".names", ".names/2026012815"] {
        let (disk, root) = world();
        disk.make_dirs("/elsewhere/2026012815");
        disk.make_dirs(Path::new(ROOT).join(link).parent().unwrap());
        disk.make_link("/elsewhere", format!("{ROOT}/{link}"));
        let sent = root.mailbox(&name("bob")).unwrap().deliver(&draft("orch", "bob", "x"));
        assert!(sent.unwrap_err().to_string().contains(link), "{link}");
        assert!(!disk.dump().keys().any(|path| path.starts_with("/elsewhere")), "{link}");
    }
}

#[test] // spec: MAIL-2
fn of_two_first_sends_to_names_that_differ_by_case_alone_one_is_refused() {
    let (disk, root) = world();
    let other = root_on(Arc::new(disk.clone()));
    // Both looked before either made its box.
    let (upper, lower) = (root.mailbox(&name("Box")).unwrap(), other.mailbox(&name("box")).unwrap());
    upper.deliver(&draft("orch", "Box", "one")).unwrap();
    let refused = lower.deliver(&draft("orch", "box", "two")).unwrap_err();
    assert!(refused.to_string().contains("Box"), "{refused}");
    assert_eq!(root.boxes().unwrap(), [name("Box")]);
    // At once, many times.
    for round in 0..40 {
        let barrier = std::sync::Barrier::new(2);
        let sent = std::thread::scope(|threads| {
            let send = |to: String, disk: SimDisk| {
                let barrier = &barrier;
                move || {
                    let root = root_on(Arc::new(disk));
                    barrier.wait();
                    let mailbox = root.mailbox(&name(&to));
                    mailbox.and_then(|mailbox| mailbox.deliver(&draft("orch", &to, "at once"))).is_ok()
                }
            };
            let one = threads.spawn(send(format!("Pair{round}"), disk.clone()));
            let two = threads.spawn(send(format!("pair{round}"), disk.clone()));
            usize::from(one.join().unwrap()) + usize::from(two.join().unwrap())
        });
        assert_eq!(sent, 1, "round {round}");
    }
}
