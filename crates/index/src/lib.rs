//! The search index: derived from the claim files and never the only copy of anything.
//!
//! Each store has one file under the home's `index` folder: a [segment](brainstem_recall::segment) that processes map
//! and share. Claims that changed since the segment was written are read from their files into a small segment of this
//! process, so that a claim is in the very next recall of every process and no write waits for an index. If the file is
//! missing, cut, damaged or of another program, the claims themselves are read.

mod document;
mod drift;
mod embedder;
mod indexes;
mod parts;
mod publish;
mod read;
mod snapshot;
mod store_index;

pub use drift::Drift;
pub use embedder::{BundledEmbedder, Embedder, NoEmbedder, QuantisedVector};
pub use indexes::HomeIndex;
pub use parts::{CarriesSecret, FOLDER, IndexParts};
pub use publish::{KeepGoing, PublishReport, PublishUntil};
pub use snapshot::Snapshot;
pub use store_index::StoreIndex;
