//! Parses the body of a POST to MCP before the service gets it.
//!
//! The service calls everything that it cannot read an unsupported medium. Here each fault gets a refusal of its own: a text
//! that is not JSON, a message that is not JSON-RPC, and an `initialize` without content.

use crate::http::refused::{INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, Refused};
use crate::limits::BATCH_MESSAGES_MAX;
use brainstem_api::json::{self, JsonFault};
use brainstem_base::{Fault, codes};
use hyper::StatusCode;
use hyper::body::Bytes;
use rmcp::model::InitializeRequestParams;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The body of a POST.
#[derive(Debug)]
pub(crate) enum Posted {
    /// One message.
    One(PostedMessage),
    /// Several, as in the protocol of 2025-03-26.
    Batch(Vec<PostedMessage>),
}

/// A message of JSON-RPC.
#[derive(Debug)]
pub(crate) struct PostedMessage {
    /// Its bytes as they came.
    pub(crate) bytes: Bytes,
    pub(crate) kind: PostedKind,
}

/// What a message is.
#[derive(Debug, PartialEq)]
pub(crate) enum PostedKind {
    /// A request, which wants an answer under this id: a text or a whole number.
    Request { id: Value, method: String },
    /// It begins a session.
    Initialize { id: Value, client: String, version: String },
    /// A notification, or the answer to a request of ours. It wants no answer.
    Silent,
}

impl PostedMessage {
    /// The id to answer under; null without one.
    pub(crate) fn id(&self) -> Value {
        match &self.kind {
            PostedKind::Request { id, .. } | PostedKind::Initialize { id, .. } => id.clone(),
            PostedKind::Silent => Value::Null,
        }
    }
}

/// Parses a body. A protocol without sessions has no `initialize`; if its params fit, it still opens a session, for a client
/// that also speaks an older protocol.
pub(crate) fn sort(body: Bytes, has_sessions: bool) -> Result<Posted, Refused> {
    json::check(&body).map_err(|fault| {
        let (status, number) = match fault {
            JsonFault::NotJson(_) => (StatusCode::BAD_REQUEST, PARSE_ERROR),
            JsonFault::KeyTwice => (StatusCode::BAD_REQUEST, INVALID_REQUEST),
            JsonFault::TooMany => (StatusCode::PAYLOAD_TOO_LARGE, INVALID_REQUEST),
        };
        Refused { status, number, fault: Box::new(fault.into_fault("body")), id: Value::Null }
    })?;
    if body.trim_ascii_start().first() != Some(&b'[') {
        return message(body, has_sessions).map(Posted::One);
    }
    let parts: Vec<Value> = serde_json::from_slice(&body).unwrap_or_default();
    if parts.is_empty() || parts.len() > BATCH_MESSAGES_MAX {
        let message = format!("a batch has {} messages, and takes 1 to {BATCH_MESSAGES_MAX}", parts.len());
        return Err(Refused::invalid(&message, "send fewer messages at a time", Value::Null));
    }
    let messages = parts.iter().map(|part| message(part.to_string().into(), has_sessions));
    let messages: Vec<PostedMessage> = messages.collect::<Result<_, _>>()?;
    if messages.iter().any(|message| matches!(message.kind, PostedKind::Initialize { .. })) {
        let why = "`initialize` is in a batch";
        return Err(Refused::invalid(why, "send it first, and by itself", Value::Null));
    }
    Ok(Posted::Batch(messages))
}

/// The parts of a message that show its kind; `Some(Null)` for a part that is null.
#[derive(Deserialize)]
struct MessageParts {
    #[serde(default, deserialize_with = "there")]
    jsonrpc: Option<Value>,
    #[serde(default, deserialize_with = "there")]
    id: Option<Value>,
    #[serde(default, deserialize_with = "there")]
    method: Option<Value>,
    #[serde(default, deserialize_with = "there")]
    result: Option<serde::de::IgnoredAny>,
    #[serde(default, deserialize_with = "there")]
    error: Option<serde::de::IgnoredAny>,
}

fn there<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

fn message(bytes: Bytes, has_sessions: bool) -> Result<PostedMessage, Refused> {
    let head: MessageParts = serde_json::from_slice(&bytes).map_err(|_| {
        Refused::invalid("the message is no object", "send one JSON-RPC message as the body", Value::Null)
    })?;
    let is_id = |id: &Value| id.is_string() || id.is_i64() || id.is_u64();
    let id = head.id.clone().filter(is_id).unwrap_or_default();
    if head.jsonrpc.as_ref().and_then(Value::as_str) != Some("2.0") {
        return Err(Refused::invalid("`jsonrpc` is not \"2.0\"", "say \"jsonrpc\": \"2.0\"", id));
    }
    if head.id.as_ref().is_some_and(|id| !is_id(id)) {
        let why = "`id` is neither a text nor a whole number";
        return Err(Refused::invalid(why, "give every request an id of its own", id));
    }
    let kind = match (head.method, head.id) {
        (Some(Value::String(method)), Some(id)) if method == "initialize" => {
            initialize(&bytes, id, has_sessions)?
        }
        (Some(Value::String(method)), Some(id)) => PostedKind::Request { id, method },
        (Some(Value::String(_)), None) => PostedKind::Silent,
        (None, Some(_)) if head.result.is_some() || head.error.is_some() => PostedKind::Silent,
        _ => {
            let why = "the message is no request, no notification and no answer";
            return Err(Refused::invalid(why, "give it a `method`, and an `id` for an answer", id));
        }
    };
    Ok(PostedMessage { bytes, kind })
}

