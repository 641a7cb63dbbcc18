//! Power that is lost before every step of a call, and a process that is killed after every operation.

use crate::world::{clock, service};
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{Disk, FileKind, FolderEntry, LockGuard, SimDisk, Stat, UnsyncedFate};
use brainstem_base::{DiskError, DiskFault};
use brainstem_memory::{Memory, MemoryError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// One thing a caller asks for.
pub(crate) type Call = Box<dyn Fn(&Memory) -> Result<(), MemoryError>>;

pub(crate) fn call<T>(ask: impl Fn(&Memory) -> Result<T, MemoryError> + 'static) -> Call {
    Box::new(move |memory| ask(memory).map(|_| ()))
}

/// When the calls of a case are made: after everything that prepared it.
pub(crate) fn later() -> Arc<ManualClock> {
    let clock = clock();
    clock.advance(1_000_000);
    clock
}

/// What every fate leaves; those that leave the same files and folders are one.
pub(crate) fn found_after(disk: &SimDisk, seed: u64) -> Vec<(UnsyncedFate, SimDisk)> {
    let mut known = Vec::new();
    let all = UnsyncedFate::all(seed).into_iter().map(|fate| (fate, disk.reboot(fate)));
    all.filter(|(_, found)| {
        let whole = (found.dump(), entries(found, Path::new("/")));
        let is_new = !known.contains(&whole);
        known.push(whole);
        is_new
    })
    .collect()
}

/// Every name on a disk.
fn entries(disk: &SimDisk, dir: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in disk.list(dir).unwrap() {
        let path = dir.join(entry.name);
        if entry.kind == FileKind::Dir {
            all.extend(entries(disk, &path));
        }
        all.push(path);
    }
    all
}

/// Crashes `first` at every step with every fate, and hands each disk that is found to `then`.
pub(crate) fn crashed(prepared: &SimDisk, first: &Call, mut then: impl FnMut(&SimDisk, &str)) {
    for steps in 0.. {
        let disk = prepared.reboot(UnsyncedFate::Kept);
        disk.lose_power_after(steps);
        let answered = first(&service(Arc::new(disk.clone()), &later())).is_ok();
        if !disk.lost_power() {
            assert!(answered);
            break;
        }
        for (fate, found) in found_after(&disk, steps) {
            then(&found, &format!("after {steps} steps, {fate:?}"));
        }
    }
}

/// A disk whose process is killed after so many operations; the machine runs on.
pub(crate) struct Mortal {
    inner: SimDisk,
    left: AtomicU64,
}

impl Mortal {
    pub(crate) fn new(inner: SimDisk, operations: u64) -> Self {
        Self { inner, left: AtomicU64::new(operations) }
    }

    pub(crate) fn has_survived(&self) -> bool {
        self.left.load(Ordering::SeqCst) > 0
    }

    fn alive(&self, path: &Path) -> Result<&SimDisk, DiskError> {
        let spend = |left: u64| left.checked_sub(1);
        match self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, spend) {
            Ok(_) => Ok(&self.inner),
            Err(_) => Err(DiskError::new("reach", path, DiskFault::PowerLost)),
        }
    }
}

impl Disk for Mortal {
    fn read(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.alive(path)?.read(path, len_max)
    }
    fn list(&self, dir: &Path) -> Result<Vec<FolderEntry>, DiskError> {
        self.alive(dir)?.list(dir)
    }
    fn stat(&self, path: &Path) -> Result<Stat, DiskError> {
        self.alive(path)?.stat(path)
    }
    fn canonical(&self, path: &Path) -> Result<PathBuf, DiskError> {
        self.alive(path)?.canonical(path)
    }
    fn make_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.alive(dir)?.make_dir(dir)
    }
    fn write_new(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        self.alive(path)?.write_new(path, bytes)
    }
    fn link(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.alive(to)?.link(from, to)
    }
    fn rename(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.alive(to)?.rename(from, to)
    }
    fn unlink(&self, path: &Path) -> Result<(), DiskError> {
        self.alive(path)?.unlink(path)
    }

    fn remove_dir(&self, path: &Path) -> Result<(), DiskError> {
        self.alive(path)?.remove_dir(path)
    }
    fn sync_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.alive(dir)?.sync_dir(dir)
    }
    fn append(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        self.alive(path)?.append(path, bytes)
    }
    fn lock(&self, path: &Path, wait: Duration) -> Result<Box<dyn LockGuard>, DiskError> {
        self.alive(path)?.lock(path, wait)
    }
}
