//! A disk that is full, a folder that may not be written, a newer file and a damaged one: each is named (LED-6).

#![allow(clippy::disallowed_methods, reason = "SQLite needs real files, and limits need processes")]

use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_ledger::{
    AccountId, Append, BackendFault, Kept, Ledger, LedgerError, NewTopic, ReadFrom, SubmitPolicy, TopicId,
};
use brainstem_ledger_sqlite::SqliteLedger;
use brainstem_sqlite::rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

fn open(folder: &Path) -> SqliteLedger {
    SqliteLedger::in_folder(&folder.join("ledger"), Arc::new(RealDisk), Arc::new(SystemClock))
}

fn topic(ledger: &dyn Ledger) -> Result<TopicId, LedgerError> {
    let new = NewTopic { memo: "m".to_owned(), policy: SubmitPolicy::Everyone, key: "k".to_owned() };
    ledger.create_topic(&new).map(|topic| topic.id)
}

fn append(ledger: &dyn Ledger, topic: TopicId, len: usize) -> Result<u64, LedgerError> {
    let submitter = AccountId::local(5).expect("in range");
    let append = Append { topic, submitter, key: None, bytes: vec![b'x'; len] };
    ledger.append(&append).map(|receipt| receipt.sequence.number())
}

fn fault<T: std::fmt::Debug>(answer: Result<T, LedgerError>) -> BackendFault {
    match answer {
        Err(LedgerError::Backend { fault, why, .. }) => {
            assert!(why.contains("ledger"), "the file is named: {why}");
            fault
        }
        other => panic!("{other:?}"),
    }
}

/// A folder on a file system of its own of this size, if this process may mount one.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(folder: &Path, size: &str) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "none"]).arg(folder);
        let is_mounted = mount.output().is_ok_and(|mounted| mounted.status.success());
        is_mounted.then(|| Self(folder.to_owned()))
    }

    fn make_read_only(&self) {
        let mut mount = Command::new("mount");
        let mounted = mount.args(["-o", "remount,ro"]).arg(&self.0).status();
        assert!(mounted.is_ok_and(|status| status.success()));
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Appends until the disk is full, then looks what is left. Returns how many were answered.
fn fill(folder: &Path, expected: BackendFault) -> u64 {
    let ledger = open(folder);
    let id = topic(&ledger).expect("made");
    let mut answered = 0;
    let refused = loop {
        match append(&ledger, id, 10_000) {
            Ok(number) => answered = number,
            Err(error) => break Err::<(), _>(error),
        }
        assert!(answered < 10_000, "the disk has a limit");
    };
    assert_eq!(fault(refused), expected);
    assert!(answered > 0);
    let head = ledger.head(id).expect("still readable");
    assert_eq!(
        head.sequence.map(|last| last.number()),
        Some(answered),
        "what was answered, and nothing else"
    );
    let found = ledger.verify(&Kept::default(), &[]).expect("still readable");
    assert!(found.holds() && found.messages == answered, "{found:?}");
    answered
}

/// Once there is room again, the next append has the next number.
fn go_on(folder: &Path, answered: u64) {
    let ledger = open(folder);
    let id = topic(&ledger).expect("there");
    assert_eq!(append(&ledger, id, 10_000), Ok(answered + 1));
    let found = ledger.verify(&Kept::default(), &[]).expect("readable");
    assert!(found.holds() && found.messages == answered + 1, "{found:?}");
}

const LIMITED: &str = "BRAINSTEM_TEST_LIMITED_FOLDER";

/// What the process with a limit on the size of its files does.
#[test]
fn limited_process() {
    if let Some(folder) = std::env::var_os(LIMITED) {
        // SQLite calls a limit on the size of files a failed write.
        fill(Path::new(&folder), BackendFault::Other);
    }
}

#[test] // spec: LED-6
fn a_full_disk_is_named_and_what_was_answered_stays() {
    let dir = tempfile::tempdir().expect("a folder");
    if let Some(disk) = SmallDisk::mount(dir.path(), "1m") {
        let beside = disk.0.join("beside");
        std::fs::write(&beside, vec![b'x'; 300_000]).expect("written");
        let answered = fill(&disk.0, BackendFault::Full);
        std::fs::remove_file(beside).expect("removed");
        go_on(&disk.0, answered);
        return;
    }
    let script = "trap '' XFSZ; ulimit -f 1000; exec \"$0\" --exact limited_process --nocapture";
    let mut limited = Command::new("sh");
    limited.arg("-c").arg(script).arg(std::env::current_exe().expect("this test")).env(LIMITED, dir.path());
    let ran = limited.output().expect("started");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let answered = open(dir.path()).verify(&Kept::default(), &[]).expect("readable").messages;
    go_on(dir.path(), answered);
}

#[test] // spec: LED-6
fn the_last_to_close_leaves_one_whole_file() {
    let dir = tempfile::tempdir().expect("a folder");
    let ledger = open(dir.path());
    let id = topic(&ledger).expect("made");
    append(&ledger, id, 10).expect("appended");
    assert_eq!(ledger.read(id, ReadFrom::Start, 10).map(|page| page.messages.len()), Ok(1));
    drop(ledger);
    let copy = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(copy.path().join("ledger")).expect("made");
    let name = "ledger/ledger.sqlite";
    std::fs::copy(dir.path().join(name), copy.path().join(name)).expect("copied");
    let found = open(copy.path()).verify(&Kept::default(), &[]).expect("readable");
    assert!(found.holds() && found.messages == 1, "{found:?}");
}

#[test] // spec: LED-1
fn a_ledger_that_was_put_in_the_place_of_another_is_written_and_read_from_then_on() {
    let (dir, other) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let ledger = open(dir.path());
    let id = topic(&ledger).expect("made");
    append(&ledger, id, 10).expect("appended");
    let beside = open(other.path());
    let same = topic(&beside).expect("made");
    assert_eq!((same, append(&beside, same, 10), append(&beside, same, 10)), (id, Ok(1), Ok(2)));
    drop(beside);
    std::fs::remove_dir_all(dir.path().join("ledger")).expect("removed");
    std::fs::rename(other.path().join("ledger"), dir.path().join("ledger")).expect("moved");
    assert_eq!(ledger.read(id, ReadFrom::Start, 10).map(|page| page.messages.len()), Ok(2));
    assert_eq!(append(&ledger, id, 10), Ok(3), "an answer is never about a file that is gone");
    assert_eq!(open(dir.path()).read(id, ReadFrom::Start, 10).map(|page| page.messages.len()), Ok(3));
}

#[test] // spec: LED-6
fn a_folder_that_may_not_be_written_is_named_and_can_be_read() {
    let dir = tempfile::tempdir().expect("a folder");
    let Some(disk) = SmallDisk::mount(dir.path(), "4m") else {
        // Without a file system of our own: a folder without permission, which binds every user but the superuser.
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o500);
        std::fs::set_permissions(dir.path(), mode).expect("set");
        let ledger = open(dir.path());
        match topic(&ledger) {
            Ok(_) => {}
            refused => assert_eq!(fault(refused), BackendFault::ReadOnly),
        }
        return;
    };
    let id = {
        let ledger = open(&disk.0);
        let id = topic(&ledger).expect("made");
        append(&ledger, id, 10).expect("appended");
        id
    };
    disk.make_read_only();
    let ledger = open(&disk.0);
    assert_eq!(fault(append(&ledger, id, 10)), BackendFault::ReadOnly);
    assert_eq!(ledger.read(id, ReadFrom::Start, 10).map(|page| page.messages.len()), Ok(1));
    assert!(ledger.verify(&Kept::default(), &[]).expect("readable").holds());
}

