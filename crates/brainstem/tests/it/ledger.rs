//! The ledger as a person meets it: topics, verdicts, heads, receipts, redaction, export.

#![allow(clippy::disallowed_methods, reason = "tests make real files, and look at them")]

use crate::program::Place;
use crate::seen::assert_seen;
use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_ledger::{AccountId, Append, Ledger as _, NewTopic, SubmitPolicy, TopicId};
use brainstem_ledger_sqlite::SqliteLedger;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// The ledger of a home, with a topic of these messages.
pub(crate) fn seeded(home: &Path, texts: &[&str]) -> TopicId {
    std::fs::create_dir_all(home).expect("a home");
    let ledger = SqliteLedger::in_folder(&home.join("ledger"), Arc::new(RealDisk), Arc::new(SystemClock));
    let new =
        NewTopic { memo: "hcs-10:0:3600:1".to_owned(), policy: SubmitPolicy::Everyone, key: "k".to_owned() };
    let topic = ledger.create_topic(&new).expect("made").id;
    for text in texts {
        let submitter = AccountId::local(2_001).expect("in range");
        let append = Append { topic, submitter, key: None, bytes: text.as_bytes().to_vec() };
        ledger.append(&append).expect("appended");
    }
    topic
}

impl Place {
    fn ledger(&self, words: &[&str]) -> Value {
        let ran = self.run([&["--json", "ledger"], words].concat());
        assert_eq!(ran.status, Some(0), "{words:?}: {ran:?}");
        ran.json()
    }

    fn refused(&self, words: &[&str]) -> String {
        let ran = self.run([&["--json", "ledger"], words].concat());
        assert_eq!(ran.status, Some(1), "{words:?}: {ran:?}");
        ran.code()
    }
}

fn tamper(place: &Place, sql: &str) {
    let file = place.home().join("ledger/ledger.sqlite");
    let connection = brainstem_sqlite::rusqlite::Connection::open(file).expect("opened");
    connection.execute_batch(sql).expect("changed");
}

#[test] // spec: LED-1, LED-4, LED-4a
fn a_home_without_a_ledger_says_so_and_makes_nothing() {
    let place = Place::new();
    assert_eq!(place.ledger(&["topics"])["topics"], Value::Array(Vec::new()));
    let verified = place.ledger(&["verify"]);
    assert_eq!((&verified["holds"], &verified["messages"]), (&Value::Bool(true), &Value::from(0)));
    assert_eq!(place.refused(&["show", "0.0.1001"]), "ledger.not_found");
    assert_eq!(place.refused(&["receipt", "0.0.1001", "1"]), "ledger.not_found");
    assert!(!place.home().join("ledger").exists(), "a look makes nothing");
}

#[test] // spec: LED-1b, LED-5
fn what_a_person_sees_of_a_ledger() {
    let place = Place::new();
    let mut seen = place.seen();
    place.see(&mut seen, &["ledger", "topics"]);
    place.see(&mut seen, &["ledger", "verify"]);
    seeded(&place.home(), &["one", "two", "three"]);
    place.see(&mut seen, &["ledger", "topics"]);
    place.see(&mut seen, &["ledger", "show", "0.0.1001", "--limit", "2"]);
    place.see(&mut seen, &["ledger", "show", "1001"]);
    place.see(&mut seen, &["ledger", "show", "0.0.7"]);
    place.see(&mut seen, &["ledger", "redact", "0.0.1001", "2", "--reason", "asked"]);
    place.see(&mut seen, &["ledger", "redact", "0.0.1001", "2", "--reason", "asked", "--yes"]);
    place.see(&mut seen, &["ledger", "show", "0.0.1001", "2"]);
    place.see(&mut seen, &["ledger", "verify"]);
    tamper(&place, "DELETE FROM messages WHERE sequence = 3");
    place.see(&mut seen, &["ledger", "verify"]);
    assert_seen!(seen);
}

#[test] // spec: LED-4b
fn a_first_head_makes_the_home_and_its_key() {
    let place = Place::new();
    assert_eq!(place.ledger(&["head"])["size"], 0);
    assert!(place.home().join("ledger/ledger.key").exists());
}

