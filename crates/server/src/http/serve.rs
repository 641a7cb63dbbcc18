//! The daemon itself: what its doors share, and its life from the first connection to the last.

use crate::McpDoor;
use crate::caller_key::CallerKey;
use crate::calls::{Calls, Room};
use crate::channel::LiveChannel;
use crate::handler::Handler;
use crate::http::answer::{Answer, bytes, document, refusal, sealed, wrong_method};
use crate::http::guard::{Access, Guard, no_token};
use crate::http::knock::{self, Knock};
use crate::http::log::Log;
use crate::http::mcp::{ANSWER_KEPT, Mcp};
use crate::http::meters::Meters;
use crate::http::page::{self, Browsers, Pass};
use crate::http::ring::Ring;
use crate::http::tenure::{self, Keep};
use crate::http::text::query_fields;
use crate::http::visitors::Visitor;
use crate::http::watching::{self, Watching};
use crate::http::{body, listen, rest};
use crate::idle::{self, Busy};
use crate::limits::{CALLER_STREAMS_MAX, DAEMON_CALLS_MAX, DAEMON_HEAVY_CALLS_MAX, HttpLimits};
use crate::shares::Shares;
use crate::turn::Turn;
use brainstem_api::{Effect, instances, table};
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_base::{Fault, codes};
use brainstem_memory::{DaemonRecord, Declared, Memory};
use hyper::body::Incoming;
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, StatusCode, header};
use serde_json::json;
use std::collections::HashMap;
use std::net::{TcpListener, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// How often idle sessions are looked for.
const REAP_EVERY: Duration = Duration::from_secs(60);
/// How often it is looked whether memory can be given back.
const GIVE_BACK_EVERY: Duration = Duration::from_secs(2);
/// How many of these looks find nobody calling before what calls took is given back.
const QUIET_ROUNDS: u32 = 5;
/// How often one kind of refusal is written into the log.
const TOLD_EVERY: Duration = Duration::from_secs(10);
/// How long connections have after the last call to take its answer.
const FAREWELL: Duration = Duration::from_secs(3);
/// How the pass of a browser begins, so that one that gets into a text is known for what it is.
const PASS: &str = "bsp_";

/// What the binary hands to the daemon.
pub struct HttpDoor {
    /// The services, and what they are offered with. Roots and names of the process itself are not looked at.
    pub door: McpDoor,
    /// Where to listen.
    pub listener: TcpListener,
    /// Where pokes arrive.
    pub pokes: Option<UdpSocket>,
    /// What callers must know.
    pub token: String,
    /// What was written down about this daemon.
    pub record: DaemonRecord,
    /// Names this daemon goes by beside the loopback ones.
    pub hosts: Vec<String>,
    /// What callers are given.
    pub limits: HttpLimits,
    /// Looks after the lock and the record, where there are some.
    pub keep: Option<Keep>,
    /// Where it says what it does.
    pub log: Log,
}

/// Serves until SIGTERM or SIGINT, then finishes what is running. `ready` is called once, when it answers.
pub fn serve_http(http: HttpDoor, ready: impl FnOnce()) -> Result<(), Fault> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("http")
        .enable_all()
        .max_blocking_threads(DAEMON_CALLS_MAX + DAEMON_HEAVY_CALLS_MAX + 4)
        .build()
        .map_err(|error| failed("cannot start", &error))?;
    let served = runtime.block_on(serve(http, ready));
    runtime.shutdown_timeout(FAREWELL);
    served
}

/// What the doors share.
pub(crate) struct Shared {
    pub(crate) door: McpDoor,
    /// The services for whoever may only look.
    pub(crate) looking: Arc<Memory>,
    pub(crate) limits: HttpLimits,
    pub(crate) room: Arc<Room>,
    pub(crate) ring: Arc<Ring>,
    pub(crate) meters: Arc<Meters>,
    pub(crate) event_streams: Arc<Shares>,
    pub(crate) live: LiveChannel,
    /// Nothing new is begun, and what only listens ends.
    pub(crate) stop: CancellationToken,
    /// Somebody who may do so asked the daemon to end, or its home is gone.
    quit: CancellationToken,
    guard: Guard,
    mcp: Mcp,
    browsers: Browsers,
    busy: Option<Busy>,
    token: String,
    record: DaemonRecord,
    log: Log,
    told: Mutex<HashMap<&'static str, (Instant, u64)>>,
}

