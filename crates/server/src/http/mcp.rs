//! MCP over streamable HTTP: the handler of stdio behind rmcp's service, and the bound on its sessions.
//!
//! Sessions of the older protocol live as long as an agent may sleep. rmcp would close them after five minutes,
//! and many clients never come back from that; here they are counted, and the least used give way to new ones.

use crate::calls::{Calls, Room};
use crate::handler::Handler;
use crate::http::answer::{Answer, bytes};
use crate::http::body::{Read, UntilStopped, holding, keeping};
use crate::http::mcp_request::{Listener, has_sessions};
use crate::http::meters::Meters;
use crate::http::posted::{self, Kind, Message, Posted};
use crate::http::refused::{self, Refused};
use crate::http::sessions::{Connection, InFlight, NoneGivesWay, Sessions};
use crate::limits::{ANSWER_LEN_MAX, HttpLimits, SESSION_IDLE_MIN};
use crate::place::{self, AGENT_HEADER, SESSION_HEADER, Slot};
use brainstem_base::{Fault, codes};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, StatusCode};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager as _};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How long an answer is kept for who lost its connection.
pub(crate) const ANSWER_KEPT: Duration = Duration::from_secs(15);

/// The protocol in which several messages may come at once.
const BATCHING: &str = "2025-03-26";

/// What a session is served by: the handler, in builds for tests with what the conformance suite asks for beside it.
#[cfg(not(feature = "testing"))]
type Served = Handler;
#[cfg(feature = "testing")]
type Served = crate::fixture::WithFixture;

/// The door.
pub(crate) struct Mcp {
    service: StreamableHttpService<Served, LocalSessionManager>,
    manager: Arc<LocalSessionManager>,
    sessions: Arc<Sessions>,
    /// Sessions are opened one after the other, so that their number is sure.
    opening: tokio::sync::Mutex<()>,
    stop: CancellationToken,
    meters: Arc<Meters>,
    limits: HttpLimits,
}

impl Mcp {
    /// `stop` ends what only listens, `end` everything.
    pub(crate) fn new(
        handler: Handler,
        room: Arc<Room>,
        limits: &HttpLimits,
        meters: Arc<Meters>,
        stop: CancellationToken,
        end: CancellationToken,
    ) -> Self {
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = None;
        manager.session_config.completed_cache_ttl = ANSWER_KEPT;
        // No empty event at the head of a stream: clients of protocols before 2025-11-25 read it as JSON, and the
        // later ones need none.
        manager.session_config.sse_retry = None;
        let manager = Arc::new(manager);
        let config = StreamableHttpServerConfig::default()
            .with_json_response(true)
            .with_sse_retry(None)
            .with_cancellation_token(end)
            .with_max_request_body_bytes(limits.body_len_max)
            // The guard has looked at both, for every door.
            .disable_allowed_hosts();
        let service = StreamableHttpService::new(
            move || Ok(Served::from(handler.sibling(Calls::within(room.clone())))),
            manager.clone(),
            config,
        );
        Self {
            service,
            manager,
            sessions: Arc::default(),
            opening: tokio::sync::Mutex::default(),
            stop,
            meters,
            limits: limits.clone(),
        }
    }

    /// Answers a request whose body was read.
    pub(crate) async fn answer(&self, mut head: Parts, read: Read) -> Answer {
        let Read { bytes, held } = read;
        // Held as long as the request is worked on.
        head.extensions.insert(Arc::new(held));
        if head.method == Method::DELETE {
            return self.end(head).await;
        }
        if head.method != Method::POST {
            return self.listen(head).await;
        }
        let session = session_of(&head.headers);
        match posted::sort(bytes, has_sessions(&head.headers)) {
            Err(refused) => refused.into(),
            Ok(Posted::One(message)) => self.one(head, session, message).await,
            Ok(Posted::Batch(messages)) => match session {
                Some(id) if self.sessions.takes_batches(&id) => self.batch(head, id, messages).await,
                _ => {
                    let why = format!(
                        "several messages at once are taken in a session of protocol {BATCHING} alone"
                    );
                    Refused::invalid(&why, "send them one by one", Value::Null).into()
                }
            },
        }
    }

