//! The name of a session that has ended, and that another agent takes: what the session before held, sent and saw stays that
//! agent's.

use crate::world::{CHERRY, MAIL, World, caller, code, message, named, of_box, refusal};
use brainstem_memory::Caller;
use brainstem_memory::identity::IdentitySource;
use brainstem_post::mail::{FinishRequest, MailListRequest, OthersBoxes, ReadRequest, TakeRequest};

fn codex() -> Caller {
    caller("codex:maker", "w1+pool", CHERRY)
}

fn gemini() -> Caller {
    caller("gemini:maker", "w1+pool", CHERRY)
}

fn orch() -> Caller {
    caller("claude:orchestrator", "o", CHERRY)
}

/// The session of codex ends, and gemini takes its name.
fn hand_over(world: &World) {
    world.post.depart(&codex()).unwrap();
    world.post.register_session(&gemini(), Some("w1"), None).unwrap();
}

/// And back.
fn hand_back(world: &World) {
    world.post.depart(&gemini()).unwrap();
    world.post.register_session(&codex(), Some("w1"), None).unwrap();
}

fn in_box(file: &str) -> FinishRequest {
    FinishRequest { file: message(file), mailbox: None, others: OthersBoxes::LeftAlone }
}

#[test] // spec: MAIL-4, MAIL-11
fn what_a_session_holds_is_not_handed_to_another_agent_of_its_name() {
    let world = World::new();
    world.send(&orch(), "pool", "deploy once");
    let taken = world.post.take(&codex(), &of_box("pool")).unwrap();
    assert!(taken.path.to_str().unwrap().ends_with("~codex.maker"), "{:?}", taken.path);
    hand_over(&world);
    let this = TakeRequest { file: Some(message(taken.lease.file.as_str())), ..of_box("pool") };
    assert_eq!(code(world.post.take(&gemini(), &this)), "mail.claimed");
    let file = format!("pool/{}", taken.lease.file);
    assert_eq!(code(world.post.mark_read(&gemini(), &in_box(&file))), "mail.claimed");
    assert_eq!(code(world.post.archive(&gemini(), &in_box(&file))), "mail.claimed");
    hand_back(&world);
    assert!(world.post.take(&codex(), &this).unwrap().renewed, "it holds its own longer");
    world.post.mark_read(&codex(), &in_box(&file)).unwrap();
}

#[test] // spec: MAIL-11
fn a_claim_of_an_earlier_program_is_read_by_the_name_alone() {
    let world = World::new();
    let sent = world.send(&orch(), "pool", "deploy once");
    let taken = world.post.take(&codex(), &of_box("pool")).unwrap();
    let bytes = world.disk.dump()[&taken.path].clone();
    brainstem_base::Disk::unlink(&world.disk, &taken.path).unwrap();
    let until = taken.lease.until.ms();
    world.disk.write_raw(format!("{MAIL}/pool/.claimed/{}~w1~{until}~0", sent.file), &bytes);
    hand_over(&world);
    world.post.mark_read(&gemini(), &in_box(&format!("pool/{}", sent.file))).unwrap();
}

#[test] // spec: MAIL-10
fn only_the_agent_that_sent_a_message_takes_it_back() {
    let world = World::new();
    let sent = world.send(&codex(), "reviewer", "do not merge");
    let file = format!("reviewer/{}", sent.file);
    hand_over(&world);
    assert_eq!(code(world.post.archive(&gemini(), &in_box(&file))), "mail.not_yours");
    let of_that_id = caller("w1", "", CHERRY);
    world.post.depart(&gemini()).unwrap();
    assert_eq!(code(world.post.archive(&of_that_id, &in_box(&file))), "mail.not_yours");
    let reviewer = caller("claude:maker", "reviewer", CHERRY);
    assert_eq!(world.waiting(&reviewer), ["do not merge"]);
}

