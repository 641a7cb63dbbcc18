//! MCP over streamable HTTP: the handler of stdio behind rmcp's service, and the bound on its sessions.
//!
//! Sessions of the older protocol live as long as an agent may sleep. rmcp would close them after five minutes,
//! and many clients never come back from that; here they are counted, and the least used give way to new ones.

use crate::calls::{Calls, Room};
use crate::handler::Handler;
use crate::http::answer::{Answer, refusal};
use crate::http::body::{Read, UntilStopped, holding, keeping};
use crate::http::meters::Meters;
use crate::http::refused;
use crate::limits::HttpLimits;
use crate::place::{self, SESSION_HEADER, Slot};
use brainstem_api::json::{self, JsonFault};
use brainstem_base::{Fault, codes};
use http_body_util::Full;
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, StatusCode};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager as _};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How long a session that made no call must have been idle before it gives way.
const UNUSED_IDLE_MIN: Duration = Duration::from_secs(10);
/// And one that made some.
const USED_IDLE_MIN: Duration = Duration::from_secs(3600);
/// How long an answer is kept for who lost its connection.
pub(crate) const ANSWER_KEPT: Duration = Duration::from_secs(15);

/// The door.
pub(crate) struct Mcp {
    service: StreamableHttpService<Handler, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    uses: Mutex<HashMap<SessionId, Use>>,
    /// Sessions are opened one after the other, so that their number is sure.
    opening: tokio::sync::Mutex<()>,
    stop: CancellationToken,
    meters: Arc<Meters>,
    limits: HttpLimits,
}

