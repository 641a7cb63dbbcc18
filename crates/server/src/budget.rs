//! A bound on the bytes that all requests, or all answers, hold at once. A request or answer that does not fit waits.

use crate::limits::LIGHT_LEN;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A number of bytes that all callers share.
#[derive(Debug)]
pub(crate) struct ByteBudget {
    room: Arc<Semaphore>,
    len_max: usize,
    was_used: AtomicBool,
}

/// Bytes of a budget, given back when this is dropped.
pub(crate) type HeldBytes = OwnedSemaphorePermit;

impl ByteBudget {
    pub(crate) fn new(len_max: usize) -> Self {
        Self { room: Arc::new(Semaphore::new(len_max >> 10)), len_max, was_used: AtomicBool::new(false) }
    }

    /// Waits for room. `Ok(None)` for a light length, which is not counted; `Err(())` if there was no room for so long. A
    /// length above the whole budget takes all of it.
    pub(crate) async fn hold(&self, len: usize, wait: Duration) -> Result<Option<HeldBytes>, ()> {
        if len <= LIGHT_LEN {
            return Ok(None);
        }
        self.was_used.store(true, Ordering::Relaxed);
        let share = u32::try_from(len.min(self.len_max) >> 10).unwrap_or(u32::MAX);
        match tokio::time::timeout(wait, self.room.clone().acquire_many_owned(share)).await {
            Ok(Ok(held)) => Ok(Some(held)),
            Ok(Err(_)) | Err(_) => Err(()),
        }
    }

    /// As [`hold`](Self::hold), on a thread that may block.
    pub(crate) fn hold_blocking(&self, len: usize, wait: Duration) -> Result<Option<HeldBytes>, ()> {
        if len <= LIGHT_LEN { Ok(None) } else { Handle::current().block_on(self.hold(len, wait)) }
    }

    /// Whether bytes were held since the last call, and none are now.
    pub(crate) fn was_emptied(&self) -> bool {
        self.room.available_permits() == self.len_max >> 10 && self.was_used.swap(false, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::body;
    use http_body_util::BodyExt as _;

    const LEN_MAX: usize = 8 << 20;
    const LONG: Duration = Duration::from_secs(20);

    #[test] // spec: IF-14a
    fn only_so_much_is_held_at_once_and_it_is_held_until_it_is_out() {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            let budget = Arc::new(ByteBudget::new(LEN_MAX));
            let hold = |len: usize| {
                let budget = budget.clone();
                tokio::task::spawn_blocking(move || budget.hold_blocking(len, LONG))
            };
            let held = async |len: usize| hold(len).await.expect("no panic").expect("there is room");
            assert!(held(LIGHT_LEN).await.is_none(), "what is light is not counted");
            assert!(!budget.was_emptied());
            let first = held(LEN_MAX / 2).await;
            let body = body::held("x".repeat(100), first);
            let second = held(LEN_MAX / 2).await.expect("a place");
            let mut third = hold(LEN_MAX * 4);
            drop(second);
            // The bytes are on their way: hyper has taken them from the body and writes them.
            let bytes = body.collect().await.expect("whole").to_bytes();
            assert_eq!(bytes.len(), 100);
            let waits = tokio::time::timeout(Duration::from_millis(50), &mut third).await;
            assert!(waits.is_err(), "the longest needs all of the room");
            assert!(!budget.was_emptied());
            drop(bytes);
            drop(third.await.expect("no panic").expect("there is room now"));
            assert!(budget.was_emptied() && !budget.was_emptied(), "told once");
        });
    }
}
