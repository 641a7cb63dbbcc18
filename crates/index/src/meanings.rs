//! The seam to what turns text into vectors.

use brainstem_recall::rank::Direction;
use brainstem_recall::segment::DIMENSIONS;

/// A unit vector as signed bytes, and what they are multiplied by.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantised {
    /// The values.
    pub values: [i8; DIMENSIONS],
    /// What they are multiplied by.
    pub scale: f32,
}

/// Turns text into vectors of one space, at two speeds.
pub trait Meanings: Send + Sync {
    /// Names the space; vectors of another are never compared.
    fn space(&self) -> &str;

    /// The vector of a claim's text, in microseconds.
    fn at_once(&self, text: &str) -> Option<Quantised>;

    /// The better vector of a claim's text, in milliseconds; `None` where this machine has no use for it.
    fn in_time(&self, text: &str) -> Option<Quantised>;

    /// Whether [`Meanings::in_time`] has any.
    fn has_better(&self) -> bool;

    /// The meaning of a question.
    fn question(&self, text: &str) -> Option<Direction>;
}

/// Words alone: for tests that are about something else, and for comparing.
#[derive(Clone, Copy, Debug, Default)]
pub struct WordsAlone;

impl Meanings for WordsAlone {
    fn space(&self) -> &str {
        "words-alone"
    }

    fn at_once(&self, _text: &str) -> Option<Quantised> {
        None
    }

    fn in_time(&self, _text: &str) -> Option<Quantised> {
        None
    }

    fn has_better(&self) -> bool {
        false
    }

    fn question(&self, _text: &str) -> Option<Direction> {
        None
    }
}
