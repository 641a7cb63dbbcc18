//! `verify`: whether the evidence of claims still holds.

use super::row::{Gap, could_not_look, counted, gaps, present_gaps, present_left_out};
use crate::field_kinds;
use crate::screen::{Look, Span, bold, dim, styled};
use crate::{AnswerGaps, Context, Present, Screen, Verb, VerbSpec, within};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_memory::{Freshness, Tier, VerifyRequest, limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Check whether the evidence of claims still says what it said when they were written.
///
/// The lines, the symbol or the file that each piece names are compared with what is under your project's root,
/// and nothing outside it is looked at (of a shared copy: the project it came from). Lines that went elsewhere in
/// their file have moved. Without a label every live claim is checked, and those that most want a look come first.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Verify {
    /// Label or id; default: every claim.
    #[schemars(extend("x-takes" = field_kinds::label()))]
    pub label: Option<String>,
    /// project or medulla; default: both.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::tier(), "x-tool-note" = "Default: both."))]
    pub tier: Option<String>,
    /// At most this many rows; default 50.
    #[arg(long)]
    #[schemars(extend("x-rare" = true, "x-plain" = true, "x-range" = crate::schema::range(limits::LIST_ROWS, limits::VERIFY_ROWS_DEFAULT)))]
    pub limit: Option<i64>,
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VerifyAnswer {
    /// The claims, those that most want a look first.
    pub rows: Vec<VerifiedRow>,
    /// Claims that the limit left out.
    pub left_out: usize,
    /// How many of all have evidence that changed or is missing.
    pub broken: usize,
    /// How many of all are aged out.
    pub aged_out: usize,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// One claim and its evidence.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VerifiedRow {
    /// The name of its file, without the ending.
    pub id: String,
    /// The label.
    pub label: String,
    /// project or medulla.
    pub tier: String,
    /// What became of each piece of evidence.
    pub evidence: Vec<EvidenceVerdict>,
    /// Older than 720 hours: look again before you rely on it.
    pub aged_out: bool,
    /// How old it is, in ms.
    pub age_ms: Option<i64>,
}

/// A piece of evidence and what became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EvidenceVerdict {
    /// The path, with a line range or symbol.
    pub path: String,
    /// fresh, moved, evidence_changed, evidence_missing or unverifiable.
    pub verdict: String,
    /// Of what moved: its lines now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
}

impl Verb for Verify {
    const SPEC: VerbSpec = VerbSpec {
        title: "Check the evidence",
        when_to_use: "Before you rely on a claim whose files may have changed.",
        examples: &["brainstem verify \"retry policy\"", "brainstem verify --limit 10"],
        ..VerbSpec::of(VerbId::Verify)
    };
    type Output = VerifyAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::list(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<VerifyAnswer, Fault> {
        let request = VerifyRequest {
            label: self.label,
            tier: Tier::parse_of_project(self.tier.as_deref())?,
            limit: within("limit", self.limit, limits::VERIFY_ROWS_DEFAULT, limits::LIST_ROWS)?,
        };
        let verified = cx.memory.verify(&cx.reader()?, &request)?;
        let row = |row: brainstem_memory::VerifiedRow| VerifiedRow {
            id: row.id,
            label: row.label,
            tier: row.tier.to_owned(),
            evidence: row
                .evidence
                .into_iter()
                .map(|(path, found)| EvidenceVerdict {
                    path,
                    verdict: found.as_str().to_owned(),
                    now: match found {
                        Freshness::Moved(lines) => Some(lines.to_string()),
                        _ => None,
                    },
                })
                .collect(),
            aged_out: row.aged_out,
            age_ms: row.age_ms,
        };
        Ok(VerifyAnswer {
            rows: verified.rows.into_iter().map(row).collect(),
            left_out: verified.left_out,
            broken: verified.broken,
            aged_out: verified.aged_out,
            gaps: gaps(&verified.gaps, cx.door),
        })
    }
}

/// A verdict for people.
fn verdict_words(verdict: &str) -> &str {
    match verdict {
        "evidence_changed" => "changed",
        "evidence_missing" => "missing",
        "unverifiable" => "cannot be checked",
        verdict => verdict,
    }
}

impl Present for VerifyAnswer {
    fn present(&self, out: &mut Screen) {
        for row in &self.rows {
            let mut head: Vec<Span> = vec![bold(row.label.as_str()), dim(format!("  {}", row.tier))];
            if row.aged_out {
                head.push(styled(Look::Warn, "  aged out"));
            }
            if row.evidence.is_empty() {
                head.push(dim("  no evidence"));
            }
            out.flow(0, 2, head);
            for found in &row.evidence {
                let look = match found.verdict.as_str() {
                    "fresh" | "moved" => Look::Good,
                    "unverifiable" => Look::Dim,
                    _ => Look::Warn,
                };
                let now = found.now.as_ref().map(|now| format!(", now {now}")).unwrap_or_default();
                let words = verdict_words(&found.verdict);
                out.flow(2, 4, [styled(look, words), format!("  {}{now}", found.path).into()]);
            }
        }
        if self.rows.is_empty() && !could_not_look(&self.gaps) {
            out.line(["No claims here."]);
        }
        present_left_out(self.left_out, "claim", out);
        let all = self.rows.len() + self.left_out;
        if all > 1 {
            let sum = format!(
                "{}: {} with evidence that changed or is missing, {} aged out",
                counted(all, "claim"),
                self.broken,
                self.aged_out
            );
            out.blank();
            out.line([bold(sum)]);
        }
        present_gaps(&self.gaps, out);
    }
}
