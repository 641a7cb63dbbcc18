//! What the acts on record say of a claim.

pub(crate) mod created_cache;
pub(crate) mod provenance;
pub(crate) mod retracted_apart;
pub(crate) mod tombstones;
pub(crate) mod verdicts;
