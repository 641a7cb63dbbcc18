//! The answer of `show`.

use super::renamed_away::RenamedAway;
use crate::gap::Gap;
use crate::promotion::sharing::Sharing;
use crate::reading::row::Row;
use brainstem_base::Timestamp;
use brainstem_claims::act::Act;
use brainstem_claims::folds::proposals::Proposal;
use brainstem_claims::folds::timeline::TimelineStep;
use brainstem_claims::trust::Voice;
use brainstem_claims::{ClaimSlug, Lifecycle, State};
use std::path::PathBuf;

/// One claim and its past.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The live claim; `None` when only its history is left, or several versions wait for a decision.
    pub claim: Option<Row>,
    /// The versions that wait for a decision, those in the checkout.
    pub sides: Vec<Row>,
    /// Its slug.
    pub slug: ClaimSlug,
    /// `project` or `medulla`.
    pub tier: &'static str,
    /// What was said of the live claim, oldest first.
    pub verdicts: Vec<Voice>,
    /// On a witness: what became of its copy in the medulla.
    pub sharing: Option<Sharing>,
    /// The proposals to promote this version, oldest first.
    pub proposals: Vec<Proposal>,
    /// What was done to it, in its project and in the medulla, oldest first.
    pub life: Vec<TimelineStep>,
    /// The delegation it was found in.
    pub found_in: Option<FoundIn>,
    /// The versions before, youngest first.
    pub history: Vec<ShownVersion>,
    /// Whether the other tier has a live claim of this label too.
    pub also_in: Option<&'static str>,
    /// Earlier claims of this label, which have another since.
    pub(super) renamed_away: Vec<RenamedAway>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

impl Shown {
    /// Whether a file has its live name.
    pub(super) fn is_live(&self) -> bool {
        self.claim.is_some() || !self.sides.is_empty()
    }
}

/// One version that is no longer live.
#[derive(Clone, Debug)]
pub struct ShownVersion {
    /// Its label, as it was then.
    pub label: String,
    /// When it was born.
    pub created: Option<Timestamp>,
    /// Its author.
    pub source_agent: Option<String>,
    /// Its state, as history keeps it.
    pub state: Option<State>,
    /// Its title.
    pub title: Option<String>,
    /// Its text.
    pub text: String,
    /// Superseded, retracted, moved or missing.
    pub lifecycle: Lifecycle,
    /// For a retraction or a move: its agent, its time and its reason, from the acts.
    pub retracted: Option<Act>,
    /// What was said of it, oldest first.
    pub verdicts: Vec<Voice>,
    /// The agent that imported it, and the day; `None` if it was not imported.
    pub brought: Option<String>,
    /// Only its file says that the person it names wrote it: this home has no record of it.
    pub is_unrecorded: bool,
    /// It was written here and is not in this checkout, and the version there was not written over it.
    pub missing: bool,
    /// Its file.
    pub path: PathBuf,
}

/// The delegation that a finding came of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundIn {
    /// Its id.
    pub id: String,
    /// The agent that gave it.
    pub by: Option<String>,
    /// The task, if this home still has it.
    pub task: Option<String>,
    /// How it ended.
    pub outcome: Option<&'static str>,
}

impl FoundIn {
    /// For people.
    pub fn sentence(&self) -> String {
        let by = self.by.as_ref().map(|by| format!(", given by {by}")).unwrap_or_default();
        let task = self.task.as_ref().map(|task| format!(": {task}")).unwrap_or_default();
        format!("found in {}{by}{task}", self.id)
    }
}
