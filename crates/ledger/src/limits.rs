//! The limits of the ledger.

/// The largest message, in bytes. A larger payload belongs in a file that the message names.
pub const MESSAGE_BYTES_MAX: usize = 256 * 1024;
/// The longest memo of a topic, in bytes (Hedera's own limit).
pub const MEMO_BYTES_MAX: usize = 100;
/// The longest key of an append, in bytes.
pub const APPEND_KEY_BYTES_MAX: usize = 200;
/// How many messages one read returns at most.
pub const PAGE_MESSAGES_MAX: usize = 1_000;
/// How many bytes of messages one read returns at most; a page holds at least one message.
pub const PAGE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The longest reason of a redaction, in bytes.
pub const REDACTION_REASON_BYTES_MAX: usize = 200;
/// The largest signed note that is read, in bytes: a head names every topic in a line.
pub const NOTE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How many signatures a note may have.
pub const NOTE_SIGNATURES_MAX: usize = 64;
/// How many hashes a receipt may have: more than the tree of any log.
pub const PROOF_HASHES_MAX: usize = 64;
/// How many faults a verification names; the others are counted.
pub const FAULTS_MAX: usize = 100;
