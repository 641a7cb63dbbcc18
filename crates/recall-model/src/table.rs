//! One vector for each word piece; a text is the sum of its pieces. It takes microseconds and knows no word order.

use crate::embedder::Embed;
use crate::identifiers::Split;
use crate::pieces::pieces;
use crate::vector::{DIMENSIONS, Vector};
use crate::vocabulary::PIECE_COUNT;
use crate::weights::Floats;

/// Scales, then rows, then the weights of pieces in a query.
static TABLE: &[u8; PIECE_COUNT * (4 + DIMENSIONS + 4)] = include_bytes!("../weights/static-256-i8.bin");

/// The table of piece vectors.
pub struct PieceTable {
    scales: Floats,
    rows: &'static [[u8; DIMENSIONS]],
    query_weights: Floats,
}

impl PieceTable {
    /// The table that is part of the program; nothing is read yet.
    pub fn new() -> Self {
        let (scales, rest) = TABLE.split_at(4 * PIECE_COUNT);
        let (rows, query_weights) = rest.split_at(DIMENSIONS * PIECE_COUNT);
        Self {
            scales: Floats::new(scales),
            rows: rows.as_chunks().0,
            query_weights: Floats::new(query_weights),
        }
    }

    /// The vector of some pieces, each with a weight.
    pub(crate) fn sum(&self, pieces: &[u16], weight: impl Fn(usize) -> f32) -> Vector {
        let mut sum = [0.0; DIMENSIONS];
        for &id in pieces {
            let id = usize::from(id);
            let scale = self.scales.at(id) * weight(id);
            for (sum, &value) in sum.iter_mut().zip(&self.rows[id]) {
                *sum += scale * f32::from(value as i8);
            }
        }
        Vector::towards(sum)
    }
}

impl Default for PieceTable {
    fn default() -> Self {
        Self::new()
    }
}

impl Embed for PieceTable {
    fn id(&self) -> &str {
        "t3-256-8369f0c3/static-391bd3da"
    }

    fn document(&self, text: &str) -> Vector {
        self.sum(&pieces(Split::new(text)), |_| 1.0)
    }

    fn query(&self, text: &str) -> Vector {
        self.sum(&pieces(Split::new(text)), |id| self.query_weights.at(id))
    }
}
