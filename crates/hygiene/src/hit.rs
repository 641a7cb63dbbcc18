//! A literal that was found in a text, for the check that decides.

/// A literal of a rule that is in the text.
#[derive(Clone, Copy)]
pub(crate) struct LiteralHit {
    pub(crate) rule: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
}
