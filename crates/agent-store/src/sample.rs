//! Records for the tests of this crate.

use crate::{StoredAgent, WakeRequest};
use brainstem_agents::canonical::HashInput;
use brainstem_agents::entity::WriteStamp;
use brainstem_agents::log::{AppendedRecords, plan_append};
use brainstem_agents::message::JSON_CONTENT_TYPE;
use brainstem_agents::state::MessagePointer;
use brainstem_agents::trigger::{SelectorToken, TriggerStanding};
use brainstem_agents::vocabulary::{
    AgentInteractionMode, AgentLifecycle, AgentMessageKind, AgentWakeReason, ReportScope,
};
use brainstem_agents::{
    Agent, AgentConfig, AgentMessage, AgentMessageMetadata, AgentMessagePayload, AgentReport, AgentState,
    AgentSubscription, AgentTimer, CanonicalJson, HostId, RunKey, StateSnapshot, ThreadId, VectorClock,
};
use brainstem_base::{AgentId, Timestamp};
use serde_json::json;
use std::collections::BTreeSet;

pub(crate) fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(ms)
}

pub(crate) fn agent_id(name: &str) -> AgentId {
    AgentId::parse(name).expect("an id")
}

pub(crate) fn host(name: &str) -> HostId {
    HostId::parse(name).expect("a word")
}

/// The stamp of the n-th write of a device that knows no other.
pub(crate) fn stamp(name: &str, count: u64) -> WriteStamp {
    WriteStamp { host: host(name), clock: VectorClock::new([(host(name), count)]) }
}

/// The n-th snapshot of a device that knows no other.
pub(crate) fn snapshot(name: &str, count: u64, lifecycle: AgentLifecycle) -> StateSnapshot {
    let WriteStamp { host, clock } = stamp(name, count);
    StateSnapshot { clock, host, lifecycle, state: AgentState::new(at(0)) }
}

pub(crate) fn agent(name: &str) -> Agent {
    let id = agent_id(name);
    Agent {
        kind: "reviewer".parse().expect("a word"),
        display_name: "Reviewer".to_owned(),
        lifecycle: AgentLifecycle::Active,
        mode: AgentInteractionMode::Hybrid,
        allowed_category_ids: BTreeSet::from(["gym".to_owned()]),
        current_state_id: snapshot("a", 1, AgentLifecycle::Active).id(&id),
        created_at: at(1),
        updated_at: at(1),
        destroyed_at: None,
        config: AgentConfig { model_id: Some("m".to_owned()), ..AgentConfig::default() },
        stamp: stamp("a", 1),
        id,
    }
}

pub(crate) fn stored(name: &str) -> StoredAgent {
    StoredAgent { agent: agent(name), revision: 1 }
}

pub(crate) fn run_key(number: u64) -> RunKey {
    HashInput::new("test.run.1").number(number).digest().into()
}

pub(crate) fn wake(name: &str, number: u64) -> WakeRequest {
    let (agent, run_key) = (agent_id(name), run_key(number));
    WakeRequest {
        run_key,
        reason: AgentWakeReason::Manual,
        reason_id: number.to_string(),
        thread: ThreadId::of_run(agent.clone(), run_key),
        seed_input: None,
        batch: None,
        ready_at: at(0),
        cause: json_of("manual"),
        agent,
    }
}

pub(crate) fn json_of(text: &str) -> CanonicalJson {
    CanonicalJson::of(&json!({ "text": text })).expect("canonical")
}

pub(crate) fn append(name: &str, number: u64, head: Option<&MessagePointer>) -> AppendedRecords {
    let agent = agent_id(name);
    let message = AgentMessage {
        id: format!("m{number}").parse().expect("a word"),
        thread: ThreadId::of_run(agent.clone(), run_key(0)),
        kind: AgentMessageKind::Observation,
        created_at: at(number.try_into().expect("small")),
        prev: None,
        payload: None,
        trigger_source_id: Some("mail".to_owned()),
        summary: None,
        tokens_approx: 3,
        metadata: AgentMessageMetadata {
            changed_tokens: vec!["k:TASK".to_owned()],
            ..AgentMessageMetadata::default()
        },
        stamp: stamp("a", number),
    };
    let payload = AgentMessagePayload {
        id: format!("p{number}").parse().expect("a word"),
        agent,
        created_at: at(0),
        content: json_of("said"),
        content_type: JSON_CONTENT_TYPE.to_owned(),
        stamp: stamp("a", number),
    };
    plan_append(message, Some(payload), head)
}

pub(crate) fn report(name: &str, number: u64) -> AgentReport {
    AgentReport {
        id: format!("r{number}").parse().expect("a word"),
        agent: agent_id(name),
        scope: ReportScope::Current,
        created_at: at(number.try_into().expect("small")),
        content: json_of("all is well"),
        confidence: Some(0.5),
        provenance: json_of("log"),
        stamp: stamp("a", number),
    }
}

pub(crate) fn token(class: &str, namespace: Option<&str>, value: &str) -> SelectorToken {
    let namespace = namespace.map(str::to_owned);
    SelectorToken { class: class.to_owned(), namespace, value: value.to_owned() }
}

/// A subscription with a token of each class.
pub(crate) fn subscription(name: &str, id: &str) -> AgentSubscription {
    AgentSubscription {
        id: id.parse().expect("a word"),
        agent: agent_id(name),
        notification_key: Some("TASK".to_owned()),
        selectors: BTreeSet::from([
            token("semanticKey", None, "TASK"),
            token("subtypeToken", Some("workoutType"), "running"),
            token("entityId", None, "t1"),
        ]),
        match_mode: "any".to_owned(),
        predicate: Some("categoryId == gym".to_owned()),
        origins: BTreeSet::from(["user".to_owned()]),
        min_interval_seconds: 60,
        standing: TriggerStanding::new(at(1)),
        stamp: stamp("a", 1),
    }
}

pub(crate) fn timer(name: &str, id: &str) -> AgentTimer {
    AgentTimer {
        id: id.parse().expect("a word"),
        agent: agent_id(name),
        schedule: "daily 07:00".to_owned(),
        timezone: "Europe/Berlin".to_owned(),
        catch_up: "one".to_owned(),
        next_run_at: Some(at(5)),
        last_scheduled_at: None,
        standing: TriggerStanding::new(at(1)),
        stamp: stamp("a", 1),
    }
}
