//! The embedded ledger keeps the contract and survives kills of its senders.

#![allow(clippy::disallowed_methods, reason = "SQLite needs real files, and kills need processes")]

use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_ledger::{
    AccountId, Append, AppendKey, ChainWalk, Ledger, LedgerError, NewTopic, ReadFrom, Redact, SubmitPolicy,
    TopicId, contract,
};
use brainstem_ledger_sqlite::SqliteLedger;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

fn open(folder: &Path) -> Arc<dyn Ledger> {
    Arc::new(SqliteLedger::in_folder(folder, Arc::new(RealDisk), Arc::new(SystemClock)))
}

fn topic(ledger: &dyn Ledger) -> TopicId {
    let new = NewTopic { memo: "m".to_owned(), policy: SubmitPolicy::Everyone, key: "k".to_owned() };
    ledger.create_topic(&new).expect("made").id
}

fn append(topic: TopicId, text: &str) -> Append {
    let submitter = AccountId::local(5).expect("in range");
    Append { topic, submitter, key: None, bytes: text.as_bytes().to_vec() }
}

#[test] // spec: LED-1, LED-1a, LED-2, LED-2b, LED-3, LED-4, LED-5
fn the_embedded_ledger_keeps_the_contract() {
    let dir = tempfile::tempdir().expect("a folder");
    contract::check(&|| open(dir.path()), "first");
    let ledger = open(dir.path());
    contract::check(&|| Arc::clone(&ledger), "second");
}

#[test] // spec: LED-2
fn a_look_at_a_ledger_that_is_not_there_makes_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let ledger = open(dir.path());
    assert_eq!(ledger.topics(None, 10), Ok(Vec::new()));
    let nowhere = TopicId::local(1_001).expect("in range");
    assert_eq!(ledger.read(nowhere, ReadFrom::Start, 1), Err(LedgerError::NoTopic(nowhere)));
    assert_eq!(std::fs::read_dir(dir.path()).expect("readable").count(), 0);
}

#[test] // spec: LED-1a
fn times_increase_over_all_topics_of_a_home() {
    let dir = tempfile::tempdir().expect("a folder");
    let ledger = open(dir.path());
    let beside = NewTopic { memo: String::new(), policy: SubmitPolicy::Everyone, key: "beside".to_owned() };
    let topics = [topic(&*ledger), ledger.create_topic(&beside).expect("made").id];
    let times: Vec<_> =
        (0..40).map(|n| ledger.append(&append(topics[n % 2], "x")).expect("appended").consensus).collect();
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
}

#[test] // spec: LED-4
fn senders_that_share_a_transaction_are_answered_each_for_itself() {
    let dir = tempfile::tempdir().expect("a folder");
    let ledger = open(dir.path());
    let topic = topic(&*ledger);
    let key = Some(AppendKey::parse("same").expect("a plain key"));
    std::thread::scope(|scope| {
        let send = |n: usize| {
            let (ledger, key) = (Arc::clone(&ledger), key.clone());
            scope.spawn(move || match n % 4 {
                0 => {
                    ledger.append(&Append { key, ..append(topic, "keyed") }).map(|receipt| receipt.is_repeat)
                }
                1 => ledger.append(&append(TopicId::local(7).expect("in range"), "lost")).map(|_| true),
                _ => ledger.append(&append(topic, "plain")).map(|receipt| receipt.is_repeat),
            })
        };
        let answers: Vec<_> =
            (0..64).map(send).collect::<Vec<_>>().into_iter().map(|it| it.join().expect("lives")).collect();
        let firsts = answers.iter().step_by(4).filter(|answer| **answer == Ok(false)).count();
        assert_eq!(firsts, 1, "one of the sixteen with the same key appended");
        for (n, answer) in answers.iter().enumerate() {
            match n % 4 {
                0 => assert!(answer.is_ok()),
                1 => assert!(matches!(answer, Err(LedgerError::NoTopic(_)))),
                _ => assert_eq!(*answer, Ok(false)),
            }
        }
    });
    let messages = ledger.read(topic, ReadFrom::Start, 1_000).expect("readable").messages;
    assert_eq!(messages.len(), 33);
    let mut walk = ChainWalk::of(topic);
    assert_eq!(messages.iter().try_for_each(|message| walk.step(message)), Ok(()));
    assert_eq!(Ok(*walk.head()), ledger.head(topic));
}

#[test] // spec: LED-2
fn a_file_that_is_no_ledger_is_refused_and_never_read_as_an_empty_one() {
    let dir = tempfile::tempdir().expect("a folder");
    let id = {
        let ledger = open(dir.path());
        let id = topic(&*ledger);
        ledger.append(&append(id, "kept")).expect("appended");
        id
    };
    std::fs::write(dir.path().join("ledger.sqlite"), b"these are a person's words, and no ledger")
        .expect("written");
    let refused = open(dir.path()).append(&append(id, "more"));
    assert!(matches!(&refused, Err(LedgerError::Backend { what: "written", .. })), "{refused:?}");
    let unread = open(dir.path()).read(id, ReadFrom::Start, 1);
    assert!(
        matches!(&unread, Err(LedgerError::Backend { what: "read", .. })),
        "damage is never an empty topic: {unread:?}"
    );
}

