//! The limits of mail.

/// The longest mailbox name, in bytes.
pub const NAME_LEN_MAX: usize = 64;
/// The largest message that is sent, in bytes.
pub const SENT_LEN_MAX: u64 = 1024 * 1024;
/// The most that this program adds to an accepted message, in bytes: its key, and when it was read.
pub const ADDED_LEN_MAX: u64 = 4 * 1024;
/// The largest message that is read, in bytes: every message that could be sent, with what is added to it.
pub const MESSAGE_LEN_MAX: u64 = SENT_LEN_MAX + ADDED_LEN_MAX;
/// The largest frontmatter that is read, in bytes. A sent message has less than 32 KiB there.
pub const HEAD_LEN_MAX: usize = 32 * 1024 + ADDED_LEN_MAX as usize;
/// The longest subject, in bytes.
pub const SUBJECT_LEN_MAX: usize = 300;
/// How many tags a message may carry.
pub const TAGS_MAX: usize = 32;
/// How many tags a session may carry.
pub const SESSION_TAGS_MAX: usize = 32;
/// The longest tag, thread id or key, in bytes.
pub const WORD_LEN_MAX: usize = 200;
/// How many messages of one sender, type and second may be in one box.
pub const SAME_NAME_MAX: u32 = 9999;
/// How long a taken message is held, unless the taker says otherwise.
pub const LEASE_MS: i64 = 15 * 60 * 1000;
/// The shortest and the longest lease.
pub const LEASE_MS_RANGE: std::ops::RangeInclusive<i64> = 1_000..=24 * 60 * 60 * 1000;
