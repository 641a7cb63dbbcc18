//! Sending and reading.

use crate::world::{World, caller, person, refusal, sending, subjects};
use brainstem_post::inbox::{
    InboxPriority, InboxQuery, InboxSend, MessageContent, MessageVisibility, NoteRequest, NotedEntity, RefId,
    RefType, Reference, RowState,
};

use InboxPriority::{Fyi, High, Low, Normal, Urgent};

fn note(entity: NotedEntity, text: &str, notify: &[&str]) -> NoteRequest {
    NoteRequest {
        entity,
        event: None,
        note: text.to_owned(),
        notify: notify.iter().map(|name| (*name).to_owned()).collect(),
        subject: String::new(),
        priority: None,
        payload: None,
    }
}

#[test] // spec: INB-2, INB-9, INB-11
fn a_message_of_every_priority_arrives_once_the_urgent_first() {
    let world = World::new();
    let (codex, ana) = (caller("codex:maker", "one"), person("human:ana"));
    let visible: Vec<MessageVisibility> = [Low, Fyi, Normal, High, Urgent]
        .map(|priority| world.send(&codex, "human", priority.word(), priority).visible)
        .to_vec();
    assert_eq!(
        visible,
        [
            MessageVisibility::NextCycle,
            MessageVisibility::NextCycle,
            MessageVisibility::NextCycle,
            MessageVisibility::Now,
            MessageVisibility::Now
        ]
    );
    let listed = world.list(&ana, RowState::Unread);
    assert_eq!(subjects(&listed.rows), ["urgent", "high", "normal", "low", "fyi"]);
    assert_eq!((listed.counts.unread, listed.counts.urgent), (5, 1));
    assert_eq!(world.post.inbox_counts(&ana).unwrap(), listed.counts);
    assert!(listed.rows.iter().all(|row| row.row.from == "codex.maker" && row.processed.is_none()));
    assert_eq!(world.unread(&codex), [""; 0], "the sender has an inbox of its own since its first send");
}

#[test] // spec: INB-2a, IF-25
fn the_owner_goes_by_its_aliases_and_a_host_by_all_of_its_names() {
    let world = World::new();
    std::fs::create_dir_all(world.folder.path().join("home")).unwrap();
    std::fs::write(world.folder.path().join("home/config.toml"), "owner = \"human:ana\"\n").unwrap();
    let (codex, ana) = (caller("codex:maker", ""), caller("human:ana", ""));
    for name in ["human", "owner", "human.ana", "human:ana"] {
        let sent = world.send(&codex, name, name, Normal);
        assert_eq!(sent.to.unwrap().as_str(), "human.ana");
    }
    assert_eq!(world.unread(&ana).len(), 4);
    for name in ["codex", "codex-mcp-client", "codex.maker", "codex:maker"] {
        assert_eq!(world.send(&ana, name, name, Normal).to.unwrap().as_str(), "codex.maker", "{name}");
    }
    assert_eq!(world.unread(&caller("codex", "")).len(), 4);
    assert_eq!(world.send(&codex, "orchestrator", "a role", Normal).to.unwrap().as_str(), "human.ana");
}

#[test] // spec: INB-14
fn a_refusal_names_field_and_rule_and_nothing_is_half_sent() {
    let world = World::new();
    let codex = caller("codex:maker", "");
    let send = |to: &str, content: MessageContent| {
        refusal(world.post.send_inbox(&codex, &InboxSend { to: to.into(), content, key: None }))
    };
    let content = sending("x", "hello", Normal).content;
    assert_eq!(send("nobody", content.clone()), ("inbox.unknown_recipient", Some("to_agent".into())));
    assert_eq!(send("../x", content.clone()), ("inbox.unknown_recipient", Some("to_agent".into())));
    let long = MessageContent { subject: "x".repeat(501), ..content.clone() };
    assert_eq!(send("human", long), ("input.too_large", Some("subject".into())));
    let payload = Some(serde_json::Value::String("x".repeat(70_000)));
    assert_eq!(
        send("human", MessageContent { payload, ..content.clone() }),
        ("input.too_large", Some("payload".into()))
    );
    let secret = format!("{}{}", "ghp_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro");
    for (field, content) in [
        ("subject", MessageContent { subject: secret.clone(), ..content.clone() }),
        (
            "payload",
            MessageContent { payload: Some(serde_json::json!({"deep": [secret]})), ..content.clone() },
        ),
        ("context", MessageContent { context: Some(serde_json::json!({ "k": secret })), ..content }),
    ] {
        let (code, named) = send("human", content);
        assert_eq!((code.split('.').next().unwrap(), named.as_deref()), ("hygiene", Some(field)));
    }
    let unknown =
        note(NotedEntity::New { kind: RefType::Task, title: "T".into() }, "x", &["human", "nobody"]);
    assert_eq!(
        refusal(world.post.post_note(&codex, &unknown)),
        ("inbox.unknown_recipient", Some("notify".into()))
    );
    let missing = note(NotedEntity::Known("T-404".into()), "x", &[]);
    assert_eq!(
        refusal(world.post.post_note(&codex, &missing)),
        ("inbox.unknown_entity", Some("entity_id".into()))
    );
    assert_eq!(world.list(&person("human:ana"), RowState::All).rows, []);
}

