//! The disk of the machine.
//!
//! Everything is opened by descriptor first and judged afterwards, so a name that changes between two calls does no
//! harm: no link is followed, and no call waits for a pipe.

#![allow(clippy::disallowed_methods, reason = "this is the one place that touches files")]

mod guard;
#[cfg(target_os = "linux")]
mod inotify;
mod mapping;
mod stat;
#[cfg(target_os = "linux")]
mod writers;

use std::ffi::OsStr;
use std::fs::{File, Permissions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

#[cfg(target_os = "linux")]
use super::StoppedLock;
#[cfg(target_os = "linux")]
use super::Watch;
use stat::{NS_PER_S, kind_of, stamp_of, stat_of};

use super::{
    Disk, DiskError, DiskFault, FileStamp, FolderEntry, Loaded, LockGuard, Mapped, PathFacts, Stat, verbs,
};

/// The pauses between two tries to take a lock: the first, and what they grow to.
const LOCK_PAUSE_MIN: Duration = Duration::from_millis(1);
const LOCK_PAUSE_MAX: Duration = Duration::from_millis(25);

/// What every open has in common. A pipe without a writer would otherwise hold us up forever.
const OPEN_SAFELY: OFlags =
    OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// People own their files and commit them, so their umask decides.
const FILE_MODE: u32 = 0o644;
const LOCK_MODE: u32 = 0o600;
const DIR_MODE: u32 = 0o700;
/// What the umask leaves of it is given.
const SHARED_DIR_MODE: u32 = 0o777;

/// The disk of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl RealDisk {
    /// Turns a file that grows past the limit of this process into a write error, as a full disk is; otherwise the
    /// system ends the process. Called once, when the process starts.
    pub fn ignore_file_size_signal() {
        guard::ignore_file_size_signal();
    }
}

impl Disk for RealDisk {
    fn read(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        let failed = |error| failure(verbs::READ, path, error);
        let too_large = |len| DiskError::new(verbs::READ, path, DiskFault::TooLarge { len });

        let len_max = len_max.min(WHOLE_LEN_MAX);
        let (file, len) = open_with_len(verbs::READ, path, OFlags::RDONLY, 0)?;
        if len > len_max {
            return Err(too_large(len));
        }
        let bytes = read_all(&file, len, len_max.saturating_add(1)).map_err(failed)?;
        // The file may have grown since its size was read: one byte more than allowed shows it.
        if bytes.len() as u64 > len_max {
            let len = file.metadata().map_err(failed)?.len();
            return Err(too_large(len.max(bytes.len() as u64)));
        }
        Ok(bytes)
    }

