//! What the rows of subscriptions and timers keep and refuse.

use crate::sample::{agent, agent_id, at, snapshot, subscription, timer, token, wake};
use crate::{AgentStore, AgentStoreError, EnqueueOutcome, WriteAuthority};
use brainstem_agents::trigger::SelectorToken;
use brainstem_agents::vocabulary::AgentLifecycle;
use brainstem_agents::{AgentSubscription, AgentTimer};
use brainstem_base::disk::RealDisk;
use std::path::Path;
use std::sync::Arc;

const PROGRAM: WriteAuthority = WriteAuthority::Program;

fn with_agents(folder: &Path) -> AgentStore {
    let store = AgentStore::in_folder(folder, Arc::new(RealDisk));
    let first = snapshot("a", 1, AgentLifecycle::Active);
    let made = |name: &&str| store.write(|all| all.create_agent(&agent(name), &first));
    ["coach", "other"].iter().try_for_each(made).expect("made");
    store
}

/// The subscriptions that wait for a token, joined.
fn waiting(store: &AgentStore, token: &SelectorToken) -> String {
    let found = store.read(|all| all.subscriptions_waiting_for(token)).unwrap().unwrap();
    found.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(" ")
}

#[test] // spec: B-45, T-09
fn the_tokens_of_every_class_are_found_as_long_as_their_subscription_wakes() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_agents(folder.path());
    let given = subscription("coach", "s1");
    let put = |given: &AgentSubscription| store.write(|all| all.put_subscription(given, PROGRAM)).unwrap();
    put(&given);
    put(&subscription("other", "s2"));
    let read = store.read(|all| all.subscription(&given.id)).unwrap().unwrap();
    assert_eq!(read, Some(given.clone()));
    let check = |expected: &str| {
        for token in &given.selectors {
            assert_eq!(waiting(&store, token), expected, "{token:?}");
        }
    };
    check("s1 s2");
    // A namespace, a class and a value of its own is another token.
    for other in [
        token("subtypeToken", Some("sleepType"), "running"),
        token("semanticKey", None, "running"),
        token("entityId", None, "TASK"),
    ] {
        assert_eq!(waiting(&store, &other), "");
    }
    // Switched off, on, changed, taken back.
    let mut changed = given.clone();
    changed.standing = given.standing.switched(false, at(2));
    put(&changed);
    check("s2");
    let of = |name: &str| {
        let found = store.read(|all| all.active_subscriptions_of(&agent_id(name))).unwrap().unwrap();
        found.len()
    };
    assert_eq!((of("coach"), of("other")), (0, 1));
    changed.standing = given.standing.switched(true, at(3));
    changed.selectors.pop_first();
    put(&changed);
    assert_eq!(waiting(&store, given.selectors.first().expect("three")), "s2");
    changed.standing = changed.standing.taken_back(at(4));
    put(&changed);
    check("s2");
    // What was taken back stays so, and is still there for other devices.
    put(&given);
    check("s2");
    let kept = store.read(|all| all.subscription(&given.id)).unwrap().unwrap().unwrap();
    assert_eq!(kept.standing.deleted_at(), Some(at(4)));
    let about = store.read(|all| all.active_subscriptions_about("TASK")).unwrap().unwrap();
    assert_eq!(about, [subscription("other", "s2")]);
    assert_eq!(store.read(|all| all.active_subscriptions(None, 9)).unwrap().unwrap(), about);
}

#[test]
fn a_timer_is_advanced_with_its_wake_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_agents(folder.path());
    let given = timer("coach", "t1");
    store.write(|all| all.put_timer(&given, PROGRAM)).unwrap();
    let due = |ms| store.read(|all| all.due_timers(at(ms), 9)).unwrap().unwrap();
    assert_eq!((due(4), due(5)), (vec![], vec![given.clone()]));
    assert_eq!(store.read(|all| all.next_timer_at()).unwrap().unwrap(), Some(at(5)));
    let fired = AgentTimer { next_run_at: Some(at(9)), last_scheduled_at: Some(at(5)), ..given.clone() };
    // A process that dies in between leaves both undone.
    let cut_off: Result<(), AgentStoreError> = store.write(|all| {
        all.enqueue(&wake("coach", 1), at(5))?;
        all.put_timer(&fired, PROGRAM)?;
        Err(AgentStoreError::NoAgent(agent_id("gone")))
    });
    assert!(cut_off.is_err());
    assert_eq!(due(5), [given]);
    let advanced = store.write(|all| {
        let outcome = all.enqueue(&wake("coach", 1), at(5))?;
        all.put_timer(&fired, PROGRAM).map(|()| outcome)
    });
    assert_eq!(advanced.unwrap(), EnqueueOutcome::Queued);
    assert_eq!((due(8), due(9)), (vec![], vec![fired]));
}

#[test]
fn the_end_of_an_agent_takes_its_subscriptions_and_timers_back_and_keeps_their_rows() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_agents(folder.path());
    for name in ["coach", "other"] {
        let ids = (format!("{name}-s"), format!("{name}-t"));
        store
            .write(|all| {
                all.put_subscription(&subscription(name, &ids.0), PROGRAM)?;
                all.put_timer(&timer(name, &ids.1), PROGRAM)
            })
            .unwrap();
    }
    let end = snapshot("a", 2, AgentLifecycle::Destroyed);
    store.write(|all| all.destroy_agent(&agent_id("coach"), &end, at(7))).unwrap();
    assert_eq!(waiting(&store, &token("semanticKey", None, "TASK")), "other-s");
    let due = store.read(|all| all.due_timers(at(99), 9)).unwrap().unwrap();
    assert_eq!(due.iter().map(|timer| timer.id.as_str()).collect::<Vec<_>>(), ["other-t"]);
    let (gone, timers) = store
        .read(|all| Ok((all.subscription(&"coach-s".parse().unwrap())?, all.timers_of(&agent_id("coach"))?)))
        .unwrap()
        .unwrap();
    assert_eq!(gone.unwrap().standing.deleted_at(), Some(at(7)));
    assert_eq!(timers[0].standing.deleted_at(), Some(at(7)));
    let refused = store.write(|all| all.put_timer(&timer("coach", "t9"), PROGRAM));
    assert!(matches!(refused, Err(AgentStoreError::Destroyed(_))), "{refused:?}");
    let stolen = store.write(|all| all.put_timer(&timer("other", "coach-t"), PROGRAM));
    assert!(matches!(stolen, Err(AgentStoreError::Rewritten(_))), "{stolen:?}");
}
