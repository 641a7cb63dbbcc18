//! The tables of `agent.sqlite`.
//!
//! A table comes with the code that uses it. Not here yet, and later a step of its own each: compaction jobs (with the
//! summaries of models), source references and personas, prompts, attention, creative artifacts, scheduler policies and
//! quotas, rebuild jobs, budgets, consents, projections, action plans, sagas and spawns, with the issues that build them.
//!
//! Every time is an integer: milliseconds since 1970. Rows that other devices get have `host_id` and `clock` (Z-19).

use brainstem_sqlite::Schema;

/// The schema of `agent.sqlite`. A step that was released is never changed.
pub(crate) const SCHEMA: Schema = Schema {
    // "brAg"
    application_id: 0x6272_4167,
    steps: &["
        -- Ground. The agents. A destroyed one stays, so that its name is never given to another.
        CREATE TABLE agents (
            id                   TEXT PRIMARY KEY,
            kind                 TEXT NOT NULL,
            display_name         TEXT NOT NULL,
            lifecycle            TEXT NOT NULL,
            mode                 TEXT NOT NULL,
            allowed_category_ids TEXT NOT NULL,
            current_state_id     TEXT NOT NULL,
            created_at           INTEGER NOT NULL,
            updated_at           INTEGER NOT NULL,
            destroyed_at         INTEGER,
            config               TEXT NOT NULL,
            host_id              TEXT NOT NULL,
            clock                TEXT NOT NULL,
            -- Local. Counts the writes of this row on this device (A-64).
            revision             INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- Ground. The snapshots of states that hold: one for an agent, and several if devices wrote at the same time (Z-35).
        CREATE TABLE agent_states (
            id                        TEXT PRIMARY KEY,
            agent_id                  TEXT NOT NULL REFERENCES agents (id),
            lifecycle                 TEXT NOT NULL,
            updated_at                INTEGER NOT NULL,
            last_wake_at              INTEGER,
            next_wake_at              INTEGER,
            sleep_until               INTEGER,
            recent_head               TEXT,
            latest_summary            TEXT,
            success_epoch             INTEGER NOT NULL,
            consecutive_failure_count INTEGER NOT NULL,
            processed_counter_by_host TEXT NOT NULL,
            slots                     TEXT NOT NULL,
            host_id                   TEXT NOT NULL,
            clock                     TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX idx_agent_states_agent ON agent_states (agent_id);

        -- Ground. What messages say at length.
        CREATE TABLE agent_message_payloads (
            id           TEXT PRIMARY KEY,
            agent_id     TEXT NOT NULL REFERENCES agents (id),
            created_at   INTEGER NOT NULL,
            content      TEXT NOT NULL,
            content_type TEXT NOT NULL DEFAULT 'application/json',
            host_id      TEXT NOT NULL,
            clock        TEXT NOT NULL
        ) STRICT;
        CREATE INDEX idx_agent_message_payloads_agent_created ON agent_message_payloads (agent_id, created_at DESC);

        -- Ground. The messages of logs. A row is written once; only `content_entry_id` is cleared when a payload is pruned.
        CREATE TABLE agent_messages (
            id                       TEXT PRIMARY KEY,
            agent_id                 TEXT NOT NULL REFERENCES agents (id),
            thread_id                TEXT NOT NULL,
            kind                     TEXT NOT NULL,
            created_at               INTEGER NOT NULL,
            prev_message_id          TEXT,
            content_entry_id         TEXT REFERENCES agent_message_payloads (id) ON DELETE SET NULL,
            trigger_source_id        TEXT,
            summary_start_message_id TEXT,
            summary_end_message_id   TEXT,
            summary_depth            INTEGER NOT NULL DEFAULT 0,
            tokens_approx            INTEGER NOT NULL DEFAULT 0,
            metadata                 TEXT NOT NULL,
            host_id                  TEXT NOT NULL,
            clock                    TEXT NOT NULL
        ) STRICT;
        CREATE INDEX idx_agent_messages_agent_created ON agent_messages (agent_id, created_at DESC);
        CREATE INDEX idx_agent_messages_thread_created ON agent_messages (thread_id, created_at DESC);
        CREATE INDEX idx_agent_messages_content_entry ON agent_messages (content_entry_id);

        -- Ground. Reports, each written once.
        CREATE TABLE agent_reports (
            id         TEXT PRIMARY KEY,
            agent_id   TEXT NOT NULL REFERENCES agents (id),
            scope      TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            content    TEXT NOT NULL,
            confidence REAL,
            provenance TEXT NOT NULL DEFAULT '{}',
            host_id    TEXT NOT NULL,
            clock      TEXT NOT NULL
        ) STRICT;
        CREATE INDEX idx_agent_reports_agent_scope_created ON agent_reports (agent_id, scope, created_at DESC);

        -- Ground. The newest report of each agent and scope.
        CREATE TABLE agent_report_heads (
            id         TEXT PRIMARY KEY,
            agent_id   TEXT NOT NULL REFERENCES agents (id),
            scope      TEXT NOT NULL,
            report_id  TEXT NOT NULL REFERENCES agent_reports (id),
            updated_at INTEGER NOT NULL,
            host_id    TEXT NOT NULL,
            clock      TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX idx_agent_report_heads_agent_scope ON agent_report_heads (agent_id, scope);

        -- Ground. The edges between records of agents.
        CREATE TABLE agent_links (
            id         TEXT PRIMARY KEY,
            type       TEXT NOT NULL,
            from_id    TEXT NOT NULL,
            to_id      TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            hidden     INTEGER NOT NULL DEFAULT 0,
            thread_id  TEXT,
            message_id TEXT,
            host_id    TEXT NOT NULL,
            clock      TEXT NOT NULL
        ) STRICT;
        CREATE INDEX idx_agent_links_type_from_hidden_created ON agent_links (type, from_id, hidden, created_at DESC);
        CREATE INDEX idx_agent_links_type_to_hidden_created ON agent_links (type, to_id, hidden, created_at DESC);

        -- Ground. What wakes an agent on a change. A row that was taken back stays with `deleted_at`.
        CREATE TABLE agent_subscriptions (
            id                   TEXT PRIMARY KEY,
            agent_id             TEXT NOT NULL REFERENCES agents (id),
            notification_key     TEXT,
            match                TEXT NOT NULL,
            predicate            TEXT,
            origins              TEXT NOT NULL,
            min_interval_seconds INTEGER NOT NULL,
            active               INTEGER NOT NULL,
            created_at           INTEGER NOT NULL,
            updated_at           INTEGER NOT NULL,
            deleted_at           INTEGER,
            host_id              TEXT NOT NULL,
            clock                TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX idx_agent_subscriptions_agent_active ON agent_subscriptions (agent_id, active);
        CREATE INDEX idx_agent_subscriptions_key_active ON agent_subscriptions (notification_key, active);

        -- Ground. The tokens of subscriptions. `active` is that of the subscription.
        CREATE TABLE agent_subscription_tokens (
            subscription_id TEXT NOT NULL REFERENCES agent_subscriptions (id),
            token_class     TEXT NOT NULL,
            token_namespace TEXT,
            token_value     TEXT NOT NULL,
            active          INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX idx_agent_subscription_tokens_class_namespace_value_active
            ON agent_subscription_tokens (token_class, token_namespace, token_value, active);
        CREATE INDEX idx_agent_subscription_tokens_subscription_active
            ON agent_subscription_tokens (subscription_id, active);

        -- Ground. What wakes an agent by the clock. A row that was taken back stays with `deleted_at`.
        CREATE TABLE agent_timers (
            id                TEXT PRIMARY KEY,
            agent_id          TEXT NOT NULL REFERENCES agents (id),
            schedule          TEXT NOT NULL,
            timezone          TEXT NOT NULL,
            catch_up          TEXT NOT NULL,
            next_run_at       INTEGER,
            last_scheduled_at INTEGER,
            active            INTEGER NOT NULL,
            created_at        INTEGER NOT NULL,
            updated_at        INTEGER NOT NULL,
            deleted_at        INTEGER,
            host_id           TEXT NOT NULL,
            clock             TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX idx_agent_timers_due ON agent_timers (active, next_run_at);
        CREATE INDEX idx_agent_timers_agent ON agent_timers (agent_id);

        -- Ground. The run log: one row for each run key, from its first mention on. A row with a terminal status keeps it.
        CREATE TABLE agent_wake_runs (
            run_key     TEXT PRIMARY KEY,
            agent_id    TEXT NOT NULL REFERENCES agents (id),
            reason      TEXT NOT NULL,
            reason_id   TEXT NOT NULL,
            thread_id   TEXT NOT NULL,
            status      TEXT NOT NULL,
            executed_by TEXT,
            why         TEXT,
            attempts    INTEGER NOT NULL DEFAULT 0,
            queued_at   INTEGER NOT NULL,
            started_at  INTEGER,
            ended_at    INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX idx_agent_wake_runs_agent_queued ON agent_wake_runs (agent_id, queued_at DESC);
        CREATE INDEX idx_agent_wake_runs_status_ended ON agent_wake_runs (status, ended_at DESC);

        -- Ground, of this device alone. The wakes that wait or run. `seq` is the place in the line of the agent.
        CREATE TABLE agent_wake_queue (
            run_key            TEXT PRIMARY KEY REFERENCES agent_wake_runs (run_key),
            agent_id           TEXT NOT NULL REFERENCES agents (id),
            seq                INTEGER NOT NULL,
            ready_at           INTEGER NOT NULL,
            generation         INTEGER,
            seed_input         TEXT,
            local_batch_id     INTEGER,
            logical_change_key TEXT,
            change_unit_keys   TEXT,
            cause              TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX idx_agent_wake_queue_agent_seq ON agent_wake_queue (agent_id, seq);
        -- The line of all agents: what waits, by when it may start.
        CREATE INDEX idx_agent_wake_queue_ready ON agent_wake_queue (ready_at, agent_id) WHERE generation IS NULL;

        -- Ground, of this device alone. The lease of each agent that was ever run. `generation` only grows: a write that
        -- carries another one came too late (Z-28).
        CREATE TABLE agent_leases (
            agent_id    TEXT PRIMARY KEY REFERENCES agents (id),
            generation  INTEGER NOT NULL,
            holder      TEXT,
            lease_until INTEGER,
            CHECK ((holder IS NULL) = (lease_until IS NULL))
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX idx_agent_leases_until ON agent_leases (lease_until) WHERE holder IS NOT NULL;
    "],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_says_in_its_first_comment_what_it_is() {
        let lines: Vec<_> = SCHEMA.steps.iter().flat_map(|step| step.lines()).map(str::trim).collect();
        let mut count = 0;
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("CREATE TABLE")) {
            let comment = lines[..at].iter().rev().take_while(|line| line.starts_with("--")).last();
            let is_named = comment.is_some_and(|comment| {
                ["-- Ground.", "-- Ground, of this device alone.", "-- Derived."]
                    .iter()
                    .any(|word| comment.starts_with(word))
            });
            assert!(is_named, "{line}: {comment:?}");
            count += 1;
        }
        assert_eq!(count, 13);
    }
}
