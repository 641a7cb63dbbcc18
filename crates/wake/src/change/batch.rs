//! A batch: everything that one commit changed, under one key.

use super::causation::{Causation, ChangeOrigin};
use super::key::{ChangeUnitKey, LogicalChangeKey, logical_change_key};
use super::unit::{ChangeUnit, UnitOrigin};
use crate::token::Token;
use brainstem_agents::{HostId, VectorClock};
use brainstem_base::AgentId;
use std::collections::{BTreeMap, BTreeSet};

/// The number of a batch in its process, for diagnostics. No key is made from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalBatchId(pub u64);

/// What a source reports: one commit, with where it came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommittedChange {
    /// The units of the commit.
    pub units: Vec<ChangeUnit>,
    /// What changed, for matching.
    pub tokens: BTreeSet<Token>,
    /// The agent whose run wrote it. It is recorded before the write, so that no watcher sees the change without it.
    pub agent: Option<AgentId>,
    /// The agents that a message is addressed to.
    pub addressed_to: BTreeSet<AgentId>,
    /// The chain of runs behind it; `None` if no run caused it.
    pub causation: Option<Causation>,
    /// What the source knew when it reported this.
    pub source_cursor: Option<VectorClock>,
}

/// A change came without units, or with units of several devices: no key can be derived that other devices derive too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("missing_change_provenance: the change does not say which device wrote it at which count")]
pub struct MissingChangeProvenance;

/// One commit, as the subscriptions see it.
///
/// Invariant: the key is that of the units, which are sorted by their keys, each once, and of one device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationBatch {
    local_id: LocalBatchId,
    key: LogicalChangeKey,
    units: BTreeMap<ChangeUnitKey, ChangeUnit>,
    author: HostId,
    change: CommittedChange,
}

impl NotificationBatch {
    /// Makes the batch of a commit, or refuses one without provenance: it wakes nothing.
    pub fn new(local_id: LocalBatchId, change: CommittedChange) -> Result<Self, MissingChangeProvenance> {
        let author = change.units.first().ok_or(MissingChangeProvenance)?.host.clone();
        if change.units.iter().any(|unit| unit.host != author) {
            return Err(MissingChangeProvenance);
        }
        let mut change = change;
        let units: BTreeMap<_, _> = change.units.drain(..).map(|unit| (unit.key(), unit)).collect();
        let key = logical_change_key(&units.keys().copied().collect());
        Ok(Self { local_id, key, units, author, change })
    }

    /// Its number in this process.
    pub fn local_id(&self) -> LocalBatchId {
        self.local_id
    }

    /// The key of the change, the same on every device.
    pub fn key(&self) -> LogicalChangeKey {
        self.key
    }

    /// The keys of its units, sorted, each once: the evidence that is stored with a wake.
    pub fn unit_keys(&self) -> impl ExactSizeIterator<Item = ChangeUnitKey> {
        self.units.keys().copied()
    }

    /// Its units, in the order of their keys.
    pub fn units(&self) -> impl ExactSizeIterator<Item = &ChangeUnit> {
        self.units.values()
    }

    /// What changed, for matching.
    pub fn tokens(&self) -> &BTreeSet<Token> {
        &self.change.tokens
    }

    /// The device that wrote it.
    pub fn author(&self) -> &HostId {
        &self.author
    }

    /// The agent whose run wrote it.
    pub fn agent(&self) -> Option<&AgentId> {
        self.change.agent.as_ref()
    }

    /// Whether it is a message to this agent.
    pub fn is_addressed_to(&self, agent: &AgentId) -> bool {
        self.change.addressed_to.contains(agent)
    }

    /// What the source knew.
    pub fn source_cursor(&self) -> Option<&VectorClock> {
        self.change.source_cursor.as_ref()
    }

    /// Where it came from, as subscriptions choose it.
    pub fn origin(&self) -> ChangeOrigin {
        let is_local = self.units.values().all(|unit| unit.origin == UnitOrigin::Local);
        match (is_local, self.agent()) {
            (false, _) => ChangeOrigin::Sync,
            (true, Some(_)) => ChangeOrigin::Agent,
            (true, None) => ChangeOrigin::User,
        }
    }

    /// The chain of runs behind it.
    pub fn causation(&self) -> Causation {
        self.change.causation.unwrap_or(Causation::ROOT)
    }

    /// Takes what another report of the same change knows. A batch of another change is handed back.
    pub fn absorb(&mut self, other: Self) -> Result<(), Box<Self>> {
        if other.key != self.key {
            return Err(Box::new(other));
        }
        let CommittedChange { units: _, tokens, agent, addressed_to, causation, source_cursor } =
            other.change;
        self.change.tokens.extend(tokens);
        self.change.addressed_to.extend(addressed_to);
        self.change.agent = self.change.agent.take().or(agent);
        self.change.causation = self.change.causation.or(causation);
        self.change.source_cursor = match (self.change.source_cursor.take(), source_cursor) {
            (Some(ours), Some(theirs)) => Some(ours.join(&theirs)),
            (ours, theirs) => ours.or(theirs),
        };
        Ok(())
    }
}

/// The batches of one tick: reports of the same change become one, in the order in which each change came first.
pub fn coalesce(batches: impl IntoIterator<Item = NotificationBatch>) -> Vec<NotificationBatch> {
    let mut merged: Vec<NotificationBatch> = Vec::new();
    let mut place: BTreeMap<LogicalChangeKey, usize> = BTreeMap::new();
    for batch in batches {
        match place.get(&batch.key) {
            Some(at) => merged[*at].absorb(batch).expect("the keys are equal"),
            None => {
                place.insert(batch.key, merged.len());
                merged.push(batch);
            }
        }
    }
    merged
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;
