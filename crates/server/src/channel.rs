//! The live channel of a daemon: who waits at it holds no thread and no place of a call, and their number is bounded.

use crate::limits::{CALLER_POLLS_MAX, WAITING_POLLS_MAX};
use crate::shares::{Full, Shares};
use crate::turn::Turn;
use brainstem_api::live::{Live, Wait, Waits};
use brainstem_base::{Clock, Fault, codes};
use brainstem_post::live::Hub;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How often it is noted that somebody who waits is still there.
const KEEP_EVERY: Duration = Duration::from_secs(30);

/// The channel, as the doors of a daemon share it.
#[derive(Clone)]
pub(crate) struct LiveChannel {
    pub(crate) hub: Arc<Hub>,
    clock: Arc<dyn Clock>,
    news: Arc<Notify>,
    waiting: Arc<Shares>,
    stop: CancellationToken,
}

impl LiveChannel {
    /// A channel that starts now; `stop` sends home who waits.
    pub(crate) fn new(clock: Arc<dyn Clock>, stop: CancellationToken) -> Self {
        let (hub, news) = (Arc::new(Hub::new(clock.now())), Arc::new(Notify::new()));
        let told = news.clone();
        hub.on_news(move || told.notify_waiters());
        Self { hub, clock, news, waiting: Shares::new(WAITING_POLLS_MAX, CALLER_POLLS_MAX), stop }
    }

    /// What a call is offered, and where it says that it would wait.
    pub(crate) fn offer(&self) -> (Live, Arc<Waits>) {
        let waits = Arc::new(Waits::default());
        (Live::Here(self.hub.clone(), waits.clone()), waits)
    }

    /// How many polls wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.count()
    }

    /// The answer of a call, which is made again when there are news, for as long as it would wait for them. It was
    /// let in once, so what wakes many at once turns none of them away: each is made again in its turn. Whoever goes
    /// away drops this, or says so by `gone`, and its place is free.
    pub(crate) async fn patiently<T, F: Future<Output = Result<T, Fault>>>(
        &self,
        waits: &Waits,
        gone: &CancellationToken,
        turn: &Turn,
        mut call: impl FnMut(Turn) -> F,
    ) -> Result<T, Fault> {
        let mut answer = call(turn.clone()).await?;
        let Some(mut wait) = waits.take() else { return Ok(answer) };
        let until = Instant::now() + wait.at_most;
        let _waiting = self.waiting.take(&turn.key).map_err(busy)?;
        while self.wait(&wait, until, gone).await {
            answer = call(turn.woken()).await?;
            match waits.take() {
                None => return Ok(answer),
                Some(again) => wait = again,
            }
        }
        Ok(answer)
    }

    /// Waits for news; answers whether there are any.
    async fn wait(&self, wait: &Wait, until: Instant, gone: &CancellationToken) -> bool {
        loop {
            // Enlisted before looking, so that nothing comes in between unnoticed.
            let news = self.news.notified();
            tokio::pin!(news);
            news.as_mut().enable();
            if self.hub.has_news(&wait.who, wait.cursor) {
                return true;
            }
            tokio::select! {
                () = news => {}
                () = tokio::time::sleep_until(until) => return false,
                () = self.stop.cancelled() => return false,
                () = gone.cancelled() => return false,
                () = tokio::time::sleep(KEEP_EVERY) => self.hub.keep(&wait.who, self.clock.now()),
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
