//! The store that a write goes to, and the etiquette of writing there.

use crate::error::MemoryError;
use crate::service::Memory;
use brainstem_base::{Advice, AgentId, advice};
use brainstem_caller::Caller;
use brainstem_claims::act::{Act, ActVerb, Deed, Mention};
use brainstem_claims::lifecycle::{FilePlace, MEDULLA};
use brainstem_vault::{Brain, Store};
use std::path::PathBuf;

/// The tier that a write goes to. A request without one means the project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteTier {
    /// The caller's own project.
    #[default]
    Project,
    /// The medulla, which every project sees.
    Medulla,
}

/// What a verb does in the tier that it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TierUse {
    /// Writes a claim.
    Memorize,
    /// Opens a claim in an editor.
    Edit,
    /// Renames a claim.
    Rename,
    /// Takes a claim back.
    Retract,
    /// Deletes a claim for good.
    Forget,
    /// Says whether a claim held.
    Learn,
    /// Decides between versions of a claim.
    Resolve,
    /// Imports claims.
    Import,
    /// Changes boot keys.
    Boot,
}

impl TierUse {
    /// What a refusal calls the tier, and its rule.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Memorize => ("tier a claim can be written to", "MEM-10"),
            Self::Edit => ("tier a claim can be edited in", "MEM-48"),
            Self::Rename => ("tier a claim can be renamed in", "MEM-48"),
            Self::Retract => ("tier a claim can be retracted from", "MEM-12"),
            Self::Forget => ("tier a claim can be forgotten in", "MEM-48"),
            Self::Learn => ("tier a claim can be judged in", "MEM-33"),
            Self::Resolve => ("tier", "MEM-49"),
            Self::Import => ("tier to import into", "MEM-42"),
            Self::Boot => ("tier of boot keys", "MEM-30"),
        }
    }
}

impl WriteTier {
    /// Reads the word in `tier`; `None` if there is none.
    pub fn parse(by: TierUse, text: Option<&str>) -> Result<Option<Self>, MemoryError> {
        match text {
            None => Ok(None),
            Some("project") => Ok(Some(Self::Project)),
            Some("medulla") => Ok(Some(Self::Medulla)),
            Some(other) => {
                let (what, rule) = by.words();
                Err(MemoryError::BadValue {
                    field: "tier",
                    value: other.chars().take(40).collect(),
                    what,
                    takes: "medulla, or nothing for your own project".into(),
                    rule,
                })
            }
        }
    }
}

/// A store that is about to be written to.
pub struct Target {
    /// The store.
    pub store: Store,
    /// What `Origin-Brain` says of what is born there.
    pub origin: String,
    /// Its tier, as the place of its files.
    pub place: FilePlace,
    /// The project's root; the medulla has none.
    pub root: Option<PathBuf>,
}

impl Target {
    /// The word for its tier.
    pub fn tier(&self) -> &'static str {
        if self.place == FilePlace::Medulla { "medulla" } else { "project" }
    }

    /// What people call it.
    pub fn name(&self) -> String {
        if self.place == FilePlace::Medulla { "the medulla".into() } else { self.origin.clone() }
    }
}

impl Memory {
    /// Returns the store that a caller writes to: its own brain's, or the medulla's if the request names it.
    pub(crate) fn target(&self, caller: &Caller, tier: Option<WriteTier>) -> Result<Target, MemoryError> {
        match tier.unwrap_or_default() {
            WriteTier::Project => {
                let brain = self.bound(caller)?;
                self.home.check_writable()?;
                self.home.remember_root(&brain)?;
                Ok(self.target_of(brain))
            }
            WriteTier::Medulla => {
                self.home.ensure()?;
                Ok(self.medulla_target())
            }
        }
    }

    /// The same store for a verb that changes only what is there: a medulla that is not there is not made.
    pub(crate) fn target_there(
        &self,
        caller: &Caller,
        tier: Option<WriteTier>,
    ) -> Result<Target, MemoryError> {
        match tier.unwrap_or_default() {
            WriteTier::Project => self.target(caller, tier),
            WriteTier::Medulla => {
                self.home.check_writable()?;
                Ok(self.medulla_target())
            }
        }
    }

    /// The same store, only to look at: nothing is made or remembered.
    pub(crate) fn target_seen(
        &self,
        caller: &Caller,
        tier: Option<WriteTier>,
    ) -> Result<Target, MemoryError> {
        match tier.unwrap_or_default() {
            WriteTier::Project => Ok(self.target_of(self.bound(caller)?)),
            WriteTier::Medulla => Ok(self.medulla_target()),
        }
    }

    /// Returns the store of a brain, which may be another one than the caller's.
    pub(crate) fn target_of(&self, brain: Brain) -> Target {
        let (store, origin) = (self.store_of(&brain), brain.origin());
        Target { store, origin, place: FilePlace::Project, root: Some(brain.root) }
    }

    fn medulla_target(&self) -> Target {
        let store = self.home.medulla();
        Target { store, origin: MEDULLA.into(), place: FilePlace::Medulla, root: None }
    }

    /// Records that an agent changed doctrine which by etiquette leaves that to others, and returns the note about it.
    pub(crate) fn breach(
        &self,
        caller: &Caller,
        target: &Target,
        verb: ActVerb,
        upon: impl Into<Mention>,
    ) -> Result<Option<Advice>, MemoryError> {
        let Some(act) = self.breach_act(caller, target, verb, upon) else { return Ok(None) };
        target.store.acts().record(&act)?;
        Ok(Some(breach_note(&caller.principal.agent)))
    }

    /// The record of such a breach; `None` if there is none.
    pub(crate) fn breach_act(
        &self,
        caller: &Caller,
        target: &Target,
        verb: ActVerb,
        upon: impl Into<Mention>,
    ) -> Option<Act> {
        let agent = &caller.principal.agent;
        let is_breach = target.place == FilePlace::Medulla && !agent.may_write_doctrine();
        is_breach.then(|| Act::new(Deed::violation(verb, upon, "MEM-33"), agent, self.clock.now()))
    }
}

/// The note for an agent that breaks the etiquette of doctrine.
pub(crate) fn breach_note(agent: &AgentId) -> Advice {
    advice!["etiquette: doctrine is changed by orchestrators and people; {agent} is on record for it"]
}
