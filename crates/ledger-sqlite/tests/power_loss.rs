//! Power loss, as far as SQLite lets it be tried: what lies on the disk between two answers is torn in every way, and what was
//! answered must be there.
//!
//! An answer comes after the write-ahead log was synced, which the last test here sees in the system calls. So at an answer the
//! file and the log are as they were read then, and everything that is written after it may be there, be missing, be zeros
//! or be noise, sector by sector. What processes share (`-shm`) is gone after a power loss.

#![allow(clippy::disallowed_methods, reason = "SQLite needs real files, and system calls need processes")]

use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_ledger::{AccountId, Append, Kept, Ledger, NewTopic, ReadFrom, SubmitPolicy, TopicId};
use brainstem_ledger_sqlite::SqliteLedger;
use brainstem_sqlite::rusqlite::Connection;
use brainstem_testkit::{Chance, cases};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

const FILE: &str = "ledger/ledger.sqlite";
const LOG: &str = "ledger/ledger.sqlite-wal";
/// The head of a log, and the head and the page of each frame in it.
const LOG_HEAD: usize = 32;
const FRAME_HEAD: usize = 24;
const FRAME: usize = FRAME_HEAD + 4_096;
/// What a disk writes at once.
const SECTOR: usize = 512;

fn open(folder: &Path) -> SqliteLedger {
    SqliteLedger::in_folder(&folder.join("ledger"), Arc::new(RealDisk), Arc::new(SystemClock))
}

fn topic(ledger: &dyn Ledger) -> TopicId {
    let new = NewTopic { memo: "m".to_owned(), policy: SubmitPolicy::Everyone, key: "k".to_owned() };
    ledger.create_topic(&new).expect("made").id
}

fn append(ledger: &dyn Ledger, topic: TopicId, bytes: Vec<u8>) {
    let submitter = AccountId::local(5).expect("in range");
    ledger.append(&Append { topic, submitter, key: None, bytes }).expect("appended");
}

/// The files at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OnDisk {
    file: Vec<u8>,
    log: Vec<u8>,
}

impl OnDisk {
    fn read(folder: &Path) -> Self {
        let read = |name: &str| std::fs::read(folder.join(name)).unwrap_or_default();
        Self { file: read(FILE), log: read(LOG) }
    }

    /// The lengths of all messages, in order, of a ledger that starts from these files.
    fn recovered(&self) -> Vec<usize> {
        self.started(lengths)
    }

    /// That another message can be appended to such a ledger.
    fn check_goes_on(&self) {
        self.started(|ledger| {
            let before = lengths(ledger).len();
            append(ledger, topic(ledger), b"after".to_vec());
            assert_eq!(lengths(ledger).len(), before + 1);
        });
    }

    fn started<T>(&self, look: impl FnOnce(&SqliteLedger) -> T) -> T {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(dir.path().join("ledger")).expect("made");
        std::fs::write(dir.path().join(FILE), &self.file).expect("written");
        std::fs::write(dir.path().join(LOG), &self.log).expect("written");
        look(&open(dir.path()))
    }
}

fn lengths(ledger: &SqliteLedger) -> Vec<usize> {
    let verified = ledger.verify(&Kept::default(), &[]).expect("readable");
    assert!(verified.holds(), "{verified:?}");
    let Some(topic) = ledger.topics(None, 1).expect("readable").pop() else { return Vec::new() };
    let page = ledger.read(topic.id, ReadFrom::Start, 1_000).expect("readable");
    page.messages.iter().map(|message| message.bytes.len()).collect()
}

/// What is behind the point up to which the new bytes came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// Nothing: the file ends there, or where it ended before.
    Old,
    Zeros,
    Noise,
}

/// The bytes of a file that was to become `new` and got as far as `cut`. Only what was to change is touched.
fn cut_off(old: &[u8], new: &[u8], cut: usize, rest: Rest, chance: &mut Chance) -> Vec<u8> {
    let mut bytes = new[..cut].to_vec();
    bytes.extend(old.get(cut..).unwrap_or_default());
    if rest == Rest::Old {
        return bytes;
    }
    bytes.resize(new.len(), 0);
    let mut at = cut;
    while at < new.len() {
        let end = (at / SECTOR + 1) * SECTOR;
        let sector = at..end.min(new.len());
        if old.get(sector.clone()) != new.get(sector.clone()) {
            let part = &mut bytes[sector];
            match rest {
                Rest::Zeros => part.fill(0),
                Rest::Old | Rest::Noise => part.fill_with(|| chance.draw() as u8),
            }
        }
        at = end;
    }
    bytes
}

/// The bytes of a file in which each sector that changed came or did not, as a disk may write them in any order.
fn scattered(old: &[u8], new: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(new.len());
    for (at, sector) in new.chunks(SECTOR).enumerate() {
        let before = old.get(at * SECTOR..).unwrap_or_default();
        let before = &before[..before.len().min(sector.len())];
        if before == sector || chance.once_in(2) {
            bytes.extend(sector);
            continue;
        }
        bytes.extend(before);
        bytes.resize(bytes.len() + sector.len() - before.len(), 0);
    }
    bytes
}

/// The points at which a write from `old` to `new` is cut off: around every part of every frame, and some by chance.
fn cuts(old: &[u8], new: &[u8], chance: &mut Chance) -> Vec<usize> {
    let first = new.iter().zip(old).position(|(new, old)| new != old).unwrap_or(old.len().min(new.len()));
    let parts = (0..).map(|n| LOG_HEAD + n * FRAME).take_while(|at| *at <= new.len());
    let near =
        parts.flat_map(|at| [at.saturating_sub(1), at, at + 1, at + FRAME_HEAD, at + SECTOR, at + FRAME / 2]);
    let by_chance = (0..8).map(|_| first + chance.below((new.len() - first).max(1) as u64) as usize);
    let mut all: Vec<usize> = near.chain(by_chance.collect::<Vec<_>>()).chain([first, new.len()]).collect();
    all.retain(|cut| (first..=new.len()).contains(cut));
    all.sort_unstable();
    all.dedup();
    all
}

