//! A secret never gets in, by whatever way it is pasted, and no answer repeats it.

#![allow(clippy::disallowed_methods, reason = "a test searches every file for what must not be there")]

use crate::program::{Ran, finish};
use brainstem_testkit::TestHome;
use std::fs;
use std::path::Path;

/// Built from pieces, so that no scanner takes this file for a leak.
fn token() -> String {
    ["ghp", "_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat()
}

fn run(home: &TestHome, words: &[&str], stdin: &[u8]) -> Ran {
    let mut command = home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
    finish(command.current_dir(home.cherry()).args(words).args(["--json", "--as", "codex:maker"]), stdin)
}

/// Every byte of every file below a folder.
fn everything(folder: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        all.extend(path.as_os_str().as_encoded_bytes());
        if path.is_dir() {
            all.extend(everything(&path));
        } else {
            all.extend(fs::read(&path).expect("a file"));
        }
    }
    all
}

#[test] // spec: MEM-14
fn a_secret_is_refused_wherever_it_stands_and_never_repeated() {
    let home = TestHome::new();
    run(&home, &["bootstrap"], b"");
    run(&home, &["memorize", "Kept", "--text", "x"], b"");
    let token = token();
    let with = format!("the key is {token}");
    let batch =
        format!("{{\"label\": \"a\", \"text\": \"fine\"}}\n{{\"label\": \"b\", \"text\": \"{with}\"}}\n");
    let table: Vec<(Vec<&str>, &str)> = vec![
        (vec!["memorize", &with, "--text", "x"], "label"),
        (vec!["memorize", "x", "--text", &with], "text"),
        (vec!["memorize", "x", "--title", &with], "title"),
        (vec!["memorize", "x", "--confidence", &token], "confidence"),
        (vec!["memorize", "x", "--state", &token], "state"),
        (vec!["memorize", "x", "--kind", &token], "kind"),
        (vec!["memorize", "x", "--tier", &token], "tier"),
        (vec!["memorize", "x", "--tags", &token], "tags"),
        (vec!["memorize", "x", "--group", &token], "group"),
        (vec!["memorize", "x", "--evidence", &token], "evidence"),
        (vec!["memorize", "x", "--depends-on", &token], "depends_on"),
        (vec!["memorize", "x", "--tier", "medulla", "--text", &with], "text"),
        (vec!["retract", "Kept", "--reason", &with], "reason"),
        (vec!["learn", "Kept", "wrong", "--note", &with], "note"),
        (vec!["learn", "Kept", &token], "verdict"),
        (vec!["rename", "Kept", &token], "to"),
    ];
    for (words, field) in table {
        let ran = run(&home, &words, b"");
        assert_eq!(ran.code(), "hygiene.secret", "{words:?}");
        assert_eq!(ran.json()["error"]["field"], field, "{words:?}");
        let message = ran.json()["error"]["message"].as_str().unwrap_or_default().to_owned();
        assert!(message.contains("github_token"), "the rule is named: {message}");
        assert!(!ran.stdout.contains(&token) && !ran.stderr.contains(&token), "{words:?} repeats it");
    }
    let from_stdin = run(&home, &["memorize", "x", "-"], with.as_bytes());
    assert_eq!(from_stdin.code(), "hygiene.secret");
    let ran = run(&home, &["memorize", "--batch", "-"], batch.as_bytes());
    assert_eq!(ran.json()["lines"][1]["code"], "hygiene.secret", "{ran:?}");
    assert!(!ran.stdout.contains(&token));
    let all = everything(home.user_home());
    assert!(!all.windows(token.len()).any(|window| window == token.as_bytes()), "the secret is on the disk");
}

