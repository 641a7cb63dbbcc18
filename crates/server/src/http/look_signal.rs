//! How a request waits until the thread that watches the stores has looked at all of them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// How long a request waits for a look.
const LOOK_WAIT_MAX: Duration = Duration::from_secs(5);

/// Numbers the looks of the thread, from 1.
#[derive(Default)]
pub(crate) struct LookSignal {
    /// The number of the look that began last.
    begun: AtomicU64,
    /// The number of the look that ended last.
    ended: watch::Sender<u64>,
    /// The next look is to be thorough.
    wanted: AtomicBool,
}

impl LookSignal {
    /// Begins a look. Returns its number, and whether a request waits for a thorough one.
    pub(crate) fn begin(&self) -> (u64, bool) {
        let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        (number, self.wanted.swap(false, Ordering::SeqCst))
    }

    /// Ends a look.
    pub(crate) fn end(&self, number: u64) {
        self.ended.send_replace(number);
    }

    /// Waits for a thorough look that begins from now on; `poke` makes the thread look at once. Returns whether there was one in
    /// time.
    pub(crate) async fn wait_for_a_look(&self, poke: impl FnOnce()) -> bool {
        let mut ended = self.ended.subscribe();
        // Wanted first: the look that takes the wish begins behind it, and has a later number than this one.
        self.wanted.store(true, Ordering::SeqCst);
        let number = self.begun.load(Ordering::SeqCst) + 1;
        poke();
        let looked = ended.wait_for(|ended| *ended >= number);
        tokio::time::timeout(LOOK_WAIT_MAX, looked).await.is_ok_and(|looked| looked.is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test] // spec: IF-13, LED-5
    async fn a_look_that_began_before_the_wish_does_not_end_the_wait() {
        let signal = std::sync::Arc::new(LookSignal::default());
        let (first, wanted) = signal.begin();
        assert!(!wanted);
        let mut waits = std::pin::pin!({
            let signal = signal.clone();
            async move { signal.wait_for_a_look(|| {}).await }
        });
        let mut is_over =
            async |millis| tokio::time::timeout(Duration::from_millis(millis), &mut waits).await;
        assert!(is_over(1).await.is_err(), "no look yet");
        signal.end(first);
        assert!(is_over(1).await.is_err(), "that look may have read the stores before");
        let (second, wanted) = signal.begin();
        assert!(wanted);
        signal.end(second);
        assert_eq!(is_over(1_000).await, Ok(true));
    }
}
