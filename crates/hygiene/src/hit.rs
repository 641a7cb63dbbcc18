//! A literal that was found in a text, for the check that decides.

use std::ops::Range;

/// The bytes of a secret; `None` if a check finds none.
pub(crate) type Span = Option<Range<usize>>;

/// A literal of a rule that is in the text.
#[derive(Clone, Copy)]
pub(crate) struct LiteralHit {
    pub(crate) rule: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
}
