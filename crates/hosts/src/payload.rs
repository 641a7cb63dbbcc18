//! What a host hands to its hooks on standard input, and which host that is.
//!
//! Several hosts also run the hooks in another's file, so neither the file nor the command names the calling host.

use crate::host::Host;
use crate::steps::BOM;
use serde_json::Value;
use std::path::PathBuf;

/// The longest session id that is taken, in bytes.
const SESSION_LEN_MAX: usize = 512;

/// What a hook is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookEvent {
    /// A session began, or lost its context.
    SessionStart,
    /// A person asked for something.
    Prompt,
    /// A turn ends.
    Stop,
}

impl HookEvent {
    /// Every event.
    pub const ALL: &[Self] = &[Self::SessionStart, Self::Prompt, Self::Stop];

    /// The word on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::Prompt => "prompt",
            Self::Stop => "stop",
        }
    }

    /// Parses the word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|event| event.as_str() == word)
    }
}

/// The variables that identify the host; the binary reads them.
pub const VARIABLES: &[&str] = &[
    "CURSOR_VERSION",
    "GEMINI_SESSION_ID",
    "GEMINI_PROJECT_DIR",
    "CLAUDECODE",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_CODE_SESSION_ID",
];

/// The input of a hook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payload {
    /// The host, if it is known.
    pub host: Option<Host>,
    /// The session, if it has a name.
    pub session: Option<String>,
    /// The folder that the session works in.
    pub root: Option<PathBuf>,
    /// Why the session starts: startup, resume, clear, compact, …
    pub source: Option<String>,
    /// The turn continues because a hook asked for it, or was interrupted: no hook may ask again.
    pub is_settled: bool,
}

impl Payload {
    /// Reads the input, and the variables of the process. A field that cannot be read counts as missing.
    pub fn read(bytes: &[u8], variable: &dyn Fn(&str) -> Option<String>) -> Self {
        let text = String::from_utf8_lossy(bytes);
        // One host on one system puts a byte order mark before it.
        let text = text.strip_prefix(BOM).unwrap_or(&text).trim();
        let document: Value = serde_json::from_str(text).unwrap_or_default();
        let word = |key: &str| document[key].as_str().filter(|word| !word.is_empty()).map(str::to_owned);
        let host = recognise(&document, variable);
        let session = word("session_id").or_else(|| word("conversation_id"));
        let session = session.or_else(|| match host {
            Some(Host::Gemini) => variable("GEMINI_SESSION_ID"),
            Some(Host::ClaudeCode) => variable("CLAUDE_CODE_SESSION_ID"),
            _ => None,
        });
        // The opened project comes before the present folder of a command.
        let root = match host {
            Some(Host::ClaudeCode) => variable("CLAUDE_PROJECT_DIR"),
            Some(Host::Gemini) => variable("GEMINI_PROJECT_DIR"),
            Some(Host::Cursor) => document["workspace_roots"][0].as_str().map(str::to_owned),
            _ => None,
        };
        let stopped = document["status"].as_str().is_some_and(|status| status != "completed");
        Self {
            host,
            session: session.filter(|session| session.len() <= SESSION_LEN_MAX),
            root: root.or_else(|| word("cwd")).map(PathBuf::from).filter(|root| root.is_absolute()),
            source: word("source"),
            is_settled: document["stop_hook_active"] == true
                || document["loop_count"].as_u64().is_some_and(|count| count > 0)
                || host == Some(Host::Cursor) && stopped,
        }
    }
}

/// The calling host. The input of this call is stronger than a variable, which may be left over from another host that
/// started this one.
fn recognise(document: &Value, variable: &dyn Fn(&str) -> Option<String>) -> Option<Host> {
    let has = |key: &str| !document[key].is_null();
    let event = document["hook_event_name"].as_str().unwrap_or_default();
    if has("cursor_version") || has("conversation_id") && has("generation_id") {
        return Some(Host::Cursor);
    }
    if ["BeforeAgent", "AfterAgent"].contains(&event) {
        return Some(Host::Gemini);
    }
    if has("turn_id") {
        return Some(Host::Codex);
    }
    if has("timestamp") {
        // Two hosts send a time; one of them also sets a variable.
        let same = variable("GEMINI_SESSION_ID").is_some_and(|id| document["session_id"] == id.as_str());
        return Some(if same { Host::Gemini } else { Host::VsCode });
    }
    if variable("CURSOR_VERSION").is_some() {
        return Some(Host::Cursor);
    }
    if variable("CLAUDECODE").is_some() || variable("CLAUDE_PROJECT_DIR").is_some() {
        return Some(Host::ClaudeCode);
    }
    if has("session_id") && has("model") && has("permission_mode") {
        return Some(Host::Codex);
    }
    if has("session_id") && has("hook_event_name") {
        return Some(Host::ClaudeCode);
    }
    variable("GEMINI_SESSION_ID").map(|_| Host::Gemini)
}
