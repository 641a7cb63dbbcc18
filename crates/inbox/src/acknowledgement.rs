//! Acknowledgements: that a message was processed is on the record too.

use crate::fields::{FieldFault, Fields, parse_object};
use brainstem_ledger::{Sequence, TopicId};
use serde_json::json;

/// What an agent appends to its private topic when it has processed a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The topic that the message came from.
    pub topic: TopicId,
    /// Its number there.
    pub sequence: Sequence,
    /// The session that processed it.
    pub session: String,
}

const TYPE: &str = "inbox.processed";
const SESSION_BYTES_MAX: usize = 200;

impl Acknowledgement {
    /// Writes the record.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Self { topic, sequence, session } = self;
        json!({
            "type": TYPE, "topic_id": topic.to_string(), "sequence_number": sequence.number(), "session": session,
        })
        .to_string()
        .into_bytes()
    }

    /// Reads a record.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FieldFault> {
        let object = parse_object(bytes)?;
        let fields = Fields(&object);
        if fields.text("type")? != TYPE {
            return Err(FieldFault::new("type", "is no acknowledgement"));
        }
        let session = fields.text("session")?;
        if session.len() > SESSION_BYTES_MAX {
            return Err(FieldFault::new("session", "has more than 200 bytes"));
        }
        let sequence = Sequence::new(fields.number("sequence_number")?);
        Ok(Self {
            topic: fields.parsed("topic_id", str::parse)?,
            sequence: sequence.ok_or_else(|| FieldFault::new("sequence_number", "is zero"))?,
            session: session.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: INB-8
    fn an_acknowledgement_is_read_as_it_was_written() {
        let ack = Acknowledgement {
            topic: TopicId::local(1_003).unwrap(),
            sequence: Sequence::FIRST,
            session: "codex.maker-1a2b".to_owned(),
        };
        assert_eq!(Acknowledgement::from_bytes(&ack.to_bytes()), Ok(ack));
        for bad in
            ["", "[]", "{}", r#"{"type":"inbox.processed","topic_id":"7","sequence_number":1,"session":"s"}"#]
        {
            assert!(Acknowledgement::from_bytes(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
