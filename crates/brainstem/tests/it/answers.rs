//! Answers whose words must be so: what was counted, what was asked for, and what git or the register really holds.

#![allow(clippy::disallowed_methods, reason = "a test makes repositories and files")]

use crate::program::{Ran, finish};
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_brainstem");

fn run(home: &TestHome, cwd: &Path, words: &[&str]) -> Ran {
    let mut command = home.command(Path::new(PROGRAM));
    finish(command.current_dir(cwd).env("USER", "ana").args(words), b"")
}

fn told(home: &TestHome, cwd: &Path, words: &[&str]) -> String {
    let ran = run(home, cwd, words);
    assert_eq!(ran.status, Some(0), "{words:?}: {ran:?}");
    ran.stdout
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
    told(&home, &cherry, &["bootstrap"]);
    (home, cherry)
}

#[test] // spec: MEM-48
fn a_version_of_the_past_is_called_superseded_and_says_when_it_was_put_on_record() {
    let (home, cherry) = with_a_brain();
    let line = json!({"label": "Cache", "text": "one", "created": "2026-01-02T00:00:00Z"});
    std::fs::write(cherry.join("batch.jsonl"), format!("{line}\n")).expect("a file");
    told(&home, &cherry, &["memorize", "--batch", "batch.jsonl"]);
    let early = told(&home, &cherry, &["show", "Cache", "--at", "2026-01-03"]);
    assert!(
        early.contains("this version was put on record at ")
            && early.contains("after the time you asked for"),
        "{early}"
    );
    told(&home, &cherry, &["memorize", "Cache", "--text", "two"]);
    let early = told(&home, &cherry, &["show", "Cache", "--at", "2026-01-03"]);
    assert!(early.contains("superseded since") && !early.contains("state unknown"), "{early}");
    let now = told(&home, &cherry, &["show", "Cache"]);
    assert!(!now.contains("after the time you asked for"), "{now}");
}

#[test] // spec: MEM-2
fn what_git_has_of_a_project_is_said_only_where_git_has_it() {
    let (home, cherry) = with_a_brain();
    let still = "git still has what was committed";
    told(&home, &cherry, &["init", "--private"]);
    let gone = told(&home, &cherry, &["eject"]);
    assert!(!gone.contains(still), "{gone}");
    told(&home, &cherry, &["init", "--private"]);
    let opened = told(&home, &cherry, &["init", "--shared"]);
    assert!(opened.contains("it was private"), "{opened}");
    git(&home, &cherry, &["add", ".brainstem"]);
    git(&home, &cherry, &["commit", "-q", "-m", "memory"]);
    told(&home, &cherry, &["init", "--private"]);
    let opened = told(&home, &cherry, &["init", "--shared"]);
    assert!(
        opened.contains("git tracks .brainstem all the same") && !opened.contains("it was private"),
        "{opened}"
    );
    let gone = told(&home, &cherry, &["eject"]);
    assert!(gone.contains(still), "{gone}");
}

#[test] // spec: MEM-23
fn in_no_project_only_the_medulla_is_called_empty_and_bootstrap_gets_a_path() {
    let (home, cherry) = with_a_brain();
    told(&home, &cherry, &["memorize", "Cache", "--text", "cleared on deploy"]);
    let beat = told(&home, home.user_home(), &["north", "the cache"]);
    assert!(beat.contains("No durable memory yet in the medulla; you are in no project"), "{beat}");
    assert!(beat.contains("brainstem bootstrap PATH: "), "{beat}");
}

#[test] // spec: MEM-49
fn a_decision_with_a_side_and_a_text_is_told_that_both_were_given() {
    let (home, cherry) = with_a_brain();
    let ran = run(&home, &cherry, &["resolve", "X", "--text", "a", "--take", "ours", "--json"]);
    assert_eq!((ran.status, ran.code().as_str()), (Some(1), "input.bad_value"));
    let message = ran.json()["error"]["message"].as_str().expect("a message").to_owned();
    assert!(message.contains("both"), "{message}");
}

#[test] // spec: LTR-12, LTR-13
fn letters_that_were_asked_for_are_counted_beside_all_of_them() {
    let (home, cherry) = with_a_brain();
    for (class, what) in [("win", "one"), ("bug", "two"), ("bug", "three")] {
        told(&home, &cherry, &["letter", "write", "--class", class, "--what", what]);
    }
    let first = |words: &[&str]| told(&home, &cherry, words).lines().next().unwrap_or_default().to_owned();
    assert!(first(&["letter", "list", "--class", "win"]).contains("1 of 3 letters matches; in all 3 open"));
    assert!(first(&["letter", "list"]).ends_with("  3 letters, 3 open, 0 closed"));
    let swept = told(&home, &cherry, &["sweep", "--class", "nope"]);
    assert!(swept.contains("none of 3 letters matches; in all 3 open, 0 closed"), "{swept}");
    assert!(told(&home, &cherry, &["letter", "list", "--state", "closed"]).contains("none of 3 letters"));
    told(&home, home.user_home(), &["letter", "write", "--class", "win", "--what", "about no project"]);
    let brains = told(&home, &cherry, &["brains"]);
    let medulla = brains.lines().find(|line| line.starts_with("medulla")).expect("the medulla");
    assert_eq!(medulla, "medulla  0 claims  of at most 200, shared by all projects, 1 open letter");
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
        told(&home, &cherry, &["memorize", "Cache", "--text", text]);
    }
    told(&home, &cherry, &["export", "--out", "../cherry.jsonl"]);
    let plan = |cwd: &Path| {
        let words = ["import", "../cherry.jsonl", "--dry-run"];
        let answer: Value =
            serde_json::from_str(&told(&home, cwd, &[&words[..], &["--json"]].concat())).expect("JSON");
        let counted = ["born", "superseded", "unchanged", "versions"];
        let counted: u64 = counted.iter().map(|key| answer[key].as_u64().expect("a count")).sum();
        assert_eq!(answer["rows"].as_array().map(Vec::len), usize::try_from(counted).ok(), "{answer}");
        told(&home, cwd, &words)
    };
    assert!(plan(&cherry).contains("  unchanged in cherry@"));
    told(&home, &home.plum(), &["bootstrap"]);
    assert!(plan(&home.plum()).contains("Cache  an earlier version, into the history in plum@"));
}

#[test] // spec: IF-3, IF-25
fn a_blank_name_is_refused_and_signs_as_nobody() {
    let (home, cherry) = with_a_brain();
    for blank in ["", " "] {
        let ran = run(&home, &cherry, &["memorize", "Cache", "--text", "one", "--as", blank, "--json"]);
        assert_eq!(ran.status, Some(1), "{ran:?}");
        assert!(
            ran.json()["error"]["message"].as_str().is_some_and(|told| told.contains("empty")),
            "{ran:?}"
        );
    }
}

#[test] // spec: MEM-22, MEM-39
fn a_key_of_every_brain_says_whose_it_is() {
    let (home, cherry) = with_a_brain();
    let plum = home.plum();
    told(&home, &plum, &["bootstrap"]);
    told(&home, &cherry, &["boot", "set", "test", "cargo test"]);
    told(&home, &plum, &["boot", "set", "test", "npm test"]);
    let all = told(&home, &cherry, &["boot", "get", "test", "--tier", "all-brains"]);
    let line = |value: &str| all.lines().find(|line| line.contains(value)).unwrap_or_default().to_owned();
    assert!(line("cargo test").contains("cherry@") && line("npm test").contains("plum@"), "{all}");
    let own = told(&home, &cherry, &["boot", "list"]);
    assert!(own.contains("project · by"), "{own}");
}
