//! The limits of SQLite files.

use std::time::Duration;

/// How long a writer waits for its turn before it gives up.
pub const TURN_WAIT: Duration = Duration::from_secs(30);
/// How long a waiting writer sleeps between two looks. A commit takes a fraction of a millisecond, so that a longer pause
/// would leave the disk idle.
pub const TURN_PAUSE: Duration = Duration::from_micros(150);
/// How long SQLite itself waits for a lock that a program outside the line holds.
pub const BUSY_WAIT: Duration = Duration::from_secs(10);
