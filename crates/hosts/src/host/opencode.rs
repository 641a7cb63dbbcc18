//! opencode: `opencode.json` or `opencode.jsonc`, `AGENTS.md`. Hooks are programs there, so none is written.
//!
//! Its two versions keep servers under different keys, and the older one does not start with the newer key in its
//! file. So the entry goes only into a file that shows which of the two reads it.

use super::{AGENTS_FILE, HOST_VARIABLE, Host, Look, PROGRAM, SERVER, Wiring, json_part, section_part};
use crate::json::{Dialect, NodeKind, read};
use crate::part::Want;
use serde_json::json;

const FILES: &[&str] =
    &["opencode.jsonc", "opencode.json", ".opencode/opencode.jsonc", ".opencode/opencode.json"];

pub(super) fn wiring(section: &str, look: Look<'_>) -> Wiring {
    let mut wiring = Wiring { parts: vec![section_part(AGENTS_FILE, section)], notes: Vec::new() };
    let found = FILES.iter().find_map(|file| Some((*file, look(file)?)));
    let Some((file, version)) = found.as_ref().and_then(|(file, text)| Some((*file, version(text)?))) else {
        wiring.notes.push(
            "opencode gets no entry: no opencode.json here shows which version reads it. Add it by hand, version 2: \
             {\"mcp\": {\"servers\": {\"brainstem\": {\"type\": \"local\", \"command\": [\"brainstem\", \"mcp\"]}}}}; \
             version 1: the same without \"servers\""
                .into(),
        );
        return wiring;
    };
    let before = json!({ "type": "local", "command": [PROGRAM, "mcp"] });
    let mut entry = before.clone();
    entry["environment"] = json!({ HOST_VARIABLE: Host::Opencode.as_str() });
    let path: &'static [&'static str] = match version {
        Version::One => &["mcp", SERVER],
        Version::Two => &["mcp", "servers", SERVER],
    };
    wiring
        .parts
        .insert(0, json_part(file, Dialect::Comments, vec![Want::value_at(path, entry).before(before)]));
    wiring
}

enum Version {
    One,
    Two,
}

/// Which version a file is written for, as far as its servers show it.
fn version(text: &str) -> Option<Version> {
    let document = read(text, Dialect::Comments).ok()?;
    let mcp = document.root.as_ref()?.get("mcp")?;
    if let Some(servers) = mcp.value.get("servers")
        && servers.value.get("type").is_none()
    {
        return Some(Version::Two);
    }
    match &mcp.value.kind {
        NodeKind::Object(list) if list.items.iter().any(|member| member.value.get("type").is_some()) => {
            Some(Version::One)
        }
        _ => None,
    }
}
