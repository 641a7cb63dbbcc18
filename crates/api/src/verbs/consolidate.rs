//! `consolidate`: what in the medulla wants a look.

use super::row::{Gap, counted, gaps, present_gaps};
use crate::screen::{Look, bold, dim, styled};
use crate::{AnswerGaps, Context, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_base::next::field;
use brainstem_memory::{ConsolidateAs, ConsolidateRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// See what in the medulla wants a look, and take out what is safe to take out.
///
/// Names claims that are called wrong, whose witness was taken back, changed or is gone, that say the same as
/// another, that a CLAUDE.md or AGENTS.md of your repository or home says already, that no act explains, and
/// that are old; each with its reason and what to do. Without --apply nothing is changed. With it, claims that
/// are called wrong, whose witness was taken back, or that repeat another word for word go to history, each on
/// record; the rest is for people.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Consolidate {
    /// Take out what is safe to take out.
    #[arg(long)]
    #[serde(default)]
    pub apply: bool,
}

/// What wants a look.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConsolidateAnswer {
    /// What was found, the plainest first.
    pub rows: Vec<CandidateRow>,
    /// How many were taken out.
    pub applied: usize,
    /// Whether that was asked for.
    pub apply: bool,
    /// How many claims the medulla holds now.
    pub medulla_count: usize,
    /// It should hold fewer than this.
    pub soft_cap: usize,
    /// From here on doctor calls it a problem.
    pub hard_cap: usize,
    /// What you should know besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What could not be looked at.
    pub gaps: Vec<Gap>,
}

/// One claim that wants a look.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CandidateRow {
    /// wrong_marked, witness_retracted, duplicate, witness_superseded, witness_gone, near_duplicate, restates_host, unaccounted or aged.
    pub kind: String,
    /// The name of its file, without the ending.
    pub id: String,
    /// The label.
    pub label: String,
    /// Its file.
    pub path: String,
    /// What was seen.
    pub reason: String,
    /// What --apply would do, or else what you should do.
    pub would: String,
    /// --apply does it.
    pub safe: bool,
    /// It was done.
    pub applied: bool,
    /// Its file now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<String>,
}

impl Verb for Consolidate {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        // What it takes out stays in history.
        effect: Effect::Write,
        title: "Tidy the medulla",
        when_to_use: "To see what the medulla can do without.",
        examples: &["brainstem consolidate", "brainstem consolidate --apply --as human:ana"],
        ..VerbSpec::of(VerbId::Consolidate)
    };
    type Output = ConsolidateAnswer;

    // Unless it is to change something, it only lists.
    fn only_reads(&self) -> bool {
        !self.apply
    }

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::list(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<ConsolidateAnswer, Fault> {
        let caller = if self.apply { cx.caller()? } else { cx.reader()? };
        let found = cx
            .memory
            .consolidate(&caller, &ConsolidateRequest { how: ConsolidateAs::of_flag(self.apply) })?;
        let row = |row: brainstem_memory::Candidate| CandidateRow {
            kind: row.kind.as_str().to_owned(),
            id: row.id,
            label: row.label,
            path: row.path.display().to_string(),
            reason: row.reason,
            would: cx.door.render(&row.would),
            safe: row.is_safe,
            applied: row.history.is_some(),
            history: row.history.map(|path| path.display().to_string()),
        };
        let rows: Vec<CandidateRow> = found.rows.into_iter().map(row).collect();
        Ok(ConsolidateAnswer {
            applied: rows.iter().filter(|row| row.applied).count(),
            apply: self.apply,
            rows,
            medulla_count: found.medulla_count,
            soft_cap: found.soft_cap,
            hard_cap: found.hard_cap,
            notes: cx.door.render_all(&found.notes),
            gaps: gaps(&found.gaps, cx.door),
        })
    }
}

impl Present for ConsolidateAnswer {
    fn present(&self, out: &mut Screen) {
        for row in &self.rows {
            out.flow(0, 2, [styled(Look::Warn, row.kind.as_str()), " ".into(), bold(row.label.as_str())]);
            out.flow(2, 4, [row.reason.as_str()]);
            match (&row.history, row.safe) {
                (Some(history), _) => {
                    out.line([styled(Look::Good, "  taken out"), dim(format!(", kept: {history}"))])
                }
                (None, true) => {
                    out.flow(2, 4, [dim(format!("{} would ", field("apply").set())), dim(row.would.as_str())])
                }
                (None, false) => out.flow(2, 4, [dim("for you: "), dim(row.would.as_str())]),
            }
        }
        if self.rows.is_empty() {
            out.line([styled(Look::Good, "nothing in the medulla wants a look")]);
        } else {
            out.blank();
        }
        let count =
            format!("{} in the medulla, of at most {}", counted(self.medulla_count, "claim"), self.soft_cap);
        let safe = self.rows.iter().filter(|row| row.safe && !row.applied).count();
        let next = match (self.apply, safe) {
            (false, safe) if safe > 0 => {
                format!("; {} takes out {}", field("apply").set(), counted(safe, "claim"))
            }
            (true, _) => format!("; {} taken out", counted(self.applied, "claim")),
            (false, _) => String::new(),
        };
        out.line([format!("{count}{next}")]);
        out.notes(&self.notes);
        present_gaps(&self.gaps, out);
    }
}
