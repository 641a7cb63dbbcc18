//! The use cases of the ledger: looking at topics, verifying them, heads and receipts, redaction, export.
//!
//! What a topic, a chain and a proof are is `brainstem_ledger`'s; the file is `brainstem_ledger_sqlite`'s. Here are the words of
//! callers, the files that they name, and what the doctor says.

mod error;
mod export;
mod files;
mod heads;
mod health;
mod reading;
mod redacting;
mod verifying;

pub use crate::older_copy::LedgerChange;
pub use error::LedgerUseError;
pub use export::{LedgerExport, LedgerExportFormat};
pub use heads::{CheckedReceipt, SignedHeadFile, WrittenReceipt};
pub use reading::{TopicCursor, TopicPage, TopicPlace, TopicState, parse_sequence, parse_topic};
pub use verifying::{VerifiedLedger, VerifyLedgerRequest};
