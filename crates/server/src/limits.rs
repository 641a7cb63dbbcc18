//! The limits of this crate.

/// Calls that run at once on one connection.
pub const RUNNING_CALLS_MAX: u32 = 8;

/// Requests of one connection that may wait for their answer; more are not read until some are answered.
pub const PENDING_REQUESTS_MAX: usize = 256;

/// The size of the default list of tools, in bytes (IF-28).
pub const TOOL_LIST_LEN_MAX: usize = 16_000;

/// What the set `memory` takes of it: mail and inbox need the rest.
pub const MEMORY_LIST_LEN_MAX: usize = 8_500;

/// The length of one message, in bytes; a longer one is refused.
pub const MESSAGE_LEN_MAX: usize = 16 << 20;

/// The length of the id of a message that cannot be parsed, in bytes.
pub const ID_LEN_MAX: usize = 256;
