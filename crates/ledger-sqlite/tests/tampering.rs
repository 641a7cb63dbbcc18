//! What is done to a ledger's file behind the program's back is named; heads and receipts prove what was there.

#![allow(clippy::disallowed_methods, reason = "SQLite needs real files")]

use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_base::ids::SystemIds;
use brainstem_ledger::{
    AccountId, Append, Checkpoint, Head, Kept, Ledger, LogFault, MessageProof, NewTopic, NoteFault,
    ProofFault, ProofSigner, Redact, Sequence, SubmitPolicy, TopicId, Verification, read_on, tree,
};
use brainstem_ledger_sqlite::{HeadFault, SqliteLedger, open_head};
use brainstem_sqlite::rusqlite::Connection;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

fn open(folder: &Path) -> SqliteLedger {
    SqliteLedger::in_folder(&folder.join("ledger"), Arc::new(RealDisk), Arc::new(SystemClock))
}

fn topic(ledger: &dyn Ledger, key: &str) -> TopicId {
    let new = NewTopic { memo: key.to_owned(), policy: SubmitPolicy::Everyone, key: key.to_owned() };
    ledger.create_topic(&new).expect("made").id
}

fn append(ledger: &dyn Ledger, topic: TopicId, text: &str) {
    let submitter = AccountId::local(5).expect("in range");
    let bytes = text.as_bytes().to_vec();
    ledger.append(&Append { topic, submitter, key: None, bytes }).expect("appended");
}

fn number(sequence: u64) -> Sequence {
    Sequence::new(sequence).expect("not zero")
}

/// A ledger of two topics with four messages each, by turns.
fn ledger(folder: &Path) -> SqliteLedger {
    let ledger = open(folder);
    let topics = [topic(&ledger, "one"), topic(&ledger, "two")];
    for n in 0..8 {
        append(&ledger, topics[n % 2], &format!("message {n}"));
    }
    ledger
}

fn tamper(folder: &Path, sql: &str) {
    let connection = Connection::open(folder.join("ledger/ledger.sqlite")).expect("opened");
    connection.execute_batch("PRAGMA foreign_keys = OFF").expect("set");
    connection.execute_batch(sql).expect("changed");
}

fn verify(folder: &Path, checkpoints: &[Checkpoint]) -> Verification {
    open(folder).verify(&Kept::default(), checkpoints).expect("readable")
}

fn texts(faults: &[LogFault]) -> Vec<String> {
    faults.iter().map(ToString::to_string).collect()
}

/// What a verification says once this was done to the file: integrity and completeness.
fn told(sql: &str) -> (Vec<String>, Vec<String>) {
    let dir = tempfile::tempdir().expect("a folder");
    drop(ledger(dir.path()));
    assert!(verify(dir.path(), &[]).holds());
    tamper(dir.path(), sql);
    let found = verify(dir.path(), &[]);
    (texts(&found.integrity), texts(&found.completeness))
}

