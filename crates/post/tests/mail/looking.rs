//! A caller that may only look leaves no trace, and sees what everybody sees.

use crate::world::{CHERRY, World, caller, subjects};
use brainstem_post::Post;
use brainstem_post::mail::{LeaseTime, MailListRequest, TakeRequest};

#[test] // spec: IF-11
fn whoever_only_looks_is_not_registered_and_gives_nothing_back() {
    let world = World::new();
    world.send(&caller("claude:orchestrator", "", CHERRY), "w1", "held");
    world.send(&caller("claude:orchestrator", "", CHERRY), "w1", "waits");
    let worker = caller("codex:maker", "w1", CHERRY);
    let held = world
        .post
        .take(&worker, &TakeRequest { lease: LeaseTime::seconds(60).unwrap(), ..TakeRequest::default() });
    held.expect("it is there");
    // The lease is over: whoever looks would put the message back, and be noted in the register.
    world.clock.advance(3_600_000);
    let before = world.disk.dump();
    let looking = Post::new(&world.memory.looking());
    let request = MailListRequest { limit: 10, ..MailListRequest::default() };
    for name in ["w1", "intruder+w1"] {
        let listed = looking.list_mail(&caller("codex:maker", name, CHERRY), &request);
        let listed = listed.expect("looking is allowed");
        assert_eq!(listed.gaps, [""; 0], "nothing failed: nothing was tried");
        assert_eq!(subjects(&listed).len(), 1, "what is held is held");
    }
    looking.sessions(&worker, 10).expect("looking is allowed");
    assert_eq!(world.disk.dump(), before);
    assert_eq!(world.waiting(&worker).len(), 2, "and whoever may do more gives it back");
    assert_ne!(world.disk.dump(), before);
}
