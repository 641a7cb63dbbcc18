//! `audit delegations`: every delegation of a brain with its outcome. What is on record is counts; the task is
//! this home's own.

use crate::screen::{Look, Span, bold, dim, styled, when};
use crate::verbs::row::{Gap, counted, gaps, present_gaps};
use crate::{Context, Present, Screen};
use brainstem_base::Fault;
use brainstem_memory::{Delegation, DelegationState, RowCounts};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Every delegation of a brain.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DelegationsAnswer {
    /// The brain: name@id.
    pub brain: String,
    /// How many there are of each state: open, expired, unfinished, success, failure, partial.
    pub counts: BTreeMap<String, usize>,
    /// The youngest first.
    pub delegations: Vec<DelegationRow>,
    /// Older ones that the limit left out; they are counted.
    pub left_out: usize,
    /// Why there may be more than these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
}

/// One delegation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DelegationRow {
    /// Its id.
    pub delegation_id: String,
    /// The agent that gave it.
    pub by: String,
    /// The agent it was given to, where one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The agent it was debriefed for, or else the one it was given to.
    pub child: Option<String>,
    /// What was to be done: its first line, where this home still knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// open, expired, unfinished (a debrief was cut off) or closed.
    pub standing: String,
    /// success, failure or partial; null while it is not debriefed.
    pub outcome: Option<String>,
    /// The rows its packet carried of the project.
    pub project_rows: usize,
    /// The rows its packet carried of the medulla.
    pub medulla_rows: usize,
    /// How many findings came of it.
    pub findings: usize,
    /// How many deviations.
    pub deviations: usize,
    /// How many paths were touched.
    pub touched_paths: usize,
    /// When it was given.
    pub delegated_at: Option<String>,
    /// When it runs out, or ran out.
    pub expires_at: String,
    /// When it was debriefed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debriefed_at: Option<String>,
    /// Only the repository's log says so: it was not recorded here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unrecorded: bool,
}

pub(super) fn run(cx: &Context, limit: usize) -> Result<DelegationsAnswer, Fault> {
    let found = cx.memory.delegations(&cx.reader()?)?;
    let mut delegations: Vec<DelegationRow> =
        found.delegations.into_iter().map(DelegationRow::from).collect();
    let mut counts = BTreeMap::new();
    for row in &delegations {
        *counts.entry(row.word().to_owned()).or_insert(0) += 1;
    }
    let left_out = delegations.len().saturating_sub(limit);
    delegations.truncate(limit);
    Ok(DelegationsAnswer {
        brain: found.brain,
        counts,
        delegations,
        left_out,
        gaps: gaps(&found.gaps, cx.door),
    })
}

impl From<Delegation> for DelegationRow {
    fn from(found: Delegation) -> Self {
        let RowCounts { project, medulla } = found.rows;
        let debrief = found.debrief.as_ref();
        Self {
            delegation_id: found.id.to_string(),
            by: found.by.clone(),
            to: found.to.clone(),
            child: debrief.and_then(|debrief| debrief.child.clone()).or(found.to.clone()),
            task: found.task.clone(),
            standing: found.standing.as_str().to_owned(),
            outcome: debrief.map(|debrief| debrief.outcome.as_str().to_owned()),
            project_rows: project,
            medulla_rows: medulla,
            findings: debrief.map_or(0, |debrief| debrief.findings),
            deviations: debrief.map_or(0, |debrief| debrief.deviations),
            touched_paths: debrief.map_or(0, |debrief| debrief.touched_paths),
            delegated_at: found.at.map(|at| at.to_rfc3339()),
            expires_at: found.expires_at.to_rfc3339(),
            debriefed_at: debrief.map(|debrief| debrief.at.to_rfc3339()),
            unrecorded: found.is_foreign,
        }
    }
}

impl DelegationRow {
    /// Returns the agent that it was given to, and the agent that debriefed it if that is another.
    fn recipient(&self) -> String {
        let to = self.to.as_ref().map(|to| format!(" to {to}"));
        match self.child.as_ref().filter(|child| self.to.as_ref() != Some(*child)) {
            Some(child) => {
                format!("{}, debriefed for {child}", to.as_deref().unwrap_or(", no recipient named"))
            }
            None => to.unwrap_or_default(),
        }
    }

    /// Returns its state in one word.
    fn word(&self) -> &str {
        match &self.outcome {
            Some(outcome) if self.standing == DelegationState::Closed.as_str() => outcome,
            Some(_) | None => &self.standing,
        }
    }
}

impl Present for DelegationsAnswer {
    fn present(&self, out: &mut Screen) {
        present_gaps(&self.gaps, out);
        if self.delegations.is_empty() {
            let none = match self.gaps.is_empty() {
                true => format!("No delegations are on record in {}.", self.brain),
                false => format!("No delegations of {} can be read here.", self.brain),
            };
            out.line([none]);
            return;
        }
        let counts: Vec<String> = self.counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
        out.flow(0, 2, [bold(self.brain.as_str()), dim(format!("  {}", counts.join(", ")))]);
        for row in &self.delegations {
            let look = match row.word() {
                "success" => Look::Good,
                "failure" => Look::Bad,
                "open" => Look::Plain,
                _ => Look::Warn,
            };
            let head: [Span; 4] = [
                bold(row.delegation_id.as_str()),
                "  ".into(),
                styled(look, row.word()),
                dim(format!("  by {}{}", row.by, row.recipient())),
            ];
            out.flow(0, 2, head);
            if row.unrecorded {
                out.flow(2, 4, [styled(Look::Warn, "only the repository's log says so")]);
            }
            if let Some(task) = &row.task {
                out.flow(2, 4, [task.as_str()]);
            }
            let given_at = row.delegated_at.as_deref().map_or_else(|| "at an unknown time".to_owned(), when);
            let until = match (row.word(), &row.debriefed_at) {
                ("open", _) => format!(", runs out {}", when(&row.expires_at)),
                ("expired", _) => format!(", ran out {}", when(&row.expires_at)),
                (_, Some(done)) => format!(", debriefed {}", when(done)),
                (_, None) => String::new(),
            };
            out.flow(2, 4, [dim(format!("given {given_at}{until}"))]);
            let came = match row.outcome {
                Some(_) => format!(
                    "; {}, {}, {} touched",
                    counted(row.findings, "finding"),
                    counted(row.deviations, "deviation"),
                    counted(row.touched_paths, "path")
                ),
                None => String::new(),
            };
            let given = format!(
                "carried {} of the project, {} of the medulla{came}",
                counted(row.project_rows, "row"),
                row.medulla_rows
            );
            out.flow(2, 4, [dim(given)]);
        }
        if self.left_out > 0 {
            out.line([dim(format!("{} older ones are counted above", self.left_out))]);
        }
    }
}
