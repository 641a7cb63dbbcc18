//! Runs synchronous work beside the connection: a bounded number of calls at once, each on a thread that may block, for a
//! bounded time.
//!
//! Calls of one connection take effect in the order in which they came: a write waits for the calls before it, and the calls
//! after it wait for the write. Reads run beside each other. A job or a page of a feed runs beside everything, so it never
//! delays the rest.

use crate::budget::ByteBudget;
use crate::limits::{
    ANSWERS_LEN_MAX, BODIES_LEN_MAX, CALLER_PENDING_MAX, DAEMON_CALLS_MAX, DAEMON_HEAVY_CALLS_MAX,
    DAEMON_PENDING_MAX, RUNNING_CALLS_MAX, TIME_UP_GRACE, TURN_WAIT,
};
use crate::places::CallPlaces;
use crate::shares::{Full, Share, Shares};
use crate::turn::{Turn, Weight};
use crate::waiting::Waiters;
use brainstem_api::Effect;
use brainstem_base::{Fault, codes};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{Semaphore, oneshot};
use tokio_util::sync::CancellationToken;

/// The calls of one connection.
#[derive(Debug)]
pub(crate) struct Calls {
    order: Arc<Semaphore>,
    room: Option<Arc<Room>>,
    waiters: Arc<Waiters>,
}

/// The limits that all connections of a daemon share: how many calls run, how many wait, and how many bytes they hold.
#[derive(Debug)]
pub(crate) struct Room {
    light: Arc<CallPlaces>,
    heavy: Arc<CallPlaces>,
    pending: Arc<Shares>,
    waiters: Arc<Waiters>,
    /// The bytes of request bodies, until their calls are done.
    pub(crate) bodies: ByteBudget,
    /// The bytes of answers, until they are read.
    pub(crate) answers: ByteBudget,
    done: AtomicU64,
}

impl Room {
    /// A room without calls; `stop` ends every wait for news.
    pub(crate) fn new(stop: CancellationToken) -> Self {
        Self {
            waiters: Arc::new(Waiters::new(stop)),
            light: CallPlaces::new(DAEMON_CALLS_MAX),
            heavy: CallPlaces::new(DAEMON_HEAVY_CALLS_MAX),
            pending: Shares::new(DAEMON_PENDING_MAX, CALLER_PENDING_MAX),
            bodies: ByteBudget::new(BODIES_LEN_MAX),
            answers: ByteBudget::new(ANSWERS_LEN_MAX),
            done: AtomicU64::new(0),
        }
    }

    /// The number of calls that run or wait now.
    pub(crate) fn pending(&self) -> usize {
        self.pending.count()
    }

    /// The number of polls that wait for news now. A waiting poll is not a call.
    pub(crate) fn waiting(&self) -> usize {
        self.waiters.count()
    }

    /// The number of calls that were done since the daemon started.
    pub(crate) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Waits until no call runs or waits.
    pub(crate) async fn finished(&self) {
        self.pending.none_taken().await;
    }
}

impl Calls {
    pub(crate) fn new() -> Self {
        Self::with(None, Arc::new(Waiters::new(CancellationToken::new())))
    }

    /// The calls of one of the many connections that share a room.
    pub(crate) fn within(room: Arc<Room>) -> Self {
        let waiters = room.waiters.clone();
        Self::with(Some(room), waiters)
    }

    fn with(room: Option<Arc<Room>>, waiters: Arc<Waiters>) -> Self {
        Self { order: Arc::new(Semaphore::new(RUNNING_CALLS_MAX as usize)), room, waiters }
    }

    /// The room that this connection shares with others.
    pub(crate) fn room(&self) -> Option<Arc<Room>> {
        self.room.clone()
    }

    /// The callers that wait for news.
    pub(crate) fn waiters(&self) -> &Waiters {
        &self.waiters
    }

