//! How much a caller may do.

use std::ops::RangeInclusive;

/// The claims that one agent may write in a minute, unless a person sets another number.
pub const WRITES_PER_MINUTE_DEFAULT: u32 = 1_000;
/// The numbers that can be set.
pub const WRITES_PER_MINUTE: RangeInclusive<u32> = 1..=1_000_000;
