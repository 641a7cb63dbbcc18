//! The caller and the place of one call.
//!
//! Over stdio the folder of the process is the caller's place. Over HTTP nothing of the daemon's own
//! environment counts: a request names its root in a header or in its metadata, or it has none.

use crate::budget::HeldBytes;
use crate::caller_key::CallerKey;
use crate::door::McpDoor;
use crate::limits::TAGS_MAX;
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_base::{AgentId, Fault, codes};
use brainstem_memory::{Declared, Memory, RootHints, Session};
use hyper::HeaderMap;
use hyper::http::request::Parts;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The headers that name the caller's root (MEM-17).
const ROOT_HEADERS: [&str; 2] = ["brainstem-caller-root", "m1nd-caller-root"];
/// The header that names the caller (IF-25).
pub(crate) const AGENT_HEADER: &str = "brainstem-agent";
/// The headers that name the caller's session, its tags and the mail root it means (MAIL-4).
const SESSION_NAME_HEADER: &str = "brainstem-session";
/// The header with the name that a connection was given, from a process that asks for its caller (IF-25a).
const CONNECTION_HEADER: &str = "brainstem-connection";
/// The header with the agent of the session, from such a process (MAIL-4).
const SESSION_AGENT_HEADER: &str = "brainstem-session-agent";
const TAGS_HEADER: &str = "brainstem-tags";
const MAIL_ROOT_HEADER: &str = "brainstem-mail-root";
/// The key of a request's `_meta` that names the caller's root, for a protocol without sessions.
const ROOT_META: &str = "brainstem/caller-root";
/// The header of an MCP session.
pub(crate) const SESSION_HEADER: &str = "mcp-session-id";

/// A caller and its place.
pub(crate) struct CallPlace {
    pub(crate) declared: Declared,
    pub(crate) roots: RootHints,
    /// `None` if each request is independent of the others.
    pub(crate) session: Option<Arc<Session>>,
}

/// The caller and the place of one call over MCP.
pub(crate) fn of(
    door: &McpDoor,
    session: &Arc<Session>,
    request: &RequestContext<RoleServer>,
) -> Result<CallPlace, Fault> {
    let (mut declared, mut roots) = (door.declared.clone(), door.roots.clone());
    let mut session = Some(session.clone());
    if let Some(parts) = request.extensions.get::<Parts>() {
        declared = self::declared(&parts.headers)?;
        roots.explicit = named(request, parts)?;
        session = session.filter(|_| parts.headers.contains_key(SESSION_HEADER));
    } else if let Some(named) = root_in_meta(request)? {
        roots.explicit = Some(named);
    }
    Ok(CallPlace { declared, roots, session })
}

/// The share that a request over MCP counts against: its session's, else that of its declared caller.
pub(crate) fn key(request: &RequestContext<RoleServer>, declared: &Declared) -> CallerKey {
    let parts = request.extensions.get::<Parts>();
    let session = parts.and_then(|parts| parts.headers.get(SESSION_HEADER)?.to_str().ok());
    CallerKey::of(declared, session)
}

/// Begins a session. A second `initialize` is refused: it would change the caller. Over HTTP the session is bound to the root
/// that its first request names.
pub(crate) fn begin(
    session: &Session,
    begun: &OnceLock<Option<PathBuf>>,
    request: &RequestContext<RoleServer>,
) -> Result<(), Fault> {
    let Some(parts) = request.extensions.get::<Parts>() else {
        return begun.set(None).map_err(|_| begun_already_over_stdio());
    };
    let named = named(request, parts)?;
    begun.set(named.clone()).map_err(|_| begun_already())?;
    if let Some(named) = named {
        session.bind(named);
    }
    Ok(())
}

/// The refusal of a second `initialize` in a session.
pub(crate) fn begun_already() -> Fault {
    Fault::new(codes::INPUT_BAD_VALUE, "this session has begun already, and stays bound where it is")
        .fix("call handshake or bootstrap to move it, or send initialize without Mcp-Session-Id for another")
        .field(SESSION_HEADER)
        .rule("MEM-17")
}