async fn serve(http: HttpDoor, ready: impl FnOnce()) -> Result<(), Fault> {
    let HttpDoor { mut door, listener, pokes, token, record, hosts, limits, keep, log } = http;
    // Where this process stands and whose it is says nothing about who calls.
    door.roots = Default::default();
    door.declared = Default::default();
    let settle = door.settle.take();
    let busy = settle.map(|settle| idle::start(door.memory.clone(), settle));
    let port = listener.local_addr().map_err(|error| failed("has no address", &error))?.port();
    listen::let_wait(&listener);
    listener.set_nonblocking(true).map_err(|error| failed("cannot listen", &error))?;
    let listener =
        tokio::net::TcpListener::from_std(listener).map_err(|error| failed("cannot listen", &error))?;
    let (stop, end) = (CancellationToken::new(), CancellationToken::new());
    let (room, meters) = (Arc::new(Room::new()), Arc::new(Meters::new()));
    let live = LiveChannel::new(door.memory.clock().clone(), stop.clone());
    let handler = Handler::shared(door.clone(), table(), Arc::new(Calls::new()), live.clone())
        .telling(busy.clone(), meters.clone());
    let shared = Arc::new(Shared {
        mcp: Mcp::new(handler, room.clone(), &limits, meters.clone(), stop.clone(), end.clone()),
        guard: Guard::new(&token, port, &hosts),
        ring: Arc::new(Ring::new(&record.instance)),
        event_streams: Shares::new(limits.event_streams_max, CALLER_STREAMS_MAX),
        live,
        browsers: Browsers::default(),
        told: Mutex::default(),
        stop: stop.clone(),
        quit: CancellationToken::new(),
        busy,
        room,
        meters,
        token,
        record,
        limits,
        looking: Arc::new(door.memory.looking()),
        door,
        log: log.clone(),
    });
    let watched = Arc::new(AtomicBool::new(false));
    watching::start(Watching {
        memory: shared.door.memory.clone(),
        ring: shared.ring.clone(),
        hub: shared.live.hub.clone(),
        seen: shared.meters.events.clone(),
        pokes,
        word: shared.record.instance.clone(),
        stop: watched.clone(),
        log: log.clone(),
    });
    let mut ends = [SignalKind::terminate(), SignalKind::interrupt()]
        .map(|kind| signal(kind).map_err(|error| failed("cannot hear signals", &error)));
    let [Ok(terminate), Ok(interrupt)] = &mut ends else {
        let [one, other] = ends;
        return one.and(other).map(drop);
    };
    if let Some(keep) = keep {
        tenure::start(keep, watched.clone(), shared.quit.clone(), log.clone());
    }
    log.line(&format!("serving on {} as process {}", shared.record.address, shared.record.pid));
    let accepting = tokio::spawn(listen::accept(listener, shared.clone()));
    let reaping = tokio::spawn(reap(shared.clone()));
    let giving_back = tokio::spawn(give_back(shared.clone()));
    ready();
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        () = shared.quit.cancelled() => {}
    }
    log.line("stopping: what is running is finished");
    stop.cancel();
    watched.store(true, Ordering::Relaxed);
    let waited = tokio::time::timeout(shared.limits.stop_wait, shared.room.finished()).await;
    let answered = tokio::time::timeout(FAREWELL, accepting).await;
    end.cancel();
    reaping.abort();
    giving_back.abort();
    let cut = waited.is_err() || answered.is_err();
    log.line(if cut { "stopped; some calls took too long to wait for" } else { "stopped" });
    Ok(())
}

async fn reap(shared: Arc<Shared>) {
    loop {
        tokio::time::sleep(REAP_EVERY).await;
        shared.mcp.reap().await;
    }
}

