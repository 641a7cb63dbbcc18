//! HCS-10 envelopes: what a message on an inbound, outbound, connection or registry topic says.
//!
//! Two things differ from the standard, as the design document has them: a message between agents of one home goes to the
//! inbound topic, and `data` is written as an object. Readers take `data` in each of its forms.

use crate::fields::{FieldFault, Fields, parse_object};
use crate::kind::MessageType;
use crate::limits::{PAYLOAD_BYTES_MAX, SUBJECT_BYTES_MAX};
use crate::operator::OperatorId;
use crate::priority::InboxPriority;
use crate::reference::{RefId, RefType, Reference};
use brainstem_base::Timestamp;
use brainstem_ledger::{AccountId, TopicId};
use serde_json::{Value, json};

/// An envelope, by its operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Envelope {
    /// Registry: an account enters.
    Register {
        /// The account.
        account: AccountId,
    },
    /// Registry: an entry is withdrawn.
    Delete {
        /// The entry.
        uid: String,
    },
    /// Registry: the registry moves.
    Migrate {
        /// To this topic.
        topic: TopicId,
    },
    /// A connection is asked for.
    ConnectionRequest {
        /// On an inbound topic the agent that asks, on its own outbound topic the agent that is asked.
        operator: OperatorId,
        /// On an outbound topic: the number of the request on the other agent's inbound topic.
        request: Option<u64>,
    },
    /// A connection was made.
    ConnectionCreated {
        /// The other agent, or the agent itself on its inbound topic.
        operator: OperatorId,
        /// The topic of the connection.
        topic: TopicId,
        /// The account that asked; on an inbound topic alone.
        account: Option<AccountId>,
        /// The number of the request.
        request: u64,
    },
    /// A connection was closed, on an outbound topic.
    ConnectionClosed {
        /// The other agent.
        operator: OperatorId,
        /// The topic of the connection.
        topic: TopicId,
        /// Why.
        reason: Option<String>,
    },
    /// A message.
    Message {
        /// The sender.
        operator: OperatorId,
        /// What it says.
        content: MessageContent,
    },
    /// The sender closes the connection, on its topic.
    CloseConnection {
        /// The sender.
        operator: OperatorId,
        /// Why.
        reason: Option<String>,
    },
    /// A transaction to be signed, on a connection topic. This program signs none.
    Transaction {
        /// The sender.
        operator: OperatorId,
        /// The scheduled transaction.
        schedule: String,
    },
}

/// What a message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageContent {
    /// Its type.
    pub kind: MessageType,
    /// Its subject.
    pub subject: String,
    /// What it carries.
    pub payload: Option<Value>,
    /// What a reader needs to know beside it.
    pub context: Option<Value>,
    /// What it is about.
    pub reference: Option<Reference>,
    /// How urgent it is.
    pub priority: InboxPriority,
}

const PROTOCOL: &str = "hcs-10";
/// How a reference to a file on the ledger begins (HCS-1).
const FILE_REFERENCE: &str = "hcs://1/";

