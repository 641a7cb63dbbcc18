//! The folder that a session without a brain stood in.

use std::path::PathBuf;

/// The project without a brain that a session stood in, and the folder that was its root then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeldFolder {
    /// The place where the session stood.
    pub(crate) at: PathBuf,
    /// The root of the project.
    pub(crate) root: PathBuf,
    /// The number and birth of that folder.
    pub(crate) stamp: String,
}
