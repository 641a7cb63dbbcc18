//! One table of verbs and their names on each door (IF-8a).

use super::wording::{GENERATED, cell, tool};
use crate::{Doors, table};
use std::fmt::Write as _;

pub(super) fn render() -> String {
    let mut page = format!(
        "# Verbs\n\n{GENERATED}\n\
         One verb, the same fields and checks on every door. What is a tool over MCP is a route over REST.\n\n\
         | verb | command line | MCP tool | tool set | REST | effect | again changes nothing |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n"
    );
    for entry in table() {
        let spec = entry.spec();
        let command = [&["brainstem"], spec.cli()].concat().join(" ");
        let (tool, set, route) = match spec.doors {
            Doors::All => {
                let (method, path) = (spec.method(), spec.path());
                let route = format!("`{} {path}`", method.as_str());
                (tool(spec.verb), spec.toolset.as_str(), route)
            }
            Doors::CommandLine { why } => (format!("none: {why}"), "", "none".to_owned()),
        };
        let _ = writeln!(
            page,
            "| {} | `{command}` | {} | {set} | {route} | {} | {} |",
            cell(spec.title),
            cell(&tool),
            spec.effect.as_str(),
            if spec.idempotent { "yes" } else { "no" },
        );
    }
    page
}
