//! The snapshots of agents' states.

use crate::authority::WriteAuthority;
use crate::error::AgentStoreError;
use crate::transaction::{AgentReads, AgentWrites, Done};
use crate::values::{Columns, number_to_sql, time_to_sql, to_json};
use brainstem_agents::ids::StateSnapshotId;
use brainstem_agents::state::FailureCount;
use brainstem_agents::vocabulary::AgentLifecycle;
use brainstem_agents::{AgentState, StateReplica, StateSnapshot, StoredForm as _};
use brainstem_base::AgentId;
use brainstem_sqlite::rusqlite::{self, params};

const COLUMNS: &str = "id, agent_id, lifecycle, updated_at, last_wake_at, next_wake_at, sleep_until, recent_head,
                       latest_summary, success_epoch, consecutive_failure_count, processed_counter_by_host, slots,
                       host_id, clock";

fn snapshot(row: &Columns<'_>) -> rusqlite::Result<StateSnapshot> {
    let stamp = row.stamp()?;
    let state = AgentState {
        updated_at: row.time("updated_at")?,
        last_wake_at: row.optional_time("last_wake_at")?,
        next_wake_at: row.optional_time("next_wake_at")?,
        sleep_until: row.optional_time("sleep_until")?,
        recent_head: row.optional_plain_json("recent_head")?,
        latest_summary: row.optional_plain_json("latest_summary")?,
        failures: FailureCount {
            success_epoch: row.number("success_epoch")?,
            count: row.plain("consecutive_failure_count")?,
        },
        processed: row.plain_json("processed_counter_by_host")?,
        slots: row.form("slots")?,
    };
    let lifecycle = row.word("lifecycle", AgentLifecycle::parse)?;
    let snapshot = StateSnapshot { clock: stamp.clock, host: stamp.host, lifecycle, state };
    match row.id::<StateSnapshotId>("id")? == snapshot.id(&row.agent("agent_id")?) {
        true => Ok(snapshot),
        false => Err(row.damaged("id", "it does not follow from the snapshot")),
    }
}

impl AgentReads<'_> {
    /// What is known of the state of an agent. `None` if there is no such agent.
    pub fn replica(&self, agent: &AgentId) -> Result<Option<StateReplica>, AgentStoreError> {
        let sql = format!("SELECT {COLUMNS} FROM agent_states WHERE agent_id = ?1");
        Ok(StateReplica::of_snapshots(self.list(&sql, (agent.as_str(),), snapshot)?))
    }
}

impl AgentWrites<'_> {
    /// Takes in a snapshot that was written here or came from another device. The rows of the agent are then the snapshots
    /// that hold; one that is replaced already changes nothing.
    pub fn merge_snapshot(
        &self,
        agent: &AgentId,
        snapshot: &StateSnapshot,
        by: WriteAuthority,
    ) -> Result<(), AgentStoreError> {
        self.check_authority(agent, by)?;
        self.put_snapshot(agent, snapshot)
    }

    pub(crate) fn put_snapshot(&self, agent: &AgentId, snapshot: &StateSnapshot) -> Done<()> {
        let written = StateReplica::new(snapshot.clone());
        let known = self.replica(agent)?;
        let merged = known.iter().fold(written, |written, known| written.merge(known));
        for replaced in known.iter().flat_map(StateReplica::snapshots) {
            if !merged.snapshots().any(|kept| kept == replaced) {
                self.execute("DELETE FROM agent_states WHERE id = ?1", (replaced.id(agent).as_str(),))?;
            }
        }
        for kept in merged.snapshots() {
            self.insert_snapshot(agent, kept)?;
        }
        Ok(())
    }

    fn insert_snapshot(&self, agent: &AgentId, snapshot: &StateSnapshot) -> Done<()> {
        let StateSnapshot { clock, host, lifecycle, state } = snapshot;
        let sql = format!(
            "INSERT INTO agent_states ({COLUMNS})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) ON CONFLICT (id) DO NOTHING"
        );
        let id = snapshot.id(agent);
        let given = params![
            id.as_str(),
            agent.as_str(),
            lifecycle.as_str(),
            state.updated_at.ms(),
            time_to_sql(state.last_wake_at),
            time_to_sql(state.next_wake_at),
            time_to_sql(state.sleep_until),
            state.recent_head.as_ref().map(to_json),
            state.latest_summary.as_ref().map(to_json),
            number_to_sql(state.failures.success_epoch),
            state.failures.count,
            to_json(&state.processed),
            state.slots.to_stored()?,
            host.as_str(),
            to_json(clock),
        ];
        self.execute(&sql, given).map(drop)
    }
}
