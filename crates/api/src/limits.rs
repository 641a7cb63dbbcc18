//! The limits of this crate.

/// The longest text taken from a file or from standard input, in bytes.
///
/// Far above what any verb accepts, so that the verb refuses with its own code; it only keeps an
/// endless pipe from filling the memory.
pub const LONG_TEXT_LEN_MAX: usize = 4 * 1024 * 1024;

/// The values of one JSON document that a caller sends, arrays and objects included. A batch of a thousand claims has a
/// fifth of these.
pub const JSON_VALUES_MAX: usize = 100_000;

/// The lines of a batch that one call over MCP or REST takes.
pub const BATCH_LINES_MAX: usize = 1_000;

/// The items of a list that one field takes.
pub const LIST_ITEMS_MAX: usize = 1_000;

/// The longest file of JSON lines, in bytes.
pub const LINES_LEN_MAX: usize = 256 * 1024 * 1024;

/// The longest text of the MCP server's instructions, in bytes: hosts cut at two kilobytes.
pub const INSTRUCTIONS_LEN_MAX: usize = 2_000;

/// The longest value that is repeated in a refusal, in characters.
pub const ECHO_LEN_MAX: usize = 40;

/// The widest text on a terminal, in columns.
pub const WIDTH_MAX: usize = 100;

/// The longest text of a hook, in bytes: hosts take 10,000 characters whole.
pub const HOOK_LEN_MAX: usize = 9_500;

/// The resources on one page of a list.
pub const RESOURCES_PAGE: usize = 100;

/// The claims of one store that are listed as resources, the youngest ones. Hosts walk through the whole list
/// when they connect; what is older has its address all the same.
pub const RESOURCES_LISTED_MAX: usize = 250;

/// The versions that a page about a claim shows beside the live one.
pub const PAGE_VERSIONS_MAX: usize = 5;