/// Every state that a power loss can leave of the way from `old` to `new`, where one of the two files changes.
fn torn(old: &OnDisk, new: &OnDisk, chance: &mut Chance) -> Vec<(String, OnDisk)> {
    let is_log = old.file == new.file;
    assert!(is_log || old.log == new.log, "one file changes at a time");
    let (before, after) = if is_log { (&old.log, &new.log) } else { (&old.file, &new.file) };
    let of = |bytes: Vec<u8>| match is_log {
        true => OnDisk { log: bytes, file: new.file.clone() },
        false => OnDisk { file: bytes, log: new.log.clone() },
    };
    let mut states = Vec::new();
    for cut in cuts(before, after, chance) {
        for rest in [Rest::Old, Rest::Zeros, Rest::Noise] {
            // By its first sector SQLite knows the file: that one is the old or the new, and never noise.
            if is_log || cut >= SECTOR || rest == Rest::Old {
                states.push((format!("{cut} {rest:?}"), of(cut_off(before, after, cut, rest, chance))));
            }
        }
    }
    for n in 0..12 {
        states.push((format!("scattered {n}"), of(scattered(before, after, chance))));
    }
    states
}

#[test] // spec: LED-1, LED-2
fn what_was_answered_is_there_wherever_the_power_fails() {
    let mut chance = Chance::new(7_733, 15);
    let dir = tempfile::tempdir().expect("a folder");
    // It stays open, so that nothing is folded in but by the steps below.
    let ledger = open(dir.path());
    let id = topic(&ledger);
    append(&ledger, id, b"first".to_vec());
    let mut tried = 0;
    let (mut old, mut answered) = (OnDisk::read(dir.path()), lengths(&ledger));
    for step in 0..cases(3) {
        let is_folding = step % 3 == 1;
        let sent = match is_folding {
            true => {
                let folding = Connection::open(dir.path().join(FILE)).expect("opened");
                let fold =
                    folding.query_row("PRAGMA wal_checkpoint(PASSIVE)", (), |row| row.get::<_, i64>(0));
                assert_eq!(fold.expect("folded"), 0);
                None
            }
            false => {
                // Within a page, over several pages, and so many that the tree of pages grows.
                let len = [300, 5_000, 40, 20_000][step as usize % 4];
                append(&ledger, id, vec![b'x'; len]);
                Some(len)
            }
        };
        let new = OnDisk::read(dir.path());
        assert_ne!(old, new, "step {step} wrote something");
        let after: Vec<usize> = answered.iter().copied().chain(sent).collect();
        for (how, state) in torn(&old, &new, &mut chance) {
            let found = state.recovered();
            assert!(
                found == answered || found == after,
                "step {step}, {how}: {found:?}, answered {answered:?}"
            );
            tried += 1;
            if tried % 16 == 0 {
                state.check_goes_on();
            }
        }
        assert_eq!(new.recovered(), after, "once it is answered it is there");
        (old, answered) = (new, after);
    }
    println!("power loss: {tried} torn states, nothing answered was lost");
}

const ANSWERING: &str = "BRAINSTEM_TEST_ANSWERING_FOLDER";
const ANSWERS: usize = 20;

/// What the process under `strace` does: append, and say so after each answer.
#[test]
fn answering_process() {
    use std::io::Write as _;
    let Some(folder) = std::env::var_os(ANSWERING) else { return };
    let ledger = open(Path::new(&folder));
    let id = topic(&ledger);
    for n in 0..ANSWERS {
        append(&ledger, id, vec![b'x'; 300]);
        std::io::stdout().lock().write_all(format!("answered {n}\n").as_bytes()).expect("the parent reads");
    }
}

#[test] // spec: LED-1, LED-2
fn an_answer_comes_after_the_sync_of_its_log() {
    if !Command::new("strace").args(["-f", "true"]).output().is_ok_and(|ran| ran.status.success()) {
        println!("skipped: strace is not there, or may not look at processes");
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let calls = dir.path().join("calls");
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qq", "-y", "-e", "trace=write,pwrite64,fsync,fdatasync", "-o"]).arg(&calls);
    traced.arg(std::env::current_exe().expect("this test"));
    traced
        .args(["--exact", "answering_process", "--nocapture", "--test-threads=1"])
        .env(ANSWERING, dir.path());
    let ran = traced.output().expect("started");
    assert!(ran.status.success(), "{ran:?}");
    let calls = std::fs::read_to_string(calls).expect("readable");
    // Written since the last sync of the log, and synced since the last answer.
    let (mut is_dirty, mut is_synced, mut answers) = (false, false, 0);
    for call in calls.lines() {
        let is_sync = call.contains("fsync") || call.contains("fdatasync");
        if call.contains("\"answered ") {
            assert!(is_synced && !is_dirty, "answer {answers} came before its sync:\n{calls}");
            (is_synced, answers) = (false, answers + 1);
        } else if is_sync && call.contains("ledger.sqlite-wal>") && call.ends_with(" = 0") {
            (is_dirty, is_synced) = (false, true);
        } else if !is_sync && call.contains("ledger.sqlite-wal>") {
            is_dirty = true;
        }
    }
    assert_eq!(answers, ANSWERS);
}
