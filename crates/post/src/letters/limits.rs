//! The stated limits of the use cases of letters.

use std::ops::RangeInclusive;
use std::time::Duration;

/// The letters that a listing shows when it is not asked for a number.
pub const ROWS_DEFAULT: usize = 50;
/// The numbers it may be asked for.
pub const ROWS: RangeInclusive<usize> = 1..=10_000;

/// The newest open letters that a beat shows.
pub(crate) const OPEN_NAMED_MAX: usize = 3;
/// How much of an open letter a beat shows, in characters.
pub(crate) const OPEN_CHARS_MAX: usize = 120;
/// More bytes of letters than this are not read for a beat.
pub(crate) const OPEN_LEN_MAX: u64 = 8 * 1024 * 1024;
/// How much of a project's name is shown, in characters.
pub(crate) const SPELLED_CHARS_MAX: usize = 200;
/// The weeks that the doctor shows.
pub(crate) const WEEKS_MAX: usize = 13;
/// How many findings of one kind are named one by one.
pub(crate) const FINDINGS_NAMED_MAX: usize = 20;
/// The most folders that are looked at below one search root.
pub(crate) const SEARCHED_MAX: usize = 10_000;
/// The largest `projects.toml`, and the largest case of a battery, in bytes.
pub(crate) const SMALL_FILE_MAX: u64 = 1024 * 1024;
/// The most cases of one battery that are run.
pub(crate) const CASES_MAX: usize = 1_000;
/// The largest file of old letters that is taken in, in bytes.
pub(crate) const IMPORT_LEN_MAX: u64 = 256 * 1024 * 1024;
/// How long a case waits for one that another process tries.
pub(crate) const CASE_WAIT: Duration = Duration::from_secs(60);
