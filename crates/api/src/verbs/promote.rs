//! `promote`: shares a claim with every project.

use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Effect, Present, Screen, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_memory::{PromoteAs, PromoteRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Share a claim of your project with every project, or propose it.
///
/// A copy goes into the medulla, with where it was learned, its author, the agent that promoted it and why; your project's
/// own claim stays as the witness, stamped with its copy. Evidence is anchored to this project's folder, and
/// what it says is not changed: it should read without its repository, and the answer names what may not. By
/// etiquette orchestrators and people promote, and every other agent proposes; one that promotes is let through,
/// and on record. Repeating a promotion changes nothing; `learn LABEL wrong --tier medulla` undoes it. A proposal
/// waits until it is promoted, declined or taken back.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
#[schemars(extend("x-together" = together()))]
pub struct Promote {
    /// Label, or a row's id.
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::label()))]
    pub label: String,
    /// Why.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::reason()))]
    pub reason: String,
    /// Its project's folder; default: yours.
    #[arg(long, value_name = "ROOT")]
    #[schemars(extend("x-rare" = true))]
    pub brain: Option<String>,
    /// observed-in:ROOT (another project), doctrine or telemetry.
    #[arg(long, value_name = "GROUND")]
    #[schemars(extend("x-takes" = field_kinds::pattern("^(doctrine|telemetry|observed-in:/[^\\u0000]*)$")))]
    pub because: Option<String>,
    /// Leave it for others to decide.
    #[arg(long)]
    #[serde(default)]
    pub propose: bool,
    /// Decide against what was proposed.
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-plain" = true))]
    pub decline: bool,
    /// Take back your own proposal.
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub withdraw: bool,
}

/// At most one of `propose`, `decline` and `withdraw`.
fn together() -> Value {
    let both = |one: &str, other: &str| json!({ "required": [one, other], "properties": { one: { "const": true }, other: { "const": true } } });
    json!({ "not": { "anyOf": [
        both("propose", "decline"), both("propose", "withdraw"), both("decline", "withdraw"),
    ] } })
}

/// What a promotion, or a proposal, did.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PromoteAnswer {
    /// The claim's slug.
    pub slug: String,
    /// Its label.
    pub label: String,
    /// It was proposed, and is in your project alone.
    pub proposed: bool,
    /// declined or withdrawn, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<String>,
    /// The copy in the medulla; null for a proposal.
    pub medulla_path: Option<String>,
    /// Your project's own.
    pub witness_path: String,
    /// How many claims the medulla holds; null when they cannot be counted.
    pub medulla_count: Option<usize>,
    /// It is an index, not a warehouse: from here on it should shrink.
    pub soft_cap: usize,
    /// Where it was learned, its author, the agent that promoted or proposed it, and why.
    pub chain: String,
    /// It was so before.
    pub unchanged: bool,
    /// The medulla's version before, in history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<String>,
    /// What you should know besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Verb for Promote {
    const SPEC: VerbSpec = VerbSpec {
        effect: Effect::Write,
        title: "Share a claim with every project",
        when_to_use: "For a finding that holds in other projects too. Makers propose.",
        examples: &[
            "brainstem promote \"retry policy\" --reason \"holds in plum too\" --because observed-in:../plum",
            "brainstem promote \"retry policy\" --reason \"every client needs it\" --propose",
            "brainstem promote \"retry policy\" --reason \"only our client needs it\" --decline",
        ],
        ..VerbSpec::of(VerbId::Promote)
    };
    type Output = PromoteAnswer;

    fn run(self, cx: &Context) -> Result<PromoteAnswer, Fault> {
        let request = PromoteRequest {
            label: self.label,
            reason: self.reason,
            brain: self.brain.map(|brain| cx.project("brain", &brain)).transpose()?,
            because: self.because.map(|ground| grounded(cx, ground)).transpose()?,
            how: PromoteAs::of_flags(self.propose, self.decline, self.withdraw)?,
        };
        let caller = cx.caller()?;
        let mut done = cx.memory.promote(&caller, &request)?;
        done.notes.extend(caller.principal.notes());
        Ok(PromoteAnswer {
            slug: done.slug.to_string(),
            label: done.label,
            proposed: done.proposed && done.settled.is_none(),
            settled: done.settled.map(|settled| settled.as_str().to_owned()),
            medulla_path: done.medulla_path.map(|path| path.display().to_string()),
            witness_path: done.witness_path.display().to_string(),
            medulla_count: done.medulla_count,
            soft_cap: done.soft_cap,
            chain: done.chain,
            unchanged: done.unchanged,
            history: done.history.map(|path| path.display().to_string()),
            notes: cx.door.render_all(&done.notes),
        })
    }
}

/// A ground whose folder is the caller's.
fn grounded(cx: &Context, ground: String) -> Result<String, Fault> {
    match ground.trim().strip_prefix("observed-in:").map(str::trim).filter(|place| !place.is_empty()) {
        Some(place) => Ok(format!("observed-in:{}", cx.project("because", place)?.display())),
        None => Ok(ground),
    }
}

impl Present for PromoteAnswer {
    fn present(&self, out: &mut Screen) {
        let what = match (self.settled.as_deref(), self.proposed) {
            (Some(settled), _) => settled,
            (None, true) => "proposed",
            (None, false) => "promoted",
        };
        let what = if self.unchanged { format!("already {what}") } else { what.to_owned() };
        let count = self
            .medulla_count
            .map(|count| dim(format!("  the medulla holds {count} of at most {}", self.soft_cap)));
        let head = [styled(Look::Good, what), " ".into(), bold(self.label.as_str())];
        out.flow(0, 2, head.into_iter().chain(count.filter(|_| self.medulla_path.is_some())));
        out.flow(2, 4, [self.chain.as_str()]);
        if let Some(path) = &self.medulla_path {
            out.line([dim(format!("  {path}"))]);
            out.line([dim(format!("  witness: {}", self.witness_path))]);
        }
        if let Some(history) = &self.history {
            out.line([dim(format!("  before: {history}"))]);
        }
        out.notes(&self.notes);
    }
}
