//! Slots: the few things that an agent keeps from run to run.

use crate::extension::ExtensionMap;
use crate::ids::HostId;
use crate::stored::StoredForm;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A value that devices write independently of each other.
///
/// Invariant: the order of slots is the precedence of concurrent writes (G-35): version, then device, then the value. So the
/// larger of two slots is their merge.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slot<T> {
    version: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host: Option<HostId>,
    value: T,
}

impl<T: Ord + Clone> Slot<T> {
    /// What it holds.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// How often it was written, as far as its last writer knew.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The device that wrote it. `None` if none has.
    pub fn host(&self) -> Option<&HostId> {
        self.host.as_ref()
    }

    /// Writes a value on a device.
    pub fn set(&mut self, value: T, host: &HostId) {
        *self = Self { version: self.version + 1, host: Some(host.clone()), value };
    }

    fn join(&mut self, other: &Self) {
        if *other > *self {
            self.clone_from(other);
        }
    }
}

/// What an agent keeps from run to run.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentSlots {
    /// What it is for.
    pub primary_goal: Slot<Option<String>>,
    /// The task that it works on.
    pub active_task_id: Slot<Option<String>>,
    /// What it has begun and not ended.
    pub open_loop_ids: Slot<Vec<String>>,
    /// What it learned about how things should be done.
    pub preference_by_key: Slot<BTreeMap<String, String>>,
    /// Fields that have no type yet.
    pub extension: Slot<ExtensionMap>,
}

impl StoredForm for AgentSlots {
    const NAME: &'static str = "the slots of an agent";
    const STEPS: &'static [fn(&mut Map<String, Value>)] = &[];
}

impl AgentSlots {
    /// Each slot as the later writer left it.
    #[must_use]
    pub fn join(mut self, other: &Self) -> Self {
        let Self { primary_goal, active_task_id, open_loop_ids, preference_by_key, extension } = &mut self;
        primary_goal.join(&other.primary_goal);
        active_task_id.join(&other.active_task_id);
        open_loop_ids.join(&other.open_loop_ids);
        preference_by_key.join(&other.preference_by_key);
        extension.join(&other.extension);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector_clock::tests::host;

    /// The slots of a device that wrote its goal so many times.
    fn slots(name: &str, goal: &str, writes: u32) -> AgentSlots {
        let mut slots = AgentSlots::default();
        for _ in 0..writes {
            slots.primary_goal.set(Some(goal.to_owned()), &host(name));
        }
        slots
    }

    #[test] // spec: T-11, G-35
    fn the_higher_version_wins_and_then_the_device_whatever_the_clocks_say() {
        let check = |a: &AgentSlots, b: &AgentSlots, goal: &str| {
            for joined in [a.clone().join(b), b.clone().join(a)] {
                assert_eq!(joined.primary_goal.value().as_deref(), Some(goal));
            }
        };
        check(&slots("a", "more often", 3), &slots("z", "later device", 2), "more often");
        check(&slots("a", "lift", 2), &slots("b", "run", 2), "run");
        // One device that came back from a backup may write a version twice.
        check(&slots("a", "lift", 2), &slots("a", "run", 2), "run");
        check(&slots("a", "lift", 1), &AgentSlots::default(), "lift");
    }

    #[test] // spec: G-35
    fn slots_merge_one_by_one() {
        let (mut a, mut b) = (slots("a", "lift", 2), slots("b", "run", 1));
        a.active_task_id.set(Some("t1".to_owned()), &host("a"));
        for task in ["t1", "t2"] {
            b.active_task_id.set(Some(task.to_owned()), &host("b"));
        }
        let joined = a.join(&b);
        let (goal, task) = (joined.primary_goal.value(), joined.active_task_id.value());
        assert_eq!((goal.as_deref(), task.as_deref()), (Some("lift"), Some("t2")));
    }
}
