//! One table of verbs and their names on each door (IF-8a).

use super::{GENERATED, cell};
use crate::table;
use std::fmt::Write as _;

pub(super) fn render() -> String {
    let mut page = format!(
        "# Verbs\n\n{GENERATED}\n\
         One verb, the same fields and checks on every door.\n\n\
         | verb | command line | MCP tool | tool set | effect | again changes nothing |\n\
         | --- | --- | --- | --- | --- | --- |\n"
    );
    for entry in table() {
        let spec = entry.spec();
        let command = [&["brainstem"], spec.cli].concat().join(" ");
        let (tool, set) = match entry.cli_only() {
            Some(why) => (format!("none: {}", cell(why)), "none"),
            None => (format!("`{}`", spec.id), spec.toolset.as_str()),
        };
        let _ = writeln!(
            page,
            "| {} | `{command}` | {tool} | {set} | {} | {} |",
            cell(spec.title),
            spec.effect.as_str(),
            if spec.idempotent { "yes" } else { "no" },
        );
    }
    page
}
