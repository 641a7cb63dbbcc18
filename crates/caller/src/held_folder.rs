//! The folder that a session without a brain was in.

use std::path::PathBuf;

/// The project without a brain that a session was in, and the folder that was its root then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeldFolder {
    /// The session's place.
    pub(crate) at: PathBuf,
    /// The root of the project.
    pub(crate) root: PathBuf,
    /// The number and birth time of that folder.
    pub(crate) stamp: String,
}
