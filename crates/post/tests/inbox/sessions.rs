//! The id of a session, which acknowledgements name.

use crate::world::{World, caller, person, session_id};
use brainstem_inbox::Acknowledgement;
use brainstem_ledger::{Append, AppendKey, Ledger as _};
use brainstem_post::inbox::{FetchRequest, InboxPriority, RowState};
use brainstem_post::mail::SessionReach;
use std::fs;
use std::path::PathBuf;

use InboxPriority::Normal;

/// The records of all sessions.
fn records(world: &World) -> Vec<PathBuf> {
    let register = world.folder.path().join("home/local/sessions-register");
    let roots = fs::read_dir(register).unwrap().map(|entry| entry.unwrap().path());
    let files = roots.flat_map(|root| fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()));
    files.filter(|path| path.extension().is_some_and(|end| end == "json")).collect()
}

#[test] // spec: INB-7a
fn a_message_is_processed_by_the_id_of_the_session_and_not_by_its_name() {
    let world = World::new();
    let (one, ana) = (caller("codex:maker", "one"), person("human:ana"));
    for subject in ["first", "second"] {
        world.send(&ana, "codex", subject, Normal);
    }
    let fetched = world.post.fetch_inbox(&one, &FetchRequest { limit: 2, lease_s: None }).unwrap().rows;
    let id = session_id(&world, &one);
    assert_eq!(id.as_bytes()[14], b'7', "a UUID of version 7: {id}");
    let done = world.post.finish_inbox(&one, &[fetched[0].row.id]).unwrap();
    assert_eq!(done[0].row.processed.as_ref().unwrap().session, id);
    // An hour later the session is still the same.
    world.clock.advance(3_600_000);
    let done = world.post.finish_inbox(&one, &[fetched[1].row.id]).unwrap();
    assert_eq!(done[0].row.processed.as_ref().unwrap().session, id);
    // Another session of the agent, and another agent under the name of a session that is gone, have ids of their own.
    let two = caller("codex:maker", "two");
    world.post.fetch_inbox(&two, &FetchRequest { limit: 1, lease_s: None }).unwrap();
    assert_ne!(session_id(&world, &two), id);
    world.clock.advance(31 * 60_000);
    let claude = caller("claude:maker", "one");
    world.post.fetch_inbox(&claude, &FetchRequest { limit: 1, lease_s: None }).unwrap();
    assert_ne!(session_id(&world, &claude), id);
}

#[test] // spec: INB-7a
fn a_record_of_an_earlier_program_gets_an_id_at_the_next_call_and_keeps_it() {
    let world = World::new();
    let (one, ana) = (caller("codex:maker", "one"), person("human:ana"));
    world.send(&ana, "codex", "first", Normal);
    let fetch = FetchRequest { limit: 1, lease_s: None };
    world.post.fetch_inbox(&one, &fetch).unwrap();
    let [record] = &records(&world)[..] else { panic!("one session was here") };
    let mut old: serde_json::Value = serde_json::from_slice(&fs::read(record).unwrap()).unwrap();
    assert!(old.as_object_mut().unwrap().remove("id").is_some());
    fs::write(record, old.to_string()).unwrap();
    assert!(world.post.sessions_of(&one, SessionReach::Everywhere)[0].record.id.is_none());
    world.post.fetch_inbox(&one, &fetch).unwrap();
    let id = session_id(&world, &one);
    world.post.fetch_inbox(&one, &fetch).unwrap();
    assert_eq!(session_id(&world, &one), id);
}

#[test] // spec: INB-7a, INB-8
fn an_acknowledgement_with_a_name_is_read_as_it_is_also_by_a_rebuild() {
    let world = World::new();
    let (codex, ana) = (caller("codex:maker", "one"), person("human:ana"));
    world.send(&ana, "codex", "first", Normal);
    let row = world.list(&codex, RowState::All).rows.remove(0).row;
    let agents = world.post.make_agent_topics(&codex, &[]).unwrap();
    let agent = agents.into_iter().map(|made| made.definition).find(|agent| agent.slug == row.to).unwrap();
    // As an earlier program wrote it.
    let ack = Acknowledgement { topic: row.topic, sequence: row.sequence, session: "worker-7".to_owned() };
    let append = Append {
        topic: agent.acks,
        submitter: agent.account,
        key: AppendKey::parse(&format!("processed:{}", row.id)).ok(),
        bytes: ack.to_bytes(),
    };
    world.post.ledger().append(&append).unwrap();
    let before = world.list(&codex, RowState::All);
    assert_eq!(before.rows[0].processed.as_ref().unwrap().session, "worker-7");
    world.drop_mirror();
    assert_eq!(world.list(&codex, RowState::All), before);
}

#[test] // spec: INB-11
fn a_caller_without_a_session_name_does_not_get_what_an_earlier_fetch_took() {
    let world = World::new();
    let (unnamed, ana) = (caller("codex:maker", ""), person("human:ana"));
    for subject in ["first", "second", "third"] {
        world.send(&ana, "codex", subject, Normal);
    }
    let next = |of| world.post.fetch_inbox(of, &FetchRequest { limit: 1, lease_s: Some(60) }).unwrap();
    let [first, second] = [next(&unnamed), next(&unnamed)].map(|taken| taken.rows[0].row.clone());
    assert_eq!((first.content.subject.as_str(), second.content.subject.as_str()), ("first", "second"));
    let named = caller("codex:maker", "one");
    assert_eq!(next(&named).rows, next(&named).rows, "a session with a name gets again what it holds");
    assert_eq!((next(&unnamed).rows.len(), next(&unnamed).held_by_others), (0, 3));
    assert!(!world.post.finish_inbox(&unnamed, &[first.id]).unwrap()[0].unchanged);
    world.clock.advance(61_000);
    assert_eq!(next(&unnamed).rows[0].row.id, second.id, "its lease is over");
}
