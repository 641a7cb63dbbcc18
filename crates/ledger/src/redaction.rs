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

/// What a redaction puts on record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactionRecord {
    /// The message that was redacted.
    pub sequence: Sequence,
    /// The hash of what it said.
    pub content: ContentHash,
    /// Why.
    pub reason: String,
}

const START: &str = r#"{"p":"brainstem-ledger","op":"redact","sequence":"#;
const HASH: &str = r#","sha384":""#;
const REASON: &str = r#"","reason":""#;
const END: &str = r#""}"#;

/// The key of the record about a message: a second redaction finds the first by it. No append of a caller may have it.
pub fn record_key(sequence: Sequence) -> AppendKey {
    AppendKey::parse(&format!("{}redact:{sequence}", AppendKey::RESERVED)).expect("short and plain")
}

impl RedactionRecord {
    /// The record as the bytes of a message: JSON, in one spelling.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Self { sequence, content, reason } = self;
        let reason = reason.replace('\\', r"\\").replace('"', "\\\"");
        format!("{START}{sequence}{HASH}{content}{REASON}{reason}{END}").into_bytes()
    }

    /// The record in these bytes of a message; `None` if they are anything else.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let rest = std::str::from_utf8(bytes.strip_prefix(START.as_bytes())?).ok()?;
        let (sequence, rest) = rest.split_once(HASH)?;
        let (content, rest) = rest.split_once(REASON)?;
        let reason = rest.strip_suffix(END)?;
        let record = Self {
            sequence: Sequence::new(sequence.parse().ok()?)?,
            content: ContentHash::from_bytes(from_hex(content)?),
            reason: reason.replace("\\\"", "\"").replace(r"\\", "\\"),
        };
        // One spelling: what would be written otherwise is an ordinary message.
        (record.to_bytes() == bytes).then_some(record)
    }
}

fn from_hex(text: &str) -> Option<[u8; ContentHash::LEN]> {
    let mut bytes = [0; ContentHash::LEN];
    if text.len() != bytes.len() * 2 || !text.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: LED-5
    fn a_record_is_written_in_one_spelling_and_read_back() {
        for reason in ["", "a person asked", r#"the name "Ann" \ and more"#, r#"\""#, "ü"] {
            let record = RedactionRecord {
                sequence: Sequence::new(12).expect("not zero"),
                content: ContentHash::of(b"secret"),
                reason: reason.to_owned(),
            };
            let bytes = record.to_bytes();
            assert_eq!(RedactionRecord::parse(&bytes), Some(record));
            let respelled = String::from_utf8(bytes).expect("text").replace(":12,", ":012,");
            assert_eq!(RedactionRecord::parse(respelled.as_bytes()), None);
        }
        for bytes in [&b""[..], b"{}", START.as_bytes(), &[0xff, 0xfe]] {
            assert_eq!(RedactionRecord::parse(bytes), None);
        }
    }
}