    /// Closes the sessions that nobody used for long.
    pub(crate) async fn reap(&self) {
        for id in self.sessions.unused_for(self.limits.session_idle) {
            self.close(&id).await;
        }
        self.count().await;
    }

    /// Answers one message.
    async fn one(&self, head: Parts, session: Option<SessionId>, message: Message) -> Answer {
        match (&message.kind, session) {
            (Kind::Initialize { id, .. }, Some(session)) if self.sessions.knows(&session) => {
                Refused::by(place::begun_already(), id.clone()).into()
            }
            (Kind::Initialize { client, version, .. }, None) => {
                let (client, version) = (client.clone(), version.clone());
                self.begin(head, message, client, &version).await
            }
            (Kind::Request { id, .. }, Some(session)) if self.sessions.knows(&session) => {
                match self.sessions.take_id(&session, id).await {
                    Some(in_flight) => self.pass(head, Some(session), message, Some(in_flight)).await,
                    None => {
                        let why = "another request of this session has this `id`, and no answer yet";
                        let fix = "give every request of a session an id of its own";
                        Refused::invalid(why, fix, id.clone()).into()
                    }
                }
            }
            (_, session) => self.pass(head, session, message, None).await,
        }
    }

    /// Opens a session, perhaps in the place of another.
    async fn begin(&self, mut head: Parts, message: Message, client: String, version: &str) -> Answer {
        let _opening = self.opening.lock().await;
        let agent = head.headers.get(AGENT_HEADER).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
        let client = format!("{client} {agent}");
        if let Err(NoneGivesWay { open, busy }) = self.make_room(&client).await {
            let seconds = SESSION_IDLE_MIN.as_secs();
            let told = format!(
                "{open} MCP sessions are open: {busy} have a stream or a request open, and of the client with the most \
                 none has been idle for {seconds} s"
            );
            let fault =
                Fault::new(codes::DAEMON_BUSY, told).fix(format!("try again in {seconds} s")).rule("IF-14c");
            return Refused::busy(fault, message.id()).into();
        }
        let connection = Connection::default();
        head.extensions.insert(connection.clone());
        let answer = self.pass(head, None, message, None).await;
        if let Some(id) = session_of(answer.headers()) {
            self.sessions.opened(id, client, version == BATCHING, connection);
            self.count().await;
        }
        answer
    }

    /// Hands a message to the service. The id of a request is its own until both its handler and its answer are done.
    async fn pass(
        &self,
        mut head: Parts,
        session: Option<SessionId>,
        message: Message,
        in_flight: Option<InFlight>,
    ) -> Answer {
        let in_flight = Arc::new(in_flight);
        head.extensions.insert(in_flight.clone());
        let is_call = matches!(&message.kind, Kind::Request { method, .. } if method == "tools/call");
        let visit = session.as_ref().and_then(|id| self.sessions.visit(id, is_call));
        // What the answer takes is held until it is out.
        let slot = Slot::default();
        head.extensions.insert(slot.clone());
        let listener = Listener::default();
        head.extensions.insert(listener.clone());
        // Dropped with the answer's body, or with this future when the connection goes.
        let listening = listener.0.drop_guard();
        let id = message.id();
        let answer = self.service.handle(Request::from_parts(head, Full::new(message.bytes))).await;
        if is_refused(answer.status()) {
            return refused::told(answer, id).await;
        }
        let (head, body) = answer.into_parts();
        Answer::from_parts(head, keeping(holding(body, slot), (listening, visit, in_flight)))
    }

