//! A disk that can only be read.

use super::{
    Disk, DiskError, DiskFault, FileStamp, FolderEntry, LockGuard, Mapped, PathFacts, Stat, StoppedLock,
    Watch, verbs,
};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Wraps a disk and refuses every operation that changes something, as a file system that is mounted read-only does.
///
/// *Invariant: it passes on what reads and nothing else. An operation with a default body goes through the ones below,
/// so a new one cannot write through here.*
///
/// ```
/// use brainstem_base::DiskFault;
/// use brainstem_base::disk::{Disk, LookOnlyDisk, RealDisk};
/// use std::sync::Arc;
///
/// let disk = LookOnlyDisk::new(Arc::new(RealDisk));
/// assert!(disk.stat("/".as_ref()).is_ok());
/// let refused = disk.make_dir("/tmp/never-made".as_ref()).expect_err("it is only looked at");
/// assert_eq!(refused.fault(), DiskFault::ReadOnly);
/// ```
pub struct LookOnlyDisk(Arc<dyn Disk>);

impl LookOnlyDisk {
    /// Looks at `inner`.
    pub fn new(inner: Arc<dyn Disk>) -> Self {
        Self(inner)
    }
}

fn refused<T>(verb: &'static str, path: &Path) -> Result<T, DiskError> {
    Err(DiskError::new(verb, path, DiskFault::ReadOnly))
}

impl Disk for LookOnlyDisk {
    fn read(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.0.read(path, len_max)
    }

    fn read_end(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.0.read_end(path, len_max)
    }

    fn read_start(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.0.read_start(path, len_max)
    }

    fn stamps(&self, dir: &Path) -> Result<Vec<(FolderEntry, FileStamp)>, DiskError> {
        self.0.stamps(dir)
    }

    fn stamp(&self, path: &Path) -> Result<FileStamp, DiskError> {
        self.0.stamp(path)
    }

    fn map(&self, path: &Path) -> Result<Box<dyn Mapped>, DiskError> {
        self.0.map(path)
    }

    fn watch(&self, dir: &Path) -> Option<Box<dyn Watch>> {
        self.0.watch(dir)
    }

    fn watch_signal(&self) -> Option<OwnedFd> {
        self.0.watch_signal()
    }

    fn list(&self, dir: &Path) -> Result<Vec<FolderEntry>, DiskError> {
        self.0.list(dir)
    }

    fn stat(&self, path: &Path) -> Result<Stat, DiskError> {
        self.0.stat(path)
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, DiskError> {
        self.0.canonical(path)
    }

    fn is_locked(&self, path: &Path) -> Result<bool, DiskError> {
        self.0.is_locked(path)
    }

    fn facts(&self, path: &Path) -> PathFacts {
        self.0.facts(path)
    }

    fn stopped_locks(&self, dir: &Path) -> Vec<StoppedLock> {
        self.0.stopped_locks(dir)
    }

    fn make_dir(&self, dir: &Path) -> Result<(), DiskError> {
        refused(verbs::MAKE_DIR, dir)
    }

    fn set_permissions_like(&self, dir: &Path, _: &Path) -> Result<(), DiskError> {
        refused(verbs::SET_PERMISSIONS, dir)
    }

    fn write_new(&self, path: &Path, _: &[u8]) -> Result<(), DiskError> {
        refused(verbs::WRITE_NEW, path)
    }

    fn link(&self, _: &Path, to: &Path) -> Result<(), DiskError> {
        refused(verbs::LINK, to)
    }

    fn rename(&self, _: &Path, to: &Path) -> Result<(), DiskError> {
        refused(verbs::RENAME, to)
    }

    fn unlink(&self, path: &Path) -> Result<(), DiskError> {
        refused(verbs::UNLINK, path)
    }

    fn remove_dir(&self, dir: &Path) -> Result<(), DiskError> {
        refused(verbs::REMOVE_DIR, dir)
    }

    fn sync_dir(&self, dir: &Path) -> Result<(), DiskError> {
        refused(verbs::SYNC_DIR, dir)
    }

    fn append(&self, path: &Path, _: &[u8]) -> Result<(), DiskError> {
        refused(verbs::APPEND, path)
    }

    fn cut_back(&self, path: &Path, _: u64, _: u64) -> Result<bool, DiskError> {
        refused(verbs::CUT_BACK, path)
    }

    fn lock(&self, path: &Path, _: Duration) -> Result<Box<dyn LockGuard>, DiskError> {
        refused(verbs::LOCK, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::RealDisk;

    #[test] // spec: IF-11
    #[allow(clippy::disallowed_methods, reason = "the files themselves are looked at")]
    fn nothing_that_changes_a_file_gets_through() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("there"), "text").expect("written");
        let disk = LookOnlyDisk::new(Arc::new(RealDisk));
        let is_refused = |done: Result<(), DiskError>| {
            done.is_err_and(|error| [DiskFault::ReadOnly, DiskFault::Other].contains(&error.fault()))
        };
        let tried = [
            disk.make_dir(&at("new")),
            disk.write_new(&at("new"), b"x"),
            disk.write_private(&at("new"), b"x"),
            disk.write_new_like(&at("new"), b"x", &at("there")),
            disk.link(&at("there"), &at("new")),
            disk.rename(&at("there"), &at("new")),
            disk.rename_new(&at("there"), &at("new")),
            disk.unlink(&at("there")),
            disk.remove_dir(dir.path()),
            disk.sync_dir(dir.path()),
            disk.append(&at("there"), b"x"),
            disk.count_up(&at("there")).map(drop),
            disk.cut_back(&at("there"), 4, 1).map(drop),
            disk.lock(&at("lock"), Duration::ZERO).map(drop),
        ];
        for (number, done) in tried.into_iter().enumerate() {
            assert!(is_refused(done), "operation {number}");
        }
        let names: Vec<_> = std::fs::read_dir(dir.path()).expect("a folder").collect();
        assert_eq!(names.len(), 1);
        assert_eq!(disk.read(&at("there"), 9).ok().as_deref(), Some(&b"text"[..]));
    }
}
