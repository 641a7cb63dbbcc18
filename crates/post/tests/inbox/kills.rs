//! Senders and listeners that are killed at any moment: nothing that was answered is lost, and nothing comes twice.

use crate::world::{caller, person, real_post, sending, subjects};
use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_ledger::{ChainWalk, Ledger as _, ReadFrom};
use brainstem_ledger_sqlite::SqliteLedger;
use brainstem_post::inbox::{FetchRequest, InboxPriority, InboxQuery, InboxSend, RowState};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

const WORKER: &str = "BRAINSTEM_TEST_INBOX_WORKER";
const SENDERS: usize = 3;
const LISTENERS: usize = 2;
const ROUNDS: usize = 2;
/// How many answers of each worker are awaited before the kill.
const ANSWERS: usize = 6;

/// What a process of this test does until it is killed: `send NAME FOLDER` sends, `listen NAME FOLDER` fetches and finishes.
/// It prints each message after its answer.
#[test]
fn worker_process() {
    let Ok(work) = std::env::var(WORKER) else { return };
    let words: Vec<&str> = work.splitn(3, ' ').collect();
    let [what, name, folder] = words[..] else { panic!("{work}") };
    let post = real_post(Path::new(folder));
    let say = |text: &str| writeln!(std::io::stdout().lock(), "answered {text}").expect("the parent reads");
    let (codex, ana) = (caller("codex:maker", name), person("human:ana"));
    for n in 0.. {
        match what {
            "send" => {
                let text = format!("{name}-{n}");
                let priority = InboxPriority::ALL[n % 5];
                let keyed = InboxSend { key: Some(text.clone()), ..sending("codex", &text, priority) };
                post.send_inbox(&ana, &keyed).expect("sent");
                say(&text);
            }
            _ => {
                let request = FetchRequest { limit: 2, lease_s: Some(1) };
                for row in post.fetch_inbox(&codex, &request).expect("fetched").rows {
                    // Another session may have it since: a lease of a second is short.
                    let done = post.finish_inbox(&codex, &[row.row.id]);
                    if done.is_ok_and(|done| !done[0].unchanged) {
                        say(&row.row.content.subject);
                    }
                }
            }
        }
    }
}

fn start(what: &str, name: &str, folder: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "kills::worker_process", "--nocapture", "--test-threads=1"]);
    command.env(WORKER, format!("{what} {name} {}", folder.display()));
    command.stdout(Stdio::piped()).spawn().expect("started")
}

#[test] // spec: INB-8, INB-11, LED-1
fn nothing_answered_is_lost_and_nothing_comes_twice_when_processes_are_killed() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let post = real_post(folder);
    post.make_agent_topics(&caller("codex:maker", ""), &[]).unwrap();
    let (mut sent, mut finished): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let work = |n: usize| if n < SENDERS { "send" } else { "listen" };
        let mut workers: Vec<Child> =
            (0..SENDERS + LISTENERS).map(|n| start(work(n), &format!("r{round}w{n}"), folder)).collect();
        let mut outputs: Vec<_> =
            workers.iter_mut().map(|worker| BufReader::new(worker.stdout.take().unwrap()).lines()).collect();
        let read = |line: String| line.strip_prefix("answered ").map(str::to_owned);
        for (n, output) in outputs.iter_mut().enumerate().take(SENDERS) {
            sent.extend(output.map_while(Result::ok).filter_map(read).take(ANSWERS + n));
        }
        for worker in &mut workers {
            worker.kill().unwrap();
            worker.wait().unwrap();
        }
        for (n, output) in outputs.into_iter().enumerate() {
            let rest = output.map_while(Result::ok).filter_map(read);
            if n < SENDERS { sent.extend(rest) } else { finished.extend(rest) }
        }
    }
    let codex = caller("codex:maker", "last");
    let query = InboxQuery { state: RowState::All, text: None, ref_id: None, limit: 500 };
    let listed = post.list_inbox(&codex, &query).unwrap();
    let all = subjects(&listed.rows);
    let once: BTreeSet<&String> = all.iter().collect();
    assert_eq!(once.len(), all.len(), "none is there twice");
    assert!(sent.len() >= ROUNDS * SENDERS * ANSWERS);
    assert!(sent.iter().all(|text| once.contains(text)), "what was answered is there");
    let finished_once: BTreeSet<&String> = finished.iter().collect();
    assert_eq!(finished_once.len(), finished.len(), "none was finished twice");
    for row in &listed.rows {
        let was_answered = finished_once.contains(&row.row.content.subject);
        assert!(!was_answered || row.processed.is_some(), "a finish that was answered stays");
    }
    // The mirror that lived through the kills is the one that a rebuild gives.
    std::fs::remove_dir_all(folder.join("home/inbox")).unwrap();
    assert_eq!(post.list_inbox(&codex, &query).unwrap().rows, listed.rows);
    let ledger =
        SqliteLedger::in_folder(&folder.join("home/ledger"), Arc::new(RealDisk), Arc::new(SystemClock));
    for topic in ledger.topics(None, 100).unwrap() {
        let mut walk = ChainWalk::of(topic.id);
        for message in ledger.read(topic.id, ReadFrom::Start, 1_000).unwrap().messages {
            walk.step(&message).unwrap();
        }
        assert_eq!(Ok(*walk.head()), ledger.head(topic.id), "{}", topic.memo);
    }
}
