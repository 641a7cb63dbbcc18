//! The limits of mail's use cases.

/// How many messages a listing shows by default.
pub const LIMIT_DEFAULT: usize = 50;
/// How many it shows at most.
pub const LIMIT_MAX: usize = 1000;
/// The longest part of a body that a search shows, in bytes.
pub(super) const SNIPPET_LEN_MAX: usize = 200;
