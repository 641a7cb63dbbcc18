//! Codex: `.codex/config.toml`, `.codex/hooks.json` (strict JSON, time-outs in seconds), `AGENTS.md`.

use super::{AGENTS_FILE, HOOK_TIMEOUT_S, Wiring, group, hook, json_part, section_part};
use crate::json::Dialect;
use crate::part::{WantedContent, WantedFile, WantedValue};
use serde_json::json;

/// The host clears the environment of its servers, so a home that is elsewhere has to be let through.
const LINES: &[&str] = &[
    "command = \"brainstem\"",
    "args = [\"mcp\"]",
    "env = { BRAINSTEM_HOST = \"codex\" }",
    "env_vars = [\"BRAINSTEM_HOME\", \"BRAINSTEM_AGENT\"]",
    "startup_timeout_sec = 30",
    "tool_timeout_sec = 300",
];

/// The lines of the previous version.
const BEFORE: &[&str] = &[
    "command = \"brainstem\"",
    "args = [\"mcp\"]",
    "env_vars = [\"BRAINSTEM_HOME\", \"BRAINSTEM_AGENT\"]",
    "startup_timeout_sec = 30",
    "tool_timeout_sec = 300",
];

pub(super) fn wiring(section: &str) -> Wiring {
    let handler = |event| json!({ "type": "command", "command": hook(event), "timeout": HOOK_TIMEOUT_S });
    // Always behind the existing ones: the host remembers trusted hooks by their position.
    let hooks = vec![
        WantedValue::item_of(
            &["hooks", "SessionStart"],
            group(Some("startup|resume|clear|compact"), handler("session-start")),
        ),
        WantedValue::item_of(&["hooks", "Stop"], group(None, handler("stop"))),
    ];
    Wiring {
        parts: vec![
            WantedFile {
                file: ".codex/config.toml",
                content: WantedContent::Toml {
                    table: &["mcp_servers", "brainstem"],
                    lines: LINES,
                    before: &[BEFORE],
                },
            },
            json_part(".codex/hooks.json", Dialect::Strict, hooks),
            section_part(AGENTS_FILE, section),
        ],
        notes: vec![
            "Codex reads this only in a project that you trust, and runs a hook only once you trusted it with /hooks"
                .into(),
        ],
    }
}
