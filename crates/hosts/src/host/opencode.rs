//! opencode: `opencode.json` or `opencode.jsonc`, `AGENTS.md`. Hooks are programs there, so none is written.
//!
//! Its two versions keep servers under different keys, and the older one does not start with the newer key in its
//! file. So the entry goes only into a file that shows which of the two reads it.

use super::{
    AGENTS_FILE, ConnectObstacle, HOST_VARIABLE, Host, PROGRAM, ReadProjectFile, SERVER, Wiring, json_part,
    section_part,
};
use crate::json::{Dialect, NodeKind, read};
use crate::part::WantedValue;
use serde_json::json;

const FILES: &[&str] =
    &["opencode.jsonc", "opencode.json", ".opencode/opencode.jsonc", ".opencode/opencode.json"];

pub(super) fn wiring(section: &str, look: ReadProjectFile<'_>) -> Wiring {
    let mut wiring = Wiring { parts: vec![section_part(AGENTS_FILE, section)], notes: Vec::new() };
    let Some((file, version)) = found(look) else { return wiring };
    let before = json!({ "type": "local", "command": [PROGRAM, "mcp"] });
    let entry = entry();
    let path: &'static [&'static str] = match version {
        OpencodeVersion::One => &["mcp", SERVER],
        OpencodeVersion::Two => &["mcp", "servers", SERVER],
    };
    wiring.parts.insert(
        0,
        json_part(file, Dialect::Comments, vec![WantedValue::value_at(path, entry).before(before)]),
    );
    wiring
}

/// Why opencode cannot be connected: no file of it shows which version reads it.
pub(super) fn obstacle(look: ReadProjectFile<'_>) -> Option<ConnectObstacle> {
    if found(look).is_some() {
        return None;
    }
    let file = FILES.iter().find(|file| look(file).is_some());
    let message = match file {
        Some(file) => format!("opencode cannot be connected: {file} names no server, so nothing shows whether version 1 or 2 reads it"),
        None => "opencode cannot be connected: there is no opencode.json, so nothing shows whether version 1 or 2 reads it".into(),
    };
    let how =
        file.map_or_else(|| "write this to opencode.json".to_owned(), |file| format!("add this to {file}"));
    Some(ConnectObstacle {
        message,
        fix: format!(
            "`opencode --version` says which one you have; {how}, then repeat the call. Version 2: {} Version 1: {}",
            json!({ "mcp": { "servers": { SERVER: entry() } } }),
            json!({ "mcp": { SERVER: entry() } }),
        ),
    })
}

/// The server as opencode starts it.
fn entry() -> serde_json::Value {
    json!({
        "type": "local",
        "command": [PROGRAM, "mcp"],
        "environment": { HOST_VARIABLE: Host::Opencode.as_str() },
    })
}

/// The first file of opencode in the project, if it shows which version reads it.
fn found(look: ReadProjectFile<'_>) -> Option<(&'static str, OpencodeVersion)> {
    let (file, text) = FILES.iter().find_map(|file| Some((*file, look(file)?)))?;
    Some((file, version(&text)?))
}

enum OpencodeVersion {
    One,
    Two,
}

/// Which version a file is written for, if its servers show it.
fn version(text: &str) -> Option<OpencodeVersion> {
    let document = read(text, Dialect::Comments).ok()?;
    let mcp = document.root.as_ref()?.get("mcp")?;
    if let Some(servers) = mcp.value.get("servers")
        && servers.value.get("type").is_none()
    {
        return Some(OpencodeVersion::Two);
    }
    match &mcp.value.kind {
        NodeKind::Object(list) if list.items.iter().any(|member| member.value.get("type").is_some()) => {
            Some(OpencodeVersion::One)
        }
        _ => None,
    }
}