#[test] // spec: LED-1b
fn each_kind_of_tampering_is_named_with_topic_and_number() {
    let starts = |told: &[String], expected: &[&str]| {
        assert_eq!(told.len(), expected.len(), "{told:?}");
        for (text, start) in told.iter().zip(expected) {
            assert!(text.starts_with(start), "{text} is not {start}");
        }
    };
    let cases: [(&str, &[&str], &[&str]); 9] = [
        ("UPDATE messages SET bytes = CAST('massage 4' AS BLOB) WHERE position = 5", &["topic 0.0.1001, message 3: its running hash"], &[]),
        ("UPDATE messages SET submitter = '0.0.6' WHERE position = 2", &["topic 0.0.1002, message 1: its running hash"], &[]),
        ("DELETE FROM messages WHERE position = 3", &[], &["the message at position 3 of the log is missing", "topic 0.0.1001, message 2: it is missing"]),
        ("DELETE FROM messages WHERE position > 6", &[], &["topic 0.0.1001, message 4: it is missing", "topic 0.0.1002, message 4: it is missing"]),
        (
            "UPDATE messages SET sequence = 99 WHERE position = 1; UPDATE messages SET sequence = 1 WHERE position = 3;
             UPDATE messages SET sequence = 2 WHERE position = 1",
            &["topic 0.0.1001, message 1: message 1 is in its place"],
            &[],
        ),
        (
            "INSERT INTO messages SELECT 9, topic, 5, seconds + 1, nanos, submitter, NULL, bytes, NULL, running_hash FROM messages WHERE position = 7",
            &["topic 0.0.1001, message 5: its running hash"],
            &[],
        ),
        ("UPDATE messages SET running_hash = x'00' WHERE position = 4", &["topic 0.0.1002, message 2: its row is damaged"], &["topic 0.0.1002, message 2: it is missing"]),
        ("UPDATE messages SET redacted = zeroblob(48), bytes = x'' WHERE position = 4", &["topic 0.0.1002, message 2: its running hash"], &[]),
        ("DELETE FROM heads WHERE topic = 1002", &["topic 0.0.1002, message 1: it lies behind the recorded end"], &[]),
    ];
    for (sql, integrity, completeness) in cases {
        let (found_integrity, found_completeness) = told(sql);
        starts(&found_integrity, integrity);
        starts(&found_completeness, completeness);
    }
}

#[test] // spec: LED-4a, LED-4b
fn a_log_that_was_rewritten_whole_and_an_older_copy_are_told_by_a_kept_head() {
    let dir = tempfile::tempdir().expect("a folder");
    let first = ledger(dir.path());
    let cursor = first.head(TopicId::local(1_001).expect("in range")).expect("readable");
    let early = first.sign_head(&SystemIds).expect("signed");
    append(&first, cursor.topic, "later");
    let kept = first.sign_head(&SystemIds).expect("signed");
    assert_eq!(kept.checkpoint.size, 9);
    drop(first);
    assert!(verify(dir.path(), std::slice::from_ref(&kept.checkpoint)).holds());
    assert!(verify(dir.path(), &[early.checkpoint, kept.checkpoint.clone()]).holds());

    // An older copy, whose last message is gone with every trace of it in the file.
    let whole = std::fs::read(dir.path().join("ledger/ledger.sqlite")).expect("readable");
    tamper(
        dir.path(),
        "DELETE FROM messages WHERE position = 9;
         REPLACE INTO heads SELECT topic, sequence, running_hash, seconds, nanos FROM messages WHERE position = 7",
    );
    assert!(verify(dir.path(), &[]).holds(), "by itself nothing tells");
    let found = verify(dir.path(), std::slice::from_ref(&kept.checkpoint));
    assert_eq!(found.integrity, []);
    assert!(found.completeness.contains(&LogFault::OlderCopy { has: 8, kept: 9 }), "{found:?}");
    let refused = open(dir.path()).sign_head(&SystemIds);
    assert!(
        matches!(refused, Err(HeadFault::Contradicts(LogFault::OlderCopy { has: 8, kept: 9 }))),
        "{refused:?}"
    );
    std::fs::write(dir.path().join("ledger/ledger.sqlite"), whole).expect("restored");
    assert!(verify(dir.path(), std::slice::from_ref(&kept.checkpoint)).holds());

    // Written anew from the first message on, with hashes that fit.
    std::fs::remove_file(dir.path().join("ledger/ledger.sqlite")).expect("removed");
    let anew = ledger(dir.path());
    append(&anew, cursor.topic, "later, rewritten");
    assert!(verify(dir.path(), &[]).holds(), "by itself nothing tells");
    let found = verify(dir.path(), std::slice::from_ref(&kept.checkpoint));
    assert!(found.integrity.contains(&LogFault::OtherTree { size: 9 }), "{found:?}");
    let texts = texts(&found.integrity);
    assert!(
        texts.iter().any(|text| text.starts_with("topic 0.0.1002, message 4: it is another")),
        "{texts:?}"
    );
    assert!(matches!(
        anew.sign_head(&SystemIds),
        Err(HeadFault::Contradicts(LogFault::OtherTree { size: 9 }))
    ));
    assert!(read_on(&anew, &cursor, 10).is_err(), "a cursor keeps the hash it saw");
}

