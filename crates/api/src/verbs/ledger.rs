//! The verbs of the ledger.

mod export;
mod head;
mod message;
mod receipt;
mod redact;
mod show;
mod tail;
mod topics;
mod verify;

pub use export::{LedgerExport, LedgerExportAnswer};
pub use head::{LedgerHead, LedgerHeadAnswer};
pub use message::LedgerMessage;
pub use receipt::{LedgerCheckReceipt, LedgerCheckReceiptAnswer, LedgerReceipt, LedgerReceiptAnswer};
pub use redact::{LedgerRedact, LedgerRedactAnswer};
pub use show::{LedgerShow, LedgerShowAnswer};
pub use tail::{LedgerTail, LedgerTailAnswer};
pub use topics::{LedgerTopicRow, LedgerTopics, LedgerTopicsAnswer};
pub use verify::{LedgerVerdict, LedgerVerify, LedgerVerifyAnswer};

use crate::field_kinds;
use serde_json::Value;

/// The most rows of one answer.
const ROWS_MAX: usize = 500;
/// How many rows an answer has unless the caller says otherwise.
const ROWS_DEFAULT: usize = 50;

/// A topic id.
fn topic_id() -> Value {
    field_kinds::pattern("^(0|[1-9][0-9]{0,17})\\.(0|[1-9][0-9]{0,17})\\.(0|[1-9][0-9]{0,17})$")
}

/// The number of a message.
fn message_number() -> Value {
    serde_json::json!({ "minimum": 1, "maximum": 1_i64 << 52 })
}

/// A number of a message, or a cursor.
fn cursor() -> Value {
    field_kinds::pattern("^[1-9][0-9]{0,15}(:[0-9a-f]{96})?$")
}
