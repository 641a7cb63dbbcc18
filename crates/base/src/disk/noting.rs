//! A disk that notes which files it could not give.

use super::{Disk, DiskError, DiskFault, Entry, Facts, LockGuard, Mapped, Print, Stat, StoppedLock, Watch};
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Wraps a disk and notes each file that is there and could not be read, at whichever attempt.
///
/// A file that is gone, that is no regular file or that is too large is not noted: the caller learns that from the answer,
/// and the next attempt answers the same.
///
/// ```
/// use brainstem_base::disk::{Disk, NotingDisk, RealDisk};
/// use std::sync::Arc;
///
/// let disk = NotingDisk::new(Arc::new(RealDisk));
/// assert!(disk.read("/nothing-here".as_ref(), 10).is_err());
/// assert!(disk.unread().is_empty(), "it is gone, and not unread");
/// ```
pub struct NotingDisk {
    inner: Arc<dyn Disk>,
    unread: Mutex<BTreeMap<PathBuf, DiskFault>>,
}

impl NotingDisk {
    /// Notes what `inner` cannot give.
    pub fn new(inner: Arc<dyn Disk>) -> Self {
        Self { inner, unread: Mutex::default() }
    }

    /// The files that could not be read so far, each with what went wrong at the last attempt that failed.
    pub fn unread(&self) -> BTreeMap<PathBuf, DiskFault> {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn noted<T>(&self, path: &Path, read: Result<T, DiskError>) -> Result<T, DiskError> {
        if let Err(error) = &read
            && is_failure(error.fault())
        {
            let mut unread = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
            unread.insert(path.to_owned(), error.fault());
        }
        read
    }
}

/// Whether a read failed, rather than found that there is nothing of the kind to read.
fn is_failure(fault: DiskFault) -> bool {
    match fault {
        DiskFault::NotFound | DiskFault::NotAFile | DiskFault::TooLarge { .. } => false,
        DiskFault::Exists
        | DiskFault::ReadOnly
        | DiskFault::NoSpace
        | DiskFault::Busy
        | DiskFault::CrossesDevices
        | DiskFault::PowerLost
        | DiskFault::Other => true,
    }
}

impl Disk for NotingDisk {
    fn read(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.noted(path, self.inner.read(path, len_max))
    }

    fn read_end(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.noted(path, self.inner.read_end(path, len_max))
    }

    fn read_start(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.noted(path, self.inner.read_start(path, len_max))
    }

    fn read_part(&self, path: &Path, offset: u64, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.noted(path, self.inner.read_part(path, offset, len_max))
    }

    fn list(&self, dir: &Path) -> Result<Vec<Entry>, DiskError> {
        self.inner.list(dir)
    }

    fn prints(&self, dir: &Path) -> Result<Vec<(Entry, Print)>, DiskError> {
        self.inner.prints(dir)
    }

    fn print(&self, path: &Path) -> Result<Print, DiskError> {
        self.inner.print(path)
    }

    fn map(&self, path: &Path) -> Result<Box<dyn Mapped>, DiskError> {
        self.inner.map(path)
    }

    fn watch(&self, dir: &Path) -> Option<Box<dyn Watch>> {
        self.inner.watch(dir)
    }

    fn watch_signal(&self) -> Option<OwnedFd> {
        self.inner.watch_signal()
    }

    fn is_open_for_writing(&self, path: &Path) -> Option<bool> {
        self.inner.is_open_for_writing(path)
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

    fn write_private(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        self.inner.write_private(path, bytes)
    }

    fn write_new_like(&self, path: &Path, bytes: &[u8], model: &Path) -> Result<(), DiskError> {
        self.inner.write_new_like(path, bytes, model)
    }

    fn reserve(&self, path: &Path) -> Result<(), DiskError> {
        self.inner.reserve(path)
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

    fn count_up(&self, path: &Path) -> Result<u64, DiskError> {
        self.inner.count_up(path)
    }

    fn lock(&self, path: &Path, wait: Duration) -> Result<Box<dyn LockGuard>, DiskError> {
        self.inner.lock(path, wait)
    }

    fn is_locked(&self, path: &Path) -> Result<bool, DiskError> {
        self.inner.is_locked(path)
    }

    fn facts(&self, path: &Path) -> Facts {
        self.inner.facts(path)
    }

    fn stopped_locks(&self, dir: &Path) -> Vec<StoppedLock> {
        self.inner.stopped_locks(dir)
    }
}
