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

pub mod state;

pub mod replica;

pub use canonical::{CanonicalDigest, HashInput};
pub use canonical_json::{CanonicalFault, CanonicalJson};
pub use ids::{HostId, OperationId, RunKey, ThreadId};
pub use replica::{StateReplica, StateSnapshot};
pub use state::AgentState;
pub use vector_clock::{ClockOrder, VectorClock};
