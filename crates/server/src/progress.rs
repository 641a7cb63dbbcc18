//! Progress notices for a client that asked for them, and the end of a call whose caller has gone.

use crate::turn::{self, CallTime};
use brainstem_api::{Progress, Stop};
use brainstem_base::{Fault, codes};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The most notices of one call: one for each hundredth.
const STEPS: usize = 100;

/// How many are done, of how many.
type ProgressCount = (usize, usize);

/// Takes the counts of a call. Counts that come too fast for the client are left out, except the last one.
struct Counter(watch::Sender<ProgressCount>);

impl Counter {
    fn count(&self, done: usize, total: usize) {
        let step = |done: usize| done.saturating_mul(STEPS).checked_div(total).unwrap_or(0);
        self.0.send_if_modified(|last| {
            // The protocol requires each notice to be further than the one before.
            let news = done > last.0 && step(done) > step(last.0);
            if news {
                *last = (done, total);
            }
            news
        });
    }
}

/// Reports a call's progress to its MCP client, and stops the call if the client has gone.
struct ClientProgress {
    counter: Option<Counter>,
    /// The request was cancelled, or its connection is gone.
    gone: [CancellationToken; 2],
    time: Arc<CallTime>,
}

impl Progress for ClientProgress {
    fn done(&self, done: usize, total: usize) {
        if let Some(counter) = &self.counter {
            counter.count(done, total);
        }
    }

    fn stop(&self) -> Option<Stop> {
        turn::stop(&self.time, self.gone.iter().any(CancellationToken::is_cancelled))
    }
}

/// The client that waits for the answer to a request, and its channel for progress.
pub(crate) struct WaitingClient {
    counts: Option<(watch::Receiver<ProgressCount>, ProgressToken)>,
    peer: Peer<RoleServer>,
}

impl WaitingClient {
    /// The client that waits for this request, and the progress of its call. `listener` is cancelled when the
    /// connection for the answer is lost.
    pub(crate) fn of(
        request: &RequestContext<RoleServer>,
        listener: &CancellationToken,
        time: &Arc<CallTime>,
    ) -> (Self, Arc<dyn Progress>) {
        let (counter, counts) = match request.meta.get_progress_token() {
            None => (None, None),
            Some(token) => {
                let (sender, receiver) = watch::channel((0, 0));
                (Some(Counter(sender)), Some((receiver, token)))
            }
        };
        let gone = [request.ct.clone(), listener.clone()];
        let watching = ClientProgress { counter, gone, time: time.clone() };
        (Self { counts, peer: request.peer.clone() }, Arc::new(watching))
    }

    /// Waits for the answer of a call, and sends its progress meanwhile.
    ///
    /// A request that is cancelled while its call waits for its turn is never run. An import or a batch that
    /// runs stops after the present claim; other calls run to their end. Every write is whole, and a repeat
    /// completes what was cut off.
    pub(crate) async fn answer<T>(
        self,
        call: impl Future<Output = Result<T, Fault>>,
        request: &RequestContext<RoleServer>,
    ) -> Result<T, Fault> {
        let mut call = pin!(call);
        let mut cancelled = pin!(request.ct.cancelled());
        let (mut counts, token) = match self.counts {
            Some((counts, token)) => (Some(counts), Some(token)),
            None => (None, None),
        };
        loop {
            tokio::select! {
                // Progress first, so that the last notice is sent before the answer.
                biased;
                () = &mut cancelled => return Err(gone()),
                (done, total) = news(counts.as_mut()) => {
                    if let Some(token) = &token {
                        #[allow(clippy::cast_precision_loss, reason = "counts of claims are small")]
                        let reply = ProgressNotificationParam::new(token.clone(), done as f64).with_total(total as f64);
                        // A client that does not listen still gets its answer.
                        let _ = self.peer.notify_progress(reply).await;
                    }
                }
                answer = &mut call => return answer,
            }
        }
    }
}

/// The next count. Never returns if the call does not count, or has finished.
async fn news(counts: Option<&mut watch::Receiver<ProgressCount>>) -> ProgressCount {
    if let Some(counts) = counts
        && counts.changed().await.is_ok()
    {
        return *counts.borrow_and_update();
    }
    std::future::pending().await
}

fn gone() -> Fault {
    Fault::new(codes::INPUT_CANCELLED, "the request was cancelled").fix("send it again if it is still wanted")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-7
    fn every_notice_is_further_than_the_one_before_and_there_are_few() {
        let (sender, mut receiver) = watch::channel((0, 0));
        let counter = Counter(sender);
        let mut reply = Vec::new();
        for done in 1..=10_000 {
            counter.count(done, 10_000);
            if receiver.has_changed().expect("the sender is there") {
                reply.push(*receiver.borrow_and_update());
            }
        }
        counter.count(10_000, 10_000);
        counter.count(3, 20_000);
        assert!(!receiver.has_changed().expect("the sender is there"), "never back");
        assert_eq!(
            (reply.len(), reply.first(), reply.last()),
            (STEPS, Some(&(100, 10_000)), Some(&(10_000, 10_000)))
        );
        assert!(reply.is_sorted());
    }
}
