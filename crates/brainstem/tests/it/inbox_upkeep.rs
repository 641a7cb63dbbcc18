//! The inbox as a person looks after it: ids of sessions, a chain that was rewritten whole, a rebuild, a redaction.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test changes files of its own home")]

use crate::program::Ran;
use crate::program::finish;
use brainstem_ledger::running_hash::ChainLink;
use brainstem_ledger::{ConsensusTime, ContentHash, RunningHash, Sequence, TopicId};
use brainstem_sqlite::rusqlite::Connection;
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::path::Path;

fn run(home: &TestHome, words: &[&str]) -> Ran {
    let mut command = home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
    finish(command.current_dir(home.cherry()).env("USER", "ana").arg("--json").args(words), b"")
}

fn ask(home: &TestHome, words: &[&str]) -> Value {
    let ran = run(home, words);
    assert_eq!(ran.status, Some(0), "{words:?}: {ran:?}");
    ran.json()
}

fn send(home: &TestHome, subject: &str) -> Value {
    ask(
        home,
        &["--as", "codex:maker", "inbox", "send", "--to", "human", "--type", "fyi", "--subject", subject],
    )
}

/// Puts other words into the first message of a topic, and makes every hash behind it fit.
fn rewrite(home: &TestHome, topic: &str, from: &str, to: &str) {
    let id: TopicId = topic.parse().unwrap();
    let mut file = Connection::open(home.path().join("ledger/ledger.sqlite")).unwrap();
    let change = file.transaction().unwrap();
    let sql = "SELECT position, sequence, seconds, nanos, submitter, bytes FROM messages WHERE topic = ?1 ORDER BY sequence";
    type Row = (i64, u64, u64, u32, String, Vec<u8>);
    let read = |row: &brainstem_sqlite::rusqlite::Row<'_>| -> brainstem_sqlite::rusqlite::Result<Row> {
        let number = |at| row.get::<_, i64>(at).map(i64::unsigned_abs);
        Ok((row.get(0)?, number(1)?, number(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
    };
    let num = i64::try_from(id.num()).unwrap();
    let rows: Vec<Row> =
        change.prepare(sql).unwrap().query_map((num,), read).unwrap().map(Result::unwrap).collect();
    let mut hash = RunningHash::START;
    for (position, sequence, seconds, nanos, submitter, bytes) in rows {
        let said = String::from_utf8(bytes).unwrap();
        let bytes = said.replace(from, to).into_bytes();
        assert!(sequence > 1 || bytes != said.into_bytes(), "the first message has other words now");
        hash = hash.following(&ChainLink {
            submitter: submitter.parse().unwrap(),
            topic: id,
            consensus: ConsensusTime::new(seconds, nanos).unwrap(),
            sequence: Sequence::new(sequence).unwrap(),
            content: ContentHash::of(&bytes),
        });
        let sql = "UPDATE messages SET bytes = ?2, running_hash = ?3 WHERE position = ?1";
        change.execute(sql, (position, bytes, hash.as_bytes())).unwrap();
    }
    change.execute("UPDATE heads SET running_hash = ?2 WHERE topic = ?1", (num, hash.as_bytes())).unwrap();
    change.commit().unwrap();
}

#[test] // spec: LED-4a, LED-1b, INB-8c
fn a_chain_that_was_rewritten_whole_is_named_without_a_kept_head() {
    let home = TestHome::new();
    let topic = send(&home, "pay ten")["topic_id"].as_str().unwrap().to_owned();
    send(&home, "second");
    rewrite(&home, &topic, "pay ten", "pay two");
    let verified = ask(&home, &["ledger", "verify"]);
    assert_eq!((&verified["holds"], &verified["seen_topics"]), (&json!(true), &json!(0)), "no reader saw it");
    assert_eq!(ask(&home, &["inbox", "list"])["messages"][0]["subject"], "pay two");
    let verified = ask(&home, &["ledger", "verify"]);
    assert!(verified["seen_topics"].as_u64().is_some_and(|count| count > 0), "{verified}");
    rewrite(&home, &topic, "pay two", "pay one");
    let ran = run(&home, &["ledger", "verify"]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let told = ran.json();
    assert_eq!(told["integrity"]["holds"], false);
    let fault = told["integrity"]["faults"][0].as_str().unwrap();
    assert!(fault.starts_with(&format!("topic {topic}, message 2:")), "{fault}");
    assert_eq!(run(&home, &["inbox", "list"]).code(), "inbox.ledger_changed");
    let doctor = run(&home, &["doctor"]);
    assert_eq!(doctor.status, Some(1));
    let named =
        |name: &str| doctor.json()["findings"].as_array().unwrap().iter().any(|found| found["name"] == name);
    assert!(named("ledger_changed"), "{doctor:?}");
    // A rebuild does not take the proof away, unless a person says so.
    assert_eq!(run(&home, &["inbox", "rebuild"]).code(), "inbox.ledger_changed");
    assert_eq!(run(&home, &["ledger", "verify"]).status, Some(1));
    ask(&home, &["inbox", "rebuild", "--accept"]);
    assert_eq!(ask(&home, &["ledger", "verify"])["holds"], true);
    assert_eq!(ask(&home, &["inbox", "list"])["messages"][0]["subject"], "pay one");
}

#[test] // spec: INB-7a
fn the_session_that_finished_a_message_is_the_one_that_session_list_shows() {
    let home = TestHome::new();
    ask(&home, &["inbox", "send", "--to", "codex", "--type", "fyi", "--subject", "one"]);
    let worker = ["--as", "codex:maker", "--session", "worker-1"];
    let call = |words: &[&str]| ask(&home, &[&worker, words].concat());
    let id = call(&["inbox", "list"])["messages"][0]["id"].as_str().unwrap().to_owned();
    let done = call(&["inbox", "done", &id]);
    let listed = ask(&home, &["session", "list"]);
    let session =
        listed["sessions"].as_array().unwrap().iter().find(|row| row["name"] == "worker-1").unwrap();
    assert!(session["id"].as_str().is_some_and(|id| id.len() == 36), "{listed}");
    assert_eq!(done["messages"][0]["processed_by_session"], session["id"]);
    assert_eq!(call(&["whoami"])["sessions"][0]["id"], session["id"]);
}

#[test] // spec: INB-8c
fn a_damaged_mirror_is_named_with_its_fix_which_works() {
    let home = TestHome::new();
    send(&home, "one");
    let before = ask(&home, &["inbox", "list", "--all"]);
    std::fs::write(home.path().join("inbox/inbox.sqlite"), "no database at all").unwrap();
    assert_eq!(run(&home, &["inbox", "list"]).code(), "inbox.unavailable");
    let doctor = run(&home, &["doctor"]);
    assert_eq!(doctor.status, Some(1));
    let findings = doctor.json()["findings"].clone();
    let finding =
        findings.as_array().unwrap().iter().find(|found| found["name"] == "inbox_mirror_unreadable").unwrap();
    assert!(finding["fix"].as_str().unwrap().contains("brainstem inbox rebuild"), "{finding}");
    assert_eq!(ask(&home, &["inbox", "rebuild"])["messages"], 1);
    assert_eq!(ask(&home, &["inbox", "list", "--all"]), before);
}

#[test] // spec: LED-5
fn nothing_of_a_redacted_message_is_left_in_any_file_of_the_home() {
    let home = TestHome::new();
    let sent = send(&home, "about the zanzibar-plover");
    send(&home, "second");
    ask(&home, &["inbox", "list"]);
    let (topic, number) = (sent["topic_id"].as_str().unwrap(), sent["sequence_number"].to_string());
    ask(&home, &["ledger", "redact", topic, &number, "--reason", "asked", "--yes"]);
    let listed = ask(&home, &["inbox", "list", "--all"]);
    assert_eq!(listed["messages"].as_array().unwrap().len(), 1, "{listed}");
    for folder in ["ledger", "inbox"] {
        for file in std::fs::read_dir(home.path().join(folder)).unwrap().map(|entry| entry.unwrap().path()) {
            let bytes = std::fs::read(&file).unwrap();
            assert!(!bytes.windows(15).any(|window| window == b"zanzibar-plover"), "{}", file.display());
        }
    }
}