#[test] // spec: MEM-14, MAIL-7
fn the_file_name_of_a_message_is_masked_wherever_it_is_shown() {
    let home = TestHome::new();
    run(&home, &["bootstrap"], b"");
    let sent = run(&home, &["mail", "send", "--to", "w1", "--type", "task", "--body", "the plum task"], b"");
    let path = sent.json()["path"].as_str().expect("a path").to_owned();
    let path = home.cherry().join(path);
    let token = token();
    fs::rename(&path, path.with_file_name(format!("20261116T070009Z_{token}_task.md"))).expect("a file");
    for words in [
        &["mail", "list", "--box", "w1"][..],
        &["mail", "list", "--all"],
        &["mail", "search", "plum", "--box", "w1"],
        &["mail", "thread", "20261116T070009Z", "--box", "w1"],
        &["mail", "read", "--box", "w1"],
        &["mail", "claim", "--box", "w1", "--force"],
    ] {
        let ran = run(&home, words, b"");
        assert!(!ran.stdout.contains(&token) && !ran.stderr.contains(&token), "{words:?} shows it: {ran:?}");
        let page = run_as(&home, Some("codex:maker"), words, b"");
        assert!(
            !page.stdout.contains(&token) && !page.stderr.contains(&token),
            "{words:?} shows it: {page:?}"
        );
    }
}

/// Runs without naming an agent, unless the words or the variable do.
fn run_as(home: &TestHome, agent: Option<&str>, words: &[&str], stdin: &[u8]) -> Ran {
    let mut command = home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
    command.current_dir(home.cherry()).args(words).env("TMPDIR", home.user_home());
    command.envs(agent.map(|agent| ("BRAINSTEM_AGENT", agent)));
    finish(&mut command, stdin)
}

#[test] // spec: MEM-14, IF-3
fn a_secret_is_no_agent_id_whoever_says_it() {
    let home = TestHome::new();
    run(&home, &["bootstrap"], b"");
    let token = token();
    let (role, person) = (format!("codex:{token}"), format!("human:{token}"));
    let line = format!("{{\"label\": \"a\", \"text\": \"b\", \"agent\": \"{token}\"}}\n");
    let memorize = ["memorize", "x", "--text", "y", "--json"];
    let hello = format!(
        "{}\n{}\n{}\n",
        r#"{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "Test", "version": "1"}}}"#,
        r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#,
        format_args!(
            r#"{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {{"name": "memorize", "arguments": {{"label": "x", "text": "y", "agent_id": "{token}"}}}}}}"#
        ),
    );
    let table: Vec<(Option<&str>, Vec<&str>, &[u8])> = vec![
        (Some(&token), memorize.to_vec(), b""),
        (Some(&role), memorize.to_vec(), b""),
        (None, [&memorize[..], &["--as", &role]].concat(), b""),
        (None, vec!["whoami", "--json", "--as", &token], b""),
        (None, vec!["config", "get", "agent", "--json", "--as", &token], b""),
        (None, vec!["config", "set", "agent", &role, "--json"], b""),
        (None, vec!["config", "set", "owner", &person, "--json"], b""),
        (None, vec!["memorize", "--batch", "-", "--json"], line.as_bytes()),
        (None, vec!["mcp"], hello.as_bytes()),
    ];
    for (agent, words, stdin) in table {
        let ran = run_as(&home, agent, &words, stdin);
        assert!(ran.stdout.contains("hygiene.secret"), "{words:?}: {ran:?}");
        assert!(!ran.stdout.contains(&token) && !ran.stderr.contains(&token), "{words:?} repeats it");
    }
    let all = everything(home.user_home());
    assert!(!all.windows(token.len()).any(|window| window == token.as_bytes()), "the secret is on the disk");
}

