//! The share that a call counts against, how long it may run, and whether its caller still waits.

use crate::caller_key::CallerKey;
use crate::limits::{CALL_TIME_MAX, LONG_CALL_TIME_MAX};
use brainstem_api::{Entry, Kind, Object, Progress, Stop};
use brainstem_memory::Declared;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// The share that a call counts against, and its time.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    /// The share.
    pub(crate) key: CallerKey,
    /// The time it has.
    pub(crate) time: Arc<CallTime>,
    /// The kind of place that it waits for.
    pub(crate) weight: Weight,
    /// It is a page for a caller that waited for news and was admitted before.
    pub(crate) is_woken: bool,
}

/// How much work a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// A short call.
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
    /// The turn of a call to a daemon.
    pub(crate) fn of(key: CallerKey, entry: &Entry, arguments: &Object) -> Self {
        let max = match entry.kind() {
            Kind::Job => LONG_CALL_TIME_MAX,
            // Each page of a feed is a call, and none of them waits.
            Kind::Once | Kind::Feed => CALL_TIME_MAX,
        };
        let time = Arc::new(CallTime::bounded(max));
        Self { key, time, weight: Weight::of(entry, arguments), is_woken: false }
    }

    /// The turn of a short read at a daemon that is not a verb.
    pub(crate) fn look(key: CallerKey) -> Self {
        let time = Arc::new(CallTime::bounded(CALL_TIME_MAX));
        Self { key, time, weight: Weight::Light, is_woken: false }
    }

    /// The turn of a call by a client that has this process for itself.
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

    /// How long it may run; `None` if there is no limit.
    pub(crate) fn max(&self) -> Option<Duration> {
        self.max
    }

    /// Starts its time. A call that waited for news starts again.
    pub(crate) fn begin(&self) {
        *self.began.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn is_up(&self) -> bool {
        let began = *self.began.lock().unwrap_or_else(PoisonError::into_inner);
        self.max.zip(began).is_some_and(|(max, began)| began.elapsed() > max)
    }
}

/// Stops a call whose time is over, or whose REST caller has gone.
#[derive(Debug)]
pub(crate) struct Waiter {
    /// The time of the call.
    pub(crate) time: Arc<CallTime>,
    /// Cancelled when the caller no longer waits for the answer.
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
