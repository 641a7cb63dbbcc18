//! The listener of a daemon.

use crate::world::{World, caller, person};
use brainstem_inbox::InboxRow;
use brainstem_post::inbox::{
    ChangedLedger, InboxListener, InboxPriority, NoteRequest, NotedEntity, RefId, RefType,
};
use brainstem_post::live::{Hub, Rounds};

use InboxPriority::{Normal, Urgent};

fn heard(rows: &[InboxRow]) -> Vec<(&str, &str)> {
    rows.iter().map(|row| (row.to.as_str(), row.content.subject.as_str())).collect()
}

#[test] // spec: INB-8, INB-8b, INB-13
fn it_names_what_arrives_once_also_at_agents_and_entities_that_were_made_since() {
    let world = World::new();
    let (codex, ana) = (caller("codex:maker", "one"), person("human:ana"));
    world.send(&codex, "human", "before", Normal);
    let mut listener = InboxListener::default();
    assert_eq!(listener.look(&world.post).unwrap(), [], "what was there is for the next reader");
    assert_eq!(world.post.inbox_health(), [], "and in the mirror");
    assert_eq!(listener.look(&world.post).unwrap(), []);
    world.send(&codex, "human", "normal", Normal);
    world.send(&codex, "human", "urgent", Urgent);
    assert_eq!(heard(&listener.look(&world.post).unwrap()), [("human", "urgent"), ("human", "normal")]);
    assert_eq!(listener.look(&world.post).unwrap(), []);
    // An agent, and an entity, that did not exist before.
    world.send(&ana, "claude", "hello", Normal);
    assert_eq!(heard(&listener.look(&world.post).unwrap()), [("claude.maker", "hello")]);
    let note = NoteRequest {
        entity: NotedEntity::Named { id: RefId::parse("T-1").unwrap(), kind: RefType::Task },
        event: None,
        note: "Begun.".to_owned(),
        notify: vec!["claude".to_owned()],
        subject: String::new(),
        priority: None,
        payload: None,
    };
    world.post.post_note(&codex, &note).unwrap();
    assert_eq!(heard(&listener.look(&world.post).unwrap()), [("claude.maker", "Begun.")]);
    // A mirror that is made anew has no news.
    world.clock.advance(1);
    world.post.rebuild_inbox(ChangedLedger::Refuse).unwrap();
    assert_eq!(listener.look(&world.post).unwrap(), []);
    world.send(&ana, "codex", "after", Normal);
    assert_eq!(heard(&listener.look(&world.post).unwrap()), [("codex.maker", "after")]);
}

#[test] // spec: INB-8, INB-13
fn it_waits_for_a_ledger_that_is_made_later_and_makes_none() {
    let world = World::new();
    let mut listener = InboxListener::default();
    assert_eq!(listener.look(&world.post).unwrap(), []);
    assert!(!world.folder.path().join("home").exists());
    world.send(&caller("codex:maker", "one"), "human", "first", Normal);
    assert_eq!(heard(&listener.look(&world.post).unwrap()), [("human", "first")]);
}

#[test] // spec: INB-8
fn a_ledger_that_cannot_be_read_is_named_once() {
    let world = World::new();
    world.send(&caller("codex:maker", "one"), "human", "first", Normal);
    world.post.close_idle_files(std::time::Duration::ZERO);
    let file = world.folder.path().join("home/ledger/ledger.sqlite");
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, b"no database at all".repeat(100)).unwrap();
    let (mut rounds, hub) = (Rounds::default(), Hub::new(world.post.clock().now()));
    assert!(rounds.listen(&world.post, &hub).is_err());
    assert_eq!(rounds.listen(&world.post, &hub).unwrap(), []);
    std::fs::write(&file, bytes).unwrap();
    assert_eq!(rounds.listen(&world.post, &hub).unwrap(), []);
}
