//! How a hook answers its host: every host has a form of its own.

use crate::host::Host;
use crate::payload::HookEvent;
use serde_json::{Value, json};

/// The longest text that every host takes whole, in characters.
pub const CONTEXT_CHARS_MAX: usize = 10_000;

/// Text for the model at the start of a session or with a prompt; without a text, the answer that the host expects when
/// there is nothing to say.
pub fn context(host: Option<Host>, event: HookEvent, text: Option<&str>) -> String {
    let text = text.map(cut);
    let name = match (host, event) {
        (Some(Host::Gemini), HookEvent::Prompt) => "BeforeAgent",
        (_, HookEvent::SessionStart) => "SessionStart",
        (_, HookEvent::Prompt) => "UserPromptSubmit",
        (_, HookEvent::Stop) => return reminder(host, text.as_deref()),
    };
    match (host, text) {
        (Some(Host::Cursor), text) => {
            let mut answer = if event == HookEvent::Prompt { json!({ "continue": true }) } else { json!({}) };
            if let Some(text) = text {
                answer["additional_context"] = json!(text);
            }
            line(&answer)
        }
        (_, None) => String::new(),
        // The host has no field for context there.
        (Some(Host::VsCode), Some(_)) if event == HookEvent::Prompt => String::new(),
        (Some(Host::ClaudeCode | Host::Codex | Host::Gemini | Host::VsCode), Some(text)) => {
            line(&json!({ "hookSpecificOutput": { "hookEventName": name, "additionalContext": text } }))
        }
        // A person can read plain words too.
        (Some(Host::Antigravity | Host::Opencode) | None, Some(text)) => format!("{}\n", text.trim_end()),
    }
}

/// A reminder at the end of a turn, which the host gives to the model; empty without one.
fn reminder(host: Option<Host>, text: Option<&str>) -> String {
    let Some(text) = text else {
        return if host == Some(Host::Cursor) { line(&json!({})) } else { String::new() };
    };
    match host {
        Some(Host::ClaudeCode | Host::Codex) => line(&json!({ "decision": "block", "reason": text })),
        Some(Host::Gemini) => line(&json!({ "decision": "deny", "reason": text })),
        Some(Host::VsCode) => line(
            &json!({ "hookSpecificOutput": { "hookEventName": "Stop", "decision": "block", "reason": text } }),
        ),
        Some(Host::Cursor) => line(&json!({ "followup_message": text })),
        // An unknown host gets no output, so that its turn is never blocked.
        Some(Host::Antigravity | Host::Opencode) | None => String::new(),
    }
}

fn line(value: &Value) -> String {
    format!("{value}\n")
}

/// A text of at most so many characters; callers already stay below.
fn cut(text: &str) -> String {
    match text.char_indices().nth(CONTEXT_CHARS_MAX) {
        Some((end, _)) => text[..end].to_owned(),
        None => text.to_owned(),
    }
}
