//! REST: every verb of all doors under `/api`, as the table says.
//!
//! The fields of a verb come from the query of a GET and from the JSON body of a POST. The caller and its place
//! come from headers and from fields of their own. The checks are the same as on every door.

use crate::budget::HeldBytes;
use crate::calls::Calls;
use crate::client::DOOR;
use crate::http::answer::{self, HttpAnswer, document, refusal, refusal_after, wrong_method};
use crate::http::body;
use crate::http::events::{self, Audience, FindAudience, StreamStart};
use crate::http::guard::RequestAccess;
use crate::http::shared::DaemonParts;
use crate::http::text::{percent_decoded, query_fields};
use crate::place;
use crate::poke::poke_daemon;
use crate::run::{Call, select};
use crate::turn::{Turn, Waiter};
use brainstem_api::caller::{AGENT_ID, object_of, take_agent_id};
use brainstem_api::json::{self, JsonFault};
use brainstem_api::live::Live;
use brainstem_api::openapi::{self, BRAIN};
use brainstem_api::{
    CallerWords, Context, Door, Effect, Entry, FoundPlace, Method, Object, Offers, VerbSpec, instances,
    likely_commands, mirror_node, table,
};
use brainstem_base::{Fault, codes, near_names};
use brainstem_memory::{Caller, CallerPlace, Declared, RootHints};
use brainstem_post::Post;
use hyper::Request;
use hyper::body::Incoming;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use hyper::http::request::Parts;
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, field, info_span};

/// The longest path for which a similar one is looked for, in characters.
const NEAR_LEN_MAX: usize = 80;

/// Answers a request under `/api`.
pub(crate) async fn answer(
    shared: &Arc<DaemonParts>,
    access: &RequestAccess,
    request: Request<Incoming>,
) -> HttpAnswer {
    let path = request.uri().path().to_owned();
    let is_get = request.method() == hyper::Method::GET;
    let answered = match path.as_str() {
        openapi::PATH | openapi::EVENTS | instances::PATH if !is_get => return wrong_method("GET"),
        openapi::PATH => Ok(document(&openapi::document())),
        openapi::EVENTS => stream(shared, access, request.into_parts().0).await,
        topics if topics.starts_with(mirror_node::PREFIX) && !is_get => return wrong_method("GET"),
        topics if topics.starts_with(mirror_node::PREFIX) => {
            let memory = shared.looking.clone();
            let query = query_fields(request.uri().query().unwrap_or_default());
            let asked = topics.to_owned();
            let read = move || mirror_node::answer(&memory, &asked, query.as_deref());
            let key = access.key(&Declared::default());
            shared.look("topics", key, read).await.map(|(status, found)| answer::with_status(status, &found))
        }
        instances::PATH => {
            let memory = shared.looking.clone();
            let found = move || instances::document(&memory);
            let key = access.key(&Declared::default());
            shared.look("instances", key, found).await.map(|found| document(&found))
        }
        _ => verb(shared, access, &path, request).await,
    };
    answered.unwrap_or_else(|fault| refusal(&fault))
}

