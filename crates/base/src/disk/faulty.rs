//! A disk on which chosen operations fail.

use super::{
    Disk, DiskError, DiskFault, DiskStep, FileStamp, FolderEntry, LockGuard, Mapped, PathFacts, Stat,
    StoppedLock, verbs,
};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

type Decide = Box<dyn Fn(&DiskStep) -> Option<DiskFault> + Send + Sync>;

/// A kind of operation that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// Every look into a file or a folder.
    Reads,
    /// Everything that opens a file or a folder, as for a process that may open no more of them.
    Opens,
    /// Everything that adds a name or bytes, as on a disk that is full.
    Additions,
    /// Everything.
    All,
}

impl Failing {
    /// Every kind.
    pub const EACH: [Self; 4] = [Self::Reads, Self::Opens, Self::Additions, Self::All];

    /// Why an operation of this kind fails; `None` for one of another kind.
    pub fn fault(self, verb: &str) -> Option<DiskFault> {
        let reads = [verbs::READ, verbs::LIST, verbs::MAP].contains(&verb);
        let opens = [verbs::LOCK, verbs::WRITE_NEW, verbs::APPEND, verbs::CUT_BACK, verbs::SYNC_DIR];
        let additions = [verbs::WRITE_NEW, verbs::APPEND, verbs::LINK, verbs::RENAME, verbs::MAKE_DIR];
        match self {
            Self::Reads => reads.then_some(DiskFault::Other),
            Self::Opens => (reads || opens.contains(&verb)).then_some(DiskFault::Other),
            Self::Additions => additions.contains(&verb).then_some(DiskFault::NoSpace),
            Self::All => Some(DiskFault::Other),
        }
    }
}

/// How long a kind of operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailingFor {
    /// One operation fails.
    Once,
    /// That one fails and every later one.
    Good,
}

/// Wraps a disk and asks before each operation whether it fails, and why. A failed operation has changed nothing.
///
/// What writes privately or like another file counts as [`verbs::WRITE_NEW`], every way to read a file as
/// [`verbs::READ`], and a count that goes up as [`verbs::APPEND`].
///
/// ```
/// use brainstem_base::DiskFault;
/// use brainstem_base::disk::{Disk, FaultyDisk, RealDisk, verbs};
/// use std::sync::Arc;
///
/// let disk = FaultyDisk::new(Arc::new(RealDisk), |step| (step.verb == verbs::LIST).then_some(DiskFault::Other));
/// assert!(disk.stat("/".as_ref()).is_ok());
/// assert_eq!(disk.list("/".as_ref()).expect_err("it is to fail").fault(), DiskFault::Other);
/// assert_eq!(disk.failures(), 1);
/// ```
pub struct FaultyDisk {
    inner: Arc<dyn Disk>,
    decide: Decide,
    failures: AtomicU64,
}

impl FaultyDisk {
    /// Passes on to `inner` each operation for which `decide` returns `None`.
    pub fn new(
        inner: Arc<dyn Disk>,
        decide: impl Fn(&DiskStep) -> Option<DiskFault> + Send + Sync + 'static,
    ) -> Self {
        Self { inner, decide: Box::new(decide), failures: AtomicU64::new(0) }
    }

    /// Lets `passes` operations of a kind pass, and then one of them fail, or all that follow.
    pub fn after(inner: Arc<dyn Disk>, failing: Failing, long: FailingFor, passes: u64) -> Self {
        let asked = AtomicU64::new(0);
        Self::new(inner, move |step| {
            let fault = failing.fault(step.verb)?;
            let number = asked.fetch_add(1, Ordering::SeqCst);
            let is_hit = number == passes || long == FailingFor::Good && number > passes;
            is_hit.then_some(fault)
        })
    }

    /// How many operations have failed because this disk made them fail.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::SeqCst)
    }

    fn before(&self, verb: &'static str, path: &Path) -> Result<&dyn Disk, DiskError> {
        match (self.decide)(&DiskStep { verb, path: path.to_owned() }) {
            None => Ok(&*self.inner),
            Some(fault) => {
                self.failures.fetch_add(1, Ordering::SeqCst);
                Err(DiskError::new(verb, path, fault))
            }
        }
    }
}

impl fmt::Debug for FaultyDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultyDisk").finish_non_exhaustive()
    }
}

impl Disk for FaultyDisk {
    fn read(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.before(verbs::READ, path)?.read(path, len_max)
    }

    fn read_end(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.before(verbs::READ, path)?.read_end(path, len_max)
    }

    fn read_start(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.before(verbs::READ, path)?.read_start(path, len_max)
    }

    fn read_part(&self, path: &Path, offset: u64, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.before(verbs::READ, path)?.read_part(path, offset, len_max)
    }

