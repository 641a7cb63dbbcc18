//! Senders and listeners that are killed at any moment: nothing that was answered is lost, and nothing comes twice.
//!
//! Each is a process that is killed at random and started again, until every sender has sent its share and everything is
//! finished. A small size runs with every test; `cargo xtask soak` runs the full one. `BRAINSTEM_SOAK_SEED` repeats the choices of a
//! run, though not the order in which the processes meet.

use crate::world::{caller, person, real_post, sending};
use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_base::ids::SystemIds;
use brainstem_base::{Clock as _, Ids as _};
use brainstem_inbox::mirror::RowQuery;
use brainstem_inbox::{Acknowledgement, Mirror as _, Quarantined};
use brainstem_inbox_sqlite::SqliteMirror;
use brainstem_ledger::{Kept, Ledger as _, ReadFrom, TopicId};
use brainstem_post::Post;
use brainstem_post::inbox::{FetchRequest, InboxPriority, InboxSend, MirrorRow, RowState};
use brainstem_testkit::Chance;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const WORKER: &str = "BRAINSTEM_TEST_INBOX_WORKER";
/// Longer than any run: a message of a listener that was killed comes back when that listener starts again, and to no other.
const LEASE_S: u64 = 3_600;
/// How many messages a listener takes at a time.
const TAKEN: usize = 8;

/// The size of a run.
#[derive(Debug)]
struct Size {
    senders: usize,
    listeners: usize,
    /// How many messages each sender sends.
    each: usize,
    /// The pause between two kills, in milliseconds: at least, and at most.
    pause_ms: (u64, u64),
    patience: Duration,
}

impl Size {
    fn from_env() -> Self {
        match std::env::var("BRAINSTEM_SOAK").as_deref() {
            Ok("full") => Self {
                senders: number("BRAINSTEM_SOAK_PROCESSES").unwrap_or(8),
                listeners: 2,
                each: number("BRAINSTEM_SOAK_WRITES").unwrap_or(2_500),
                pause_ms: (20, 400),
                patience: Duration::from_secs(3_600),
            },
            _ => Self {
                senders: 3,
                listeners: 2,
                each: 16,
                pause_ms: (40, 160),
                patience: Duration::from_secs(180),
            },
        }
    }

    fn messages(&self) -> usize {
        self.senders * self.each
    }
}

fn number(name: &str) -> Option<usize> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text:?} is no number")))
}

/// What a process of this test does: `send NAME FROM COUNT FOLDER` sends the messages of its name from a number on, and `listen
/// NAME 0 0 FOLDER` takes and finishes what comes until it is killed. Each says what it did after its answer.
#[test]
fn worker_process() {
    let Ok(work) = std::env::var(WORKER) else { return };
    let words: Vec<&str> = work.splitn(5, ' ').collect();
    let [what, name, from, count, folder] = words[..] else { panic!("{work}") };
    let post = real_post(Path::new(folder));
    let parsed = |word: &str| word.parse::<usize>().expect("a number");
    // The harness has begun a line.
    std::io::stdout().lock().write_all(b"\n").expect("the parent reads");
    match what {
        "send" => send(&post, name, parsed(from)..parsed(count)),
        _ => listen(&post, name),
    }
}

/// One write, with an end by which a line that was cut off is known.
fn say(text: &str) {
    std::io::stdout().lock().write_all(format!("{text} .\n").as_bytes()).expect("the parent reads");
}

fn send(post: &Post, name: &str, numbers: std::ops::Range<usize>) {
    let ana = person("human:ana");
    for n in numbers {
        let text = format!("{name}-{n}");
        let keyed =
            InboxSend { key: Some(text.clone()), ..sending("codex", &text, InboxPriority::ALL[n % 5]) };
        let sent = post.send_inbox(&ana, &keyed).expect("sent");
        say(&format!("{} {text}", if sent.is_repeat { "repeated" } else { "sent" }));
    }
}

fn listen(post: &Post, name: &str) {
    let codex = caller("codex:maker", name);
    let request = FetchRequest { limit: TAKEN, lease_s: Some(LEASE_S) };
    loop {
        let tail = post.inbox_events(&codex, None, 1).expect("a feed").tail;
        let rows = post.fetch_inbox(&codex, &request).expect("fetched").rows;
        if rows.is_empty() {
            post.wait_inbox_events(&codex, Some(tail), Duration::from_millis(200)).expect("a feed");
        }
        for row in rows {
            let subject = &row.row.content.subject;
            say(&format!("took {subject}"));
            let done = post.finish_inbox(&codex, &[row.row.id]).expect("no other session has it");
            say(&format!("{} {subject}", if done[0].unchanged { "found" } else { "finished" }));
        }
    }
}

