//! What the rows of agents, states, logs and reports keep and refuse.

#![allow(clippy::disallowed_methods, reason = "SQLite needs real files")]

use crate::sample::{agent, agent_id, append, at, host, report, snapshot, stamp, stored, wake};
use crate::{AgentStore, AgentStoreError, WriteAuthority};
use brainstem_agents::compaction::{CompactionBounds, plan_compaction};
use brainstem_agents::log::LogView;
use brainstem_agents::vocabulary::{AgentLifecycle, LinkRelation, ReportScope};
use brainstem_agents::{AgentMessage, StateSnapshot};
use brainstem_base::disk::RealDisk;
use std::path::Path;
use std::sync::Arc;

const PROGRAM: WriteAuthority = WriteAuthority::Program;

fn open(folder: &Path) -> AgentStore {
    AgentStore::in_folder(folder, Arc::new(RealDisk))
}

fn with_coach(folder: &Path) -> AgentStore {
    let store = open(folder);
    let first = snapshot("a", 1, AgentLifecycle::Active);
    store.write(|all| all.create_agent(&agent("coach"), &first)).expect("created");
    store
}

#[test]
fn a_look_at_agents_that_are_not_there_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(open(folder.path()).read(|all| all.agents(None, 9)).expect("looked"), None);
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[test] // spec: A-64
fn a_write_that_read_an_older_revision_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_coach(folder.path());
    let read =
        |store: &AgentStore| store.read(|all| all.agent(&agent_id("coach"))).unwrap().unwrap().unwrap();
    assert_eq!(read(&store), stored("coach"));
    let mut changed = agent("coach");
    changed.display_name = "Coach".to_owned();
    assert_eq!(store.write(|all| all.update_agent(&changed, 1, PROGRAM)).unwrap(), 2);
    let stale = store.write(|all| all.update_agent(&agent("coach"), 1, PROGRAM));
    assert!(matches!(stale, Err(AgentStoreError::StaleRevision { expected: 1, found: 2, .. })), "{stale:?}");
    // Another process sees what was written.
    assert_eq!(read(&open(folder.path())).agent, changed);
}

#[test]
fn a_record_that_breaks_a_rule_is_refused_and_nothing_of_its_transaction_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_coach(folder.path());
    let mut nameless = agent("second");
    nameless.display_name = String::new();
    let refused = store.write(|all| {
        all.add_report(&report("coach", 1), PROGRAM)?;
        all.create_agent(&nameless, &snapshot("a", 1, AgentLifecycle::Active))
    });
    assert!(matches!(refused, Err(AgentStoreError::Entity(_))), "{refused:?}");
    let kept = store.read(|all| all.head_report(&agent_id("coach"), ReportScope::Current)).unwrap();
    assert_eq!(kept, Some(None));
    let again =
        store.write(|all| all.create_agent(&agent("coach"), &snapshot("b", 1, AgentLifecycle::Active)));
    assert!(matches!(again, Err(AgentStoreError::NameTaken(_))), "{again:?}");
}

#[test]
fn a_message_says_at_length_what_its_payload_says_and_an_orphan_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_coach(folder.path());
    let first = append("coach", 1, None);
    let second = append("coach", 2, Some(&first.head));
    store.write(|all| all.append(&first, PROGRAM).and_then(|()| all.append(&second, PROGRAM))).unwrap();
    let read = store.read(|all| {
        let message = all.message(&second.message.id)?.expect("it is there");
        let payload = all.payload(message.payload.as_ref().expect("it has one"))?;
        Ok((message, payload))
    });
    assert_eq!(read.unwrap(), Some((second.message.clone(), second.payload.clone())));

    let mut orphan = append("coach", 3, Some(&second.head));
    orphan.payload = None;
    let refused = store.write(|all| all.append(&orphan, PROGRAM));
    assert!(matches!(refused, Err(AgentStoreError::OrphanPayload(_))), "{refused:?}");
    // A payload of another agent is none of this one.
    store.write(|all| all.create_agent(&agent("other"), &snapshot("a", 1, AgentLifecycle::Active))).unwrap();
    let mut foreign = append("other", 4, None);
    foreign.message.payload = Some(first.payload.as_ref().expect("it has one").id.clone());
    foreign.payload = None;
    let refused = store.write(|all| all.append(&foreign, PROGRAM));
    assert!(matches!(refused, Err(AgentStoreError::OrphanPayload(_))), "{refused:?}");
}

