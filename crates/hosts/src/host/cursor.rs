//! Cursor: `.cursor/mcp.json`, `.cursor/hooks.json` (time-outs in seconds), `AGENTS.md`.

use super::{AGENTS_FILE, HOOK_TIMEOUT_S, Host, SERVER, Wiring, hook, json_part, section_part, stdio_want};
use crate::json::Dialect;
use crate::part::WantedValue;
use serde_json::json;

pub(super) fn wiring(section: &str) -> Wiring {
    let hooks = vec![
        // Without it the host ignores the whole file.
        WantedValue::some_at(&["version"], json!(1)),
        WantedValue::item_of(
            &["hooks", "sessionStart"],
            json!({ "command": hook("session-start"), "timeout": HOOK_TIMEOUT_S }),
        ),
        WantedValue::item_of(
            &["hooks", "stop"],
            json!({ "command": hook("stop"), "timeout": HOOK_TIMEOUT_S, "loop_limit": 1 }),
        ),
    ];
    Wiring {
        parts: vec![
            json_part(
                ".cursor/mcp.json",
                Dialect::Strict,
                vec![stdio_want(&["mcpServers", SERVER], Host::Cursor)],
            ),
            json_part(".cursor/hooks.json", Dialect::Strict, hooks),
            section_part(AGENTS_FILE, section),
        ],
        notes: vec![
            "Cursor keeps a server of the project switched off until you enable it: Settings > MCP, or cursor-agent mcp enable brainstem"
                .into(),
        ],
    }
}
