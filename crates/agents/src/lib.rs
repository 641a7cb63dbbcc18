//! Agents without files: what an agent is, what it remembers, and how replicas of its state merge.
//!
//! Everything here follows from its arguments. The store is `brainstem-agent-store`, and deciding when an agent wakes is
//! `brainstem-wake`.

pub mod limits;

pub mod canonical_json;

pub mod canonical;

pub use canonical::{CanonicalDigest, HashInput};
pub use canonical_json::{CanonicalFault, CanonicalJson};
