//! Notes and events on the topic of an entity.

use crate::envelope::priority;
use crate::fields::{FieldFault, Fields, parse_object};
use crate::kind::MessageType;
use crate::limits::{NOTE_BYTES_MAX, NOTIFY_MAX, PAYLOAD_BYTES_MAX, SUBJECT_BYTES_MAX};
use crate::priority::InboxPriority;
use crate::slug::AgentSlug;
use brainstem_base::Timestamp;
use serde_json::{Value, json};

/// A note (`task.note`) or an event (`task.blocked`) of an entity.
///
/// The readers that an event is routed to are in `notify` when it is appended: a change of the routing table later does
/// not change what a rebuild gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityNote {
    /// Its type.
    pub kind: MessageType,
    /// The author.
    pub from: AgentSlug,
    /// What it says, as Markdown.
    pub note: String,
    /// The readers that get it into their inboxes.
    pub notify: Vec<AgentSlug>,
    /// Its subject; empty if it has none.
    pub subject: String,
    /// How urgent it is for them.
    pub priority: InboxPriority,
    /// What an event carries beside its text.
    pub payload: Option<Value>,
}

impl EntityNote {
    /// Writes the note, made at a time.
    pub fn to_bytes(&self, at: Timestamp) -> Vec<u8> {
        let notify: Vec<&str> = self.notify.iter().map(AgentSlug::as_str).collect();
        let mut note = json!({
            "type": self.kind.as_str(), "from_agent": self.from.as_str(), "note": self.note, "notify": notify,
            "ts": at.to_rfc3339(),
        });
        let fields = note.as_object_mut().expect("it was made as an object");
        if self.priority != InboxPriority::default() {
            fields.insert("priority".to_owned(), self.priority.number().into());
        }
        if !self.subject.is_empty() {
            fields.insert("subject".to_owned(), self.subject.clone().into());
        }
        if let Some(payload) = &self.payload {
            fields.insert("payload".to_owned(), payload.clone());
        }
        note.to_string().into_bytes()
    }

    /// Reads a note.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FieldFault> {
        let object = parse_object(bytes)?;
        let fields = Fields(&object);
        let note = Self {
            kind: fields.parsed("type", MessageType::parse)?,
            from: fields.parsed("from_agent", AgentSlug::parse)?,
            note: fields.text("note")?.to_owned(),
            notify: notify(fields)?,
            subject: fields.optional_text("subject")?.unwrap_or_default().to_owned(),
            priority: priority(fields)?,
            payload: fields.get("payload").cloned(),
        };
        note.check()?;
        Ok(note)
    }

    /// Refuses what is longer than its limit.
    pub fn check(&self) -> Result<(), FieldFault> {
        let payload = self.payload.as_ref().map_or(0, |payload| payload.to_string().len());
        let over = |field, len, len_max| match len > len_max {
            true => Err(FieldFault::new(field, format!("has {len} where {len_max} are allowed"))),
            false => Ok(()),
        };
        over("note", self.note.len(), NOTE_BYTES_MAX)?;
        over("subject", self.subject.len(), SUBJECT_BYTES_MAX)?;
        over("notify", self.notify.len(), NOTIFY_MAX)?;
        over("payload", payload, PAYLOAD_BYTES_MAX)
    }
}

/// The slugs of `notify`, each once.
fn notify(fields: Fields<'_>) -> Result<Vec<AgentSlug>, FieldFault> {
    let Some(value) = fields.get("notify") else { return Ok(Vec::new()) };
    let refuse = |why: String| FieldFault::new("notify", why);
    let list = value.as_array().ok_or_else(|| refuse("is no list".to_owned()))?;
    let mut slugs: Vec<AgentSlug> = Vec::new();
    for value in list.iter().take(NOTIFY_MAX + 1) {
        let text = value.as_str().ok_or_else(|| refuse("has an entry that is no text".to_owned()))?;
        let slug = AgentSlug::parse(text).map_err(|error| refuse(format!("is refused: {error}")))?;
        if !slugs.contains(&slug) {
            slugs.push(slug);
        }
    }
    Ok(slugs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: INB-5, INB-5c
    fn a_note_has_the_form_of_the_document_and_may_carry_priority_and_subject() {
        let slug = |text: &str| AgentSlug::parse(text).unwrap();
        let note = EntityNote {
            kind: MessageType::parse("task.note").unwrap(),
            from: slug("codex.maker"),
            note: "**done**".into(),
            notify: vec![slug("human"), slug("o")],
            subject: String::new(),
            priority: InboxPriority::Normal,
            payload: None,
        };
        let bytes = note.to_bytes(Timestamp::from_ms(1_783_209_431_408));
        assert_eq!(
            String::from_utf8(bytes.clone()).unwrap(),
            r#"{"type":"task.note","from_agent":"codex.maker","note":"**done**","notify":["human","o"],"ts":"2026-07-04T23:57:11.408Z"}"#
        );
        assert_eq!(EntityNote::from_bytes(&bytes), Ok(note.clone()));
        let urgent = EntityNote { priority: InboxPriority::Urgent, subject: "Look".into(), ..note };
        assert_eq!(EntityNote::from_bytes(&urgent.to_bytes(Timestamp::MIN)), Ok(urgent));
        let twice = br#"{"type":"task.note","from_agent":"a","note":"x","notify":["b","b"]}"#;
        assert_eq!(EntityNote::from_bytes(twice).unwrap().notify, [slug("b")]);
        for (bad, field) in [
            (r#"{"type":"task.note","from_agent":"a","note":"x","notify":"b"}"#, "notify"),
            (r#"{"type":"task.note","from_agent":"a","note":"x","notify":["ALL"]}"#, "notify"),
            (r#"{"type":"task.note","from_agent":"system","note":"x"}"#, "from_agent"),
            (r#"{"type":"task.note","from_agent":"a","note":"x","priority":9}"#, "priority"),
            (r#"{"type":"task.note","from_agent":"a"}"#, "note"),
        ] {
            assert_eq!(
                EntityNote::from_bytes(bad.as_bytes()).map_err(|fault| fault.field),
                Err(field),
                "{bad}"
            );
        }
    }
}
