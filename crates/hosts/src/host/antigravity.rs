//! Antigravity CLI: `.agents/mcp_config.json`, `AGENTS.md`. Reports about its hooks contradict each other, so none is
//! written.

use super::{AGENTS_FILE, Host, SERVER, Wiring, json_part, plain_want, section_part};
use crate::json::Dialect;

pub(super) fn wiring(section: &str) -> Wiring {
    Wiring {
        parts: vec![
            json_part(
                ".agents/mcp_config.json",
                Dialect::Strict,
                vec![plain_want(&["mcpServers", SERVER], Host::Antigravity)],
            ),
            section_part(AGENTS_FILE, section),
        ],
        notes: vec![
            "Antigravity gets no hook: an agent there starts by calling north, as the section says".into(),
        ],
    }
}
