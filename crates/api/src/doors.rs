//! The doors over the table of verbs.

use crate::door::{COMMAND_LINE, MCP};
use crate::spec::{Offered, Toolset, VerbSpec};
use crate::verb_directory::VerbDirectory;
use crate::verbs::{entry_of, table};
use crate::{Door, DoorKind, Entry, cli, openapi, tools};
use brainstem_base::next::{TypedOption, VerbId};

/// The table of verbs.
#[derive(Debug)]
struct VerbTable;

impl Door {
    /// The command line, typed with these global options.
    pub const fn command_line(typed: &'static [TypedOption]) -> Self {
        Self::new(DoorKind::CommandLine(typed), &VerbTable)
    }

    /// MCP, for a connection that is offered these tool sets.
    pub const fn mcp(offered: Offered) -> Self {
        Self::new(DoorKind::Mcp(offered), &VerbTable)
    }

    /// REST.
    pub const fn rest() -> Self {
        Self::new(DoorKind::Rest, &VerbTable)
    }

    /// Returns the door that another process named ([`Door::named`]); REST if the word is not known.
    pub fn of_name(name: &str) -> Self {
        match name.strip_prefix(MCP) {
            Some(sets) => Self::mcp(Offered::of(&Toolset::sort_out([sets]).0)),
            None if name == COMMAND_LINE => Self::command_line(&[]),
            None => Self::rest(),
        }
    }
}

impl VerbDirectory for VerbTable {
    fn spec(&self, verb: VerbId) -> &'static VerbSpec {
        entry_of(verb).spec()
    }

    fn has_field(&self, verb: VerbId, field: &str) -> bool {
        entry_of(verb).input_schema().get("properties").is_some_and(|fields| fields.get(field).is_some())
    }

    fn has_own_brain(&self, verb: VerbId) -> bool {
        openapi::has_own_brain(entry_of(verb))
    }

    fn tools_of(&self, set: Toolset) -> Vec<String> {
        let entries = table().iter().filter(|entry| {
            let spec = entry.spec();
            spec.doors.has_tool() && spec.toolset == set
        });
        let name = |tool: &tools::Tool| {
            let ops: Vec<&str> = tool.verbs.iter().filter_map(|entry| entry.spec().verb.tool().op).collect();
            if ops.is_empty() { tool.name.to_owned() } else { format!("{}: {}", tool.name, ops.join(", ")) }
        };
        tools::of(entries).iter().map(name).collect()
    }

    /// The ids of all verbs, their commands, the first word of every command (`mail`, `tour`, `up`), and the daemon, which
    /// `up` starts.
    fn own_tools(&self) -> Vec<String> {
        let names = |entry: &Entry| {
            let former = entry.spec().verb.former().iter().map(|name| (*name).to_owned());
            [entry.spec().id().to_owned(), entry.spec().cli().join(" ")].into_iter().chain(former)
        };
        let commands = cli::first_words().chain(["daemon"]).map(str::to_owned);
        table().iter().flat_map(names).chain(commands).collect()
    }
}
