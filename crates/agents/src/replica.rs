//! The state of an agent as devices exchange it, and how what they wrote at the same time becomes one.
//!
//! A device writes the whole state as a [`StateSnapshot`] with a clock. A [`StateReplica`] keeps the snapshots that no other
//! one replaced: usually one, and as many as devices wrote without knowing of each other. What is read is worked out from
//! all of them. So rule 1 (a snapshot that knows another one replaces it whole) and the rules 2 to 7 (what becomes of
//! concurrent ones) hold together in every order. Merging two states into one at once cannot have that: of three snapshots
//! `a`, `b` and `c`, where `c` replaces `a` and `b` is concurrent to both, `(a + b) + c` would carry parts of `a`, and
//! `a + (b + c)` none.
//!
//! A merge writes no snapshot and counts no write, so that two devices that merge the same have nothing to send each other.

use crate::canonical::HashInput;
use crate::ids::{HostId, StateSnapshotId};
use crate::state::{AgentState, Ancestry};
use crate::vector_clock::VectorClock;
use crate::vocabulary::AgentLifecycle;
use brainstem_base::{AgentId, Timestamp};
use std::collections::BTreeSet;

/// What a device wrote: the whole state, after everything in its clock.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StateSnapshot {
    /// What its writer knew, this write included.
    pub clock: VectorClock,
    /// The device that wrote it.
    pub host: HostId,
    /// Where the agent was in its life.
    pub lifecycle: AgentLifecycle,
    /// The state.
    pub state: AgentState,
}

impl StateSnapshot {
    /// The id of its row: it follows from the agent, the device and the clock.
    pub fn id(&self, agent: &AgentId) -> StateSnapshotId {
        let input = HashInput::new("agent-state-snapshot.1").text(agent.as_str()).text(self.host.as_str());
        let input = self
            .clock
            .counters()
            .fold(input, |input, (host, counter)| input.text(host.as_str()).number(counter));
        input.digest().into()
    }

    /// Whether this snapshot means nothing any more beside the other one: the other knows it, or the other says that the agent
    /// was destroyed, which holds whatever was written before or after it (Z-16).
    fn is_replaced_by(&self, other: &Self) -> bool {
        let is_destroyed = |snapshot: &Self| snapshot.lifecycle == AgentLifecycle::Destroyed;
        match (is_destroyed(self), is_destroyed(other)) {
            (false, true) => true,
            (true, false) => false,
            (true, true) | (false, false) => self.clock.is_before(&other.clock),
        }
    }
}

/// What a device knows of the state of one agent.
///
/// Invariant: it has a snapshot, and no snapshot of it is replaced by another one of it. Its clock has the clocks of all
/// snapshots that it ever took in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateReplica {
    seen: VectorClock,
    snapshots: BTreeSet<StateSnapshot>,
}

/// The state that follows from the snapshots of a replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedState {
    /// Where the agent is in its life.
    pub lifecycle: AgentLifecycle,
    /// Its state.
    pub state: AgentState,
}

/// The agent was destroyed, and nothing is written for it any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the agent was destroyed")]
pub struct AgentDestroyed;

impl StateReplica {
    /// A replica that knows one snapshot.
    pub fn new(snapshot: StateSnapshot) -> Self {
        Self { seen: snapshot.clock.clone(), snapshots: BTreeSet::from([snapshot]) }
    }

    /// A replica that knows these snapshots. `None` if there are none.
    pub fn of_snapshots(snapshots: impl IntoIterator<Item = StateSnapshot>) -> Option<Self> {
        snapshots.into_iter().map(Self::new).reduce(|a, b| a.merge(&b))
    }

    /// What either side knows.
    #[must_use]
    pub fn merge(mut self, other: &Self) -> Self {
        self.seen = self.seen.join(&other.seen);
        self.snapshots.extend(other.snapshots.iter().cloned());
        let all = self.snapshots.clone();
        self.snapshots.retain(|snapshot| !all.iter().any(|other| snapshot.is_replaced_by(other)));
        self
    }

    /// The snapshots that hold: one, or several that were written at the same time.
    pub fn snapshots(&self) -> impl Iterator<Item = &StateSnapshot> {
        self.snapshots.iter()
    }

    /// Every write that it knows.
    pub fn clock(&self) -> &VectorClock {
        &self.seen
    }

    /// The state that follows from its snapshots.
    pub fn resolve(&self, is_ancestor: Ancestry<'_>) -> ResolvedState {
        let lifecycle = self.snapshots.iter().map(|snapshot| snapshot.lifecycle).max();
        let states = self.snapshots.iter().map(|snapshot| &snapshot.state);
        ResolvedState {
            lifecycle: lifecycle.expect("a replica has a snapshot"),
            state: AgentState::of_concurrent(states, is_ancestor).expect("a replica has a snapshot"),
        }
    }

    /// Writes a changed state on a device, and returns the snapshot to store and to send. It replaces all others here.
    pub fn write(
        &mut self,
        host: &HostId,
        now: Timestamp,
        is_ancestor: Ancestry<'_>,
        change: impl FnOnce(&mut ResolvedState),
    ) -> Result<StateSnapshot, AgentDestroyed> {
        let mut resolved = self.resolve(is_ancestor);
        if resolved.lifecycle == AgentLifecycle::Destroyed {
            return Err(AgentDestroyed);
        }
        change(&mut resolved);
        resolved.state.updated_at = now;
        let snapshot = StateSnapshot {
            clock: self.seen.clone().after_write_of(host),
            host: host.clone(),
            lifecycle: resolved.lifecycle,
            state: resolved.state,
        };
        *self = Self::new(snapshot.clone());
        Ok(snapshot)
    }
}

#[cfg(test)]
#[path = "replica_tests.rs"]
mod tests;