    fn stamps(&self, dir: &Path) -> Result<Vec<(FolderEntry, FileStamp)>, DiskError> {
        self.before(verbs::LIST, dir)?.stamps(dir)
    }

    fn stamp(&self, path: &Path) -> Result<FileStamp, DiskError> {
        self.before(verbs::STAT, path)?.stamp(path)
    }

    fn map(&self, path: &Path) -> Result<Box<dyn Mapped>, DiskError> {
        self.before(verbs::MAP, path)?.map(path)
    }

    fn is_open_for_writing(&self, path: &Path) -> Option<bool> {
        self.inner.is_open_for_writing(path)
    }

    fn list(&self, dir: &Path) -> Result<Vec<FolderEntry>, DiskError> {
        self.before(verbs::LIST, dir)?.list(dir)
    }

    fn stat(&self, path: &Path) -> Result<Stat, DiskError> {
        self.before(verbs::STAT, path)?.stat(path)
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, DiskError> {
        self.before(verbs::CANONICAL, path)?.canonical(path)
    }

    fn make_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.before(verbs::MAKE_DIR, dir)?.make_dir(dir)
    }

    fn make_shared_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.before(verbs::MAKE_DIR, dir)?.make_shared_dir(dir)
    }

    fn set_permissions_like(&self, dir: &Path, model: &Path) -> Result<(), DiskError> {
        self.before(verbs::SET_PERMISSIONS, dir)?.set_permissions_like(dir, model)
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        self.before(verbs::WRITE_NEW, path)?.write_new(path, bytes)
    }

    fn write_private(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        self.before(verbs::WRITE_NEW, path)?.write_private(path, bytes)
    }

    fn write_new_like(&self, path: &Path, bytes: &[u8], model: &Path) -> Result<(), DiskError> {
        self.before(verbs::WRITE_NEW, path)?.write_new_like(path, bytes, model)
    }

    fn reserve(&self, path: &Path) -> Result<(), DiskError> {
        self.before(verbs::WRITE_NEW, path)?.reserve(path)
    }

    fn link(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.before(verbs::LINK, to)?.link(from, to)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.before(verbs::RENAME, to)?.rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.before(verbs::RENAME, to)?.rename_new(from, to)
    }

    fn unlink(&self, path: &Path) -> Result<(), DiskError> {
        self.before(verbs::UNLINK, path)?.unlink(path)
    }

    fn remove_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.before(verbs::REMOVE_DIR, dir)?.remove_dir(dir)
    }

    fn sync_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.before(verbs::SYNC_DIR, dir)?.sync_dir(dir)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        self.before(verbs::APPEND, path)?.append(path, bytes)
    }

    fn cut_back(&self, path: &Path, from: u64, len: u64) -> Result<bool, DiskError> {
        self.before(verbs::CUT_BACK, path)?.cut_back(path, from, len)
    }

    fn count_up(&self, path: &Path) -> Result<u64, DiskError> {
        self.before(verbs::APPEND, path)?.count_up(path)
    }

    fn lock(&self, path: &Path, wait: Duration) -> Result<Box<dyn LockGuard>, DiskError> {
        self.before(verbs::LOCK, path)?.lock(path, wait)
    }

    fn is_locked(&self, path: &Path) -> Result<bool, DiskError> {
        self.before(verbs::LOCK, path)?.is_locked(path)
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
    use super::*;
    use crate::disk::SimDisk;

    #[test]
    fn an_operation_that_fails_has_changed_nothing_and_the_next_one_passes() {
        let sim = SimDisk::new();
        let disk = FaultyDisk::after(Arc::new(sim.clone()), Failing::Opens, FailingFor::Once, 1);
        disk.write_new("/one".as_ref(), b"1").unwrap();
        let refused = disk.write_new("/two".as_ref(), b"2").unwrap_err();
        assert_eq!((refused.fault(), disk.failures()), (DiskFault::Other, 1));
        assert!(sim.stat("/two".as_ref()).is_err());
        disk.write_new("/two".as_ref(), b"2").unwrap();
    }

    #[test]
    fn an_operation_that_fails_for_good_never_passes_again() {
        let sim = SimDisk::new();
        let disk = FaultyDisk::after(Arc::new(sim), Failing::Additions, FailingFor::Good, 1);
        disk.write_new("/one".as_ref(), b"1").unwrap();
        for _ in 0..3 {
            assert_eq!(disk.append("/one".as_ref(), b"1").unwrap_err().fault(), DiskFault::NoSpace);
        }
        assert_eq!(disk.read("/one".as_ref(), 9).unwrap(), b"1");
        assert_eq!(disk.failures(), 3);
    }
}
