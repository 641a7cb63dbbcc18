//! The open MCP sessions: their clients, whether they are used, and which one is closed for a new one.

use crate::limits::SESSION_IDLE_MIN;
use rmcp::transport::streamable_http_server::session::SessionId;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// How long a session with several calls must have been idle before it is closed for a new one.
const WORKING_IDLE_MIN: Duration = Duration::from_secs(60);
/// How long a request waits for an earlier one with the same id, whose answer may be sent already.
const ID_WAIT: Duration = Duration::from_millis(200);

/// The open MCP sessions.
#[derive(Debug, Default)]
pub(crate) struct McpSessions {
    open: Mutex<HashMap<SessionId, OpenSession>>,
    answered: Notify,
}

#[derive(Debug)]
struct OpenSession {
    /// The client's own name and that of its agent.
    client: String,
    takes_batches: bool,
    last: Instant,
    /// Calls of tools.
    calls: u64,
    /// Streams and requests that are open.
    visits: usize,
    /// The ids of requests that have no answer yet.
    ids: HashSet<String>,
    connection: Connection,
}

/// Records the end of a client's session. It is set when the client initializes.
#[derive(Clone, Default)]
pub(crate) struct Connection(Arc<OnceLock<Farewell>>);

type Farewell = Box<dyn Fn() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync>;

impl Connection {
    /// Sets the function that records the end, once.
    pub(crate) fn begin<F>(&self, farewell: impl Fn() -> F + Send + Sync + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let _ = self.0.set(Box::new(move || Box::pin(farewell())));
    }

    /// Records that the client has ended its session (MAIL-4).
    pub(crate) async fn say_goodbye(&self) {
        if let Some(farewell) = self.0.get() {
            farewell().await;
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Connection").field(&self.0.get().is_some()).finish()
    }
}

/// How many sessions are open, and why none of them can be closed for a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoneGivesWay {
    pub(crate) open: usize,
    /// Those with an open stream or request.
    pub(crate) busy: usize,
}

/// An open stream or request of a session. The session stays while this exists.
#[derive(Debug)]
pub(crate) struct Visit {
    sessions: Arc<McpSessions>,
    id: SessionId,
}

/// A request without an answer yet. No other request may have its id.
#[derive(Debug)]
pub(crate) struct InFlight {
    sessions: Arc<McpSessions>,
    id: SessionId,
    request: String,
}

impl McpSessions {
    /// Adds a session that was opened.
    pub(crate) fn opened(&self, id: SessionId, client: String, takes_batches: bool, connection: Connection) {
        let (last, ids) = (Instant::now(), HashSet::new());
        let session = OpenSession { client, takes_batches, last, calls: 0, visits: 0, ids, connection };
        self.lock().insert(id, session);
    }

    /// The connection of an open session.
    pub(crate) fn connection(&self, id: &SessionId) -> Option<Connection> {
        self.lock().get(id).map(|session| session.connection.clone())
    }

    /// Whether a session is open.
    pub(crate) fn knows(&self, id: &SessionId) -> bool {
        self.lock().contains_key(id)
    }

    /// Whether a session takes several messages at once.
    pub(crate) fn takes_batches(&self, id: &SessionId) -> bool {
        self.lock().get(id).is_some_and(|session| session.takes_batches)
    }

    /// Notes that a session is used, until the returned value is dropped; `None` if it is not open.
    pub(crate) fn visit(self: &Arc<Self>, id: &SessionId, is_call: bool) -> Option<Visit> {
        let mut open = self.lock();
        let session = open.get_mut(id)?;
        session.visits += 1;
        session.calls += u64::from(is_call);
        session.last = Instant::now();
        Some(Visit { sessions: self.clone(), id: id.clone() })
    }

    /// Reserves the id of a request in a session. `None` if another request keeps it for too long.
    pub(crate) async fn take_id(self: &Arc<Self>, id: &SessionId, request: &Value) -> Option<InFlight> {
        let request = request.to_string();
        let wait = async {
            loop {
                let answered = self.answered.notified();
                tokio::pin!(answered);
                // Registered before the look, so that no answer in between is missed.
                answered.as_mut().enable();
                // If the session is gone meanwhile, no id is reserved.
                if self.lock().get_mut(id).is_none_or(|session| session.ids.insert(request.clone())) {
                    break;
                }
                answered.await;
            }
        };
        tokio::time::timeout(ID_WAIT, wait).await.ok()?;
        Some(InFlight { sessions: self.clone(), id: id.clone(), request })
    }

    /// The session to close for a new one: of the client with the most sessions the one that was used the longest ago, those
    /// with one call at most first. A session with an open stream or request is never closed, nor one that was used a moment
    /// ago. A client that opens many sessions loses only its own.
    pub(crate) fn giving_way(&self, now: Instant) -> Result<SessionId, NoneGivesWay> {
        self.going(now, |_| true)
    }

    /// As [`giving_way`](Self::giving_way), among the sessions of one client that has reached its share.
    pub(crate) fn giving_way_of(&self, client: &str, now: Instant) -> Result<SessionId, NoneGivesWay> {
        self.going(now, |session| session.client == client)
    }

    /// How many sessions a client has open.
    pub(crate) fn count_of(&self, client: &str) -> usize {
        self.lock().values().filter(|session| session.client == client).count()
    }

