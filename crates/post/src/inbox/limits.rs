//! The limits of the use cases of the inbox.

use std::time::Duration;

/// How many messages a listing shows at most.
pub const LIST_MAX: usize = 500;
/// How long a session has a message that it fetched, in seconds, if it names no other time.
pub(super) const LEASE_S_DEFAULT: u64 = 600;
/// How long a lease may be, in seconds.
pub(super) const LEASE_S_MAX: u64 = 86_400;
/// How many messages one call finishes.
pub const FINISH_MAX: usize = 100;
/// How many messages and how many requests of one outsider are shown.
pub(super) const HELD_SHOWN_MAX: usize = 5;
/// How many similar names an error shows.
pub(super) const NEAR_MAX: usize = 5;
/// The longest search, in bytes.
pub const SEARCH_BYTES_MAX: usize = 200;
/// The longest key of a send, in bytes.
pub(super) const KEY_BYTES_MAX: usize = 128;
/// How many digits of an id are enough to look for it.
pub(super) const ID_START_MIN: usize = 4;
/// How long a watcher sleeps before it sees whether the files of the ledger changed.
pub(super) const WATCH_PAUSE: Duration = Duration::from_millis(10);
/// How often a watcher looks into the ledger whose files look unchanged.
pub(super) const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// How many messages a listing shows, if no number is given.
pub const INBOX_LIMIT_DEFAULT: usize = 50;
