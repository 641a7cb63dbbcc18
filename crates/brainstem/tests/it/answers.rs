//! Answers whose words must be so: what was counted, what was asked for, and what git or the register really holds.

#![allow(clippy::disallowed_methods, reason = "a test makes repositories and files")]

use crate::program::{Ran, finish};
use crate::seen::{Seen, assert_seen};
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_brainstem");

fn run(home: &TestHome, cwd: &Path, words: &[&str]) -> Ran {
    let mut command = home.command(Path::new(PROGRAM));
    finish(command.current_dir(cwd).env("USER", "ana").args(words), b"")
}

fn stdout(home: &TestHome, cwd: &Path, words: &[&str]) -> String {
    let ran = run(home, cwd, words);
    assert_eq!(ran.status, Some(0), "{words:?}: {ran:?}");
    ran.stdout
}

/// Runs it, and adds what came of it to what was seen.
fn see(seen: &mut Seen, home: &TestHome, cwd: &Path, words: &[&str]) {
    seen.add(words, &run(home, cwd, words));
}

fn git(home: &TestHome, cwd: &Path, words: &[&str]) {
    let mut command: Command = home.command(Path::new("git"));
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "ana").env(format!("GIT_{role}_EMAIL"), "ana@example.org");
    }
    let ran = finish(command.current_dir(cwd).args(words), b"");
    assert_eq!(ran.status, Some(0), "git {words:?}: {ran:?}");
}

/// A home whose project `cherry` has a brain.
fn with_a_brain() -> (TestHome, PathBuf) {
    let home = TestHome::new();
    let cherry = home.cherry();
    stdout(&home, &cherry, &["bootstrap"]);
    (home, cherry)
}

#[test] // spec: MEM-48
fn a_version_of_the_past_is_called_superseded_and_says_when_it_was_put_on_record() {
    let (home, cherry) = with_a_brain();
    let line = json!({"label": "Cache", "text": "one", "created": "2026-01-02T00:00:00Z"});
    std::fs::write(cherry.join("batch.jsonl"), format!("{line}\n")).expect("a file");
    stdout(&home, &cherry, &["memorize", "--batch", "batch.jsonl"]);
    let mut seen = Seen::of(&home);
    see(&mut seen, &home, &cherry, &["show", "Cache", "--at", "2026-01-03"]);
    stdout(&home, &cherry, &["memorize", "Cache", "--text", "two"]);
    see(&mut seen, &home, &cherry, &["show", "Cache", "--at", "2026-01-03"]);
    see(&mut seen, &home, &cherry, &["show", "Cache"]);
    assert_seen!(seen);
}

#[test] // spec: MEM-2
fn what_git_has_of_a_project_is_said_only_where_git_has_it() {
    let (home, cherry) = with_a_brain();
    let mut seen = Seen::of(&home);
    stdout(&home, &cherry, &["init", "--private"]);
    see(&mut seen, &home, &cherry, &["eject"]);
    stdout(&home, &cherry, &["init", "--private"]);
    see(&mut seen, &home, &cherry, &["init", "--shared"]);
    git(&home, &cherry, &["add", ".brainstem"]);
    git(&home, &cherry, &["commit", "-q", "-m", "memory"]);
    stdout(&home, &cherry, &["init", "--private"]);
    see(&mut seen, &home, &cherry, &["init", "--shared"]);
    see(&mut seen, &home, &cherry, &["eject"]);
    assert_seen!(seen);
}

#[test] // spec: MEM-23
fn in_no_project_only_the_medulla_is_called_empty_and_bootstrap_gets_a_path() {
    let (home, cherry) = with_a_brain();
    stdout(&home, &cherry, &["memorize", "Cache", "--text", "cleared on deploy"]);
    let mut seen = Seen::of(&home);
    see(&mut seen, &home, home.user_home(), &["north", "the cache"]);
    assert_seen!(seen);
}

#[test] // spec: MEM-49
fn a_decision_with_a_side_and_a_text_is_told_that_both_were_given() {
    let (home, cherry) = with_a_brain();
    let mut seen = Seen::of(&home);
    see(&mut seen, &home, &cherry, &["resolve", "X", "--text", "a", "--take", "ours"]);
    assert_seen!(seen);
}