    /// Waits for its turn, then does some work on a thread that may block. `share` is its part of the connection's order: one
    /// for work that runs beside others, all for a write.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        id: &str,
        effect: Effect,
        share: u32,
        turn: Turn,
        work: impl FnOnce(oneshot::Sender<Result<T, Fault>>) + Send + 'static,
    ) -> Result<T, Fault> {
        let in_line = async {
            // The semaphore is fair, so taking every permit keeps the order.
            let permit = self.order.clone().acquire_many_owned(share).await;
            let permit = permit.map_err(|_| bug(id, "is shutting down"))?;
            let place = match &self.room {
                Some(room) => Some(room.places(turn.weight).take(&turn.key).await),
                None => None,
            };
            Ok::<_, Fault>((permit, place))
        };
        let (pending, (permit, place)) = match &self.room {
            None => (None, in_line.await?),
            Some(room) => {
                let pending = room.enter(&turn)?;
                let in_line = tokio::time::timeout(TURN_WAIT, in_line).await;
                (pending, in_line.map_err(|_| no_turn())??)
            }
        };
        let (answered, answer) = oneshot::channel();
        let room = self.room.clone();
        turn.time.begin();
        let span = tracing::Span::current();
        tokio::task::spawn_blocking(move || {
            let _within = span.entered();
            let _held = (permit, place, pending);
            work(answered);
            if let Some(room) = room {
                room.done.fetch_add(1, Ordering::Relaxed);
            }
        });
        let answer = async { answer.await.unwrap_or_else(|_| Err(bug(id, "failed a check inside"))) };
        match turn.time.max() {
            None => answer.await,
            Some(max) => tokio::time::timeout(max + TIME_UP_GRACE, answer)
                .await
                .unwrap_or_else(|_| Err(time_up(id, effect, max))),
        }
    }

    /// Waits until no call is running.
    pub(crate) async fn finished(&self) {
        let _all = self.order.acquire_many(RUNNING_CALLS_MAX).await;
    }
}

impl Room {
    /// Batches and jobs have places of their own, so that they never keep a short call waiting.
    fn places(&self, weight: Weight) -> &Arc<CallPlaces> {
        match weight {
            Weight::Light => &self.light,
            Weight::Heavy => &self.heavy,
        }
    }

    /// Counts a call among those that run or wait. A call that waited for news was admitted when its wait began.
    fn enter(&self, turn: &Turn) -> Result<Option<Share>, Fault> {
        if turn.is_woken {
            return Ok(None);
        }
        self.pending.take(&turn.key).map(Some).map_err(busy)
    }
}

fn busy(full: Full) -> Fault {
    let (message, fix) = match full {
        Full::ForAll => (
            format!("{DAEMON_PENDING_MAX} calls are running or waiting here already; nothing was done"),
            "try again in a moment",
        ),
        Full::ForThisOne => (
            format!(
                "{CALLER_PENDING_MAX} of your calls are running or waiting here already; nothing was done"
            ),
            "wait for the answers to some of them",
        ),
    };
    Fault::new(codes::DAEMON_BUSY, message).fix(fix).rule("IF-14")
}

fn no_turn() -> Fault {
    let seconds = TURN_WAIT.as_secs();
    let message = format!("no place became free for this call within {seconds} s; nothing was done");
    Fault::new(codes::DAEMON_BUSY, message).fix("try again in a moment").rule("IF-14")
}

/// The refusal of a call that still runs when its time is over. Its caller no longer waits.
fn time_up(id: &str, effect: Effect, max: std::time::Duration) -> Fault {
    let seconds = max.as_secs();
    let (what, fix) = match effect {
        Effect::Read => ("its answer is thrown away", "ask for less at a time"),
        Effect::Write | Effect::Destructive => {
            ("it goes on without its caller", "look whether it was done before you repeat it")
        }
    };
    Fault::new(codes::DAEMON_TIME_UP, format!("`{id}` is not done after {seconds} s; {what}"))
        .fix(fix)
        .rule("IF-14")
}

/// The refusal of a call that failed inside.
pub(crate) fn bug(id: &str, what: &str) -> Fault {
    Fault::new(codes::INTERNAL_BUG, format!("the verb `{id}` {what}; the request was refused"))
        .fix("try again; if it repeats, report the lines on standard error")
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;
