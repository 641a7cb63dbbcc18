//! Which changes of other devices an agent is done with.

use crate::ids::HostId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// For every device, up to which of its changes an agent is done with all of them (Z-7).
///
/// It holds prefixes, and no change behind a gap: whether a single change was processed is for the run log to say. What it
/// says is certain, and what it does not say is open.
///
/// Invariant: no counter is at or below the floor.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", from = "ProcessedFields")]
pub struct ProcessedCounters {
    by_host: BTreeMap<HostId, u64>,
    floor: u64,
}

/// The stored form.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ProcessedFields {
    by_host: BTreeMap<HostId, u64>,
    floor: u64,
}

impl From<ProcessedFields> for ProcessedCounters {
    fn from(fields: ProcessedFields) -> Self {
        Self::new(fields.by_host, fields.floor)
    }
}

impl ProcessedCounters {
    /// The counters as they were stored. Those at or below the floor are left out.
    pub fn new(by_host: impl IntoIterator<Item = (HostId, u64)>, floor: u64) -> Self {
        let by_host = by_host.into_iter().filter(|(_, counter)| *counter > floor).collect();
        Self { by_host, floor }
    }

    /// The devices with their counters.
    pub fn counters(&self) -> impl Iterator<Item = (&HostId, u64)> {
        self.by_host.iter().map(|(host, counter)| (host, *counter))
    }

    /// Up to here, no counter is kept.
    pub fn floor(&self) -> u64 {
        self.floor
    }

    /// Notes that the agent is done with every change of a device up to this one.
    pub fn settle(&mut self, host: &HostId, counter: u64) {
        if counter > self.floor {
            let settled = self.by_host.entry(host.clone()).or_default();
            *settled = (*settled).max(counter);
        }
    }

    /// Whether the agent is done with this change for certain.
    pub fn is_settled(&self, host: &HostId, counter: u64) -> bool {
        self.by_host.get(host).is_some_and(|settled| *settled >= counter)
    }

    /// What either side says. A device that one side has pruned stays pruned.
    #[must_use]
    pub fn join(mut self, other: &Self) -> Self {
        self.floor = self.floor.max(other.floor);
        let floor = self.floor;
        for (host, counter) in other.counters() {
            self.settle(host, counter);
        }
        self.by_host.retain(|_, counter| *counter > floor);
        self
    }

    /// Keeps at most this many devices: the floor moves up to the largest counter that goes. It moves alike on every device
    /// that prunes the same counters, whatever their clocks say.
    pub fn prune_to(&mut self, host_count_max: usize) {
        let Some(excess) = self.by_host.len().checked_sub(host_count_max).filter(|excess| *excess > 0) else {
            return;
        };
        let mut counters: Vec<u64> = self.by_host.values().copied().collect();
        counters.sort_unstable();
        let floor = counters[excess - 1];
        self.floor = floor;
        self.by_host.retain(|_, counter| *counter > floor);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::vector_clock::tests::host;
    use proptest::prelude::*;

    pub(crate) fn processed() -> impl Strategy<Value = ProcessedCounters> {
        (prop::array::uniform3(0_u64..6), 0_u64..4).prop_map(|(counters, floor)| {
            ProcessedCounters::new(["a", "b", "c"].map(host).into_iter().zip(counters), floor)
        })
    }

    #[test] // spec: T-10
    fn counters_merge_by_the_larger_one_of_each_device() {
        let of = |counters: &[(&str, u64)]| {
            ProcessedCounters::new(counters.iter().map(|(name, n)| (host(name), *n)), 0)
        };
        let joined = of(&[("a", 3), ("b", 1)]).join(&of(&[("a", 2), ("c", 7)]));
        assert_eq!(joined, of(&[("a", 3), ("b", 1), ("c", 7)]));
        assert!(joined.is_settled(&host("a"), 3) && !joined.is_settled(&host("a"), 4));
    }

    #[test] // spec: T-28
    fn a_pruned_device_stays_pruned_and_no_replay_is_taken_for_new_or_old() {
        let mut pruned = ProcessedCounters::default();
        for (name, counter) in [("a", 5), ("b", 900), ("c", 30), ("d", 30)] {
            pruned.settle(&host(name), counter);
        }
        let unpruned = pruned.clone();
        pruned.prune_to(2);
        assert_eq!(pruned.counters().collect::<Vec<_>>(), [(&host("b"), 900)]);
        // A peer with the whole map brings nothing back.
        assert_eq!(unpruned.clone().join(&pruned), pruned);
        assert_eq!(pruned.clone().join(&unpruned), pruned);
        // A change below the floor is open, which is for the run log: it is not taken for one that was processed.
        assert!(!pruned.is_settled(&host("a"), 5) && !pruned.is_settled(&host("new"), 1));
        assert!(pruned.is_settled(&host("b"), 900));
        // The device is there again once it has written more.
        pruned.settle(&host("a"), 31);
        assert!(pruned.is_settled(&host("a"), 31));
    }

    proptest! {
        #[test]
        fn joins_commute_associate_and_repeat(a in processed(), b in processed(), c in processed()) {
            let joined = a.clone().join(&b);
            prop_assert_eq!(&joined, &b.clone().join(&a));
            prop_assert_eq!(&joined, &joined.clone().join(&b));
            prop_assert_eq!(joined.join(&c), a.join(&b.join(&c)));
        }

        #[test]
        fn pruning_bounds_the_map(mut a in processed(), b in processed(), count_max in 0_usize..3) {
            a.prune_to(count_max);
            prop_assert!(a.counters().count() <= count_max);
            let mut joined = a.join(&b);
            joined.prune_to(count_max);
            prop_assert!(joined.counters().count() <= count_max);
        }
    }
}
