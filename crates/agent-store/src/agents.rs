//! The agents themselves.

use crate::authority::WriteAuthority;
use crate::error::AgentStoreError;
use crate::transaction::{AgentReads, AgentWrites, Done};
use crate::values::{Columns, number_to_sql, time_to_sql, to_json};
use brainstem_agents::vocabulary::{AgentInteractionMode, AgentLifecycle};
use brainstem_agents::{Agent, StateSnapshot, StoredForm as _};
use brainstem_base::{AgentId, Timestamp};
use brainstem_sqlite::rusqlite::{self, params};

/// An agent as it was read, with what its next write has to name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAgent {
    /// The agent.
    pub agent: Agent,
    /// How often its row was written on this device.
    pub revision: u64,
}

const COLUMNS: &str =
    "id, kind, display_name, lifecycle, mode, allowed_category_ids, current_state_id, created_at,
                       updated_at, destroyed_at, config, host_id, clock, revision";

fn stored_agent(row: &Columns<'_>) -> rusqlite::Result<StoredAgent> {
    let agent = Agent {
        id: row.agent("id")?,
        kind: row.id("kind")?,
        display_name: row.plain("display_name")?,
        lifecycle: row.word("lifecycle", AgentLifecycle::parse)?,
        mode: row.word("mode", AgentInteractionMode::parse)?,
        allowed_category_ids: row.plain_json("allowed_category_ids")?,
        current_state_id: row.id("current_state_id")?,
        created_at: row.time("created_at")?,
        updated_at: row.time("updated_at")?,
        destroyed_at: row.optional_time("destroyed_at")?,
        config: row.form("config")?,
        stamp: row.stamp()?,
    };
    Ok(StoredAgent { agent, revision: row.number("revision")? })
}

impl AgentReads<'_> {
    /// An agent, destroyed or not.
    pub fn agent(&self, id: &AgentId) -> Result<Option<StoredAgent>, AgentStoreError> {
        self.one(&format!("SELECT {COLUMNS} FROM agents WHERE id = ?1"), (id.as_str(),), stored_agent)
    }

    /// The agents behind a name, in the order of their names, destroyed ones too.
    pub fn agents(
        &self,
        after: Option<&AgentId>,
        count_max: usize,
    ) -> Result<Vec<StoredAgent>, AgentStoreError> {
        let sql = format!("SELECT {COLUMNS} FROM agents WHERE id > ?1 ORDER BY id LIMIT ?2");
        let after = after.map_or("", AgentId::as_str);
        self.list(&sql, (after, number_to_sql(count_max as u64)), stored_agent)
    }
}

impl AgentWrites<'_> {
    /// Adds an agent with the first snapshot of its state. A name that an agent has or had is refused.
    pub fn create_agent(&self, agent: &Agent, snapshot: &StateSnapshot) -> Result<(), AgentStoreError> {
        agent.check()?;
        if self.lifecycle(&agent.id)?.is_some() {
            return Err(AgentStoreError::NameTaken(agent.id.clone()));
        }
        let sql = format!(
            "INSERT INTO agents ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 1)"
        );
        self.write_agent(&sql, agent)?;
        self.put_snapshot(&agent.id, snapshot)
    }

    /// Changes an agent that the caller read at a revision. Returns the new one.
    pub fn update_agent(
        &self,
        agent: &Agent,
        revision: u64,
        by: WriteAuthority,
    ) -> Result<u64, AgentStoreError> {
        agent.check()?;
        self.check_authority(&agent.id, by)?;
        self.check_revision(&agent.id, revision)?;
        let sql = "UPDATE agents SET kind = ?2, display_name = ?3, lifecycle = ?4, mode = ?5, allowed_category_ids = ?6,
                       current_state_id = ?7, created_at = ?8, updated_at = ?9, destroyed_at = ?10, config = ?11,
                       host_id = ?12, clock = ?13, revision = revision + 1
                   WHERE id = ?1";
        self.write_agent(sql, agent)?;
        Ok(revision + 1)
    }

    /// Ends an agent for good, with the snapshot that says so: from here on nothing is queued for it and no run of it
    /// can write. Its subscriptions and timers are taken back, its wakes end as `skipped_destroyed`, its run as `canceled`; its
    /// messages and reports stay. Destroying it again changes nothing.
    pub fn destroy_agent(
        &self,
        id: &AgentId,
        snapshot: &StateSnapshot,
        now: Timestamp,
    ) -> Result<(), AgentStoreError> {
        match self.lifecycle(id)? {
            None => return Err(AgentStoreError::NoAgent(id.clone())),
            Some(AgentLifecycle::Destroyed) => return Ok(()),
            Some(AgentLifecycle::Created | AgentLifecycle::Active | AgentLifecycle::Dormant) => {}
        }
        self.put_snapshot(id, snapshot)?;
        let sql =
            "UPDATE agents SET lifecycle = ?2, destroyed_at = ?3, updated_at = ?3, revision = revision + 1
                   WHERE id = ?1";
        self.execute(sql, (id.as_str(), AgentLifecycle::Destroyed.as_str(), now.ms()))?;
        self.end_lease(id)?;
        self.take_back_subscriptions_of(id, now)?;
        self.take_back_timers_of(id, now)?;
        self.end_wakes_of_destroyed(id, now)
    }

    fn check_revision(&self, id: &AgentId, expected: u64) -> Done<()> {
        let sql = "SELECT revision FROM agents WHERE id = ?1";
        let found = self.one(sql, (id.as_str(),), |row| row.number("revision"))?;
        match found {
            Some(found) if found == expected => Ok(()),
            Some(found) => Err(AgentStoreError::StaleRevision { agent: id.clone(), expected, found }),
            None => Err(AgentStoreError::NoAgent(id.clone())),
        }
    }

    fn write_agent(&self, sql: &str, agent: &Agent) -> Done<()> {
        let given = params![
            agent.id.as_str(),
            agent.kind.as_str(),
            agent.display_name,
            agent.lifecycle.as_str(),
            agent.mode.as_str(),
            to_json(&agent.allowed_category_ids),
            agent.current_state_id.as_str(),
            agent.created_at.ms(),
            agent.updated_at.ms(),
            time_to_sql(agent.destroyed_at),
            agent.config.to_stored()?,
            agent.stamp.host.as_str(),
            to_json(&agent.stamp.clock),
        ];
        self.execute(sql, given).map(drop)
    }
}
