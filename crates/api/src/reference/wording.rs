//! What the pages say in the same words.

use brainstem_base::next::{OP, ToolName, VerbId};

/// The line that every page starts with, below its title.
pub(super) const GENERATED: &str =
    "Generated from the definitions in `crates/api`; change those, not this page.\n";

/// The tool of a verb, with its operation.
pub(super) fn tool(verb: VerbId) -> String {
    match verb.tool() {
        ToolName { tool, op: None } => format!("`{tool}`"),
        ToolName { tool, op: Some(op) } => format!("`{tool}`, `{OP}: {op}`"),
    }
}

/// A text for a cell of a table.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|").split_whitespace().collect::<Vec<_>>().join(" ")
}
