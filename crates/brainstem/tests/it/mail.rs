//! Mail as its users meet it: the command line, MCP, and a shell that has only `ls`, `cat` and `mv`.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "people move files by hand here")]

mod conversation;
mod hostile;
mod repository;
mod wording;

use crate::program::{Ran, finish};
use crate::seen::Seen;
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs the program as a session in a folder.
fn run(home: &TestHome, session: &str, folder: &Path, words: &[&str]) -> Ran {
    let mut command = home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
    finish(command.current_dir(folder).env("BRAINSTEM_SESSION", session).args(words), b"")
}

/// Runs it, and adds what came of it to what was seen.
fn see(seen: &mut Seen, home: &TestHome, session: &str, folder: &Path, words: &[&str]) {
    let mut command = home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
    command.current_dir(folder).env("BRAINSTEM_SESSION", session).env("USER", "eve").args(words);
    seen.add(words, &finish(&mut command, b""));
}

fn answer(home: &TestHome, session: &str, folder: &Path, words: &[&str]) -> Value {
    let ran = run(home, session, folder, &[&["--json"], words].concat());
    assert_eq!(ran.status, Some(0), "{words:?}: {ran:?}");
    ran.json()
}

fn shell(folder: &Path, script: &str) -> String {
    let out = Command::new("sh").arg("-c").arg(script).current_dir(folder).output().unwrap();
    assert!(out.status.success(), "{script}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// Asks tools over MCP, in their order; returns what each answers.
fn tools(home: &TestHome, folder: &Path, asked: &[(&str, Value)]) -> Vec<Value> {
    let mut lines = vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
            "capabilities": {}, "clientInfo": {"name": "Claude Code", "version": "1"}}})
        .to_string(),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string(),
    ];
    lines.extend(asked.iter().enumerate().map(|(at, (name, arguments))| {
        let params = json!({"name": name, "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": at + 1, "method": "tools/call", "params": params}).to_string()
    }));
    let mut server = home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
    let ran = finish(server.current_dir(folder).arg("mcp"), (lines.join("\n") + "\n").as_bytes());
    let mut answers: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    answers.sort_by_key(|answer| answer["id"].as_i64());
    answers[1..].iter().map(|answer| answer["result"]["structuredContent"].clone()).collect()
}
