//! `config set`: writes a setting.

use super::DOORS;
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Effect, Present, Screen, TextOrNumber, Toolset, Verb, VerbSpec};
use brainstem_base::next::VerbId;
use brainstem_base::{AgentId, Fault};
use brainstem_inbox::routing::RoutingTable;
use brainstem_memory::config::{ConfigFile, ConfigKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Set a setting in the home's file, or in the repository's.
///
/// Comments, other keys and their order stay. Settings: owner (human:NAME), agent (an agent id such
/// as codex:maker), writes_per_minute (1 to 1000000), mcp.toolsets (the sets of tools that agents are
/// offered: names with commas between them, default or all), inbox.orchestrator and inbox.engine (the agents
/// that play these roles), inbox.routes (rows such as task.blocked=orchestrator+owner/1 with commas between
/// them). A repository's file may set agent alone, and no person or orchestrator.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct ConfigSet {
    /// The setting: owner, agent, writes_per_minute, mcp.toolsets, inbox.orchestrator, inbox.engine or inbox.routes.
    pub key: String,
    /// Its value.
    pub value: TextOrNumber,
    /// Set it in the repository's .brainstem/config.toml, for every agent that works there.
    #[arg(long)]
    #[serde(default)]
    pub repo: bool,
}

/// What was set.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigSetAnswer {
    /// The setting.
    pub key: String,
    /// Its value now.
    pub value: String,
    /// The file.
    pub path: String,
    /// Agents in the value that were never here, with the names that they may be slips of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Verb for ConfigSet {
    const SPEC: VerbSpec = VerbSpec {
        doors: DOORS,
        toolset: Toolset::Upkeep,
        effect: Effect::Write,
        title: "Set a setting",
        when_to_use: "To change one setting.",
        examples: &[
            "brainstem config set owner human:ana",
            "brainstem config set agent codex:maker --repo",
            "brainstem config set writes_per_minute 200",
            "brainstem config set mcp.toolsets default,upkeep",
            "brainstem config set inbox.orchestrator codex:orchestrator",
            "brainstem config set inbox.routes task.complete=engine+owner/3",
        ],
        ..VerbSpec::of(VerbId::ConfigSet)
    };
    type Output = ConfigSetAnswer;

    fn run(self, cx: &Context) -> Result<ConfigSetAnswer, Fault> {
        if ConfigKey::find(&self.key) == Some(ConfigKey::McpToolsets) {
            Toolset::parse_list([self.value.0.as_str()]).map_err(|fault| fault.field("value"))?;
        }
        let place = if self.repo { ConfigFile::Repository } else { ConfigFile::Home };
        let (key, path) = cx.memory.set(&cx.place(), &self.key, &self.value.0, place)?;
        Ok(ConfigSetAnswer {
            key: key.name().to_owned(),
            value: self.value.0.trim().to_owned(),
            path: path.display().to_string(),
            notes: agents_in(key, &self.value.0).iter().filter_map(|agent| slip(cx, agent)).collect(),
        })
    }
}

/// The agents that a setting of the inbox names.
fn agents_in(key: ConfigKey, value: &str) -> Vec<AgentId> {
    match key {
        ConfigKey::InboxOrchestrator | ConfigKey::InboxEngine => {
            AgentId::parse(value.trim()).into_iter().collect()
        }
        ConfigKey::InboxRoutes => RoutingTable::parse(value.trim())
            .map(|table| table.agents().cloned().collect())
            .unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// What to say about an agent that was never here, if another one has nearly the same name.
fn slip(cx: &Context, agent: &AgentId) -> Option<String> {
    let near = cx.post().slips_of(agent);
    (!near.is_empty())
        .then(|| format!("no agent called `{agent}` was ever here; did you mean {}?", near.join(" or ")))
}

impl Present for ConfigSetAnswer {
    fn present(&self, out: &mut Screen) {
        out.flow(
            0,
            2,
            [styled(Look::Good, "set "), bold(self.key.as_str()), " = ".into(), self.value.as_str().into()],
        );
        out.line([dim(format!("  {}", self.path))]);
        for note in &self.notes {
            out.flow(2, 4, [styled(Look::Warn, note.as_str())]);
        }
    }
}
