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
fn a_box_of_which_nothing_was_read_for_a_day_is_named() {
    let world = World::new();
    for name in ["bob", "w1", "o", "__broadcast"] {
        world.send(&orch(), name, "hello");
    }
    assert_eq!(never_read(&world), [] as [String; 0], "it may be read in a moment");
    world.clock.advance(25 * HOUR_MS);
    assert_eq!(never_read(&world), ["bob", "w1"]);
    assert_eq!(Trouble::MailNeverRead.severity(), Severity::Note);
    let found = world.post.mail_health(&orch());
    let found = found.iter().find(|found| found.trouble == Trouble::MailNeverRead).unwrap();
    assert!(found.fix.to_string().contains("brainstem mail list --box bob --folder unread"), "{found:?}");

    // A session of that name comes; a box of which something was read is not named.
    let w1 = caller("codex:maker", "w1", CHERRY);
    world.post.register_session(&w1, Some("w1"), None).unwrap();
    assert_eq!(never_read(&world), ["bob"]);
    let bob = caller("gemini:maker", "bob", CHERRY);
    let file = world.send(&orch(), "bob", "second").file;
    world.post.mark_read(&bob, &named(&file)).unwrap();
    world.post.depart(&bob).unwrap();
    world.clock.advance(24 * 60 * HOUR_MS);
    assert!(!never_read(&world).contains(&"bob".to_owned()));
}
