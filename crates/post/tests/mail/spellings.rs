//! Names that differ only by case: one of them counts, and it is the one that somebody has here.

use crate::repository::index;
use crate::world::{CHERRY, MAIL, World, boxed, caller, code, refusal, sending, subjects};
use brainstem_post::mail::{Boxes, MailListRequest, MessageKind, SendRequest};

fn to(to: &str) -> SendRequest {
    SendRequest { subject: to.into(), ..sending(to, MessageKind::Task) }
}

const TEXT: &[u8] =
    b"---\nfrom: ana\nto: w2\ntype: task\ntimestamp: 2026-07-04T12:00:00Z\nsubject: old\n---\n";
const FILE: &str = "20260704T120000Z_ana_task.md";

#[test] // spec: MAIL-2
fn a_name_that_somebody_has_here_is_not_taken_in_another_spelling() {
    let world = World::new();
    let (orch, w2) = (caller("o:x", "o", CHERRY), caller("b:x", "w2+worker", CHERRY));
    world.waiting(&w2);
    for (written, meant) in [("W2", "w2"), ("Worker", "worker"), ("B.x", "b.x"), ("tag:WORKER", "worker")] {
        let refused = refusal(world.post.send(&orch, &to(written)));
        assert_eq!(refused.code.name(), "mail.other_spelling", "{written}");
        assert_eq!(
            refused.fix.as_ref().map(ToString::to_string).as_deref(),
            Some(&*format!("write `{meant}`")),
            "{written}"
        );
    }
    let other = caller("c:x", "", CHERRY);
    assert_eq!(code(world.post.register_session(&other, Some("W2"), Some(&[]))), "mail.other_spelling");
    assert_eq!(
        code(world.post.register_session(&other, Some("c"), Some(&["Worker".to_owned()]))),
        "mail.other_spelling"
    );
    let request = MailListRequest::default();
    assert_eq!(code(world.post.list_mail(&caller("c:x", "W2", CHERRY), &request)), "mail.other_spelling");
    assert_eq!(
        code(world.post.list_mail(&caller("c:x", "c+Worker", CHERRY), &request)),
        "mail.other_spelling"
    );
    assert!(!world.disk.dump().keys().any(|path| path.starts_with(format!("{MAIL}/W2"))));
    // What is sent to the names themselves arrives.
    ["w2", "worker", "b:x"].iter().for_each(|name| drop(world.send_with(&orch, to(name))));
    assert_eq!(world.waiting(&w2), ["w2", "worker", "b:x"]);
}

#[test] // spec: MAIL-2
fn the_name_of_a_session_that_is_gone_is_free_in_every_spelling() {
    let world = World::new();
    world.waiting(&caller("b:x", "w2", CHERRY));
    world.clock.advance(31 * 60_000);
    let other = caller("c:x", "", CHERRY);
    assert_eq!(code(world.post.register_session(&other, Some("W2"), Some(&[]))), "ok");
    // Each spelling that is on record is a recipient.
    for name in ["W2", "w2"] {
        assert_eq!(world.send_with(&other, to(name)).mailbox.as_str(), name);
    }
}

#[test] // spec: MAIL-2, MAIL-15
fn a_box_in_another_spelling_cuts_off_nobody_who_is_on_record() {
    let world = World::new();
    let (orch, w2) = (caller("o:x", "o", CHERRY), caller("b:x", "w2+worker", CHERRY));
    world.waiting(&w2);
    // As an earlier program or a script made it.
    world.disk.write_raw(format!("{MAIL}/W2/{FILE}"), TEXT);
    world.disk.write_raw(format!("{MAIL}/WORKER/{FILE}"), TEXT);
    ["w2", "worker"].iter().for_each(|name| drop(world.send_with(&orch, to(name))));
    assert_eq!(world.waiting(&w2), ["w2", "worker"]);
    let (mail, _) = world.post.mail_standing(&w2);
    assert_eq!(mail.unwrap().unread, 2, "what is counted is what is listed");
    let request = MailListRequest { boxes: Boxes::One(boxed("W2")), ..MailListRequest::default() };
    assert_eq!(subjects(&world.list(&orch, request)), ["old"], "the other box can be looked into");
    assert_eq!(code(world.post.send(&orch, &to("W2"))), "mail.other_spelling");
}

#[test] // spec: MAIL-2, MAIL-21
fn a_box_that_git_brought_locks_out_no_name() {
    let world = World::new();
    let (orch, other) = (caller("o:x", "o", CHERRY), caller("c:x", "c", CHERRY));
    let tracks = |boxes: &[&str]| {
        world.clock.advance(1_000);
        boxes.iter().for_each(|name| world.disk.write_raw(format!("{MAIL}/{name}/{FILE}"), TEXT));
        let paths: Vec<String> = boxes.iter().map(|name| format!(".mail/{name}/{FILE}")).collect();
        world.disk.write_raw(format!("{CHERRY}/.git/index"), &index(&paths));
    };
    tracks(&["ORCHESTRATOR"]);
    assert_eq!(code(world.post.send(&other, &to("orchestrator"))), "ok");
    world.post.register_session(&orch, Some("o"), Some(&["orchestrator".to_owned()])).unwrap();
    assert_eq!(world.waiting(&orch), ["orchestrator"]);
    // A box of this machine counts, whatever git brought into it.
    tracks(&["ORCHESTRATOR", "PLANNER"]);
    world.send_with(&other, to("PLANNER"));
    assert_eq!(code(world.post.send(&other, &to("planner"))), "mail.other_spelling");
}

#[test] // spec: MAIL-2, MAIL-7
fn recipients_of_one_call_that_differ_by_case_are_refused_before_the_first_copy() {
    let world = World::new();
    let me = caller("codex:maker", "", CHERRY);
    let floor = crate::world::floor();
    let to = ["alpha", "beta", "Alpha"].map(str::to_owned);
    let to = brainstem_post::mail::Recipients::parse(&floor, &to).unwrap();
    let request = SendRequest { body: "b".into(), ..SendRequest::new(to, MessageKind::Task) };
    assert_eq!(code(world.post.send(&me, &request)), "mail.other_spelling");
    let messages =
        world.disk.dump().into_keys().filter(|path| path.extension().is_some_and(|end| end == "md"));
    assert_eq!(messages.count(), 0);
}
