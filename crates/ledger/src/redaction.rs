//! Taking the content of a message back (K-07).
//!
//! A log that is only appended to cannot forget, and a person may have to. So a redaction is itself a message: a record
//! behind the others of its topic that names a message, the hash of what it said, and why it is gone. In the same step the
//! backend erases the bytes of that message and keeps their hash. The running hash and the tree take the hash alone, so
//! the chain, every head and every receipt of before still hold.

use crate::content_hash::ContentHash;
use crate::entity_id::{AccountId, TopicId};
use crate::error::LedgerError;
use crate::limits::REDACTION_REASON_BYTES_MAX;
use crate::message::{Append, AppendKey};
use crate::redaction_record::RedactionRecord;
use crate::sequence::Sequence;

/// A redaction to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redact {
    /// The topic.
    pub topic: TopicId,
    /// The message whose content is to go.
    pub sequence: Sequence,
    /// The account in whose name it goes; the topic's submit policy does not bind it.
    pub submitter: AccountId,
    /// Why it goes: one line for those that read the topic later.
    pub reason: String,
}

impl Redact {
    /// Refuses a reason that is longer than the limit or has a control character.
    pub fn check(&self) -> Result<(), LedgerError> {
        let is_fit =
            self.reason.len() <= REDACTION_REASON_BYTES_MAX && !self.reason.chars().any(char::is_control);
        is_fit.then_some(()).ok_or(LedgerError::BadReason)
    }

    /// The append that puts the redaction on record, for a message that said something with this hash.
    pub fn to_append(&self, content: ContentHash) -> Append {
        let record = RedactionRecord { sequence: self.sequence, content, reason: self.reason.clone() };
        Append {
            topic: self.topic,
            submitter: self.submitter,
            key: Some(record_key(self.sequence)),
            bytes: record.to_bytes(),
        }
    }
}

/// The key of the record about a message: a second redaction finds the first by it. No append of a caller may have it.
pub fn record_key(sequence: Sequence) -> AppendKey {
    AppendKey::parse(&format!("{}redact:{sequence}", AppendKey::RESERVED)).expect("short and plain")
}
