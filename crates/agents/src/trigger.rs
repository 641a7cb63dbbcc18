//! What wakes an agent, as rows keep it: subscriptions and timers.
//!
//! A selector, a predicate, an origin, a schedule and a time zone are texts here, in the forms that `brainstem-wake` reads and
//! writes. It decides what they mean and refuses those that mean nothing; these records carry them from device to device.

use crate::entity::{EntityFault, WriteStamp, check_line};
use crate::ids::{SubscriptionId, TimerId};
use crate::limits::{SELECTORS_MAX, TRIGGER_TEXT_LEN_MAX};
use brainstem_base::{AgentId, Timestamp};
use std::collections::BTreeSet;

/// A rule that wakes an agent on a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSubscription {
    /// Its id.
    pub id: SubscriptionId,
    /// The agent.
    pub agent: AgentId,
    /// The semantic key that it is mainly about, for looking it up.
    pub notification_key: Option<String>,
    /// The tokens that it waits for.
    pub selectors: BTreeSet<SelectorToken>,
    /// How many of them a change must have: `any` or `all`.
    pub match_mode: String,
    /// What must hold for what changed.
    pub predicate: Option<String>,
    /// Whose changes count: of `user`, `agent` and `sync`.
    pub origins: BTreeSet<String>,
    /// The least time between two runs for it, in seconds.
    pub min_interval_seconds: u32,
    /// Whether it wakes, and since when it is as it is.
    pub standing: TriggerStanding,
    /// Where this row was written.
    pub stamp: WriteStamp,
}

/// A token that a subscription waits for: its class, its namespace and its value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SelectorToken {
    /// `semanticKey`, `subtypeToken` or `entityId`.
    pub class: String,
    /// The namespace of a `subtypeToken`.
    pub namespace: Option<String>,
    /// The value.
    pub value: String,
}

/// A schedule that wakes an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentTimer {
    /// Its id.
    pub id: TimerId,
    /// The agent.
    pub agent: AgentId,
    /// When it fires: its kind and its expression.
    pub schedule: String,
    /// The time zone that a time of day is meant in, by its IANA name.
    pub timezone: String,
    /// What becomes of firings that were missed: `one` or `none`.
    pub catch_up: String,
    /// When it fires next. `None` if it does not fire again.
    pub next_run_at: Option<Timestamp>,
    /// The last occurrence that it fired for.
    pub last_scheduled_at: Option<Timestamp>,
    /// Whether it wakes, and since when it is as it is.
    pub standing: TriggerStanding,
    /// Where this row was written.
    pub stamp: WriteStamp,
}

/// Whether a subscription or a timer wakes, and since when it is as it is.
///
/// Invariant: what was taken back does not wake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TriggerStanding {
    is_active: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
    deleted_at: Option<Timestamp>,
}

impl TriggerStanding {
    /// One that is made now and wakes.
    pub fn new(now: Timestamp) -> Self {
        Self { is_active: true, created_at: now, updated_at: now, deleted_at: None }
    }

    /// One as it was stored. One that was taken back does not wake, whatever its row says.
    pub fn stored(
        is_active: bool,
        created_at: Timestamp,
        updated_at: Timestamp,
        deleted_at: Option<Timestamp>,
    ) -> Self {
        Self { is_active: is_active && deleted_at.is_none(), created_at, updated_at, deleted_at }
    }

    /// The same one that is switched on or off. One that was taken back stays so.
    #[must_use]
    pub fn switched(self, is_active: bool, now: Timestamp) -> Self {
        match self.deleted_at {
            Some(_) => self,
            None => Self { is_active, updated_at: now, ..self },
        }
    }

    /// The same one that is taken back for good; its row stays, so that other devices learn of it.
    #[must_use]
    pub fn taken_back(self, now: Timestamp) -> Self {
        let deleted_at = self.deleted_at.or(Some(now));
        Self { is_active: false, updated_at: now, deleted_at, ..self }
    }

    /// Whether it wakes.
    pub fn is_active(self) -> bool {
        self.is_active
    }

    /// When it was made.
    pub fn created_at(self) -> Timestamp {
        self.created_at
    }

    /// When it was changed last.
    pub fn updated_at(self) -> Timestamp {
        self.updated_at
    }

    /// When it was taken back.
    pub fn deleted_at(self) -> Option<Timestamp> {
        self.deleted_at
    }
}

impl AgentSubscription {
    /// Refuses a subscription that breaks a rule.
    pub fn check(&self) -> Result<(), EntityFault> {
        if !(1..=SELECTORS_MAX).contains(&self.selectors.len()) {
            return Err(EntityFault::new("selectors", "has no token or too many"));
        }
        for selector in &self.selectors {
            check_line("selectors", &selector.class, TRIGGER_TEXT_LEN_MAX)?;
            check_line("selectors", &selector.value, TRIGGER_TEXT_LEN_MAX)?;
        }
        if self.predicate.as_ref().is_some_and(|text| text.len() > TRIGGER_TEXT_LEN_MAX) {
            return Err(EntityFault::new("predicate", "is too long"));
        }
        check_line("match", &self.match_mode, TRIGGER_TEXT_LEN_MAX)
    }
}

impl AgentTimer {
    /// Refuses a timer that breaks a rule.
    pub fn check(&self) -> Result<(), EntityFault> {
        check_line("schedule", &self.schedule, TRIGGER_TEXT_LEN_MAX)?;
        check_line("timezone", &self.timezone, TRIGGER_TEXT_LEN_MAX)?;
        check_line("catchUp", &self.catch_up, TRIGGER_TEXT_LEN_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_back_never_wakes_again() {
        let at = Timestamp::from_ms;
        let made = TriggerStanding::new(at(1));
        let paused = made.switched(false, at(2));
        assert!(made.is_active() && !paused.is_active() && paused.switched(true, at(3)).is_active());
        let gone = paused.taken_back(at(4));
        assert_eq!(gone.taken_back(at(9)).deleted_at(), Some(at(4)));
        assert_eq!(gone.switched(true, at(5)), gone);
        assert!(!TriggerStanding::stored(true, at(1), at(1), Some(at(1))).is_active());
    }
}
