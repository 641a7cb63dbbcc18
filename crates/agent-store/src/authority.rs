//! In whose name a write is made, and whether it still may be.

use crate::error::AgentStoreError;
use crate::transaction::{AgentReads, Done};
use brainstem_agents::vocabulary::AgentLifecycle;
use brainstem_base::AgentId;

/// In whose name a record of an agent is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteAuthority {
    /// A run that holds the lease of this generation.
    Run {
        /// What the run was handed with its lease.
        generation: u64,
    },
    /// The program itself, for a person or another device.
    Program,
}

impl AgentReads<'_> {
    /// Where an agent is in its life. `None` if there is none of this name.
    pub(crate) fn lifecycle(&self, id: &AgentId) -> Done<Option<AgentLifecycle>> {
        let sql = "SELECT lifecycle FROM agents WHERE id = ?1";
        self.one(sql, (id.as_str(),), |row| row.word("lifecycle", AgentLifecycle::parse))
    }

    /// Refuses a write for an agent that was destroyed, and one of a run that lost its lease (Z-28). It is asked in the
    /// transaction that writes, so that nothing comes between.
    pub(crate) fn check_authority(&self, agent: &AgentId, by: WriteAuthority) -> Done<()> {
        match self.lifecycle(agent)? {
            None => return Err(AgentStoreError::NoAgent(agent.clone())),
            Some(AgentLifecycle::Destroyed) => return Err(AgentStoreError::Destroyed(agent.clone())),
            Some(AgentLifecycle::Created | AgentLifecycle::Active | AgentLifecycle::Dormant) => {}
        }
        match by {
            WriteAuthority::Program => Ok(()),
            WriteAuthority::Run { generation } => self.check_generation(agent, generation),
        }
    }
}
