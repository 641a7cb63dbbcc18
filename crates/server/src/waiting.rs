//! The callers that wait for the news of a feed. They hold no thread and no place among the calls, and their number is bounded.

use crate::caller_key::CallerKey;
use crate::limits::{CALLER_POLLS_MAX, WAITING_POLLS_MAX};
use crate::shares::{Full, Share, Shares};
use brainstem_api::{Cursor, FeedTopic};
use brainstem_base::{Fault, codes};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How often the topic of a feed is informed that its caller still waits.
const KEEP_EVERY: Duration = Duration::from_secs(30);

/// The waiting callers, at all doors of one process.
#[derive(Debug)]
pub(crate) struct Waiters {
    shares: Arc<Shares>,
    stop: CancellationToken,
}

impl Waiters {
    /// No callers yet; `stop` ends every wait.
    pub(crate) fn new(stop: CancellationToken) -> Self {
        Self { shares: Shares::new(WAITING_POLLS_MAX, CALLER_POLLS_MAX), stop }
    }

    /// How many wait.
    pub(crate) fn count(&self) -> usize {
        self.shares.count()
    }

    /// Lets a caller wait, until the returned value is dropped.
    pub(crate) fn enter(&self, key: &CallerKey) -> Result<Share, Fault> {
        self.shares.take(key).map_err(busy)
    }

    /// Waits for news of a topic after a cursor, and returns whether there are some. Ends at the deadline, when `gone` is
    /// cancelled, or when the process stops.
    pub(crate) async fn news(
        &self,
        topic: &dyn FeedTopic,
        after: Cursor,
        until: Instant,
        gone: &CancellationToken,
    ) -> bool {
        let rung = Arc::new(Notify::new());
        // It listens before it looks, and a ring in between is kept.
        let _listening = topic.bell().listen({
            let rung = rung.clone();
            move || rung.notify_one()
        });
        loop {
            if topic.has_news(after) {
                return true;
            }
            tokio::select! {
                () = rung.notified() => {}
                () = tokio::time::sleep_until(until) => return false,
                () = self.stop.cancelled() => return false,
                () = gone.cancelled() => return false,
                () = tokio::time::sleep(KEEP_EVERY) => topic.keep(),
            }
        }
    }
}

fn busy(full: Full) -> Fault {
    let (message, fix) = match full {
        Full::ForAll => (
            format!("{WAITING_POLLS_MAX} polls are waiting here already"),
            "try again in a moment, or poll without wait_s",
        ),
        Full::ForThisOne => (
            format!("{CALLER_POLLS_MAX} of your polls are waiting here already"),
            "wait for one of them, or poll without wait_s",
        ),
    };
    Fault::new(codes::DAEMON_BUSY, message).fix(fix).rule("IF-14")
}
