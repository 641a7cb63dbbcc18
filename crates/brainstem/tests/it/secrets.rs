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
