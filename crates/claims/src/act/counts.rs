//! What acts count.

/// How many rows of each tier a packet carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowCounts {
    /// Of the project.
    pub project: usize,
    /// Of the medulla.
    pub medulla: usize,
}

/// What a migration counted when it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MigrationTally {
    /// Claims in the medulla before.
    pub before: u64,
    /// Claims in projects since.
    pub projects: u64,
    /// Claims in the medulla since.
    pub medulla: u64,
    /// Claims that were moved.
    pub moved: u64,
    /// Claims that are doctrine.
    pub doctrine: u64,
    /// Claims that wait for a decision.
    pub flagged: u64,
}
