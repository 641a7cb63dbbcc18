//! The seam to what turns text into vectors.

use brainstem_recall::rank::Direction;
use brainstem_recall::segment::DIMENSIONS;
use brainstem_recall_model::{Embed as _, Encoder, PieceTable, SPACE_ID, Vector};

/// A unit vector as signed bytes, and what they are multiplied by.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantisedVector {
    /// The values.
    pub values: [i8; DIMENSIONS],
    /// What they are multiplied by.
    pub scale: f32,
}

/// Turns text into vectors of one space, at two speeds.
pub trait Embedder: Send + Sync {
    /// Names the space; vectors of another are never compared.
    fn space(&self) -> &str;

    /// The vector of a claim's text, in microseconds.
    fn embed_static(&self, text: &str) -> Option<QuantisedVector>;

    /// The better vector of a claim's text, in milliseconds; `None` where this machine has no use for it.
    fn embed_encoded(&self, text: &str) -> Option<QuantisedVector>;

    /// Whether [`Embedder::in_time`] has any.
    fn has_better(&self) -> bool;

    /// The meaning of a question.
    fn question(&self, text: &str) -> Option<Direction>;
}

/// The encoder and the table of tokens that the program carries.
pub struct BundledEmbedder {
    encoder: Encoder,
    table: PieceTable,
}

impl BundledEmbedder {
    /// What the program carries.
    pub fn new() -> Self {
        Self { encoder: Encoder::new(), table: PieceTable::new() }
    }
}

impl Default for BundledEmbedder {
    fn default() -> Self {
        Self::new()
    }
}

impl Embedder for BundledEmbedder {
    fn space(&self) -> &str {
        SPACE_ID
    }

    fn embed_static(&self, text: &str) -> Option<QuantisedVector> {
        Some(quantised(&self.table.document(text)))
    }

    fn embed_encoded(&self, text: &str) -> Option<QuantisedVector> {
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
        let QuantisedVector { values, scale } = quantised(&vector);
        // A question of nothing that the model knows points nowhere.
        (scale > 0.0).then_some(Direction { values, scale })
    }
}

fn quantised(vector: &Vector) -> QuantisedVector {
    let quantised = vector.quantised();
    QuantisedVector { values: quantised.values, scale: quantised.scale }
}

/// Words alone: for tests that are about something else, and for comparing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEmbedder;

impl Embedder for NoEmbedder {
    fn space(&self) -> &str {
        "words-alone"
    }

    fn embed_static(&self, _text: &str) -> Option<QuantisedVector> {
        None
    }

    fn embed_encoded(&self, _text: &str) -> Option<QuantisedVector> {
        None
    }

    fn has_better(&self) -> bool {
        false
    }

    fn question(&self, _text: &str) -> Option<Direction> {
        None
    }
}
