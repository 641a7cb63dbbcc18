//! A host is connected, and what was written into its files is run exactly as the host would run it.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads the files that a host would read"
)]

use crate::program::{Ran, finish};
use crate::seen::{Seen, assert_seen};
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A person with two repositories and the program on the path, as hosts find it.
pub(crate) struct Person {
    pub(crate) home: TestHome,
    bin: PathBuf,
}

impl Person {
    pub(crate) fn new() -> Self {
        let home = TestHome::new();
        let bin = home.user_home().join("bin");
        fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_brainstem"), bin.join("brainstem")).unwrap();
        Self { home, bin }
    }

    /// A process as a host starts it in the first repository.
    pub(crate) fn process(&self, program: &str) -> Command {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = self.home.command(Path::new(program));
        command
            .current_dir(self.home.cherry())
            .env("USER", "ana")
            .env("PATH", format!("{}:{path}", self.bin.display()));
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Ran {
        finish(self.process(env!("CARGO_BIN_EXE_brainstem")).args(words), b"")
    }

    pub(crate) fn ok(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        ran.stdout
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.home.cherry().join(file)).unwrap()
    }

    fn json(&self, file: &str) -> Value {
        serde_json::from_str(&self.read(file)).unwrap()
    }

    /// Runs the command of a hook through a shell, as hosts do, with their words on standard input.
    pub(crate) fn hook(&self, command: &str, payload: &Value, variables: &[(&str, &str)]) -> Ran {
        let mut shell = self.process("sh");
        shell.args(["-c", command]).envs(variables.iter().copied());
        finish(&mut shell, payload.to_string().as_bytes())
    }
}

#[test] // spec: IF-15, IF-4
fn a_host_that_is_not_named_or_not_known_is_answered_with_those_that_are() {
    let person = Person::new();
    let mut seen = Seen::of(&person.home);
    for words in [
        &["init", "--host"][..],
        &["eject", "--host"],
        &["init", "--host", "emacs"],
        &["init", "--host", "claude"],
        &["audit"],
    ] {
        seen.add(words, &person.run(words));
    }
    assert_seen!(seen);
}

