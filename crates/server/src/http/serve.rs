//! The daemon itself, from its first connection to its last.

use crate::calls::{Calls, Room};
use crate::door::McpDoor;
use crate::handler::Handler;
use crate::http::guard::Guard;
use crate::http::listen;
use crate::http::mcp::{ANSWER_KEPT, Mcp};
use crate::http::meters::Meters;
use crate::http::page::Browsers;
use crate::http::ring::Ring;
use crate::http::shared::DaemonParts;
use crate::http::tenure::{self, Keep};
use crate::http::watching::{self, StoreWatch};
use crate::idle;
use crate::limits::{CALLER_STREAMS_MAX, DAEMON_CALLS_MAX, DAEMON_HEAVY_CALLS_MAX, HttpLimits};
use crate::shares::Shares;
use brainstem_api::table;
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_base::{Fault, codes};
use brainstem_memory::DaemonRecord;
use brainstem_post::live::Hub;
use std::net::{TcpListener, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// How often unused sessions are looked for.
const REAP_EVERY: Duration = Duration::from_secs(60);
/// How often the daemon checks whether it can give memory back.
const GIVE_BACK_EVERY: Duration = Duration::from_secs(2);
/// How many of these checks without a call are needed before the memory of calls is given back.
const QUIET_ROUNDS: u32 = 5;
/// How long connections have after the last call to read its answer.
const FAREWELL: Duration = Duration::from_secs(3);

/// What the binary hands to the daemon.
pub struct HttpDoor {
    /// The services, and what they are offered with. The roots and names of the process itself are not used.
    pub door: McpDoor,
    /// Where to listen.
    pub listener: TcpListener,
    /// The socket for pokes.
    pub pokes: Option<UdpSocket>,
    /// The token that callers must show.
    pub token: String,
    /// The record of this daemon.
    pub record: DaemonRecord,
    /// Names of this daemon beside the loopback ones.
    pub hosts: Vec<String>,
    /// Its limits.
    pub limits: HttpLimits,
    /// Checks the lock and the record, if there are any.
    pub keep: Option<Keep>,
}

/// Serves until SIGTERM or SIGINT, then finishes the running calls. Calls `ready` once, when it answers.
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

async fn serve(http: HttpDoor, ready: impl FnOnce()) -> Result<(), Fault> {
    let HttpDoor { mut door, listener, pokes, token, record, hosts, limits, keep } = http;
    // The folder and the user of this process say nothing about the caller.
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
    let (room, meters) = (Arc::new(Room::new(stop.clone())), Arc::new(Meters::new()));
    let live = Arc::new(Hub::new(door.memory.now()));
    let handler = Handler::shared(door.clone(), table(), Arc::new(Calls::new()), live.clone())
        .telling(busy.clone(), meters.clone());
    let shared = Arc::new(DaemonParts {
        mcp: Mcp::new(handler, room.clone(), &limits, meters.clone(), stop.clone(), end.clone()),
        guard: Guard::new(&token, port, &hosts),
        ring: Arc::new(Ring::new(&record.instance)),
        looks: Arc::default(),
        event_streams: Shares::new(limits.event_streams_max, CALLER_STREAMS_MAX),
        live,
        browsers: Browsers::default(),
        logged: Mutex::default(),
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
    });
    let watched = Arc::new(AtomicBool::new(false));
    watching::start(StoreWatch {
        memory: shared.door.memory.clone(),
        ring: shared.ring.clone(),
        looks: shared.looks.clone(),
        hub: shared.live.clone(),
        seen: shared.meters.events.clone(),
        pokes,
        word: shared.record.instance.clone(),
        stop: watched.clone(),
    });
    let mut ends = [SignalKind::terminate(), SignalKind::interrupt()]
        .map(|kind| signal(kind).map_err(|error| failed("cannot hear signals", &error)));
    let [Ok(terminate), Ok(interrupt)] = &mut ends else {
        let [one, other] = ends;
        return one.and(other).map(drop);
    };
    if let Some(keep) = keep {
        tenure::start(keep, watched.clone(), shared.quit.clone());
    }
    tracing::info!("serving on {} as process {}", shared.record.address, shared.record.pid);
    if let Some(connections) = shared.record.connections_max {
        tracing::warn!("it may open so few files that it takes {connections} connections at once");
    }
    let accepting = tokio::spawn(listen::accept(listener, shared.clone()));
    let reaping = tokio::spawn(reap(shared.clone()));
    let giving_back = tokio::spawn(give_back(shared.clone()));
    ready();
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        () = shared.quit.cancelled() => {}
    }
    tracing::info!("stopping: what is running is finished");
    stop.cancel();
    watched.store(true, Ordering::Relaxed);
    let waited = tokio::time::timeout(shared.limits.stop_wait, shared.room.finished()).await;
    let answered = tokio::time::timeout(FAREWELL, accepting).await;
    end.cancel();
    reaping.abort();
    giving_back.abort();
    match waited.is_err() || answered.is_err() {
        true => tracing::warn!("stopped; some calls took too long to wait for"),
        false => tracing::info!("stopped"),
    }
    Ok(())
}

async fn reap(shared: Arc<DaemonParts>) {
    loop {
        tokio::time::sleep(REAP_EVERY).await;
        shared.mcp.reap().await;
    }
}

/// Gives memory back to the system while no caller calls: the allocator would keep it. The memory of a long body or answer is
/// given back soon, and that of calls within ten seconds of quiet.
async fn give_back(shared: Arc<DaemonParts>) {
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
        // A session keeps an answer for a while, for a client that lost its connection.
        again = (was_long || !is_time).then(|| Instant::now() + ANSWER_KEPT);
        (done, quiet) = (room.done(), 0);
        let _ = tokio::task::spawn_blocking(brainstem_base::process_memory::give_back).await;
    }
}

fn failed(what: &str, error: &dyn std::error::Error) -> Fault {
    Fault::new(codes::DAEMON_FAILED, format!("the daemon {what}: {error}")).fix(advice![
        "see the log in daemon/daemon.log of the home, and `",
        calls::doctor(),
        "`"
    ])
}
