//! MCP over streamable HTTP: the handler of stdio behind rmcp's service, and the bound on its sessions.
//!
//! Sessions of the older protocol live as long as an agent may sleep. rmcp would close them after five minutes,
//! and many clients never recover from that. Here they are counted, and the least used are closed for new ones.

use crate::calls::{Calls, Room};
use crate::handler::Handler;
use crate::http::answer::{HttpAnswer, bytes};
use crate::http::body::{ReadBody, UntilStopped, holding, keeping};
use crate::http::mcp_request::{Listener, has_sessions};
use crate::http::meters::Meters;
use crate::http::posted::{self, Posted, PostedKind, PostedMessage};
use crate::http::refused::{self, Refused};
use crate::http::sessions::{Connection, InFlight, McpSessions, NoneGivesWay};
use crate::limits::{ANSWER_LEN_MAX, HttpLimits, SESSION_IDLE_MIN};
use crate::place::{self, AGENT_HEADER, AnswerBudget, SESSION_HEADER};
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

/// How long an answer is kept for a client that lost its connection.
pub(crate) const ANSWER_KEPT: Duration = Duration::from_secs(15);

/// The protocol version with batches of messages.
const BATCHING: &str = "2025-03-26";

/// The handler of a session; in builds for tests, with the additions of the conformance suite.
#[cfg(not(feature = "testing"))]
type SessionHandler = Handler;
#[cfg(feature = "testing")]
type SessionHandler = crate::fixture::WithFixture;

/// The door.
pub(crate) struct Mcp {
    service: StreamableHttpService<SessionHandler, LocalSessionManager>,
    manager: Arc<LocalSessionManager>,
    sessions: Arc<McpSessions>,
    /// Held while a session is opened, so that their number is exact.
    opening: tokio::sync::Mutex<()>,
    stop: CancellationToken,
    meters: Arc<Meters>,
    limits: HttpLimits,
}

