//! The watchdog over boxes, on the simulated disk and on the real one.

use crate::live::{Office, bodies, orch, worker};
use crate::world::{CHERRY, MAIL, World, caller, sending};
use brainstem_base::Clock as _;
use brainstem_base::Disk as _;
use brainstem_base::disk::{ObservedDisk, RealDisk, verbs};
use brainstem_mail::live::{Pace, Polled};
use brainstem_post::live::{Hub, Watcher};
use brainstem_post::mail::{MessageKind, Priority, SendRequest};
use std::sync::Arc;

#[test] // spec: MAIL-18
fn who_comes_is_told_what_waits_and_what_was_read_meanwhile_is_not_told() {
    let mut office = Office::new();
    let first = office.world.send(&orch(), "w1", "one");
    let second = office.world.send(&orch(), "worker", "two");
    // Nobody is online, so the wakes are long past when it comes.
    office.step(1_000);
    let said = |polled: &Polled| bodies(polled).into_iter().map(|(_, body)| body).collect::<Vec<_>>();
    let both = [format!("w1/{}", first.file), format!("worker/{}", second.file)];
    let mut told = said(&office.poll(&worker(1), 0));
    told.sort();
    assert_eq!(told, both);
    office.world.post.mark_read(&worker(1), &crate::world::named(&first.file)).unwrap();
    assert_eq!(said(&office.poll(&worker(1), 0)), both[1..], "read by another way");
    // A daemon that starts anew knows nobody, and tells everybody again.
    let office = Office { hub: Hub::new(office.world.clock.now()), ..office };
    assert_eq!(said(&office.poll(&worker(1), 0)), both[1..]);
}

#[test] // spec: MAIL-18
fn an_orchestrator_who_hears_of_urgent_mail_does_not_answer_for_its_reader() {
    let mut office = Office::new();
    office.poll(&orch(), 0);
    office.poll(&worker(1), 0);
    office.step(0);
    let urgent = SendRequest {
        subject: "fire".into(),
        priority: Priority::Urgent,
        ..sending("w1", MessageKind::Task)
    };
    office.world.send_with(&caller("gemini:maker", "w9", CHERRY), urgent);
    office.step(1_000);
    let heard = office.poll(&orch(), 0);
    assert_eq!(heard.messages.len(), 1);
    office.poll(&orch(), heard.cursor);
    assert_eq!(office.step(5_000).len(), 1, "w1 has not got it yet");
    let heard = office.poll(&worker(1), 0);
    office.poll(&worker(1), heard.cursor);
    for _ in 0..60 {
        assert_eq!(office.step(1_000), []);
    }
}

#[test] // spec: MAIL-12, MAIL-18
fn a_broadcast_is_told_to_each_reader_once_and_to_its_sender_never() {
    let mut office = Office::new();
    office.poll(&orch(), 0);
    office.poll(&worker(1), 0);
    office.step(0);
    office.world.send(&orch(), "__broadcast", "all hands");
    office.step(1_000);
    assert_eq!(office.poll(&orch(), 0).messages.len(), 0);
    let told = office.poll(&worker(1), 0);
    assert_eq!(told.messages.len(), 1);
    office.poll(&worker(1), told.cursor);
    for _ in 0..60 {
        assert_eq!(office.step(1_000), []);
    }
    assert_eq!(office.poll(&worker(1), 0).messages.len(), 0);
    assert_eq!(
        office.poll(&worker(2), 0).messages.len(),
        1,
        "a session that comes later hears of it when it comes"
    );
}

#[test] // spec: MAIL-20
fn a_look_costs_what_is_new_and_not_what_is_read_or_archived() {
    let world = World::new();
    let hub = Hub::new(world.clock.now());
    for n in 0..20 {
        let sent = world.send(&orch(), "w1", &format!("old {n}"));
        world.clock.advance(1_000);
        world.post.mark_read(&worker(1), &crate::world::named(&sent.file)).unwrap();
    }
    for n in 0..10 {
        world.send(&orch(), "w1", &format!("new {n}"));
        world.clock.advance(1_000);
    }
    let disk = Arc::new(ObservedDisk::counting(Arc::new(world.disk.clone())));
    let (ids, clock) = (world.memory.ids().clone(), world.clock.clone());
    let path = world.post.mail_root(&orch()).unwrap().path().to_owned();
    let root = brainstem_vault::mail::MailRoot::at(disk.clone(), ids, clock, path);
    let mut watcher = Watcher::new(disk.clone(), root, Pace::default());
    let opened = |watcher: &mut Watcher, ms: i64| {
        disk.reset();
        world.clock.advance(ms);
        watcher.step(&hub, world.clock.now());
        disk.counts().get(verbs::READ).copied().unwrap_or(0)
    };
    let gits = 3;
    let first = opened(&mut watcher, 0);
    assert_eq!(
        first,
        30 + gits,
        "once: what is unread, the questions among what was read, and three files of git"
    );
    assert_eq!(opened(&mut watcher, 10_000), 0);
    world.send(&orch(), "w1", "one more");
    assert_eq!(opened(&mut watcher, 1_000), 1);
}

