//! `config unset`: takes a setting out of a file.

use super::DOORS;
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_memory::config::ConfigFile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Take a setting out of the home's file, or out of the repository's: what holds then is the default, or what another
/// place says.
///
/// Comments, other keys and their order stay.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct ConfigUnset {
    /// The setting: owner, agent, other_names, writes_per_minute, mcp.toolsets, inbox.orchestrator, inbox.engine or inbox.routes.
    pub key: String,
    /// Take it out of the repository's .brainstem/config.toml.
    #[arg(long)]
    #[serde(default)]
    pub repo: bool,
}

/// What was taken out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigUnsetAnswer {
    /// The setting.
    pub key: String,
    /// The file.
    pub path: String,
    /// It was not in that file.
    pub unchanged: bool,
}

impl Verb for ConfigUnset {
    const SPEC: VerbSpec = VerbSpec {
        doors: DOORS,
        toolset: Toolset::Upkeep,
        effect: Effect::Write,
        title: "Take a setting out",
        when_to_use: "To go back to the default of one setting.",
        examples: &["brainstem config unset agent", "brainstem config unset agent --repo"],
        ..VerbSpec::of(VerbId::ConfigUnset)
    };
    type Output = ConfigUnsetAnswer;

    fn run(self, cx: &Context) -> Result<ConfigUnsetAnswer, Fault> {
        let place = if self.repo { ConfigFile::Repository } else { ConfigFile::Home };
        let (key, path, was_set) = cx.memory.unset(&cx.place(), &self.key, place)?;
        Ok(ConfigUnsetAnswer {
            key: key.name().to_owned(),
            path: path.display().to_string(),
            unchanged: !was_set,
        })
    }
}

impl Present for ConfigUnsetAnswer {
    fn present(&self, out: &mut Screen) {
        let done = if self.unchanged { " is not set there" } else { " is not set there any more" };
        out.flow(0, 2, [bold(self.key.as_str()), styled(Look::Good, done)]);
        out.line([dim(format!("  {}", self.path))]);
    }
}
