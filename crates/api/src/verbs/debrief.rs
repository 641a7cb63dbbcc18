//! `debrief`: what came of a delegation.

use super::row::counted;
use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Effect, LongText, Present, Screen, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_memory::DebriefRequest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Record how a delegation ended, and remember what its child found.
///
/// Each finding becomes a claim of the project under the child's id, in the group of the delegation;
/// nothing goes to the medulla. A report starts with `[brainstem dlg_…]`, perhaps with the outcome behind
/// it, then DEVIATIONS, then FINDINGS, each a list, then TOUCHED with paths if there are any. A delegation ends once: repeating the same debrief
/// completes one that was cut off and changes nothing otherwise, and another report is refused.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
#[schemars(extend("x-together" = together()))]
pub struct Debrief {
    /// dlg_…; a report says it too.
    #[arg(value_name = "ID")]
    #[schemars(extend("x-takes" = field_kinds::pattern("^dlg_[0-9a-f]{20}$")))]
    pub delegation_id: Option<String>,
    /// success, failure or partial; a report may say it.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::one_of(&["success", "failure", "partial"]), "x-tool-note" = "A report may say it."))]
    pub outcome: Option<String>,
    /// What was found.
    #[arg(long = "finding", value_name = "TEXT")]
    #[serde(default)]
    #[schemars(extend("x-takes" = field_kinds::list_of(200, field_kinds::text())))]
    pub findings: Vec<String>,
    /// What was done otherwise than asked.
    #[arg(long = "deviation", value_name = "TEXT")]
    #[serde(default)]
    #[schemars(extend("x-takes" = field_kinds::list_of(50, field_kinds::text())))]
    pub deviations: Vec<String>,
    /// Files changed.
    #[arg(long = "touched-path", value_name = "PATH")]
    #[serde(default)]
    #[schemars(extend("x-rare" = true, "x-plain" = true, "x-takes" = field_kinds::list(200)))]
    pub touched_paths: Vec<String>,
    /// The child's report: [brainstem dlg_…], DEVIATIONS, FINDINGS.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::text()))]
    pub report: Option<String>,
    /// The agent that did it; default: the one it was for, or you.
    #[arg(long, value_name = "AGENT")]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::agent()))]
    pub child: Option<String>,
}

/// The fields of a report, or a report whose text has them.
fn together() -> Value {
    json!({ "anyOf": [
        { "required": ["delegation_id", "outcome"], "properties": { "report": false } },
        { "required": ["report"], "properties": { "delegation_id": false, "outcome": false } },
    ] })
}

/// What a debrief did.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DebriefAnswer {
    /// The delegation.
    pub delegation_id: String,
    /// success, failure or partial.
    pub outcome: String,
    /// Whose findings they are.
    pub child: Option<String>,
    /// The claims, one for each finding.
    pub memorized: Vec<Memorized>,
    /// It was done before; nothing changed.
    pub unchanged: bool,
    /// What you should know besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A finding that is remembered.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Memorized {
    /// Its label.
    pub label: String,
    /// Its slug.
    pub slug: String,
    /// It was remembered before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unchanged: bool,
}

impl Verb for Debrief {
    const SPEC: VerbSpec = VerbSpec {
        effect: Effect::Write,
        title: "Close a delegation",
        when_to_use: "When a child has reported.",
        long_text: &[LongText { field: "report", file: "report" }],
        examples: &[
            "brainstem debrief --report report.md",
            "brainstem debrief dlg_0123456789abcdef0123 --outcome partial --finding \"the retry loop has no bound\"",
        ],
        ..VerbSpec::of(VerbId::Debrief)
    };
    type Output = DebriefAnswer;

    fn run(self, cx: &Context) -> Result<DebriefAnswer, Fault> {
        let request = DebriefRequest {
            delegation_id: self.delegation_id,
            outcome: None,
            findings: self.findings,
            deviations: self.deviations,
            touched_paths: self.touched_paths,
            report: self.report,
            child: self.child,
        };
        let caller = cx.caller()?;
        let request = request.with_outcome(&cx.memory.floor(), self.outcome.as_deref())?;
        let done = cx.memory.debrief(&caller, &request)?;
        let debrief = done.delegation.debrief;
        Ok(DebriefAnswer {
            delegation_id: done.delegation.id.to_string(),
            outcome: debrief.as_ref().map(|d| d.outcome.as_str().to_owned()).unwrap_or_default(),
            child: debrief.and_then(|debrief| debrief.child),
            memorized: done
                .memorized
                .into_iter()
                .map(|finding| Memorized {
                    label: finding.label,
                    slug: finding.slug.to_string(),
                    unchanged: finding.unchanged,
                })
                .collect(),
            unchanged: done.unchanged,
            notes: cx.door.render_all(&done.notes),
        })
    }
}

impl Present for DebriefAnswer {
    fn present(&self, out: &mut Screen) {
        let word = if self.unchanged { "already debriefed" } else { "debriefed" };
        let child = self.child.as_ref().map(|child| format!(" by {child}")).unwrap_or_default();
        let found = dim(format!("  {}{child}", counted(self.memorized.len(), "finding")));
        let head = [
            styled(Look::Good, word),
            " ".into(),
            bold(self.delegation_id.as_str()),
            format!(": {}", self.outcome).into(),
            found,
        ];
        out.flow(0, 2, head);
        for finding in &self.memorized {
            out.bullet(finding.label.as_str());
        }
        out.notes(&self.notes);
    }
}
