//! Measures the delivery and the taking of mail, with one process and with eight (MAIL-8, MAIL-11).
//!
//! `cargo run --release` in this folder prints a table; `--json FILE` writes the same for programs, `--messages N`
//! chooses how many each process sends, and `--folder DIR` on which disk. Each figure of mail stands beside a
//! bare loop of create, fsync, link and fsync of the folder in the same place, so the ratio says what mail costs
//! beyond what the disk does. `--other PYTHON`, a Python that has aiosmtpd, measures that mail server beside them:
//! a connection for each process, a message at a time, each answered once it is durable in a Maildir.
//!
//! `north PROGRAM` measures instead what the beat costs with letters and archived messages around it; `live` the
//! way from a message to the reader that waits for it; `ledger` appends and verification; `inbox` the way from a send to a waiting
//! reader, catching up, and listing.

mod inbox;
mod ledger;
mod live;
mod north;
mod number;
mod other;
mod workers;

use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_base::ids::SystemIds;
use brainstem_base::{Clock as _, Timestamp};
use brainstem_mail::name::MailboxName;
use brainstem_mail::{MessageDraft, MessageKind, Priority};
use brainstem_vault::mail::{MailFault, MailFolder, MailRoot};
use number::number;
use serde_json::json;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use workers::run;

const PROCESSES: [usize; 2] = [1, 8];
const ROUNDS: usize = 3;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["worker", what, folder, worker, count] => {
            wait_for_the_start();
            match *what {
                "send" => send(Path::new(folder), worker, number(count)),
                "bare" => bare(Path::new(folder), worker, number(count)),
                "ledger" => ledger::work(Path::new(folder), number(count)),
                "smtp" => other::send(Path::new(folder), worker, number(count), &body()),
                _ => claim(Path::new(folder), worker),
            }
        }
        ["north", program] => north::measure(Path::new(program)),
        ["inbox", options @ ..] => inbox::measure(options),
        ["ledger", options @ ..] => ledger::measure(options),
        ["live", options @ ..] => live::measure(options),
        options => measure(options),
    }
}

fn measure(options: &[&str]) {
    let (mut messages, mut json_file, mut parent, mut python) = (200, None, std::env::temp_dir(), None);
    for pair in options.chunks(2) {
        match pair {
            ["--messages", count] => messages = number(count),
            ["--json", file] => json_file = Some(PathBuf::from(file)),
            ["--folder", folder] => parent = PathBuf::from(folder),
            ["--other", program] => python = Some(PathBuf::from(program)),
            other => panic!("{other:?} is not understood"),
        }
    }
    let mut rows = Vec::new();
    println!("| processes | sends/s | bare loop/s | ratio | aiosmtpd/s | ratio | claims/s |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for processes in PROCESSES {
        // The middle of several rounds: a shared disk has moods.
        let mut rounds: Vec<[f64; 4]> =
            (0..ROUNDS).map(|_| round(&parent, processes, messages, python.as_deref())).collect();
        let mut middle = |n: usize| {
            rounds.sort_by(|a, b| a[n].total_cmp(&b[n]));
            rounds[ROUNDS / 2][n]
        };
        let (sends, bare, claims, other) = (middle(0), middle(1), middle(2), middle(3));
        let (shown, ratio) = match &python {
            Some(_) => (format!("{other:.0}"), format!("{:.2}", other / bare)),
            None => ("".into(), "".into()),
        };
        println!(
            "| {processes} | {sends:.0} | {bare:.0} | {:.2} | {shown} | {ratio} | {claims:.0} |",
            sends / bare
        );
        let mut row = json!({ "processes": processes, "messages_each": messages, "sends_per_s": sends,
            "bare_per_s": bare, "ratio": sends / bare, "claims_per_s": claims });
        if python.is_some() {
            row["aiosmtpd_per_s"] = json!(other);
            row["aiosmtpd_ratio"] = json!(other / bare);
        }
        rows.push(row);
    }
    if let Some(file) = json_file {
        let text = serde_json::to_string_pretty(&json!({ "post": rows })).expect("JSON");
        fs::write(file, text + "\n").expect("the file can be written");
    }
}

