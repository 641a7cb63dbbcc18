//! What an act says of a version that was judged.

use crate::Verdict;
use std::fmt;

/// The verdict of an act, or an unknown word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// A verdict.
    Known(Verdict),
    /// A word that this program does not know.
    Other(String),
}

impl Judgement {
    /// Reads any word.
    pub fn read(word: &str) -> Self {
        Verdict::parse(word).map_or_else(|| Self::Other(word.to_owned()), Self::Known)
    }

    /// The word on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(verdict) => verdict.as_str(),
            Self::Other(word) => word,
        }
    }

    /// The verdict; `None` for an unknown word.
    pub fn verdict(&self) -> Option<Verdict> {
        match self {
            Self::Known(verdict) => Some(*verdict),
            Self::Other(_) => None,
        }
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
