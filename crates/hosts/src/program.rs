//! How hosts start this program.

/// This program, as hosts start it: by name, because these files are shared with people who have it elsewhere.
pub const PROGRAM: &str = "brainstem";
