//! What is close in meaning: one pass over the vectors of the scope.

use crate::scope::Scope;
use crate::segment::DIMENSIONS;
use brainstem_recall_model::{dots, signed};

/// How many documents are asked for the middle of all similarities.
const SAMPLE: usize = 2048;

/// The similarity of texts that have nothing to do with each other, and how many documents it counts for.
const STRANGERS: f32 = 0.1;
const STRANGERS_COUNT: f32 = 20.0;
/// The best must stand out by this much to count in full.
const SPAN_MIN: f32 = 0.2;
/// How far below the middle a similarity counts: where most are the best, the middle is close to it, and
/// what is below must not outweigh every word.
pub(super) const LOWEST: f32 = -1.0;

/// The meaning of a question: a unit vector, as signed bytes and what they are multiplied by.
#[derive(Clone, Debug)]
pub struct Direction {
    /// The values.
    pub values: [i8; DIMENSIONS],
    /// What they are multiplied by.
    pub scale: f32,
}

/// The similarity of each document of a scope to a question.
pub(super) struct Semantic {
    pub(super) cosines: Vec<f32>,
    pub(super) direction: Direction,
    middle: f32,
    pub(super) best: f32,
}

impl Semantic {
    pub(super) fn score(scope: &Scope<'_>, direction: Direction) -> Self {
        let mut cosines: Vec<f32> = vec![0.0; scope.docs as usize];
        let mut products = Vec::new();
        for part in &scope.parts {
            let first = part.first as usize;
            dots(&direction.values, signed(part.segment.vectors()), &mut products);
            for (doc, (product, cosine)) in products.iter().zip(&mut cosines[first..]).enumerate() {
                *cosine = *product as f32 * direction.scale * part.segment.scale(doc as u32);
            }
        }
        // What is struck out moves no rank, and neither does the order in which documents lie.
        let mask = (u64::from(scope.live) / SAMPLE as u64 + 1).next_power_of_two() / 2;
        let mask = mask.saturating_sub(1);
        let mut sample: Vec<f32> = Vec::new();
        let mut best = f32::NEG_INFINITY;
        for part in &scope.parts {
            let is_whole = part.struck.count() == 0;
            for (doc, cosine) in (0..part.segment.len()).zip(&cosines[part.first as usize..]) {
                if is_whole || !part.struck.holds(doc) {
                    best = best.max(*cosine);
                    if mask == 0 || part.segment.meaning(doc) & mask == 0 {
                        sample.push(*cosine);
                    }
                }
            }
        }
        // Of two the lower one, so that the better of them stands above the middle.
        let middle = sample.len().saturating_sub(1) / 2;
        let middle = match sample.is_empty() {
            true => STRANGERS,
            false => *sample.select_nth_unstable_by(middle, f32::total_cmp).1,
        };
        // A handful of claims says little about what is usual.
        let count = scope.live as f32;
        let middle = (count * middle + STRANGERS_COUNT * STRANGERS) / (count + STRANGERS_COUNT);
        Self { cosines, direction, middle, best }
    }

    /// A similarity on the way from the middle of all (0) to the best (1), or as far below it.
    pub(super) fn standing(&self, cosine: f32) -> f32 {
        // Below the middle nothing is told apart: words then decide.
        ((cosine - self.middle) / (self.best - self.middle).max(SPAN_MIN)).max(0.0)
    }
}
