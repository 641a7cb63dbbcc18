//! The doctor names boxes with mail of which nothing was ever read.

use crate::world::{CHERRY, World, caller, named};
use brainstem_memory::{Caller, Severity, Trouble};

const HOUR_MS: i64 = 60 * 60 * 1_000;

fn orch() -> Caller {
    caller("claude:orchestrator", "o", CHERRY)
}

/// The boxes that the doctor says nobody reads.
fn never_read(world: &World) -> Vec<String> {
    let found = world.post.mail_health(&orch()).into_iter();
    let found = found.filter(|found| found.trouble == Trouble::MailNeverRead);
    found.map(|found| found.place.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

#[test] // spec: MAIL-3, MEM-43
fn a_box_that_nobody_here_reads_is_named() {
    let world = World::new();
    for name in ["bob", "w1", "o", "codex", "human", "__broadcast"] {
        world.send(&orch(), name, "hello");
    }
    let unread = |world: &World| {
        let boxes = world.post.boxes_without_reader(&orch()).into_iter();
        boxes.map(|waiting| (waiting.mailbox.to_string(), waiting.unread)).collect::<Vec<_>>()
    };
    assert_eq!(unread(&world), [("bob".to_owned(), 1), ("w1".to_owned(), 1)]);
    assert_eq!(never_read(&world), ["bob", "w1"], "an agent of a host may come, and the person looks");
    world.clock.advance(25 * HOUR_MS);
    assert_eq!(never_read(&world), ["bob", "codex.maker", "w1"]);
    assert_eq!(Trouble::MailNeverRead.severity(), Severity::Note);
    let found = world.post.mail_health(&orch());
    let found = found.iter().find(|found| found.trouble == Trouble::MailNeverRead).unwrap();
    assert!(found.fix.to_string().contains("brainstem mail list --box bob --folder unread"), "{found:?}");

    // A session of that name comes. A box whose only reader was forgotten is named again.
    let w1 = caller("codex:maker", "w1", CHERRY);
    world.post.register_session(&w1, Some("w1"), None).unwrap();
    assert_eq!(never_read(&world), ["bob"]);
    let bob = caller("gemini:maker", "bob", CHERRY);
    let file = world.send(&orch(), "bob", "second").file;
    world.post.mark_read(&bob, &named(&file)).unwrap();
    world.post.depart(&bob).unwrap();
    assert_eq!(never_read(&world), [] as [String; 0]);
    world.clock.advance(24 * 60 * HOUR_MS);
    assert!(never_read(&world).contains(&"bob".to_owned()));
}
