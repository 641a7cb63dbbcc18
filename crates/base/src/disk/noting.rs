//! A disk that notes the paths that it could not read.

use super::{
    Disk, DiskError, DiskFault, FileStamp, FolderEntry, LockGuard, Mapped, PathFacts, Stat, StoppedLock,
    Watch,
};
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Wraps a disk and notes each name that could not be read, listed or looked at, at any attempt.
///
/// A missing name is not noted. A link, a folder or a file that is too large is noted with that fault; the caller
/// decides whether to report it.
///
/// ```
/// use brainstem_base::DiskFault;
/// use brainstem_base::disk::{Disk, NotingDisk, RealDisk};
/// use std::sync::Arc;
///
/// let disk = NotingDisk::new(Arc::new(RealDisk));
/// assert!(disk.read("/nothing-here".as_ref(), 10).is_err());
/// assert!(disk.unread().is_empty(), "it is absent, and not unread");
/// assert!(disk.read("/".as_ref(), 10).is_err());
/// assert_eq!(disk.unread().into_values().next().map(|unread| unread.fault), Some(DiskFault::NotAFile));
/// ```
pub struct NotingDisk {
    inner: Arc<dyn Disk>,
    unread: Mutex<BTreeMap<PathBuf, UnreadPath>>,
}

/// Why a name could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnreadPath {
    /// The fault of the last attempt that failed.
    pub fault: DiskFault,
    /// It is a folder whose names could not be listed.
    pub is_folder: bool,
}

impl NotingDisk {
    /// Notes what `inner` cannot read.
    pub fn new(inner: Arc<dyn Disk>) -> Self {
        Self { inner, unread: Mutex::default() }
    }

    /// The names that could not be read so far.
    pub fn unread(&self) -> BTreeMap<PathBuf, UnreadPath> {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The disk below, which notes nothing.
    pub fn inner(&self) -> &dyn Disk {
        &*self.inner
    }

    fn noted<T>(&self, path: &Path, read: Result<T, DiskError>) -> Result<T, DiskError> {
        self.note(path, &read, false);
        read
    }

    fn listed<T>(&self, dir: &Path, read: Result<T, DiskError>) -> Result<T, DiskError> {
        self.note(dir, &read, true);
        read
    }

    fn note<T>(&self, path: &Path, read: &Result<T, DiskError>, is_folder: bool) {
        let Err(error) = read else { return };
        if error.fault() == DiskFault::NotFound {
            return;
        }
        let mut unread = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
        let fault = error.fault();
        let noted = unread.entry(path.to_owned()).or_insert(UnreadPath { fault, is_folder });
        *noted = UnreadPath { fault, is_folder: noted.is_folder || is_folder };
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

    fn read_others(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        let read = self.inner.read_others(path, len_max);
        match &read {
            Err(error) if error.fault() == DiskFault::ReadOnly => read,
            Ok(_) | Err(_) => self.noted(path, read),
        }
    }

    fn read_part(&self, path: &Path, offset: u64, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.noted(path, self.inner.read_part(path, offset, len_max))
    }

    fn list(&self, dir: &Path) -> Result<Vec<FolderEntry>, DiskError> {
        self.listed(dir, self.inner.list(dir))
    }

    fn stamps(&self, dir: &Path) -> Result<Vec<(FolderEntry, FileStamp)>, DiskError> {
        self.listed(dir, self.inner.stamps(dir))
    }

    fn stamp(&self, path: &Path) -> Result<FileStamp, DiskError> {
        self.noted(path, self.inner.stamp(path))
    }

    fn map(&self, path: &Path) -> Result<Box<dyn Mapped>, DiskError> {
        self.noted(path, self.inner.map(path))
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
        self.noted(path, self.inner.stat(path))
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, DiskError> {
        self.noted(path, self.inner.canonical(path))
    }

    fn make_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.inner.make_dir(dir)
    }

    fn make_shared_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.inner.make_shared_dir(dir)
    }

    fn set_permissions_like(&self, dir: &Path, model: &Path) -> Result<(), DiskError> {
        self.inner.set_permissions_like(dir, model)
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

    fn facts(&self, path: &Path) -> PathFacts {
        self.inner.facts(path)
    }

    fn stopped_locks(&self, dir: &Path) -> Vec<StoppedLock> {
        self.inner.stopped_locks(dir)
    }
}
