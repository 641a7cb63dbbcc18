//! The stated limits of a claim.

/// The longest label, in bytes.
pub const LABEL_LEN_MAX: usize = 512;
/// The longest title, in bytes.
pub const TITLE_LEN_MAX: usize = 1024;
/// The longest tag, in bytes.
pub const TAG_LEN_MAX: usize = 64;
/// The most tags, evidence entries or dependencies of one claim, each.
pub const LIST_LEN_MAX: usize = 64;
/// The longest evidence entry, dependency or group, in bytes.
pub const ITEM_LEN_MAX: usize = 1024;
/// The largest claim file this program writes, in bytes.
pub const CLAIM_LEN_MAX: usize = 256 * 1024;
/// The largest claim file this program loads; a larger one is listed by its size.
pub const CLAIM_LEN_READ_MAX: u64 = 1024 * 1024;
/// The largest undecided file that this program loads and that a merge writes: it holds several claims.
pub const UNDECIDED_LEN_READ_MAX: u64 = 16 * 1024 * 1024;
/// The longest slug, in bytes.
pub const SLUG_LEN_MAX: usize = 80;
/// The most versions that a header names as written over.
pub const FOLLOWS_MAX: usize = 16;
/// The most versions of one label in one undecided file.
pub const SIDES_MAX: usize = 64;
/// The most earlier names of one claim that count for the rows of a listing although only the repository's log tells
/// them: any committer can write any number of them.
pub const HEARSAY_NAMES_MAX: usize = 256;
