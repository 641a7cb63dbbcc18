//! Runs verbs, which are synchronous, beside the connection: a bounded number at once, each on a
//! thread that may block.
//!
//! Calls of one connection take effect in the order they came: a write waits for what came before it,
//! and what comes after waits for the write. Reads run beside each other, and a long verb beside
//! everything, so that it never holds up the rest.

use crate::limits::RUNNING_CALLS_MAX;
use brainstem_api::{Context, Effect, Entry, Object};
use brainstem_base::{Fault, codes};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::{Semaphore, oneshot};

/// The calls of one connection.
#[derive(Debug)]
pub(crate) struct Calls(Arc<Semaphore>);

impl Calls {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(RUNNING_CALLS_MAX as usize)))
    }

    /// Waits for its turn, then runs the verb to its end, even when nobody waits for the answer any more.
    pub(crate) async fn run(
        &self,
        entry: &'static Entry,
        arguments: Object,
        cx: Context,
    ) -> Result<Value, Fault> {
        let spec = entry.spec();
        // The semaphore is fair, so taking every permit is a place in the queue.
        let share = if spec.effect == Effect::Read || spec.long { 1 } else { RUNNING_CALLS_MAX };
        self.work(spec.id, share, move |answered| {
            // Nobody may listen any more.
            let _ = answered.send(entry.call(arguments, &cx).and_then(|answer| answer.json()));
            entry.count(&cx);
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
        let permit =
            self.0.clone().acquire_many_owned(share).await.map_err(|_| bug(id, "is shutting down"))?;
        let (answered, answer) = oneshot::channel();
        tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work(answered);
        });
        answer.await.unwrap_or_else(|_| Err(bug(id, "failed a check inside")))
    }

    /// Waits until no call is running.
    pub(crate) async fn finished(&self) {
        let _all = self.0.acquire_many(RUNNING_CALLS_MAX).await;
    }
}

fn bug(id: &str, what: &str) -> Fault {
    Fault::new(codes::INTERNAL_BUG, format!("the verb `{id}` {what}; the request was refused"))
        .fix("try again; if it repeats, report the lines on standard error")
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;
