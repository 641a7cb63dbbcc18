//! Antigravity CLI: `.agents/mcp_config.json`, `AGENTS.md`. What is known of its hooks does not agree, so none is
//! written.

use super::{AGENTS_FILE, PROGRAM, SERVER, Wiring, json_part, section_part};
use crate::json::Dialect;
use crate::part::Want;
use serde_json::json;

pub(super) fn wiring(section: &str) -> Wiring {
    let entry = json!({ "command": PROGRAM, "args": ["mcp"] });
    Wiring {
        parts: vec![
            json_part(
                ".agents/mcp_config.json",
                Dialect::Strict,
                vec![Want::value_at(&["mcpServers", SERVER], entry)],
            ),
            section_part(AGENTS_FILE, section),
        ],
        notes: vec![
            "Antigravity gets no hook: an agent there starts by calling north, as the section says".into(),
        ],
    }
}
