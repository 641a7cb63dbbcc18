//! The limits of this crate.

/// The longest text taken from a file or from standard input, in bytes.
///
/// Far above what any verb accepts, so that the verb refuses with its own code; it only keeps an
/// endless pipe from filling the memory.
pub const LONG_TEXT_LEN_MAX: usize = 4 * 1024 * 1024;

/// The longest file of JSON lines, in bytes.
pub const LINES_LEN_MAX: usize = 256 * 1024 * 1024;

/// The longest text of the MCP server's instructions, in bytes: hosts cut at two kilobytes.
pub const INSTRUCTIONS_LEN_MAX: usize = 2_000;

/// The longest value that is repeated in a refusal, in characters.
pub const ECHO_LEN_MAX: usize = 40;

/// The widest text on a terminal, in columns.
pub const WIDTH_MAX: usize = 100;

/// The longest text of a hook, in characters: hosts take 10,000 whole.
pub const HOOK_CHARS_MAX: usize = 9_500;
