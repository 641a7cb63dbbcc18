//! What a redaction takes is gone from the files, and a file without tables is completed.

#![allow(clippy::disallowed_methods, reason = "SQLite needs real files")]

use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_ledger::{AccountId, Append, Ledger, NewTopic, Redact, Sequence, SubmitPolicy, TopicId};
use brainstem_ledger_sqlite::SqliteLedger;
use brainstem_sqlite::rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;

fn open(folder: &Path) -> SqliteLedger {
    SqliteLedger::in_folder(folder, Arc::new(RealDisk), Arc::new(SystemClock))
}

fn topic(ledger: &dyn Ledger) -> TopicId {
    let new = NewTopic { memo: "m".to_owned(), policy: SubmitPolicy::Everyone, key: "k".to_owned() };
    ledger.create_topic(&new).expect("made").id
}

fn append(ledger: &dyn Ledger, topic: TopicId, text: &str) {
    let submitter = AccountId::local(5).expect("in range");
    let bytes = text.as_bytes().to_vec();
    ledger.append(&Append { topic, submitter, key: None, bytes }).expect("appended");
}

fn redact(ledger: &dyn Ledger, topic: TopicId, number: u64) {
    let submitter = AccountId::local(6).expect("in range");
    let sequence = Sequence::new(number).expect("not zero");
    let redact = Redact { topic, sequence, submitter, reason: "asked".to_owned() };
    ledger.redact(&redact).expect("redacted");
}

/// How often a text is in the files of the folder.
fn count_in_files(folder: &Path, text: &str) -> usize {
    let files = std::fs::read_dir(folder).expect("readable").flatten();
    let bytes = files.map(|file| std::fs::read(file.path()).expect("readable"));
    bytes.map(|bytes| bytes.windows(text.len()).filter(|window| *window == text.as_bytes()).count()).sum()
}

/// The text of a message, which no other message contains.
fn text(number: u64) -> String {
    format!("the-secret-{number}-of-a-customer {}", "and more about it ".repeat(3))
}

#[test] // spec: LED-5
fn the_messages_that_were_there_when_a_page_was_split_are_erased_too() {
    let dir = tempfile::tempdir().expect("a folder");
    let ledger = open(dir.path());
    let topic = topic(&ledger);
    (1..=150).for_each(|number| append(&ledger, topic, &text(number)));
    let taken: Vec<u64> = (1..=8).chain((9..=150).step_by(7)).collect();
    taken.iter().for_each(|number| redact(&ledger, topic, *number));
    let left: Vec<u64> = taken
        .into_iter()
        .filter(|number| count_in_files(dir.path(), &format!("the-secret-{number}-of")) > 0)
        .collect();
    assert_eq!(left, [0; 0]);
    assert_eq!(count_in_files(dir.path(), "the-secret-10-of"), 1);
}

#[test] // spec: LED-5
fn a_repeated_redaction_erases_what_an_earlier_program_left() {
    let dir = tempfile::tempdir().expect("a folder");
    let ledger = open(dir.path());
    let topic = topic(&ledger);
    (1..=20).for_each(|number| append(&ledger, topic, &text(number)));
    redact(&ledger, topic, 3);
    {
        let connection = Connection::open(dir.path().join("ledger.sqlite")).expect("opened");
        let leave =
            "CREATE TABLE gone (x TEXT); INSERT INTO gone VALUES ('the-secret-3-of'); DROP TABLE gone;";
        connection.execute_batch(leave).expect("written");
    }
    assert_ne!(count_in_files(dir.path(), "the-secret-3-of"), 0);
    redact(&ledger, topic, 3);
    assert_eq!(count_in_files(dir.path(), "the-secret-3-of"), 0);
}

#[test] // spec: LED-6
fn a_file_whose_first_writer_was_killed_before_its_tables_is_completed_by_the_next() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("ledger.sqlite");
    Connection::open(&file).expect("made").pragma_update(None, "journal_mode", "WAL").expect("set");
    assert_ne!(std::fs::metadata(&file).expect("there").len(), 0, "it has its first page, and no table");
    let ledger = open(dir.path());
    assert_eq!(ledger.topics(None, 10), Ok(Vec::new()));
    assert_eq!(ledger.size(), Ok(0));
    let topic = topic(&ledger);
    append(&ledger, topic, "the first");
    assert_eq!(ledger.size(), Ok(1));
}
