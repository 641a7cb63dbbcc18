//! What the MCP service refuses by itself, told as JSON-RPC with a code and a fix as on every door.

use crate::http::answer::{Answer, bytes};
use brainstem_api::wire::error_document;
use brainstem_base::{ErrorCode, Fault, codes};
use http_body_util::BodyExt as _;
use hyper::StatusCode;
use hyper::header::{self, HeaderValue};
use serde_json::{Value, json};

/// The code of JSON-RPC for a text that is no JSON, and for a message that is no request.
const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
/// What servers of MCP say of a session they do not know.
const NO_SESSION: i64 = -32001;
/// How much of the service's own words is told.
const WORDS_MAX: usize = 300;

/// Tells a refusal of the service in the form of the protocol, under its own status. One that is JSON already
/// stays as it is.
pub(crate) async fn told(answer: Answer, id: Value) -> Answer {
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
    let said: String = if said.is_empty() { "the request is refused".into() } else { said };
    let said: String = said.chars().take(WORDS_MAX).collect();
    let mut answer = document(head.status, &Fault::new(code, said).fix(fix).rule("IF-7"), number, id);
    for (name, value) in &head.headers {
        if name != header::CONTENT_TYPE && name != header::CONTENT_LENGTH {
            answer.headers_mut().insert(name, value.clone());
        }
    }
    answer
}

/// Tells a refusal of our own, as a request that cannot be.
pub(crate) fn by(fault: &Fault, id: Value) -> Answer {
    document(StatusCode::BAD_REQUEST, fault, INVALID_REQUEST, id)
}

fn document(status: StatusCode, fault: &Fault, number: i64, id: Value) -> Answer {
    let data = error_document(fault)["error"].take();
    let text = |key: &str| data[key].as_str().unwrap_or_default();
    let message = format!("{}; {}", text("message"), text("fix"));
    // An id is a number or a text; of anything else nothing is said back.
    let id = if id.is_number() || id.is_string() { id } else { Value::Null };
    let error =
        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": number, "message": message, "data": data } });
    bytes(status, "application/json", error.to_string())
}

/// What a refusal means, and what to do.
fn meant(status: StatusCode, said: &str) -> (ErrorCode, i64, &'static str) {
    match status {
        StatusCode::NOT_FOUND => (
            codes::INPUT_BAD_VALUE,
            NO_SESSION,
            "the session has ended or is another daemon's: send initialize again, without Mcp-Session-Id",
        ),
        StatusCode::NOT_ACCEPTABLE => (
            codes::INPUT_MEDIA,
            INVALID_REQUEST,
            "send the header Accept: application/json, text/event-stream",
        ),
        StatusCode::UNSUPPORTED_MEDIA_TYPE if said.contains("deserialize") => {
            (codes::INPUT_UNPARSABLE, PARSE_ERROR, "send one JSON-RPC message as the body")
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
