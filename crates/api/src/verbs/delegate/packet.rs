//! The packet of a delegation, as it is written.

use crate::verbs::conflict::Conflict;
use crate::verbs::row::{Gap, Row};
use crate::{Present, Screen};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a child is given.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DelegateAnswer {
    /// How the delegation is known.
    pub delegation_id: String,
    /// What is to be done, and in which brain.
    pub mission: Mission,
    /// Where, and with which claims in any case.
    pub scope: Scope,
    /// What is remembered about it.
    pub context: Carried,
    /// What the packet was composed from.
    pub sources: Sources,
    /// What the child may do.
    pub etiquette: Vec<String>,
    /// When it runs out.
    pub expiry: String,
    /// The environment to start the child with.
    pub env: BTreeMap<String, String>,
    /// All of it as a text to give to the child.
    pub prompt_markdown: String,
    /// What you should know besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What is to be done, and in which brain.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Mission {
    /// The task.
    pub task: String,
    /// The agent that gives it.
    pub by: String,
    /// The agent it is given to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The brain the child works with.
    pub binding: MissionBinding,
}

/// The brain a child works with.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MissionBinding {
    /// The project's root.
    pub root: String,
    /// The name of the brain's folder under the home.
    pub fingerprint: String,
    /// The brain: name@id.
    pub brain: String,
}

/// Where a child works, and the claims it gets in any case.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Scope {
    /// The paths.
    pub paths: Vec<String>,
    /// The claims, by name.
    pub seeds: Vec<Seed>,
}

/// A claim that was asked for by name.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Seed {
    /// The name of its file, without the ending.
    pub id: String,
    /// Its label.
    pub label: String,
    /// project or medulla.
    pub tier: String,
}

/// What is remembered about a task. The texts are in prompt_markdown.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Carried {
    /// The seeds, then the project's rows, then the medulla's, each most useful first.
    pub memory: Vec<CarriedRow>,
    /// Claims of the two tiers that disagree and that the task touches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<CarriedConflict>,
    /// How many claims the stores that could be counted hold; files that cannot be read are gaps. Null where it is not known.
    pub memory_exists: Option<usize>,
    /// Claims about the task that did not fit.
    pub left_out: usize,
    /// Pairs that disagree about the task and did not fit.
    #[serde(skip_serializing_if = "is_zero")]
    pub conflicts_left_out: usize,
    /// What could not be looked at, or was not found.
    pub honest_gaps: Vec<Gap>,
}

/// One claim that a packet carries.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CarriedRow {
    /// The name of its file, without the ending.
    pub id: String,
    /// Its label.
    pub label: String,
    /// project or medulla.
    pub tier: String,
    /// The brain it was written in.
    pub origin_brain: Option<String>,
    /// Its author.
    pub source_agent: Option<String>,
    /// How old it is, in ms.
    pub age_ms: Option<i64>,
    /// Its text was cut to fit; `show` has it whole.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// What speaks against it, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// matched, or asked for by name.
    pub why: String,
}

impl From<&Row> for CarriedRow {
    fn from(row: &Row) -> Self {
        Self {
            id: row.id.clone(),
            label: row.label.clone(),
            tier: row.tier.clone(),
            origin_brain: row.origin_brain.clone(),
            source_agent: row.source_agent.clone(),
            age_ms: row.age_ms,
            cut: row.cut,
            warnings: row.warnings.clone(),
            why: row.why.clone(),
        }
    }
}

/// Two claims that disagree, as a packet carries them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CarriedConflict {
    /// The project's label.
    pub label: String,
    /// The medulla's, where it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub medulla_label: Option<String>,
    /// Which side holds, project or medulla; null when no rule fits.
    pub wins: Option<String>,
    /// By which rule.
    pub because: String,
}

impl From<&Conflict> for CarriedConflict {
    fn from(pair: &Conflict) -> Self {
        Self {
            label: pair.label.clone(),
            medulla_label: pair.medulla_label.clone(),
            wins: pair.wins.clone(),
            because: pair.because.clone(),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// What a packet was composed from.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sources {
    /// The project.
    pub project: SourceProject,
    /// How many claims are the medulla's, as rows or as sides of what disagrees.
    pub medulla: usize,
    /// When.
    pub composed_ts: String,
}

/// The project a packet was composed from.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SourceProject {
    /// Its name.
    pub repo: String,
    /// The commit its repository has checked out; null without a repository or a commit.
    pub sha: Option<String>,
    /// The name of its brain's folder.
    pub fingerprint: String,
    /// How many claims are the project's, as rows or as sides of what disagrees.
    pub rows: usize,
}

impl Present for DelegateAnswer {
    /// What a person gives on is the text for the child.
    fn present(&self, out: &mut Screen) {
        for line in self.prompt_markdown.lines() {
            out.line([line]);
        }
    }
}
