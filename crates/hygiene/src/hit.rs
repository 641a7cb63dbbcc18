//! A literal that was met in a text, for the check that decides.

/// A literal of a rule that stands in the text.
#[derive(Clone, Copy)]
pub(crate) struct LiteralHit {
    pub(crate) rule: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
}
