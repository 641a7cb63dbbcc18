//! The limits of agents.

/// How deep JSON may be nested. A JSON reader refuses what is deeper, so that it could not be read back.
pub const JSON_DEPTH_MAX: usize = 127;
/// The longest id of a record, in bytes.
pub const ID_LEN_MAX: usize = 128;
/// The longest name that people give an agent, in bytes.
pub const DISPLAY_NAME_LEN_MAX: usize = 200;
/// How many categories an agent may have.
pub const CATEGORIES_MAX: usize = 256;
/// The longest content of a message or a report, in bytes of JSON.
pub const PAYLOAD_BYTES_MAX: usize = 256 * 1024;
/// How many entities and how many tokens one message may name as changed.
pub const CHANGED_MAX: usize = 1_000;
/// How many tokens a subscription may wait for.
pub const SELECTORS_MAX: usize = 64;
/// The longest text of a token, a predicate or a schedule, in bytes.
pub const TRIGGER_TEXT_LEN_MAX: usize = 4_096;
