//! The limits of the embedded ledger.

/// How many appends share one transaction at most, so that the first of them does not wait for a crowd.
pub const BATCH_APPENDS_MAX: usize = 512;
/// The number of the first topic. Hedera keeps the numbers up to 1,000 for itself, and so do we.
pub const FIRST_TOPIC_NUM: u64 = 1_001;