#[test] // spec: MAIL-10
fn the_agent_that_sent_a_message_takes_it_back_under_its_name() {
    let world = World::new();
    let sent = world.send(&codex(), "reviewer", "do not merge");
    let file = format!("reviewer/{}", sent.file);
    hand_over(&world);
    hand_back(&world);
    world.post.archive(&codex(), &in_box(&file)).unwrap();
}

/// A shell in a session: it has the session's name, and its agent is the person who is logged in.
fn shell() -> Caller {
    let mut shell = caller("human:ana", "w1", CHERRY);
    shell.principal.source = IdentitySource::Login;
    shell
}

#[test] // spec: MAIL-10
fn what_a_shell_in_a_session_sent_is_that_agents_and_the_persons() {
    let world = World::new();
    world.post.register_session(&codex(), Some("w1"), None).unwrap();
    let file = |subject: &str| format!("reviewer/{}", world.send(&shell(), "reviewer", subject).file);
    world.post.archive(&codex(), &in_box(&file("of the shell, taken back by its agent"))).unwrap();
    world.post.archive(&shell(), &in_box(&file("of the shell, taken back there"))).unwrap();
    let one = file("do not merge");
    hand_over(&world);
    assert_eq!(code(world.post.archive(&gemini(), &in_box(&one))), "mail.not_yours");
    assert_eq!(code(world.post.archive(&shell(), &in_box(&one))), "mail.not_yours", "a shell of gemini's");
    let reviewer = caller("claude:maker", "reviewer", CHERRY);
    assert_eq!(world.waiting(&reviewer), ["do not merge"]);
    world.post.depart(&gemini()).unwrap();
    world.post.archive(&shell(), &in_box(&one)).unwrap();

    // A person that used the name while no session had it.
    let two = file("of a person");
    world.post.depart(&shell()).unwrap();
    world.post.register_session(&gemini(), Some("w1"), None).unwrap();
    assert_eq!(code(world.post.archive(&gemini(), &in_box(&two))), "mail.not_yours");
}

#[test] // spec: MAIL-10
fn another_session_of_the_sender_hears_under_which_name_it_takes_a_message_back() {
    let world = World::new();
    let sent = world.send(&codex(), "reviewer", "do not merge");
    let other = caller("codex:maker", "w2", CHERRY);
    let refused = refusal(world.post.archive(&other, &in_box(&format!("reviewer/{}", sent.file))));
    assert_eq!(refused.code.name(), "mail.not_yours");
    assert!(refused.message.contains("sent as w1") && refused.fix.unwrap().to_string().contains("w1"));
    let stranger = caller("gemini:maker", "w2", CHERRY);
    world.post.depart(&other).unwrap();
    let refused = refusal(world.post.archive(&stranger, &in_box(&format!("reviewer/{}", sent.file))));
    assert!(!refused.message.contains("w1"), "{refused}");
}

#[test] // spec: MAIL-12
fn what_a_session_has_seen_is_news_to_another_agent_of_its_name() {
    let world = World::new();
    world.post.register_session(&codex(), Some("w1"), None).unwrap();
    let sent = world.send(&orch(), "__broadcast", "freeze");
    assert_eq!(world.waiting(&codex()), ["freeze"]);
    world.post.mark_read(&codex(), &named(&sent.file)).unwrap();
    assert_eq!(world.waiting(&codex()), [] as [String; 0]);
    hand_over(&world);
    assert_eq!(world.waiting(&gemini()), ["freeze"]);
    assert_eq!(world.post.mail_standing(&gemini()).0.unwrap().unread, 1);
    let read = world.post.read_mail(&gemini(), &ReadRequest::default()).unwrap();
    assert_eq!(read.row.head.subject, "freeze");
    hand_back(&world);
    assert_eq!(world.waiting(&codex()), [] as [String; 0], "its own marks count still");
    // A mark of an earlier program has the session's name alone.
    let old = world.send(&orch(), "__broadcast", "old");
    world.disk.write_raw(format!("{MAIL}/__broadcast/.seen/w1/{}", old.file), b"");
    assert!(world.list(&codex(), MailListRequest::default()).rows.is_empty());
}
