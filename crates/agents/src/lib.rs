//! Agents without files: what an agent is, what it remembers, and how replicas of its state merge.
//!
//! Everything here follows from its arguments. The store is `brainstem-agent-store`, and deciding when an agent wakes is
//! `brainstem-wake`.

pub mod limits;

pub mod canonical_json;

pub mod canonical;

pub mod ids;
pub mod vector_clock;
pub mod vocabulary;

pub mod extension;
pub mod processed;
pub mod slots;
pub mod stored;

pub mod entity;

pub mod state;

pub mod agent;
pub mod link;
pub mod message;
pub mod report;
pub mod trigger;

pub mod derived_ids;
pub mod lifecycle;
pub mod replica;

pub mod log;

pub mod memory;

pub mod compaction;

pub use agent::{Agent, AgentConfig};
pub use canonical::{CanonicalDigest, HashInput};
pub use canonical_json::{CanonicalFault, CanonicalJson};
pub use ids::{HostId, OperationId, RunKey, ThreadId};
pub use link::AgentLink;
pub use message::{AgentMessage, AgentMessageMetadata, AgentMessagePayload};
pub use replica::{StateReplica, StateSnapshot};
pub use report::{AgentReport, AgentReportHead};
pub use state::AgentState;
pub use stored::StoredForm;
pub use trigger::{AgentSubscription, AgentTimer};
pub use vector_clock::{ClockOrder, VectorClock};