#[test] // spec: LED-4
fn a_repeat_with_its_key_sends_once() {
    let world = World::new();
    let codex = caller("codex:maker", "");
    let keyed = |subject: &str| InboxSend { key: Some("k1".into()), ..sending("human", subject, Urgent) };
    let first = world.post.send_inbox(&codex, &keyed("hello")).unwrap();
    world.clock.advance(5_000);
    let again = world.post.send_inbox(&codex, &keyed("hello")).unwrap();
    assert_eq!((again.is_repeat, again.sequence, again.consensus), (true, first.sequence, first.consensus));
    assert_eq!(
        refusal(world.post.send_inbox(&codex, &keyed("other"))),
        ("inbox.key_reused", Some("key".into()))
    );
    assert_eq!(world.unread(&person("human:ana")), ["hello"]);
}

#[test] // spec: INB-5, INB-5a, INB-5b, INB-5c, INB-10
fn a_note_reaches_its_readers_at_once_and_stays_in_the_thread_of_its_entity() {
    let world = World::new();
    let (codex, ana) = (caller("codex:maker", ""), person("human:ana"));
    let id = RefId::parse("TASK-7").unwrap();
    let entity = || NotedEntity::Named { id: id.clone(), kind: RefType::Task };
    let posted = world.post.post_note(&codex, &note(entity(), "**first**\nmore", &["human"])).unwrap();
    assert!(posted.is_new);
    let urgent = NoteRequest {
        priority: Some(Urgent),
        subject: "Look".into(),
        ..note(entity(), "second", &["owner"])
    };
    assert!(!world.post.post_note(&codex, &urgent).unwrap().is_new);
    let by_topic = note(NotedEntity::Known(posted.entity.topic.to_string()), "third", &[]);
    world.post.post_note(&ana, &by_topic).unwrap();
    let blocked = NoteRequest {
        event: Some(brainstem_post::inbox::MessageType::parse("task.blocked").unwrap()),
        ..note(entity(), "no key", &[])
    };
    assert_eq!(
        world.post.post_note(&codex, &blocked).unwrap().notified.len(),
        1,
        "every role is the owner's"
    );
    let rows = world.list(&ana, RowState::Unread).rows;
    let seen: Vec<(String, u8, String)> = rows
        .iter()
        .map(|row| (row.row.content.subject.clone(), row.row.content.priority.number(), row.row.from.clone()))
        .collect();
    assert_eq!(
        seen,
        [
            ("Look".into(), 1, "codex.maker".into()),
            ("no key".into(), 1, "system".into()),
            ("**first**".into(), 3, "codex.maker".into())
        ]
    );
    let about = Reference { id: id.clone(), kind: Some(RefType::Task) };
    assert!(rows.iter().all(|row| row.row.content.reference.as_ref() == Some(&about)));
    let thread = world.post.inbox_thread(&codex, &posted.entity.topic.to_string(), 100).unwrap();
    let texts: Vec<&str> = thread.notes.iter().map(|note| note.note.note.as_str()).collect();
    assert_eq!(texts, ["**first**\nmore", "second", "third", "no key"]);
    let wrong = NotedEntity::Named { id, kind: RefType::Phase };
    assert_eq!(
        refusal(world.post.post_note(&codex, &note(wrong, "x", &[]))),
        ("input.bad_value", Some("entity_type".into()))
    );
}

#[test] // spec: INB-11
fn search_finds_what_was_received_and_sent() {
    let world = World::new();
    let (codex, ana) = (caller("codex:maker", ""), person("human:ana"));
    world.send(&codex, "human", "the Parser breaks", Normal);
    world.send(&ana, "codex", "about the parser", Normal);
    world.send(&ana, "codex", "100% other", Normal);
    let other = caller("other:agent", "");
    let search = |of, text: &str| {
        let text = Some(text.to_owned());
        let query = InboxQuery { state: RowState::All, text, ref_id: None, limit: 10 };
        world.post.list_inbox(of, &query).map(|found| subjects(&found.rows))
    };
    assert_eq!(search(&ana, "PARSER").unwrap(), ["about the parser", "the Parser breaks"]);
    assert_eq!(search(&codex, "0%").unwrap(), ["100% other"]);
    assert_eq!(search(&other, "parser").unwrap(), [""; 0]);
    assert_eq!(refusal(search(&ana, " ")), ("input.bad_value", Some("query".into())));
}

#[test] // spec: INB-8, INB-11a
fn a_look_at_a_home_without_a_ledger_makes_nothing() {
    let world = World::new();
    let ana = person("human:ana");
    assert_eq!(world.unread(&ana), [""; 0]);
    assert_eq!(world.post.inbox_counts(&ana).unwrap().unread, 0);
    assert_eq!(world.post.inbox_events(&ana, Some(0), 1).unwrap().tail, 0);
    let ahead = world.post.inbox_events(&ana, Some(1), 1);
    assert_eq!(refusal(ahead), ("inbox.cursor_ahead", Some("after".into())), "nobody gave this cursor");
    assert_eq!(std::fs::read_dir(world.folder.path()).unwrap().count(), 0);
}