impl Envelope {
    /// Reads an envelope, or says which field breaks which rule.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FieldFault> {
        let object = parse_object(bytes)?;
        let fields = Fields(&object);
        if fields.text("p")? != PROTOCOL {
            return Err(FieldFault::new("p", "is not hcs-10"));
        }
        let operator = || fields.parsed("operator_id", str::parse);
        let reason = || Ok(fields.optional_text("reason")?.map(str::to_owned));
        Ok(match fields.text("op")? {
            "register" => Self::Register { account: fields.parsed("account_id", str::parse)? },
            "delete" => Self::Delete { uid: fields.text("uid")?.to_owned() },
            "migrate" => Self::Migrate { topic: fields.parsed("t_id", str::parse)? },
            "connection_request" => Self::ConnectionRequest {
                operator: operator()?,
                request: optional_number(fields, "connection_request_id")?,
            },
            "connection_created" => Self::ConnectionCreated {
                operator: operator()?,
                topic: fields.parsed("connection_topic_id", str::parse)?,
                account: fields.optional_parsed("connected_account_id", str::parse)?,
                request: match optional_number(fields, "connection_request_id")? {
                    Some(request) => request,
                    None => fields.number("connection_id")?,
                },
            },
            "connection_closed" => Self::ConnectionClosed {
                operator: operator()?,
                topic: fields.parsed("connection_topic_id", str::parse)?,
                reason: reason()?,
            },
            "message" => Self::Message { operator: operator()?, content: content(fields)? },
            "close_connection" => Self::CloseConnection { operator: operator()?, reason: reason()? },
            "transaction" => {
                let schedule = fields.text("schedule_id")?.to_owned();
                Self::Transaction { operator: operator()?, schedule }
            }
            _ => return Err(FieldFault::new("op", "is no operation of HCS-10")),
        })
    }

    /// Writes a message of the inbox, sent at a time.
    pub fn message(operator: OperatorId, content: &MessageContent, at: Timestamp) -> Vec<u8> {
        json!({
            "p": PROTOCOL, "op": "message", "operator_id": operator.to_string(), "data": content.to_json(),
            "ts": at.to_rfc3339(),
        })
        .to_string()
        .into_bytes()
    }

    /// Writes a message on the topic of a connection. The standard has `data` as a text there.
    pub fn message_to_outsider(operator: OperatorId, content: &MessageContent, at: Timestamp) -> Vec<u8> {
        json!({
            "p": PROTOCOL, "op": "message", "operator_id": operator.to_string(),
            "data": content.to_json().to_string(), "ts": at.to_rfc3339(),
        })
        .to_string()
        .into_bytes()
    }

    /// Writes that an agent accepted a request, for its inbound topic.
    pub fn connection_created(
        operator: OperatorId,
        topic: TopicId,
        account: AccountId,
        request: u64,
    ) -> Vec<u8> {
        json!({
            "p": PROTOCOL, "op": "connection_created", "connection_topic_id": topic.to_string(),
            "connected_account_id": account.to_string(), "operator_id": operator.to_string(), "connection_id": request,
        })
        .to_string()
        .into_bytes()
    }

    /// Writes that an agent closes a connection, for the connection's topic.
    pub fn close_connection(operator: OperatorId) -> Vec<u8> {
        json!({"p": PROTOCOL, "op": "close_connection", "operator_id": operator.to_string()})
            .to_string()
            .into_bytes()
    }
}

fn optional_number(fields: Fields<'_>, field: &'static str) -> Result<Option<u64>, FieldFault> {
    fields.get(field).map(|_| fields.number(field)).transpose()
}

/// Reads `data`: an object, a text that is one, a reference to a file, or plain text.
fn content(envelope: Fields<'_>) -> Result<MessageContent, FieldFault> {
    let data = envelope.get("data").ok_or_else(|| FieldFault::new("data", "is missing"))?;
    match data {
        Value::Object(object) => MessageContent::from_fields(Fields(object)),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Object(object)) => MessageContent::from_fields(Fields(&object)),
            Ok(_) | Err(_) => Ok(MessageContent::plain(text)),
        },
        _ => Err(FieldFault::new("data", "is neither an object nor a text")),
    }
}

impl MessageContent {
    /// A message that is a text alone. Its subject is its first line, or the file that it refers to.
    pub fn plain(text: &str) -> Self {
        let first_line = match text.starts_with(FILE_REFERENCE) {
            true => text,
            false => text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default(),
        };
        Self {
            kind: MessageType::plain(),
            subject: shortened(first_line, 100).to_owned(),
            payload: Some(Value::String(text.to_owned())),
            context: None,
            reference: None,
            priority: InboxPriority::default(),
        }
    }

    /// Refuses what is longer than its limit.
    pub fn check(&self) -> Result<(), FieldFault> {
        if self.subject.len() > SUBJECT_BYTES_MAX {
            return Err(FieldFault::new("subject", format!("has more than {SUBJECT_BYTES_MAX} bytes")));
        }
        for (field, value) in [("payload", &self.payload), ("context", &self.context)] {
            let len = value.as_ref().map_or(0, |value| value.to_string().len());
            if len > PAYLOAD_BYTES_MAX {
                return Err(FieldFault::new(field, format!("has more than {PAYLOAD_BYTES_MAX} bytes")));
            }
        }
        Ok(())
    }

    fn to_json(&self) -> Value {
        let reference = self.reference.as_ref();
        let mut data = json!({
            "message_type": self.kind.as_str(),
            "subject": self.subject,
            "payload": self.payload,
            "ref_id": reference.map(|reference| reference.id.as_str()),
            "ref_type": reference.and_then(|reference| reference.kind).map(RefType::as_str),
            "priority": self.priority.number(),
        });
        if let Some(context) = &self.context {
            let fields = data.as_object_mut().expect("it was made as an object");
            fields.insert("context".to_owned(), context.clone());
        }
        data
    }

    fn from_fields(fields: Fields<'_>) -> Result<Self, FieldFault> {
        let content = Self {
            kind: fields.parsed("message_type", MessageType::parse)?,
            subject: fields.optional_text("subject")?.unwrap_or_default().to_owned(),
            payload: fields.get("payload").cloned(),
            context: fields.get("context").cloned(),
            reference: reference(fields)?,
            priority: priority(fields)?,
        };
        content.check()?;
        Ok(content)
    }
}

