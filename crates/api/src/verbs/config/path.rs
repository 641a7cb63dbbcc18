//! `config path`: the files of the settings.

use super::DOORS;
use crate::verbs::row::{Gap, present_gaps};
use crate::{AnswerGaps, Context, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Print the paths of the files that hold settings.
///
/// First the home's, then the repository's if you are in one, whether they are there or not.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct ConfigPath {}

/// The files that hold settings.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigPathAnswer {
    /// The home's file.
    pub home: String,
    /// The repository's file, if you are in one.
    pub repository: Option<String>,
    /// What could not be read, and may be missing here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
}

impl Verb for ConfigPath {
    const SPEC: VerbSpec = VerbSpec {
        doors: DOORS,
        toolset: Toolset::Upkeep,
        title: "Where the settings lie",
        when_to_use: "To find the files that hold settings.",
        examples: &["brainstem config path", "brainstem config path --json"],
        ..VerbSpec::of(VerbId::ConfigPath)
    };
    type Output = ConfigPathAnswer;

    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        AnswerGaps::list(&mut answer.gaps)
    }

    fn run(self, cx: &Context) -> Result<ConfigPathAnswer, Fault> {
        let paths = cx.memory.config_paths(&cx.place());
        Ok(ConfigPathAnswer {
            home: paths.home.display().to_string(),
            repository: paths.repository.map(|path| path.display().to_string()),
            gaps: Vec::new(),
        })
    }
}

impl Present for ConfigPathAnswer {
    fn present(&self, out: &mut Screen) {
        out.line([self.home.as_str()]);
        if let Some(repository) = &self.repository {
            out.line([repository.as_str()]);
        }
        present_gaps(&self.gaps, out);
    }
}
