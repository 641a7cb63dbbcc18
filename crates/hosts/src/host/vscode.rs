//! VS Code: `.vscode/mcp.json` (comments allowed; its key is `servers`), `.github/hooks/brainstem.json`, `AGENTS.md`.

use super::{
    AGENTS_FILE, HOOK_TIMEOUT_S, HOST_VARIABLE, Host, PROGRAM, SERVER, Wiring, hook, json_part, section_part,
};
use crate::json::Dialect;
use crate::part::WantedValue;
use serde_json::json;

pub(super) fn wiring(section: &str) -> Wiring {
    let before = json!({ "type": "stdio", "command": PROGRAM, "args": ["mcp"], "cwd": "${workspaceFolder}" });
    let mut entry = before.clone();
    entry["env"] = json!({ HOST_VARIABLE: Host::VsCode.as_str() });
    let handler = |event| json!({ "type": "command", "command": hook(event), "timeout": HOOK_TIMEOUT_S });
    let hooks = vec![
        WantedValue::item_of(&["hooks", "SessionStart"], handler("session-start")),
        WantedValue::item_of(&["hooks", "Stop"], handler("stop")),
    ];
    Wiring {
        parts: vec![
            json_part(
                ".vscode/mcp.json",
                Dialect::Comments,
                vec![WantedValue::value_at(&["servers", SERVER], entry).before(before)],
            ),
            json_part(".github/hooks/brainstem.json", Dialect::Strict, hooks),
            section_part(AGENTS_FILE, section),
        ],
        notes: vec![
            "VS Code asks whether you trust the server when it first starts; hooks are a preview there"
                .into(),
        ],
    }
}
