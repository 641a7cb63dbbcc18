//! How large the things of this crate may be.

/// The longest value of a token, in bytes.
pub const TOKEN_VALUE_LEN_MAX: usize = 256;
/// The longest namespace of a subtype, in bytes.
pub const TOKEN_NAMESPACE_LEN_MAX: usize = 64;
/// The longest payload type, in bytes.
pub const PAYLOAD_TYPE_LEN_MAX: usize = 64;
/// The longest id of what changed, in bytes.
pub const PAYLOAD_ID_LEN_MAX: usize = 512;
/// The units of one commit.
pub const UNITS_PER_COMMIT_MAX: usize = 10_000;
/// The commits of which a receiver has some units and not all.
pub const COMMITS_OPEN_MAX: usize = 1_000;
/// The tokens that one subscription waits for.
pub const SELECTORS_MAX: usize = 64;
/// The longest text of a predicate, in bytes.
pub const PREDICATE_LEN_MAX: usize = 4_096;
/// How deep the parentheses of a predicate go.
pub const PREDICATE_DEPTH_MAX: usize = 32;
/// The wakes that wait for one agent. One that comes beyond it is settled by the newest of them.
pub const WAKES_PER_AGENT_MAX: usize = 1_000;
/// The wakes that are run together.
pub const MEMBERS_PER_JOB_MAX: usize = 100;
/// How far ahead a schedule is searched for its next occurrence, in days. A 29 February that has to be a Monday comes
/// once in 28 years, and across a century without a leap year once in 40.
pub const SCHEDULE_DAYS_AHEAD_MAX: i64 = 366 * 41;
