//! The limits of the use cases of the inbox.

/// How many messages a listing shows at most.
pub(super) const LIST_MAX: usize = 500;
/// How long a session has a message that it fetched, in seconds, if it names no other time.
pub(super) const LEASE_S_DEFAULT: u64 = 600;
/// How long a lease may be, in seconds.
pub(super) const LEASE_S_MAX: u64 = 86_400;
/// How many messages one call finishes.
pub(super) const FINISH_MAX: usize = 100;
/// How many similar names an error shows.
pub(super) const NEAR_MAX: usize = 5;
/// The longest search, in bytes.
pub(super) const SEARCH_BYTES_MAX: usize = 200;
