//! Turns text into vectors whose dot product says how related two texts are.
//!
//! Two models share one space of 256 dimensions, and their weights are part of the program. The [`Encoder`] reads words
//! in their order and takes about a millisecond for a query; [`PieceTable`] sums one vector per word piece and takes
//! microseconds. A query of either finds the documents of both. Callers decide which text is embedded, where vectors
//! are kept and how they are weighed against words.
//!
//! ```
//! use brainstem_recall_model::{Embed, Encoder};
//!
//! let encoder = Encoder::new();
//! let query = encoder.query("what do I have to do about outdated prices before we ship");
//! let near = encoder.document("The cache must be flushed before every release, otherwise stale prices are shown.");
//! let far = encoder.document("Never log the authorization header.");
//! assert!(query.dot(&near) > query.dot(&far) + 0.2);
//! ```

mod embedder;
mod encoder;
mod table;

mod scan;
mod signed;
mod vector;

mod identifiers;
mod pieces;
mod unicode;
mod vocabulary;

mod kernels;
mod maths;
mod weights;

#[cfg(test)]
mod reference_tests;

pub use embedder::{Embed, SPACE_ID};
pub use encoder::Encoder;
pub use identifiers::normalise;
pub use kernels::KernelPath;
pub use pieces::PIECE_COUNT_MAX;
pub use scan::{dot, dots};
pub use signed::signed;
pub use table::PieceTable;
pub use vector::{DIMENSIONS, Quantised, Vector};