/// Gives memory back when nobody calls: the allocator would keep it for the next calls. What was long, a body or an
/// answer, is given back soon; what calls took while they worked, within ten seconds of quiet.
async fn give_back(shared: Arc<Shared>) {
    let (mut again, mut done, mut quiet) = (None, 0, 0);
    loop {
        tokio::time::sleep(GIVE_BACK_EVERY).await;
        let room = &shared.room;
        let was_long = [room.bodies.was_emptied(), room.answers.was_emptied()].contains(&true);
        let is_new = room.done() != done && room.pending() == 0;
        quiet = if is_new { quiet + 1 } else { 0 };
        let is_time = again.is_some_and(|at| at <= Instant::now());
        if !was_long && !is_time && quiet < QUIET_ROUNDS {
            continue;
        }
        // A session keeps an answer a while for who lost its connection.
        again = (was_long || !is_time).then(|| Instant::now() + ANSWER_KEPT);
        (done, quiet) = (room.done(), 0);
        let _ = tokio::task::spawn_blocking(brainstem_base::memory::give_back).await;
    }
}

impl Shared {
    /// Answers one request.
    pub(crate) async fn answer(self: &Arc<Self>, request: Request<Incoming>, visitor: &Visitor) -> Answer {
        let (head, incoming) = request.into_parts();
        let door = door_of(head.uri.path());
        let answer = match self.let_in(&head, visitor) {
            Ok(access) => {
                let busy = visitor.begin();
                let answer = self.through(door, access, Request::from_parts(head, incoming)).await;
                // On it until the last byte of the answer is out.
                answer.map(|body| body::keeping(body, busy))
            }
            Err(fault) => {
                self.tell(&fault);
                if door == "page" && is_browser(&head.headers) {
                    page::refused(&fault, &self.nonce())
                } else {
                    refusal(&fault)
                }
            }
        };
        self.meters.answered(door, answer.status().as_u16());
        sealed(answer)
    }

