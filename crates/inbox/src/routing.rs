//! Where an event goes when its author names no reader.

use crate::kind::MessageType;
use crate::limits::{ROUTE_READERS_MAX, ROUTES_MAX};
use crate::priority::InboxPriority;
use brainstem_base::AgentId;
use std::collections::BTreeMap;
use std::fmt;

/// A part that an agent or a person plays, which the settings map to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InboxRole {
    /// Gives out the work.
    Orchestrator,
    /// Advances the work.
    Engine,
    /// The owner of the home.
    Owner,
}

impl InboxRole {
    /// Every role.
    pub const ALL: [Self; 3] = [Self::Orchestrator, Self::Engine, Self::Owner];
    /// The roles that settings map. The owner has a setting of its own.
    pub const MAPPED: [Self; 2] = [Self::Orchestrator, Self::Engine];

    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Orchestrator => "orchestrator",
            Self::Engine => "engine",
            Self::Owner => "owner",
        }
    }

    /// The role of this word.
    pub fn find(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

/// A reader in the routing table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RouteReader {
    /// The agent or person that plays a role when the event is raised.
    Role(InboxRole),
    /// This agent or person.
    Agent(AgentId),
}

impl RouteReader {
    fn parse(text: &str) -> Result<Self, RoutingFault> {
        match InboxRole::find(text) {
            Some(role) => Ok(Self::Role(role)),
            None => AgentId::parse(text).map(Self::Agent).map_err(|_| RoutingFault),
        }
    }
}

impl fmt::Display for RouteReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Role(role) => f.write_str(role.as_str()),
            Self::Agent(agent) => agent.fmt(f),
        }
    }
}

/// Where an event goes, and how urgent it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRoute {
    /// The readers, each once. Without any, the event goes to those that its author names.
    pub to: Vec<RouteReader>,
    /// How urgent.
    pub priority: InboxPriority,
}

/// The routes of events by their types. A note goes to its notify list alone, so it has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutingTable(BTreeMap<MessageType, EventRoute>);

/// A text that is no routing table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a routing table is rows such as task.blocked=orchestrator+owner/1 with commas between them, each for one type of event that is no note"
)]
pub struct RoutingFault;

/// The default table, in the form that [`RoutingTable::parse`] reads.
const DEFAULT: &str =
    "phase.complete=engine+orchestrator/2, task.blocked=orchestrator+owner/1, task.complete=engine/3";
/// The word for no reader.
const NONE: &str = "none";

impl Default for RoutingTable {
    fn default() -> Self {
        Self(rows(DEFAULT).expect("a table that a test reads"))
    }
}

impl RoutingTable {
    /// Reads rows, `TYPE=READER+READER/PRIORITY` with commas between them. A row takes the place of the default table's row
    /// for its type; `none` means no reader. A row without a priority has 3.
    pub fn parse(text: &str) -> Result<Self, RoutingFault> {
        let mut table = Self::default();
        table.0.extend(rows(text)?);
        Ok(table)
    }

    /// The route of a type; `None` if the table has none.
    pub fn route(&self, kind: &MessageType) -> Option<&EventRoute> {
        self.0.get(kind)
    }

    /// The agents that the table names by their ids.
    pub fn agents(&self) -> impl Iterator<Item = &AgentId> {
        self.0.values().flat_map(|route| &route.to).filter_map(|reader| match reader {
            RouteReader::Agent(agent) => Some(agent),
            RouteReader::Role(_) => None,
        })
    }
}

fn rows(text: &str) -> Result<BTreeMap<MessageType, EventRoute>, RoutingFault> {
    let mut rows = BTreeMap::new();
    for row in text.split(',') {
        let (kind, route) = row.split_once('=').ok_or(RoutingFault)?;
        let kind = MessageType::parse(kind.trim()).map_err(|_| RoutingFault)?;
        let (to, priority) = match route.split_once('/') {
            None => (route, InboxPriority::default()),
            Some((to, priority)) => (to, InboxPriority::parse(priority.trim()).map_err(|_| RoutingFault)?),
        };
        let route = EventRoute { to: readers(to.trim())?, priority };
        if kind.is_note() || rows.insert(kind, route).is_some() || rows.len() > ROUTES_MAX {
            return Err(RoutingFault);
        }
    }
    Ok(rows)
}

fn readers(text: &str) -> Result<Vec<RouteReader>, RoutingFault> {
    if text == NONE {
        return Ok(Vec::new());
    }
    let mut to: Vec<RouteReader> = Vec::new();
    for reader in text.split('+') {
        let reader = RouteReader::parse(reader.trim())?;
        if !to.contains(&reader) {
            to.push(reader);
        }
    }
    (to.len() <= ROUTE_READERS_MAX).then_some(to).ok_or(RoutingFault)
}

/// In the form that [`RoutingTable::parse`] reads, every row of it.
impl fmt::Display for RoutingTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (kind, route)) in self.0.iter().enumerate() {
            let readers: Vec<String> = route.to.iter().map(ToString::to_string).collect();
            let readers = if readers.is_empty() { NONE.to_owned() } else { readers.join("+") };
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{kind}={readers}/{}", route.priority.number())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(table: &RoutingTable, kind: &str) -> Option<(String, u8)> {
        let found = table.route(&MessageType::parse(kind).unwrap())?;
        let to: Vec<String> = found.to.iter().map(ToString::to_string).collect();
        Some((to.join(","), found.priority.number()))
    }

    #[test] // spec: INB-10
    fn the_default_table_has_the_rows_of_the_document() {
        let table = RoutingTable::default();
        assert_eq!(route(&table, "task.blocked"), Some(("orchestrator,owner".into(), 1)));
        assert_eq!(route(&table, "task.complete"), Some(("engine".into(), 3)));
        assert_eq!(route(&table, "phase.complete"), Some(("engine,orchestrator".into(), 2)));
        assert_eq!(route(&table, "task.note"), None);
        assert_eq!(table.to_string(), DEFAULT);
    }

    #[test] // spec: INB-10
    fn a_row_takes_the_place_of_the_defaults_and_what_is_written_is_read_back() {
        let text = "deploy.failed = human:ana + codex / urgent, task.complete=none, task.blocked=owner";
        let table = RoutingTable::parse(text).unwrap();
        assert_eq!(route(&table, "deploy.failed"), Some(("human:ana,codex".into(), 1)));
        assert_eq!(route(&table, "task.complete"), Some((String::new(), 3)));
        assert_eq!(route(&table, "task.blocked"), Some(("owner".into(), 3)));
        assert_eq!(route(&table, "phase.complete"), route(&RoutingTable::default(), "phase.complete"));
        assert_eq!(RoutingTable::parse(&table.to_string()), Ok(table));
        let many: Vec<String> = (0..=ROUTES_MAX).map(|n| format!("a.b{n}=owner")).collect();
        for bad in [
            "",
            "task.blocked",
            "task.blocked=",
            "task.blocked=owner/9",
            "task.note=owner",
            "Task=owner",
            "a=owner,a=engine",
            "a=owner,,b=owner",
            "a=two words",
            &many.join(","),
        ] {
            assert_eq!(RoutingTable::parse(bad), Err(RoutingFault), "{bad:?}");
        }
    }
}
