//! The seam to what turns text into vectors.

use brainstem_recall::rank::Direction;
use brainstem_recall::segment::DIMENSIONS;
use brainstem_recall_model::{Embedder as _, Encoder, SPACE_ID, Static, Vector};

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

/// The encoder and the table of tokens that the program carries.
pub struct BuiltIn {
    encoder: Encoder,
    table: Static,
}

impl BuiltIn {
    /// What the program carries.
    pub fn new() -> Self {
        Self { encoder: Encoder::new(), table: Static::new() }
    }
}

impl Default for BuiltIn {
    fn default() -> Self {
        Self::new()
    }
}

impl Meanings for BuiltIn {
    fn space(&self) -> &str {
        SPACE_ID
    }

    fn at_once(&self, text: &str) -> Option<Quantised> {
        Some(quantised(&self.table.document(text)))
    }

    fn in_time(&self, text: &str) -> Option<Quantised> {
        self.has_better().then(|| quantised(&self.encoder.document(text)))
    }

    fn has_better(&self) -> bool {
        self.encoder.is_fast()
    }

    fn question(&self, text: &str) -> Option<Direction> {
        let vector = match self.has_better() {
            true => self.encoder.query(text),
            false => self.table.query(text),
        };
        let Quantised { values, scale } = quantised(&vector);
        // A question of nothing that the model knows points nowhere.
        (scale > 0.0).then_some(Direction { values, scale })
    }
}

fn quantised(vector: &Vector) -> Quantised {
    let quantised = vector.quantised();
    Quantised { values: quantised.values, scale: quantised.scale }
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
