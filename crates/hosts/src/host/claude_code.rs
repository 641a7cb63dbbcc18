//! Claude Code: `.mcp.json`, `.claude/settings.json`, `CLAUDE.md`. All strict JSON, time-outs in seconds.

use super::{
    AGENTS_FILE, HOOK_TIMEOUT_S, Host, ReadProjectFile, SERVER, Wiring, group, hook, imports_agents,
    json_part, section_part, stdio_want,
};
use crate::json::Dialect;
use crate::part::WantedValue;
use serde_json::json;

const CLAUDE_FILE: &str = "CLAUDE.md";

pub(super) fn wiring(section: &str, look: ReadProjectFile<'_>) -> Wiring {
    let handler = |event| json!({ "type": "command", "command": hook(event), "timeout": HOOK_TIMEOUT_S });
    let start = group(Some("startup|resume|clear|compact|fork"), handler("session-start"));
    let hooks = vec![
        WantedValue::item_of(&["hooks", "SessionStart"], start),
        // Session starts get lost in some windows of this host: the first prompt makes up for it.
        WantedValue::item_of(&["hooks", "UserPromptSubmit"], group(None, handler("prompt"))),
        WantedValue::item_of(&["hooks", "Stop"], group(None, handler("stop"))),
    ];
    // This host does not read AGENTS.md, unless its own file imports it.
    let imports = look(CLAUDE_FILE).is_some_and(|text| imports_agents(&text));
    let mut notes =
        vec!["Claude Code asks once whether the server `brainstem` of .mcp.json may run: approve it".into()];
    if !imports && look(AGENTS_FILE).is_some() {
        notes.push(
            "Claude Code does not read AGENTS.md; a line @AGENTS.md in CLAUDE.md would take it in".into(),
        );
    }
    Wiring {
        parts: vec![
            json_part(
                ".mcp.json",
                Dialect::Strict,
                vec![stdio_want(&["mcpServers", SERVER], Host::ClaudeCode)],
            ),
            json_part(".claude/settings.json", Dialect::Strict, hooks),
            section_part(if imports { AGENTS_FILE } else { CLAUDE_FILE }, section),
        ],
        notes,
    }
}
