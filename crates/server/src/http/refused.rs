//! Refusals of the MCP service itself, rewritten as JSON-RPC with a code and a fix as on every door.

use crate::http::answer::{HttpAnswer, bytes};
use crate::limits::SESSION_IDLE_MIN;
use brainstem_api::refusal::error_document;
use brainstem_api::{Door, Offered};
use brainstem_base::{ErrorCode, Fault, codes};
use http_body_util::BodyExt as _;
use hyper::StatusCode;
use hyper::header::{self, HeaderValue};
use serde_json::{Value, json};

/// The codes of JSON-RPC for a text that is not JSON, a message that is not a request, an unknown method, and params that do
/// not fit.
pub(crate) const PARSE_ERROR: i64 = -32700;
pub(crate) const INVALID_REQUEST: i64 = -32600;
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const INVALID_PARAMS: i64 = -32602;
/// The code for a valid request that the server cannot serve.
const SERVER_ERROR: i64 = -32000;
/// The code of MCP servers for an unknown session.
const NO_SESSION: i64 = -32001;
const NO_SESSION_FIX: &str =
    "the session has ended or is another daemon's: send initialize again, without Mcp-Session-Id";
/// How much of the service's own text is repeated, in characters.
const WORDS_MAX: usize = 300;

/// A word in the service's text about a body that it cannot read.
const UNREAD: &str = "deserialize";

/// Rewrites a refusal of the service in the form of the protocol, under its own status. A refusal that is JSON
/// already stays as it is.
pub(crate) async fn rewritten(answer: HttpAnswer, id: Value) -> HttpAnswer {
    let is_json = |media: &HeaderValue| media.as_bytes().starts_with(b"application/json");
    if answer.headers().get(header::CONTENT_TYPE).is_some_and(is_json) {
        return answer;
    }
    let (head, body) = answer.into_parts();
    let said = match body.collect().await {
        Ok(said) => String::from_utf8_lossy(&said.to_bytes()).into_owned(),
        Err(never) => match never {},
    };
    let (code, number, fix) = meant(head.status, &said);
    // The service says so of a message that is JSON and not of the protocol.
    let is_message = head.status == StatusCode::UNSUPPORTED_MEDIA_TYPE && said.contains(UNREAD);
    let status = if is_message { StatusCode::BAD_REQUEST } else { head.status };
    let said: String = if said.is_empty() { "the request is refused".into() } else { said };
    let said: String = said.chars().take(WORDS_MAX).collect();
    let mut answer = document(status, &Fault::new(code, said).fix(fix).rule("IF-7"), number, id);
    for (name, value) in &head.headers {
        if name != header::CONTENT_TYPE && name != header::CONTENT_LENGTH {
            answer.headers_mut().insert(name, value.clone());
        }
    }
    answer
}

/// A refusal of our own, in the form of the protocol.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) status: StatusCode,
    /// The code of JSON-RPC.
    pub(crate) number: i64,
    pub(crate) fault: Box<Fault>,
    /// The id of the request; null without one.
    pub(crate) id: Value,
}

impl Refused {
    /// The refusal of a message that is not a request of the protocol.
    pub(crate) fn invalid(why: &str, fix: &str, id: Value) -> Self {
        let fault = Fault::new(codes::INPUT_BAD_VALUE, why).fix(fix).rule("IF-7");
        Self::by(fault, id)
    }

    /// The refusal of a request that cannot be served as it is.
    pub(crate) fn by(fault: Fault, id: Value) -> Self {
        Self { status: StatusCode::BAD_REQUEST, number: INVALID_REQUEST, fault: Box::new(fault), id }
    }

    /// The refusal of a request in a session that is not open.
    pub(crate) fn no_session(id: Value) -> Self {
        let fault =
            Fault::new(codes::INPUT_BAD_VALUE, "no session of this id is open here").fix(NO_SESSION_FIX);
        Self { status: StatusCode::NOT_FOUND, number: NO_SESSION, fault: Box::new(fault.rule("IF-7")), id }
    }

    /// The refusal because too many are open: the same request may succeed a little later.
    pub(crate) fn busy(fault: Fault, id: Value) -> Self {
        Self { status: StatusCode::SERVICE_UNAVAILABLE, number: SERVER_ERROR, fault: Box::new(fault), id }
    }

    /// The error object, for a batch.
    pub(crate) fn document(&self) -> Value {
        error_object(&self.fault, self.number, self.id.clone())
    }
}

impl From<Refused> for HttpAnswer {
    fn from(refused: Refused) -> Self {
        let mut answer = document(refused.status, &refused.fault, refused.number, refused.id);
        if refused.status == StatusCode::SERVICE_UNAVAILABLE {
            let seconds = HeaderValue::from(SESSION_IDLE_MIN.as_secs());
            answer.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        answer
    }
}

fn document(status: StatusCode, fault: &Fault, number: i64, id: Value) -> HttpAnswer {
    bytes(status, "application/json", error_object(fault, number, id).to_string())
}

fn error_object(fault: &Fault, number: i64, id: Value) -> Value {
    let data = error_document(fault, Door::mcp(Offered::NONE))["error"].take();
    let text = |key: &str| data[key].as_str().unwrap_or_default();
    let message = format!("{}; {}", text("message"), text("fix"));
    // An id is a number or a text; any other value is not repeated.
    let id = if id.is_number() || id.is_string() { id } else { Value::Null };
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": number, "message": message, "data": data } })
}

/// The code and the fix of a refusal of the service.
fn meant(status: StatusCode, said: &str) -> (ErrorCode, i64, &'static str) {
    match status {
        StatusCode::NOT_FOUND => (codes::INPUT_BAD_VALUE, NO_SESSION, NO_SESSION_FIX),
        StatusCode::NOT_ACCEPTABLE => (
            codes::INPUT_MEDIA,
            INVALID_REQUEST,
            "send the header Accept: application/json, text/event-stream",
        ),
        StatusCode::UNSUPPORTED_MEDIA_TYPE if said.contains(UNREAD) => {
            (codes::INPUT_BAD_VALUE, INVALID_REQUEST, "send a message of the protocol as the body")
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            (codes::INPUT_MEDIA, INVALID_REQUEST, "send JSON, with Content-Type: application/json")
        }
        StatusCode::METHOD_NOT_ALLOWED => (codes::INPUT_METHOD, INVALID_REQUEST, "use POST, GET or DELETE"),
        status if status.is_server_error() => {
            (codes::DAEMON_FAILED, INVALID_REQUEST, "see daemon/daemon.log in the home")
        }
        _ if said.to_ascii_lowercase().contains("session") => (
            codes::INPUT_MISSING,
            INVALID_REQUEST,
            "send initialize first, and then with every message the Mcp-Session-Id that its answer carries",
        ),
        _ => (
            codes::INPUT_BAD_VALUE,
            INVALID_REQUEST,
            "send what the protocol of MCP-Protocol-Version asks for",
        ),
    }
}