/// Sends, bare writes, claims and the other server's sends a second, one after another in one folder.
fn round(parent: &Path, processes: usize, messages: usize, python: Option<&Path>) -> [f64; 4] {
    let folder = tempfile::tempdir_in(parent).expect("a temporary folder");
    fs::create_dir(folder.path().join("bare")).expect("a folder");
    let total = (processes * messages) as f64;
    let rate = |what: &str| total / run(what, folder.path(), processes, messages);
    let bare = rate("bare");
    let sends = rate("send");
    let root = root(folder.path());
    let mailbox = root.mailbox(&name("worker")).expect("a box");
    let sent = mailbox.list(MailFolder::Unread).expect("a listing").found.len();
    assert_eq!(sent, processes * messages, "everything that was sent is there");
    let claims = rate("claim");
    assert_eq!(mailbox.list(MailFolder::Read).expect("a listing").found.len(), sent, "each was taken once");
    let other = python.map_or(0.0, |python| {
        let server = other::Server::start(python, folder.path());
        let other = rate("smtp");
        drop(server);
        assert_eq!(other::delivered(folder.path()), sent, "everything that was sent is there");
        other
    });
    [sends, bare, claims, other]
}

fn wait_for_the_start() {
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
}

fn name(text: &str) -> MailboxName {
    MailboxName::parse(text).expect("a name")
}

fn root(folder: &Path) -> MailRoot {
    MailRoot::at(Arc::new(RealDisk), Arc::new(SystemIds), Arc::new(SystemClock), folder.join("mail"))
}

fn send(folder: &Path, worker: &str, count: usize) {
    let root = root(folder);
    for n in 0..count {
        let draft = MessageDraft {
            from: name(&format!("w{worker}")),
            to: name("worker"),
            kind: MessageKind::Task,
            timestamp: SystemClock.now(),
            needs_response: false,
            priority: Priority::Normal,
            tags: vec!["bench".to_owned()],
            in_reply_to: None,
            thread_id: None,
            expires: None,
            subject: format!("message {n}"),
            extras: Vec::new(),
            body: body(),
        };
        let mailbox = root.mailbox(&draft.to).expect("a box");
        mailbox.deliver(&draft).expect("it is delivered");
    }
}

fn body() -> String {
    "Bound the retry loop, and say what you found.\n".repeat(8)
}

/// What any durable delivery does at least.
fn bare(folder: &Path, worker: &str, count: usize) {
    let dir = folder.join("bare");
    let text = "Bound the retry loop, and say what you found.\n".repeat(12);
    for n in 0..count {
        let temp = dir.join(format!(".tmp-{worker}-{n}"));
        let mut file = File::create_new(&temp).expect("a new file");
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).expect("it is written");
        fs::hard_link(&temp, dir.join(format!("{worker}-{n}.md"))).expect("a second name");
        fs::remove_file(&temp).expect("the first name goes");
        File::open(&dir).and_then(|dir| dir.sync_all()).expect("the folder is synced");
    }
}

/// Takes and finishes what is there, until nothing is.
fn claim(folder: &Path, worker: &str) {
    let (root, me) = (root(folder), name(&format!("w{worker}")));
    let mailbox = root.mailbox(&name("worker")).expect("a box");
    loop {
        let waiting = mailbox.list(MailFolder::Unread).expect("a listing").found;
        if waiting.is_empty() {
            return;
        }
        // Each begins elsewhere, so that they seldom want the same one.
        let at = waiting.len() * worker.parse::<usize>().expect("a number") / 8;
        for found in waiting[at..].iter().chain(&waiting[..at]).take(16) {
            let until = Timestamp::from_ms(SystemClock.now().ms() + 60_000);
            match mailbox.take(&found.file, &me, until) {
                Ok(taken) => {
                    drop(mailbox.mark_read(&taken.lease.file, &me, SystemClock.now()).expect("it is marked"))
                }
                Err(MailFault::Held(_) | MailFault::NotFound { .. }) => {}
                Err(fault) => panic!("{fault}"),
            }
        }
    }
}