    /// Does something that only looks, on a thread that may block.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        id: &str,
        key: CallerKey,
        look: impl FnOnce() -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let calls = Calls::within(self.room.clone());
        // Nobody may listen any more.
        let work = move |answered: oneshot::Sender<_>| drop(answered.send(look()));
        calls.work(id, Effect::Read, 1, Turn::look(key), work).await
    }

    /// A call was answered; idle moments come after.
    pub(crate) fn answered(&self) {
        if let Some(busy) = &self.busy {
            busy.answered();
        }
    }

    /// What a request is let in by; `None` where the path is open to anybody on this machine.
    fn let_in(&self, head: &Parts, visitor: &Visitor) -> Result<Option<Access>, Fault> {
        self.guard.admit(head)?;
        let path = head.uri.path();
        if matches!(path, "/healthz" | "/link") || path.starts_with(knock::PATH) {
            return Ok(None);
        }
        let access = self.guard.access(head)?;
        match &access {
            Access::Token => {}
            Access::Cookie(cookie) if self.browsers.knows(cookie) => {}
            Access::Cookie(_) => {
                return Err(no_token("this browser was not let in, or was away for too long"));
            }
        }
        if !visitor.is_let_in() {
            let message = format!("{} connections are open here already", self.limits.connections_max);
            return Err(Fault::new(codes::DAEMON_BUSY, message)
                .fix("close some, or try again")
                .rule("IF-14"));
        }
        body::check_coding(&head.headers)?;
        Ok(Some(access))
    }

    async fn through(
        self: &Arc<Self>,
        door: &'static str,
        access: Option<Access>,
        request: Request<Incoming>,
    ) -> Answer {
        let is_get = request.method() == Method::GET;
        match door {
            "mcp" => self.through_mcp(access, request).await,
            "rest" => match access {
                Some(access) => rest::answer(self, &access, request).await,
                None => refusal(&no_token("the request carries no token")),
            },
            "knock" if request.method() != Method::POST => wrong_method("POST"),
            "knock" => {
                let query = query_fields(request.uri().query().unwrap_or_default()).unwrap_or_default();
                let (answer, what) =
                    knock::answer(&self.record, request.uri().path(), &query, self.door.memory.now());
                if what == Some(Knock::Stop) {
                    self.log.line("somebody of this home asks it to stop");
                    self.quit.cancel();
                }
                answer
            }
            "health" | "metrics" | "page" | "link" if !is_get => wrong_method("GET"),
            "health" => document(&json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") })),
            "metrics" => {
                let page = self.meters.render(self.room.pending(), self.live.waiting());
                bytes(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", page)
            }
            "link" => self.enter(&request).unwrap_or_else(|fault| {
                if is_browser(request.headers()) {
                    page::refused(&fault, &self.nonce())
                } else {
                    refusal(&fault)
                }
            }),
            "page" => {
                let memory = self.looking.clone();
                let look = move || Ok((instances::instances(&memory)?, memory.daemon_token()));
                let nobody = Declared::default();
                let key = access.map_or_else(|| CallerKey::of(&nobody, None), |access| access.key(&nobody));
                match self.look("page", key, look).await {
                    Ok((found, token)) => {
                        let is_token_there = token.as_ref() == Some(&self.token);
                        page::status(&found, &self.record.address, is_token_there, &self.nonce())
                    }
                    Err(fault) => refusal(&fault),
                }
            }
            _ => refusal(
                &Fault::new(codes::INPUT_UNKNOWN_VERB, "nothing is served under this path")
                    .fix("use /api/…, /mcp, /healthz, /metrics or /"),
            ),
        }
    }

    /// A session of MCP does more than look, so a cookie opens none.
    async fn through_mcp(&self, access: Option<Access>, request: Request<Incoming>) -> Answer {
        if access != Some(Access::Token) {
            return refusal(&no_token("MCP takes the token; a browser's cookie is good for looking"));
        }
        let (head, incoming) = request.into_parts();
        match body::read(incoming, &self.limits, &self.room.bodies).await {
            Ok(body) => self.mcp.answer(head, body).await,
            Err(fault) => refusal(&fault),
        }
    }

    /// What lets the style of one page in.
    fn nonce(&self) -> String {
        self.door.memory.secret().chars().take(32).collect()
    }

    fn enter(&self, request: &Request<Incoming>) -> Result<Answer, Fault> {
        let query = query_fields(request.uri().query().unwrap_or_default()).unwrap_or_default();
        let code = query.iter().find(|(name, _)| name == "code").map_or("", |(_, code)| code);
        let memory = &self.door.memory;
        let pass = Pass {
            token: &self.token,
            instance: &self.record.instance,
            cookie: &self.guard.cookie,
            fresh: format!("{PASS}{}", memory.secret()),
            now: memory.now(),
        };
        self.browsers.enter(&pass, code)
    }

    /// Writes a refusal at the gate into the log, now and then: whoever knocks all the time is counted.
    fn tell(&self, fault: &Fault) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        match told.get_mut(fault.code.name()) {
            Some((last, count)) if now.duration_since(*last) < TOLD_EVERY => *count += 1,
            entry => {
                let before = entry.as_ref().map_or(0, |(_, count)| *count);
                let more =
                    if before > 0 { format!("; {before} more since the last line") } else { String::new() };
                self.log.line(&format!("refused: {} [{}]{more}", fault.message, fault.code.name()));
                told.insert(fault.code.name(), (now, 0));
            }
        }
    }
}

/// Whether a person looks: programs that take anything want JSON.
fn is_browser(headers: &HeaderMap) -> bool {
    let takes = headers.get(header::ACCEPT).and_then(|takes| takes.to_str().ok()).unwrap_or_default();
    takes.contains("text/html")
}

/// Which door a path leads to.
fn door_of(path: &str) -> &'static str {
    match path {
        "/mcp" => "mcp",
        "/healthz" => "health",
        "/metrics" => "metrics",
        "/" => "page",
        "/link" => "link",
        path if path.starts_with("/api/") => "rest",
        path if path.starts_with(knock::PATH) => "knock",
        _ => "none",
    }
}

fn failed(what: &str, error: &dyn std::error::Error) -> Fault {
    Fault::new(codes::DAEMON_FAILED, format!("the daemon {what}: {error}")).fix(advice![
        "see the log in daemon/daemon.log of the home, and `",
        calls::doctor(),
        "`"
    ])
}