#[test] // spec: LED-4b
fn a_changed_memo_is_told_by_a_kept_head() {
    let dir = tempfile::tempdir().expect("a folder");
    let kept = ledger(dir.path()).sign_head(&SystemIds).expect("signed").checkpoint;
    tamper(dir.path(), "UPDATE topics SET memo = 'another' WHERE num = 1002");
    let found = verify(dir.path(), &[kept]);
    assert_eq!(found.integrity.len(), 1);
    assert!(texts(&found.integrity)[0].starts_with("topic 0.0.1002, message 1: the topic's memo"));
}

#[test] // spec: LED-4a
fn a_reader_reads_on_behind_the_head_that_it_keeps() {
    let dir = tempfile::tempdir().expect("a folder");
    let ledger = ledger(dir.path());
    let id = TopicId::local(1_001).expect("in range");
    let mut seen = Head::start(id);
    let mut count = 0;
    loop {
        let page = read_on(&ledger, &seen, 3).expect("read");
        count += page.messages.len();
        seen = page.head;
        if !page.has_more {
            break;
        }
    }
    assert_eq!((count, Ok(seen)), (4, ledger.head(id)));
    assert_eq!(read_on(&ledger, &seen, 3).map(|page| page.messages.len()), Ok(0));
    append(&ledger, id, "fifth");
    assert_eq!(read_on(&ledger, &seen, 3).map(|page| page.messages.len()), Ok(1));
}

#[test] // spec: LED-4b
fn the_key_is_private_and_made_once_and_a_head_is_opened_with_it() {
    let dir = tempfile::tempdir().expect("a folder");
    drop(ledger(dir.path()));
    let heads: Vec<_> = std::thread::scope(|scope| {
        let sign = || open(dir.path()).sign_head(&SystemIds).expect("signed");
        let running: Vec<_> = (0..4).map(|_| scope.spawn(sign)).collect();
        running.into_iter().map(|it| it.join().expect("lives")).collect()
    });
    assert!(heads.iter().all(|head| head.key == heads[0].key && head.note == heads[0].note));
    let mode = std::fs::metadata(dir.path().join("ledger/ledger.key")).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let key = heads[0].key.clone();
    assert_eq!(open_head(heads[0].note.as_bytes(), std::slice::from_ref(&key)).expect("opened").size, 8);
    let changed = heads[0].note.replacen("\n8\n", "\n9\n", 1);
    let refused = open_head(changed.as_bytes(), &[key]);
    assert!(matches!(refused, Err(NoteFault::SignatureDiffers { .. })), "{refused:?}");
    let names: Vec<_> = std::fs::read_dir(dir.path().join("ledger")).expect("there").flatten().collect();
    assert!(names.iter().all(|entry| !entry.file_name().to_string_lossy().contains("tmp")), "{names:?}");
}

