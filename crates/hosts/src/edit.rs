//! What became of a file: with our part in it, without it, or left alone.

use crate::steps::{Draft, Step, append_block};

/// Why a file is left alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct UnfitFile {
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub fix: String,
}

/// A file with our part in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InsertedPart {
    /// The whole text.
    pub text: String,
    /// What was inserted, in order.
    pub steps: Vec<Step>,
    /// Whether taking the steps back leaves nothing of ours.
    pub exact: bool,
    /// The keys that had to be made; an empty one for the whole document.
    pub made: Vec<String>,
    /// Something of ours was there before.
    pub was_there: bool,
    /// The values that were there before, each by the keys that lead to it, with `/` between them.
    pub there: Vec<String>,
    /// What the person should know.
    pub notes: Vec<String>,
}

/// A file without our part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemovedPart {
    /// The whole text; `None` if nothing is left.
    pub text: Option<String>,
    /// Something of ours was there.
    pub found: bool,
    /// What the person should know.
    pub notes: Vec<String>,
}

/// A block at the end of a text, as an insertion.
pub(crate) fn appended(text: &str, block: &str) -> InsertedPart {
    let mut draft = Draft::new(text);
    append_block(&mut draft, block);
    InsertedPart { text: draft.text, steps: draft.steps, exact: true, ..InsertedPart::default() }
}
