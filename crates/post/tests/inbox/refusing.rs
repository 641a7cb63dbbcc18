//! What is refused makes nothing, and what is about an entity is found by its id and by its topic.

use crate::world::{World, caller, person, refusal, sending, subjects};
use brainstem_post::inbox::{
    InboxPriority, InboxQuery, InboxSend, MessageContent, MessageType, NoteRequest, NotedEntity, RefId,
    RefType, Reference, RowState,
};
use serde_json::json;

fn note(entity: NotedEntity) -> NoteRequest {
    NoteRequest {
        entity,
        event: None,
        note: "Begun.".to_owned(),
        notify: Vec::new(),
        subject: String::new(),
        priority: None,
        payload: None,
    }
}

fn task(id: &str) -> NotedEntity {
    NotedEntity::Named { id: RefId::parse(id).unwrap(), kind: RefType::Task }
}

#[test] // spec: INB-14, INB-5
fn a_note_that_is_refused_makes_no_entity() {
    let world = World::new();
    let codex = caller("codex:maker", "");
    for (field, bad) in [
        ("note", NoteRequest { note: "x".repeat(70_000), ..note(task("T-1")) }),
        ("subject", NoteRequest { subject: "x".repeat(501), ..note(task("T-1")) }),
        ("payload", NoteRequest { payload: Some(json!("x".repeat(70_000))), ..note(task("T-1")) }),
        ("notify", NoteRequest { notify: vec!["human".to_owned(); 65], ..note(task("T-1")) }),
    ] {
        assert_eq!(refusal(world.post.post_note(&codex, &bad)), ("input.too_large", Some(field.into())));
        let known = note(NotedEntity::Known("T-1".to_owned()));
        assert_eq!(refusal(world.post.post_note(&codex, &known)).0, "inbox.unknown_entity", "{field}");
    }
    let keyed = |key: String| InboxSend { key: Some(key), ..sending("human", "x", InboxPriority::Normal) };
    for key in [" ".to_owned(), "k".repeat(129), "a\nb".to_owned()] {
        assert_eq!(
            refusal(world.post.send_inbox(&codex, &keyed(key))),
            ("input.bad_value", Some("key".into()))
        );
    }
    assert!(world.post.inbox_definition(&codex).unwrap().is_none(), "the sender was not made for it");
}

#[test] // spec: INB-10, INB-12
fn the_reply_to_an_event_goes_to_its_author() {
    let world = World::new();
    let (codex, ana) = (caller("codex:maker", ""), person("human:ana"));
    let event = MessageType::parse("task.blocked").ok();
    world.post.post_note(&codex, &NoteRequest { event, ..note(task("T-1")) }).unwrap();
    let row = world.list(&ana, RowState::Unread).rows.remove(0).row;
    assert_eq!(row.from, "system");
    let content = sending("x", "Take this key.", InboxPriority::Normal).content;
    let sent = world.post.reply_inbox(&ana, &row, content).unwrap();
    assert_eq!(sent.to.unwrap().as_str(), "codex.maker");
    assert_eq!(world.unread(&codex), ["Take this key."]);
}

#[test] // spec: INB-5a
fn a_listing_takes_an_entity_by_its_id_and_by_its_topic() {
    let world = World::new();
    let (codex, ana) = (caller("codex:maker", ""), person("human:ana"));
    let entity = world.post.post_note(&codex, &note(task("T-7"))).unwrap().entity;
    for about in ["T-7".to_owned(), entity.topic.to_string()] {
        let reference = Some(Reference { id: RefId::parse(&about).unwrap(), kind: None });
        let content = MessageContent { reference, ..sending("x", &about, InboxPriority::Normal).content };
        world.post.send_inbox(&codex, &InboxSend { to: "human".into(), content, key: None }).unwrap();
        world.clock.advance(1_000);
    }
    for about in ["T-7".to_owned(), entity.topic.to_string()] {
        let ref_id = Some(about.clone());
        let query = InboxQuery { state: RowState::Unread, text: None, ref_id, limit: 10 };
        let found = world.post.list_inbox(&ana, &query).unwrap().rows;
        assert_eq!(subjects(&found), ["T-7".to_owned(), entity.topic.to_string()], "{about}");
    }
}
