//! `config set`: writes a setting.

use super::DOORS;
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Effect, Present, Screen, TextOrNumber, Toolset, Verb, VerbSpec};
use brainstem_base::next::{VerbId, calls};
use brainstem_base::{Advice, AgentId, Fault, advice};
use brainstem_hosts::Host;
use brainstem_inbox::routing::RoutingTable;
use brainstem_memory::config::{ConfigFile, ConfigKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Set a setting in the home's file, or in the repository's.
///
/// Comments, other keys and their order stay. Settings: owner (human:NAME), agent (an agent id such
/// as codex:maker; a person is human:NAME), other_names (human:NAME with commas between them: names that the
/// same person had; a change of agent or owner adds the one of before), writes_per_minute (1 to 1000000), mcp.toolsets (the sets of tools that agents are
/// offered: names with commas between them, default or all), inbox.orchestrator and inbox.engine (the agents
/// that play these roles), inbox.routes (rows such as task.blocked=orchestrator+owner/1 with commas between
/// them). A repository's file may set agent alone, and no person or orchestrator.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct ConfigSet {
    /// The setting: owner, agent, other_names, writes_per_minute, mcp.toolsets, inbox.orchestrator, inbox.engine or inbox.routes.
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
    /// What you should know besides: a bare name that is an agent's, or agents in the value that were never here, with the names
    /// that they may be slips of.
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
        let value = self.value.0.trim();
        // A person that gives its bare name would be an agent from now on, whose mail and inbox are others.
        let is_bare =
            AgentId::parse(value).is_ok_and(|id| id.role().is_none()) && Host::called(value).is_none();
        let notes = (key == ConfigKey::Agent && is_bare).then(|| {
            let person = calls::config_set("agent", format!("human:{value}"));
            advice!["{value} is an agent now; if it is a person's name: ", person]
        });
        let mut notes = cx.door.render_all(&notes.into_iter().collect::<Vec<Advice>>());
        notes.extend(agents_in(key, value).iter().filter_map(|agent| slip(cx, agent)));
        Ok(ConfigSetAnswer {
            key: key.name().to_owned(),
            value: value.to_owned(),
            path: path.display().to_string(),
            notes,
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
        out.notes(&self.notes);
    }
}
