//! Vector clocks: what a record was written after.

use crate::ids::HostId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// For every device, how many of its writes are known.
///
/// Invariant: a device of which no write is known has no entry, so that equal clocks are equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "BTreeMap<HostId, u64>")]
pub struct VectorClock(BTreeMap<HostId, u64>);

/// How two clocks relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockOrder {
    /// They are the same.
    Equal,
    /// The first was known where the second was written.
    Before,
    /// The second was known where the first was written.
    After,
    /// Each has a write that the other has not.
    Concurrent,
}

impl VectorClock {
    /// The clock with these counters; zeros are left out.
    pub fn new(counters: impl IntoIterator<Item = (HostId, u64)>) -> Self {
        Self(counters.into_iter().filter(|(_, counter)| *counter > 0).collect())
    }

    /// How many writes of a device are known.
    pub fn counter(&self, host: &HostId) -> u64 {
        self.0.get(host).copied().unwrap_or(0)
    }

    /// The devices and their counters, in the order of the devices.
    pub fn counters(&self) -> impl Iterator<Item = (&HostId, u64)> {
        self.0.iter().map(|(host, counter)| (host, *counter))
    }

    /// How this clock relates to another.
    pub fn compare(&self, other: &Self) -> ClockOrder {
        let has_all_of = |a: &Self, b: &Self| b.counters().all(|(host, counter)| a.counter(host) >= counter);
        match (has_all_of(self, other), has_all_of(other, self)) {
            (true, true) => ClockOrder::Equal,
            (false, true) => ClockOrder::Before,
            (true, false) => ClockOrder::After,
            (false, false) => ClockOrder::Concurrent,
        }
    }

    /// Whether the other clock dominates this one: it has every write of this one, and more.
    pub fn is_before(&self, other: &Self) -> bool {
        self.compare(other) == ClockOrder::Before
    }

    /// The least clock that has every write of both. It counts no write of its own.
    #[must_use]
    pub fn join(mut self, other: &Self) -> Self {
        for (host, counter) in other.counters() {
            let known = self.0.entry(host.clone()).or_default();
            *known = (*known).max(counter);
        }
        self
    }

    /// The clock of the next write of a device that knows this one.
    #[must_use]
    pub fn after_write_of(mut self, host: &HostId) -> Self {
        *self.0.entry(host.clone()).or_default() += 1;
        self
    }
}

impl From<BTreeMap<HostId, u64>> for VectorClock {
    fn from(counters: BTreeMap<HostId, u64>) -> Self {
        Self::new(counters)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn host(name: &str) -> HostId {
        HostId::parse(name).expect("a word")
    }

    /// Three devices and counters up to three: most pairs are concurrent, and many are not.
    pub(crate) fn clock() -> impl Strategy<Value = VectorClock> {
        prop::array::uniform3(0_u64..4)
            .prop_map(|counters| VectorClock::new(["a", "b", "c"].map(host).into_iter().zip(counters)))
    }

    #[test]
    fn clocks_relate_in_four_ways() {
        let clock = |a, b| VectorClock::new([(host("a"), a), (host("b"), b)]);
        let check = |a: (u64, u64), b: (u64, u64), expected| {
            assert_eq!(clock(a.0, a.1).compare(&clock(b.0, b.1)), expected);
        };
        check((1, 1), (1, 1), ClockOrder::Equal);
        check((0, 0), (0, 1), ClockOrder::Before);
        check((2, 1), (1, 1), ClockOrder::After);
        check((2, 0), (0, 1), ClockOrder::Concurrent);
        assert_eq!(clock(0, 0), VectorClock::default());
    }

    proptest! {
        #[test]
        fn a_join_is_the_least_clock_that_has_both(a in clock(), b in clock(), c in clock()) {
            let joined = a.clone().join(&b);
            prop_assert_eq!(&joined, &b.clone().join(&a));
            prop_assert_eq!(&joined, &joined.clone().join(&a));
            prop_assert_eq!(joined.clone().join(&c), a.clone().join(&b.clone().join(&c)));
            let is_upper = |upper: &VectorClock, lower: &VectorClock| {
                matches!(upper.compare(lower), ClockOrder::After | ClockOrder::Equal)
            };
            prop_assert!(is_upper(&joined, &a) && is_upper(&joined, &b));
            prop_assert!(!(is_upper(&c, &a) && is_upper(&c, &b)) || is_upper(&c, &joined));
        }

        #[test]
        fn a_write_is_after_everything_that_its_device_knew(a in clock(), b in clock()) {
            let joined = a.clone().join(&b);
            let next = joined.clone().after_write_of(&host("b"));
            prop_assert!(joined.is_before(&next) && a.is_before(&next) && b.is_before(&next));
        }
    }
}
