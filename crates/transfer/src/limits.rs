//! The stated limits of export, import and migration.

/// How many brains of an export are named when one has to be chosen.
pub(crate) const BRAINS_NAMED_MAX: usize = 20;
/// How many claims that changed since a migration are named in the refusal to roll it back.
pub(crate) const CHANGED_NAMED_MAX: usize = 20;
/// How many pieces of evidence, and how many paths of its text, say where a claim belongs.
pub(crate) const SIGNS_MAX: usize = 32;
/// The longest secret that is found across the pieces in which a large file is read.
pub(crate) const SECRET_LEN_MAX: u64 = 64 * 1024;
/// How much of a large file is held at once while it is copied.
pub(crate) const PIECE_LEN: u64 = 4 * 1024 * 1024;
