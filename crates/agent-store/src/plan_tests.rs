//! Every statement of this crate is answered by an index.

use crate::sample::{agent, agent_id, append, at, report, run_key, snapshot, subscription, timer, wake};
use crate::seen_statements;
use crate::store::AgentStore;
use crate::tables::SCHEMA;
use crate::wakes::RunEnding;
use crate::{AgentStoreError, WriteAuthority};
use brainstem_agents::vocabulary::{AgentLifecycle, LinkRelation, ReportScope, WakeRunStatus};
use brainstem_base::disk::RealDisk;
use brainstem_sqlite::rusqlite::Connection;
use brainstem_sqlite::{Access, open};
use std::sync::Arc;

/// Calls everything that a store can do.
fn do_everything(store: &AgentStore) -> Result<(), AgentStoreError> {
    let (coach, program) = (agent_id("coach"), WriteAuthority::Program);
    let over = |status| RunEnding::Over { status, executed_by: None, why: None };
    store.write(|all| {
        all.create_agent(&agent("coach"), &snapshot("a", 1, AgentLifecycle::Active))?;
        all.update_agent(&agent("coach"), 1, program)?;
        all.merge_snapshot(&coach, &snapshot("a", 2, AgentLifecycle::Active), program)?;
        all.append(&append("coach", 1, None), program)?;
        all.append(&append("coach", 2, Some(&append("coach", 1, None).head)), program)?;
        all.add_report(&report("coach", 1), program)?;
        all.put_subscription(&subscription("coach", "s1"), program)?;
        all.put_timer(&timer("coach", "t1"), program)?;
        for number in 0..4 {
            all.enqueue(&wake("coach", number), at(0))?;
        }
        all.end_waiting(run_key(3), over(WakeRunStatus::Canceled), at(1))?;
        let claimed = all.claim(&coach, "p", at(1), at(9), |_| vec![run_key(0), run_key(1)])?;
        let generation = claimed.expect("claimed").generation;
        all.renew_lease(&coach, generation, at(10))?;
        all.end_run(&coach, generation, at(2), |wake| match wake.seq {
            1 => over(WakeRunStatus::Completed),
            _ => RunEnding::Retry { at: at(3), why: "again".to_owned() },
        })
    })?;
    store.read(|all| {
        all.agent(&coach)?;
        all.agents(None, 10)?;
        all.replica(&coach)?;
        all.recent_messages(&coach, 10)?;
        all.thread_messages(&append("coach", 1, None).message.thread, 10)?;
        all.links_from(LinkRelation::MessagePrev, "m2", 10)?;
        all.links_to(LinkRelation::MessagePrev, "m1", 10)?;
        all.head_report(&coach, ReportScope::Current)?;
        all.reports(&coach, ReportScope::Current, 10)?;
        all.active_subscriptions_of(&coach)?;
        all.active_subscriptions_about("TASK")?;
        all.active_subscriptions(None, 10)?;
        for token in &subscription("coach", "s1").selectors {
            all.subscriptions_waiting_for(token)?;
        }
        all.timers_of(&coach)?;
        all.due_timers(at(9), 10)?;
        all.next_timer_at()?;
        all.runs_of(&coach, 10)?;
        all.runs_with(WakeRunStatus::FailedTerminal, 10)?;
        all.queue(&coach)?;
        all.ready_wakes(at(9), 10)?;
        all.next_ready_at()?;
        all.expired_leases(at(9), 10).map(drop)
    })?;
    store.write(|all| all.destroy_agent(&coach, &snapshot("a", 3, AgentLifecycle::Destroyed), at(9)))
}

fn texts(file: &Connection, sql: &str, at: usize) -> Vec<String> {
    let mut statement = file.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let count = statement.parameter_count();
    let nothing = vec![None::<i64>; count];
    let rows = statement.query_map(brainstem_sqlite::rusqlite::params_from_iter(nothing), |row| row.get(at));
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

#[test] // spec: A-83
fn every_statement_finds_its_rows_by_an_index_and_sorts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = AgentStore::in_folder(&folder.path().join("agents"), Arc::new(RealDisk));
    do_everything(&store).unwrap();
    let path = folder.path().join("agents/agent.sqlite");
    let file = open(&RealDisk, &path, &SCHEMA, Access::Read).unwrap();
    let seen = seen_statements::all();
    assert!(seen.len() > 30, "only {} statements were seen", seen.len());
    let mut used = String::new();
    for sql in seen {
        for step in texts(&file, &format!("EXPLAIN QUERY PLAN {sql}"), 3) {
            // The least time of the queue is the first entry of its index.
            let is_first_entry = step.contains("idx_agent_wake_queue_ready") && sql.ends_with("LIMIT 1");
            let is_constant = step.contains("CONSTANT ROW");
            let is_scan = step.contains("SCAN") && !is_first_entry && !is_constant;
            assert!(!is_scan && !step.contains("TEMP B-TREE"), "{step}: {sql}");
            used.push_str(&step);
        }
    }
    // Demanded by name, and asked for by what prunes payloads; the other is there for the clearing of its column.
    let not_asked_yet = ["idx_agent_message_payloads_agent_created", "idx_agent_messages_content_entry"];
    let indexes = texts(&file, "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL", 0);
    for index in indexes.iter().filter(|index| !not_asked_yet.contains(&index.as_str())) {
        assert!(used.contains(index.as_str()), "no statement uses {index}");
    }
}

#[test] // spec
fn the_indexes_have_the_names_and_columns_of_the_specification() {
    const SPEC: &str = include_str!("../../../docs/spec/agents.md");
    let folder = tempfile::tempdir().unwrap();
    let store = AgentStore::in_folder(folder.path(), Arc::new(RealDisk));
    store.write(|_| Ok(())).unwrap();
    let file = open(&RealDisk, &folder.path().join("agent.sqlite"), &SCHEMA, Access::Read).unwrap();
    for (index, table, columns) in [
        ("idx_agent_subscriptions_agent_active", "agent_subscriptions", "(agent_id, active)"),
        ("idx_agent_subscriptions_key_active", "agent_subscriptions", "(notification_key, active)"),
        (
            "idx_agent_subscription_tokens_class_namespace_value_active",
            "agent_subscription_tokens",
            "(token_class, token_namespace, token_value, active)",
        ),
        (
            "idx_agent_subscription_tokens_subscription_active",
            "agent_subscription_tokens",
            "(subscription_id, active)",
        ),
        ("idx_agent_timers_due", "agent_timers", "(active, next_run_at)"),
        ("idx_agent_messages_agent_created", "agent_messages", "(agent_id, created_at DESC)"),
        ("idx_agent_message_payloads_agent_created", "agent_message_payloads", "(agent_id, created_at DESC)"),
        ("idx_agent_reports_agent_scope_created", "agent_reports", "(agent_id, scope, created_at DESC)"),
        ("idx_agent_report_heads_agent_scope", "agent_report_heads", "(agent_id, scope)"),
        (
            "idx_agent_links_type_from_hidden_created",
            "agent_links",
            "(type, from_id, hidden, created_at DESC)",
        ),
        ("idx_agent_links_type_to_hidden_created", "agent_links", "(type, to_id, hidden, created_at DESC)"),
    ] {
        assert!(SPEC.contains(&format!("`{index} {columns}`")), "{index} is not of the specification");
        let made = texts(&file, &format!("SELECT sql FROM sqlite_schema WHERE name = '{index}'"), 0);
        let made = made[0].split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(made.ends_with(&format!("{index} ON {table} {columns}")), "{made}");
    }
}