#[derive(Clone, Copy, Debug)]
struct Use {
    last: Instant,
    calls: u64,
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
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = None;
        sessions.session_config.completed_cache_ttl = ANSWER_KEPT;
        // No empty event at the head of a stream: clients of protocols before 2025-11-25 read it as JSON, and the
        // later ones need none.
        sessions.session_config.sse_retry = None;
        let sessions = Arc::new(sessions);
        let config = StreamableHttpServerConfig::default()
            .with_json_response(true)
            .with_sse_retry(None)
            .with_cancellation_token(end)
            .with_max_request_body_bytes(limits.body_len_max)
            // The guard has looked at both, for every door.
            .disable_allowed_hosts();
        let service = StreamableHttpService::new(
            move || Ok(handler.sibling(Calls::within(room.clone()))),
            sessions.clone(),
            config,
        );
        Self {
            service,
            sessions,
            uses: Mutex::default(),
            opening: tokio::sync::Mutex::default(),
            stop,
            meters,
            limits: limits.clone(),
        }
    }

    /// Answers a request whose body was read.
    pub(crate) async fn answer(&self, mut head: Parts, read: Read) -> Answer {
        let Read { bytes: body, held } = read;
        // Held as long as the request is worked on.
        head.extensions.insert(Arc::new(held));
        let id = session_of(&head.headers);
        let is_get = head.method == Method::GET;
        let is_end = head.method == Method::DELETE;
        let (method, id_of_message) = message_of(&body);
        if let Err(fault @ (JsonFault::KeyTwice | JsonFault::TooMany)) = json::check(&body) {
            return refused::by(&fault.into_fault("body"), Value::Null);
        }
        if method.as_deref() == Some("initialize")
            && id.as_ref().is_some_and(|id| self.lock().contains_key(id))
        {
            return refused::by(&place::begun_already(), id_of_message);
        }
        // What the answer takes is held until it is out.
        let slot = Slot::default();
        head.extensions.insert(slot.clone());
        if let Some(id) = &id {
            self.used(id, method.as_deref() == Some("tools/call"));
        }
        let opens = id.is_none() && method.as_deref() == Some("initialize");
        let opening = if opens { Some(self.opening.lock().await) } else { None };
        if opens && !self.make_room().await {
            let message = format!("{} MCP sessions are open and in use", self.limits.sessions_max);
            let fault = Fault::new(codes::DAEMON_BUSY, message).rule("IF-14");
            return refusal(&fault.fix("end one, or try again later"));
        }
        let listener = Listener::default();
        head.extensions.insert(listener.clone());
        // Dropped with the answer's body, or with this future when the connection goes.
        let listening = listener.0.drop_guard();
        let mut answer = self.service.handle(Request::from_parts(head, Full::new(body))).await;
        if opens && let Some(id) = session_of(answer.headers()) {
            self.lock().insert(id, Use { last: Instant::now(), calls: 0 });
            self.count().await;
        }
        drop(opening);
        if let (true, Some(id)) = (is_end, &id) {
            self.lock().remove(id);
            self.count().await;
            // Clients know no "accepted" for an end.
            if answer.status() == StatusCode::ACCEPTED {
                *answer.status_mut() = StatusCode::NO_CONTENT;
            }
        }
        let is_refused = answer.status().is_client_error() || answer.status().is_server_error();
        if is_refused {
            return refused::told(answer, id_of_message).await;
        }
        let (head, body) = answer.into_parts();
        if !is_get {
            return Answer::from_parts(head, keeping(holding(body, slot), listening));
        }
        // A stream that only listens ends when the daemon stops; one that answers a call is finished.
        Answer::from_parts(head, UntilStopped::around(body, &self.stop))
    }

    /// Closes the sessions that nobody used for long.
    pub(crate) async fn reap(&self) {
        let idle: Vec<SessionId> = {
            let uses = self.lock();
            let is_idle = |use_: &Use| use_.last.elapsed() > self.limits.session_idle;
            uses.iter().filter(|(_, use_)| is_idle(use_)).map(|(id, _)| id.clone()).collect()
        };
        for id in idle {
            self.close(&id).await;
        }
        self.count().await;
    }

    fn used(&self, id: &SessionId, is_call: bool) {
        let mut uses = self.lock();
        // Ids that this daemon never gave are not kept.
        if let Some(known) = uses.get_mut(id) {
            known.last = Instant::now();
            known.calls += u64::from(is_call);
        }
    }

    /// Whether one more session fits, perhaps in the place of another.
    async fn make_room(&self) -> bool {
        let open: Vec<SessionId> = self.sessions.sessions.read().await.keys().cloned().collect();
        self.lock().retain(|id, _| open.contains(id));
        if open.len() < self.limits.sessions_max {
            return true;
        }
        let Some(id) = self.least_used() else { return false };
        self.meters.sessions_evicted.fetch_add(1, Ordering::Relaxed);
        self.close(&id).await;
        true
    }

    fn least_used(&self) -> Option<SessionId> {
        let uses = self.lock();
        let may_go =
            |use_: &Use| use_.last.elapsed() >= if use_.calls == 0 { UNUSED_IDLE_MIN } else { USED_IDLE_MIN };
        let going = uses.iter().filter(|(_, use_)| may_go(use_));
        going.min_by_key(|(_, use_)| (use_.calls > 0, use_.last)).map(|(id, _)| id.clone())
    }

    async fn close(&self, id: &SessionId) {
        // One that is gone already is closed.
        let _ = self.sessions.close_session(id).await;
        self.lock().remove(id);
    }

    async fn count(&self) {
        self.meters.sessions.store(self.sessions.sessions.read().await.len(), Ordering::Relaxed);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, Use>> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whoever waits for the answer to a request: cancelled when nobody does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listener(pub(crate) CancellationToken);

fn session_of(headers: &HeaderMap) -> Option<SessionId> {
    headers.get(SESSION_HEADER)?.to_str().ok().map(|id| id.to_owned().into())
}

/// The method of a message, and its id.
fn message_of(body: &[u8]) -> (Option<String>, Value) {
    #[derive(Default, serde::Deserialize)]
    struct Message {
        method: Option<Value>,
        #[serde(default)]
        id: Value,
    }
    let message: Message = serde_json::from_slice(body).unwrap_or_default();
    (message.method.and_then(|method| method.as_str().map(str::to_owned)), message.id)
}

#[cfg(test)]
#[path = "mcp_tests.rs"]
mod tests;