#[test]
fn an_append_is_there_once_however_often_it_comes_and_is_never_rewritten() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_coach(folder.path());
    let first = append("coach", 1, None);
    let second = append("coach", 2, Some(&first.head));
    for records in [&first, &second, &first, &second] {
        store.write(|all| all.append(records, PROGRAM)).unwrap();
    }
    let coach = agent_id("coach");
    let read = store.read(|all| {
        let heads = all.links_from(LinkRelation::AgentHead, "coach", 9)?;
        Ok((all.recent_messages(&coach, 9)?, heads, all.links_to(LinkRelation::MessagePrev, "m1", 9)?))
    });
    let (messages, heads, prev) = read.unwrap().unwrap();
    assert_eq!(messages, [second.message.clone(), first.message.clone()]);
    assert_eq!(heads.iter().map(|link| link.to_id.as_str()).collect::<Vec<_>>(), ["m2"]);
    assert_eq!(prev.len(), 1);
    let mut rewritten = second;
    rewritten.payload.as_mut().expect("it has one").content = crate::sample::json_of("another");
    let refused = store.write(|all| all.append(&rewritten, PROGRAM));
    assert!(matches!(refused, Err(AgentStoreError::Rewritten(_))), "{refused:?}");
}

#[test]
fn a_summary_is_stored_with_its_span_and_the_messages_stay() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_coach(folder.path());
    let mut head = None;
    for number in 1..=6 {
        let records = append("coach", number, head.as_ref());
        store.write(|all| all.append(&records, PROGRAM)).unwrap();
        head = Some(records.head);
    }
    let coach = agent_id("coach");
    let messages = |store: &AgentStore| store.read(|all| all.recent_messages(&coach, 99)).unwrap().unwrap();
    let before = messages(&store);
    let thread = before[0].thread.clone();
    let bounds = CompactionBounds { raw_count_max: 4, raw_tokens_max: 99, summary_tokens_max: 50 };
    let text_of = |message: &AgentMessage| message.id.to_string();
    let planned = plan_compaction(&LogView::of(&before), &thread, bounds, stamp("a", 7), text_of)
        .unwrap()
        .expect("due");
    for _ in 0..2 {
        store.write(|all| all.add_summary(&planned, PROGRAM)).unwrap();
    }
    let after = messages(&store);
    assert_eq!(after.len(), before.len() + 1);
    assert!(before.iter().all(|message| after.contains(message)));
    let log = LogView::of(&after);
    assert_eq!(log.uncovered(&thread).len(), 2);
    assert_eq!(log.latest_summary(), Some(planned.latest_summary));
    let starts = store.read(|all| all.links_from(LinkRelation::SummaryStart, planned.message.id.as_str(), 9));
    assert_eq!(starts.unwrap().unwrap()[0].to_id, "m1");
}

#[test]
fn the_rows_of_a_state_are_the_snapshots_that_hold() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_coach(folder.path());
    let coach = agent_id("coach");
    let merge = |snapshot: &StateSnapshot| store.write(|all| all.merge_snapshot(&coach, snapshot, PROGRAM));
    let mut sleeping = snapshot("b", 1, AgentLifecycle::Dormant);
    sleeping.state.sleep_until = Some(at(100));
    sleeping.state.recent_head = Some(append("coach", 1, None).head);
    sleeping.state.processed.settle(&host("x"), 7);
    sleeping.state.slots.primary_goal.set(Some("lift".to_owned()), &host("b"));
    sleeping.state.failures = sleeping.state.failures.after_failure();
    merge(&sleeping).unwrap();
    let read = || store.read(|all| all.replica(&coach)).unwrap().unwrap().unwrap();
    assert_eq!(read().snapshots().count(), 2);
    let resolved = read().resolve(&|_, _| false);
    assert_eq!(resolved.lifecycle, AgentLifecycle::Dormant);
    assert_eq!(resolved.state, sleeping.state);
    // What this device writes next replaces both, and an old snapshot that comes again changes nothing.
    let mut replica = read();
    let written =
        replica.write(&host("a"), at(5), &|_, _| false, |now| now.state.sleep_until = None).unwrap();
    merge(&written).unwrap();
    merge(&sleeping).unwrap();
    assert_eq!(read(), replica);
    assert_eq!(read().snapshots().collect::<Vec<_>>(), [&written]);
}

