//! The limits of the embedded ledger.

/// How many appends share one transaction at most, so that the first of them does not wait for a crowd.
pub const BATCH_APPENDS_MAX: usize = 512;
/// The number of the first topic. Hedera keeps the numbers up to 1,000 for itself, and so do we.
pub const FIRST_TOPIC_NUM: u64 = 1_001;
/// How many tiles of the tree are made in one step, so that a long log takes no more memory than a short one.
pub(crate) const TILES_PER_STEP: u64 = 256;
/// How many levels of tiles are kept: enough for 2^40 messages.
pub(crate) const TILE_LEVELS: u32 = 4;