#[test] // spec: MEM-14
fn no_refusal_repeats_a_secret_nor_a_part_of_one() {
    let home = TestHome::new();
    run(&home, &["bootstrap"], b"");
    let token = token();
    // What is echoed is cut: half a secret is not known as one, and is one all the same.
    let cut = format!("what I was given: {token}");
    let field = format!("--{token}");
    let created = format!("{{\"label\": \"a\", \"text\": \"b\", \"created\": \"{cut}\"}}\n");
    let named = format!("{{\"label\": \"a\", \"text\": \"b\", \"{cut}\": 1}}\n");
    let asked = format!("{{\"query\": \"a\", \"tier\": \"{cut}\"}}\n");
    let table: Vec<(Vec<&str>, &[u8])> = vec![
        (vec!["show", &token], b""),
        (vec!["show", &cut], b""),
        (vec!["show", "x", "--at", &cut], b""),
        (vec!["forget", &token], b""),
        (vec!["retract", &cut], b""),
        (vec!["edit", &cut], b""),
        (vec!["list", "--since", &token], b""),
        (vec!["list", "--since", &cut], b""),
        (vec!["list", "--tier", &cut], b""),
        (vec!["config", "get", &token], b""),
        (vec!["config", "set", &cut, "x"], b""),
        (vec!["config", "set", "writes_per_minute", &cut], b""),
        (vec!["memorize", "x", "--text-file", &token], b""),
        (vec!["import", &token], b""),
        (vec!["list", &field], b""),
        (vec![&token], b""),
        (vec!["memorize", "--batch", "-"], created.as_bytes()),
        (vec!["memorize", "--batch", "-"], named.as_bytes()),
        (vec!["seek", "--batch", "-"], asked.as_bytes()),
    ];
    for (words, stdin) in table {
        for json in [&["--json"][..], &[]] {
            let ran = run_as(&home, Some("codex:maker"), &[&words, json].concat(), stdin);
            assert_ne!(ran.status, Some(0), "{words:?}");
            let part = &token[4..12];
            assert!(!ran.stdout.contains(part) && !ran.stderr.contains(part), "{words:?}: {ran:?}");
        }
    }
}

#[test] // spec: MEM-14, MEM-48
fn an_editors_file_is_left_behind_only_for_what_is_worth_keeping() {
    let home = TestHome::new();
    run(&home, &["bootstrap"], b"");
    run(&home, &["memorize", "Kept", "--text", "three times"], b"");
    let left = || {
        let entries = fs::read_dir(home.user_home()).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        names.filter(|name| name.starts_with("brainstem-edit-")).count()
    };
    let pasted = format!("sed -i 's/three/{}/'", token());
    let renamed = format!("sed -i 's/Kept/Other/; s/three/{}/'", token());
    let table = [
        (pasted.as_str(), Some("hygiene.secret"), 0),
        (&renamed, Some("hygiene.secret"), 0),
        ("true", None, 0),
        ("false", Some("edit.failed"), 0),
        ("no-such-editor", Some("edit.failed"), 0),
        ("sed -i 's/three/four/; q7'", Some("edit.failed"), 1),
    ];
    for (editor, code, files) in table {
        let mut command = home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        command.current_dir(home.cherry()).args(["edit", "Kept", "--json", "--as", "codex:maker"]);
        let ran = finish(command.env("TMPDIR", home.user_home()).env("VISUAL", editor), b"");
        assert_eq!(ran.json()["error"]["code"].as_str(), code, "{editor}: {ran:?}");
        assert_eq!(left(), files, "{editor}: {ran:?}");
    }
    let all = everything(home.user_home());
    assert!(!all.windows(40).any(|window| window == token().as_bytes()), "the secret is on the disk");
}

#[test] // spec: MEM-14
fn prose_about_secrets_passes() {
    let home = TestHome::new();
    run(&home, &["bootstrap"], b"");
    for text in [
        "The password lives in the keychain; never write it down.",
        "Work through the task-list before the risk-review.",
        "Fixed in 3f2504e04f8941d39a0c0305e82c3301aabbccdd.",
        "Set API_KEY=${API_KEY} in the environment.",
    ] {
        let ran = run(&home, &["memorize", "Prose", "--text", text], b"");
        assert_eq!(ran.status, Some(0), "{text}: {ran:?}");
    }
}
