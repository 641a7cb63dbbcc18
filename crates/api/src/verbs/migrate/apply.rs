//! `migrate apply`: does what the plan says.

use super::{DOORS, MigrateAnswer};
use crate::verbs::row::{gaps, unread_gaps};
use crate::{Context, Effect, Job, Steps, Toolset, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_transfer::MigrateRequest;
use schemars::JsonSchema;
use serde::Deserialize;

/// Move the claims of projects out of the medulla, each to its own brain.
///
/// What moves keeps its date and author; its original stays in the medulla's history and says where
/// it went. What stays is not touched. Afterwards every claim is counted: before = projects + medulla.
/// Interrupted, it is repeated; done, a second apply changes nothing, and rollback undoes it.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct MigrateApply {
    /// Your own word on a claim: LABEL=BRAIN (a name, name@id or root), or LABEL=medulla to let it stay.
    #[arg(long, value_name = "LABEL=BRAIN")]
    #[serde(default)]
    pub decide: Vec<String>,
}

impl Job for MigrateApply {
    const SPEC: VerbSpec = VerbSpec {
        doors: DOORS,
        toolset: Toolset::Upkeep,
        effect: Effect::Write,
        title: "Migrate",
        when_to_use: "To sort a mixed store as planned.",
        examples: &["brainstem migrate apply", "brainstem migrate apply --decide \"hall fix=cherry\""],
        ..VerbSpec::of(VerbId::MigrateApply)
    };
    type Output = MigrateAnswer;

    fn work(self, cx: &Context, steps: Steps<'_>) -> Result<MigrateAnswer, Fault> {
        let caller = cx.caller()?;
        let request = MigrateRequest { decide: self.decide };
        let done =
            cx.transfer().migrate_apply(&caller, &request, &|done, total| steps.report(done, total))?;
        let mut answer = MigrateAnswer::new(done, true, cx.door);
        answer.gaps.extend(gaps(&unread_gaps(&caller).collect::<Vec<_>>(), cx.door));
        Ok(answer)
    }
}
