//! A disk that no longer reads from some moment of a call on, and still writes: what was done before that is answered as
//! done, and a call that fails has done nothing.

use crate::refused::{Ask, Place, asks, prepared, view};
use crate::world::{clock, service};
use brainstem_base::disk::{Disk, Entry, Fate, LockGuard, SimDisk, Stat, verbs};
use brainstem_base::{DiskError, DiskFault};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A disk that reads so many more files and folders, and then none.
struct BlindAfter {
    inner: SimDisk,
    left: AtomicU64,
}

impl BlindAfter {
    fn look(&self, verb: &'static str, path: &Path) -> Result<&SimDisk, DiskError> {
        let spend = |left: u64| left.checked_sub(1);
        match self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, spend) {
            Ok(_) => Ok(&self.inner),
            Err(_) => Err(DiskError::new(verb, path, DiskFault::Other)),
        }
    }
}

impl Disk for BlindAfter {
    fn read(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.look(verbs::READ, path)?.read(path, len_max)
    }
    fn list(&self, dir: &Path) -> Result<Vec<Entry>, DiskError> {
        self.look(verbs::LIST, dir)?.list(dir)
    }
    fn stat(&self, path: &Path) -> Result<Stat, DiskError> {
        self.inner.stat(path)
    }
    fn canonical(&self, path: &Path) -> Result<PathBuf, DiskError> {
        self.inner.canonical(path)
    }
    fn make_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.inner.make_dir(dir)
    }
    fn write_new(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        self.inner.write_new(path, bytes)
    }
    fn link(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.inner.link(from, to)
    }
    fn rename(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.inner.rename(from, to)
    }
    fn rename_new(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.inner.rename_new(from, to)
    }
    fn unlink(&self, path: &Path) -> Result<(), DiskError> {
        self.inner.unlink(path)
    }
    fn remove_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.inner.remove_dir(dir)
    }
    fn sync_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.inner.sync_dir(dir)
    }
    fn append(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        self.inner.append(path, bytes)
    }
    fn cut_back(&self, path: &Path, from: u64, len: u64) -> Result<bool, DiskError> {
        self.inner.cut_back(path, from, len)
    }
    fn lock(&self, path: &Path, wait: Duration) -> Result<Box<dyn LockGuard>, DiskError> {
        self.inner.lock(path, wait)
    }
}

/// Asks on a disk that goes blind after so many reads. Whether it did.
fn blind(name: &str, ask: Ask, before: &SimDisk, [old, new]: [&BTreeSet<String>; 2], reads: u64) -> bool {
    let disk = before.reboot(Fate::Kept);
    let blind = Arc::new(BlindAfter { inner: disk.clone(), left: AtomicU64::new(reads) });
    let told = format!("{name}, blind after {reads} reads");
    let now = clock();
    now.advance(60_000);
    let answer = ask(&service(blind.clone(), &now));
    let after = view(&disk);
    let expected = if answer.is_ok() { new } else { old };
    let (more, less): (Vec<_>, Vec<_>) =
        (after.difference(expected).collect(), expected.difference(&after).collect());
    let is_told = match &answer {
        // A second name of a version that could not be found to be taken away loses nothing.
        Ok(()) => less.is_empty() && more.iter().all(|it| it.starts_with("past")),
        Err(error) => error.to_string().starts_with("the claim is forgotten"),
    };
    let is_so = more.is_empty() && less.is_empty();
    assert!(is_told || is_so, "{told}, {answer:?}: new {more:#?}, gone {less:#?}");
    blind.left.load(Ordering::SeqCst) == 0
}

#[test] // spec: MEM-13a
fn what_was_done_before_a_disk_went_blind_is_answered_as_done() {
    for place in [Place::Home, Place::Repository] {
        let before = prepared(place);
        let old = view(&before);
        for (name, ask) in asks() {
            if place == Place::Home && name.ends_with("git took away") {
                continue;
            }
            let whole = before.reboot(Fate::Kept);
            let now = clock();
            now.advance(60_000);
            ask(&service(Arc::new(whole.clone()), &now)).unwrap();
            let new = view(&whole);
            let mut reads = 0;
            while blind(name, ask, &before, [&old, &new], reads) {
                reads += 1;
            }
            assert!(reads > 0, "{name} in {place:?} reads something");
        }
    }
}