#[test] // spec: T-56
fn nothing_is_queued_or_written_for_an_agent_that_was_destroyed() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_coach(folder.path());
    let coach = agent_id("coach");
    let records = append("coach", 1, None);
    let claimed = store.write(|all| {
        all.append(&records, PROGRAM)?;
        all.enqueue(&wake("coach", 1), at(0))?;
        all.enqueue(&wake("coach", 2), at(0))?;
        all.claim(&coach, "p", at(0), at(9), |ready| vec![ready[0].request.run_key])
    });
    let generation = claimed.unwrap().expect("claimed").generation;
    let end = snapshot("a", 2, AgentLifecycle::Destroyed);
    for _ in 0..2 {
        store.write(|all| all.destroy_agent(&coach, &end, at(3))).unwrap();
    }
    let gone = |done: Result<(), AgentStoreError>| {
        assert!(matches!(&done, Err(AgentStoreError::Destroyed(agent)) if *agent == coach), "{done:?}");
    };
    let run = WriteAuthority::Run { generation };
    for by in [run, PROGRAM] {
        gone(store.write(|all| all.append(&append("coach", 2, Some(&records.head)), by)));
        gone(store.write(|all| all.add_report(&report("coach", 1), by)));
        gone(store.write(|all| all.merge_snapshot(&coach, &snapshot("a", 9, AgentLifecycle::Active), by)));
        gone(store.write(|all| all.update_agent(&agent("coach"), 2, by).map(drop)));
    }
    gone(store.write(|all| all.enqueue(&wake("coach", 3), at(4)).map(drop)));
    gone(store.write(|all| all.claim(&coach, "q", at(4), at(9), |_| Vec::new()).map(drop)));
    // Its history stays; its wakes have an end.
    let read = store.read(|all| {
        let statuses =
            all.runs_of(&coach, 9)?.into_iter().map(|run| run.status.to_string()).collect::<Vec<_>>();
        Ok((all.recent_messages(&coach, 9)?.len(), all.queue(&coach)?.len(), statuses))
    });
    let (messages, queued, mut statuses) = read.unwrap().unwrap();
    statuses.sort();
    assert_eq!((messages, queued), (1, 0));
    assert_eq!(statuses, ["canceled", "skipped_destroyed"]);
    let again =
        store.write(|all| all.create_agent(&agent("coach"), &snapshot("a", 1, AgentLifecycle::Active)));
    assert!(matches!(again, Err(AgentStoreError::NameTaken(_))), "{again:?}");
}

#[test]
fn a_store_that_was_deleted_is_empty_again_and_nothing_beside_it_is_touched() {
    let folder = tempfile::tempdir().unwrap();
    let beside = folder.path().join("acts.jsonl");
    let store = {
        let agents = folder.path().join("agents");
        std::fs::write(&beside, "kept").expect("written");
        let store = with_coach(&agents);
        std::fs::remove_dir_all(&agents).expect("removed");
        store
    };
    // The same process goes on without a restart, and so does a new one.
    assert_eq!(store.read(|all| all.agents(None, 9)).expect("looked"), None);
    store.write(|all| all.create_agent(&agent("second"), &snapshot("a", 1, AgentLifecycle::Active))).unwrap();
    let names = open(&folder.path().join("agents")).read(|all| all.agents(None, 9)).unwrap().unwrap();
    assert_eq!(names, [stored("second")]);
    assert_eq!(std::fs::read_to_string(&beside).expect("readable"), "kept");
}
