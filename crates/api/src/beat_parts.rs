//! The parts of a beat that may be cut, and the notes about what was cut.

use crate::verbs::row::counted;
use crate::verbs::{BootRow, Conflict, Gap, OpenLetter, Reception, Row};
use brainstem_base::next::{VerbId, calls};
use brainstem_base::{Advice, advice};
use brainstem_memory::limits;
use schemars::JsonSchema;
use serde::Serialize;

/// What a beat carries that may be cut.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct BeatParts {
    /// The project's rows, then the medulla's, each most useful first.
    pub memory: Vec<Row>,
    /// Small values that ride every beat.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub boot: Vec<BootRow>,
    /// Claims about the task that did not fit; where none is about it, all that are not shown.
    pub left_out: usize,
    /// Claims of the two tiers that disagree: with a task, those that it touches.
    pub conflicts: Vec<Conflict>,
    /// The newest open letters, cut short.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub letters: Vec<OpenLetter>,
    /// What could not be looked at, or was not found.
    pub honest_gaps: Vec<Gap>,
    /// What else did not fit; next_moves says how to get it.
    #[serde(skip_serializing_if = "Cut::is_none")]
    pub cut: Cut,
    /// Where you are, when that is not plainly where you mean to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reception: Option<Reception>,
    /// What to do next.
    pub next_moves: Vec<String>,
    /// What to do next, whatever is cut.
    #[serde(skip)]
    pub moves: Vec<String>,
}

/// How many things were left out beside claims, or cut in their details.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cut {
    /// Boot keys that are not shown.
    #[serde(skip_serializing_if = "is_zero")]
    pub boot: usize,
    /// Pairs that disagree and are not shown.
    #[serde(skip_serializing_if = "is_zero")]
    pub conflicts: usize,
    /// Pairs that disagree about other things than the task.
    #[serde(skip_serializing_if = "is_zero")]
    pub conflicts_elsewhere: usize,
    /// Gaps of which only the name and a few words are shown.
    #[serde(skip_serializing_if = "is_zero")]
    pub gaps: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Cut {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl BeatParts {
    /// What was left out, and the calls that bring it.
    pub(crate) fn left_out_moves(&self, budget_tokens: usize) -> Vec<Advice> {
        let mut moves = Vec::new();
        let Cut { boot, conflicts, conflicts_elsewhere, gaps } = self.cut;
        if self.left_out > 0 {
            let more = counted(self.left_out, "more claim");
            let were = if self.left_out == 1 { "was" } else { "were" };
            moves.push(advice![VerbId::Seek, ": {more} {were} left out of this beat"]);
        }
        if boot > 0 {
            let more = counted(boot, "more boot key");
            moves.push(advice![calls::boot_list(), ": {more} left out of this beat"]);
        }
        let mut cut = Vec::new();
        if conflicts > 0 {
            cut.push(counted(conflicts, "more disagreement"));
        }
        if gaps > 0 {
            cut.push(format!("the details of {}", counted(gaps, "gap")));
        }
        if !cut.is_empty() {
            let larger = (budget_tokens * 4).min(*limits::BUDGET.end());
            moves.push(advice![calls::north_with_budget(larger as u64), ": ", cut.join(" and ")]);
        }
        if conflicts_elsewhere > 0 {
            let pairs = counted(conflicts_elsewhere, "disagreement");
            moves.push(advice![calls::north(), " without a task: {pairs} about other things"]);
        }
        moves
    }
}
