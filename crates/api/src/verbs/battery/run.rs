//! `battery run`: tries every case.

use super::DOORS;
use crate::screen::{Look, bold, dim, styled};
use crate::verbs::row::counted;
use crate::wire::Exit;
use crate::{Context, Effect, Job, Present, Screen, Steps, Toolset, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_base::next::calls;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Run every case of your project's battery and of the medulla's.
///
/// Each case is tried in a world of its own, which starts with a copy of the claims of the two stores and is
/// removed again. A case that fails ends the command with status 1. A case from a letter is a draft until a run sees
/// it fail, which the run writes into its file.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct BatteryRun {}

/// What was tried.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BatteryRunAnswer {
    /// How many cases held.
    pub held: usize,
    /// How many failed.
    pub failed: usize,
    /// How many are drafts in which nothing was wrong: no run has seen them fail, so they show nothing.
    pub drafts: usize,
    /// Each case.
    pub cases: Vec<BatteryCase>,
}

/// One case.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BatteryCase {
    /// Its file.
    pub path: String,
    /// The root of the project it is of, or medulla.
    pub battery: String,
    /// Its kind; null where it could not be read.
    pub kind: Option<String>,
    /// It was made from a letter, and no run has seen it fail.
    pub draft: bool,
    /// Only the repository says that a person said why it cannot fail: this home has no record of that word.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unrecorded: bool,
    /// What was wrong; empty when it held.
    pub failures: Vec<String>,
}

impl Job for BatteryRun {
    const SPEC: VerbSpec = VerbSpec {
        doors: DOORS,
        toolset: Toolset::Mail,
        effect: Effect::Write,
        title: "Run the battery",
        when_to_use: "Before and after a change, to see that what went wrong once still holds.",
        examples: &["brainstem battery run", "brainstem battery run --json"],
        ..VerbSpec::of(VerbId::BatteryRun)
    };
    type Output = BatteryRunAnswer;

    fn work(self, cx: &Context, steps: Steps<'_>) -> Result<BatteryRunAnswer, Fault> {
        let run = cx.post().run_battery(&cx.caller()?, &|done, total| steps.report(done, total))?;
        let (failed, drafts) = (run.failed(), run.drafts());
        let case = |case: brainstem_post::letters::CaseRun| BatteryCase {
            path: case.path.display().to_string(),
            battery: case.root.map_or_else(|| "medulla".into(), |root| root.display().to_string()),
            kind: case.kind,
            draft: case.is_draft,
            unrecorded: case.is_unrecorded,
            failures: case.failures,
        };
        Ok(BatteryRunAnswer {
            held: run.cases.len() - failed - drafts,
            failed,
            drafts,
            cases: run.cases.into_iter().map(case).collect(),
        })
    }
}

impl Present for BatteryRunAnswer {
    fn present(&self, out: &mut Screen) {
        for case in &self.cases {
            let mark = match (case.failures.is_empty(), case.draft) {
                (true, false) => styled(Look::Good, "held"),
                (true, true) => dim("draft"),
                (false, _) => styled(Look::Bad, "failed"),
            };
            let kind = case.kind.as_deref().unwrap_or("unreadable");
            out.flow(0, 2, [mark, " ".into(), bold(kind), dim(format!("  {}", case.path))]);
            if case.unrecorded {
                let call = out.command(&calls::battery_cannot_fail(calls::ID, calls::WHY));
                let told = "only the repository says that a person said why it cannot fail; a person who says so too:";
                out.wrap(2, &format!("{told} {call}"));
            }
            for failure in &case.failures {
                out.wrap(2, failure);
            }
        }
        match (self.cases.is_empty(), self.failed) {
            (true, _) => {
                let call = out.command(&calls::battery_add(calls::ID));
                out.line([format!("No cases yet. Draft one: {call}")]);
            }
            (false, 0) if self.held == 0 => {}
            (false, 0) => out.line([styled(Look::Good, format!("{} held", counted(self.held, "case")))]),
            (false, failed) => {
                let of = counted(self.cases.len(), "case");
                out.line([styled(Look::Bad, format!("{failed} of {of} failed"))]);
            }
        }
        if self.drafts > 0 {
            let drafts = counted(self.drafts, "draft");
            out.wrap(0, &format!("{drafts}: nothing was wrong, and no run has seen a failure. Edit the file until it fails without the mend."));
        }
    }

    fn exit(&self) -> Exit {
        if self.failed == 0 { Exit::Done } else { Exit::Refused }
    }
}
