//! One person has several names, and mail to each of them reaches that person.

use crate::world::{CHERRY, World, caller, code, message, named, sending, subjects};
use brainstem_base::AgentId;
use brainstem_mail::resolve::ResolveRule;
use brainstem_memory::Caller;
use brainstem_memory::identity::IdentitySource;
use brainstem_post::mail::{MailListRequest, MessageKind, ReplyRequest, SendRequest};

const SETTINGS: &str = "/home/ana/.brainstem/config.toml";

/// An agent whose process runs under the login `root`.
fn agent() -> Caller {
    logged_in(caller("claude:maker", "", CHERRY))
}

/// The person at the terminal, under the login `root` or a name that the settings give.
fn person(name: &str, source: IdentitySource) -> Caller {
    let mut person = logged_in(caller(name, "", CHERRY));
    person.principal.source = source;
    person
}

fn by_login() -> Caller {
    person("human:root", IdentitySource::Login)
}

fn logged_in(mut caller: Caller) -> Caller {
    caller.principal.mail.login = Some(AgentId::parse("human:root").unwrap());
    caller
}

#[test] // spec: MAIL-3b, INB-2a, IF-25
fn every_name_of_the_person_reaches_the_person() {
    let world = World::new();
    for to in ["human", "owner", "root", "human:root", "human.root"] {
        let sent = world.send(&agent(), to, to);
        assert_eq!((sent.mailbox.as_str(), sent.rule), ("human.root", ResolveRule::Person), "{to}");
        assert_eq!(sent.note().map(|note| note.to_string()), None, "{to}");
    }
    let waiting = ["human", "owner", "root", "human:root", "human.root"];
    assert_eq!(world.waiting(&by_login()), waiting);
    assert_eq!(world.post.mail_standing(&by_login()).0.unwrap().unread, waiting.len());
    let others = world.waiting(&caller("human:ben", "", CHERRY));
    assert_eq!(others, [] as [String; 0], "another person");
}

#[test] // spec: MAIL-3b
fn a_new_name_in_the_settings_hides_nothing() {
    let world = World::new();
    let before = world.send(&agent(), "human", "before");
    let taken = world.send(&agent(), "human", "taken");
    world.post.take(&by_login(), &crate::world::of_box("human.root")).unwrap();
    world.disk.write_raw(SETTINGS, b"agent = \"human:ana\"\n");
    let ana = person("human:ana", IdentitySource::Config);
    let after = world.send(&agent(), "human", "after");
    assert_eq!(after.mailbox.as_str(), "human.ana");
    assert_eq!(world.send(&agent(), "ana", "bare").mailbox.as_str(), "human.ana");
    assert_eq!(world.send(&agent(), "root", "login").mailbox.as_str(), "human.ana");
    let waiting = world.waiting(&ana);
    assert!(
        ["taken", "after", "bare", "login"].iter().all(|subject| waiting.contains(&(*subject).to_owned())),
        "{waiting:?}"
    );
    // What was taken under the name of before is finished under the new one.
    world.post.mark_read(&ana, &named(&before.file)).unwrap();
    world.post.mark_read(&ana, &named(&taken.file)).unwrap();
}

#[test] // spec: MAIL-3b, MAIL-14
fn an_answer_to_a_name_of_before_reaches_the_person() {
    let world = World::new();
    let question = SendRequest {
        subject: "ship?".into(),
        needs_response: true,
        ..sending("claude", MessageKind::Question)
    };
    let asked = world.send_with(&by_login(), question);
    assert_eq!(asked.from.as_str(), "human.root");
    world.disk.write_raw(SETTINGS, b"owner = \"human:ana\"\n");
    world.clock.advance(1_000);
    let reply = ReplyRequest::new(message(asked.file.to_string()), "yes".into());
    assert_eq!(world.post.reply(&agent(), &reply).unwrap().mailbox.as_str(), "human.ana");
    // The settings name the owner; the login is the same person still.
    assert_eq!(world.waiting(&by_login()), ["Re: ship?"]);
    let listed = world.list(&agent(), MailListRequest::default());
    assert!(listed.rows.iter().all(|row| row.answered), "{:?}", subjects(&listed));
}

#[test] // spec: MAIL-4, MAIL-3b
fn no_session_and_no_tag_is_called_human_or_owner() {
    let world = World::new();
    for name in ["human", "owner", "Owner"] {
        let thief = caller("codex:maker", name, CHERRY);
        assert_eq!(
            code(world.post.send(&thief, &sending("w1", MessageKind::Task))),
            "mail.name_taken",
            "{name}"
        );
        let tagged = caller("codex:maker", &format!("w1+{name}"), CHERRY);
        assert_eq!(
            code(world.post.list_mail(&tagged, &MailListRequest::default())),
            "mail.name_taken",
            "{name}"
        );
    }
    // A login is a plain word: a session that has it keeps it.
    let session = caller("codex:maker", "root", CHERRY);
    world.waiting(&session);
    assert_eq!(world.send(&agent(), "root", "for the session").mailbox.as_str(), "root");
    assert_eq!(world.waiting(&by_login()), [] as [String; 0]);
}

#[test] // spec: MAIL-3
fn a_name_that_nobody_has_is_answered_with_the_person() {
    let world = World::new();
    for to in ["user", "me", "humman", "human.rot"] {
        let near = world.send(&agent(), to, "x").near;
        assert_eq!(near.iter().map(ToString::to_string).collect::<Vec<_>>(), ["human.root"], "{to}");
    }
}
