//! `set-aside`: takes a brain out of the way, and deletes nothing.

use super::brains::claims;
use crate::field_kinds;
use crate::screen::{Look, bold, dim, name, styled};
use crate::{Context, Doors, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Set a brain aside that is not needed: it is in no recall and no count, and nothing of it is deleted.
///
/// For a project that got a brain by mistake, or one whose folder is gone for good. `brains` lists it apart, and
/// `bootstrap --take-up` brings it back with its claims, history and id. It is on record.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct SetAside {
    /// The brain: name@id, its name if no other has it, its root, its id or its fingerprint.
    pub brain: String,
    /// Why.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::reason()))]
    pub reason: Option<String>,
}

/// The brain that was set aside.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SetAsideAnswer {
    /// How claims name it: name@id.
    pub brain: String,
    /// The root it had.
    pub root: String,
    /// Its claims; null when they could not be counted.
    pub claims: Option<usize>,
    /// Its file now.
    pub folder: String,
    /// The call that brings it back.
    pub next: String,
}

impl Verb for SetAside {
    const SPEC: VerbSpec = VerbSpec {
        doors: Doors::CommandLine { why: "whether a project's memory is needed is a decision for people" },
        toolset: Toolset::Upkeep,
        effect: Effect::Write,
        idempotent: false,
        title: "Set a brain aside",
        when_to_use: "Only when a person wants a brain out of the way.",
        examples: &[
            "brainstem set-aside cherry@1a2b3c4d",
            "brainstem set-aside ~/src/cherry --reason \"tried by mistake\"",
        ],
        ..VerbSpec::of(VerbId::SetAside)
    };
    type Output = SetAsideAnswer;

    fn run(self, cx: &Context) -> Result<SetAsideAnswer, Fault> {
        let done =
            cx.memory.set_aside(&cx.caller()?, &self.brain, self.reason.as_deref().unwrap_or_default())?;
        Ok(SetAsideAnswer {
            brain: done.brain.origin(),
            root: done.brain.root.display().to_string(),
            claims: done.claims,
            folder: done.folder.display().to_string(),
            next: cx.door.call(&done.back),
        })
    }
}

impl Present for SetAsideAnswer {
    fn present(&self, out: &mut Screen) {
        let told = format!("  {}", claims(self.claims));
        out.flow(
            0,
            2,
            [bold(self.brain.as_str()), " ".into(), styled(Look::Good, "is set aside"), dim(told)],
        );
        out.line([dim(format!("  {}", self.folder))]);
        out.flow(0, 2, [name(self.next.as_str()), dim("  brings it back")]);
    }
}
