//! The stated limits of the use cases of memory.

use std::ops::RangeInclusive;
use std::time::Duration;

/// The rows of a search that asks for no number.
pub const SEEK_ROWS_DEFAULT: usize = 10;
/// The rows a search may ask for.
pub const SEEK_ROWS: RangeInclusive<usize> = 1..=200;
/// The rows of a listing that asks for no number.
pub const LIST_ROWS_DEFAULT: usize = 100;
/// The rows a listing may ask for.
pub const LIST_ROWS: RangeInclusive<usize> = 1..=10_000;
/// The rows of a verification that asks for no number.
pub const VERIFY_ROWS_DEFAULT: usize = 50;
/// The budget of a beat that asks for none, in tokens.
pub const BUDGET_DEFAULT: usize = 1_200;
/// The budgets a beat may ask for, in tokens.
pub const BUDGET: RangeInclusive<usize> = 50..=100_000;
/// The most boot keys of one store.
pub const BOOT_KEYS_MAX: usize = 100;
/// The longest boot key, in bytes.
pub const BOOT_KEY_LEN_MAX: usize = 64;
/// The longest value of a boot key, in bytes.
pub const BOOT_VALUE_LEN_MAX: usize = 4_096;
/// The longest reason of a retraction, in bytes.
pub const REASON_LEN_MAX: usize = 4_096;
/// The longest note of a verdict, in bytes.
pub const NOTE_LEN_MAX: usize = 4_096;

pub use brainstem_caller::limits::{WRITES_PER_MINUTE, WRITES_PER_MINUTE_DEFAULT};

/// The entries of an audit that asks for no number.
pub const AUDIT_ROWS_DEFAULT: usize = 50;
/// The entries an audit may ask for.
pub const AUDIT_ROWS: RangeInclusive<usize> = 1..=10_000;

/// From this many claims on the medulla is a problem, not a warning.
pub const MEDULLA_HARD_CAP: usize = 300;

/// How many findings of one kind in one store are named one by one.
pub(crate) const FINDINGS_NAMED_MAX: usize = 50;
/// A disk with fewer bytes left is nearly full.
pub(crate) const DISK_FREE_LEN_MIN: u64 = 100 * 1024 * 1024;
/// How far a clock may be behind a claim before an answer says so.
pub(crate) const CLOCK_BEHIND_MS_MAX: i64 = brainstem_claims::age::CLOCKS_DIFFER_MS_MAX;
/// What a change that runs now has just made is younger than this.
pub(crate) const IN_FLIGHT_MS_MAX: i64 = 60_000;
/// A temporary file that is older than this is a leftover.
pub(crate) const LEFTOVER_MS_MIN: i64 = 3_600_000;

/// How many claims of the medulla are compared with each other: a few times its caps.
pub(crate) const CONSOLIDATE_COMPARED_MAX: usize = 1_000;
/// The largest file of a host that is read.
pub const HOST_FILE_LEN_MAX: u64 = 1024 * 1024;

/// How long a beat waits for the medulla.
pub(crate) const MEDULLA_BUDGET: Duration = Duration::from_secs(1);
/// How many unreadable files of one store are named one by one.
pub(crate) const UNREADABLE_NAMED_MAX: usize = 5;
/// How many rows of each tier are compared with those of the other, beside the labels that both tiers have.
pub(crate) const COMPARED_ROWS_MAX: usize = 60;
/// How many claims of a store are shown if nothing is about a task.
pub(crate) const STAND_IN_ROWS: usize = 5;
/// For how many claims of a store the worth is computed; in a larger store for the youngest, and for those with a
/// verdict.
pub(crate) const WEIGHED_MAX: usize = 1_000;

/// The hours after which a delegation runs out, unless it says otherwise.
pub const EXPIRES_HOURS_DEFAULT: i64 = 24;
/// The hours a delegation may last.
pub const EXPIRES_HOURS: RangeInclusive<usize> = 1..=8_760;
/// The longest task of a delegation, in bytes.
pub const TASK_LEN_MAX: usize = 16 * 1024;
/// The most paths of a scope, and the most seeds, each.
pub const DELEGATION_LIST_MAX: usize = 32;
/// The longest path of a scope or among those touched, in bytes.
pub const SCOPE_LEN_MAX: usize = 1_024;
/// The most findings of one debrief.
pub const FINDINGS_MAX: usize = 200;
/// The longest finding, in bytes.
pub const FINDING_LEN_MAX: usize = 32 * 1024;
/// The most deviations of one debrief.
pub const DEVIATIONS_MAX: usize = 50;
/// The longest deviation, in bytes.
pub const DEVIATION_LEN_MAX: usize = 2_048;
/// The most paths that a debrief says were touched.
pub const TOUCHED_MAX: usize = 200;

/// How long `forget` waits for a case of the battery that another process tries.
pub(crate) const CASE_WAIT: Duration = Duration::from_secs(2);

/// How often a question is asked anew because a file changed between the ranking and the reading, or because git, `init`
/// or `eject` moved claims meanwhile. Readers take no lock.
pub(crate) const RETRIES: usize = 3;

/// The largest register of principals that is read.
pub(crate) const REGISTER_LEN_MAX: u64 = 1024 * 1024;
