//! What a change was caused by: a person, an agent, or another device, and how long the chain of agents behind it is.

use super::key::LogicalChangeKey;

/// Where a change came from, as subscriptions choose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeOrigin {
    /// A person's change, on this device.
    User,
    /// A run's change, on this device.
    Agent,
    /// A change of another device.
    Sync,
}

impl ChangeOrigin {
    /// Every origin.
    pub const ALL: [Self; 3] = [Self::User, Self::Agent, Self::Sync];

    /// The word of rows and of the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::Sync => "sync",
        }
    }

    /// Reads the word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|origin| origin.as_str() == word)
    }
}

/// The chain of runs behind a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Causation {
    /// The change that began it; `None` if this change did.
    pub root: Option<LogicalChangeKey>,
    /// How many runs are between the root and this change.
    pub depth: u32,
}

impl Causation {
    /// A change that no run caused.
    pub const ROOT: Self = Self { root: None, depth: 0 };

    /// The causation of what a run changes that this change woke.
    pub fn of_effects(self, change: LogicalChangeKey) -> Self {
        Self { root: Some(self.root.unwrap_or(change)), depth: self.depth.saturating_add(1) }
    }

    /// Whether a change this deep may still wake an agent.
    pub fn may_wake(self, depth_max: u32) -> bool {
        self.depth < depth_max
    }
}