    fn going(
        &self,
        now: Instant,
        is_asked: impl Fn(&OpenSession) -> bool,
    ) -> Result<SessionId, NoneGivesWay> {
        let open = self.lock();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for session in open.values().filter(|session| is_asked(session)) {
            *counts.entry(&session.client).or_default() += 1;
        }
        let most = counts.values().copied().max().unwrap_or_default();
        let may_go = |session: &OpenSession| {
            let idle = now.saturating_duration_since(session.last);
            let idle_min = if session.calls > 1 { WORKING_IDLE_MIN } else { SESSION_IDLE_MIN };
            is_asked(session)
                && session.visits == 0
                && idle >= idle_min
                && counts.get(&*session.client) == Some(&most)
        };
        let going = open.iter().filter(|(_, session)| may_go(session));
        let going =
            going.min_by_key(|(_, session)| (session.calls > 1, session.last)).map(|(id, _)| id.clone());
        let busy = open.values().filter(|session| session.visits > 0).count();
        going.ok_or(NoneGivesWay { open: open.len(), busy })
    }

    /// The sessions that were not used for so long.
    pub(crate) fn unused_for(&self, idle: Duration) -> Vec<SessionId> {
        let open = self.lock();
        let is_unused = |session: &OpenSession| session.visits == 0 && session.last.elapsed() > idle;
        open.iter().filter(|(_, session)| is_unused(session)).map(|(id, _)| id.clone()).collect()
    }

    /// Forgets a session that was closed.
    pub(crate) fn forget(&self, id: &SessionId) {
        self.lock().remove(id);
    }

    /// Forgets all but these.
    pub(crate) fn keep(&self, is_open: impl Fn(&SessionId) -> bool) {
        self.lock().retain(|id, _| is_open(id));
    }

    /// Makes every session older.
    #[cfg(test)]
    pub(crate) fn age_by(&self, by: Duration) {
        for session in self.lock().values_mut() {
            session.last = session.last.checked_sub(by).expect("a machine that ran for a while");
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, OpenSession>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        if let Some(session) = self.sessions.lock().get_mut(&self.id) {
            session.visits -= 1;
            session.last = Instant::now();
        }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        if let Some(session) = self.sessions.lock().get_mut(&self.id) {
            session.ids.remove(&self.request);
        }
        self.sessions.answered.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn id(name: &str) -> SessionId {
        name.to_owned().into()
    }

    impl McpSessions {
        fn age_of(&self, name: &str, by: Duration) {
            let mut open = self.lock();
            let session = open.get_mut(&id(name)).expect("it is open");
            session.last = session.last.checked_sub(by).expect("a machine that ran for a while");
        }
    }

    fn opened(names: &[(&str, &str)]) -> Arc<McpSessions> {
        let sessions = Arc::new(McpSessions::default());
        for (name, client) in names {
            sessions.opened(id(name), (*client).to_owned(), false, Connection::default());
            // Two sessions that were opened in one tick of the clock would have no order.
            while sessions.lock()[&id(name)].last.elapsed().is_zero() {}
        }
        sessions
    }

    #[test] // spec: IF-14c
    fn of_the_client_with_the_most_sessions_the_one_used_least_gives_way() {
        let sessions = opened(&[("asleep", "editor"), ("a", "loop"), ("b", "loop"), ("c", "loop")]);
        let later = Instant::now() + SESSION_IDLE_MIN;
        let fresh = NoneGivesWay { open: 4, busy: 0 };
        assert_eq!(sessions.giving_way(Instant::now()), Err(fresh), "all of them were used a moment ago");
        assert_eq!(sessions.giving_way(later), Ok(id("a")), "and not the one that has slept the longest");
        let visit = sessions.visit(&id("a"), true).expect("it is open");
        assert_eq!(sessions.giving_way(later), Ok(id("b")), "one that is used stays");
        drop(visit);
        assert_eq!(sessions.giving_way(later + SESSION_IDLE_MIN), Ok(id("b")), "it was used the last");
        (0..2).for_each(|_| drop(sessions.visit(&id("b"), true)));
        sessions.age_of("b", SESSION_IDLE_MIN);
        let next = sessions.giving_way(later + SESSION_IDLE_MIN);
        assert_eq!(next, Ok(id("c")), "one that made several calls stays, though it is idle for longer");
        sessions.forget(&id("b"));
        sessions.forget(&id("c"));
        let last = sessions.giving_way(later + SESSION_IDLE_MIN);
        assert_eq!(last, Ok(id("asleep")), "all clients have as many: the one that has slept the longest");
        let _visits = [sessions.visit(&id("a"), false), sessions.visit(&id("asleep"), false)];
        let busy = NoneGivesWay { open: 2, busy: 2 };
        assert_eq!(sessions.giving_way(later + SESSION_IDLE_MIN), Err(busy));
        assert!(sessions.visit(&id("gone"), true).is_none());
    }

    #[test] // spec: IF-7
    fn an_id_is_one_requests_until_it_is_answered() {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_all().start_paused(true).build().expect("a runtime").block_on(async {
            let sessions = opened(&[("a", "x"), ("b", "x")]);
            let first = sessions.take_id(&id("a"), &json!(7)).await.expect("free");
            assert!(sessions.take_id(&id("a"), &json!(7)).await.is_none(), "it is in use");
            assert!(sessions.take_id(&id("a"), &json!("7")).await.is_some(), "a text is another id");
            assert!(sessions.take_id(&id("b"), &json!(7)).await.is_some(), "and so is another session's");
            let (again, seven) = (sessions.clone(), json!(7));
            let waits = tokio::spawn(async move { again.take_id(&id("a"), &seven).await.is_some() });
            tokio::task::yield_now().await;
            drop(first);
            assert!(waits.await.expect("no panic"), "whose answer was just going out");
        });
    }
}