/// A process that is started again when it was killed.
struct Worker {
    what: &'static str,
    name: String,
    child: Child,
    reading: Option<JoinHandle<()>>,
}

/// A line that a worker said, by the worker's number.
type Said = (usize, String);

impl Worker {
    fn start(
        at: usize,
        what: &'static str,
        from: usize,
        size: &Size,
        folder: &Path,
        said: Sender<Said>,
    ) -> Self {
        let name = format!("w{at}");
        let mut command = Command::new(std::env::current_exe().expect("this test"));
        command.args(["--exact", "kills::worker_process", "--nocapture", "--test-threads=1"]);
        command.env(WORKER, format!("{what} {name} {from} {} {}", size.each, folder.display()));
        let mut child = command.stdout(Stdio::piped()).spawn().expect("started");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let reading = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if let Some(whole) = line.strip_suffix(" .") {
                    let _ = said.send((at, whole.to_owned()));
                }
            }
        });
        Self { what, name, child, reading: Some(reading) }
    }

    /// Kills it, and returns when everything that it said is in the channel.
    fn kill(&mut self) {
        self.child.kill().expect("it runs, or has ended");
        self.child.wait().expect("it ended");
        self.reading.take().expect("read once").join().expect("the reader lives");
    }

    fn has_ended_well(&mut self) -> bool {
        match self.child.try_wait().expect("a child") {
            None => false,
            Some(status) => {
                assert!(status.success(), "{} failed by itself: {status}", self.name);
                true
            }
        }
    }
}

/// What the workers said.
#[derive(Default)]
struct Journal {
    sent: Vec<String>,
    repeated: usize,
    taken: BTreeMap<String, BTreeSet<String>>,
    taken_again: usize,
    finished: Vec<String>,
}

impl Journal {
    fn note(&mut self, worker: &str, line: &str) {
        let (what, subject) = line.split_once(' ').expect("two words");
        match what {
            "sent" | "repeated" => {
                self.repeated += usize::from(what == "repeated");
                self.sent.push(subject.to_owned());
            }
            "took" => {
                let is_new = self.taken.entry(subject.to_owned()).or_default().insert(worker.to_owned());
                self.taken_again += usize::from(!is_new);
            }
            "finished" => self.finished.push(subject.to_owned()),
            _ => {}
        }
    }

    /// How many of its messages a sender was answered.
    fn answered(&self, sender: &str) -> usize {
        self.sent.iter().filter(|text| text.rsplit_once('-').is_some_and(|(name, _)| name == sender)).count()
    }
}

/// Runs all workers to the end of their work, killing one of them now and then. Returns what they said, and how many were killed.
fn run(size: &Size, folder: &Path, chance: &mut Chance) -> (Journal, usize) {
    let (say, said): (Sender<Said>, Receiver<Said>) = channel();
    let start = |at: usize, from: usize| {
        let what = if at < size.senders { "send" } else { "listen" };
        Worker::start(at, what, from, size, folder, say.clone())
    };
    let mut workers: Vec<Worker> = (0..size.senders + size.listeners).map(|at| start(at, 0)).collect();
    let (mut journal, mut kills) = (Journal::default(), 0);
    let (post, codex) = (real_post(folder), caller("codex:maker", "counting"));
    let since = Instant::now();
    let note = |journal: &mut Journal, (at, line): Said| journal.note(&format!("w{at}"), &line);
    // The first kill comes with the first answer: from then on there is something to lose.
    note(&mut journal, said.recv_timeout(size.patience).expect("an answer"));
    loop {
        assert!(since.elapsed() < size.patience, "{} of {}", journal.sent.len(), size.messages());
        let at = usize::try_from(chance.below(workers.len() as u64)).expect("a few");
        if !(workers[at].what == "send" && workers[at].has_ended_well()) {
            workers[at].kill();
            kills += 1;
            said.try_iter().for_each(|line| note(&mut journal, line));
            workers[at] = start(at, journal.answered(&format!("w{at}")));
        }
        let (least, most) = size.pause_ms;
        let next = Instant::now() + Duration::from_millis(least + chance.below(most - least));
        while let Some(left) = next.checked_duration_since(Instant::now()) {
            if let Ok(line) = said.recv_timeout(left) {
                note(&mut journal, line);
            }
        }
        let is_sent = workers.iter_mut().filter(|worker| worker.what == "send").all(Worker::has_ended_well);
        if is_sent && post.inbox_counts(&codex).expect("countable").unread == 0 {
            break;
        }
    }
    workers.iter_mut().for_each(Worker::kill);
    said.try_iter().for_each(|line| note(&mut journal, line));
    (journal, kills)
}