#[test] // spec: MAIL-18
fn new_mail_is_told_within_a_second_and_again_until_it_is_acknowledged() {
    let mut office = Office::new();
    office.poll(&worker(1), 0);
    assert_eq!(office.step(0), []);
    let sent = office.world.send(&orch(), "w1", "do it");
    let wakes = office.step(1_000);
    assert_eq!(wakes.len(), 1);
    assert_eq!(
        (wakes[0].mailbox.as_str(), wakes[0].files.as_slice(), wakes[0].attempt),
        ("w1", &[sent.file.to_string()][..], 1)
    );
    assert_eq!(wakes[0].notified.len(), 1);
    let told = office.poll(&worker(1), 0);
    assert_eq!(bodies(&told), [("mail".to_owned(), format!("w1/{}", sent.file))]);
    // Not acknowledged: the wake comes again, the same notice does not pile up.
    assert_eq!(office.step(5_000).first().map(|wake| wake.attempt), Some(2));
    assert_eq!(office.poll(&worker(1), 0).messages.len(), 1);
    office.poll(&worker(1), told.cursor);
    for _ in 0..60 {
        assert_eq!(office.step(1_000), [], "acknowledged");
    }
}

#[test] // spec: MAIL-18
fn urgent_mail_reaches_the_orchestrator_too_and_a_sender_hears_that_nobody_is_home() {
    let mut office = Office::new();
    office.poll(&orch(), 0);
    office.step(0);
    let sender = caller("gemini:maker", "w9", CHERRY);
    office.poll(&sender, 0);
    let urgent = SendRequest {
        subject: "fire".into(),
        priority: Priority::Urgent,
        ..sending("w1", MessageKind::Task)
    };
    office.world.send_with(&sender, urgent);
    let wakes = office.step(1_000);
    assert!(wakes.len() == 1 && wakes[0].urgent, "{wakes:?}");
    let heard = office.poll(&orch(), 0);
    assert_eq!((heard.messages[0].note.kind.as_str(), heard.messages[0].note.urgent), ("mail", true));
    assert_eq!(heard.messages[0].note.subject, "fire");
    assert_eq!(office.poll(&sender, 0).messages[0].note.kind, "nobody_home");
    office.step(5_000);
    assert_eq!(office.poll(&sender, 0).messages.len(), 1, "told once");
}

#[test] // spec: MAIL-18
fn a_question_without_an_answer_is_raised_again() {
    let mut office = Office::new();
    office.poll(&worker(1), 0);
    let question =
        SendRequest { subject: "why?".into(), needs_response: true, ..sending("w1", MessageKind::Question) };
    let sent = office.world.send_with(&orch(), question);
    office.step(1_000);
    let told = office.poll(&worker(1), 0);
    office.poll(&worker(1), told.cursor);
    office.world.post.mark_read(&worker(1), &crate::world::named(&sent.file)).unwrap();
    let mut raised = 0;
    for _ in 0..25 {
        office.step(60_000);
        let polled = office.poll(&worker(1), 0);
        raised += polled.messages.iter().filter(|message| message.note.kind == "waits_for_reply").count();
        office.poll(&worker(1), polled.cursor);
    }
    assert_eq!(raised, 2, "once in ten minutes");
    office.world.reply(&worker(1), sent.file.as_str(), "because");
    for _ in 0..25 {
        office.step(60_000);
        let polled = office.poll(&worker(1), 0);
        let kinds: Vec<&str> = polled.messages.iter().map(|message| message.note.kind.as_str()).collect();
        assert!(!kinds.contains(&"waits_for_reply"), "{kinds:?}");
    }
}

#[test] // spec: MAIL-18
#[allow(clippy::disallowed_methods, reason = "file events come from a real disk")]
fn file_events_make_a_look_due_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::new();
    let hub = Hub::new(world.clock.now());
    let disk = Arc::new(RealDisk);
    let root = brainstem_vault::mail::MailRoot::at(
        disk.clone(),
        world.memory.ids().clone(),
        world.clock.clone(),
        dir.path().join("mail"),
    );
    let mut watcher = Watcher::new(disk, root, Pace::default());
    std::fs::create_dir_all(dir.path().join("mail/w1")).unwrap();
    let now = world.clock.now();
    assert_eq!(watcher.step(&hub, now).wakes, []);
    let text = "---\nfrom: a\nto: w1\ntype: task\ntimestamp: 2026-01-28T15:30:00Z\n---\n";
    std::fs::write(dir.path().join("mail/w1/20260128T153000Z_a_task.md"), text).unwrap();
    // The clock stands still, so only an event can make it look; where the system has none, a second passes.
    let mut wakes = watcher.step(&hub, now).wakes;
    if wakes.is_empty() && !cfg!(target_os = "linux") {
        world.clock.advance(1_000);
        wakes = watcher.step(&hub, world.clock.now()).wakes;
    }
    assert_eq!(wakes.len(), 1);
}

