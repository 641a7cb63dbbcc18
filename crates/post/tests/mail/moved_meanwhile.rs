//! A project that is moved away while a call is at work in it: its old path is not made anew.

use crate::world::{CHERRY, World, caller, code, key, sending};
use brainstem_base::disk::{Disk as _, ObservedDisk};
use brainstem_memory::Caller;
use brainstem_post::mail::{MailSharing, MessageKind, SendRequest};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const MOVED: &str = "/src/moved";

fn codex(root: &str) -> Caller {
    caller("codex:maker", "w1", root)
}

/// Makes a call in worlds whose project is moved before its first, second, … step on the disk, until the call ends before
/// the move. Returns the codes of the answers, each once.
fn moved_at_each_step(
    prepare: impl Fn(&World),
    call: impl Fn(&brainstem_post::Post) -> &'static str,
) -> Vec<&'static str> {
    let mut codes = Vec::new();
    for at in 0.. {
        let world = World::new();
        prepare(&world);
        let (disk, steps) = (world.disk.clone(), Arc::new(AtomicUsize::new(0)));
        let count = steps.clone();
        let observed = ObservedDisk::new(Arc::new(world.disk.clone()), move |_| {
            if count.fetch_add(1, Ordering::SeqCst) == at {
                disk.rename(Path::new(CHERRY), Path::new(MOVED)).unwrap();
            }
        });
        let answer = call(&world.post_on(Arc::new(observed)));
        if steps.load(Ordering::SeqCst) <= at {
            return codes;
        }
        assert!(world.disk.stat(Path::new(CHERRY)).is_err(), "step {at}, {answer}: made anew");
        if answer == "ok" {
            let reader = caller("claude:maker", "w2", MOVED);
            assert_eq!(world.waiting(&reader), ["hello"], "step {at}: it was answered");
        }
        if !codes.contains(&answer) {
            codes.push(answer);
        }
    }
    unreachable!("some call ends")
}

#[test] // spec: MAIL-4, IF-3
fn a_project_that_is_moved_while_a_message_is_sent_is_not_made_anew() {
    for has_mail in [false, true] {
        for keyed in [None, key("k1")] {
            let prepare = |world: &World| {
                world.memory.bootstrap(&codex(CHERRY), &Default::default()).unwrap();
                if has_mail {
                    world.send(&codex(CHERRY), "w9", "earlier");
                }
            };
            let codes = moved_at_each_step(prepare, |post| {
                let request = SendRequest {
                    subject: "hello".into(),
                    key: keyed.clone(),
                    ..sending("w2", MessageKind::Task)
                };
                code(post.send(&codex(CHERRY), &request))
            });
            assert!(codes.contains(&"memory.root_missing"), "{codes:?}");
            let known = ["ok", "memory.root_missing", "store.unconfirmed"];
            assert!(codes.iter().all(|code| known.contains(code)), "{codes:?}");
        }
    }
}

#[test] // spec: MAIL-1a, MAIL-4
fn a_project_that_is_moved_while_its_mail_is_made_is_not_made_anew() {
    for sharing in [MailSharing::AsItIs, MailSharing::Private, MailSharing::Committed] {
        let prepare = |world: &World| {
            world.memory.bootstrap(&codex(CHERRY), &Default::default()).unwrap();
            world.send(&codex(CHERRY), "w2", "hello");
        };
        let codes = moved_at_each_step(prepare, |post| code(post.init_mail(&codex(CHERRY), sharing)));
        assert!(codes.contains(&"memory.root_missing"), "{codes:?}");
    }
}
