//! JSON as people keep it: read with the place of everything, changed by inserting and cutting text. Why with no library:
//! docs/decisions/0008.

mod cut;
mod put;
mod read;

pub(crate) use cut::{remove, without_older};
pub(crate) use put::insert;
pub(crate) use read::{JsonDocument, Node, NodeKind, read};

/// Which JSON a host reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// As the standard has it: a comment or a comma too many makes the host drop the file.
    Strict,
    /// With comments, and commas at the end.
    Comments,
}