async fn verb(
    shared: &Arc<DaemonParts>,
    access: &RequestAccess,
    path: &str,
    request: Request<Incoming>,
) -> Result<HttpAnswer, Fault> {
    let here: Vec<(&'static Entry, Object)> = table()
        .iter()
        .filter(|entry| entry.spec().doors.has_path())
        .filter_map(|entry| {
            let spec = entry.spec();
            let mut paths = std::iter::once(spec.path()).chain(spec.former_paths());
            Some((entry, paths.find_map(|form| fit_path(form, path))?))
        })
        .collect();
    let Some((first, _)) = here.first() else {
        return Err(Fault::new(codes::INPUT_UNKNOWN_VERB, "no verb has this path")
            .fix(match nearest(path) {
                Some((method, near)) => {
                    format!("did you mean {method} {near}? {} lists every path", openapi::PATH)
                }
                None => format!("{} lists every path", openapi::PATH),
            })
            .rule("IF-12"));
    };
    let takes = first.spec().method().as_str();
    let is_asked =
        |(entry, _): &(&'static Entry, Object)| entry.spec().method().as_str() == request.method().as_str();
    let Some((entry, in_path)) = here.into_iter().find(is_asked) else { return Ok(wrong_method(takes)) };
    let (head, incoming) = request.into_parts();
    let mut said = said_in(entry, &head);
    // It chooses the words of a refusal and of a note, and nothing else: this door has no shell and no folder of the caller's.
    let door = head.headers.get(DOOR).and_then(|name| percent_decoded(name.to_str().ok()?));
    let asked_through = door.map(|name| Door::of_name(&name).repeating(shared.door.repeated));
    let door = asked_through.unwrap_or(Door::rest().repeating(shared.door.repeated));
    let mut asked = match RestRequest::of(entry, &head) {
        Ok(asked) => asked,
        Err(fault) => return Ok(refusal_after(&fault, door, &said)),
    };
    let mut held = None;
    if entry.spec().method() != Method::Get {
        (asked.arguments, held) = match body_fields(&head, incoming, shared).await {
            Ok(body) => body,
            Err(fault) => return Ok(refusal_after(&fault, door, &said)),
        };
        said = CallerWords::of(&asked.arguments).in_brain(asked.brain.as_deref());
    }
    for (field, value) in in_path {
        asked.arguments.insert(field, value);
    }
    let answer = asked.run(entry, shared, access, said.clone(), asked_through).await;
    // The body is no longer needed.
    drop(held);
    Ok(answer.unwrap_or_else(|fault| refusal_after(&fault, door, &said)))
}

/// What the query of a request declares about the caller and its place; nothing if it cannot be read.
fn said_in(entry: &Entry, head: &Parts) -> CallerWords {
    let query = query_of(head).unwrap_or_default();
    let brain = query.iter().find(|(field, _)| field == BRAIN && !openapi::has_own_brain(entry));
    let fields = query.iter().map(|(field, text)| (field.clone(), text.as_str().into())).collect();
    CallerWords::of(&fields).in_brain(brain.map(|(_, text)| text.as_str()))
}

/// A similar path: the same except for a few letters, or with another word for the verb.
fn nearest(path: &str) -> Option<(&'static str, &'static str)> {
    let asked: String = path.chars().take(NEAR_LEN_MAX).collect::<String>().to_lowercase();
    let name = asked.trim_start_matches("/api").trim_matches('/').replace(['-', '/'], "_");
    let own = [("GET", openapi::PATH), ("GET", openapi::EVENTS), ("GET", instances::PATH)];
    let verbs = table().iter().map(Entry::spec).filter(|spec| spec.doors.has_path());
    // A destructive verb is found only by its name, with one slip at most.
    let harmless = verbs.clone().filter(|spec| spec.effect != Effect::Destructive);
    let paths = harmless.map(|spec| (spec.method().as_str(), spec.path())).chain(own);
    // The name of a tool or of a command is as good as its path.
    let is_named = |spec: &&VerbSpec| spec.id() == name || spec.verb.former().contains(&name.as_str());
    let meant =
        || likely_commands::verbs(&name).into_iter().map(Entry::spec).find(|spec| spec.doors.has_path());
    let named = verbs.clone().find(is_named).or_else(meant).map(|spec| (spec.method().as_str(), spec.path()));
    named.or_else(|| {
        let slips = |path: &str| near_names::slips(&asked, path.strip_suffix(".json").unwrap_or(path));
        let is_contrary = |path: &str| {
            let words = |path| str::split(path, ['/', '_', '-']);
            words(&asked).zip(words(path)).any(|(word, own)| likely_commands::is_contrary(word, own))
        };
        let near = paths
            .filter(|(_, path)| !is_contrary(path))
            .filter_map(|(method, path)| Some((slips(path)?, (method, path))));
        near.min_by_key(|(slips, _)| *slips).map(|(_, near)| near)
    })
}

/// The parts of a request beside the fields of the verb.
struct RestRequest {
    arguments: Object,
    declared: Declared,
    roots: RootHints,
    brain: Option<String>,
}

impl RestRequest {
    fn of(entry: &Entry, head: &Parts) -> Result<Self, Fault> {
        let mut query = query_of(head)?;
        let brain = if openapi::has_own_brain(entry) { None } else { take_one(&mut query, BRAIN)? };
        let arguments = match entry.spec().method() {
            Method::Get => query_arguments(entry, query)?,
            Method::Post => match query.first() {
                Some((field, _)) => {
                    return Err(unknown_in_query(field));
                }
                None => Object::new(),
            },
        };
        let declared = place::declared(&head.headers)?;
        let roots = RootHints { explicit: place::root(&head.headers)?, ..RootHints::default() };
        Ok(Self { arguments, declared, roots, brain })
    }

    async fn run(
        mut self,
        entry: &'static Entry,
        shared: &Arc<DaemonParts>,
        access: &RequestAccess,
        said: CallerWords,
        asked_through: Option<Door>,
    ) -> Result<HttpAnswer, Fault> {
        let spec = entry.spec();
        if let Some(agent) = take_agent_id(&mut self.arguments)? {
            self.declared.argument = Some(agent);
        }
        let turn = Turn::of(access.key(&self.declared), entry, &self.arguments);
        let caller = turn.key.kind();
        let span = info_span!("call", door = "rest", verb = spec.id(), caller, outcome = field::Empty);
        let door = &shared.door;
        let live = Live::Here(shared.live.clone());
        // Cancelled with this future, when the connection is lost.
        let gone = CancellationToken::new();
        let _gone = gone.clone().drop_guard();
        let waiter = Waiter { time: turn.time.clone(), gone: gone.clone() };
        let cx = Context {
            memory: match access {
                RequestAccess::Token => door.memory.clone(),
                RequestAccess::Cookie(_) => shared.looking.clone(),
            },
            declared: self.declared,
            roots: self.roots,
            program: door.program.clone(),
            door: Door::rest().repeating(door.repeated),
            session: None,
            offers: Offers {
                live: Some(live),
                progress: Some(Arc::new(waiter)),
                said,
                asked_through,
                ..Offers::default()
            },
            found: FoundPlace::default(),
        };
        let (arguments, brain) = (self.arguments, self.brain);
        let started = Instant::now();
        let call = Call { entry, arguments, brain, cx, turn, copies: 1, gone };
        let done = call.run(&Calls::within(shared.room.clone())).instrument(span.clone()).await;
        let outcome = done.as_ref().err().map_or("ok", |fault| fault.code.name());
        span.record("outcome", outcome);
        shared.meters.called(spec.id(), outcome, started.elapsed());
        // A read of a browser leaves no work for later.
        if *access == RequestAccess::Token {
            shared.answered();
        }
        done.map(answer::verb_reply)
    }
}

async fn stream(shared: &Arc<DaemonParts>, access: &RequestAccess, head: Parts) -> Result<HttpAnswer, Fault> {
    let mut query = query_of(&head)?;
    let brain = take_one(&mut query, BRAIN)?;
    let is_all = match take_one(&mut query, "tier")?.as_deref() {
        None => false,
        Some("all-brains") => true,
        Some(_) => {
            let fault = Fault::new(codes::INPUT_BAD_VALUE, "`tier` must be all-brains, or not given");
            return Err(fault.fix("leave `tier` out to hear of your brain and the medulla").field("tier"));
        }
    };
    if let Some((field, _)) = query.first() {
        return Err(unknown_in_query(field));
    }
    let roots = RootHints { explicit: place::root(&head.headers)?, ..RootHints::default() };
    let (memory, declared) = (shared.looking.clone(), place::declared(&head.headers)?);
    let key = access.key(&declared);
    let found: FindAudience = Arc::new(move || {
        let mut roots = roots.clone();
        select(&memory, brain.as_deref(), &mut roots)?;
        let place = CallerPlace::of_call(roots, None);
        let caller = Caller::new(memory.identify_reader(&declared, &place)?, place);
        let brain = memory.route(&caller).brain().map(|brain| brain.fingerprint.clone());
        memory.check_ground(&caller)?;
        let post = Post::new(&memory);
        let inboxes = post.own_inbox(&caller)?.slugs.iter().map(ToString::to_string).collect();
        Ok(Audience::Of { brain, mail: post.live_project(&caller), inboxes })
    });
    let last =
        head.headers.get("last-event-id").map(|id| String::from_utf8_lossy(id.as_bytes()).into_owned());
    let look = found.clone();
    let own = shared.look("events", key.clone(), move || look()).await?;
    let audience = if is_all { Audience::All } else { own };
    let start = match last.as_deref() {
        None => StreamStart::Next,
        // The stream repeats what happened before. The stores are looked at first, so that it tells of nothing that was erased.
        Some(id) if shared.looks.wait_for_a_look(|| poke_daemon(&shared.record)).await => {
            StreamStart::After(id)
        }
        Some(id) => StreamStart::Unchecked(id),
    };
    Ok(events::open(shared, &key, audience, found, start))
}

/// The fields in a path, if the path has this form.
fn fit_path(form: &str, path: &str) -> Option<Object> {
    let mut fields = Object::new();
    let (mut parts, mut given) = (form.split('/'), path.split('/'));
    loop {
        match (parts.next(), given.next()) {
            (None, None) => return Some(fields),
            (Some(part), Some(text)) => {
                match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
                    Some(field) => {
                        fields.insert(field.to_owned(), percent_decoded(text)?.into());
                    }
                    None if part == text => {}
                    None => return None,
                }
            }
            _ => return None,
        }
    }
}

fn query_of(head: &Parts) -> Result<Vec<(String, String)>, Fault> {
    query_fields(head.uri.query().unwrap_or_default()).ok_or_else(|| {
        Fault::new(codes::INPUT_NOT_UTF8, "the query is not percent-encoded UTF-8")
            .fix("encode each name and value as UTF-8 with percent signs")
            .field("query")
    })
}

/// Takes out a field that may occur once.
fn take_one(query: &mut Vec<(String, String)>, field: &str) -> Result<Option<String>, Fault> {
    let (mut taken, rest): (Vec<_>, Vec<_>) =
        std::mem::take(query).into_iter().partition(|(name, _)| name == field);
    *query = rest;
    if taken.len() > 1 {
        return Err(twice(field));
    }
    Ok(taken.pop().map(|(_, value)| value))
}

fn query_arguments(entry: &Entry, query: Vec<(String, String)>) -> Result<Object, Fault> {
    let schema = entry.input_schema();
    let mut arguments = Object::new();
    for (field, value) in query {
        if openapi::is_list(&schema, &field) {
            let list = arguments.entry(field).or_insert_with(|| Value::Array(Vec::new()));
            list.as_array_mut().expect("made as one").push(value.into());
        } else if arguments.insert(field.clone(), value.into()).is_some() {
            return Err(twice(&field));
        }
    }
    Ok(arguments)
}

/// The fields in the body of a request, and the body's part of the budget.
async fn body_fields(
    head: &Parts,
    incoming: Incoming,
    shared: &DaemonParts,
) -> Result<(Object, Option<HeldBytes>), Fault> {
    let has_body = head.headers.contains_key(TRANSFER_ENCODING)
        || head.headers.get(CONTENT_LENGTH).is_some_and(|len| len.as_bytes() != b"0");
    if !has_body {
        return Ok((Object::new(), None));
    }
    let media = head.headers.get(CONTENT_TYPE).and_then(|media| media.to_str().ok()).unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    if !media.eq_ignore_ascii_case("application/json") {
        return Err(Fault::new(codes::INPUT_MEDIA, "the body is not said to be JSON")
            .fix("send the fields as a JSON object, with Content-Type: application/json")
            .field("body")
            .rule("IF-12"));
    }
    let body::ReadBody { bytes, held } = body::read(incoming, &shared.limits, &shared.room.bodies).await?;
    let unread = |fault: JsonFault| fault.into_fault("body");
    json::check(&bytes).map_err(unread)?;
    let value = serde_json::from_slice(&bytes).map_err(|error| unread(JsonFault::NotJson(error)))?;
    match value {
        Value::Object(_) => Ok((object_of(value)?, held)),
        _ => Err(Fault::new(codes::INPUT_BAD_VALUE, "the body must be a JSON object")
            .fix("send one JSON object with the fields of the verb")
            .field("body")),
    }
}

fn twice(field: &str) -> Fault {
    let shown: String = field.chars().take(80).collect();
    Fault::new(codes::INPUT_BAD_VALUE, format!("the field `{shown}` occurs twice in the query"))
        .fix("give it once")
        .field(shown)
}

fn unknown_in_query(field: &str) -> Fault {
    let shown: String = field.chars().take(80).collect();
    Fault::new(codes::INPUT_BAD_VALUE, format!("there is no field `{shown}` in the query here"))
        .fix(format!(
            "give `{BRAIN}` in the query, and the fields of the verb, `{AGENT_ID}` too, where {} says",
            openapi::PATH
        ))
        .field(shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test] // spec: IF-12
    fn a_path_gives_its_fields_and_never_another_path() {
        let fit = |form: &str, path: &str| fit_path(form, path).map(Value::Object);
        assert_eq!(fit("/api/seek", "/api/seek"), Some(json!({})));
        assert_eq!(fit("/api/audit/{what}", "/api/audit/a%2Fb"), Some(json!({"what": "a/b"})));
        for other in [
            "/api/audit",
            "/api/audit/",
            "/api/audit/a/b",
            "/api//audit/x",
            "/api/audit/%ff",
            "/api/audit/%00",
        ] {
            assert!(
                fit("/api/audit/{what}", other).is_none_or(|fields| fields == json!({"what": ""})),
                "{other}"
            );
        }
        assert_eq!(fit("/api/seek", "/api/seek/"), None);
        assert_eq!(fit("/api/seek", "/api/../api/seek"), None);
    }

    #[test] // spec: IF-12
    fn a_path_that_nobody_has_leads_to_the_nearest() {
        for (asked, near) in [
            ("/api/seak", Some(("GET", "/api/seek"))),
            ("/api/memorise", Some(("POST", "/api/memorize"))),
            ("/api/SEEK", Some(("GET", "/api/seek"))),
            ("/api/seek/", Some(("GET", "/api/seek"))),
            ("/api/mail_list", Some(("GET", "/api/mail/list"))),
            ("/api/session_handshake", Some(("POST", "/api/handshake"))),
            ("/api/instance", Some(("GET", "/api/instances"))),
            ("/api/openapi", Some(("GET", "/api/openapi.json"))),
            ("/api/remember", Some(("POST", "/api/memorize"))),
            ("/api/delete", Some(("POST", "/api/retract"))),
            ("/api/mail/write", Some(("POST", "/api/mail/send"))),
            ("/api/forgt", Some(("POST", "/api/forget"))),
            ("/api/forgery", None),
            ("/api/mail/clam", Some(("POST", "/api/mail/claim"))),
            ("/api/mail/unclaim", None),
            ("/api/mail_unclaim", None),
            ("/api/start", None),
            ("/api/nothing/like/it/at/all", None),
        ] {
            assert_eq!(nearest(asked), near, "{asked}");
        }
        assert_eq!(nearest(&"/api/x".repeat(10_000)), None);
    }

    #[test] // spec: IF-12
    fn a_query_is_the_fields_of_a_verb() {
        let entry = brainstem_api::verbs::find("seek").expect("a verb");
        let ask =
            |query: &str| query_arguments(entry, query_fields(query).expect("decodes")).map(Value::Object);
        assert_eq!(ask("query=a+b&limit=3"), Ok(json!({"query": "a b", "limit": "3"})));
        let fault = ask("query=a&query=b").expect_err("twice");
        assert_eq!((fault.code, fault.field.as_deref()), (codes::INPUT_BAD_VALUE, Some("query")));
        let mut query = query_fields("brain=x&a=1").expect("decodes");
        assert_eq!(take_one(&mut query, BRAIN), Ok(Some("x".into())));
        assert_eq!(query.len(), 1);
    }
}