impl Mcp {
    /// `stop` ends streams that only listen, `end` ends everything.
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
        // No empty event at the head of a stream: clients of protocols before 2025-11-25 parse it as JSON, and later ones do
        // not need it.
        manager.session_config.sse_retry = None;
        let manager = Arc::new(manager);
        let config = StreamableHttpServerConfig::default()
            .with_json_response(true)
            .with_sse_retry(None)
            .with_cancellation_token(end)
            .with_max_request_body_bytes(limits.body_len_max)
            // The guard has checked both, for every door.
            .disable_allowed_hosts();
        let service = StreamableHttpService::new(
            move || Ok(SessionHandler::from(handler.sibling(Calls::within(room.clone())))),
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
    pub(crate) async fn answer(&self, mut head: Parts, read: ReadBody) -> HttpAnswer {
        let ReadBody { bytes, held } = read;
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

    /// Closes the sessions that were not used for long.
    pub(crate) async fn reap(&self) {
        for id in self.sessions.unused_for(self.limits.session_idle) {
            self.close(&id).await;
        }
        self.count().await;
    }

    /// Answers one message.
    async fn one(&self, head: Parts, session: Option<SessionId>, message: PostedMessage) -> HttpAnswer {
        match (&message.kind, session) {
            (PostedKind::Initialize { id, .. }, Some(session)) if self.sessions.knows(&session) => {
                Refused::by(place::begun_already(), id.clone()).into()
            }
            (PostedKind::Initialize { client, version, .. }, None) => {
                let (client, version) = (client.clone(), version.clone());
                self.begin(head, message, client, &version).await
            }
            (PostedKind::Request { id, .. }, Some(session)) if self.sessions.knows(&session) => {
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

    /// Opens a session. If there is no room, it closes another one first.
    async fn begin(
        &self,
        mut head: Parts,
        message: PostedMessage,
        client: String,
        version: &str,
    ) -> HttpAnswer {
        let _opening = self.opening.lock().await;
        let agent = head.headers.get(AGENT_HEADER).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
        let client = format!("{client} {agent}");
        if let Err(NoneGivesWay { open, busy }) = self.make_room(&client).await {
            let seconds = SESSION_IDLE_MIN.as_secs();
            let sentence = format!(
                "{open} MCP sessions are open: {busy} have a stream or a request open, and of the client with the most \
                 none has been idle for {seconds} s"
            );
            let fault = Fault::new(codes::DAEMON_BUSY, sentence)
                .fix(format!("try again in {seconds} s"))
                .rule("IF-14c");
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

    /// Hands a message to the service. The id of a request stays reserved until both its handler and its answer are done.
    async fn pass(
        &self,
        mut head: Parts,
        session: Option<SessionId>,
        message: PostedMessage,
        in_flight: Option<InFlight>,
    ) -> HttpAnswer {
        let in_flight = Arc::new(in_flight);
        head.extensions.insert(in_flight.clone());
        let is_call = matches!(&message.kind, PostedKind::Request { method, .. } if method == "tools/call");
        let visit = session.as_ref().and_then(|id| self.sessions.visit(id, is_call));
        // The answer's part of the budget is held until the answer is sent.
        let slot = AnswerBudget::default();
        head.extensions.insert(slot.clone());
        let listener = Listener::default();
        head.extensions.insert(listener.clone());
        // Dropped with the answer's body, or with this future when the connection is lost.
        let listening = listener.0.drop_guard();
        let id = message.id();
        let answer = self.service.handle(Request::from_parts(head, Full::new(message.bytes))).await;
        if is_refused(answer.status()) {
            return refused::rewritten(answer, id).await;
        }
        let (head, body) = answer.into_parts();
        HttpAnswer::from_parts(head, keeping(holding(body, slot), (listening, visit, in_flight)))
    }

    /// Answers several messages, one after the other. The answer has those of the requests.
    async fn batch(&self, head: Parts, session: SessionId, messages: Vec<PostedMessage>) -> HttpAnswer {
        let (mut answers, mut len) = (Vec::new(), 0);
        for message in messages {
            let (id, wants_answer) = (message.id(), message.kind != PostedKind::Silent);
            if len > ANSWER_LEN_MAX {
                let fault =
                    Fault::new(codes::OUTPUT_TOO_LARGE, "not begun: the answers before it are too long")
                        .fix("send fewer messages at a time")
                        .rule("IF-14a");
                answers.extend(wants_answer.then(|| Refused::by(fault, id).document()));
                continue;
            }
            let answer = self.one(head.clone(), Some(session.clone()), message).await;
            let reply = match answer.into_body().collect().await {
                Ok(whole) => whole.to_bytes(),
                Err(never) => match never {},
            };
            len += reply.len();
            answers.extend(answer_in(&reply).filter(|_| wants_answer));
        }
        if answers.is_empty() {
            return bytes(StatusCode::ACCEPTED, "application/json", String::new());
        }
        bytes(StatusCode::OK, "application/json", Value::Array(answers).to_string())
    }

    /// Opens a stream that only listens; it ends when the daemon stops.
    async fn listen(&self, head: Parts) -> HttpAnswer {
        let visit = session_of(&head.headers).and_then(|id| self.sessions.visit(&id, false));
        let answer = self.service.handle(Request::from_parts(head, Full::new(Bytes::new()))).await;
        if is_refused(answer.status()) {
            return refused::rewritten(answer, Value::Null).await;
        }
        let (head, body) = answer.into_parts();
        HttpAnswer::from_parts(head, keeping(UntilStopped::around(body, &self.stop), visit))
    }

    /// Ends a session.
    async fn end(&self, head: Parts) -> HttpAnswer {
        let session = session_of(&head.headers);
        if session.as_ref().is_some_and(|id| !self.sessions.knows(id)) {
            return Refused::no_session(Value::Null).into();
        }
        let mut answer = self.service.handle(Request::from_parts(head, Full::new(Bytes::new()))).await;
        if is_refused(answer.status()) {
            return refused::rewritten(answer, Value::Null).await;
        }
        if let Some(id) = &session {
            // The client asked for it. A session that is closed for a new one has a client that may continue.
            if let Some(connection) = self.sessions.connection(id) {
                connection.say_goodbye().await;
            }
            self.sessions.forget(id);
            self.count().await;
        }
        // Clients expect another status than "accepted" for the end of a session.
        if answer.status() == StatusCode::ACCEPTED {
            *answer.status_mut() = StatusCode::NO_CONTENT;
        }
        answer
    }

    /// Makes room for one more session, by closing another one if necessary.
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
        // A session that is gone already needs no closing.
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

/// The answer to a request in the bytes of the service: a document, or the last event of a stream.
fn answer_in(reply: &[u8]) -> Option<Value> {
    let is_answer = |value: &Value| value.get("result").is_some() || value.get("error").is_some();
    let text = std::str::from_utf8(reply).ok()?;
    let events = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let documents = events.chain([text]).filter_map(|text| serde_json::from_str(text.trim()).ok());
    documents.rev().find(is_answer)
}

#[cfg(test)]
#[path = "mcp_tests.rs"]
mod tests;
