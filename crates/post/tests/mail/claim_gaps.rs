//! `mail claim` where the disk does not give everything: nothing is called absent that was not looked at.

use crate::world::{CHERRY, MAIL, World, caller, refusal};
use brainstem_base::DiskFault;
use brainstem_memory::Caller;
use brainstem_post::mail::{LeaseTime, TakeRequest};

fn orch() -> Caller {
    caller("claude:orchestrator", "orch", CHERRY)
}

fn worker() -> Caller {
    caller("codex:maker", "w1+worker", CHERRY)
}

#[test] // spec: MAIL-11, MAIL-15, MEM-23
fn a_message_that_cannot_be_read_is_named_beside_what_is_taken_and_beside_nothing() {
    let world = World::new();
    let sent = world.send(&orch(), "worker", "urgent work");
    world.disk.fail_reads_of(&sent.path, DiskFault::Other);
    let nothing = refusal(world.post.take(&worker(), &TakeRequest::default()));
    assert_eq!(nothing.code.name(), "mail.nothing");
    assert!(nothing.message.contains(sent.file.as_str()), "{nothing}");
    world.send(&orch(), "worker", "chatter");
    let taken = world.post.take(&worker(), &TakeRequest::default()).unwrap();
    assert_eq!(taken.head.subject, "chatter");
    assert!(taken.gaps.iter().any(|gap| gap.contains(sent.file.as_str())), "{:?}", taken.gaps);
    world.disk.mend_reads();
    let taken = world.post.take(&worker(), &TakeRequest::default()).unwrap();
    assert_eq!((taken.head.subject.as_str(), taken.gaps.len()), ("urgent work", 0));
}

#[test] // spec: MAIL-11, MAIL-15, MEM-23
fn what_is_held_and_cannot_come_back_is_named() {
    let world = World::new();
    world.send(&orch(), "worker", "held");
    world
        .post
        .take(&worker(), &TakeRequest { lease: LeaseTime::seconds(1).unwrap(), ..TakeRequest::default() })
        .unwrap();
    world.clock.advance(5_000);
    let other = caller("gemini:maker", "w2+worker", CHERRY);
    world.disk.freeze(format!("{MAIL}/worker"));
    let nothing = refusal(world.post.take(&other, &TakeRequest::default()));
    assert_eq!(nothing.code.name(), "mail.nothing");
    assert!(nothing.message.contains("could not come back"), "{nothing}");
    world.disk.thaw();
    world.post.take(&other, &TakeRequest::default()).unwrap();
}
