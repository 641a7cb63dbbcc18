//! The versions of what this program writes.

/// The schema of a home.
pub const HOME: u64 = brainstem_vault::home::SCHEMA;
/// The protocol of a claim file.
pub const CLAIM: &str = brainstem_claims::light::PROTOCOL;