/// The refusal of a second `initialize` by a process that serves one client.
fn begun_already_over_stdio() -> Fault {
    Fault::new(codes::INPUT_BAD_VALUE, "this session has begun already, and keeps the client that began it")
        .fix(advice!["start another `", calls::mcp(), "` for another client"])
        .field("clientInfo")
        .rule("IF-25")
}

/// Refuses a request whose root leads to another brain than its session is bound to: serving one of the two would be a guess.
pub(crate) async fn check(memory: Arc<Memory>, named: PathBuf, bound: PathBuf) -> Result<(), Fault> {
    if named == bound {
        return Ok(());
    }
    let roots = (named.clone(), bound.clone());
    let same = tokio::task::spawn_blocking(move || {
        let brain = |root: PathBuf| memory.place_at(&root).brain().map(|brain| brain.fingerprint.clone());
        brain(roots.0).is_some_and(|one| brain(roots.1) == Some(one))
    });
    if same.await.unwrap_or(false) {
        return Ok(());
    }
    let (named, bound) = (named.display(), bound.display());
    let message = format!("the request names the root `{named}`, and its session is bound to `{bound}`");
    Err(Fault::new(codes::INPUT_BAD_VALUE, message)
        .fix("leave the root out, call handshake to move the session, or begin another")
        .field(ROOT_HEADERS[0])
        .rule("MEM-17"))
}

/// The answer's part of the budget, given back when the answer is sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnswerBudget(Arc<Mutex<Option<HeldBytes>>>);

/// Lets the answer to a request over HTTP hold its part of the budget until it is sent.
pub(crate) fn hold(request: &RequestContext<RoleServer>, held: Option<HeldBytes>) {
    let slot = request.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<AnswerBudget>());
    if let (Some(slot), Some(held)) = (slot, held) {
        *slot.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(held);
    }
}

/// The root that a request over HTTP names, in its metadata or its headers; if both name one, they must agree.
fn named(request: &RequestContext<RoleServer>, parts: &Parts) -> Result<Option<PathBuf>, Fault> {
    match (root_in_meta(request)?, root(&parts.headers)?) {
        (Some(meta), Some(header)) if meta != header => Err(disagree(
            &format!("`{ROOT_META}` names the root `{}`", meta.display()),
            &format!("the header `{}`", header.display()),
        )),
        (meta, header) => Ok(meta.or(header)),
    }
}

/// The root that the headers of a request name.
pub(crate) fn root(headers: &HeaderMap) -> Result<Option<PathBuf>, Fault> {
    let mut found: Option<PathBuf> = None;
    for name in ROOT_HEADERS {
        let Some(text) = one(headers, name)? else { continue };
        let root = whole(name, text)?;
        match &found {
            Some(other) if *other != root => {
                let (other, root) = (other.display(), root.display());
                return Err(disagree(
                    &format!("the header `{}` names the root `{other}`", ROOT_HEADERS[0]),
                    &format!("`{name}` the root `{root}`"),
                ));
            }
            _ => found = Some(root),
        }
    }
    Ok(found)
}

