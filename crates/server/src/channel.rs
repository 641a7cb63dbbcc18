//! The live channel of a daemon: who waits at it holds no thread and no place of a call, and their number is bounded.

use crate::limits::WAITING_POLLS_MAX;
use brainstem_api::live::{Live, Wait, Waits};
use brainstem_base::{Clock, Fault, codes};
use brainstem_post::live::Hub;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore};
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
    places: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
    stop: CancellationToken,
}

impl LiveChannel {
    /// A channel that starts now; `waiting` counts who waits, and `stop` sends them home.
    pub(crate) fn new(clock: Arc<dyn Clock>, waiting: Arc<AtomicUsize>, stop: CancellationToken) -> Self {
        let (hub, news) = (Arc::new(Hub::new(clock.now())), Arc::new(Notify::new()));
        let told = news.clone();
        hub.on_news(move || told.notify_waiters());
        Self { hub, clock, news, places: Arc::new(Semaphore::new(WAITING_POLLS_MAX)), waiting, stop }
    }

    /// What a call is offered, and where it says that it would wait.
    pub(crate) fn offer(&self) -> (Live, Arc<Waits>) {
        let waits = Arc::new(Waits::default());
        (Live::Here(self.hub.clone(), waits.clone()), waits)
    }

    /// The answer of a call, which is made again when there are news, for as long as it would wait for them. Whoever
    /// goes away drops this, or says so by `gone`, and its place is free.
    pub(crate) async fn patiently<T, F: Future<Output = Result<T, Fault>>>(
        &self,
        waits: &Waits,
        gone: &CancellationToken,
        mut call: impl FnMut() -> F,
    ) -> Result<T, Fault> {
        let mut answer = call().await?;
        let Some(mut wait) = waits.take() else { return Ok(answer) };
        let until = Instant::now() + wait.at_most;
        let _place = self.places.clone().try_acquire_owned().map_err(|_| busy())?;
        let _counted = Counted::new(&self.waiting);
        while self.wait(&wait, until, gone).await {
            answer = call().await?;
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

/// Counts as long as it lives.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn busy() -> Fault {
    let message = format!("{WAITING_POLLS_MAX} polls are waiting here already");
    Fault::new(codes::DAEMON_BUSY, message).fix("try again in a moment, or poll without wait_s").rule("IF-14")
}
