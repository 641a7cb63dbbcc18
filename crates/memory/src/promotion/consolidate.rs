//! `consolidate`: what in the medulla wants a look, each with its reason and what would be done about it.
//!
//! Looking changes nothing. Applying takes out what is safe to take out, each as a recorded act, and
//! leaves the rest to people: everything it takes out is in history, and its witness is untouched.

mod candidate;
mod hosts;
mod plan;
mod witness;

pub use candidate::{Candidate, CandidateKind};

use crate::error::MemoryError;
use crate::gap::Gap;
use crate::limits::MEDULLA_HARD_CAP;
use crate::service::Memory;
use crate::writing::retract::retraction;
use brainstem_base::Advice;
use brainstem_caller::Caller;
use brainstem_claims::act::{Act, ActVerb, Deed, VersionRef};
use brainstem_claims::{Claim, ClaimSlug};
use brainstem_vault::Store;
use brainstem_vault::home::MEDULLA_SOFT_CAP;
use brainstem_vault::scan::StoredClaim;
use brainstem_vault::store::Retracted;
use std::path::PathBuf;

/// How to consolidate.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConsolidateRequest {
    /// Whether the medulla changes.
    pub how: ConsolidateAs,
}

/// What a consolidation does with what it finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConsolidateAs {
    /// Lists it, and changes nothing.
    #[default]
    Report,
    /// Takes out what is safe to take out.
    Apply,
}

impl ConsolidateAs {
    /// Returns what the flag `apply` means.
    pub fn of_flag(apply: bool) -> Self {
        if apply { Self::Apply } else { Self::Report }
    }
}

/// What wants a look.
#[derive(Clone, Debug)]
pub struct Consolidated {
    /// What was found, the plainest first.
    pub rows: Vec<Candidate>,
    /// How many claims the medulla holds now.
    pub medulla_count: usize,
    /// The count it should stay below.
    pub soft_cap: usize,
    /// The count at which doctor calls it a problem.
    pub hard_cap: usize,
    /// What the caller should know besides.
    pub notes: Vec<Advice>,
    /// What could not be looked at.
    pub gaps: Vec<Gap>,
}

impl Memory {
    /// Looks over the medulla; applied, it takes out what is safe to take out.
    pub fn consolidate(
        &self,
        caller: &Caller,
        request: &ConsolidateRequest,
    ) -> Result<Consolidated, MemoryError> {
        // Claims that are gone are no empty medulla.
        self.home.check_medulla()?;
        let medulla = self.home.medulla();
        if request.how == ConsolidateAs::Apply {
            self.home.check_writable()?;
            self.check_write_quota(&caller.principal.agent)?;
        }
        let mut gaps = Vec::new();
        let mut rows = self.candidates(caller, &medulla, &mut gaps)?;
        let mut notes = Vec::new();
        if request.how == ConsolidateAs::Apply {
            self.apply(caller, &medulla, &mut rows, &mut notes)?;
        }
        let medulla_count = medulla.count()?;
        if medulla_count >= MEDULLA_SOFT_CAP {
            notes.push(format!(
                "the medulla holds {medulla_count} claims; it is an index and not a warehouse, and should hold fewer than {MEDULLA_SOFT_CAP}"
            ).into());
        }
        Ok(Consolidated {
            rows,
            medulla_count,
            soft_cap: MEDULLA_SOFT_CAP,
            hard_cap: MEDULLA_HARD_CAP,
            notes,
            gaps,
        })
    }

    /// The copies among these claims of the medulla whose project took the original back, as far as its log is here.
    pub(crate) fn copies_taken_back(&self, claims: &[StoredClaim]) -> Vec<Candidate> {
        let (mut rows, mut gaps) = (Vec::new(), Vec::new());
        let decided: Vec<StoredClaim> =
            claims.iter().filter(|stored| stored.side.is_none()).cloned().collect();
        // Without a list of the brains nothing is known of any of them, which is a finding of its own.
        let _ = self.witnesses(&decided, &mut rows, &mut gaps);
        rows.retain(|row: &Candidate| row.kind == CandidateKind::WitnessRetracted);
        rows
    }

    fn apply(
        &self,
        caller: &Caller,
        medulla: &Store,
        rows: &mut Vec<Candidate>,
        notes: &mut Vec<Advice>,
    ) -> Result<(), MemoryError> {
        let agent = &caller.principal.agent;
        let mut gone: Vec<String> = Vec::new();
        for row in rows.iter_mut().filter(|row| row.is_safe) {
            // What was to stay may have gone for another reason.
            let stays = row.stays.as_ref().is_none_or(|stays| !gone.contains(stays));
            if gone.contains(&row.id) || !stays {
                continue;
            }
            // One maker's word takes nothing from every project, with this verb as with `learn`.
            if row.kind == CandidateKind::WrongMarked && row.accusers < 2 && !agent.may_write_doctrine() {
                notes.push(format!(
                    "{:?} is left as it is: one agent calls it wrong, and {agent} is no orchestrator and no person",
                    row.label
                ).into());
                continue;
            }
            let Some(slug) = ClaimSlug::parse(&row.id) else { continue };
            row.history = self.take_out(medulla, caller, &slug, row)?;
            if row.history.is_some() {
                gone.push(row.id.clone());
            } else {
                notes.push(
                    format!("{:?} was changed by someone else meanwhile, and is left as it is", row.label)
                        .into(),
                );
            }
        }
        // What else was the matter with what is gone matters no more, and what repeated it repeats nothing now.
        let is_gone = |id: &String| gone.contains(id);
        rows.retain(|row| {
            row.history.is_some() || !is_gone(&row.id) && !row.stays.as_ref().is_some_and(is_gone)
        });
        if !gone.is_empty() && !agent.may_write_doctrine() {
            notes.push(format!(
                "etiquette: the medulla is cleared by orchestrators and people; {agent} is on record for it"
            ).into());
        }
        Ok(())
    }

    /// Takes out exactly the version that was looked at.
    fn take_out(
        &self,
        medulla: &Store,
        caller: &Caller,
        slug: &ClaimSlug,
        row: &Candidate,
    ) -> Result<Option<PathBuf>, MemoryError> {
        let (agent, now) = (&caller.principal.agent, self.clock.now());
        let acts = |claim: &Claim| {
            let version = VersionRef::of(slug, claim);
            let breach = (!agent.may_write_doctrine()).then(|| {
                let deed = Deed::violation(ActVerb::Consolidate, version.clone(), "MEM-33");
                Act::new(deed, agent, now)
            });
            let deed = Deed::Retract {
                upon: version.clone().into(),
                reason: Some(row.reason.clone()),
                by: Some(ActVerb::Consolidate),
                kind: Some(row.kind.as_str().to_owned()),
                successor: None,
                covers: None,
            };
            breach.into_iter().chain([retraction(medulla, (slug, claim), agent, now, deed)]).collect()
        };
        match medulla.retract_if(slug, |claim| claim.file == row.claim.file, acts)? {
            Retracted::Done { history, .. } => Ok(Some(history)),
            Retracted::Absent => Ok(None),
        }
    }
}
