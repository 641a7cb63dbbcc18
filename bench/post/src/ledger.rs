//! How fast the ledger is: `cargo run --release -- ledger` (LED-1b, LED-2).
//!
//! Beside a bare loop of write and fdatasync of the same 300 bytes on the same disk: one sender, 32 senders of one process,
//! and eight processes. Then how many messages a second one core verifies, and how long a call that redacts takes. Each figure is the middle of several rounds,
//! and each round measures the loop again, because a shared disk has moods.

use crate::number::number;
use crate::workers::run;
use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_ledger::{AccountId, Append, Kept, Ledger, NewTopic, Redact, Sequence, SubmitPolicy, TopicId};
use brainstem_ledger_sqlite::SqliteLedger;
use serde_json::json;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

const BYTES: usize = 300;
const SENDERS: usize = 32;
const PROCESSES: usize = 8;
const ROUNDS: usize = 3;
/// How many messages the second call redacts.
const SEVERAL: u64 = 20;

/// Measures, and prints a table.
pub fn measure(options: &[&str]) {
    let (mut messages, mut walked, mut redacted) = (1_000, 200_000, 100_000);
    let (mut json_file, mut parent) = (None, std::env::temp_dir());
    for pair in options.chunks(2) {
        match pair {
            ["--messages", count] => messages = number(count),
            ["--verified", count] => walked = number(count),
            ["--redacted", count] => redacted = number(count),
            ["--json", file] => json_file = Some(PathBuf::from(file)),
            ["--folder", folder] => parent = PathBuf::from(folder),
            other => panic!("{other:?} is not understood"),
        }
    }
    let rounds: Vec<[f64; 4]> = (0..ROUNDS).map(|_| round(&parent, messages)).collect();
    let middle = |value: &dyn Fn(&[f64; 4]) -> f64| {
        let mut values: Vec<f64> = rounds.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values[ROUNDS / 2]
    };
    let bare = middle(&|round| round[0]);
    println!("| senders | appends/s | bare loop/s | ratio | target |\n| --- | ---: | ---: | ---: | ---: |");
    let mut rows = Vec::new();
    for (at, name, target) in
        [(1, "one", 0.5), (2, "32 of one process", 5.0), (3, "eight processes", 0.6)]
    {
        let (rate, ratio) = (middle(&|round| round[at]), middle(&|round| round[at] / round[0]));
        println!("| {name} | {rate:.0} | {bare:.0} | {ratio:.2} | {target} |");
        rows.push(json!({ "senders": name, "appends_per_s": rate, "bare_per_s": bare, "ratio": ratio, "target": target }));
    }
    let verified = verification(&parent, walked);
    println!("\nverification on one core: {verified:.0} messages of {BYTES} bytes a second (target 300000)");
    let [once, several] = redaction(&parent, redacted);
    println!("a call that redacts, in a ledger of {redacted} messages of {BYTES} bytes: {once:.2} s for one message, {several:.2} s for {SEVERAL}");
    if let Some(file) = json_file {
        let all = json!({
            "ledger": rows, "verified_per_s": verified, "redaction_s": once, "redaction_of_several_s": several,
        });
        fs::write(file, serde_json::to_string_pretty(&all).expect("JSON") + "\n").expect("the file can be written");
    }
}

/// The loop, one sender, many threads and many processes, in messages a second.
fn round(parent: &Path, messages: usize) -> [f64; 4] {
    let folder = tempfile::tempdir_in(parent).expect("a temporary folder");
    let since = Instant::now();
    bare(folder.path(), messages);
    let bare = messages as f64 / since.elapsed().as_secs_f64();

    let ledger = open(folder.path());
    let topic = topic(&ledger);
    append(&ledger, topic);
    let since = Instant::now();
    (0..messages).for_each(|_| append(&ledger, topic));
    let one = messages as f64 / since.elapsed().as_secs_f64();

    let since = Instant::now();
    send_by_threads(&ledger, topic, messages);
    let many = (messages * SENDERS) as f64 / since.elapsed().as_secs_f64();

    let took = run("ledger", folder.path(), PROCESSES, messages / 2);
    let processes = (messages / 2 * PROCESSES) as f64 / took;
    let expected = 1 + messages + messages * SENDERS + messages / 2 * PROCESSES;
    let found = ledger.verify(&Kept::default(), &[]).expect("readable");
    assert!(found.holds() && found.messages == expected as u64, "everything that was answered is there");
    [bare, one, many, processes]
}

/// What a worker process does.
pub fn work(folder: &Path, count: usize) {
    let ledger = open(folder);
    let topic = topic(&ledger);
    (0..count).for_each(|_| append(&ledger, topic));
}

fn send_by_threads(ledger: &SqliteLedger, topic: TopicId, each: usize) {
    std::thread::scope(|scope| {
        for _ in 0..SENDERS {
            scope.spawn(|| (0..each).for_each(|_| append(ledger, topic)));
        }
    });
}

fn verification(parent: &Path, count: usize) -> f64 {
    let folder = tempfile::tempdir_in(parent).expect("a temporary folder");
    let ledger = open(folder.path());
    let topic = topic(&ledger);
    send_by_threads(&ledger, topic, count / SENDERS);
    let mut rates: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let since = Instant::now();
            let found = ledger.verify(&Kept::default(), &[]).expect("readable");
            assert!(found.holds(), "{found:?}");
            found.messages as f64 / since.elapsed().as_secs_f64()
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    rates[ROUNDS / 2]
}

/// How many seconds a call takes that redacts one message, and one that redacts several: the file is written anew in each.
fn redaction(parent: &Path, count: usize) -> [f64; 2] {
    let folder = tempfile::tempdir_in(parent).expect("a temporary folder");
    let ledger = open(folder.path());
    let topic = topic(&ledger);
    send_by_threads(&ledger, topic, count / SENDERS);
    let mut first = 1;
    [1, SEVERAL].map(|taken| {
        let mut times: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let redact = |number| Redact {
                    topic,
                    sequence: Sequence::new(number).expect("not zero"),
                    submitter: AccountId::local(2_001).expect("in range"),
                    reason: "asked".to_owned(),
                };
                let redactions: Vec<Redact> = (first..first + taken).map(redact).collect();
                first += taken;
                let since = Instant::now();
                ledger.redact_all(&redactions).expect("redacted");
                since.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    })
}

fn open(folder: &Path) -> SqliteLedger {
    SqliteLedger::in_folder(&folder.join("ledger"), Arc::new(RealDisk), Arc::new(SystemClock))
}

fn topic(ledger: &SqliteLedger) -> TopicId {
    let new = NewTopic { memo: "bench".to_owned(), policy: SubmitPolicy::Everyone, key: "bench".to_owned() };
    ledger.create_topic(&new).expect("a topic").id
}

fn append(ledger: &SqliteLedger, topic: TopicId) {
    let submitter = AccountId::local(2_001).expect("in range");
    let append = Append { topic, submitter, key: None, bytes: vec![b'x'; BYTES] };
    ledger.append(&append).expect("appended");
}

/// What any durable append does at least.
fn bare(folder: &Path, count: usize) {
    let mut file = File::create_new(folder.join("bare")).expect("a new file");
    for _ in 0..count {
        file.write_all(&[b'x'; BYTES]).and_then(|()| file.sync_data()).expect("it is written");
    }
}
