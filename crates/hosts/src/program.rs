//! How hosts start this program.

/// The name by which hosts start this program: not a path, because these files are shared with people that have it
/// elsewhere.
pub const PROGRAM: &str = "brainstem";
/// The name of our server in every host. No underscore: one host splits names there.
pub(crate) const SERVER: &str = "brainstem";
