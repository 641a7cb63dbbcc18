//! A file of letters that a call could not reach.

use std::path::PathBuf;

/// A file of letters that could not be read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreachableFile {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub why: String,
}