#[test] // spec: MAIL-9, MAIL-18
fn a_file_that_is_still_written_arrives_once_and_when_it_is_whole() {
    let mut office = Office::new();
    office.world.send(&orch(), "w1", "before");
    office.watcher.step(&office.hub, office.world.clock.now());
    let path = format!("{MAIL}/w1/20260705T000000Z_shell_task.md");
    let text = "---\nfrom: shell\nto: w1\ntype: task\ntimestamp: 2026-07-05T00:00:00Z\nsubject: whole\n---\n";
    let arrived = |office: &mut Office, text: &str| {
        office.world.disk.write_raw(&path, text.as_bytes());
        office.world.clock.advance(1_000);
        let looked = office.watcher.step(&office.hub, office.world.clock.now());
        looked.arrived.into_iter().map(|seen| seen.head.subject).collect::<Vec<_>>()
    };
    assert_eq!(arrived(&mut office, &text[..40]), [""; 0]);
    assert_eq!(arrived(&mut office, text), ["whole"]);
    assert_eq!(arrived(&mut office, &format!("{text}And more.\n")), [""; 0], "it changed, and was there");
    office.world.disk.unlink(path.as_ref()).unwrap();
    office.world.clock.advance(1_000);
    let looked = office.watcher.step(&office.hub, office.world.clock.now());
    assert_eq!(looked.gone.iter().map(|seen| seen.head.subject.as_str()).collect::<Vec<_>>(), ["whole"]);
    assert_eq!(looked.arrived, []);
}

#[test] // spec: MAIL-18, MAIL-19
#[allow(clippy::disallowed_methods, reason = "a shell that writes the same name again is a real one")]
fn a_name_that_is_used_again_within_a_moment_is_another_message() {
    let dir = tempfile::tempdir().unwrap();
    let world = World::new();
    let (hub, disk) = (Hub::new(world.clock.now()), Arc::new(RealDisk));
    let (ids, clock) = (world.memory.ids().clone(), world.clock.clone());
    let root = brainstem_vault::mail::MailRoot::at(disk.clone(), ids, clock, dir.path().join("mail"));
    let mut watcher = Watcher::new(disk, root, Pace::default());
    std::fs::create_dir_all(dir.path().join("mail/w1/read")).unwrap();
    let name = dir.path().join("mail/w1/20260128T153000Z_a_task.md");
    let mut step = |subject: &str| {
        let text = format!(
            "---\nfrom: a\nto: w1\ntype: task\ntimestamp: 2026-01-28T15:30:00Z\nsubject: {subject}\n---\n"
        );
        // The first one is still there under another name, so that the number of its file is not given away.
        let _ = std::fs::rename(&name, dir.path().join("mail/w1/read/20260128T153000Z_a_task.md"));
        std::fs::write(&name, text).unwrap();
        world.clock.advance(1_000);
        watcher.step(&hub, world.clock.now()).wakes.iter().map(|wake| wake.attempt).collect::<Vec<_>>()
    };
    assert_eq!(step("one"), [1]);
    assert_eq!(step("two"), [1], "read and written again between two looks");
}

#[test] // spec: MAIL-9, MAIL-18
fn a_box_with_a_part_that_cannot_be_read_is_watched_all_the_same() {
    let mut office = Office::new();
    office.poll(&worker(1), 0);
    let question =
        SendRequest { subject: "why?".into(), needs_response: true, ..sending("w1", MessageKind::Question) };
    office.world.send_with(&caller("gemini:maker", "w9", CHERRY), question);
    office.world.disk.make_link("/nowhere", format!("{MAIL}/w9"));
    for part in ["read", ".claimed", "archive"] {
        // A box that a send made has some of them.
        let _ = office.world.disk.remove_dir(format!("{MAIL}/w1/{part}").as_ref());
        office.world.disk.make_link("/nowhere", format!("{MAIL}/w1/{part}"));
    }
    assert_eq!(office.step(1_000).len(), 1);
    let told = office.poll(&worker(1), 0);
    assert_eq!(told.messages.len(), 1);
    office.poll(&worker(1), told.cursor);
    let mut raised = Vec::new();
    for _ in 0..11 {
        office.step(60_000);
        raised.extend(bodies(&office.poll(&worker(1), told.cursor)));
    }
    assert!(raised.iter().any(|(kind, _)| kind == "waits_for_reply"), "{raised:?}");
}
