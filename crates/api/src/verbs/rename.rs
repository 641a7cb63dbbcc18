//! `rename`: another label for a claim.

use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_memory::{RenameRequest, TierUse, WriteTier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Give a claim another label; its history follows.
///
/// What it says, its date and its author stay, and the agent that renamed it is recorded. Refused when the new
/// label's file name is taken, also by a claim of which only history is left.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Rename {
    /// The claim's label, or the id of a row.
    #[schemars(extend("x-takes" = field_kinds::label()))]
    pub label: String,
    /// The new label.
    #[schemars(extend("x-takes" = field_kinds::label()))]
    pub to: String,
    /// medulla for doctrine; default: your project.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::tier()))]
    pub tier: Option<String>,
}

/// The claim under its new label.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RenameAnswer {
    /// Its slug now.
    pub slug: String,
    /// Its label now.
    pub label: String,
    /// What you called it before.
    pub from: String,
    /// project or medulla.
    pub tier: String,
    /// Its file.
    pub path: String,
    /// How many versions of its history have its new name.
    pub versions: usize,
    /// It was called so before; nothing changed.
    pub unchanged: bool,
    /// What you should know besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Verb for Rename {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        effect: Effect::Write,
        title: "Rename a claim",
        when_to_use: "When a claim is right and its label is not.",
        examples: &["brainstem rename \"retry policy\" \"HTTP retries\""],
        ..VerbSpec::of(VerbId::Rename)
    };
    type Output = RenameAnswer;

    fn run(self, cx: &Context) -> Result<RenameAnswer, Fault> {
        let tier = WriteTier::parse(TierUse::Rename, self.tier.as_deref())?;
        let from = self.label.clone();
        let request = RenameRequest { label: self.label, to: self.to, tier };
        let caller = cx.caller()?;
        let mut done = cx.memory.rename(&caller, &request)?;
        done.notes.extend(caller.principal.notes());
        Ok(RenameAnswer {
            slug: done.slug.to_string(),
            label: done.label,
            from,
            tier: done.tier.to_owned(),
            path: done.path.display().to_string(),
            versions: done.versions,
            unchanged: done.unchanged,
            notes: cx.door.render_all(&done.notes),
        })
    }
}

impl Present for RenameAnswer {
    fn present(&self, out: &mut Screen) {
        let what = if self.unchanged { "unchanged" } else { "renamed" };
        let mut head = vec![styled(Look::Good, what), " ".into(), bold(self.label.as_str())];
        if !self.unchanged {
            head.push(dim(format!("  was {}", self.from)));
        }
        out.flow(0, 2, head);
        out.line([dim(format!("  {}", self.path))]);
        out.notes(&self.notes);
    }
}
