//! What the beat and the status say of a caller's mail.

use crate::world::{CHERRY, MAIL, World, caller, code, message, named, refusal, replying, sending};
use brainstem_base::DiskFault;
use brainstem_base::disk::{FaultyDisk, verbs};
use brainstem_post::mail::{
    MailFolder, MailListRequest, MessageFilter, MessageKind, SendRequest, TakeRequest,
};
use std::path::Path;
use std::sync::Arc;

#[test] // spec: MAIL-4, IF-4
fn under_a_name_of_another_agent_no_mail_is_counted() {
    let world = World::new();
    let owner = caller("owner:x", "mine", CHERRY);
    world.post.register_session(&owner, Some("mine"), Some(&["team".into()])).unwrap();
    world.send(&caller("z:z", "", CHERRY), "mine", "for the owner");
    world.send(&caller("z:z", "", CHERRY), "__broadcast", "for all");
    let (standing, gap) = world.post.mail_standing(&owner);
    assert_eq!((standing.map(|standing| standing.unread), gap), (Some(2), None));
    for thief in [caller("thief:y", "mine", CHERRY), caller("thief:y", "team", CHERRY)] {
        let (standing, gap) = world.post.mail_standing(&thief);
        assert_eq!(standing, None, "every call of mail is refused, so none is advised");
        let told = gap.unwrap().detail.to_string();
        assert!(told.contains("owner:x") && told.contains("another name"), "{told}");
    }
    let (standing, gap) = world.post.mail_standing(&caller("thief:y", "own", CHERRY));
    assert_eq!((standing.map(|standing| standing.unread), gap), (Some(1), None));
}

#[test] // spec: MAIL-13
fn an_expired_message_that_was_not_swept_is_counted() {
    let world = World::new();
    let (orch, w1) = (caller("o:x", "o", CHERRY), caller("codex:maker", "w1", CHERRY));
    let words = world.post.mail_words();
    let request = SendRequest {
        subject: "soon over".into(),
        expires: words.expires(Some("1h")).unwrap(),
        ..sending("w1", MessageKind::Task)
    };
    world.send_with(&orch, request);
    world.send(&orch, "w1", "stays");
    let listed = || world.list(&w1, MailListRequest::default());
    assert_eq!((listed().expired, listed().rows.len()), (0, 2));
    world.clock.advance(2 * 3_600_000);
    assert_eq!((listed().expired, listed().rows.len()), (1, 1));
    let filter = MessageFilter { kind: Some("question".into()), ..MessageFilter::default() };
    let others = world.list(&w1, MailListRequest { filter, ..MailListRequest::default() });
    assert_eq!(others.expired, 0, "only what was asked for");
    world.post.sweep_mail(&orch).unwrap();
    assert_eq!(listed().expired, 0);
    let archived = MailListRequest { folder: Some(MailFolder::Archive), ..MailListRequest::default() };
    assert_eq!(world.list(&w1, archived).rows.len(), 1);
}

#[test] // spec: MAIL-3, MAIL-4
fn nothing_is_sent_to_this_program_itself() {
    let world = World::new();
    let w1 = caller("codex:maker", "w1", CHERRY);
    for to in ["system", "System", "session:system", "tag:SYSTEM"] {
        let request = SendRequest { body: "x".into(), ..sending(to, MessageKind::Task) };
        let refused = refusal(world.post.send(&w1, &request));
        assert_eq!(refused.code.name(), "mail.bad_name", "{to}: {refused}");
        assert!(refused.message.contains("reads no mail"), "{refused}");
    }
    let by_hand =
        "---\nfrom: system\nto: w1\ntype: question\ntimestamp: 2026-07-05T00:59:00Z\n---\n\nhello\n";
    world.disk.write_raw(format!("{MAIL}/w1/20260705T005900Z_system_question.md"), by_hand.as_bytes());
    let reply = replying("w1/20260705T005900Z_system_question.md", "an answer");
    assert_eq!(code(world.post.reply(&w1, &reply)), "mail.bad_name");
    assert!(!world.disk.dump().keys().any(|path| path.starts_with(format!("{MAIL}/system"))));
}

#[test] // spec: MAIL-11
fn a_message_that_is_done_is_not_taken_and_the_refusal_says_where_it_is() {
    let world = World::new();
    let (orch, w1) = (caller("o:x", "o", CHERRY), caller("codex:maker", "w1", CHERRY));
    let file = world.send(&orch, "w1", "work").file.to_string();
    let take = || {
        let request = TakeRequest { file: Some(message(format!("w1/{file}"))), ..TakeRequest::default() };
        refusal(world.post.take(&w1, &request))
    };
    for folder in ["read", "archive"] {
        let done = match folder {
            "read" => world.post.mark_read(&w1, &named(&file)),
            _ => world.post.archive(&w1, &named(&file)),
        };
        done.unwrap();
        let refused = take();
        assert_eq!(refused.code.name(), "mail.not_found");
        assert!(refused.message.contains(&format!("lies in `{folder}`")), "{refused}");
        let fix = refused.fix.unwrap().to_string();
        assert!(fix.contains(&format!("mail read w1/{file}")), "{fix}");
    }
}

#[test] // spec: MAIL-4
fn a_session_that_cannot_be_registered_is_named_to_its_caller() {
    let world = World::new();
    let w1 = caller("codex:maker", "w1", CHERRY);
    assert_eq!(world.send(&caller("codex:maker", "w3", CHERRY), "w2", "hello").unrecorded, None);
    let register = Path::new("/home/ana/.brainstem/local/sessions-register");
    let disk = FaultyDisk::new(Arc::new(world.disk.clone()), move |step| {
        let is_change = [verbs::WRITE_NEW, verbs::LOCK].contains(&step.verb);
        (is_change && step.path.starts_with(register)).then_some(DiskFault::ReadOnly)
    });
    let post = world.post_on(Arc::new(disk));
    let hello = || SendRequest { body: "hello".into(), ..sending("w2", MessageKind::Task) };
    let sent = post.send(&w1, &hello()).unwrap().remove(0);
    assert!(sent.note().is_some_and(|note| note.contains("w1 could not be registered")), "{:?}", sent.note());
    let gaps = post.list_mail(&w1, &MailListRequest::default()).unwrap().gaps;
    assert!(gaps.iter().any(|gap| gap.contains("w1 could not be registered")), "{gaps:?}");
    // A caller that names no session loses nothing.
    let plain = post.send(&caller("codex:maker", "", CHERRY), &hello()).unwrap().remove(0);
    assert_eq!(plain.unrecorded, None);
}
