//! `migrate plan`: says what a migration would do.

use super::{DOORS, MigrateAnswer};
use crate::{AnswerGaps, Context, Job, Steps, Toolset, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_transfer::MigrateRequest;
use schemars::JsonSchema;
use serde::Deserialize;

/// Say which claims of the medulla belong to projects, and change nothing.
///
/// One claim, one row, one destination, with the reason: what a claim says of its birth, else its
/// evidence, the paths in its text, its tags and its label. Doctrine stays as it is. A claim in doubt
/// stays too and is flagged, as is one whose name is taken where it belongs, or that holds a secret.
/// Brains whose root is gone are named.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct MigratePlan {
    /// Your own word on a claim: LABEL=BRAIN (a name, name@id or root), or LABEL=medulla to let it stay.
    #[arg(long, value_name = "LABEL=BRAIN")]
    #[serde(default)]
    pub decide: Vec<String>,
}

impl Job for MigratePlan {
    const SPEC: VerbSpec = VerbSpec {
        doors: DOORS,
        toolset: Toolset::Upkeep,
        title: "Plan a migration",
        when_to_use: "To see where the claims of a mixed store belong.",
        examples: &["brainstem migrate plan", "brainstem migrate plan --decide \"hall fix=cherry\""],
        ..VerbSpec::of(VerbId::MigratePlan)
    };
    type Output = MigrateAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::list(&mut answer.gaps)
    }

    fn work(self, cx: &Context, _: Steps<'_>) -> Result<MigrateAnswer, Fault> {
        let plan = cx.transfer().migrate_plan(&MigrateRequest { decide: self.decide })?;
        Ok(MigrateAnswer::new(plan, false, cx.door))
    }
}
