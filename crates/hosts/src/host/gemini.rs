//! Gemini CLI: `.gemini/settings.json` (comments allowed, time-outs in milliseconds), `GEMINI.md`.

use super::{
    AGENTS_FILE, HOOK_TIMEOUT_S, Host, ReadProjectFile, SERVER, Wiring, group, hook, imports_agents,
    json_part, plain_want, section_part,
};
use crate::json::{Dialect, read};
use crate::part::WantedValue;
use serde_json::{Value, json};

const SETTINGS: &str = ".gemini/settings.json";
const GEMINI_FILE: &str = "GEMINI.md";

pub(super) fn wiring(section: &str, look: ReadProjectFile<'_>) -> Wiring {
    let handler = |event| json!({ "name": SERVER, "type": "command", "command": hook(event), "timeout": HOOK_TIMEOUT_S * 1_000 });
    let wants = vec![
        plain_want(&["mcpServers", SERVER], Host::Gemini),
        WantedValue::item_of(&["hooks", "SessionStart"], group(Some("*"), handler("session-start"))),
        WantedValue::item_of(&["hooks", "AfterAgent"], group(Some("*"), handler("stop"))),
    ];
    let reads_agents = look(SETTINGS).is_some_and(|text| names_agents(&text))
        || look(GEMINI_FILE).is_some_and(|text| imports_agents(&text));
    Wiring {
        parts: vec![
            json_part(SETTINGS, Dialect::Comments, wants),
            section_part(if reads_agents { AGENTS_FILE } else { GEMINI_FILE }, section),
        ],
        notes: vec![
            "Gemini CLI reads this only in a folder that you trust, and warns once about new hooks".into(),
        ],
    }
}

/// Whether the settings name `AGENTS.md` as a file of context.
fn names_agents(settings: &str) -> bool {
    let Ok(document) = read(settings, Dialect::Comments) else { return false };
    let named =
        document.root.as_ref().and_then(|root| root.at(&["context", "fileName"])).map(|node| node.value());
    match named {
        Some(Value::String(name)) => name == AGENTS_FILE,
        Some(Value::Array(names)) => names.iter().any(|name| name == AGENTS_FILE),
        _ => false,
    }
}
