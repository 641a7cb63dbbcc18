//! A bound on how many of a thing there are at once: for all callers together, and for each of them.

use crate::caller_key::CallerKey;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// A bound on how many of a thing there are, and on how many one caller has.
#[derive(Debug)]
pub(crate) struct Shares {
    all_max: usize,
    each_max: usize,
    taken: Mutex<HashMap<CallerKey, usize>>,
    fewer: Notify,
}

/// Which bound is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// The bound of all callers together.
    ForAll,
    /// The bound of this caller.
    ForThisOne,
}

/// One of them, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    shares: Arc<Shares>,
    key: CallerKey,
}

impl Shares {
    pub(crate) fn new(all_max: usize, each_max: usize) -> Arc<Self> {
        Arc::new(Self { all_max, each_max, taken: Mutex::default(), fewer: Notify::new() })
    }

    /// Takes one, if this caller may have one more.
    pub(crate) fn take(self: &Arc<Self>, key: &CallerKey) -> Result<Share, Full> {
        let mut taken = self.lock();
        // The caller's own bound is checked first, so that a caller which has all of them gets the right reason.
        if taken.get(key).is_some_and(|own| *own >= self.each_max) {
            return Err(Full::ForThisOne);
        }
        if taken.values().sum::<usize>() >= self.all_max {
            return Err(Full::ForAll);
        }
        *taken.entry(key.clone()).or_default() += 1;
        Ok(Share { shares: self.clone(), key: key.clone() })
    }

    /// How many are taken.
    pub(crate) fn count(&self) -> usize {
        self.lock().values().sum()
    }

    /// Waits until none is taken.
    pub(crate) async fn none_taken(&self) {
        loop {
            let fewer = self.fewer.notified();
            tokio::pin!(fewer);
            // Registered before the look, so that no change in between is missed.
            fewer.as_mut().enable();
            if self.count() == 0 {
                return;
            }
            fewer.await;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<CallerKey, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.shares.lock();
        if let Some(own) = taken.get_mut(&self.key) {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.key);
            }
        }
        drop(taken);
        self.shares.fewer.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> CallerKey {
        CallerKey::of(&brainstem_memory::Declared::default(), Some(name))
    }

    #[test] // spec: IF-14b
    fn one_caller_has_its_share_and_leaves_the_rest_to_others() {
        let shares = Shares::new(4, 3);
        let mut greedy: Vec<Share> = (0..3).map(|_| shares.take(&key("greedy")).expect("one")).collect();
        assert_eq!(shares.take(&key("greedy")).map(drop), Err(Full::ForThisOne));
        let other = shares.take(&key("other")).expect("one is left");
        assert_eq!(shares.take(&key("third")).map(drop), Err(Full::ForAll));
        greedy.pop();
        assert_eq!(shares.count(), 3);
        drop((greedy, other));
        assert!(shares.count() == 0 && shares.lock().is_empty(), "nothing is kept of a caller that has none");
    }
}
