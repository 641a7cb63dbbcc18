//! The port through which the program touches files, small enough to be simulated exactly.
//!
//! Every operation that changes a name is its own call, and none is durable until [`Disk::sync_dir`] has answered: the
//! simulated disk loses power before any of them and tries each fate of what was not synced.
//!
//! A change of a name in a folder that this user cannot open to sync is refused before it is made. After an error with
//! [`DiskError::is_unconfirmed`] the change is in place; only the sync after it failed.

#[cfg(test)]
mod contract;
mod facts;
#[cfg(feature = "testing")]
mod faulty;
mod look_only;
mod noting;
#[cfg(feature = "testing")]
mod observed;
mod real;
#[cfg(feature = "testing")]
mod sim;

pub use facts::{PathFacts, StoppedLock};
#[cfg(feature = "testing")]
pub use faulty::{Failing, FailingFor, FaultyDisk};
pub use look_only::LookOnlyDisk;
pub use noting::{NotingDisk, UnreadPath};
#[cfg(feature = "testing")]
pub use observed::{DiskStep, ObservedDisk};
pub use real::RealDisk;
#[cfg(feature = "testing")]
pub use sim::{SimDisk, SimWriter, SyncFailures, UnsyncedFate};

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Files, as this program uses them. Implementations never follow a symbolic link in the last
/// component of a path, except in [`Disk::canonical`].
pub trait Disk: Send + Sync {
    /// Reads a whole regular file of at most `len_max` bytes.
    ///
    /// A larger file is [`DiskFault::TooLarge`] and is not loaded; a link, folder or device is
    /// [`DiskFault::NotAFile`].
    fn read(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError>;

    /// The entries of a folder, in no particular order.
    ///
    /// Only a missing folder is [`DiskFault::NotFound`]; a link or a file of that name is [`DiskFault::Other`], here
    /// and in [`Disk::sync_dir`], so that no caller takes it for an empty store.
    fn list(&self, dir: &Path) -> Result<Vec<FolderEntry>, DiskError>;

    /// The last `len_max` bytes of a regular file, or all of it where it is shorter.
    fn read_end(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        let mut bytes = self.read(path, u64::MAX)?;
        let surplus = (bytes.len() as u64).saturating_sub(len_max);
        bytes.drain(..usize::try_from(surplus).unwrap_or(bytes.len()));
        Ok(bytes)
    }

    /// The first `len_max` bytes of a regular file, or all of it where it is shorter.
    fn read_start(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        let mut bytes = self.read(path, u64::MAX)?;
        bytes.truncate(usize::try_from(len_max).unwrap_or(usize::MAX));
        Ok(bytes)
    }

    /// As [`Disk::read_start`], of a file that other programs keep and that no answer needs: a [`NotingDisk`] does not note
    /// one that this user may not read.
    fn read_others(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.read_start(path, len_max)
    }

    /// At most `len_max` bytes of a regular file from `offset` on; fewer at its end, an empty list behind it.
    ///
    /// For files of any size: a caller that reads piece by piece never holds more than one piece.
    fn read_part(&self, path: &Path, offset: u64, len_max: u64) -> Result<Vec<u8>, DiskError> {
        let mut bytes = self.read(path, u64::MAX)?;
        let to = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
        let (start, end) = (to(offset), to(offset.saturating_add(len_max)));
        bytes.truncate(end);
        bytes.drain(..start);
        Ok(bytes)
    }

    /// The entries of a folder, each with its stamp. An entry that vanishes meanwhile is left out.
    fn stamps(&self, dir: &Path) -> Result<Vec<(FolderEntry, FileStamp)>, DiskError> {
        let entries = self.list(dir)?.into_iter();
        let seen = entries.filter_map(|entry| match self.stamp(&dir.join(&entry.name)) {
            Ok(stamp) => Some(Ok((entry, stamp))),
            Err(error) if error.fault() == DiskFault::NotFound => None,
            Err(error) => Some(Err(error)),
        });
        seen.collect()
    }

    /// The stamp of a path. Links are not followed.
    fn stamp(&self, path: &Path) -> Result<FileStamp, DiskError> {
        let stat = self.stat(path)?;
        let changed_ns = i64::try_from(stat.modified_ns).unwrap_or(i64::MAX);
        Ok(FileStamp { inode: stat.identity.map_or(0, |identity| identity.inode), changed_ns, len: stat.len })
    }

    /// The bytes of a regular file, shared with every process that maps it where the system can.
    ///
    /// For files that are replaced and never written in place: ask [`Mapped::is_intact`] before use.
    fn map(&self, path: &Path) -> Result<Box<dyn Mapped>, DiskError> {
        self.read(path, u64::MAX).map(|bytes| Box::new(Loaded(bytes)) as Box<dyn Mapped>)
    }

    /// Watches the names of a folder, from now on; `None` where the system cannot.
    fn watch(&self, dir: &Path) -> Option<Box<dyn Watch>> {
        let _ = dir;
        None
    }

    /// A descriptor that becomes readable when a watch has news, for a caller that waits for several things at once;
    /// `None` where the system has none. Another thread may take the news first, so a caller must not wait for this
    /// alone.
    fn watch_signal(&self) -> Option<OwnedFd> {
        None
    }

    /// Whether a process has the file open for writing at this moment; `None` where the system cannot say.
    fn is_open_for_writing(&self, path: &Path) -> Option<bool> {
        let _ = path;
        None
    }

    /// Facts about a path. Links are not followed.
    fn stat(&self, path: &Path) -> Result<Stat, DiskError>;

    /// The absolute path with every link resolved. The path must exist.
    fn canonical(&self, path: &Path) -> Result<PathBuf, DiskError>;

    /// Makes one folder, readable by its owner alone. [`DiskFault::Exists`] if the name is taken.
    fn make_dir(&self, dir: &Path) -> Result<(), DiskError>;

    /// Makes one folder with the permissions that this process gives to new folders, as git does in a working tree.
    /// [`DiskFault::Exists`] if the name is taken.
    fn make_shared_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.make_dir(dir)
    }

