//! What a stranger's trial of the inbox found: who is reached, what belongs to which project, what is never taken as it is.

use crate::world::{World, caller, person, refusal, sending};
use brainstem_base::AgentId;
use brainstem_ledger::{Ledger as _, Sequence};
use brainstem_memory::identity::IdentitySource;
use brainstem_memory::{BootstrapRequest, Caller, RootHints};
use brainstem_post::inbox::{
    FetchRequest, InboxPriority, InboxQuery, MessageContent, MessageType, NoteRequest, NotedEntity, RefId,
    RefType, Reference, RowState,
};
use serde_json::json;
use std::path::PathBuf;

use InboxPriority::Urgent;

/// A project with a brain, in the folder of the world.
fn project(world: &World, name: &str) -> PathBuf {
    let root = world.folder.path().join(name);
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let maker = in_project(&caller("codex:maker", ""), &root);
    world.post.memory().bootstrap(&maker, &BootstrapRequest::default()).unwrap();
    root
}

fn in_project(caller: &Caller, root: &std::path::Path) -> Caller {
    let hints = RootHints { explicit: Some(root.to_owned()), ..caller.hints().clone() };
    caller.at(hints, None)
}

fn task(id: &str) -> NotedEntity {
    NotedEntity::Named { id: RefId::parse(id).unwrap(), kind: RefType::Task }
}

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

#[test] // spec: INB-5, INB-5a
fn a_task_of_one_project_is_not_the_task_of_the_same_id_of_another() {
    let world = World::new();
    let (acme, globex) = (project(&world, "acme"), project(&world, "globex"));
    let codex = in_project(&caller("codex:maker", ""), &acme);
    let claude = in_project(&caller("claude:maker", ""), &globex);
    let gemini = in_project(&caller("gemini:maker", ""), &globex);
    world.post.post_note(&codex, &note(task("TASK-7"), "the margin is 41 %", &[])).unwrap();
    let posted = world.post.post_note(&claude, &note(task("TASK-7"), "fix the logo", &["gemini"])).unwrap();
    assert!(posted.is_new, "it is the first note on globex's own TASK-7");
    assert_eq!(posted.entity.id.short(), "TASK-7");
    let rows = world.list(&gemini, RowState::Unread).rows;
    let reference = rows[0].row.content.reference.clone().unwrap();
    let thread = world.post.inbox_thread(&gemini, reference.id.as_str(), 20).unwrap();
    let said: Vec<&str> = thread.notes.iter().map(|note| note.note.note.as_str()).collect();
    assert_eq!(said, ["fix the logo"]);
    // A message that refers to the id means the task of its sender's project, for every reader.
    let about = |id: &str| Some(Reference { id: RefId::parse(id).unwrap(), kind: None });
    let mut send = sending("codex", "a question", Urgent);
    send.content.reference = about("TASK-7");
    world.post.send_inbox(&claude, &send).unwrap();
    let asked = world.list(&codex, RowState::Unread).rows.remove(0).row;
    assert_eq!(asked.content.reference, Some(reference.clone()));
    // The reply from acme is about globex's task still.
    let answer = MessageContent::plain("the reply");
    world.post.reply_inbox(&codex, &asked, answer).unwrap();
    let query = InboxQuery { state: RowState::All, text: None, ref_id: Some("TASK-7".into()), limit: 10 };
    assert_eq!(
        world.post.list_inbox(&claude, &query).unwrap().rows.len(),
        3,
        "its note, its question, the reply"
    );
    // The topic of an entity means it everywhere.
    let topic = NotedEntity::Known(posted.entity.topic.to_string());
    let beside = world.post.post_note(&codex, &note(topic, "from acme, by its topic", &[])).unwrap();
    assert_eq!(beside.entity, posted.entity);
    assert_eq!(
        refusal(world.post.post_note(&codex, &note(NotedEntity::Known("TASK-8".into()), "x", &[]))).0,
        "inbox.unknown_entity"
    );
}

#[test] // spec: INB-2, INB-2a
fn the_person_at_the_terminal_is_the_owner_under_every_name_that_settings_give_it() {
    let world = World::new();
    world.send(&caller("codex:maker", ""), "human", "which port?", Urgent);
    for source in [IdentitySource::Login, IdentitySource::Config, IdentitySource::Environment] {
        let mut ana = person("human:ana");
        ana.principal.source = source;
        assert_eq!(world.unread(&ana), ["which port?"], "{source:?}");
        assert_eq!(world.post.own_inbox(&ana).unwrap().slug.as_str(), "human");
    }
    assert_eq!(world.unread(&caller("codex:reviewer", "")), [""; 0]);
}

#[test] // spec: INB-10, INB-11
fn an_event_is_answered_to_the_agent_that_raised_it() {
    let world = World::new();
    let (codex, ana) = (caller("codex:maker", ""), person("human:ana"));
    let blocked = NoteRequest {
        event: Some(MessageType::parse("task.blocked").unwrap()),
        ..note(task("T-1"), "no key", &[])
    };
    world.post.post_note(&codex, &blocked).unwrap();
    let event = world.list(&ana, RowState::Unread).rows.remove(0).row;
    assert_eq!(event.from, "system");
    let sent = world.post.reply_inbox(&ana, &event, MessageContent::plain("here it is")).unwrap();
    assert_eq!(sent.to.unwrap().as_str(), "codex.maker");
}

