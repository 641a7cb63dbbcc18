//! Runs verbs, which are synchronous, beside the connection: a bounded number at once, each on a
//! thread that may block.
//!
//! Calls of one connection take effect in the order they came: a write waits for what came before it,
//! and what comes after waits for the write. Reads run beside each other, and a long verb beside
//! everything, so that it never holds up the rest.

use crate::limits::{DAEMON_CALLS_MAX, DAEMON_PENDING_MAX, RUNNING_CALLS_MAX};
use crate::told::{Told, Tray, tell};
use brainstem_api::{Context, Effect, Entry, Object, Toolset};
use brainstem_base::{Fault, codes};
use std::sync::Arc;
use tokio::sync::{Semaphore, oneshot};

/// The calls of one connection.
#[derive(Debug)]
pub(crate) struct Calls {
    order: Arc<Semaphore>,
    room: Option<Arc<Room>>,
}

/// What all connections of a daemon share: so many calls run, so many wait, and no more.
#[derive(Debug)]
pub(crate) struct Room {
    running: Arc<Semaphore>,
    pending: Arc<Semaphore>,
    pub(crate) tray: Tray,
}

impl Room {
    pub(crate) fn new() -> Self {
        let places = |count| Arc::new(Semaphore::new(count));
        let (running, pending) = (places(DAEMON_CALLS_MAX), places(DAEMON_PENDING_MAX));
        Self { running, pending, tray: Tray::new() }
    }

    /// Calls that run or wait now.
    pub(crate) fn pending(&self) -> usize {
        DAEMON_PENDING_MAX - self.pending.available_permits()
    }

    /// Waits until no call runs or waits.
    pub(crate) async fn finished(&self) {
        let all = u32::try_from(DAEMON_PENDING_MAX).expect("a small number");
        let _all = self.pending.acquire_many(all).await;
    }
}

impl Calls {
    pub(crate) fn new() -> Self {
        Self { order: Arc::new(Semaphore::new(RUNNING_CALLS_MAX as usize)), room: None }
    }

    /// The calls of one of the many connections that share a room.
    pub(crate) fn within(room: Arc<Room>) -> Self {
        Self { room: Some(room), ..Self::new() }
    }

    /// Waits for its turn, then runs the verb to its end, even when nobody waits for the answer any more.
    /// `copies` says how often the door will hold the answer until it is out.
    pub(crate) async fn run(
        &self,
        entry: &'static Entry,
        arguments: Object,
        cx: Context,
        copies: usize,
    ) -> Result<Told, Fault> {
        let spec = entry.spec();
        // The semaphore is fair, so taking every permit is a place in the queue.
        let share = if spec.effect == Effect::Read || spec.long { 1 } else { RUNNING_CALLS_MAX };
        let room = self.room.clone();
        self.work(spec.id, share, move |answered| {
            let tray = room.as_deref().map(|room| &room.tray);
            // Nobody may listen any more.
            let _ = answered.send(tell(entry, arguments, &cx, tray, copies));
            entry.count(&cx);
            // What is said live is on no disk.
            if entry.spec().effect != Effect::Read && spec.toolset != Toolset::Live {
                crate::poke::poke(&cx.memory);
            }
        })
        .await
    }

    /// Waits for its turn, then does some work to its end on a thread that may block.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        id: &str,
        share: u32,
        work: impl FnOnce(oneshot::Sender<Result<T, Fault>>) + Send + 'static,
    ) -> Result<T, Fault> {
        let stopping = |_| bug(id, "is shutting down");
        let pending = match &self.room {
            Some(room) => Some(room.pending.clone().try_acquire_owned().map_err(|_| busy())?),
            None => None,
        };
        let permit = self.order.clone().acquire_many_owned(share).await.map_err(stopping)?;
        let running = match &self.room {
            Some(room) => Some(room.running.clone().acquire_owned().await.map_err(stopping)?),
            None => None,
        };
        let (answered, answer) = oneshot::channel();
        tokio::task::spawn_blocking(move || {
            let _permits = (permit, running, pending);
            work(answered);
        });
        answer.await.unwrap_or_else(|_| Err(bug(id, "failed a check inside")))
    }

    /// Waits until no call is running.
    pub(crate) async fn finished(&self) {
        let _all = self.order.acquire_many(RUNNING_CALLS_MAX).await;
    }
}

fn busy() -> Fault {
    let message = format!("{DAEMON_PENDING_MAX} calls are running or waiting here already");
    Fault::new(codes::DAEMON_BUSY, message).fix("try again in a moment").rule("IF-14")
}

fn bug(id: &str, what: &str) -> Fault {
    Fault::new(codes::INTERNAL_BUG, format!("the verb `{id}` {what}; the request was refused"))
        .fix("try again; if it repeats, report the lines on standard error")
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;