fn initialize(bytes: &[u8], id: Value, has_sessions: bool) -> Result<PostedKind, Refused> {
    #[derive(Deserialize)]
    struct Hello {
        params: InitializeRequestParams,
    }
    match serde_json::from_slice::<Hello>(bytes) {
        Ok(Hello { params }) => Ok(PostedKind::Initialize {
            id,
            client: params.client_info.name,
            version: params.protocol_version.to_string(),
        }),
        Err(_) if !has_sessions => Err(Refused {
            status: StatusCode::NOT_FOUND,
            number: METHOD_NOT_FOUND,
            fault: Box::new(
                Fault::new(codes::INPUT_UNKNOWN_VERB, "this version of the protocol has no `initialize`")
                    .fix("send requests without a session, or `initialize` without the header MCP-Protocol-Version")
                    .rule("IF-7"),
            ),
            id,
        }),
        Err(error) => Err(Refused {
            status: StatusCode::BAD_REQUEST,
            number: INVALID_PARAMS,
            fault: Box::new(
                Fault::new(
                    codes::INPUT_BAD_VALUE,
                    format!("the params of `initialize` do not fit: {error}"),
                )
                .fix("give protocolVersion, capabilities and clientInfo with name and version")
                .rule("IF-7"),
            ),
            id,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_api::limits::JSON_VALUES_MAX;
    use serde_json::json;

    fn refused(body: &str) -> (u16, i64, Value) {
        let refused = sort(body.to_owned().into(), true).expect_err(body);
        (refused.status.as_u16(), refused.number, refused.id)
    }

    #[test] // spec: IF-7
    fn what_is_wrong_with_a_message_is_said() {
        for no_json in ["", "no", "{", "{\"jsonrpc\":\"2.0\"", "\u{fffd}"] {
            assert_eq!(refused(no_json), (400, -32700, Value::Null), "{no_json}");
        }
        for odd in ["5", "\"x\"", "null", "[]", "[5]", "{}"] {
            assert_eq!(refused(odd), (400, -32600, Value::Null), "{odd}");
        }
        let call = |more: &str| format!("{{\"method\":\"ping\",{more}}}");
        assert_eq!(refused(&call("\"jsonrpc\":\"1.0\",\"id\":7")), (400, -32600, json!(7)));
        assert_eq!(refused(&call("\"id\":7")), (400, -32600, json!(7)));
        for id in ["null", "{}", "[]", "true", "1.5"] {
            assert_eq!(
                refused(&call(&format!("\"jsonrpc\":\"2.0\",\"id\":{id}"))),
                (400, -32600, Value::Null),
                "{id}"
            );
        }
        let twice = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"method\":\"x\"}";
        assert_eq!(refused(twice), (400, -32600, Value::Null));
        let many =
            call(&format!("\"jsonrpc\":\"2.0\",\"id\":1,\"params\":[{}0]", "0,".repeat(JSON_VALUES_MAX)));
        assert_eq!(refused(&many).0, 413);
        let hello = |version: &str| {
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"initialize\",\"params\":{{\"protocolVersion\":{version},\
                 \"capabilities\":{{}},\"clientInfo\":{{\"name\":\"x\",\"version\":\"1\"}}}}}}"
            )
        };
        assert_eq!(refused(&hello("5")), (400, -32602, json!("a")));
        assert_eq!(
            refused(&format!("[{}]", hello("\"2025-03-26\""))).1,
            -32600,
            "it begins a session by itself"
        );
        let without = sort(hello("5").into(), false).expect_err("a protocol without sessions has none");
        assert_eq!((without.status.as_u16(), without.number, without.id), (404, -32601, json!("a")));
        for has_sessions in [true, false] {
            let Ok(Posted::One(message)) = sort(hello("\"2025-03-26\"").into(), has_sessions) else {
                panic!("a message")
            };
            let expected =
                PostedKind::Initialize { id: json!("a"), client: "x".into(), version: "2025-03-26".into() };
            assert_eq!(message.kind, expected, "the service opens a session for it, which counts");
        }
    }

    #[test] // spec: IF-7
    fn requests_notifications_and_answers_are_told_apart() {
        let kind = |body: &str| match sort(body.to_owned().into(), true) {
            Ok(Posted::One(message)) => message.kind,
            other => panic!("{other:?}"),
        };
        let ping = PostedKind::Request { id: json!(1), method: "ping".into() };
        assert_eq!(kind("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"), ping);
        assert_eq!(
            kind("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"),
            PostedKind::Silent
        );
        assert_eq!(kind("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}"), PostedKind::Silent);
        let batch =
            "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]";
        let Ok(Posted::Batch(messages)) = sort(batch.to_owned().into(), true) else { panic!("a batch") };
        assert_eq!(messages.into_iter().map(|one| one.kind).collect::<Vec<_>>(), [ping, PostedKind::Silent]);
    }
}
