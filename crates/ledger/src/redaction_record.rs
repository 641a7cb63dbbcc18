//! The record of a redaction, as the bytes of a message.

use crate::content_hash::ContentHash;
use crate::sequence::Sequence;

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
