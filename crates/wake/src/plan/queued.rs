//! A wake that waits in the queue, and its row in the run log.

use crate::change::Causation;
use crate::run::WakeCause;
use brainstem_agents::RunKey;
use brainstem_agents::ids::SubscriptionId;
use brainstem_agents::vocabulary::WakeRunStatus;
use brainstem_base::Timestamp;

/// From when on a wake may start, throttles aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WakeReady {
    /// So many milliseconds after it was queued, so that others can ride along.
    After(i64),
    /// At an instant that a person or a schedule means.
    At(Timestamp),
}

/// A wake that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWake {
    /// Why.
    pub cause: WakeCause,
    /// From when on.
    pub ready: WakeReady,
    /// The least time between two runs for its subscription, in milliseconds; zero if there is none.
    pub min_interval_ms: i64,
    /// The chain of runs behind the change.
    pub causation: Causation,
}

impl NewWake {
    /// A wake that may start at once.
    pub fn now(cause: WakeCause) -> Self {
        Self { cause, ready: WakeReady::After(0), min_interval_ms: 0, causation: Causation::ROOT }
    }
}

/// A wake in the queue, as its row keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedWake {
    /// Its place in the queue of its agent.
    pub seq: u64,
    /// The key of its run.
    pub run_key: RunKey,
    /// What was asked for.
    pub wake: NewWake,
    /// When it was queued; if a sleep put it off and was ended early, when that sleep ended.
    pub queued_at: Timestamp,
    /// How often it was tried.
    pub attempts: u32,
}

impl QueuedWake {
    /// From when on it may start, throttles aside.
    pub fn ready_at(&self) -> Timestamp {
        match self.wake.ready {
            WakeReady::After(ms) => Timestamp::from_ms(self.queued_at.ms() + ms),
            WakeReady::At(at) => at,
        }
    }
    /// Its row in the run log.
    pub(super) fn row(&self, status: WakeRunStatus, executed_by: RunKey, why: Option<&str>) -> RunRow {
        let why = why.map(str::to_owned);
        RunRow { run_key: self.run_key, status, executed_by, why, attempts: self.attempts }
    }

    /// Whether a person said something in a conversation.
    pub(super) fn is_turn(&self) -> bool {
        matches!(self.wake.cause, WakeCause::UserTurn { .. })
    }

    /// The subscription that it came from, if it came from one.
    pub(super) fn subscription(&self) -> Option<&SubscriptionId> {
        match &self.wake.cause {
            WakeCause::Subscription { subscription, .. } => Some(subscription),
            WakeCause::Timer { .. }
            | WakeCause::UserTurn { .. }
            | WakeCause::Manual { .. }
            | WakeCause::AfterSleep { .. } => None,
        }
    }
}

/// A row of the run log that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRow {
    /// The run.
    pub run_key: RunKey,
    /// Where it is now.
    pub status: WakeRunStatus,
    /// The run that was executed for it.
    pub executed_by: RunKey,
    /// Why, if there is more to say than the status does.
    pub why: Option<String>,
    /// How often it was tried.
    pub attempts: u32,
}
