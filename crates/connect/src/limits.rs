//! The stated limits of the use cases of hosts.

use std::time::Duration;

pub(crate) use brainstem_memory::limits::HOST_FILE_LEN_MAX;

/// How long a call waits for another one that changes the same files of hosts.
pub(crate) const HOSTS_LOCK_WAIT: Duration = Duration::from_secs(5);
/// Two hooks of one event within this time count as one.
pub(crate) const MARK_TWICE_MS: i64 = 10_000;
/// A session that began longer ago has ended.
pub(crate) const MARK_AGE_MS_MAX: i64 = 14 * 24 * 3_600_000;