#[test] // spec: INB-10
fn a_message_to_all_names_its_readers_and_reaches_agents_whose_session_is_on_record() {
    let world = World::new();
    let ana = person("human:ana");
    let alone = world.send(&ana, "ALL", "alone", Urgent);
    assert_eq!(alone.readers.iter().map(ToString::to_string).collect::<Vec<_>>(), ["human"]);
    let root = project(&world, "acme");
    let codex = in_project(&caller("codex:maker", "worker"), &root);
    world.post.register_session(&codex, None, None).unwrap();
    let sent = world.send(&ana, "ALL", "do not push", Urgent);
    let readers: Vec<String> = sent.readers.iter().map(ToString::to_string).collect();
    assert_eq!(readers, ["codex.maker", "human"]);
    assert_eq!(world.unread(&codex), ["do not push"]);
}

#[test] // spec: LED-5, MEM-14
fn a_secret_in_the_reason_of_a_redaction_is_refused() {
    let world = World::new();
    let sent = world.send(&caller("codex:maker", ""), "human", "x", Urgent);
    let reason = format!("leaked the token ghp_{}", "q7Rk2Vw9Xz4Lm8Np1Ts6Yb3Hd5Jf0Gc2Aeuo");
    let refused = world.post.redact_in_ledger(sent.topic, &[sent.sequence], &reason, true);
    assert_eq!(refusal(refused), ("hygiene.secret", Some("reason".into())));
    world.post.redact_in_ledger(sent.topic, &[sent.sequence], "leaked a token", true).unwrap();
}

#[test] // spec: LED-6
fn a_ledger_whose_file_is_gone_is_never_read_as_an_empty_one() {
    for folder_too in [false, true] {
        let world = World::new();
        let (codex, ana) = (caller("codex:maker", ""), person("human:ana"));
        world.send(&codex, "human", "kept", Urgent);
        world.unread(&ana);
        let ledger = world.folder.path().join("home/ledger");
        for name in ["ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm"] {
            let _ = std::fs::remove_file(ledger.join(name));
        }
        if folder_too {
            std::fs::remove_dir_all(&ledger).unwrap();
        }
        let query = InboxQuery { state: RowState::All, text: None, ref_id: None, limit: 10 };
        let look = world.post.list_inbox(&ana, &query);
        assert_eq!(refusal(look).0, "inbox.unavailable", "folder gone: {folder_too}");
        let send = world.post.send_inbox(&codex, &sending("human", "more", Urgent));
        assert_eq!(refusal(send).0, "inbox.unavailable");
        assert_eq!(refusal(world.post.ledger_topics(None, 10)).0, "ledger.damaged");
        assert_eq!(world.post.ledger_health().len(), 1);
    }
}

#[test] // spec: LED-4a
fn nothing_is_sent_to_a_topic_that_ends_before_what_its_reader_saw() {
    let world = World::new();
    let (codex, ana) = (caller("codex:maker", ""), person("human:ana"));
    let ledger = world.folder.path().join("home/ledger/ledger.sqlite");
    world.send(&codex, "human", "first", Urgent);
    let earlier = world.folder.path().join("earlier.sqlite");
    world.post.ledger().back_up_to(&earlier).unwrap();
    world.send(&codex, "human", "second", Urgent);
    world.unread(&ana);
    for name in ["ledger.sqlite-wal", "ledger.sqlite-shm"] {
        let _ = std::fs::remove_file(ledger.with_file_name(name));
    }
    std::fs::rename(&earlier, &ledger).unwrap();
    let send = world.post.send_inbox(&codex, &sending("human", "third", Urgent));
    assert_eq!(refusal(send).0, "inbox.ledger_changed");
    let human = world.post.ledger().topics(None, 100).unwrap();
    let ends = human.iter().map(|topic| world.post.ledger().head(topic.id).unwrap().sequence);
    assert!(ends.max().flatten() < Sequence::new(10), "nothing was appended to the older copy");
}

#[test] // spec: INB-11
fn a_search_finds_what_json_writes_otherwise() {
    let world = World::new();
    let (codex, ana) = (caller("codex:maker", ""), person("human:ana"));
    let text = "it failed with \"no such host\"\nin C:\\temp\\x";
    let mut send = sending("human", "an error", Urgent);
    send.content.payload = Some(json!(text));
    world.post.send_inbox(&codex, &send).unwrap();
    for piece in ["\"no such host\"", "C:\\temp\\x", "host\"\nin", "no such"] {
        let query = InboxQuery { state: RowState::All, text: Some(piece.into()), ref_id: None, limit: 10 };
        assert_eq!(world.post.list_inbox(&ana, &query).unwrap().rows.len(), 1, "{piece:?}");
    }
}

#[test] // spec: INB-11
fn a_lease_that_was_taken_under_a_wrong_clock_holds_nothing() {
    let world = World::new();
    let (first, second) = (caller("codex:maker", "one"), caller("codex:maker", "two"));
    world.send(&person("human:ana"), "codex", "work", Urgent);
    let fetch = FetchRequest { limit: 1, lease_s: None };
    let days = 400 * 86_400_000;
    world.clock.advance(days);
    assert_eq!(world.post.fetch_inbox(&first, &fetch).unwrap().rows.len(), 1);
    world.clock.advance(-days);
    assert_eq!(world.post.fetch_inbox(&second, &fetch).unwrap().rows.len(), 1);
}

#[test] // spec: INB-3
fn a_person_that_is_named_gets_topics_as_a_person() {
    let world = World::new();
    let ana = [AgentId::parse("human:ana").unwrap()];
    let made = world.post.make_agent_topics(&caller("codex:maker", ""), &ana).unwrap();
    let ana = made.iter().find(|agent| agent.definition.slug.as_str() == "human.ana").unwrap();
    assert_eq!(ana.definition.kind.as_str(), "person");
    assert!(ana.definition.profile.ai_agent.is_none());
    let spelled = [AgentId::parse("human.ana").unwrap()];
    let again = world.post.make_agent_topics(&caller("codex:maker", ""), &spelled).unwrap();
    assert!(again.iter().any(|agent| agent.definition == ana.definition), "it stays a person");
}