#[test] // spec: LED-4, LED-4a
fn a_topic_is_shown_by_number_time_and_cursor() {
    let place = Place::new();
    seeded(&place.home(), &["one", "two", "three"]);
    let topics = place.ledger(&["topics"]);
    assert_eq!(
        (&topics["topics"][0]["topic"], &topics["topics"][0]["messages"]),
        (&"0.0.1001".into(), &3.into())
    );
    let first = place.ledger(&["show", "0.0.1001", "--limit", "2"]);
    assert_eq!((&first["messages"][1]["text"], &first["has_more"]), (&"two".into(), &true.into()));
    let cursor = first["cursor"].as_str().expect("a cursor");
    let rest = place.ledger(&["show", "0.0.1001", "--after", cursor]);
    assert_eq!((&rest["messages"][0]["text"], &rest["has_more"]), (&"three".into(), &false.into()));
    assert_eq!(place.ledger(&["show", "0.0.1001", "2", "--limit", "1"])["messages"][0]["text"], "two");
    let time = first["messages"][1]["consensus_timestamp"].as_str().expect("a time");
    assert_eq!(place.ledger(&["show", "0.0.1001", "--since", time])["messages"][0]["text"], "two");
    assert_eq!(place.refused(&["show", "1001"]), "input.bad_value");
    assert_eq!(place.refused(&["show", "0.0.1001", "2", "--after", "1"]), "input.bad_value");
    assert_eq!(place.refused(&["show", "0.0.1001", "99"]), "ledger.not_found");
    let other = format!("2:{}", "0".repeat(96));
    assert_eq!(place.refused(&["show", "0.0.1001", "--after", &other]), "ledger.changed");
}

#[test] // spec: LED-1b, LED-4b
fn tampering_is_named_and_a_kept_head_tells_a_rewritten_ledger() {
    let place = Place::new();
    seeded(&place.home(), &["one", "two", "three"]);
    let head = place.ledger(&["head", "--out", "head.txt"]);
    assert_eq!((&head["size"], &head["topics"]), (&3.into(), &1.into()));
    assert_eq!(place.refused(&["head", "--out", "head.txt"]), "input.bad_value", "nothing is replaced");
    assert_eq!(place.ledger(&["verify", "--against", "head.txt"])["against"], 3);

    tamper(&place, "UPDATE messages SET bytes = CAST('TWO' AS BLOB) WHERE sequence = 2");
    let ran = place.run(["--json", "ledger", "verify"]);
    assert_eq!(ran.status, Some(1));
    let told = ran.json();
    assert_eq!((&told["integrity"]["holds"], &told["completeness"]["holds"]), (&false.into(), &true.into()));
    let fault = told["integrity"]["faults"][0].as_str().expect("a fault");
    assert!(fault.starts_with("topic 0.0.1001, message 2:"), "{fault}");
    let doctor = place.run(["--json", "doctor"]).json();
    let findings = doctor["findings"].as_array().expect("findings");
    assert!(findings.iter().any(|finding| finding["name"] == "ledger_changed"), "{doctor}");

    // The whole ledger anew, with hashes that fit.
    std::fs::rename(place.home().join("ledger"), place.home().join("before")).expect("moved");
    seeded(&place.home(), &["one", "2", "three"]);
    std::fs::copy(place.home().join("before/ledger.key"), place.home().join("ledger/ledger.key"))
        .expect("copied");
    assert_eq!(place.ledger(&["verify"])["holds"], true, "by itself nothing tells");
    let told = place.run(["--json", "ledger", "verify", "--against", "head.txt"]).json();
    assert_eq!(told["integrity"]["holds"], false, "{told}");
    // Without the key of the home the head is of a ledger that nobody here knows.
    std::fs::remove_file(place.home().join("ledger/ledger.key")).expect("removed");
    assert_eq!(place.refused(&["verify", "--against", "head.txt"]), "ledger.bad_proof");
    let key = head["key"].as_str().expect("a key");
    let told = place.run(["--json", "ledger", "verify", "--against", "head.txt", "--key", key]).json();
    assert_eq!(told["integrity"]["holds"], false, "{told}");
}

#[test] // spec: LED-4b
fn an_older_copy_is_named_by_verify_head_and_doctor() {
    let place = Place::new();
    seeded(&place.home(), &["one", "two"]);
    let file = place.home().join("ledger/ledger.sqlite");
    place.ledger(&["export", "--format", "sqlite", "--out", "older.sqlite"]);
    seeded(&place.home(), &["three"]);
    place.ledger(&["head"]);
    let older = place.folder(".").join("older.sqlite");
    for name in ["ledger.sqlite-wal", "ledger.sqlite-shm"] {
        let _ = std::fs::remove_file(file.with_file_name(name));
    }
    std::fs::copy(older, &file).expect("restored");
    let told = place.run(["--json", "ledger", "verify"]).json();
    let faults = told["completeness"]["faults"].to_string();
    assert!(faults.contains("older copy"), "{told}");
    assert_eq!(place.refused(&["head"]), "ledger.changed");
    let doctor = place.run(["--json", "doctor"]).json();
    assert!(doctor["findings"].to_string().contains("older copy"), "{doctor}");
}

