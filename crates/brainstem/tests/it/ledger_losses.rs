//! A ledger that was lost, restored, changed or damaged: every reader says so, and nothing is signed over it.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test changes files of its own home")]

use crate::inbox::{ask, run};
use brainstem_sqlite::rusqlite::Connection;
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

fn send(home: &TestHome, subject: &str, priority: &str) -> Value {
    let words = ["--as", "codex:maker", "inbox", "send", "--to", "human", "--type", "fyi"];
    ask(home, &[&words[..], &["--subject", subject, "--priority", priority]].concat())
}

fn ledger_file(home: &TestHome) -> PathBuf {
    home.path().join("ledger/ledger.sqlite")
}

/// Puts a file in the place of the ledger, as a person restores a backup.
fn put_ledger(home: &TestHome, bytes: Option<&[u8]>) {
    for end in ["-wal", "-shm", ""] {
        let _ = std::fs::remove_file(home.path().join(format!("ledger/ledger.sqlite{end}")));
    }
    if let Some(bytes) = bytes {
        std::fs::write(ledger_file(home), bytes).unwrap();
    }
}

fn findings(home: &TestHome) -> Vec<String> {
    let doctor = run(home, &["doctor"]).json();
    doctor["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test] // spec: LED-4a, INB-9
fn an_urgent_message_is_never_hidden_behind_one_that_a_restore_took_away() {
    let home = TestHome::new();
    send(&home, "first", "3");
    ask(&home, &["inbox", "list"]);
    let older = std::fs::read(ledger_file(&home)).unwrap();
    // The short way puts it into the inbox before any reader came that far.
    send(&home, "lost", "1");
    put_ledger(&home, Some(&older));
    let words =
        ["--as", "codex:maker", "inbox", "send", "--to", "human", "--type", "fyi", "--subject", "new"];
    let refused = run(&home, &[&words[..], &["--priority", "1"]].concat());
    assert_eq!(refused.code(), "inbox.ledger_changed", "{refused:?}");
    assert_eq!(run(&home, &["inbox", "list"]).code(), "inbox.ledger_changed");
    assert_eq!(run(&home, &["inbox", "rebuild"]).code(), "inbox.ledger_changed");
    assert_eq!(run(&home, &["ledger", "verify"]).json()["completeness"]["holds"], false);
    ask(&home, &["inbox", "rebuild", "--accept"]);
    send(&home, "new", "1");
    let listed = ask(&home, &["inbox", "list"]);
    let subjects: Vec<&Value> =
        listed["messages"].as_array().unwrap().iter().map(|message| &message["subject"]).collect();
    assert_eq!(subjects, [&json!("new"), &json!("first")]);
}

#[test] // spec: LED-6
fn no_verb_takes_a_lost_ledger_for_an_empty_one() {
    for lost in [None, Some(&b""[..])] {
        let home = TestHome::new();
        let topic = send(&home, "one", "3")["topic_id"].as_str().unwrap().to_owned();
        ask(&home, &["inbox", "list"]);
        put_ledger(&home, lost);
        let out = |name: &str| home.cherry().join(name).display().to_string();
        let (lines, backup, folder) = (out("lines.jsonl"), out("backup.sqlite"), out("copy"));
        for words in [
            &["ledger", "topics"][..],
            &["ledger", "show", &topic],
            &["ledger", "tail", &topic],
            &["ledger", "receipt", &topic, "1"],
            &["ledger", "head"],
            &["ledger", "redact", &topic, "1", "--reason", "asked", "--yes"],
            &["ledger", "export", "--out", &lines],
            &["ledger", "export", "--format", "sqlite", "--out", &backup],
        ] {
            let ran = run(&home, words);
            assert_eq!(ran.code(), "ledger.damaged", "{words:?}: {ran:?}");
        }
        assert!(!Path::new(&lines).exists() && !Path::new(&backup).exists(), "no backup of nothing");
        let copied = ask(&home, &["export", "--all", "--format", "dir", "--out", &folder]);
        let gaps: Vec<&Value> = copied["gaps"].as_array().unwrap().iter().map(|gap| &gap["name"]).collect();
        assert!(gaps.contains(&&json!("unreadable_ledger")), "{copied}");
    }
}

#[test] // spec: LED-4b
fn no_head_or_receipt_is_signed_over_topics_that_contradict_the_last_head() {
    for change in [
        "UPDATE topics SET submitter = '0.0.1000' WHERE num = TOPIC",
        "UPDATE topics SET memo = 'other' WHERE num = TOPIC",
        "DELETE FROM heads WHERE topic = (SELECT max(num) FROM topics); DELETE FROM topics WHERE num = (SELECT max(num) FROM topics)",
        "DELETE FROM heads",
    ] {
        let home = TestHome::new();
        let topic = send(&home, "one", "3")["topic_id"].as_str().unwrap().to_owned();
        ask(&home, &["inbox", "list"]);
        ask(&home, &["ledger", "head"]);
        let signed = std::fs::read(home.path().join("ledger/ledger.head")).unwrap();
        let change = change.replace("TOPIC", topic.rsplit('.').next().unwrap());
        let file = Connection::open(ledger_file(&home)).unwrap();
        file.execute_batch(&format!("PRAGMA foreign_keys = OFF; {change}")).unwrap();
        drop(file);
        assert_eq!(run(&home, &["ledger", "verify"]).status, Some(1), "{change}");
        assert_eq!(run(&home, &["ledger", "head"]).code(), "ledger.changed", "{change}");
        assert_eq!(run(&home, &["ledger", "receipt", &topic, "1"]).code(), "ledger.changed", "{change}");
        assert_eq!(std::fs::read(home.path().join("ledger/ledger.head")).unwrap(), signed, "{change}");
        assert_eq!(run(&home, &["ledger", "verify"]).status, Some(1), "{change}");
    }
}

#[test] // spec: LED-6, LED-1b
fn a_damaged_index_is_named_by_verify_and_doctor() {
    let home = TestHome::new();
    send(&home, "one", "3");
    ask(&home, &["inbox", "list"]);
    let file = Connection::open(ledger_file(&home)).unwrap();
    file.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(())).unwrap();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_messages_1'";
    let page: usize = file.query_row(sql, (), |row| row.get::<_, i64>(0)).unwrap().try_into().unwrap();
    let len: usize =
        file.query_row("PRAGMA page_size", (), |row| row.get::<_, i64>(0)).unwrap().try_into().unwrap();
    drop(file);
    let mut bytes = std::fs::read(ledger_file(&home)).unwrap();
    bytes[(page - 1) * len + len / 2..page * len].fill(0xff);
    put_ledger(&home, Some(&bytes));
    let ran = run(&home, &["ledger", "verify"]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let told = ran.json()["integrity"].to_string();
    assert!(told.contains("sqlite_autoindex_messages_1"), "{told}");
    let doctor = run(&home, &["doctor"]);
    assert_eq!(doctor.status, Some(1));
    assert!(doctor.stdout.contains("sqlite_autoindex_messages_1"), "{doctor:?}");
}

#[test] // spec: LED-5
fn a_redaction_that_was_done_is_not_answered_as_refused() {
    let home = TestHome::new();
    let payload = "lorem ipsum dolor ".repeat(3_000);
    let mut topic = String::new();
    for _ in 0..10 {
        let words =
            ["inbox", "send", "--to", "codex", "--type", "fyi", "--subject", "x", "--payload", &payload];
        topic = ask(&home, &words)["topic_id"].as_str().unwrap().to_owned();
    }
    let redact = ["ledger", "redact", &topic, "10", "--reason", "asked", "--yes", "--json"];
    // Files may not grow beyond 256 KiB: there is room for the record, and none to write the ledger anew.
    let mut limited = Command::new("bash");
    let program = env!("CARGO_BIN_EXE_brainstem");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 256; exec \"$0\" \"$@\"", program]).args(redact);
    let model = home.command(Path::new(program));
    limited.current_dir(home.cherry()).env_clear();
    limited.envs(model.get_envs().filter_map(|(name, value)| Some((name, value?))));
    limited.env("USER", "ana").env("PATH", "/usr/bin:/bin");
    let ran = crate::program::finish(&mut limited, b"");
    assert_eq!(ran.code(), "ledger.erasure_due", "{ran:?}");
    let shown = ask(&home, &["ledger", "show", &topic, "10"]);
    assert!(shown.to_string().contains("redacted"), "{shown}");
    assert!(findings(&home).contains(&"ledger_erasure_due".to_owned()));
    assert_eq!(ask(&home, &redact[..7])["messages"][0]["repeated"], true);
    assert!(!findings(&home).contains(&"ledger_erasure_due".to_owned()));
}
