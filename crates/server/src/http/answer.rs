//! Answers: documents, refusals, and the headers that all of them carry.

use crate::http::body::{Body, full, held};
use crate::reply::VerbReply;
use brainstem_api::refusal::error_document_for_process;
use brainstem_api::{CallerWords, Door};
use brainstem_base::{Fault, codes};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde_json::Value;

/// An answer.
pub(crate) type HttpAnswer = Response<Body>;

/// The headers of every answer: no cache keeps it, no browser guesses its type, and no other site shows it in a frame.
const ALWAYS: [(HeaderName, &str); 4] = [
    (header::CACHE_CONTROL, "no-store"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
];

/// A document.
pub(crate) fn document(value: &Value) -> HttpAnswer {
    bytes(StatusCode::OK, "application/json", value.to_string())
}

/// A document with this status.
pub(crate) fn with_status(status: u16, value: &Value) -> HttpAnswer {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    bytes(status, "application/json", value.to_string())
}

/// A reply of a verb, as a document.
pub(crate) fn verb_reply(reply: VerbReply) -> HttpAnswer {
    let mut answer = Response::new(held(reply.text, reply.held));
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

/// A text of this type.
pub(crate) fn bytes(status: StatusCode, media: &'static str, content: String) -> HttpAnswer {
    let mut answer = Response::new(full(content));
    *answer.status_mut() = status;
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    answer
}

/// A refusal, in the form of every door and with the status of its code.
pub(crate) fn refusal(fault: &Fault) -> HttpAnswer {
    refusal_after(fault, Door::rest(), &CallerWords::default())
}

/// As [`refusal`], in the words of a door, for a call that named its caller and place like this.
pub(crate) fn refusal_after(fault: &Fault, door: Door, said: &CallerWords) -> HttpAnswer {
    let status = StatusCode::from_u16(fault.code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut answer =
        bytes(status, "application/json", error_document_for_process(fault, door, said).to_string());
    if fault.code == codes::ACCESS_TOKEN {
        let how = HeaderValue::from_static("Bearer realm=\"brainstem\"");
        answer.headers_mut().insert(header::WWW_AUTHENTICATE, how);
    }
    if fault.code == codes::DAEMON_BUSY {
        answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    answer
}

/// Refuses a method, and names those that this path takes.
pub(crate) fn wrong_method(takes: &'static str) -> HttpAnswer {
    let fault = Fault::new(codes::INPUT_METHOD, format!("this path takes {takes}"))
        .fix(format!("use {takes}"))
        .rule("IF-12");
    let mut answer = refusal(&fault);
    answer.headers_mut().insert(header::ALLOW, HeaderValue::from_static(takes));
    answer
}

/// Adds the headers of every answer.
pub(crate) fn sealed(mut answer: HttpAnswer) -> HttpAnswer {
    for (name, value) in ALWAYS {
        answer.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    answer
}
