//! Turns text into vectors whose dot product says how much two texts have to do with each other.
#![allow(dead_code)]

mod identifiers;
mod pieces;
mod unicode;
mod vocabulary;

pub use identifiers::normalise;
pub use pieces::PIECE_COUNT_MAX;
