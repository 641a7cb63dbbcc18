//! What is malformed, forged or enormous is set aside with its reason; outsiders are held; a ledger that changed is named.

use crate::world::{World, content, slug};
use brainstem_base::Clock as _;
use brainstem_inbox::connection::{ConnectionState, ConnectionStep};
use brainstem_inbox::founding::{SeenEnds, decide_connection};
use brainstem_inbox::{
    CatchUpError, ConnectionDecision, Envelope, InboxDirectory, InboxPriority, Mirror as _, OperatorId,
    QuarantineReason, memo,
};
use brainstem_ledger::redaction::Redact;
use brainstem_ledger::{AccountId, ChainFaultKind, ConsensusTime, Ledger as _, TopicId};

#[test] // spec: INB-4a, INB-8
fn hostile_messages_are_set_aside_with_their_reason_and_the_cursor_moves_on() {
    let mut world = World::new();
    let task = world.entity("T-1");
    let (ana, ben) = (world.agent("ana"), world.agent("ben"));
    let message = Envelope::message(ana.operator(), &content("x", InboxPriority::Normal), world.clock.now());
    let wrong_inbound = OperatorId { inbound: ben.inbound, account: ana.account };
    let wrong = Envelope::message(wrong_inbound, &content("x", InboxPriority::Normal), world.clock.now());
    let close = Envelope::close_connection(ana.operator());
    let note = br#"{"type":"task.note","from_agent":"ana","note":"x","notify":["ben","nobody"]}"#;
    for (topic, submitter, bytes) in [
        (ben.inbound, ana.account, b"no json".to_vec()),
        (ben.inbound, ben.account, message.clone()),
        (ben.inbound, ana.account, wrong),
        (ben.inbound, ana.account, close),
        (task, ben.account, note.to_vec()),
        (task, ana.account, note.to_vec()),
        (ben.acks, ben.account, b"{}".to_vec()),
        (ben.inbound, ana.account, message),
    ] {
        world.append(topic, submitter, bytes);
    }
    let mut reader = world.reader("x");
    reader.catch_up(&world).unwrap();
    let mut reasons: Vec<_> = reader.mirror.quarantined(100).unwrap().iter().map(|it| it.reason).collect();
    reasons.sort();
    use QuarantineReason::{Malformed, Misplaced, SenderMismatch, UnknownRecipient};
    assert_eq!(
        reasons,
        [Malformed, Malformed, SenderMismatch, SenderMismatch, SenderMismatch, Misplaced, UnknownRecipient]
    );
    assert_eq!(reader.rows(&["ben"]).len(), 2, "the honest message, and the note for the reader that exists");
}

