//! On whose behalf a call is made, how long it may run, and whether anybody still waits for it.

use crate::caller_key::CallerKey;
use crate::limits::{CALL_TIME_MAX, LONG_CALL_TIME_MAX};
use brainstem_api::{Entry, Kind, Object, Progress, Stop};
use brainstem_memory::Declared;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// On whose behalf a call is made, and for how long.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    /// Whose share it counts against.
    pub(crate) key: CallerKey,
    /// The time it has.
    pub(crate) time: Arc<CallTime>,
    /// Among which calls it waits for its place.
    pub(crate) weight: Weight,
    /// It is a page for a caller that waited for news: it was let in before.
    pub(crate) is_woken: bool,
}

/// How much work a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// One thing.
    Light,
    /// A batch, or a job.
    Heavy,
}

impl Weight {
    fn of(entry: &Entry, arguments: &Object) -> Self {
        match entry.kind() {
            Kind::Job => Self::Heavy,
            Kind::Once if Entry::is_batch(arguments) => Self::Heavy,
            Kind::Once | Kind::Feed => Self::Light,
        }
    }
}

impl Turn {
    /// The call of a caller of a daemon.
    pub(crate) fn of(key: CallerKey, entry: &Entry, arguments: &Object) -> Self {
        let max = match entry.kind() {
            Kind::Job => LONG_CALL_TIME_MAX,
            // Of a feed each page is a call, and none waits.
            Kind::Once | Kind::Feed => CALL_TIME_MAX,
        };
        let time = Arc::new(CallTime::bounded(max));
        Self { key, time, weight: Weight::of(entry, arguments), is_woken: false }
    }

    /// A short look of a daemon's caller that is no verb.
    pub(crate) fn look(key: CallerKey) -> Self {
        let time = Arc::new(CallTime::bounded(CALL_TIME_MAX));
        Self { key, time, weight: Weight::Light, is_woken: false }
    }

    /// The call of a client that has this process for itself.
    pub(crate) fn alone() -> Self {
        let key = CallerKey::of(&Declared::default(), None);
        Self { key, time: Arc::default(), weight: Weight::Light, is_woken: false }
    }

    /// The turn of a further page, when there are news.
    pub(crate) fn woken(&self) -> Self {
        Self { is_woken: true, ..self.clone() }
    }
}

/// How long a call may run, from when it got its place.
#[derive(Debug, Default)]
pub(crate) struct CallTime {
    max: Option<Duration>,
    began: Mutex<Option<Instant>>,
}

impl CallTime {
    fn bounded(max: Duration) -> Self {
        Self { max: Some(max), began: Mutex::default() }
    }

    /// How long it may run; `None` for as long as it takes.
    pub(crate) fn max(&self) -> Option<Duration> {
        self.max
    }

    /// It runs from now on; one that waited for news begins anew.
    pub(crate) fn begin(&self) {
        *self.began.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn is_up(&self) -> bool {
        let began = *self.began.lock().unwrap_or_else(PoisonError::into_inner);
        self.max.zip(began).is_some_and(|(max, began)| began.elapsed() > max)
    }
}

/// What a call sees of whoever waits for it over REST.
#[derive(Debug)]
pub(crate) struct Waiter {
    /// The time the call has.
    pub(crate) time: Arc<CallTime>,
    /// Cancelled when nobody waits for the answer any more.
    pub(crate) gone: CancellationToken,
}

impl Progress for Waiter {
    fn done(&self, _: usize, _: usize) {}

    fn stop(&self) -> Option<Stop> {
        stop(&self.time, self.gone.is_cancelled())
    }
}

/// Why a call should stop, if it should.
pub(crate) fn stop(time: &CallTime, is_gone: bool) -> Option<Stop> {
    match (is_gone, time.is_up()) {
        (true, _) => Some(Stop::Gone),
        (false, true) => Some(Stop::TimeUp),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-14a
    fn the_time_of_a_call_runs_from_when_it_got_its_place() {
        let time = CallTime::bounded(Duration::ZERO);
        assert_eq!(stop(&time, false), None, "it waits for its place");
        time.begin();
        while !time.is_up() {
            std::thread::yield_now();
        }
        assert_eq!(stop(&time, false), Some(Stop::TimeUp));
        assert_eq!(stop(&time, true), Some(Stop::Gone), "nobody is there to hear of the time");
        let alone = Turn::alone();
        alone.time.begin();
        assert_eq!(stop(&alone.time, false), None);
    }
}