/// The fields `ref_id` and `ref_type`. A kind without an id refers to nothing.
fn reference(fields: Fields<'_>) -> Result<Option<Reference>, FieldFault> {
    let kind = fields.optional_parsed("ref_type", RefType::parse)?;
    match (fields.optional_parsed("ref_id", RefId::parse)?, kind) {
        (Some(id), kind) => Ok(Some(Reference { id, kind })),
        (None, None) => Ok(None),
        (None, Some(_)) => Err(FieldFault::new("ref_id", "is missing beside `ref_type`")),
    }
}

/// The field `priority`, 3 if it is absent.
pub(crate) fn priority(fields: Fields<'_>) -> Result<InboxPriority, FieldFault> {
    let refused = |error| FieldFault::new("priority", format!("is refused: {error}"));
    match optional_number(fields, "priority")? {
        None => Ok(InboxPriority::default()),
        Some(number) => InboxPriority::new(number).map_err(refused),
    }
}

/// The beginning of a text, at most so many bytes of it.
pub(crate) fn shortened(text: &str, len_max: usize) -> &str {
    let end = (0..=len_max.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operator() -> OperatorId {
        "0.0.1003@0.0.9".parse().unwrap()
    }

    fn read(text: &str) -> Result<Envelope, FieldFault> {
        Envelope::from_bytes(text.as_bytes())
    }

    fn content_of(data: &str) -> Result<MessageContent, FieldFault> {
        match read(&format!(
            r#"{{"p":"hcs-10","op":"message","operator_id":"0.0.1003@0.0.9","data":{data}}}"#
        ))? {
            Envelope::Message { content, .. } => Ok(content),
            other => panic!("{other:?}"),
        }
    }

    fn full() -> MessageContent {
        MessageContent {
            kind: MessageType::parse("task.blocked").unwrap(),
            subject: "Stuck".into(),
            payload: Some(json!({"why": "no key"})),
            context: None,
            reference: Some(Reference { id: RefId::parse("T-7").unwrap(), kind: Some(RefType::Task) }),
            priority: InboxPriority::Urgent,
        }
    }

    #[test] // spec: INB-4
    fn a_message_is_written_as_the_object_of_the_document_and_read_back() {
        let bytes = Envelope::message(operator(), &full(), Timestamp::from_ms(1_783_209_431_408));
        assert_eq!(
            String::from_utf8(bytes.clone()).unwrap(),
            concat!(
                r#"{"p":"hcs-10","op":"message","operator_id":"0.0.1003@0.0.9","data":{"message_type":"task.blocked","#,
                r#""subject":"Stuck","payload":{"why":"no key"},"ref_id":"T-7","ref_type":"task","priority":1},"#,
                r#""ts":"2026-07-04T23:57:11.408Z"}"#
            )
        );
        let message = Envelope::Message { operator: operator(), content: full() };
        assert_eq!(Envelope::from_bytes(&bytes), Ok(message));
        let outside = Envelope::message_to_outsider(operator(), &full(), Timestamp::MIN);
        assert_eq!(
            Envelope::from_bytes(&outside),
            Envelope::from_bytes(&bytes),
            "a text of JSON means the same"
        );
        let with_context = MessageContent { context: Some(json!({"a": 1})), ..full() };
        let bytes = Envelope::message(operator(), &with_context, Timestamp::MIN);
        let message = Envelope::Message { operator: operator(), content: with_context };
        assert_eq!(Envelope::from_bytes(&bytes), Ok(message));
    }

    #[test] // spec: INB-4
    fn data_is_an_object_a_text_of_json_plain_text_or_a_reference() {
        let object = r#"{"message_type":"task.blocked","subject":"Stuck","payload":{"why":"no key"},"ref_id":"T-7","ref_type":"task","priority":1}"#;
        assert_eq!(content_of(object), Ok(full()));
        assert_eq!(content_of(&Value::String(object.to_owned()).to_string()), Ok(full()));
        let plain = content_of(r#""  hello\nthere""#).unwrap();
        assert_eq!((plain.kind.as_str(), plain.subject.as_str()), ("fyi", "hello"));
        assert_eq!(plain.payload, Some(json!("  hello\nthere")));
        assert_eq!(plain.priority, InboxPriority::Normal);
        let file = content_of(r#""hcs://1/0.0.8768762""#).unwrap();
        assert_eq!(file.subject, "hcs://1/0.0.8768762");
        assert_eq!(content_of(r#""[1]""#).unwrap().payload, Some(json!("[1]")));
    }

    #[test] // spec: INB-4
    fn what_is_malformed_is_named_by_its_field() {
        for (data, field) in [
            ("null", "data"),
            ("7", "data"),
            ("{}", "message_type"),
            (r#"{"message_type":"Task"}"#, "message_type"),
            (r#"{"message_type":"fyi","priority":0}"#, "priority"),
            (r#"{"message_type":"fyi","priority":6}"#, "priority"),
            (r#"{"message_type":"fyi","priority":"high"}"#, "priority"),
            (r#"{"message_type":"fyi","ref_type":"task"}"#, "ref_id"),
            (r#"{"message_type":"fyi","ref_id":"a b"}"#, "ref_id"),
            (r#"{"message_type":"fyi","ref_id":"T","ref_type":"ticket"}"#, "ref_type"),
            (r#"{"message_type":"fyi","subject":7}"#, "subject"),
        ] {
            assert_eq!(content_of(data).map_err(|fault| fault.field), Err(field), "{data}");
        }
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        for text in ["", "nonsense", "[]", "\u{0}", &deep] {
            assert_eq!(read(text).map_err(|fault| fault.field), Err("message"));
        }
        assert_eq!(read(r#"{"p":"hcs-11","op":"message"}"#).map_err(|fault| fault.field), Err("p"));
        assert_eq!(read(r#"{"p":"hcs-10","op":"shout"}"#).map_err(|fault| fault.field), Err("op"));
        let long = format!(r#"{{"message_type":"fyi","subject":"{}"}}"#, "x".repeat(501));
        assert_eq!(content_of(&long).map_err(|fault| fault.field), Err("subject"));
    }

    #[test] // spec: INB-6
    fn every_operation_of_the_standard_is_read() {
        let account: AccountId = "0.0.9".parse().unwrap();
        let topic: TopicId = "0.0.1005".parse().unwrap();
        let cases = [
            (r#""op":"register","account_id":"0.0.9""#, Envelope::Register { account }),
            (r#""op":"delete","uid":"3""#, Envelope::Delete { uid: "3".into() }),
            (r#""op":"migrate","t_id":"0.0.1005""#, Envelope::Migrate { topic }),
            (
                r#""op":"connection_request","operator_id":"0.0.1003@0.0.9""#,
                Envelope::ConnectionRequest { operator: operator(), request: None },
            ),
            (
                r#""op":"connection_request","operator_id":"0.0.1003@0.0.9","outbound_topic_id":"0.0.4","connection_request_id":3"#,
                Envelope::ConnectionRequest { operator: operator(), request: Some(3) },
            ),
            (
                r#""op":"connection_created","connection_topic_id":"0.0.1005","connected_account_id":"0.0.9","operator_id":"0.0.1003@0.0.9","connection_id":3"#,
                Envelope::ConnectionCreated {
                    operator: operator(),
                    topic,
                    account: Some(account),
                    request: 3,
                },
            ),
            (
                r#""op":"connection_created","connection_topic_id":"0.0.1005","outbound_topic_id":"0.0.4","requestor_outbound_topic_id":"0.0.5","confirmed_request_id":2,"connection_request_id":3,"operator_id":"0.0.1003@0.0.9""#,
                Envelope::ConnectionCreated { operator: operator(), topic, account: None, request: 3 },
            ),
            (
                r#""op":"connection_closed","connection_topic_id":"0.0.1005","close_method":"explicit","operator_id":"0.0.1003@0.0.9","reason":"done""#,
                Envelope::ConnectionClosed { operator: operator(), topic, reason: Some("done".into()) },
            ),
            (
                r#""op":"close_connection","operator_id":"0.0.1003@0.0.9""#,
                Envelope::CloseConnection { operator: operator(), reason: None },
            ),
            (
                r#""op":"transaction","operator_id":"0.0.1003@0.0.9","schedule_id":"0.0.77","data":"sign""#,
                Envelope::Transaction { operator: operator(), schedule: "0.0.77".into() },
            ),
        ];
        for (fields, expected) in cases {
            assert_eq!(read(&format!(r#"{{"p":"hcs-10",{fields},"m":"a memo"}}"#)), Ok(expected), "{fields}");
        }
        let written = Envelope::connection_created(operator(), topic, account, 3);
        let created =
            Envelope::ConnectionCreated { operator: operator(), topic, account: Some(account), request: 3 };
        assert_eq!(Envelope::from_bytes(&written), Ok(created));
        let closed = Envelope::CloseConnection { operator: operator(), reason: None };
        assert_eq!(Envelope::from_bytes(&Envelope::close_connection(operator())), Ok(closed));
    }
}