#[test] // spec: INB-6
fn what_an_outsider_says_is_held_until_it_is_accepted_and_never_reaches_the_inbox_before() {
    let mut world = World::new();
    let ben = world.agent("ben");
    let outsider = OperatorId { inbound: TopicId::local(7).unwrap(), account: AccountId::local(77).unwrap() };
    let say =
        |text: &str| Envelope::message(outsider, &content(text, InboxPriority::Urgent), world.clock.now());
    let request = format!(r#"{{"p":"hcs-10","op":"connection_request","operator_id":"{outsider}"}}"#);
    world.append(ben.inbound, outsider.account, say("before"));
    let asked = world.append(ben.inbound, outsider.account, request.clone().into_bytes()).1;
    let mut reader = world.reader("x");
    reader.catch_up(&world).unwrap();
    assert_eq!(reader.rows(&["ben"]), []);
    let held = reader.mirror.held(&[slug("ben")], 10).unwrap();
    assert_eq!(held.iter().map(|held| held.is_request).collect::<Vec<_>>(), [true, false]);

    let mut directory = InboxDirectory::default();
    directory.refresh(&*world.ledger, &SeenEnds::new()).unwrap();
    let home = directory.home().unwrap();
    let topic = world.ledger.create_topic(&memo::connection(ben.inbound, asked.sequence)).unwrap().id;
    let decision =
        |step, topic| ConnectionDecision { agent: slug("ben"), account: outsider.account, step, topic };
    let early = world.append(topic, outsider.account, say("too early")).1;
    let accept = decision(ConnectionStep::Accept, Some((topic, asked.sequence)));
    decide_connection(&*world.ledger, home, &accept).unwrap();
    world.append(topic, outsider.account, say("hello"));
    world.append(topic, outsider.account, Envelope::close_connection(outsider));
    world.append(topic, outsider.account, say("after"));
    let mut late = world.reader("late");
    for reader in [&mut reader, &mut late] {
        reader.catch_up(&world).unwrap();
        let rows = reader.rows(&["ben"]);
        assert_eq!(rows.iter().map(|row| row.row.content.subject.as_str()).collect::<Vec<_>>(), ["hello"]);
        assert_eq!(rows[0].row.from, "0.0.77");
        assert_eq!(reader.mirror.held(&[slug("ben")], 10).unwrap().len(), 4);
    }
    decide_connection(&*world.ledger, home, &decision(ConnectionStep::Block, None)).unwrap();
    world.append(ben.inbound, outsider.account, request.into_bytes());
    reader.catch_up(&world).unwrap();
    let aside = reader.mirror.quarantined(10).unwrap();
    assert_eq!(aside.iter().map(|it| it.reason).collect::<Vec<_>>(), [QuarantineReason::Blocked]);
    directory.refresh(&*world.ledger, &SeenEnds::new()).unwrap();
    let far = ConsensusTime::new(1 << 40, 0).unwrap();
    let before = |time| directory.connection_before(&slug("ben"), outsider.account, time);
    assert_eq!((before(early.consensus), before(far)), (ConnectionState::Unknown, ConnectionState::Blocked));
}

#[test] // spec: LED-4a
fn a_ledger_that_was_restored_from_an_older_copy_is_named() {
    let mut world = World::new();
    let (ana, ben) = (world.agent("ana"), world.agent("ben"));
    world.send(&ana, &ben, "one");
    let mut reader = world.reader("x");
    reader.catch_up(&world).unwrap();
    // Another ledger with the same topics and one other message.
    let mut other = World::new();
    let (ana, ben) = (other.agent("ana"), other.agent("ben"));
    let mut fresh = other.reader("unused");
    assert_eq!(fresh.catch_up(&other), Ok(0));
    let missing = std::mem::replace(&mut other.ledger, world.ledger.clone());
    world.ledger = missing;
    let mut again = world.reader("x");
    let Err(CatchUpError::Changed(fault)) = again.catch_up(&world) else { panic!("it is another ledger") };
    assert_eq!((fault.topic, fault.kind), (ben.inbound, ChainFaultKind::Missing));
    world.send(&ana, &ben, "another");
    let Err(CatchUpError::Changed(fault)) = again.catch_up(&world) else { panic!("it is another ledger") };
    assert_eq!((fault.topic, fault.kind), (ben.inbound, ChainFaultKind::Rewritten));
}

#[test] // spec: INB-8
fn what_was_redacted_is_gone_from_the_mirror_as_from_a_rebuild() {
    let mut world = World::new();
    let (ana, ben) = (world.agent("ana"), world.agent("ben"));
    let said = world.send(&ana, &ben, "a slip");
    world.send(&ana, &ben, "stays");
    let mut reader = world.reader("x");
    reader.catch_up(&world).unwrap();
    assert_eq!(reader.rows(&["ben"]).len(), 2);
    let redact = Redact {
        topic: said.topic,
        sequence: said.sequence,
        submitter: ana.account,
        reason: "a slip".to_owned(),
    };
    world.ledger.redact(&redact).unwrap();
    let mut late = world.reader("late");
    for reader in [&mut reader, &mut late] {
        reader.catch_up(&world).unwrap();
        assert_eq!(crate::world::subjects(&reader.rows(&["ben"])), ["stays"]);
    }
    assert_eq!(reader.all(&["ana", "ben"], &[]), late.all(&["ana", "ben"], &[]));
}
