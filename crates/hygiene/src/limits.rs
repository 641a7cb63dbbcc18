//! How far the checks look and how much they report.

/// The most findings that `inspect_all` reports.
pub const FINDING_COUNT_MAX: usize = 64;
/// How often a text is inspected again until nothing in it has to be masked.
pub const MASK_PASS_COUNT_MAX: usize = 16;
/// How far any check looks ahead of the literal that called it.
pub const LOOK_AHEAD_MAX: usize = 8192;
/// How far any check looks back.
pub const LOOK_BACK_MAX: usize = 256;
/// The longest value of an assignment that is judged.
pub const VALUE_LEN_MAX: usize = 200;
/// How much of a long value is judged: the rest looks the same.
pub const JUDGED_LEN_MAX: usize = 96;
/// The longest run of a conflict marker's character.
pub const MARKER_LEN_MAX: usize = 64;
