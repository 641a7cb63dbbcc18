//! `config list`: every setting.

use super::{DOORS, Setting};
use crate::verbs::row::{Gap, present_gaps};
use crate::{AnswerGaps, Context, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// List every setting, with its value and where that comes from.
///
/// The nearest word counts: a flag, the environment, the repository's file, the home's file, the
/// default.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct ConfigList {}

/// Every setting.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigListAnswer {
    /// The settings.
    pub settings: Vec<Setting>,
    /// What could not be read, and may be missing here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
}

impl Verb for ConfigList {
    const SPEC: VerbSpec = VerbSpec {
        doors: DOORS,
        toolset: Toolset::Upkeep,
        title: "List the settings",
        when_to_use: "To see every setting and where it comes from.",
        examples: &["brainstem config list", "brainstem config list --json"],
        ..VerbSpec::of(VerbId::ConfigList)
    };
    type Output = ConfigListAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::list(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<ConfigListAnswer, Fault> {
        let settings = cx.memory.settings(&cx.declared, &cx.place())?;
        Ok(ConfigListAnswer { settings: settings.into_iter().map(Setting::from).collect(), gaps: Vec::new() })
    }
}

impl Present for ConfigListAnswer {
    fn present(&self, out: &mut Screen) {
        for setting in &self.settings {
            setting.show(out);
        }
        present_gaps(&self.gaps, out);
    }
}