#[test] // spec: LED-4b, LED-5
fn a_receipt_proves_offline_and_still_does_after_a_redaction() {
    let dir = tempfile::tempdir().expect("a folder");
    let ledger = ledger(dir.path());
    let id = TopicId::local(1_002).expect("in range");
    let receipt = ledger.message_proof(id, number(2), &SystemIds).expect("a receipt").to_text();
    assert!(receipt.len() < 2_000, "small: {receipt}");
    let key = ledger.public_key().expect("readable").expect("made");
    let proof = MessageProof::parse(receipt.as_bytes()).expect("a receipt");
    let proved = proof.check(None, Some(b"message 3")).expect("proved");
    assert_eq!((proved.index, proved.signer, &proved.key), (3, ProofSigner::Named, &key));
    assert_eq!((proved.frame.topic, proved.frame.sequence), (id, number(2)));
    assert_eq!(proof.check(Some(&key), None).expect("proved").signer, ProofSigner::Known);
    assert_eq!(proof.check(None, Some(b"message 4")), Err(ProofFault::OtherContent));
    let mut forged = proof.clone();
    forged.frame.submitter = AccountId::local(6).expect("in range");
    assert_eq!(forged.check(Some(&key), None), Err(ProofFault::NotIncluded));
    let stranger = tempfile::tempdir().expect("a folder");
    let other = self::ledger(stranger.path()).sign_head(&SystemIds).expect("signed").key;
    assert!(matches!(
        proof.check(Some(&other), None),
        Err(ProofFault::Note(NoteFault::UnknownSigner { .. }))
    ));
    let with_other_key = MessageProof { public_key: *other.public(), ..proof.clone() };
    assert_eq!(with_other_key.check(None, None), Err(ProofFault::NotAProof), "the origin stands for its key");

    let submitter = AccountId::local(5).expect("in range");
    let redact = Redact { topic: id, sequence: number(2), submitter, reason: "asked".to_owned() };
    ledger.redact(&redact).expect("redacted");
    assert!(ledger.verify(&Kept::default(), &[proved.checkpoint]).expect("readable").holds());
    let after = ledger.message_proof(id, number(2), &SystemIds).expect("a receipt");
    assert_eq!(after.check(Some(&key), Some(b"message 3")).expect("proved").frame, proof.frame);
    let missing = ledger.message_proof(id, number(99), &SystemIds);
    assert!(matches!(missing, Err(HeadFault::Ledger(_))), "{missing:?}");
}

#[test] // spec: LED-4b
fn the_tree_over_several_tiles_is_the_one_over_all_messages_and_is_made_anew_where_it_does_not_fit() {
    let dir = tempfile::tempdir().expect("a folder");
    let ledger = open(dir.path());
    let id = topic(&ledger, "long");
    let send = |from: usize, to: usize| {
        std::thread::scope(|scope| {
            for part in 0..16 {
                let ledger = &ledger;
                scope.spawn(move || {
                    (from..to).filter(|n| n % 16 == part).for_each(|n| append(ledger, id, &n.to_string()));
                });
            }
        });
    };
    let mut heads = Vec::new();
    for (from, to) in [(0, 100), (100, 300), (300, 600)] {
        send(from, to);
        let head = ledger.tree_head().expect("a head");
        let found = ledger.verify(&Kept::default(), &[]).expect("readable");
        assert_eq!((head.size, Some(head.root)), (to as u64, found.root), "{found:?}");
        heads.push(head);
    }
    for pair in heads.windows(2) {
        let path = ledger.consistency(pair[0].size, pair[1].size).expect("proved");
        let (old, new) = ((pair[0].size, &pair[0].root), (pair[1].size, &pair[1].root));
        assert!(tree::is_consistent(old, new, &path));
    }
    for (sequence, head) in [(1, &heads[0]), (256, &heads[1]), (257, &heads[2]), (600, &heads[2])] {
        let found = ledger.inclusion(id, number(sequence), head.size).expect("readable").expect("there");
        assert!(tree::is_included(found.frame.leaf(), found.index, head.size, &found.path, &head.root));
    }
    assert_eq!(ledger.inclusion(id, number(600), 300), Ok(None));
    tamper(dir.path(), "UPDATE tree_tiles SET hashes = zeroblob(8192) WHERE tile = 1");
    let found = ledger.verify(&Kept::default(), &[]).expect("readable");
    assert_eq!(found.integrity, [LogFault::OtherTile { first: 257, last: 512 }]);
    assert_eq!(ledger.tree_head().expect("a head").root, heads[2].root, "made anew from the messages");
    assert!(ledger.verify(&Kept::default(), &[]).expect("readable").holds());
}
