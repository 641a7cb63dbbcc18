//! One table of verbs and their names on each door (IF-8a).

use super::{GENERATED, cell};
use crate::tools::OP;
use crate::{Doors, table};
use brainstem_base::next::ToolName;
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
                let (method, path) = spec.rest;
                let route = format!("`{} {path}`", method.as_str());
                let tool = match spec.verb.tool() {
                    ToolName { tool, op: None } => format!("`{tool}`"),
                    ToolName { tool, op: Some(op) } => format!("`{tool}`, `{OP}: {op}`"),
                };
                (tool, spec.toolset.as_str(), route)
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
