//! Why the store refuses.

use brainstem_agents::entity::EntityFault;
use brainstem_agents::ids::{AgentPayloadId, RunKey};
use brainstem_agents::stored::StoredFault;
use brainstem_agents::vocabulary::WakeRunStatus;
use brainstem_base::AgentId;
use brainstem_sqlite::SqliteError;

/// What the store could not do. Nothing of a refused transaction is kept.
#[derive(Debug, thiserror::Error)]
pub enum AgentStoreError {
    /// The file could not be opened, read or written.
    #[error("the agents cannot be read or written: {0}")]
    File(#[from] SqliteError),
    /// A record breaks a rule.
    #[error("the record is refused: {0}")]
    Entity(#[from] EntityFault),
    /// A record has no stored form.
    #[error("the record is refused: {0}")]
    Form(#[from] StoredFault),
    /// No agent has this name.
    #[error("no agent is called {0}")]
    NoAgent(AgentId),
    /// An agent has the name, or had it before it was destroyed.
    #[error("an agent is or was called {0}, and no other one gets its name")]
    NameTaken(AgentId),
    /// The agent was destroyed, and nothing is written for it any more.
    #[error("{0} was destroyed, and nothing is written for it any more")]
    Destroyed(AgentId),
    /// The row was changed since the caller read it.
    #[error("{agent} was changed meanwhile: it is at revision {found}, and the caller read {expected}")]
    StaleRevision {
        /// The agent.
        agent: AgentId,
        /// The revision that the caller read.
        expected: u64,
        /// The revision now.
        found: u64,
    },
    /// The run lost its lease, so that another one may be under way.
    #[error("the run of {agent} lost its lease: generation {given} is not the current one")]
    StaleGeneration {
        /// The agent.
        agent: AgentId,
        /// The generation that the run carried.
        given: u64,
    },
    /// A message refers to a payload that is not there, or that belongs to another agent.
    #[error("the message refers to the payload {0}, which its agent does not have")]
    OrphanPayload(AgentPayloadId),
    /// A record with this id says something else.
    #[error("{0} is written already, and says something else")]
    Rewritten(String),
    /// A wake that is over has a terminal status.
    #[error("a wake does not end as `{0}`")]
    NotTerminal(WakeRunStatus),
    /// No wake has this key.
    #[error("no wake that waits has the key {0}")]
    NoWake(RunKey),
}
