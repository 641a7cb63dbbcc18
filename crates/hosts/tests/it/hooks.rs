//! Payloads as hosts send them, and the answers that each reads.

use brainstem_hosts::Host;
use brainstem_hosts::payload::{HookEvent, Payload};
use brainstem_hosts::speech::{CONTEXT_CHARS_MAX, context};
use serde_json::{Value, json};

fn read(payload: &Value, variables: &[(&str, &str)]) -> Payload {
    let variable =
        |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    Payload::read(payload.to_string().as_bytes(), &variable)
}

fn claude_start() -> Value {
    json!({"session_id": "0b8f", "transcript_path": "/t.jsonl", "cwd": "/src/cherry/src", "hook_event_name": "SessionStart",
        "source": "startup", "model": "m", "permission_mode": "default"})
}

fn cursor_stop() -> Value {
    json!({"conversation_id": "c1", "generation_id": "g1", "hook_event_name": "stop", "workspace_roots": ["/src/cherry"],
        "model": "m", "cursor_version": "3.20.1", "status": "completed", "loop_count": 0})
}

fn gemini_start() -> Value {
    json!({"session_id": "g-1", "transcript_path": "/t", "cwd": "/src/cherry", "hook_event_name": "SessionStart",
        "timestamp": "2026-11-15T10:00:00Z", "source": "startup"})
}

#[test] // spec: IF-15, IF-16
fn a_host_is_known_by_what_it_sends() {
    let claude = [("CLAUDECODE", "1"), ("CLAUDE_PROJECT_DIR", "/src/cherry")];
    let found = read(&claude_start(), &claude);
    assert_eq!(
        found,
        Payload {
            host: Some(Host::ClaudeCode),
            session: Some("0b8f".into()),
            root: Some("/src/cherry".into()),
            source: Some("startup".into()),
            is_settled: false,
        }
    );
    // Codex sends the same shape, and no variable of the environment names the host.
    assert_eq!(read(&claude_start(), &[]).host, Some(Host::Codex));
    let turn = json!({"session_id": "s", "turn_id": "t", "cwd": "/src/cherry", "hook_event_name": "Stop", "stop_hook_active": true});
    let found = read(&turn, &claude);
    assert_eq!((found.host, found.is_settled), (Some(Host::Codex), true), "started from within another host");
    assert_eq!(found.root, Some("/src/cherry".into()));
    let found = read(&cursor_stop(), &[]);
    assert_eq!(
        (found.host, found.session.as_deref(), found.is_settled),
        (Some(Host::Cursor), Some("c1"), false)
    );
    assert_eq!(found.root, Some("/src/cherry".into()));
    // Cursor runs the hooks of Claude Code's file too.
    assert_eq!(read(&claude_start(), &[("CURSOR_VERSION", "3.20")]).host, Some(Host::Cursor));
    assert_eq!(read(&gemini_start(), &[("GEMINI_SESSION_ID", "g-1")]).host, Some(Host::Gemini));
    assert_eq!(read(&gemini_start(), &[("GEMINI_SESSION_ID", "another")]).host, Some(Host::VsCode));
    assert_eq!(read(&gemini_start(), &[]).host, Some(Host::VsCode));
    assert_eq!(read(&json!({"hook_event_name": "AfterAgent"}), &[]).host, Some(Host::Gemini));
    let plain = json!({"session_id": "s", "hook_event_name": "Stop"});
    assert_eq!(read(&plain, &[]).host, Some(Host::ClaudeCode), "an older one");
}

#[test] // spec: IF-16
fn whatever_else_comes_in_is_no_reason_to_fail() {
    for bytes in [&b""[..], b"{", b"\xff\xfe", b"[1]", b"null", b"\"x\"", b"{\"session_id\": 7, \"cwd\": []}"]
    {
        assert_eq!(Payload::read(bytes, &|_| None), Payload::default(), "{bytes:?}");
    }
    let marked = format!("\u{feff}{}\r\n", cursor_stop());
    assert_eq!(Payload::read(marked.as_bytes(), &|_| None).host, Some(Host::Cursor));
    let long = json!({"session_id": "x".repeat(10_000), "cwd": "relative"});
    assert_eq!(read(&long, &[]), Payload::default());
}

#[test] // spec: IF-16
fn a_turn_that_goes_on_because_of_a_hook_is_settled() {
    let mut stop = cursor_stop();
    stop["loop_count"] = json!(1);
    assert!(read(&stop, &[]).is_settled);
    let mut stop = cursor_stop();
    stop["status"] = json!("aborted");
    assert!(read(&stop, &[]).is_settled);
}

#[test] // spec: IF-15
fn every_host_is_answered_in_its_own_form() {
    let said = |host, event, text| {
        let text = context(host, event, text);
        if text.is_empty() { Value::Null } else { serde_json::from_str(&text).expect("one document") }
    };
    let start = json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "t"}});
    for host in [Host::ClaudeCode, Host::Codex, Host::Gemini, Host::VsCode] {
        assert_eq!(said(Some(host), HookEvent::SessionStart, Some("t")), start, "{host:?}");
        assert_eq!(said(Some(host), HookEvent::SessionStart, None), Value::Null);
        assert_eq!(said(Some(host), HookEvent::Stop, None), Value::Null);
    }
    let cursor = Some(Host::Cursor);
    assert_eq!(said(cursor, HookEvent::SessionStart, Some("t")), json!({"additional_context": "t"}));
    assert_eq!(said(cursor, HookEvent::SessionStart, None), json!({}));
    assert_eq!(said(cursor, HookEvent::Prompt, None), json!({"continue": true}));
    assert_eq!(said(cursor, HookEvent::Stop, Some("t")), json!({"followup_message": "t"}));
    assert_eq!(said(cursor, HookEvent::Stop, None), json!({}));
    let prompt =
        |name: &str| json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": "t"}});
    assert_eq!(said(Some(Host::ClaudeCode), HookEvent::Prompt, Some("t")), prompt("UserPromptSubmit"));
    assert_eq!(said(Some(Host::Gemini), HookEvent::Prompt, Some("t")), prompt("BeforeAgent"));
    assert_eq!(
        said(Some(Host::VsCode), HookEvent::Prompt, Some("t")),
        Value::Null,
        "it has no room for context there"
    );
    let block = json!({"decision": "block", "reason": "t"});
    assert_eq!(said(Some(Host::ClaudeCode), HookEvent::Stop, Some("t")), block);
    assert_eq!(said(Some(Host::Codex), HookEvent::Stop, Some("t")), block);
    assert_eq!(
        said(Some(Host::Gemini), HookEvent::Stop, Some("t")),
        json!({"decision": "deny", "reason": "t"})
    );
    let inside = json!({"hookSpecificOutput": {"hookEventName": "Stop", "decision": "block", "reason": "t"}});
    assert_eq!(said(Some(Host::VsCode), HookEvent::Stop, Some("t")), inside);
    assert_eq!(context(None, HookEvent::SessionStart, Some("t")), "t\n", "a person reads words");
    assert_eq!(context(None, HookEvent::Stop, Some("t")), "", "who is not known is not stopped");
}

#[test] // spec: IF-16
fn no_text_is_longer_than_hosts_take() {
    let long = "é".repeat(CONTEXT_CHARS_MAX + 7);
    let answer: Value =
        serde_json::from_str(&context(Some(Host::Codex), HookEvent::SessionStart, Some(&long))).unwrap();
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert_eq!(text.chars().count(), CONTEXT_CHARS_MAX);
}
