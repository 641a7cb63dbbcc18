//! The settings by name: what each is for, which values it takes, and which of them a repository may not have.

use crate::limits::WRITES_PER_MINUTE;
use brainstem_base::AgentId;
use brainstem_base::agent::AgentKind;
use brainstem_claims::unproven_header::is_person;
use brainstem_hosts::Host;
use brainstem_inbox::routing::RoutingTable;
use toml_edit::Value;

/// A setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConfigKey {
    /// The owner of this home.
    Owner,
    /// The agent that calls, if no call, flag or variable names one.
    Agent,
    /// Other names of the person at the terminal.
    OtherNames,
    /// How many claims one agent may write in a minute.
    WritesPerMinute,
    /// The tool sets that an MCP client is offered. This crate does not know their names.
    McpToolsets,
    /// The agent that gives out the work.
    InboxOrchestrator,
    /// The agent that advances the work.
    InboxEngine,
    /// Where events go.
    InboxRoutes,
}

impl ConfigKey {
    /// Every setting.
    pub const ALL: &[Self] = &[
        Self::Owner,
        Self::Agent,
        Self::OtherNames,
        Self::WritesPerMinute,
        Self::McpToolsets,
        Self::InboxOrchestrator,
        Self::InboxEngine,
        Self::InboxRoutes,
    ];

    /// Its name in the files; a name with a dot is a key of a table.
    pub fn name(self) -> &'static str {
        match self {
            Self::McpToolsets => "mcp.toolsets",
            Self::InboxOrchestrator => "inbox.orchestrator",
            Self::InboxEngine => "inbox.engine",
            Self::InboxRoutes => "inbox.routes",
            Self::Owner => "owner",
            Self::Agent => "agent",
            Self::OtherNames => "other_names",
            Self::WritesPerMinute => "writes_per_minute",
        }
    }

    /// What it means.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::McpToolsets => "the sets of tools that an MCP client is offered",
            Self::InboxOrchestrator => "the agent that gives out the work; by default the owner",
            Self::InboxEngine => "the agent that advances the work; by default the owner",
            Self::InboxRoutes => "the readers of each type of event, and how urgent it is",
            Self::Owner => "the person this home belongs to",
            Self::Agent => "who is calling, when no flag or variable says it",
            Self::OtherNames => "other names of the person here, whose mail is the same person's",
            Self::WritesPerMinute => "the claims one agent may write in a minute",
        }
    }

    /// The values that it takes.
    pub fn takes(self) -> &'static str {
        match self {
            Self::McpToolsets => "names of tool sets with commas between them, default or all",
            Self::InboxOrchestrator | Self::InboxEngine => {
                "an agent id such as codex:orchestrator or human:ana, and neither `system` nor a person's box such as human.ana"
            }
            Self::InboxRoutes => {
                "rows such as task.blocked=orchestrator+owner/1 with commas between them: a type of event that is no note, its \
                 readers (roles or agent ids, or none) and a priority from 1 to 5; other types keep their default"
            }
            Self::Owner => "human:<name>",
            Self::Agent => {
                "an agent id such as codex:maker or human:ana, and neither `system`, as this program itself is called, \
                 nor a person's box such as human.ana"
            }
            Self::OtherNames => "ids of one person such as human:ana,human:anna with commas between them",
            Self::WritesPerMinute => "a whole number from 1 to 1000000",
        }
    }

    /// Finds a setting by its name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|key| key.name() == name)
    }

    /// Why a repository's file may not set this value; `None` if it may.
    pub fn refused_to_a_repository(self, value: &Value) -> Option<&'static str> {
        match self {
            Self::Owner
            | Self::OtherNames
            | Self::WritesPerMinute
            | Self::McpToolsets
            | Self::InboxOrchestrator
            | Self::InboxEngine
            | Self::InboxRoutes => Some("only the home's file sets it"),
            Self::Agent => {
                let id = value.as_str().and_then(|text| AgentId::parse(text).ok())?;
                let lifted =
                    id.may_write_doctrine() || id.kind() != AgentKind::Agent || is_person(id.as_str());
                // A bare name is also the box of a session or a tag, unless a host has it.
                let is_bare = id.role().is_none() && Host::called(id.as_str()).is_none();
                match (lifted, is_bare) {
                    (true, _) => {
                        Some("a repository cannot make its agents people, orchestrators or the system")
                    }
                    (false, true) => {
                        Some("a repository names an agent by its host and its role, as codex:maker")
                    }
                    (false, false) => None,
                }
            }
        }
    }

    /// Reads a value from the text of a command line.
    pub fn parse(self, text: &str) -> Option<Value> {
        let value = match self {
            Self::Owner
            | Self::Agent
            | Self::OtherNames
            | Self::McpToolsets
            | Self::InboxOrchestrator
            | Self::InboxEngine
            | Self::InboxRoutes => Value::from(text.trim()),
            Self::WritesPerMinute => Value::from(text.trim().parse::<i64>().ok()?),
        };
        (self.fits(&value) && !self.is_reserved(&value)).then_some(value)
    }

    /// Whether it is the name under which this program itself acts, which no caller has, or the box of a person, whose id is
    /// another word.
    pub(super) fn is_reserved(self, value: &Value) -> bool {
        let is_reserved = |text: &str| {
            let text = text.trim().to_ascii_lowercase();
            text == "system" || text.starts_with("human.")
        };
        let names_an_agent = matches!(self, Self::Agent | Self::InboxOrchestrator | Self::InboxEngine);
        names_an_agent && value.as_str().is_some_and(is_reserved)
    }

    pub(super) fn fits(self, value: &Value) -> bool {
        let id = || value.as_str().and_then(|text| AgentId::parse(text).ok());
        match self {
            Self::Owner => id().is_some_and(|id| id.kind() == AgentKind::Human),
            Self::Agent | Self::InboxOrchestrator | Self::InboxEngine => id().is_some(),
            Self::OtherNames => value.as_str().is_some_and(|text| people(text).is_some()),
            Self::InboxRoutes => value.as_str().is_some_and(|text| RoutingTable::parse(text).is_ok()),
            Self::WritesPerMinute => {
                let count = value.as_integer().and_then(|count| u32::try_from(count).ok());
                count.is_some_and(|count| WRITES_PER_MINUTE.contains(&count))
            }
            Self::McpToolsets => value.as_str().is_some_and(|text| {
                let is_name = |name: &str| {
                    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
                };
                text.split(',').all(|name| is_name(name.trim()))
            }),
        }
    }
}

/// The ids of people in a text with commas between them. `None` if one of them is no id of a person.
pub(super) fn people(text: &str) -> Option<Vec<AgentId>> {
    let person = |word: &str| AgentId::parse(word).ok().filter(|id| id.kind() == AgentKind::Human);
    text.split(',').map(|word| person(word.trim())).collect()
}
