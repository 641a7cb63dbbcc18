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
pub use redact::{LedgerRedact, LedgerRedactAnswer, RedactedMessage};
pub use show::{LedgerShow, LedgerShowAnswer};
pub use tail::{LedgerTail, LedgerTailAnswer};
pub use topics::{LedgerTopicRow, LedgerTopics, LedgerTopicsAnswer};
pub use verify::{LedgerVerdict, LedgerVerify, LedgerVerifyAnswer};

use super::row::counted;
use crate::{Context, field_kinds};
use brainstem_base::Fault;
use serde_json::Value;
use std::path::PathBuf;

/// The most rows of one answer.
const ROWS_MAX: usize = 500;
/// How many rows an answer has unless the caller says otherwise.
const ROWS_DEFAULT: usize = 50;

/// A file that a field names, as a whole path: what is made beside it is made in its folder.
fn file_at(cx: &Context, field: &'static str, text: &str) -> Result<PathBuf, Fault> {
    let path = cx.path(field, text)?;
    Ok(match &cx.roots.cwd {
        Some(cwd) => cwd.join(path),
        None => path,
    })
}

/// So many messages of so many topics, as a person reads it.
fn messages_of_topics(messages: u64, topics: u64) -> String {
    let count = |count: u64, one: &str| counted(usize::try_from(count).unwrap_or(usize::MAX), one);
    format!("{} of {}", count(messages, "message"), count(topics, "topic"))
}

/// The number of a message.
fn message_number() -> Value {
    serde_json::json!({ "minimum": 1, "maximum": field_kinds::WHOLE_MAX })
}

/// The numbers of messages.
fn message_numbers() -> Value {
    serde_json::json!({ "items": message_number(), "minItems": 1 })
}

/// The public key of a ledger, as a note names it: origin, key hash and key.
fn public_key() -> Value {
    field_kinds::pattern("^[!-*,-~]{1,200}\\+[0-9a-f]{8}\\+[A-Za-z0-9+/]{1,200}=*$")
}

/// Refuses a caller whose id is none, as every other verb does. A ledger is the home's, so the caller itself does not matter.
fn check_caller(cx: &Context) -> Result<(), Fault> {
    cx.reader().map(|_| ())
}

/// A number of a message, or a cursor.
fn cursor() -> Value {
    field_kinds::pattern("^[1-9][0-9]{0,15}(:[0-9a-f]{96})?$")
}