    /// Gives a folder the permissions of the folder at `model`.
    fn set_permissions_like(&self, dir: &Path, model: &Path) -> Result<(), DiskError> {
        let _ = (dir, model);
        Ok(())
    }

    /// Creates a file that did not exist, writes `bytes`, and syncs its content (not its name).
    ///
    /// If writing or syncing fails, the new name is removed again, best effort.
    fn write_new(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError>;

    /// As [`Disk::write_new`], with permissions that let the owner alone read it, from its first moment on.
    fn write_private(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        self.write_new(path, bytes)
    }

    /// As [`Disk::write_new`], with the permissions of the file at `model`: a replacement must be as private as the
    /// original, from its first byte on.
    fn write_new_like(&self, path: &Path, bytes: &[u8], model: &Path) -> Result<(), DiskError> {
        let _ = model;
        self.write_new(path, bytes)
    }

    /// Makes an empty file that did not exist ([`DiskFault::Exists`]), for a mark that may be lost: a real disk syncs
    /// nothing here. Of several callers that make it at once, one succeeds.
    fn reserve(&self, path: &Path) -> Result<(), DiskError> {
        self.write_new(path, b"")
    }

    /// Gives a file a second name; never replaces ([`DiskFault::Exists`]).
    fn link(&self, from: &Path, to: &Path) -> Result<(), DiskError>;

    /// Renames a file, replacing the file at `to`.
    ///
    /// If both are names of one file already, both stay, as POSIX has it. To move a file to another
    /// folder and be certain of it, sync the new folder, then the old.
    fn rename(&self, from: &Path, to: &Path) -> Result<(), DiskError>;

    /// Renames a file and never replaces ([`DiskFault::Exists`]). Of several callers that rename one file at once, one
    /// succeeds and the others get [`DiskFault::NotFound`].
    ///
    /// A disk that can only link and remove leaves a moment in which the file has both names.
    fn rename_new(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.link(from, to)?;
        self.unlink(from)
    }

    /// Removes one name of a file.
    fn unlink(&self, path: &Path) -> Result<(), DiskError>;

    /// Removes a folder that is empty; one that is not is [`DiskFault::Other`].
    fn remove_dir(&self, dir: &Path) -> Result<(), DiskError>;

    /// Makes the names in a folder durable. [`DiskError::is_unconfirmed`] is true of its errors.
    fn sync_dir(&self, dir: &Path) -> Result<(), DiskError>;

    /// Appends `bytes` in one write, creating the file if needed, and syncs its content.
    ///
    /// Power loss may leave a part of `bytes` at the end. If only the sync fails, `bytes` are in the file and
    /// [`DiskError::is_unconfirmed`] is true of the error.
    fn append(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError>;

    /// Cuts a file of exactly `from` bytes back to its first `len` bytes. Returns false, and changes nothing, if the
    /// file has grown since or the disk cannot do it. Takes back an append whose sync failed, on a disk whose syncs
    /// fail: it needs no space and syncs nothing.
    fn cut_back(&self, path: &Path, from: u64, len: u64) -> Result<bool, DiskError> {
        let _ = (path, from, len);
        Ok(false)
    }

    /// Appends one byte, creating the file if needed, and returns the new size.
    ///
    /// For counters that may be lost: a real disk syncs nothing here.
    fn count_up(&self, path: &Path) -> Result<u64, DiskError> {
        self.append(path, b".")?;
        Ok(self.stat(path)?.len)
    }

    /// Takes the exclusive lock file at `path`, creating it if needed, and waits at most `wait`.
    ///
    /// The lock is free again when the guard is dropped or its process dies. The file stays.
    fn lock(&self, path: &Path, wait: Duration) -> Result<Box<dyn LockGuard>, DiskError>;

    /// Whether a process holds the lock file at `path`. Creates nothing, and needs no permission to write there.
    fn is_locked(&self, path: &Path) -> Result<bool, DiskError> {
        match self.stat(path) {
            Ok(_) => {}
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(false),
            Err(error) => return Err(error),
        }
        match self.lock(path, Duration::ZERO) {
            Ok(_) => Ok(false),
            Err(error) if error.fault() == DiskFault::Busy => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// What the system knows about a path beyond [`Disk::stat`]; for diagnosis, never for a decision.
    fn facts(&self, path: &Path) -> PathFacts {
        let _ = path;
        PathFacts::default()
    }

    /// The lock files of a folder that a stopped process holds; empty where the system cannot say.
    fn stopped_locks(&self, dir: &Path) -> Vec<StoppedLock> {
        let _ = dir;
        Vec::new()
    }
}

/// Changes whenever a file changes: it shows that a file must be read again, and decides nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileStamp {
    /// Its number on its device, or 0 where the system has none.
    pub inode: u64,
    /// When it last changed in any way, in nanoseconds since the epoch.
    pub changed_ns: i64,
    /// Its size in bytes.
    pub len: u64,
}

/// The bytes of a file that was mapped.
pub trait Mapped: Send + Sync {
    /// The bytes.
    fn bytes(&self) -> &[u8];

    /// Whether the file is still as long, and as old, as when it was mapped.
    fn is_intact(&self) -> bool;
}

/// A file that was read instead of mapped: no other process can change these bytes.
struct Loaded(Vec<u8>);

impl Mapped for Loaded {
    fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn is_intact(&self) -> bool {
        true
    }
}

/// A watch over the names of a folder.
pub trait Watch: Send {
    /// What changed since the last call, or since the watch began.
    fn changes(&mut self) -> Changes;
}

/// What a watch saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changes {
    /// The names to which something happened; an empty list if nothing happened.
    Names(Vec<OsString>),
    /// The watch missed some events: the caller must look at everything.
    Unknown,
}

/// Holds a lock until dropped.
pub trait LockGuard: Send {
    /// Whether the lock's path still leads to the locked file. If the file was removed or replaced, another process can
    /// take a lock under the same path.
    fn is_in_place(&self) -> Result<bool, DiskError>;
}

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FolderEntry {
    /// The name alone, as the file system has it (perhaps not UTF-8).
    pub name: OsString,
    /// What it is, links not followed.
    pub kind: FileKind,
}

/// The kind of file that a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Dir,
    /// A symbolic link, whatever its target is.
    Link,
    /// A socket, a pipe, a device.
    Other,
}

/// Facts about a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: FileKind,
    /// Its size in bytes.
    pub len: u64,
    /// Its last modification, in nanoseconds since the epoch.
    pub modified_ns: i128,
    /// What stays the same when it is renamed, where the file system has it.
    pub identity: Option<FileIdentity>,
}

