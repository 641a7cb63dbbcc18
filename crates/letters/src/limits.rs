//! The stated limits of letters.

/// The longest line that is read as a letter, in bytes.
pub const LINE_LEN_MAX: usize = 256 * 1024;
/// The longest field that `letter write` takes, in bytes.
pub const FIELD_LEN_MAX: usize = 32 * 1024;
/// The longest class, kind and tool, in bytes.
pub const WORD_LEN_MAX: usize = 64;
/// The most letters that one letter answers.
pub const ANSWERS_MAX: usize = 200;
/// The most claims, and the most questions, of one case of the battery.
pub const CASE_LIST_MAX: usize = 50;