#[test] // spec: LTR-12, LTR-13
fn letters_that_were_asked_for_are_counted_beside_all_of_them() {
    let (home, cherry) = with_a_brain();
    for (class, what) in [("win", "one"), ("bug", "two"), ("bug", "three")] {
        stdout(&home, &cherry, &["letter", "write", "--class", class, "--what", what]);
    }
    let mut seen = Seen::of(&home);
    for words in [&["--class", "win"][..], &[], &["--state", "closed"]] {
        // The letters themselves come in an order of their ids.
        let words = [&["letter", "list"], words].concat();
        let mut ran = run(&home, &cherry, &words);
        ran.stdout = ran.stdout.lines().next().map(|line| format!("{line}\n")).unwrap_or_default();
        seen.add(&words, &ran);
    }
    see(&mut seen, &home, &cherry, &["sweep", "--class", "nope"]);
    stdout(&home, home.user_home(), &["letter", "write", "--class", "win", "--what", "about no project"]);
    let mut brains = run(&home, &cherry, &["brains"]);
    let medulla = brains.stdout.lines().find(|line| line.starts_with("medulla")).expect("the medulla");
    brains.stdout = format!("{medulla}\n");
    seen.add(&["brains"], &brains);
    assert_seen!(seen);
}

#[test] // spec: MAIL-4
fn a_connection_that_takes_a_name_is_one_live_session() {
    let home = TestHome::new();
    let call = |id: u32, name: &str, arguments: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": crate::mcp::with_document(name, arguments)}})
            .to_string()
    };
    let lines = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
            "capabilities": {}, "clientInfo": {"name": "Claude Code", "version": "1"}}})
        .to_string(),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string(),
        call(1, "mail_list", json!({})),
        call(2, "session_register", json!({"name": "w1"})),
        call(3, "session_register", json!({"name": "w1", "tag": ["worker"]})),
        call(4, "session_list", json!({})),
    ];
    let mut server = home.command(Path::new(PROGRAM));
    let ran = finish(server.current_dir(home.cherry()).arg("mcp"), (lines.join("\n") + "\n").as_bytes());
    let answers = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let listed = answers.into_iter().find(|answer| answer["id"] == 4).expect("an answer");
    let sessions = listed["result"]["structuredContent"]["sessions"].as_array().expect("sessions").clone();
    let live: Vec<&str> =
        sessions.iter().filter(|row| row["live"] == true).filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(live, ["w1"], "{listed}");
}

#[test] // spec: MEM-42
fn a_dry_run_of_an_import_lists_as_much_as_it_counts() {
    let (home, cherry) = with_a_brain();
    for text in ["one", "two", "three"] {
        stdout(&home, &cherry, &["memorize", "Cache", "--text", text]);
    }
    stdout(&home, &cherry, &["export", "--out", "../cherry.jsonl"]);
    let plan = |seen: &mut Seen, cwd: &Path| {
        let words = ["import", "../cherry.jsonl", "--dry-run"];
        let answer: Value =
            serde_json::from_str(&stdout(&home, cwd, &[&words[..], &["--json"]].concat())).expect("JSON");
        let counted = ["born", "superseded", "unchanged", "versions"];
        let counted: u64 = counted.iter().map(|key| answer[key].as_u64().expect("a count")).sum();
        assert_eq!(answer["rows"].as_array().map(Vec::len), usize::try_from(counted).ok(), "{answer}");
        see(seen, &home, cwd, &words);
    };
    let mut seen = Seen::of(&home);
    plan(&mut seen, &cherry);
    stdout(&home, &home.plum(), &["bootstrap"]);
    plan(&mut seen, &home.plum());
    assert_seen!(seen);
}

#[test] // spec: IF-3, IF-25
fn a_blank_name_is_refused_and_signs_as_nobody() {
    let (home, cherry) = with_a_brain();
    let mut seen = Seen::of(&home);
    for blank in ["", " "] {
        see(&mut seen, &home, &cherry, &["memorize", "Cache", "--text", "one", "--as", blank]);
    }
    assert_seen!(seen);
}

#[test] // spec: MEM-22, MEM-39
fn a_key_of_every_brain_says_whose_it_is() {
    let (home, cherry) = with_a_brain();
    let plum = home.plum();
    stdout(&home, &plum, &["bootstrap"]);
    stdout(&home, &cherry, &["boot", "set", "test", "cargo test"]);
    stdout(&home, &plum, &["boot", "set", "test", "npm test"]);
    let mut seen = Seen::of(&home);
    see(&mut seen, &home, &cherry, &["boot", "get", "test", "--tier", "all-brains"]);
    see(&mut seen, &home, &cherry, &["boot", "list"]);
    assert_seen!(seen);
}
