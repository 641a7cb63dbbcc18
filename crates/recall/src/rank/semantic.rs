//! The score of vectors: one pass over the vectors of the scope.

use crate::scope::RecallScope;
use crate::segment::{DIMENSIONS, VectorKind};
use brainstem_recall_model::{dots, signed};

/// How many documents are sampled for the middle of all similarities.
const SAMPLE: usize = 2048;

/// The similarity of unrelated texts, and how many documents it counts for.
const STRANGERS: f32 = 0.1;
const STRANGERS_COUNT: f32 = 20.0;
/// The best must exceed the middle by this much to count in full.
const SPAN_MIN: f32 = 0.2;
/// How far below the middle a similarity counts: if most are near the best, the middle is close to it, and those below
/// must not outweigh every word.
pub(super) const LOWEST: f32 = -1.0;

/// The vector of a question: a unit vector, as signed bytes and their factor.
#[derive(Clone, Debug)]
pub struct Direction {
    /// The values.
    pub values: [i8; DIMENSIONS],
    /// The factor of the values.
    pub scale: f32,
}

/// The similarity of each document of a scope to a question.
pub(super) struct Semantic {
    pub(super) cosines: Vec<f32>,
    pub(super) direction: Direction,
    middle: f32,
    pub(super) best: f32,
    /// Whether the closest document has a vector of the encoder.
    pub(super) is_best_encoded: bool,
}

/// Decides by the similarity itself whether it is sampled, so that the sample does not depend on the order of
/// documents.
fn sample_hash(cosine: f32) -> u32 {
    // The multiplier spreads the lowest bits, which do not depend on the size, over the highest.
    cosine.to_bits().wrapping_mul(0x9E37_79B1) >> 16
}

impl Semantic {
    pub(super) fn score(scope: &RecallScope<'_>, direction: Direction) -> Self {
        // Deleted documents do not change a rank, and neither does the order of documents.
        let mask = (scope.live / SAMPLE as u32 + 1).next_power_of_two() / 2;
        let mask = mask.saturating_sub(1);
        let mut cosines: Vec<f32> = vec![0.0; scope.docs as usize];
        let mut sample: Vec<f32> = Vec::new();
        let mut best = f32::NEG_INFINITY;
        let mut is_best_encoded = false;
        let mut products = Vec::new();
        for part in &scope.parts {
            let is_whole = part.deleted.count() == 0;
            dots(&direction.values, signed(part.segment.vectors()), &mut products);
            let rows = cosines[part.first as usize..].iter_mut().zip(&products);
            for (doc, (cosine, product)) in (0..part.segment.len()).zip(rows) {
                *cosine = *product as f32 * direction.scale * part.segment.scale(doc);
                if is_whole || !part.deleted.holds(doc) {
                    if *cosine >= best {
                        // Any of several equals will do, so that the result does not depend on the order of documents.
                        let is_encoded = part.segment.vector_kind(doc) == VectorKind::Encoded;
                        is_best_encoded = is_encoded || (is_best_encoded && *cosine == best);
                        best = *cosine;
                    }
                    if sample_hash(*cosine) & mask == 0 {
                        sample.push(*cosine);
                    }
                }
            }
        }
        // Of two the lower one, so that the better of them is above the middle.
        let middle = sample.len().saturating_sub(1) / 2;
        let middle = match sample.is_empty() {
            true => STRANGERS,
            false => *sample.select_nth_unstable_by(middle, f32::total_cmp).1,
        };
        // A few claims say little about the usual similarity.
        let count = scope.live as f32;
        let middle = (count * middle + STRANGERS_COUNT * STRANGERS) / (count + STRANGERS_COUNT);
        Self { cosines, direction, middle, best, is_best_encoded }
    }

    /// The position of a similarity between the middle of all (0) and the best (1), or below.
    pub(super) fn standing(&self, cosine: f32) -> f32 {
        // Far below the middle all are equal: words then decide.
        ((cosine - self.middle) / (self.best - self.middle).max(SPAN_MIN)).max(0.0)
    }
}
