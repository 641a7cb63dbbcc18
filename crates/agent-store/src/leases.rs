//! Leases: which process runs an agent, and which generation its writes carry.

use crate::error::AgentStoreError;
use crate::transaction::{AgentReads, AgentWrites, Done};
use crate::values::{Columns, number_to_sql};
use brainstem_base::{AgentId, Timestamp};
use brainstem_sqlite::rusqlite;

/// The lease of an agent that is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentLease {
    /// The agent.
    pub agent: AgentId,
    /// What every write of the run carries.
    pub generation: u64,
    /// The process that runs it.
    pub holder: String,
    /// Until when.
    pub until: Timestamp,
}

const COLUMNS: &str = "agent_id, generation, holder, lease_until";

fn lease(row: &Columns<'_>) -> rusqlite::Result<AgentLease> {
    Ok(AgentLease {
        agent: row.agent("agent_id")?,
        generation: row.number("generation")?,
        holder: row.plain("holder")?,
        until: row.time("lease_until")?,
    })
}

impl AgentReads<'_> {
    /// The lease of an agent. `None` if no process holds it.
    pub fn lease(&self, agent: &AgentId) -> Result<Option<AgentLease>, AgentStoreError> {
        let sql = format!("SELECT {COLUMNS} FROM agent_leases WHERE agent_id = ?1 AND holder IS NOT NULL");
        self.one(&sql, (agent.as_str(),), lease)
    }

    /// The leases whose time is over, the oldest first: their holders are gone or hang.
    pub fn expired_leases(
        &self,
        now: Timestamp,
        count_max: usize,
    ) -> Result<Vec<AgentLease>, AgentStoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM agent_leases WHERE holder IS NOT NULL AND lease_until <= ?1
             ORDER BY lease_until LIMIT ?2"
        );
        self.list(&sql, (now.ms(), number_to_sql(count_max as u64)), lease)
    }

    /// Refuses a generation that no process holds any more.
    pub(crate) fn check_generation(&self, agent: &AgentId, generation: u64) -> Done<()> {
        match self.lease(agent)? {
            Some(lease) if lease.generation == generation => Ok(()),
            Some(_) | None => {
                Err(AgentStoreError::StaleGeneration { agent: agent.clone(), given: generation })
            }
        }
    }
}

impl AgentWrites<'_> {
    /// Takes the lease of an agent that no process holds. Returns its generation; `None` if a process holds it, even if its
    /// time is over: what that process did is settled first, by `expire_run`.
    pub(crate) fn take_lease(&self, agent: &AgentId, holder: &str, until: Timestamp) -> Done<Option<u64>> {
        let sql =
            "INSERT INTO agent_leases (agent_id, generation, holder, lease_until) VALUES (?1, 1, ?2, ?3)
                   ON CONFLICT (agent_id) DO UPDATE SET generation = generation + 1, holder = excluded.holder,
                       lease_until = excluded.lease_until
                   WHERE holder IS NULL
                   RETURNING generation";
        self.one(sql, (agent.as_str(), holder, until.ms()), |row| row.number("generation"))
    }

    /// Keeps a lease for longer. A run that lost it is refused.
    pub fn renew_lease(
        &self,
        agent: &AgentId,
        generation: u64,
        until: Timestamp,
    ) -> Result<(), AgentStoreError> {
        self.check_generation(agent, generation)?;
        let sql = "UPDATE agent_leases SET lease_until = ?2 WHERE agent_id = ?1";
        self.execute(sql, (agent.as_str(), until.ms())).map(drop)
    }

    /// Ends the lease of an agent, and raises its generation: whatever a run still writes under the old one is refused.
    pub(crate) fn end_lease(&self, agent: &AgentId) -> Done<()> {
        let sql = "UPDATE agent_leases SET generation = generation + 1, holder = NULL, lease_until = NULL
                   WHERE agent_id = ?1";
        self.execute(sql, (agent.as_str(),)).map(drop)
    }
}
