//! The number of a message.

use std::fmt;
use std::num::NonZeroU64;

/// The number of a message in its topic: 1, 2, 3, without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence(NonZeroU64);

impl Sequence {
    /// The number of the first message.
    pub const FIRST: Self = Self(NonZeroU64::MIN);

    /// The sequence number; `None` for zero.
    pub fn new(number: u64) -> Option<Self> {
        NonZeroU64::new(number).map(Self)
    }

    /// The number.
    pub fn number(self) -> u64 {
        self.0.get()
    }

    /// The number of the message after this one.
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
