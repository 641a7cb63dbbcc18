//! Agents and their topics, and outsiders.

use crate::world::{World, caller, person, refusal, sending};
use brainstem_base::AgentId;
use brainstem_inbox::OperatorId;
use brainstem_inbox::connection::{ConnectionState, ConnectionStep};
use brainstem_ledger::{AccountId, Append, Ledger as _, TopicId};
use brainstem_ledger_sqlite::SqliteLedger;
use brainstem_post::inbox::{InboxPriority, MadeTopics, RowState};
use std::sync::Arc;

#[test] // spec: INB-1, INB-2, INB-3
fn topics_are_made_once_and_again_changes_nothing() {
    let world = World::new();
    let codex = caller("codex:maker", "");
    let named = [AgentId::parse("gemini").unwrap(), AgentId::parse("builder").unwrap()];
    let first = world.post.make_agent_topics(&codex, &named).unwrap();
    let slugs: Vec<&str> = first.iter().map(|agent| agent.definition.slug.as_str()).collect();
    assert_eq!(slugs, ["builder", "codex.maker", "gemini.maker", "human"]);
    assert!(first.iter().all(|agent| agent.made == MadeTopics::Now));
    let again = world.post.make_agent_topics(&codex, &named).unwrap();
    assert!(again.iter().all(|agent| agent.made == MadeTopics::Before));
    let definitions = |all: &[brainstem_post::inbox::AgentTopics]| -> Vec<_> {
        all.iter().map(|agent| agent.definition.clone()).collect()
    };
    assert_eq!(definitions(&again), definitions(&first));
    let human = &first[3].definition;
    assert!(human.profile.ai_agent.is_none() && first[1].definition.profile.ai_agent.is_some());
    let ledger = ledger(&world);
    let memo = |topic| ledger.topic(topic).unwrap().unwrap().memo;
    assert_eq!(memo(human.inbound), format!("hcs-10:0:3600:0:{}", human.account));
    assert_eq!(memo(human.outbound), "hcs-10:0:3600:1");
    assert_eq!(memo(human.acks), "brainstem:acks:human");
}

fn ledger(world: &World) -> SqliteLedger {
    let folder = world.folder.path().join("home/ledger");
    SqliteLedger::in_folder(&folder, Arc::new(brainstem_base::disk::RealDisk), world.clock.clone())
}

#[test] // spec: INB-6
fn an_outsider_is_held_until_the_agent_accepts() {
    let world = World::new();
    let ana = person("human:ana");
    let human = world.post.make_agent_topics(&ana, &[]).unwrap().remove(0).definition;
    let outsider = OperatorId { inbound: TopicId::local(7).unwrap(), account: AccountId::local(77).unwrap() };
    let ledger = ledger(&world);
    let say = |topic, fields: &str| {
        let text = format!(r#"{{"p":"hcs-10",{fields},"operator_id":"{outsider}"}}"#);
        let append = Append { topic, submitter: outsider.account, key: None, bytes: text.into_bytes() };
        ledger.append(&append).unwrap()
    };
    say(human.inbound, r#""op":"message","data":"hello""#);
    let decide = |step| world.post.decide_connection(&ana, outsider.account, step);
    assert_eq!(refusal(decide(ConnectionStep::Accept)).0, "inbox.connection_refused", "it never asked");
    say(human.inbound, r#""op":"connection_request""#);
    let request = world.post.inbox_requests(&ana).unwrap().remove(0);
    assert_eq!((request.state, request.held.len()), (ConnectionState::Requested, 2));
    assert_eq!(world.list(&ana, RowState::All).rows, []);
    let topic = decide(ConnectionStep::Accept).unwrap().topic.unwrap();
    say(topic, r#""op":"message","data":"now it arrives""#);
    assert_eq!(world.unread(&ana), ["now it arrives"]);
    let row = world.list(&ana, RowState::All).rows.remove(0).row;
    let reply =
        |text: &str| world.post.reply_inbox(&ana, &row, sending("x", text, InboxPriority::Normal).content);
    let replied = reply("welcome").unwrap();
    assert_eq!((replied.topic, replied.to.unwrap().as_str()), (topic, "0.0.77"), "on the topic of the two");
    assert_eq!(decide(ConnectionStep::Close).unwrap().state, ConnectionState::Closed);
    say(topic, r#""op":"message","data":"too late""#);
    assert_eq!(refusal(reply("goodbye")).0, "inbox.connection_refused");
    assert_eq!(decide(ConnectionStep::Block).unwrap().state, ConnectionState::Blocked);
    say(human.inbound, r#""op":"connection_request""#);
    assert_eq!(world.unread(&ana), ["now it arrives"]);
    let request = world.post.inbox_requests(&ana).unwrap().remove(0);
    assert_eq!(request.state, ConnectionState::Blocked);
}