fn mirror(folder: &Path) -> SqliteMirror {
    SqliteMirror::in_folder(&folder.join("home/inbox"), Arc::new(RealDisk), Arc::new(SystemClock))
}

/// Everything that the mirror has.
fn mirrored(post: &Post, folder: &Path, count_max: usize) -> (Vec<MirrorRow>, Vec<Quarantined>) {
    let to = post.own_inbox(&caller("codex:maker", "")).unwrap().slugs;
    let query =
        RowQuery { to, or_from: Vec::new(), state: RowState::All, ref_id: None, text: None, count_max };
    let mirror = mirror(folder);
    (mirror.rows(&query).expect("readable"), mirror.quarantined(count_max).expect("readable"))
}

/// The messages of a topic, as acknowledgements.
fn acknowledged(post: &Post, topic: TopicId) -> Vec<Acknowledgement> {
    let (ledger, mut from, mut found) = (post.ledger(), ReadFrom::Start, Vec::new());
    loop {
        let page = ledger.read(topic, from, 1_000).expect("readable");
        let Some(last) = page.messages.last() else { return found };
        from = ReadFrom::After(last.sequence);
        found.extend(
            page.messages
                .iter()
                .map(|message| Acknowledgement::from_bytes(&message.bytes).expect("an acknowledgement")),
        );
    }
}

#[test] // spec: INB-8, INB-11, LED-1, LED-1b, LED-4
fn nothing_answered_is_lost_and_nothing_comes_twice_when_processes_are_killed() {
    let size = Size::from_env();
    let given = number("BRAINSTEM_SOAK_SEED").map(|seed| seed as u64);
    let seed: u64 = given
        .unwrap_or_else(|| SystemIds.random()[..8].iter().fold(0, |all, byte| all << 8 | u64::from(*byte)));
    println!("inbox: BRAINSTEM_SOAK_SEED={seed}, {size:?}");
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path();
    let post = real_post(folder);
    let codex = caller("codex:maker", "");
    post.make_agent_topics(&codex, &[]).unwrap();
    let since = SystemClock.now();
    let (journal, kills) = run(&size, folder, &mut Chance::new(seed, 0));

    let (rows, aside) = mirrored(&post, folder, 2 * size.messages());
    assert_eq!(aside, []);
    let subjects: BTreeSet<&str> = rows.iter().map(|row| row.row.content.subject.as_str()).collect();
    assert_eq!(
        (rows.len(), subjects.len()),
        (size.messages(), size.messages()),
        "each message is there, and once"
    );
    let sent: BTreeSet<&str> = journal.sent.iter().map(String::as_str).collect();
    assert_eq!(sent, subjects, "what was answered is there");
    for (subject, listeners) in &journal.taken {
        assert_eq!(listeners.len(), 1, "{subject} was handed to {listeners:?}");
    }
    let finished: BTreeSet<&str> = journal.finished.iter().map(String::as_str).collect();
    assert_eq!(finished.len(), journal.finished.len(), "none was finished twice");
    // A session keeps its id when its process is started again, so that the marks of each are of one listener.
    let mut listeners_of: BTreeMap<&str, BTreeSet<&String>> = BTreeMap::new();
    for row in &rows {
        let mark = row.processed.as_ref().expect("everything is finished");
        listeners_of.entry(&mark.session).or_default().extend(&journal.taken[&row.row.content.subject]);
    }
    assert!(listeners_of.len() <= size.listeners, "{listeners_of:?}");
    assert!(listeners_of.values().all(|listeners| listeners.len() == 1), "{listeners_of:?}");
    let acks = acknowledged(&post, post.inbox_definition(&codex).unwrap().unwrap().acks);
    let acked: BTreeSet<_> = acks.iter().map(|ack| (ack.topic, ack.sequence)).collect();
    assert_eq!((acks.len(), acked.len()), (size.messages(), size.messages()), "one acknowledgement each");
    let verified = post.ledger().verify(&Kept::default(), &[]).unwrap();
    assert!(verified.holds(), "{verified:?}");

    // The mirror that lived through the kills is the one that a rebuild gives.
    std::fs::remove_dir_all(folder.join("home/inbox")).unwrap();
    assert_eq!(post.inbox_counts(&codex).unwrap().unread, 0);
    assert_eq!(mirrored(&post, folder, 2 * size.messages()), (rows, aside));
    println!(
        "inbox: {} messages answered by {} senders, {} finished by {} listeners, {kills} killed; {} messages had arrived without \
         an answer, {} were taken again by their own listener; {} topics with {} messages verify; {} s",
        journal.sent.len(),
        size.senders,
        acks.len(),
        size.listeners,
        journal.repeated,
        journal.taken_again,
        verified.topics,
        verified.messages,
        (SystemClock.now().ms() - since.ms()) / 1_000,
    );
}
