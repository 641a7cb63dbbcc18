//! `forget`: true deletion.

use super::row::counted;
use crate::field_kinds;
use crate::screen::{Look, dim, styled};
use crate::{Context, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_memory::{Confirmation, ForgetRequest, TierUse, WriteTier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Delete a claim for good: live, history, and what the record says about it.
///
/// Nothing brings it back. A tombstone stays, with the agent, the time and the sha256 of what is gone; the label
/// stays as a hash of its slug. Of a file that held a secret no hash is kept. Files of the store that hold it under another name go too. Git, backups, exports and other machines keep the copies they have.
/// To take a claim back and keep it in history, use retract.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Forget {
    /// The claim's label, or the id of a row.
    #[schemars(extend("x-takes" = field_kinds::label()))]
    pub label: String,
    /// medulla for doctrine; default: your project.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::tier()))]
    pub tier: Option<String>,
    /// You mean it; without this, the answer names what would go, and nothing goes.
    #[arg(long = "yes")]
    #[serde(default)]
    pub confirm: bool,
}

/// What is gone.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ForgetAnswer {
    /// How the record names it from now on.
    pub tombstone: String,
    /// project or medulla.
    pub tier: String,
    /// It was live.
    pub live: bool,
    /// How many versions of its history are gone.
    pub versions: usize,
    /// How many recorded acts lost what they said about it.
    pub acts: usize,
    /// The sha256 of each file that is gone, aside from those that held a secret.
    pub sha256: Vec<String>,
    /// What you should know besides.
    pub notes: Vec<String>,
}

impl Verb for Forget {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        effect: Effect::Destructive,
        idempotent: false,
        title: "Delete a claim for good",
        when_to_use: "Only when a person asks that a text must not exist any more, such as a secret; a wrong claim is retracted.",
        examples: &["brainstem forget \"old password\"", "brainstem forget \"old password\" --yes"],
        ..VerbSpec::of(VerbId::Forget)
    };
    type Output = ForgetAnswer;

    fn run(self, cx: &Context) -> Result<ForgetAnswer, Fault> {
        let tier = WriteTier::parse(TierUse::Forget, self.tier.as_deref())?;
        let confirmation = Confirmation::of_flag(self.confirm);
        let request = ForgetRequest { label: self.label, tier, confirmation };
        let caller = cx.caller()?;
        let mut done = cx.memory.forget(&caller, &request)?;
        done.notes.extend(caller.principal.notes());
        Ok(ForgetAnswer {
            tombstone: done.tombstone,
            tier: done.tier.to_owned(),
            live: done.live,
            versions: done.versions,
            acts: done.acts,
            sha256: done.sha256,
            notes: cx.door.render_all(&done.notes),
        })
    }
}

impl Present for ForgetAnswer {
    fn present(&self, out: &mut Screen) {
        let live = if self.live { "the live claim and " } else { "" };
        let gone = format!("forgotten: {live}{} of its history", counted(self.versions, "version"));
        out.flow(0, 2, [styled(Look::Good, gone)]);
        out.line([dim(format!("  on record as {}", self.tombstone))]);
        out.notes(&self.notes);
    }
}
