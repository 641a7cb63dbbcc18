//! A segment: documents laid out in one block of bytes that many processes can map and share.
//!
//! Derived, and never trusted: a block is checked as a whole when it is opened, every number in it is checked against
//! its bounds, and answers are read from the claim's own file.

mod build;
mod checksum;
mod layout;
mod read;
mod vector_kind;

pub use build::Builder;
pub use layout::{BrokenSegment, Layout};
pub use read::Segment;
pub use vector_kind::VectorKind;

/// The dimensions of a vector.
pub const DIMENSIONS: usize = 256;

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod tests;