#[test] // spec: LED-6
fn a_newer_file_is_refused_by_readers_and_writers_and_left_as_it_is() {
    let dir = tempfile::tempdir().expect("a folder");
    let id = topic(&open(dir.path())).expect("made");
    let file = dir.path().join("ledger/ledger.sqlite");
    Connection::open(&file).expect("opened").pragma_update(None, "user_version", 99).expect("set");
    let before = std::fs::read(&file).expect("readable");
    let ledger = open(dir.path());
    assert_eq!(fault(append(&ledger, id, 1)), BackendFault::Newer);
    assert_eq!(fault(ledger.read(id, ReadFrom::Start, 1)), BackendFault::Newer);
    assert_eq!(fault(ledger.verify(&Kept::default(), &[])), BackendFault::Newer);
    assert_eq!(std::fs::read(&file).expect("readable"), before);
}

#[test] // spec: LED-6
fn a_damaged_file_is_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let id = {
        let ledger = open(dir.path());
        let id = topic(&ledger).expect("made");
        for _ in 0..200 {
            append(&ledger, id, 1_000).expect("appended");
        }
        id
    };
    let file = dir.path().join("ledger/ledger.sqlite");
    let mut bytes = std::fs::read(&file).expect("readable");
    // The head of the file is whole, and every page behind it is noise.
    bytes[8_192..].fill(0x5a);
    std::fs::write(&file, bytes).expect("written");
    let ledger = open(dir.path());
    assert_eq!(fault(ledger.verify(&Kept::default(), &[])), BackendFault::Damaged);
    assert_eq!(fault(ledger.read(id, ReadFrom::Start, 1_000)), BackendFault::Damaged);
    assert_eq!(fault(append(&ledger, id, 1)), BackendFault::Damaged);
    std::fs::remove_dir_all(dir.path().join("ledger")).expect("removed");
    let anew = open(dir.path());
    assert_eq!(topic(&anew), Ok(id));
    append(&anew, id, 10).expect("appended");
    let sql = "UPDATE messages SET running_hash = x'00'";
    Connection::open(&file).expect("opened").execute_batch(sql).expect("changed");
    assert_eq!(fault(anew.read(id, ReadFrom::Start, 1)), BackendFault::Damaged, "a row that is no message");
    drop(anew);
    std::fs::write(&file, b"words of a person, and no tables").expect("written");
    assert_eq!(fault(open(dir.path()).read(id, ReadFrom::Start, 1)), BackendFault::Foreign);
}