    fn list(&self, dir: &Path) -> Result<Vec<FolderEntry>, DiskError> {
        let failed = |errno: Errno| failure(verbs::LIST, dir, errno.into());
        let folder = open_dir(verbs::LIST, dir)?;
        let mut entries = Vec::new();
        for entry in Dir::read_from(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let kind = match entry.file_type() {
                // Some file systems give the kind only on request.
                FileType::Unknown => match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => kind_of(FileType::from_raw_mode(stat.st_mode)),
                    Err(Errno::NOENT) => continue,
                    Err(errno) => return Err(failed(errno)),
                },
                known => kind_of(known),
            };
            entries.push(FolderEntry { name: OsStr::from_bytes(name.to_bytes()).to_owned(), kind });
        }
        Ok(entries)
    }

    fn read_end(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        let failed = |error| failure(verbs::READ, path, error);
        let (mut file, len) = open_with_len(verbs::READ, path, OFlags::RDONLY, 0)?;
        file.seek(SeekFrom::Start(len.saturating_sub(len_max))).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(len_max).read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }

    fn read_start(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        let file = open_file(verbs::READ, path, OFlags::RDONLY, 0)?;
        let mut bytes = Vec::new();
        file.take(len_max).read_to_end(&mut bytes).map_err(|error| failure(verbs::READ, path, error))?;
        Ok(bytes)
    }

    fn read_part(&self, path: &Path, offset: u64, len_max: u64) -> Result<Vec<u8>, DiskError> {
        let failed = |error| failure(verbs::READ, path, error);
        let mut file = open_file(verbs::READ, path, OFlags::RDONLY, 0)?;
        file.seek(SeekFrom::Start(offset)).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(len_max).read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }

    fn stamps(&self, dir: &Path) -> Result<Vec<(FolderEntry, FileStamp)>, DiskError> {
        let failed = |errno: Errno| failure(verbs::LIST, dir, errno.into());
        let folder = open_dir(verbs::LIST, dir)?;
        let mut seen = Vec::new();
        for entry in Dir::read_from(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => {
                    let kind = kind_of(FileType::from_raw_mode(stat.st_mode));
                    let name = OsStr::from_bytes(name.to_bytes()).to_owned();
                    seen.push((FolderEntry { name, kind }, stamp_of(&stat)));
                }
                Err(Errno::NOENT) => {}
                Err(errno) => return Err(failed(errno)),
            }
        }
        Ok(seen)
    }

    fn stamp(&self, path: &Path) -> Result<FileStamp, DiskError> {
        let found = retry_on_intr(|| rustix::fs::lstat(path));
        found.map(|stat| stamp_of(&stat)).map_err(|errno| failure(verbs::STAT, path, errno.into()))
    }

    fn map(&self, path: &Path) -> Result<Box<dyn Mapped>, DiskError> {
        let file = open_file(verbs::MAP, path, OFlags::RDONLY, 0)?;
        match mapping::Mapping::of(file).map_err(|error| failure(verbs::MAP, path, error))? {
            Some(mapped) => Ok(Box::new(mapped)),
            None => self.read(path, u64::MAX).map(|bytes| Box::new(Loaded(bytes)) as Box<dyn Mapped>),
        }
    }

    #[cfg(target_os = "linux")]
    fn is_open_for_writing(&self, path: &Path) -> Option<bool> {
        writers::has_writer(&open_file(verbs::READ, path, OFlags::RDONLY, 0).ok()?)
    }

    #[cfg(target_os = "linux")]
    fn watch(&self, dir: &Path) -> Option<Box<dyn Watch>> {
        inotify::Inotify::on(dir).map(|watch| Box::new(watch) as Box<dyn Watch>)
    }

    #[cfg(target_os = "linux")]
    fn watch_signal(&self) -> Option<std::os::fd::OwnedFd> {
        inotify::signal()
    }

    fn stat(&self, path: &Path) -> Result<Stat, DiskError> {
        stat_of(path).map_err(|error| failure(verbs::STAT, path, error))
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, DiskError> {
        std::fs::canonicalize(path).map_err(|error| failure(verbs::CANONICAL, path, error))
    }

    fn make_dir(&self, dir: &Path) -> Result<(), DiskError> {
        make_dir(dir, DIR_MODE)
    }

    fn make_shared_dir(&self, dir: &Path) -> Result<(), DiskError> {
        make_dir(dir, SHARED_DIR_MODE)
    }

    fn set_permissions_like(&self, dir: &Path, model: &Path) -> Result<(), DiskError> {
        let found = std::fs::symlink_metadata(model).map_err(|error| failure(verbs::STAT, model, error))?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OPEN_SAFELY;
        let opened = retry_on_intr(|| rustix::fs::open(dir, flags, Mode::empty()));
        let mode = Mode::from_raw_mode(found.mode() & 0o777);
        opened
            .and_then(|folder| retry_on_intr(|| rustix::fs::fchmod(&folder, mode)))
            .map_err(|errno| failure(verbs::SET_PERMISSIONS, dir, errno.into()))
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        create(path, bytes, FILE_MODE)
    }

    fn write_private(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        create(path, bytes, LOCK_MODE)
    }

    fn write_new_like(&self, path: &Path, bytes: &[u8], model: &Path) -> Result<(), DiskError> {
        can_sync_new(verbs::WRITE_NEW, path)?;
        let found = std::fs::symlink_metadata(model).map_err(|error| failure(verbs::STAT, model, error))?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let mut file = open_file(verbs::WRITE_NEW, path, flags, LOCK_MODE)?;
        let mode = Permissions::from_mode(found.mode() & 0o777);
        file.set_permissions(mode)
            .and_then(|()| file.write_all(bytes))
            .and_then(|()| file.sync_all())
            .map_err(|error| {
                remove_if_still(path, &file);
                failure(verbs::WRITE_NEW, path, error)
            })
    }

    fn reserve(&self, path: &Path) -> Result<(), DiskError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        open_file(verbs::WRITE_NEW, path, flags, FILE_MODE).map(drop)
    }

    fn link(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        can_sync_new(verbs::LINK, to)?;
        retry_on_intr(|| rustix::fs::linkat(CWD, from, CWD, to, AtFlags::empty())).map_err(|errno| {
            // The system says "not permitted" for a folder, which would read like a read-only disk.
            match errno {
                Errno::PERM if is_dir(from) => not_a_file(verbs::LINK, to),
                other => failure(verbs::LINK, to, other.into()),
            }
        })
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        can_sync_renamed(from, to)?;
        retry_on_intr(|| rustix::fs::rename(from, to)).map_err(|errno| match errno {
            Errno::NOTDIR if is_dir(from) && is_taken(to) => no_folder(verbs::RENAME, to, errno),
            other => failure(verbs::RENAME, to, other.into()),
        })
    }

    fn rename_new(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        can_sync_renamed(from, to)?;
        let flags = rustix::fs::RenameFlags::NOREPLACE;
        match retry_on_intr(|| rustix::fs::renameat_with(CWD, from, CWD, to, flags)) {
            Ok(()) => Ok(()),
            // Both paths are names of one file, so there is nothing to rename.
            Err(Errno::EXIST) => Err(DiskError::new(verbs::RENAME, to, DiskFault::Exists)),
            // A file system whose rename cannot refuse to replace can link.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                self.link(from, to)?;
                self.unlink(from)
            }
            Err(errno) => Err(failure(verbs::RENAME, to, errno.into())),
        }
    }

    fn unlink(&self, path: &Path) -> Result<(), DiskError> {
        can_sync_gone(verbs::UNLINK, path)?;
        retry_on_intr(|| rustix::fs::unlink(path)).map_err(|errno| match errno {
            Errno::PERM if is_dir(path) => not_a_file(verbs::UNLINK, path),
            other => failure(verbs::UNLINK, path, other.into()),
        })
    }

    fn remove_dir(&self, dir: &Path) -> Result<(), DiskError> {
        can_sync_gone(verbs::REMOVE_DIR, dir)?;
        retry_on_intr(|| rustix::fs::rmdir(dir)).map_err(|errno| match errno {
            // A file or a link has that name; the plain mapping would call the folder missing.
            Errno::NOTDIR if std::fs::symlink_metadata(dir).is_ok() => {
                DiskError::new(verbs::REMOVE_DIR, dir, DiskFault::Other)
            }
            other => failure(verbs::REMOVE_DIR, dir, other.into()),
        })
    }

    fn sync_dir(&self, dir: &Path) -> Result<(), DiskError> {
        let folder = open_dir(verbs::SYNC_DIR, dir)?;
        folder.sync_all().map_err(|error| failure(verbs::SYNC_DIR, dir, error))
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        can_sync_parent(verbs::APPEND, path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND;
        let mut file = open_file(verbs::APPEND, path, flags, FILE_MODE)?;
        let written = loop {
            match file.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other.map_err(|error| failure(verbs::APPEND, path, error))?,
            }
        };
        if written < bytes.len() {
            // Another process may have appended a line behind it already, so the bytes stay.
            return Err(DiskError::new(verbs::APPEND, path, DiskFault::NoSpace));
        }
        file.sync_all().map_err(|error| failure(verbs::SYNC, path, error))
    }

    fn cut_back(&self, path: &Path, from: u64, len: u64) -> Result<bool, DiskError> {
        let failed = |error| failure(verbs::CUT_BACK, path, error);
        let file = open_file(verbs::CUT_BACK, path, OFlags::WRONLY, 0)?;
        if file.metadata().map_err(failed)?.len() != from || len > from {
            return Ok(false);
        }
        file.set_len(len).map_err(failed).map(|()| true)
    }

    fn count_up(&self, path: &Path) -> Result<u64, DiskError> {
        let failed = |error| failure(verbs::APPEND, path, error);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND;
        let mut file = open_file(verbs::APPEND, path, flags, LOCK_MODE)?;
        file.write_all(b".").map_err(failed)?;
        Ok(file.metadata().map_err(failed)?.len())
    }

    fn lock(&self, path: &Path, wait: Duration) -> Result<Box<dyn LockGuard>, DiskError> {
        let since = Instant::now();
        let file = open_file(verbs::LOCK, path, OFlags::RDWR | OFlags::CREATE, LOCK_MODE)?;
        let mut pause = LOCK_PAUSE_MIN;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Box::new(HeldFile { file, path: path.to_owned() })),
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(TryLockError::Error(error)) => return Err(failure(verbs::LOCK, path, error)),
                Err(TryLockError::WouldBlock) => {}
            }
            let left = wait.saturating_sub(since.elapsed());
            if left.is_zero() {
                return Err(DiskError::new(verbs::LOCK, path, DiskFault::Busy));
            }
            std::thread::sleep(pause.min(left));
            pause = (pause * 2).min(LOCK_PAUSE_MAX);
        }
    }

    fn is_locked(&self, path: &Path) -> Result<bool, DiskError> {
        let file = match open_file(verbs::LOCK, path, OFlags::RDONLY, 0) {
            Ok(file) => file,
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        loop {
            // A shared lock, so that two processes that only look do not block each other.
            match file.try_lock_shared() {
                Ok(()) => return Ok(false),
                Err(TryLockError::WouldBlock) => return Ok(true),
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(TryLockError::Error(error)) => return Err(failure(verbs::LOCK, path, error)),
            }
        }
    }

    fn facts(&self, path: &Path) -> PathFacts {
        let found = std::fs::symlink_metadata(path).ok();
        let volume = retry_on_intr(|| rustix::fs::statvfs(path)).ok();
        PathFacts {
            owned: found.as_ref().map(|found| found.uid() == rustix::process::geteuid().as_raw()),
            mode: found.as_ref().map(|found| found.mode() & 0o7777),
            changed_ns: found
                .map(|found| i128::from(found.ctime()) * NS_PER_S + i128::from(found.ctime_nsec())),
            network: network_of(path),
            free_len: volume.map(|volume| volume.f_bavail.saturating_mul(volume.f_frsize)),
            writable: is_writable(path),
        }
    }

    #[cfg(target_os = "linux")]
    fn stopped_locks(&self, dir: &Path) -> Vec<StoppedLock> {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let held: Vec<(u32, u64)> = super::facts::flocks(&read("/proc/locks"))
            .into_iter()
            .filter(|(pid, _)| super::facts::is_stopped(&read(&format!("/proc/{pid}/stat"))))
            .collect();
        if held.is_empty() {
            return Vec::new();
        }
        let holder = |path: PathBuf| {
            let inode = std::fs::symlink_metadata(&path).ok()?.ino();
            let (pid, _) = held.iter().find(|(_, held)| *held == inode)?;
            Some(StoppedLock { path, pid: *pid })
        };
        let entries = self.list(dir).unwrap_or_default();
        entries.into_iter().filter_map(|entry| holder(dir.join(entry.name))).collect()
    }
}