#[test] // spec: LED-5
fn redacted_bytes_are_gone_from_every_file() {
    let dir = tempfile::tempdir().expect("a folder");
    let ledger = open(dir.path());
    let id = topic(&*ledger);
    let holds = |text: &[u8]| {
        let files = std::fs::read_dir(dir.path()).expect("readable").flatten();
        files
            .filter(|file| {
                let bytes = std::fs::read(file.path()).expect("readable");
                bytes.windows(text.len()).any(|window| window == text)
            })
            .count()
    };
    let long = format!("{}the-end-of-a-long-secret", "a long secret ".repeat(3_000));
    for text in ["before", "a-short-secret", &long, "after"] {
        ledger.append(&append(id, text)).expect("appended");
    }
    assert_ne!((holds(b"a-short-secret"), holds(b"the-end-of-a-long-secret")), (0, 0));
    for sequence in [2, 3] {
        let sequence = brainstem_ledger::Sequence::new(sequence).expect("not zero");
        let submitter = AccountId::local(6).expect("in range");
        ledger
            .redact(&Redact { topic: id, sequence, submitter, reason: "asked".to_owned() })
            .expect("redacted");
    }
    assert_eq!(
        (holds(b"a-short-secret"), holds(b"a long secret"), holds(b"the-end-of-a-long-secret")),
        (0, 0, 0)
    );
    assert_eq!(holds(b"before"), 1);
    let messages = ledger.read(id, ReadFrom::Start, 10).expect("readable").messages;
    let mut walk = ChainWalk::of(id);
    assert_eq!(messages.iter().try_for_each(|message| walk.step(message)), Ok(()));
}

const SENDER: &str = "BRAINSTEM_TEST_SENDER";

/// What a sender process does: append under keys of its own until it is killed, and print each number that was
/// answered, after its answer.
#[test]
fn sender_process() {
    let Ok(orders) = std::env::var(SENDER) else { return };
    let (name, folder) = orders.split_once(' ').expect("a name and a folder");
    let ledger = open(Path::new(folder));
    let topic = topic(&*ledger);
    for n in 0.. {
        let text = format!("{name}:{n}");
        let key = Some(AppendKey::parse(&text).expect("a plain key"));
        let receipt = ledger.append(&Append { key, ..append(topic, &text) }).expect("appended");
        let mut out = std::io::stdout().lock();
        writeln!(out, "answered {text} {}", receipt.sequence).expect("the parent reads");
    }
}

fn start_sender(name: &str, folder: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "sender_process", "--nocapture", "--test-threads=1"]);
    command
        .env(SENDER, format!("{name} {}", folder.display()))
        .stdout(Stdio::piped())
        .spawn()
        .expect("started")
}

#[test] // spec: LED-1, LED-4
fn what_was_answered_survives_the_kill_of_its_sender_and_a_repeat_appends_nothing() {
    const SENDERS: usize = 4;
    const ROUNDS: usize = 3;
    let dir = tempfile::tempdir().expect("a folder");
    let ledger = open(dir.path());
    let topic = topic(&*ledger);
    let mut answered: Vec<(String, u64)> = Vec::new();
    for round in 0..ROUNDS {
        let mut senders: Vec<Child> =
            (0..SENDERS).map(|n| start_sender(&format!("{round}-{n}"), dir.path())).collect();
        let mut outputs: Vec<_> = senders
            .iter_mut()
            .map(|sender| BufReader::new(sender.stdout.take().expect("piped")).lines())
            .collect();
        // Each has been answered a few times before the kill, and is somewhere in the middle of the next.
        for (n, output) in outputs.iter_mut().enumerate() {
            let lines = output.map(|line| line.expect("text")).filter(|line| line.starts_with("answered"));
            answered.extend(lines.take(20 + n).map(|line| parse(&line)));
        }
        for sender in &mut senders {
            sender.kill().expect("it runs");
            sender.wait().expect("it ended");
        }
        for output in outputs {
            let lines = output.map_while(Result::ok).filter(|line| line.starts_with("answered"));
            answered.extend(lines.filter(|line| line.split(' ').count() == 3).map(|line| parse(&line)));
        }
    }
    let mut walk = ChainWalk::of(topic);
    let mut texts = std::collections::BTreeMap::new();
    let mut from = ReadFrom::Start;
    loop {
        let page = ledger.read(topic, from, 200).expect("readable");
        for message in &page.messages {
            walk.step(message).expect("the chain holds");
            let text = String::from_utf8(message.bytes.clone()).expect("text");
            assert_eq!(texts.insert(text, message.sequence.number()), None, "none stands twice");
        }
        let Some(last) = page.messages.last() else { break };
        from = ReadFrom::After(last.sequence);
    }
    assert_eq!(Ok(*walk.head()), ledger.head(topic));
    assert!(answered.len() >= ROUNDS * SENDERS * 20);
    for (text, sequence) in &answered {
        assert_eq!(texts.get(text), Some(sequence), "{text} was answered");
        let key = Some(AppendKey::parse(text).expect("a plain key"));
        let again = ledger.append(&Append { key, ..append(topic, text) }).expect("answered");
        assert_eq!((again.is_repeat, again.sequence.number()), (true, *sequence));
    }
}

fn parse(line: &str) -> (String, u64) {
    let mut words = line.split(' ').skip(1);
    let text = words.next().expect("a text").to_owned();
    (text, words.next().expect("a number").parse().expect("a number"))
}
