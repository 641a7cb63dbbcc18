//! The store that a write goes to, and the etiquette of writing there.

use crate::error::MemoryError;
use crate::service::Memory;
use brainstem_base::{Advice, AgentId, advice};
use brainstem_caller::Caller;
use brainstem_claims::act::{Act, ActVerb, Deed, Mention};
use brainstem_claims::lifecycle::{FilePlace, MEDULLA};
use brainstem_vault::Store;
use std::path::PathBuf;

/// A store that is about to be written to.
pub(crate) struct Target {
    pub(crate) store: Store,
    /// What `Origin-Brain` says of what is born there.
    pub(crate) origin: String,
    pub(crate) place: FilePlace,
    /// The project's root; the medulla has none.
    pub(crate) root: Option<PathBuf>,
}

impl Target {
    /// The word for its tier.
    pub(crate) fn tier(&self) -> &'static str {
        if self.place == FilePlace::Medulla { "medulla" } else { "project" }
    }

    /// What people call it.
    pub(crate) fn name(&self) -> String {
        if self.place == FilePlace::Medulla { "the medulla".into() } else { self.origin.clone() }
    }
}

impl Memory {
    /// The store a caller writes to: its own brain's, or the medulla's where that is asked for.
    pub(crate) fn target(
        &self,
        caller: &Caller,
        tier: Option<&str>,
        what: &'static str,
        rule: &'static str,
    ) -> Result<Target, MemoryError> {
        match tier {
            None | Some("project") => {
                let brain = self.bound(caller)?;
                self.home.check_writable()?;
                self.home.remember_root(&brain)?;
                let store = self.store_of(&brain);
                Ok(Target {
                    store,
                    origin: brain.origin(),
                    place: FilePlace::Project,
                    root: Some(brain.root),
                })
            }
            Some("medulla") => {
                self.home.ensure()?;
                let store = self.home.medulla();
                Ok(Target { store, origin: MEDULLA.into(), place: FilePlace::Medulla, root: None })
            }
            Some(other) => Err(MemoryError::BadValue {
                field: "tier",
                value: other.chars().take(40).collect(),
                what,
                takes: "medulla, or nothing for your own project".into(),
                rule,
            }),
        }
    }

    /// Records that doctrine was changed by somebody who by etiquette leaves that to others, and says so.
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

    /// The record of such a breach; `None` where there is none.
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
