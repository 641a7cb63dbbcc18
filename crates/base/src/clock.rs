//! The port through which the program learns the time.

use crate::Timestamp;

/// Returns the time. Every crate gets it as an argument, so that tests can move the clock.
pub trait Clock: Send + Sync {
    /// The present instant. It may jump in either direction; callers must not rely on order.
    fn now(&self) -> Timestamp;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    fn now(&self) -> Timestamp {
        match std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH) {
            Ok(since) => Timestamp::from_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)),
            Err(_before_the_epoch) => Timestamp::MIN,
        }
    }
}

/// A clock that does not move until a test moves it.
#[cfg(feature = "testing")]
#[derive(Debug)]
pub struct ManualClock(std::sync::atomic::AtomicI64);

#[cfg(feature = "testing")]
impl ManualClock {
    /// Starts at `ms` milliseconds after the epoch.
    pub fn at(ms: i64) -> Self {
        Self(std::sync::atomic::AtomicI64::new(ms))
    }

    /// Moves the clock, backwards if `ms` is negative.
    pub fn advance(&self, ms: i64) {
        self.0.fetch_add(ms, std::sync::atomic::Ordering::SeqCst);
    }

    /// Sets the clock.
    pub fn set(&self, ms: i64) {
        self.0.store(ms, std::sync::atomic::Ordering::SeqCst);
    }
}

#[cfg(feature = "testing")]
impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.0.load(std::sync::atomic::Ordering::SeqCst))
    }
}
