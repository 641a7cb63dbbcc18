//! The state of an agent: the only part of it that outlives a run and changes.

use crate::ids::{AgentMessageId, HostId};
use crate::processed::ProcessedCounters;
use crate::slots::AgentSlots;
use crate::vector_clock::VectorClock;
use brainstem_base::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The state of an agent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AgentState {
    /// When it was written, for people. No merge looks at it (G-37).
    pub updated_at: Timestamp,
    /// When the agent woke last.
    pub last_wake_at: Option<Timestamp>,
    /// When it wants to wake next. Each device arms its own deadline from it (Z-26).
    pub next_wake_at: Option<Timestamp>,
    /// Until when it sleeps.
    pub sleep_until: Option<Timestamp>,
    /// The newest message of its log.
    pub recent_head: Option<MessagePointer>,
    /// The newest summary of its log.
    pub latest_summary: Option<MessagePointer>,
    /// Its failures since its last success.
    pub failures: FailureCount,
    /// Which changes it is done with.
    pub processed: ProcessedCounters,
    /// What it keeps from run to run.
    pub slots: AgentSlots,
}

/// How often an agent failed since it last succeeded.
///
/// Its order is that of its fields: a success that either side knows ends the failures before it (Z-17).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FailureCount {
    /// How many runs have succeeded.
    pub success_epoch: u64,
    /// How many have failed since.
    pub count: u32,
}

impl FailureCount {
    /// After a run that failed.
    #[must_use]
    pub fn after_failure(self) -> Self {
        Self { count: self.count.saturating_add(1), ..self }
    }

    /// After a run that succeeded.
    #[must_use]
    pub fn after_success(self) -> Self {
        Self { success_epoch: self.success_epoch + 1, count: 0 }
    }
}

/// A message of the log that the state points to, with what decides between two of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessagePointer {
    /// The device that wrote the message.
    pub host: HostId,
    /// The message.
    pub message: AgentMessageId,
    /// The clock of the message.
    pub clock: VectorClock,
}

/// Says whether the first message is an ancestor of the second, as far as the log is known here.
pub type Ancestry<'a> = &'a dyn Fn(&AgentMessageId, &AgentMessageId) -> bool;

impl AgentState {
    /// The state of an agent that has done nothing.
    pub fn new(now: Timestamp) -> Self {
        Self {
            updated_at: now,
            last_wake_at: None,
            next_wake_at: None,
            sleep_until: None,
            recent_head: None,
            latest_summary: None,
            failures: FailureCount::default(),
            processed: ProcessedCounters::default(),
            slots: AgentSlots::default(),
        }
    }

    /// One state from concurrent ones, by the rules 2 and 4 to 7 of G.2. It is the same for every order of them.
    ///
    /// `None` if there is none.
    pub fn of_concurrent<'a>(
        states: impl IntoIterator<Item = &'a Self>,
        is_ancestor: Ancestry<'_>,
    ) -> Option<Self> {
        let states: Vec<_> = states.into_iter().collect();
        let pointers = |get: fn(&Self) -> &Option<MessagePointer>| {
            newest_pointer(states.iter().filter_map(|state| get(state).as_ref()).collect(), is_ancestor)
        };
        let recent_head = pointers(|state| &state.recent_head);
        let latest_summary = pointers(|state| &state.latest_summary);
        let joined = states.iter().map(|state| (*state).clone()).reduce(|a, b| a.join_values(&b))?;
        Some(Self { recent_head, latest_summary, ..joined })
    }

    /// The rules that work on two values alone.
    fn join_values(self, other: &Self) -> Self {
        Self {
            updated_at: self.updated_at.max(other.updated_at),
            last_wake_at: self.last_wake_at.max(other.last_wake_at),
            // `None` is smaller than every time, so it would win as the smaller one.
            next_wake_at: [self.next_wake_at, other.next_wake_at].into_iter().flatten().min(),
            sleep_until: self.sleep_until.max(other.sleep_until),
            failures: self.failures.max(other.failures),
            processed: self.processed.join(&other.processed),
            slots: self.slots.join(&other.slots),
            recent_head: None,
            latest_summary: None,
        }
    }
}