#[test] // spec: LED-4b
fn a_receipt_is_checked_without_a_home() {
    let place = Place::new();
    seeded(&place.home(), &["one", "two"]);
    place.ledger(&["receipt", "0.0.1001", "2", "--out", "two.tlog-proof"]);
    let key = place.ledger(&["head"])["key"].as_str().expect("a key").to_owned();
    let elsewhere = Place::new();
    let file = place.folder(".").join("two.tlog-proof");
    let file = file.to_str().expect("text");
    let content = elsewhere.folder(".").join("two.txt");
    std::fs::write(&content, "two").expect("written");
    let checked = elsewhere.ledger(&["check-receipt", file, "--message-file", "two.txt"]);
    assert_eq!(
        (&checked["sequence"], &checked["key"], &checked["key_known"]),
        (&2.into(), &key.as_str().into(), &false.into())
    );
    assert_eq!(elsewhere.ledger(&["check-receipt", file, "--key", &key])["key_known"], true);
    assert!(!elsewhere.home().exists(), "it needs no home, and makes none");
    std::fs::write(&content, "TWO").expect("written");
    assert_eq!(elsewhere.refused(&["check-receipt", file, "--message-file", "two.txt"]), "ledger.bad_proof");
    let forged = std::fs::read_to_string(file).expect("readable").replace("index 1", "index 0");
    std::fs::write(elsewhere.folder(".").join("forged"), forged).expect("written");
    assert_eq!(elsewhere.refused(&["check-receipt", "forged"]), "ledger.bad_proof");
    assert_eq!(elsewhere.refused(&["check-receipt", "two.txt"]), "ledger.bad_proof");
    assert_eq!(elsewhere.refused(&["check-receipt", "nowhere"]), "input.unreadable");
}

#[test] // spec: LED-5
fn a_redaction_needs_a_yes_and_leaves_a_record() {
    let place = Place::new();
    seeded(&place.home(), &["one", "a secret of a person"]);
    place.ledger(&["head", "--out", "head.txt"]);
    let redact = ["redact", "0.0.1001", "2", "--reason", "a person asked"];
    assert_eq!(place.refused(&redact), "input.missing");
    assert_eq!(place.ledger(&["show", "0.0.1001", "2"])["messages"][0]["text"], "a secret of a person");
    let done = place.ledger(&[&redact[..], &["--yes"]].concat());
    assert_eq!(done["messages"][0], serde_json::json!({"sequence": 2, "record": 3, "repeated": false}));
    assert_eq!(place.ledger(&[&redact[..], &["--yes"]].concat())["messages"][0]["repeated"], true);
    let shown = place.ledger(&["show", "0.0.1001"]);
    assert_eq!(shown["messages"][1]["text"], Value::Null);
    assert_eq!(shown["messages"][2]["redacts"], 2);
    place.ledger(&["export", "--out", "all.jsonl"]);
    let lines = std::fs::read_to_string(place.folder(".").join("all.jsonl")).expect("readable");
    assert_eq!(lines.lines().count(), 4);
    let file = std::fs::read(place.home().join("ledger/ledger.sqlite")).expect("readable");
    assert!(!file.windows(8).any(|window| window == b"a secret"));
    let told = place.ledger(&["verify", "--against", "head.txt"]);
    assert_eq!((&told["holds"], &told["redacted"]), (&true.into(), &1.into()));
}

#[test] // spec: LED-5
fn several_messages_are_redacted_in_one_call_or_none_is() {
    let place = Place::new();
    seeded(&place.home(), &["one", "two", "three"]);
    let redact = ["redact", "0.0.1001", "1", "3", "9", "--reason", "asked", "--yes"];
    assert_eq!(place.refused(&redact), "ledger.not_found");
    assert_eq!(place.ledger(&["show", "0.0.1001", "1"])["messages"][0]["text"], "one");
    let done = place.ledger(&["redact", "0.0.1001", "1", "3", "--reason", "asked", "--yes"]);
    let records: Vec<u64> = done["messages"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|row| row["record"].as_u64())
        .collect();
    assert_eq!(records, [4, 5]);
    let shown = place.ledger(&["show", "0.0.1001"]);
    let texts: Vec<&Value> = (0..3).map(|n| &shown["messages"][n]["text"]).collect();
    assert_eq!(texts, [&Value::Null, &"two".into(), &Value::Null]);
}

#[test] // spec: LED-4
fn a_tail_shows_what_comes() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;
    let place = Place::new();
    seeded(&place.home(), &["one", "two"]);
    let mut command = place.command();
    command.args(["--json", "ledger", "tail", "0.0.1001", "--after", "1"]).stdout(Stdio::piped());
    let mut tail = command.spawn().expect("started");
    let mut lines = BufReader::new(tail.stdout.take().expect("piped")).lines();
    let mut next = || -> Value {
        serde_json::from_str(&lines.next().expect("a line").expect("text")).expect("a document")
    };
    assert_eq!(next()["text"], "two");
    seeded(&place.home(), &["three"]);
    assert_eq!(next()["text"], "three");
    tail.kill().expect("it runs");
    tail.wait().expect("it ended");
}
