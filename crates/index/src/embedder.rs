//! The port to the models that turn text into vectors.

use brainstem_recall::rank::Direction;
use brainstem_recall::segment::DIMENSIONS;
use brainstem_recall_model::{Embed as _, Encoder, PieceTable, SPACE_ID, Vector};

/// A unit vector as signed bytes, and their factor.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantisedVector {
    /// The values.
    pub values: [i8; DIMENSIONS],
    /// The factor of the values.
    pub scale: f32,
}

/// Turns text into vectors of one space, at two speeds.
pub trait Embedder: Send + Sync {
    /// Names the space; vectors of another are never compared.
    fn space(&self) -> &str;

    /// The vector of a claim's text, in microseconds.
    fn embed_static(&self, text: &str) -> Option<QuantisedVector>;

    /// The better vector of a claim's text, in milliseconds; `None` if this machine does not use it.
    fn embed_encoded(&self, text: &str) -> Option<QuantisedVector>;

    /// Whether [`Embedder::embed_encoded`] returns vectors.
    fn has_better(&self) -> bool;

    /// The meaning of a question.
    fn question(&self, text: &str) -> Option<Direction>;
}

/// The encoder and the table of tokens in the program.
pub struct BundledEmbedder {
    encoder: Encoder,
    table: PieceTable,
}

impl BundledEmbedder {
    /// The models in the program.
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
        // A question without a word that the model knows has no direction.
        (scale > 0.0).then_some(Direction { values, scale })
    }
}

fn quantised(vector: &Vector) -> QuantisedVector {
    let quantised = vector.quantised();
    QuantisedVector { values: quantised.values, scale: quantised.scale }
}

/// No vectors: for tests about something else, and for comparisons.
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
