//! What the hosts of agents read and write: which files each has, how an entry is put into them and
//! taken out again without touching anything else, and how the hooks of each speak.
//!
//! Text in, text out. No code here reads a file; the use case knows the folder.

pub mod host;

pub mod part;

mod edit;
mod program;
mod want;

pub mod json;
mod section;
mod toml;

pub mod steps;

pub mod diff;

pub mod payload;
pub mod speech;

pub use host::Host;
pub use part::{InsertedPart, RemovedPart, UnfitFile, WantedContent, WantedFile};
pub use payload::Payload;
pub use steps::Step;