/// Rule 4: the descendant; else the message that was written after the others; else the largest device and id.
pub(crate) fn newest_pointer(
    pointers: BTreeSet<&MessagePointer>,
    is_ancestor: Ancestry<'_>,
) -> Option<MessagePointer> {
    let is_ancestor = |a: &MessagePointer, b: &MessagePointer| is_ancestor(&a.message, &b.message);
    let descendants = maximal(&pointers, |a, b| is_ancestor(a, b) && !is_ancestor(b, a));
    let latest = maximal(&descendants, |a, b| a.clock.is_before(&b.clock));
    latest.into_iter().max().cloned()
}

/// The items that come before no other.
fn maximal<'a, T: Ord>(items: &BTreeSet<&'a T>, is_before: impl Fn(&T, &T) -> bool) -> BTreeSet<&'a T> {
    items.iter().copied().filter(|a| !items.iter().any(|b| is_before(a, b))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector_clock::tests::host;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_ms(ms)
    }

    fn merged(states: &[AgentState]) -> AgentState {
        let reversed: Vec<_> = states.iter().rev().collect();
        let merged = AgentState::of_concurrent(states, &|_, _| false);
        assert_eq!(merged, AgentState::of_concurrent(reversed, &|_, _| false));
        merged.expect("some state")
    }

    #[test] // spec: G-34, Z-17
    fn a_success_ends_the_failures_before_it_on_every_device() {
        let failed = FailureCount::default().after_failure().after_failure();
        let state = |failures| AgentState { failures, ..AgentState::new(at(0)) };
        let failed_more = failed.after_failure();
        assert_eq!(merged(&[state(failed), state(failed_more)]).failures, failed_more);
        let recovered = failed.after_success();
        assert_eq!(merged(&[state(recovered), state(failed_more)]).failures, recovered);
        assert_eq!(recovered.count, 0);
    }

    #[test] // spec: G-36, Z-18
    fn the_earliest_wake_and_the_latest_end_of_sleep_hold_whether_or_not_they_have_passed() {
        let state = |next: Option<i64>, sleep: Option<i64>| AgentState {
            next_wake_at: next.map(at),
            sleep_until: sleep.map(at),
            ..AgentState::new(at(0))
        };
        let check = |a, b, expected: (Option<i64>, Option<i64>)| {
            let merged = merged(&[a, b]);
            let ms = |time: Option<Timestamp>| time.map(Timestamp::ms);
            assert_eq!((ms(merged.next_wake_at), ms(merged.sleep_until)), expected);
        };
        check(state(Some(5), Some(5)), state(Some(9), Some(9)), (Some(5), Some(9)));
        check(state(None, None), state(Some(9), Some(9)), (Some(9), Some(9)));
        check(state(None, None), state(None, None), (None, None));
    }

    #[test] // spec: G-33
    fn a_pointer_goes_to_the_descendant_then_to_the_later_clock_then_to_the_larger_id() {
        let pointer = |name: &str, message: &str, clock: (u64, u64)| MessagePointer {
            host: host(name),
            message: AgentMessageId::parse(message).expect("a word"),
            clock: VectorClock::new([(host("a"), clock.0), (host("b"), clock.1)]),
        };
        let check = |pointers: &[MessagePointer], ancestry: &[(&str, &str)], expected: &str| {
            let is_ancestor =
                |a: &AgentMessageId, b: &AgentMessageId| ancestry.contains(&(a.as_str(), b.as_str()));
            for pointers in [pointers.to_vec(), pointers.iter().rev().cloned().collect()] {
                let newest = newest_pointer(pointers.iter().collect(), &is_ancestor);
                assert_eq!(newest.expect("some pointer").message.as_str(), expected);
            }
        };
        let (m1, m2) = (pointer("a", "m1", (9, 0)), pointer("a", "m2", (1, 0)));
        check(&[m1.clone(), m2.clone()], &[("m1", "m2")], "m2");
        check(&[m1.clone(), m2], &[], "m1");
        let m3 = pointer("b", "m0", (0, 1));
        check(&[m1.clone(), m3.clone()], &[], "m0");
        // Of three, the ancestor is out although its clock is the latest.
        let m4 = pointer("a", "m4", (2, 0));
        check(&[m1.clone(), m3, m4], &[("m1", "m4")], "m0");
        // A log that contradicts itself decides nothing.
        let m5 = pointer("a", "m5", (9, 1));
        check(&[m1, m5], &[("m1", "m5"), ("m5", "m1")], "m5");
    }
}
