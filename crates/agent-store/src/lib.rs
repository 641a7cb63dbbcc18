//! `agent.sqlite`: agents, their state and log, their wakes and the runs for them.
//!
//! The file is ground, and on its own: it refers to what is outside of it by id, nothing outside needs it, and deleting it
//! forgets the agents and harms nothing else. What may happen to an agent is decided by `brainstem-agents` and
//! `brainstem-wake`; this crate keeps the rows, and refuses a write that comes too late.

pub mod error;

mod tables;
mod values;

mod transaction;

mod leases;

mod authority;

mod links;
mod log;
mod reports;
mod states;
mod subscriptions;
mod timers;

mod runs;
mod wakes;

mod agents;

mod store;

#[cfg(test)]
mod agent_tests;
#[cfg(test)]
mod plan_tests;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod seen_statements;
#[cfg(test)]
mod trigger_tests;
#[cfg(test)]
mod wake_tests;

pub use agents::StoredAgent;
pub use authority::WriteAuthority;
pub use brainstem_sqlite::{SqliteError, SqliteFault};
pub use error::AgentStoreError;
pub use leases::AgentLease;
pub use runs::WakeRun;
pub use store::AgentStore;
pub use transaction::{AgentReads, AgentWrites};
pub use wakes::{BatchRecord, ClaimedWakes, EnqueueOutcome, RunEnding, StoredWake, WakeRequest};