/// Tells one file from every other, also after a rename and after its inode number was used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    /// The device it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// When it was made, in nanoseconds since the epoch.
    pub born_ns: i128,
}

/// A disk operation that failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {verb} `{}`{}", path.display(), source.as_ref().map_or_else(|| format!(": {fault}"), |_| String::new()))]
pub struct DiskError {
    verb: &'static str,
    path: PathBuf,
    fault: DiskFault,
    #[source]
    source: Option<io::Error>,
}

/// What went wrong, in the classes that callers treat differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiskFault {
    /// There is nothing of that name.
    NotFound,
    /// The name is taken.
    Exists,
    /// It is a link, a folder or a device where a regular file was wanted.
    NotAFile,
    /// It is larger than the caller allows.
    TooLarge {
        /// Its size in bytes.
        len: u64,
    },
    /// The file system is read-only or does not permit it.
    ReadOnly,
    /// The disk or a quota is full.
    NoSpace,
    /// Another process holds the lock.
    Busy,
    /// `from` and `to` are on different file systems.
    CrossesDevices,
    /// The simulated power is gone.
    PowerLost,
    /// Anything else.
    Other,
}

impl DiskError {
    /// An error that did not come from the operating system.
    pub fn new(verb: &'static str, path: &Path, fault: DiskFault) -> Self {
        Self { verb, path: path.to_owned(), fault, source: None }
    }

