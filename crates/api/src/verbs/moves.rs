//! Claims that move between the home and a repository, on the wire and on a terminal.

use crate::Screen;
use crate::screen::{Look, bold, dim, styled};
use brainstem_vault::relocate::{RelocationOutcome, RelocationStep};
use schemars::JsonSchema;
use serde::Serialize;

/// What happens to one claim that moves.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Moved {
    /// The name of its file, without the ending.
    pub id: String,
    /// Its label.
    pub label: String,
    /// moved, superseded, supersedes, undecided or left.
    pub outcome: String,
    /// What that means.
    pub detail: String,
}

pub(crate) fn moves(moves: Vec<RelocationStep>) -> Vec<Moved> {
    moves
        .into_iter()
        .map(|moving| Moved {
            id: moving.id,
            label: moving.label,
            outcome: moving.outcome.as_str().to_owned(),
            detail: detail(moving.outcome).to_owned(),
        })
        .collect()
}

fn detail(outcome: RelocationOutcome) -> &'static str {
    match outcome {
        RelocationOutcome::Moved => "goes over as it is",
        RelocationOutcome::Superseded => {
            "the version there follows it or says the same; this one goes to history"
        }
        RelocationOutcome::Supersedes => "follows the version there, which goes to history",
        RelocationOutcome::Undecided => "differs from the version there: both are kept until resolve decides",
        RelocationOutcome::Left => {
            "is no readable claim, or too much for one file beside the version there, and stays where it is"
        }
    }
}

pub(crate) fn present_moves(moves: &[Moved], dry_run: bool, out: &mut Screen) {
    let plain = moves.iter().filter(|moved| moved.outcome == "moved").count();
    if plain > 0 {
        let claims = super::row::counted(plain, "claim");
        let verb = if dry_run { "would move" } else { "moved" };
        out.line([dim(format!("  {claims} {verb}"))]);
    }
    for moved in moves.iter().filter(|moved| moved.outcome != "moved") {
        out.flow(2, 4, [bold(moved.label.as_str()), "  ".into(), styled(Look::Warn, moved.detail.as_str())]);
    }
}
