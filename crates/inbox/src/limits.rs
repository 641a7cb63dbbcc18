//! The limits of the inbox.

/// The longest subject, in bytes.
pub const SUBJECT_BYTES_MAX: usize = 500;
/// The longest note, in bytes.
pub const NOTE_BYTES_MAX: usize = 64 * 1024;
/// The longest payload and the longest context, in bytes of JSON each.
pub const PAYLOAD_BYTES_MAX: usize = 64 * 1024;
/// How many names one note may notify.
pub const NOTIFY_MAX: usize = 64;
/// How many rows a routing table may have beside the default's.
pub const ROUTES_MAX: usize = 64;
/// How many readers a row of the routing table may have.
pub const ROUTE_READERS_MAX: usize = 16;
/// The longest id of a reference, in bytes.
pub const REF_ID_BYTES_MAX: usize = 64;
/// The longest message type, in bytes.
pub const MESSAGE_TYPE_BYTES_MAX: usize = 64;
/// The longest title of an entity and the longest name of an agent, in bytes.
pub const TITLE_BYTES_MAX: usize = 200;
/// How many messages a catch-up folds into one transaction of the mirror.
pub const CATCH_UP_PAGE: usize = 1_000;
/// How many events the feed keeps.
pub const EVENTS_KEPT: u64 = 100_000;
/// How many capabilities a profile names at most.
pub const CAPABILITIES_MAX: usize = 32;
/// The longest lease of a message, in milliseconds: a day.
pub const LEASE_MS_MAX: i64 = 86_400_000;