/// The caller that the headers of a request declare.
pub(crate) fn declared(headers: &HeaderMap) -> Result<Declared, Fault> {
    let agent = one(headers, AGENT_HEADER)?;
    // Refused even if a field of the call names another agent: a header that is not an id is a mistake.
    if let Some(text) = agent.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        AgentId::parse(text).map_err(|fault| Fault::from(fault).field(AGENT_HEADER))?;
    }
    let mail_root = one(headers, MAIL_ROOT_HEADER)?.map(|text| {
        whole(MAIL_ROOT_HEADER, text).map_err(|fault| {
            fault.fix("give the folder of the mail as an absolute path without `..`, such as /src/cherry/.mail, or leave it out").rule("MAIL-1")
        })
    });
    let tags = one(headers, TAGS_HEADER)?;
    let count =
        tags.as_deref().map_or(0, |tags| tags.split(',').filter(|tag| !tag.trim().is_empty()).count());
    if count > TAGS_MAX {
        let message =
            format!("the header `{TAGS_HEADER}` has {count} tags, and a session carries {TAGS_MAX}");
        return Err(Fault::new(codes::INPUT_TOO_LARGE, message)
            .fix(format!("give {TAGS_MAX} tags at most"))
            .field(TAGS_HEADER)
            .rule("IF-14"));
    }
    Ok(Declared {
        argument: agent,
        session: one(headers, SESSION_NAME_HEADER)?,
        connection: one(headers, CONNECTION_HEADER)?,
        session_agent: one(headers, SESSION_AGENT_HEADER)?,
        tags: tags.into_iter().collect(),
        mail_root: mail_root.transpose()?,
        // A request comes from a program. Settings that name a person mean the person at the terminal.
        client: Some(String::new()),
        ..Declared::default()
    })
}

fn root_in_meta(request: &RequestContext<RoleServer>) -> Result<Option<PathBuf>, Fault> {
    match request.meta.get(ROOT_META) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => whole(ROOT_META, text.clone()).map(Some),
        Some(_) => Err(not_a_root(ROOT_META)),
    }
}

/// The only value of a header, percent-decoded if it has escapes: a path need not be ASCII, a header must.
fn one(headers: &HeaderMap, name: &str) -> Result<Option<String>, Fault> {
    let mut values = headers.get_all(name).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return if headers.contains_key(name) { Err(unclear(name)) } else { Ok(None) };
    };
    let text = std::str::from_utf8(value.as_bytes()).map_err(|_| unclear(name))?;
    crate::http::text::percent_decoded(text).map(Some).ok_or_else(|| unclear(name))
}

/// A path that means the same in every working directory.
fn whole(name: &str, text: String) -> Result<PathBuf, Fault> {
    let path = PathBuf::from(text);
    let is_plain = path.components().all(|part| part.as_os_str() != "..");
    if path.is_absolute() && is_plain { Ok(path) } else { Err(not_a_root(name)) }
}

fn not_a_root(name: &str) -> Fault {
    Fault::new(codes::INPUT_BAD_VALUE, format!("`{name}` is not the absolute path of a folder"))
        .fix("give the project's root as an absolute path without `..`, or leave it out")
        .field(name)
        .rule("MEM-17")
}

fn disagree(one: &str, other: &str) -> Fault {
    Fault::new(codes::INPUT_BAD_VALUE, format!("{one}, and {other}"))
        .fix("name one root, once")
        .field(ROOT_HEADERS[0])
        .rule("MEM-17")
}

fn unclear(name: &str) -> Fault {
    Fault::new(codes::INPUT_BAD_VALUE, format!("the header `{name}` is given twice, or is no text"))
        .fix("give it once, as UTF-8, percent-encoded where it is not ASCII")
        .field(name)
        .rule("MEM-17")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    #[test] // spec: IF-14a
    fn a_header_with_more_tags_than_a_session_carries_is_refused_before_they_are_looked_at() {
        let headers = |count: usize| {
            let tags: Vec<String> = (0..count).map(|n| format!("t{n}")).collect();
            let value = HeaderValue::from_str(&format!(" ,{},", tags.join(","))).expect("a header");
            HeaderMap::from_iter([(hyper::header::HeaderName::from_static(TAGS_HEADER), value)])
        };
        assert!(declared(&headers(TAGS_MAX)).is_ok_and(|declared| declared.tags.len() == 1));
        let fault = declared(&headers(TAGS_MAX + 1)).expect_err("too many");
        assert_eq!((fault.code, fault.field.as_deref()), (codes::INPUT_TOO_LARGE, Some(TAGS_HEADER)));
    }
}