fn is_writable(path: &Path) -> Option<bool> {
    match retry_on_intr(|| rustix::fs::access(path, rustix::fs::Access::WRITE_OK)) {
        Ok(()) => Some(true),
        Err(Errno::ROFS | Errno::ACCESS | Errno::PERM) => Some(false),
        Err(_) => None,
    }
}

#[cfg(target_os = "linux")]
fn network_of(path: &Path) -> Option<&'static str> {
    let found = retry_on_intr(|| rustix::fs::statfs(path)).ok()?;
    // The width and the sign of the number differ between machines; its lower half does not.
    super::facts::network_name((i128::from(found.f_type) & 0xFFFF_FFFF) as u32)
}

#[cfg(not(target_os = "linux"))]
fn network_of(_: &Path) -> Option<&'static str> {
    None
}

/// The kernel frees the lock when the last descriptor of the open file is closed.
struct HeldFile {
    file: File,
    path: PathBuf,
}

impl LockGuard for HeldFile {
    fn is_in_place(&self) -> Result<bool, DiskError> {
        let failed = |error| failure(verbs::STAT, &self.path, error);
        let held = self.file.metadata().map_err(failed)?;
        // The system gives the inode number of an open file to no other file.
        match std::fs::symlink_metadata(&self.path).map_err(failed) {
            Ok(found) => Ok((found.dev(), found.ino()) == (held.dev(), held.ino())),
            Err(error) if error.fault() == DiskFault::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn make_dir(dir: &Path, mode: u32) -> Result<(), DiskError> {
    can_sync_new(verbs::MAKE_DIR, dir)?;
    let made = std::fs::DirBuilder::new().mode(mode).create(dir);
    made.map_err(|error| failure(verbs::MAKE_DIR, dir, error))
}

fn create(path: &Path, bytes: &[u8], mode: u32) -> Result<(), DiskError> {
    can_sync_new(verbs::WRITE_NEW, path)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    let mut file = open_file(verbs::WRITE_NEW, path, flags, mode)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|error| {
        remove_if_still(path, &file);
        failure(verbs::WRITE_NEW, path, error)
    })
}

/// Opens a regular file, and refuses anything else of that name.
fn open_file(verb: &'static str, path: &Path, flags: OFlags, mode: u32) -> Result<File, DiskError> {
    open_with_len(verb, path, flags, mode).map(|(file, _)| file)
}

/// Opens a regular file, and refuses anything else of that name. Returns the file's length too: one look at the open
/// file gives kind and length.
fn open_with_len(
    verb: &'static str,
    path: &Path,
    flags: OFlags,
    mode: u32,
) -> Result<(File, u64), DiskError> {
    let mode = Mode::from_raw_mode(mode);
    let opened = retry_on_intr(|| rustix::fs::open(path, flags | OPEN_SAFELY, mode));
    let file = match opened {
        Ok(descriptor) => File::from(descriptor),
        // A socket, or a pipe without a reader.
        Err(Errno::NXIO) => return Err(not_a_file(verb, path)),
        Err(errno) => return Err(failure(verb, path, errno.into())),
    };
    let found = file.metadata().map_err(|error| failure(verb, path, error))?;
    if !found.is_file() {
        return Err(not_a_file(verb, path));
    }
    Ok((file, found.len()))
}

/// The longest file that is read whole, whatever a caller allows. The program writes nothing near this size, and a
/// larger file that another program put there must not end the process.
const WHOLE_LEN_MAX: u64 = 1 << 30;

/// Reads all of a file that had this length, or `wanted` bytes of it. Room for one byte more shows the end in the same
/// call.
fn read_all(mut file: &File, len: u64, wanted: u64) -> io::Result<Vec<u8>> {
    let no_memory = || io::Error::from(io::ErrorKind::OutOfMemory);
    let room = usize::try_from(len.saturating_add(1).min(wanted)).map_err(|_| no_memory())?;
    let mut bytes = Vec::new();
    // A process without enough memory returns an error and goes on.
    bytes.try_reserve_exact(room).map_err(|_| no_memory())?;
    bytes.resize(room, 0);
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        // The read was shorter than the buffer and has everything the file had.
        if filled < bytes.len() && filled as u64 >= len {
            break;
        }
    }
    bytes.truncate(filled);
    if filled as u64 > len && (filled as u64) < wanted {
        // It grew while it was read.
        file.take(wanted - filled as u64).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn open_dir(verb: &'static str, dir: &Path) -> Result<File, DiskError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OPEN_SAFELY;
    let opened = retry_on_intr(|| rustix::fs::open(dir, flags, Mode::empty()));
    opened.map(File::from).map_err(|errno| match errno {
        // Systems differ in the error for a link in the place of a folder.
        Errno::LOOP | Errno::NOTDIR if is_taken(dir) => no_folder(verb, dir, errno),
        other => failure(verb, dir, other.into()),
    })
}

/// Refuses a change in a folder that this process cannot open to sync. Found out after the change, the answer would be
/// a refusal of what was done. The operation itself reports a folder that is missing, or a file in its place.
fn can_sync_parent(verb: &'static str, path: &Path) -> Result<(), DiskError> {
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        Some(_) | None => Path::new("."),
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    match retry_on_intr(|| rustix::fs::open(dir, flags, Mode::empty())) {
        Ok(_) | Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(()),
        Err(errno) => Err(failure(verb, dir, errno.into())),
    }
}

/// The same before a new name is made; the operation itself reports a name that is taken.
fn can_sync_new(verb: &'static str, path: &Path) -> Result<(), DiskError> {
    can_sync_parent(verb, path).or_else(|error| if is_taken(path) { Ok(()) } else { Err(error) })
}

/// The same before a name is removed; the operation itself reports a name that is missing.
fn can_sync_gone(verb: &'static str, path: &Path) -> Result<(), DiskError> {
    can_sync_parent(verb, path).or_else(|error| if is_taken(path) { Err(error) } else { Ok(()) })
}

/// The same before a name changes, in both folders.
fn can_sync_renamed(from: &Path, to: &Path) -> Result<(), DiskError> {
    can_sync_gone(verbs::RENAME, from)?;
    if from.parent() == to.parent() { Ok(()) } else { can_sync_parent(verbs::RENAME, to) }
}

fn is_taken(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

fn is_dir(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// Removes a name after a failed write, unless another file has it by now.
fn remove_if_still(path: &Path, file: &File) {
    let (Ok(ours), Ok(named)) = (file.metadata(), std::fs::symlink_metadata(path)) else { return };
    if (ours.dev(), ours.ino()) == (named.dev(), named.ino()) {
        // Best effort: the caller learns of the failed write in any case.
        let _ = std::fs::remove_file(path);
    }
}

fn not_a_file(verb: &'static str, path: &Path) -> DiskError {
    DiskError::new(verb, path, DiskFault::NotAFile)
}

/// A file in the place of a folder must not look like a missing folder.
fn no_folder(verb: &'static str, path: &Path, errno: Errno) -> DiskError {
    DiskError { fault: DiskFault::Other, ..DiskError::from_io(verb, path, errno.into()) }
}

/// Converts an error of the system.
fn failure(verb: &'static str, path: &Path, error: io::Error) -> DiskError {
    match Errno::from_io_error(&error) {
        Some(Errno::LOOP) => not_a_file(verb, path),
        _ => DiskError::from_io(verb, path, error),
    }
}

#[cfg(test)]
#[path = "real_tests.rs"]
mod tests;