    /// Wraps an error of the operating system.
    pub fn from_io(verb: &'static str, path: &Path, source: io::Error) -> Self {
        use io::ErrorKind as Kind;
        let fault = match source.kind() {
            Kind::NotFound | Kind::NotADirectory => DiskFault::NotFound,
            Kind::AlreadyExists => DiskFault::Exists,
            Kind::PermissionDenied | Kind::ReadOnlyFilesystem => DiskFault::ReadOnly,
            Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => DiskFault::NoSpace,
            Kind::WouldBlock => DiskFault::Busy,
            Kind::CrossesDevices => DiskFault::CrossesDevices,
            Kind::IsADirectory => DiskFault::NotAFile,
            _ => DiskFault::Other,
        };
        Self { verb, path: path.to_owned(), fault, source: Some(source) }
    }

    /// What went wrong.
    pub fn fault(&self) -> DiskFault {
        self.fault
    }

    /// The path it went wrong at.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether only a sync failed: the change before it was made, and it may be lost in a power cut.
    pub fn is_unconfirmed(&self) -> bool {
        [verbs::SYNC_DIR, verbs::SYNC].contains(&self.verb)
    }
}

impl fmt::Display for DiskFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("there is nothing of that name"),
            Self::Exists => f.write_str("the name is taken"),
            Self::NotAFile => f.write_str("it is not a regular file"),
            Self::TooLarge { len } => write!(f, "it has {len} bytes"),
            Self::ReadOnly => f.write_str("it is read-only or not permitted"),
            Self::NoSpace => f.write_str("the disk is full"),
            Self::Busy => f.write_str("another process holds it"),
            Self::CrossesDevices => f.write_str("it is on another file system"),
            Self::PowerLost => f.write_str("the power is gone"),
            Self::Other => f.write_str("the operation failed"),
        }
    }
}

/// The verbs of the operations that change something, for counting and for stopping before them.
pub mod verbs {
    /// [`super::Disk::map`].
    pub const MAP: &str = "map";
    /// [`super::Disk::make_dir`].
    pub const MAKE_DIR: &str = "make the folder";
    /// [`super::Disk::set_permissions_like`].
    pub const SET_PERMISSIONS: &str = "change the permissions of";
    /// [`super::Disk::write_new`].
    pub const WRITE_NEW: &str = "write";
    /// [`super::Disk::link`].
    pub const LINK: &str = "link";
    /// [`super::Disk::rename`].
    pub const RENAME: &str = "rename";
    /// [`super::Disk::unlink`].
    pub const UNLINK: &str = "remove";
    /// [`super::Disk::remove_dir`].
    pub const REMOVE_DIR: &str = "remove the folder";
    /// [`super::Disk::sync_dir`].
    pub const SYNC_DIR: &str = "sync the folder";
    /// The end of [`super::Disk::append`]: the bytes are in the file, and are being made durable.
    pub const SYNC: &str = "sync";
    /// [`super::Disk::append`].
    pub const APPEND: &str = "append to";
    /// [`super::Disk::cut_back`].
    pub const CUT_BACK: &str = "shorten";
    /// [`super::Disk::lock`].
    pub const LOCK: &str = "lock";
    /// [`super::Disk::read`].
    pub const READ: &str = "read";
    /// [`super::Disk::list`].
    pub const LIST: &str = "list";
    /// [`super::Disk::stat`].
    pub const STAT: &str = "look at";
    /// [`super::Disk::canonical`].
    pub const CANONICAL: &str = "resolve";
}
