//! `retract`: takes a claim back.

use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Effect, Present, Screen, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_memory::{RetractRequest, TierUse, WriteTier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Take a claim back, with a reason.
///
/// It goes to history, agent and reason are recorded, and a weaker truth may then be written under the
/// same label. Nothing is deleted.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Retract {
    /// Label, or a row's id.
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::label()))]
    pub label: String,
    /// Why it does not hold.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::reason()))]
    pub reason: String,
    /// medulla for doctrine; default: project.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::tier(), "x-tool-note" = "Default: project."))]
    pub tier: Option<String>,
}

/// What was taken back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RetractAnswer {
    /// The claim's slug.
    pub slug: String,
    /// Its label.
    pub label: String,
    /// project or medulla.
    pub tier: String,
    /// Its file now.
    pub history: String,
    /// What you should know besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Verb for Retract {
    const SPEC: VerbSpec = VerbSpec {
        effect: Effect::Destructive,
        idempotent: false,
        title: "Take a claim back",
        when_to_use: "When a live claim is wrong and the truth is weaker than it; then memorize the truth.",
        examples: &["brainstem retract \"retry policy\" --reason \"the retry loop was removed\""],
        ..VerbSpec::of(VerbId::Retract)
    };
    type Output = RetractAnswer;

    fn run(self, cx: &Context) -> Result<RetractAnswer, Fault> {
        let tier = WriteTier::parse(TierUse::Retract, self.tier.as_deref())?;
        let request = RetractRequest { label: self.label, reason: self.reason, tier };
        let caller = cx.caller()?;
        let mut done = cx.memory.retract(&caller, &request)?;
        done.notes.extend(caller.principal.notes());
        Ok(RetractAnswer {
            slug: done.slug.to_string(),
            label: done.label,
            tier: done.tier.to_owned(),
            history: done.history.display().to_string(),
            notes: cx.door.render_all(&done.notes),
        })
    }
}

impl Present for RetractAnswer {
    fn present(&self, out: &mut Screen) {
        out.flow(0, 2, [styled(Look::Good, "retracted"), " ".into(), bold(self.label.as_str())]);
        out.line([dim(format!("  kept: {}", self.history))]);
        out.notes(&self.notes);
    }
}
