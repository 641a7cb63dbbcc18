//! What both models have in common.

use crate::vector::Vector;

/// The name of the vector space, and of the weights that made it.
///
/// Vectors kept under another name cannot be compared with these.
pub const SPACE_ID: &str = "t3-256-8369f0c3";

/// Turns text into vectors. All embedders share one space, so a query of one can be compared with documents of another.
pub trait Embed: Send + Sync {
    /// The space and the model, such as `t3-256-8369f0c3/encoder`.
    fn id(&self) -> &str;

    /// The vector of a text that questions should find.
    fn document(&self, text: &str) -> Vector;

    /// The vector of a question.
    fn query(&self, text: &str) -> Vector;
}
