//! `battery add`: drafts a case from a letter.

use super::DOORS;
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::advice;
use brainstem_base::next::VerbId;
use brainstem_base::next::calls;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Draft a case of the battery from a letter about a misdelivery.
///
/// The case goes into `.brainstem/battery/` of the project the letter is about, or of the home. It is a draft: open
/// the file and make it say what exactly went wrong, until `battery run` fails, and mend it then. A draft accounts for no
/// letter; where a case cannot be seen to fail, a person says why with `--cannot-fail`.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct BatteryAdd {
    /// The letter's id.
    #[arg(long, value_name = "ID")]
    pub from_letter: String,
    /// Why the case cannot be seen to fail, said by a person; it counts then.
    #[arg(long, value_name = "WHY")]
    pub cannot_fail: Option<String>,
}

/// What was drafted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BatteryAddAnswer {
    /// The file.
    pub path: String,
    /// The letter.
    pub from_letter: String,
    /// Its kind.
    pub kind: String,
    /// No run has seen it fail, and no person says that it cannot: it accounts for no letter yet.
    pub draft: bool,
    /// What is useful next: a command, over MCP a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Verb for BatteryAdd {
    const SPEC: VerbSpec = VerbSpec {
        doors: DOORS,
        toolset: Toolset::Mail,
        effect: Effect::Write,
        idempotent: false,
        title: "Draft a case",
        when_to_use: "When a misdelivery was confirmed, before it is mended.",
        examples: &["brainstem battery add --from-letter 0123456789ab"],
        ..VerbSpec::of(VerbId::BatteryAdd)
    };
    type Output = BatteryAddAnswer;

    fn run(self, cx: &Context) -> Result<BatteryAddAnswer, Fault> {
        let caller = cx.caller()?;
        let added = cx.post().draft_case(&caller, &self.from_letter, self.cannot_fail.as_deref())?;
        let here = cx.memory.project_root(&caller);
        // The battery of another project is run from there.
        let at = added.root.as_ref().filter(|root| here.as_ref() != Some(root));
        let run = match at {
            Some(root) => calls::battery_run().at(root.display().to_string()),
            None => calls::battery_run(),
        };
        let next = || cx.door.render(&advice!["edit it until `", run, "` fails, then mend the fault"]);
        let next = added.is_draft.then(next);
        Ok(BatteryAddAnswer {
            path: added.path.display().to_string(),
            from_letter: added.letter.to_string(),
            kind: added.kind,
            draft: added.is_draft,
            next,
        })
    }
}

impl Present for BatteryAddAnswer {
    fn present(&self, out: &mut Screen) {
        let what = format!(" a {} case from letter ", self.kind);
        let done = if self.draft { "drafted" } else { "accepted" };
        out.flow(0, 2, [styled(Look::Good, done), what.into(), bold(self.from_letter.as_str())]);
        out.line([dim(format!("  {}", self.path))]);
        if let Some(next) = &self.next {
            out.line([dim(format!("  next: {next}"))]);
        }
    }
}
