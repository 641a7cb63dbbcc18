//! One table of verbs and their names on each door (IF-8a).

use super::{GENERATED, cell};
use crate::{Doors, table};
use std::fmt::Write as _;

pub(super) fn render() -> String {
    let mut page = format!(
        "# Verbs\n\n{GENERATED}\n\
         One verb, the same fields and checks on every door.\n\n\
         | verb | command line | MCP tool | tool set | REST | effect | again changes nothing |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n"
    );
    for entry in table() {
        let spec = entry.spec();
        let command = [&["brainstem"], spec.cli].concat().join(" ");
        let (tool, set) = match spec.doors {
            Doors::All => (format!("`{}`", spec.id), spec.toolset.as_str()),
            Doors::CommandLine { why } => (format!("none: {why}"), ""),
        };
        let (method, path) = spec.rest;
        let rest =
            if spec.doors.has_path() { format!("`{} {path}`", method.as_str()) } else { String::new() };
        let _ = writeln!(
            page,
            "| {} | `{command}` | {} | {set} | {rest} | {} | {} |",
            cell(spec.title),
            cell(&tool),
            spec.effect.as_str(),
            if spec.idempotent { "yes" } else { "no" },
        );
    }
    page
}
