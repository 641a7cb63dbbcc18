//! The limits of agents.

/// How deep JSON may be nested. A JSON reader refuses what is deeper, so that it could not be read back.
pub const JSON_DEPTH_MAX: usize = 127;