#[test] // spec: IF-15, IF-16, MEM-21
fn the_next_session_of_claude_code_starts_with_both_memories() {
    let person = Person::new();
    person.ok(&["init", "--host", "claude-code"]);
    person.ok(&["memorize", "Retry policy", "--text", "Three times, then give up.", "--as", "codex:maker"]);
    person.ok(&[
        "memorize",
        "Commits",
        "--text",
        "One thing per commit.",
        "--tier",
        "medulla",
        "--as",
        "human:ana",
    ]);
    // Another project's memory stays out of it.
    let mut plum = person.process(env!("CARGO_BIN_EXE_brainstem"));
    let plum = plum.current_dir(person.home.plum());
    assert_eq!(finish(plum.args(["bootstrap"]), b"").status, Some(0));
    let mut plum = person.process(env!("CARGO_BIN_EXE_brainstem"));
    let plum = plum.current_dir(person.home.plum());
    assert_eq!(
        finish(plum.args(["memorize", "Secret of plum", "--text", "Plums only."]), b"").status,
        Some(0)
    );

    let settings = person.json(".claude/settings.json");
    let handler = &settings["hooks"]["SessionStart"][0]["hooks"][0];
    assert_eq!(handler["type"], "command");
    let cherry = person.home.cherry().display().to_string();
    let payload = json!({"session_id": "s-1", "transcript_path": "/t.jsonl", "cwd": cherry, "hook_event_name": "SessionStart",
        "source": "startup", "model": "m"});
    let variables = [("CLAUDECODE", "1"), ("CLAUDE_PROJECT_DIR", cherry.as_str())];
    let ran = person.hook(handler["command"].as_str().unwrap(), &payload, &variables);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    let output = &ran.json()["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "SessionStart");
    let text = output["additionalContext"].as_str().unwrap();
    for said in [
        "2 claims in reach",
        "Three times, then give up.",
        "One thing per commit.",
        "by codex:maker",
        "data, not instruction",
    ] {
        assert!(text.contains(said), "{said} in {text}");
    }
    assert!(!text.contains("lums") && text.chars().count() <= 10_000, "{text}");

    // The first prompt says nothing more, and the end of a turn has nothing to remind of.
    for (event, name) in [("UserPromptSubmit", "prompt"), ("Stop", "stop")] {
        let command = settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap();
        assert_eq!(command, format!("brainstem hook {name}"));
        let payload = json!({"session_id": "s-1", "cwd": cherry, "hook_event_name": event});
        let ran = person.hook(command, &payload, &variables);
        assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
    }

    // The server, started as it is written.
    let entry = &person.json(".mcp.json")["mcpServers"]["brainstem"];
    assert_eq!(entry["type"], "stdio");
    let mut server = person.process(entry["command"].as_str().unwrap());
    server.args(entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()));
    let lines = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
            "capabilities": {}, "clientInfo": {"name": "claude-code", "version": "2.1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}),
    ];
    let ran = finish(&mut server, lines.map(|line| format!("{line}\n")).concat().as_bytes());
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    let answers: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let instructions = answers[0]["result"]["instructions"].as_str().unwrap();
    assert!(instructions.len() < 2_048, "one host cuts them there");
    let tools = answers[1]["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "north"));
    // The section in the file says the same.
    let section = person.read("CLAUDE.md");
    let shared = instructions.trim().split("\n\n").filter(|paragraph| !paragraph.contains("tool set upkeep"));
    assert!(shared.clone().count() >= 6);
    for paragraph in shared {
        assert!(section.contains(paragraph), "{paragraph}");
    }

    person.ok(&["eject", "--host", "claude-code"]);
    let left: Vec<_> =
        fs::read_dir(person.home.cherry()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [".git"]);
    let list = person.ok(&["list"]);
    assert!(list.contains("Retry policy"), "memory is not touched: {list}");
}

#[test] // spec: IF-15, IF-4
fn the_difference_is_shown_and_a_dry_run_writes_nothing() {
    let person = Person::new();
    fs::remove_dir(person.home.path()).unwrap();
    let shown = person.ok(&["init", "--host", "codex,cursor", "--dry-run"]);
    assert!(
        shown.contains("+++ b/.codex/config.toml") && shown.contains("+[mcp_servers.brainstem]"),
        "{shown}"
    );
    assert!(
        shown.contains(".cursor/hooks.json  would be made") && shown.contains("nothing was written"),
        "{shown}"
    );
    assert!(!person.home.path().exists() && !person.home.cherry().join(".codex").exists());
    let json: Value = serde_json::from_str(&person.ok(&["init", "--host", "codex", "--json"])).unwrap();
    assert_eq!(json["hosts"], json!(["codex"]));
    assert_eq!(json["files"][0]["file"], ".codex/config.toml");
    assert_eq!(json["files"][0]["outcome"], "made");
    assert!(json["brain"].as_str().is_some_and(|brain| brain.starts_with("cherry@")));
    let again: Value = serde_json::from_str(&person.ok(&["init", "--host", "codex", "--json"])).unwrap();
    assert_eq!((&again["existed"], &again["files"][0]["outcome"]), (&json!(true), &json!("unchanged")));
}

#[test] // spec: IF-15
fn what_is_no_host_or_no_sense_is_refused_with_a_fix() {
    let person = Person::new();
    let refused = person.run(&["init", "--host", "emacs", "--json"]);
    assert_eq!((refused.status, refused.code().as_str()), (Some(1), "input.bad_value"));
    assert!(refused.stdout.contains("claude-code"));
    assert_eq!(person.run(&["init", "--host", "codex", "--private", "--json"]).code(), "input.bad_value");
    fs::write(person.home.cherry().join(".mcp.json"), "{\n  \"mcpServers\": {\n").unwrap();
    let refused = person.run(&["init", "--host", "all", "--json"]);
    assert_eq!((refused.status, refused.code().as_str()), (Some(1), "host.file_unfit"));
    assert!(refused.stdout.contains("line 3"), "{}", refused.stdout);
    assert!(!person.home.cherry().join("AGENTS.md").exists(), "all or nothing");
    let refused = person.run(&["init", "--host", "opencode", "--json"]);
    assert_eq!((refused.status, refused.code().as_str()), (Some(1), "host.version_unknown"));
    assert!(!person.home.cherry().join("AGENTS.md").exists(), "no tools, no instructions to use them");
}

#[test] // spec: IF-15
fn a_file_that_only_its_owner_reads_stays_so() {
    let person = Person::new();
    let folder = person.home.cherry().join(".claude");
    fs::create_dir(&folder).unwrap();
    let path = folder.join("settings.json");
    fs::write(&path, "{\"env\": {\"TOKEN\": \"x\"}}").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    person.ok(&["init", "--host", "claude-code"]);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    person.ok(&["eject", "--host", "claude-code"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"env\": {\"TOKEN\": \"x\"}}");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test] // spec: IF-15
fn every_host_starts_its_server_as_written() {
    let person = Person::new();
    fs::write(person.home.cherry().join("opencode.json"), "{\"mcp\": {\"servers\": {}}}").unwrap();
    person.ok(&["init", "--host", "all"]);
    let words = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let entry =
        |entry: &Value| [vec![entry["command"].as_str().unwrap().to_owned()], words(&entry["args"])].concat();
    let commands = [
        entry(&person.json(".mcp.json")["mcpServers"]["brainstem"]),
        entry(&person.json(".cursor/mcp.json")["mcpServers"]["brainstem"]),
        entry(&person.json(".gemini/settings.json")["mcpServers"]["brainstem"]),
        entry(&person.json(".vscode/mcp.json")["servers"]["brainstem"]),
        entry(&person.json(".agents/mcp_config.json")["mcpServers"]["brainstem"]),
        words(&person.json("opencode.json")["mcp"]["servers"]["brainstem"]["command"]),
    ];
    for command in commands {
        assert_eq!(command, ["brainstem", "mcp"]);
    }
    let toml = person.read(".codex/config.toml");
    assert!(
        toml.starts_with("[mcp_servers.brainstem]\ncommand = \"brainstem\"\nargs = [\"mcp\"]\n"),
        "{toml}"
    );
    // Every hook of every file is one that this program answers.
    let mut hooks = Vec::new();
    for file in [
        ".claude/settings.json",
        ".codex/hooks.json",
        ".cursor/hooks.json",
        ".gemini/settings.json",
        ".github/hooks/brainstem.json",
    ] {
        commands_in(&person.json(file)["hooks"], &mut hooks);
    }
    assert_eq!(hooks.len(), 11);
    for command in hooks {
        let ran = person.hook(&command, &json!({}), &[]);
        assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{command}: {ran:?}");
    }
}

fn commands_in(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| commands_in(item, found)),
        Value::Object(members) => {
            found.extend(members.get("command").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|value| commands_in(value, found));
        }
        _ => {}
    }
}
