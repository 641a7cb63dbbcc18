//! A disk that calls a hook before each operation.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{
    Disk, DiskError, FileStamp, FolderEntry, LockGuard, Mapped, PathFacts, Stat, StoppedLock, Watch, verbs,
};

/// One operation that is about to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskStep {
    /// Which operation, as named in [`verbs`].
    pub verb: &'static str,
    /// Its path; of a link or a rename, the new name.
    pub path: PathBuf,
}

type Hook = Box<dyn Fn(DiskStep) + Send + Sync>;

/// Wraps a disk, counts its operations by verb and calls a hook before each.
///
/// The hook may stop the process: then the operation has not begun.
///
/// ```
/// use brainstem_base::disk::{Disk, ObservedDisk, RealDisk, verbs};
/// use std::sync::Arc;
///
/// let disk = ObservedDisk::counting(Arc::new(RealDisk));
/// assert!(disk.stat("/".as_ref()).is_ok());
/// assert_eq!(disk.counts()[verbs::STAT], 1);
/// ```
pub struct ObservedDisk {
    inner: Arc<dyn Disk>,
    hook: Hook,
    counts: Mutex<BTreeMap<&'static str, u64>>,
}

impl ObservedDisk {
    /// Calls `hook` before each operation of `inner`.
    pub fn new(inner: Arc<dyn Disk>, hook: impl Fn(DiskStep) + Send + Sync + 'static) -> Self {
        Self { inner, hook: Box::new(hook), counts: Mutex::default() }
    }

    /// Only counts.
    pub fn counting(inner: Arc<dyn Disk>) -> Self {
        Self::new(inner, |_| ())
    }

    /// How often each operation was begun, by its verb; verbs that never were are missing.
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Starts to count from zero.
    pub fn reset(&self) {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn before(&self, verb: &'static str, path: &Path) -> &dyn Disk {
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner).entry(verb).or_default() += 1;
        (self.hook)(DiskStep { verb, path: path.to_owned() });
        &*self.inner
    }
}

impl fmt::Debug for ObservedDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObservedDisk").field("counts", &self.counts).finish_non_exhaustive()
    }
}

impl Disk for ObservedDisk {
    fn read(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.before(verbs::READ, path).read(path, len_max)
    }

    fn read_end(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.before(verbs::READ, path).read_end(path, len_max)
    }

    fn read_start(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.before(verbs::READ, path).read_start(path, len_max)
    }

    fn read_part(&self, path: &Path, offset: u64, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.before(verbs::READ, path).read_part(path, offset, len_max)
    }

    fn stamps(&self, dir: &Path) -> Result<Vec<(FolderEntry, FileStamp)>, DiskError> {
        self.before(verbs::LIST, dir).stamps(dir)
    }

    fn stamp(&self, path: &Path) -> Result<FileStamp, DiskError> {
        self.before(verbs::STAT, path).stamp(path)
    }

    fn map(&self, path: &Path) -> Result<Box<dyn Mapped>, DiskError> {
        self.before(verbs::MAP, path).map(path)
    }

    fn is_open_for_writing(&self, path: &Path) -> Option<bool> {
        self.inner.is_open_for_writing(path)
    }

    fn watch(&self, dir: &Path) -> Option<Box<dyn Watch>> {
        self.inner.watch(dir)
    }

    fn list(&self, dir: &Path) -> Result<Vec<FolderEntry>, DiskError> {
        self.before(verbs::LIST, dir).list(dir)
    }

    fn stat(&self, path: &Path) -> Result<Stat, DiskError> {
        self.before(verbs::STAT, path).stat(path)
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, DiskError> {
        self.before(verbs::CANONICAL, path).canonical(path)
    }

    fn make_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.before(verbs::MAKE_DIR, dir).make_dir(dir)
    }

    fn make_shared_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.before(verbs::MAKE_DIR, dir).make_shared_dir(dir)
    }

    fn set_permissions_like(&self, dir: &Path, model: &Path) -> Result<(), DiskError> {
        self.before(verbs::SET_PERMISSIONS, dir).set_permissions_like(dir, model)
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        self.before(verbs::WRITE_NEW, path).write_new(path, bytes)
    }

    fn write_new_like(&self, path: &Path, bytes: &[u8], model: &Path) -> Result<(), DiskError> {
        self.before(verbs::WRITE_NEW, path).write_new_like(path, bytes, model)
    }

    fn reserve(&self, path: &Path) -> Result<(), DiskError> {
        self.before(verbs::WRITE_NEW, path).reserve(path)
    }

    fn link(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.before(verbs::LINK, to).link(from, to)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.before(verbs::RENAME, to).rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.before(verbs::RENAME, to).rename_new(from, to)
    }

    fn unlink(&self, path: &Path) -> Result<(), DiskError> {
        self.before(verbs::UNLINK, path).unlink(path)
    }

    fn remove_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.before(verbs::REMOVE_DIR, dir).remove_dir(dir)
    }

    fn sync_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.before(verbs::SYNC_DIR, dir).sync_dir(dir)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        self.before(verbs::APPEND, path).append(path, bytes)
    }

    fn cut_back(&self, path: &Path, from: u64, len: u64) -> Result<bool, DiskError> {
        self.before(verbs::CUT_BACK, path).cut_back(path, from, len)
    }

    fn lock(&self, path: &Path, wait: Duration) -> Result<Box<dyn LockGuard>, DiskError> {
        self.before(verbs::LOCK, path).lock(path, wait)
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

#[cfg(test)]
mod tests {
    use super::{DiskStep, ObservedDisk};
    use crate::disk::{Disk, RealDisk, verbs};
    use std::sync::{Arc, Mutex};

    #[test]
    fn every_operation_is_told_before_it_happens() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("note");
        let told = Arc::new(Mutex::new(Vec::new()));
        let disk = ObservedDisk::new(Arc::new(RealDisk), {
            let told = told.clone();
            move |step| told.lock().unwrap().push((step.path.exists(), step))
        });

        disk.write_new(&path, b"x").unwrap();
        disk.unlink(&path).unwrap();

        let step = |verb| DiskStep { verb, path: path.clone() };
        assert_eq!(*told.lock().unwrap(), [(false, step(verbs::WRITE_NEW)), (true, step(verbs::UNLINK))]);
    }

    #[test]
    fn counts_start_again_after_a_reset() {
        let disk = ObservedDisk::counting(Arc::new(RealDisk));
        let _ = disk.read("/nothing/here".as_ref(), 1);
        assert_eq!(disk.counts().into_iter().collect::<Vec<_>>(), [(verbs::READ, 1)]);
        disk.reset();
        assert!(disk.counts().is_empty());
    }
}