    /// Answers several messages, one after the other, with the answers to those that want one.
    async fn batch(&self, head: Parts, session: SessionId, messages: Vec<Message>) -> Answer {
        let (mut answers, mut len) = (Vec::new(), 0);
        for message in messages {
            let (id, wants_answer) = (message.id(), message.kind != Kind::Silent);
            if len > ANSWER_LEN_MAX {
                let fault =
                    Fault::new(codes::OUTPUT_TOO_LARGE, "not begun: the answers before it are too long")
                        .fix("send fewer messages at a time")
                        .rule("IF-14a");
                answers.extend(wants_answer.then(|| Refused::by(fault, id).document()));
                continue;
            }
            let answer = self.one(head.clone(), Some(session.clone()), message).await;
            let told = match answer.into_body().collect().await {
                Ok(whole) => whole.to_bytes(),
                Err(never) => match never {},
            };
            len += told.len();
            answers.extend(answer_in(&told).filter(|_| wants_answer));
        }
        if answers.is_empty() {
            return bytes(StatusCode::ACCEPTED, "application/json", String::new());
        }
        bytes(StatusCode::OK, "application/json", Value::Array(answers).to_string())
    }

    /// Opens a stream that only listens; it ends when the daemon stops.
    async fn listen(&self, head: Parts) -> Answer {
        let visit = session_of(&head.headers).and_then(|id| self.sessions.visit(&id, false));
        let answer = self.service.handle(Request::from_parts(head, Full::new(Bytes::new()))).await;
        if is_refused(answer.status()) {
            return refused::told(answer, Value::Null).await;
        }
        let (head, body) = answer.into_parts();
        Answer::from_parts(head, keeping(UntilStopped::around(body, &self.stop), visit))
    }

    /// Ends a session.
    async fn end(&self, head: Parts) -> Answer {
        let session = session_of(&head.headers);
        if session.as_ref().is_some_and(|id| !self.sessions.knows(id)) {
            return Refused::no_session(Value::Null).into();
        }
        let mut answer = self.service.handle(Request::from_parts(head, Full::new(Bytes::new()))).await;
        if is_refused(answer.status()) {
            return refused::told(answer, Value::Null).await;
        }
        if let Some(id) = &session {
            // The client's own word. A session that gives way to another one has a client that may live on.
            if let Some(connection) = self.sessions.connection(id) {
                connection.say_goodbye().await;
            }
            self.sessions.forget(id);
            self.count().await;
        }
        // Clients know no "accepted" for an end.
        if answer.status() == StatusCode::ACCEPTED {
            *answer.status_mut() = StatusCode::NO_CONTENT;
        }
        answer
    }

    /// Sees to it that one more session fits, perhaps in the place of another.
    async fn make_room(&self, client: &str) -> Result<(), NoneGivesWay> {
        let open: Vec<SessionId> = self.manager.sessions.read().await.keys().cloned().collect();
        self.sessions.keep(|id| open.contains(id));
        let has_its_share = self.sessions.count_of(client) >= self.limits.sessions_of_client_max();
        let id = match (has_its_share, open.len() < self.limits.sessions_max) {
            (true, _) => self.sessions.giving_way_of(client, Instant::now())?,
            (false, true) => return Ok(()),
            (false, false) => self.sessions.giving_way(Instant::now())?,
        };
        self.meters.sessions_evicted.fetch_add(1, Ordering::Relaxed);
        self.close(&id).await;
        Ok(())
    }

    async fn close(&self, id: &SessionId) {
        // One that is gone already is closed.
        let _ = self.manager.close_session(id).await;
        self.sessions.forget(id);
    }

    async fn count(&self) {
        self.meters.sessions.store(self.manager.sessions.read().await.len(), Ordering::Relaxed);
    }
}

fn session_of(headers: &HeaderMap) -> Option<SessionId> {
    headers.get(SESSION_HEADER)?.to_str().ok().map(|id| id.to_owned().into())
}

fn is_refused(status: StatusCode) -> bool {
    status.is_client_error() || status.is_server_error()
}

/// The answer to a request in what the service told: a document, or a stream of events whose last one is it.
fn answer_in(told: &[u8]) -> Option<Value> {
    let is_answer = |value: &Value| value.get("result").is_some() || value.get("error").is_some();
    let text = std::str::from_utf8(told).ok()?;
    let events = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let documents = events.chain([text]).filter_map(|text| serde_json::from_str(text.trim()).ok());
    documents.rev().find(is_answer)
}

#[cfg(test)]
#[path = "mcp_tests.rs"]
mod tests;
