//! The disk of the machine.
//!
//! Everything is opened by descriptor first and judged afterwards, so that a name that changes
//! between two calls cannot lead anywhere else: no link is followed, no pipe is waited for.

#![allow(clippy::disallowed_methods, reason = "this is the one place that touches files")]

mod guard;
#[cfg(target_os = "linux")]
mod inotify;
mod mapping;

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
use super::{
    Disk, DiskError, DiskFault, Entry, Facts, FileKind, Identity, Loaded, LockGuard, Mapped, Print, Stat,
    verbs,
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

const NS_PER_S: i128 = 1_000_000_000;

/// The disk of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl RealDisk {
    /// Makes a file that grows past the limit of this process an error of the write, as a full disk is. Once,
    /// when the process starts: by itself the system ends it.
    pub fn outgrown_files_are_errors() {
        guard::outgrown_files_are_errors();
    }
}

impl Disk for RealDisk {
    fn read(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        let failed = |error| failure(verbs::READ, path, error);
        let too_large = |len| DiskError::new(verbs::READ, path, DiskFault::TooLarge { len });

        let file = open_file(verbs::READ, path, OFlags::RDONLY, 0)?;
        let len = file.metadata().map_err(failed)?.len();
        if len > len_max {
            return Err(too_large(len));
        }
        let bytes = read_all(&file, len, len_max.saturating_add(1)).map_err(failed)?;
        // The file may have grown since: one byte more than allowed tells.
        if bytes.len() as u64 > len_max {
            let len = file.metadata().map_err(failed)?.len();
            return Err(too_large(len.max(bytes.len() as u64)));
        }
        Ok(bytes)
    }

    fn list(&self, dir: &Path) -> Result<Vec<Entry>, DiskError> {
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
                // Some file systems tell the kind only on request.
                FileType::Unknown => match rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => kind_of(FileType::from_raw_mode(stat.st_mode)),
                    Err(Errno::NOENT) => continue,
                    Err(errno) => return Err(failed(errno)),
                },
                known => kind_of(known),
            };
            entries.push(Entry { name: OsStr::from_bytes(name.to_bytes()).to_owned(), kind });
        }
        Ok(entries)
    }

    fn read_end(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        let failed = |error| failure(verbs::READ, path, error);
        let mut file = open_file(verbs::READ, path, OFlags::RDONLY, 0)?;
        let len = file.metadata().map_err(failed)?.len();
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

    fn prints(&self, dir: &Path) -> Result<Vec<(Entry, Print)>, DiskError> {
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
                    seen.push((Entry { name, kind }, print_of(&stat)));
                }
                Err(Errno::NOENT) => {}
                Err(errno) => return Err(failed(errno)),
            }
        }
        Ok(seen)
    }

    fn print(&self, path: &Path) -> Result<Print, DiskError> {
        let found = retry_on_intr(|| rustix::fs::lstat(path));
        found.map(|stat| print_of(&stat)).map_err(|errno| failure(verbs::STAT, path, errno.into()))
    }

    fn map(&self, path: &Path) -> Result<Box<dyn Mapped>, DiskError> {
        let file = open_file(verbs::MAP, path, OFlags::RDONLY, 0)?;
        match mapping::Mapping::of(file).map_err(|error| failure(verbs::MAP, path, error))? {
            Some(mapped) => Ok(Box::new(mapped)),
            None => self.read(path, u64::MAX).map(|bytes| Box::new(Loaded(bytes)) as Box<dyn Mapped>),
        }
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
        std::fs::DirBuilder::new()
            .mode(DIR_MODE)
            .create(dir)
            .map_err(|error| failure(verbs::MAKE_DIR, dir, error))
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        create(path, bytes, FILE_MODE)
    }

    fn write_private(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        create(path, bytes, LOCK_MODE)
    }

    fn write_new_like(&self, path: &Path, bytes: &[u8], model: &Path) -> Result<(), DiskError> {
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

    fn link(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        retry_on_intr(|| rustix::fs::linkat(CWD, from, CWD, to, AtFlags::empty())).map_err(|errno| {
            // The system says "not permitted" for a folder, which would read like a read-only disk.
            match errno {
                Errno::PERM if is_dir(from) => not_a_file(verbs::LINK, to),
                other => failure(verbs::LINK, to, other.into()),
            }
        })
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        retry_on_intr(|| rustix::fs::rename(from, to)).map_err(|errno| match errno {
            Errno::NOTDIR if is_dir(from) && is_taken(to) => no_folder(verbs::RENAME, to, errno),
            other => failure(verbs::RENAME, to, other.into()),
        })
    }

    fn rename_new(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        let flags = rustix::fs::RenameFlags::NOREPLACE;
        match retry_on_intr(|| rustix::fs::renameat_with(CWD, from, CWD, to, flags)) {
            Ok(()) => Ok(()),
            // Two names of one file are no rename.
            Err(Errno::EXIST) => Err(DiskError::new(verbs::RENAME, to, DiskFault::Exists)),
            // A file system that cannot refuse to replace can link.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                self.link(from, to)?;
                self.unlink(from)
            }
            Err(errno) => Err(failure(verbs::RENAME, to, errno.into())),
        }
    }

    fn unlink(&self, path: &Path) -> Result<(), DiskError> {
        retry_on_intr(|| rustix::fs::unlink(path)).map_err(|errno| match errno {
            Errno::PERM if is_dir(path) => not_a_file(verbs::UNLINK, path),
            other => failure(verbs::UNLINK, path, other.into()),
        })
    }

    fn remove_dir(&self, dir: &Path) -> Result<(), DiskError> {
        retry_on_intr(|| rustix::fs::rmdir(dir)).map_err(|errno| match errno {
            // A file or a link of that name is no folder; the plain mapping would call it absent.
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
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND;
        let mut file = open_file(verbs::APPEND, path, flags, FILE_MODE)?;
        let written = loop {
            match file.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other.map_err(|error| failure(verbs::APPEND, path, error))?,
            }
        };
        if written < bytes.len() {
            // What is there may already have been followed by another process's line, so it stays.
            return Err(DiskError::new(verbs::APPEND, path, DiskFault::NoSpace));
        }
        file.sync_all().map_err(|error| failure(verbs::APPEND, path, error))
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
                Ok(()) => return Ok(Box::new(HeldFile { _file: file })),
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

    fn facts(&self, path: &Path) -> Facts {
        let found = std::fs::symlink_metadata(path).ok();
        let volume = retry_on_intr(|| rustix::fs::statvfs(path)).ok();
        Facts {
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
    _file: File,
}

impl LockGuard for HeldFile {}

fn create(path: &Path, bytes: &[u8], mode: u32) -> Result<(), DiskError> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    let mut file = open_file(verbs::WRITE_NEW, path, flags, mode)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|error| {
        remove_if_still(path, &file);
        failure(verbs::WRITE_NEW, path, error)
    })
}

/// Opens a regular file, and refuses whatever else has that name.
fn open_file(verb: &'static str, path: &Path, flags: OFlags, mode: u32) -> Result<File, DiskError> {
    let mode = Mode::from_raw_mode(mode);
    let opened = retry_on_intr(|| rustix::fs::open(path, flags | OPEN_SAFELY, mode));
    let file = match opened {
        Ok(descriptor) => File::from(descriptor),
        // A socket, or a pipe that nobody reads.
        Err(Errno::NXIO) => return Err(not_a_file(verb, path)),
        Err(errno) => return Err(failure(verb, path, errno.into())),
    };
    if !file.metadata().map_err(|error| failure(verb, path, error))?.is_file() {
        return Err(not_a_file(verb, path));
    }
    Ok(file)
}

/// All of a file that was this long, or as much of it as is wanted. Room for one byte more tells the end in
/// the same call.
fn read_all(mut file: &File, len: u64, wanted: u64) -> io::Result<Vec<u8>> {
    let too_large = |_| io::Error::from(io::ErrorKind::OutOfMemory);
    let mut bytes = vec![0; usize::try_from(len.saturating_add(1).min(wanted)).map_err(too_large)?];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        // Short of what there was room for, and all that there was.
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
        // Systems differ in what they call a link that stands where a folder was wanted.
        Errno::LOOP | Errno::NOTDIR if is_taken(dir) => no_folder(verb, dir, errno),
        other => failure(verb, dir, other.into()),
    })
}

/// Facts about a name. On Linux in one call that knows the time of birth whatever the C library.
#[cfg(target_os = "linux")]
fn stat_of(path: &Path) -> io::Result<Stat> {
    use rustix::fs::{StatxFlags, StatxTimestamp, makedev, statx};

    let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
    let found = match retry_on_intr(|| statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, wanted)) {
        Err(Errno::NOSYS) => return portable_stat_of(path),
        other => other?,
    };
    let ns = |time: StatxTimestamp| i128::from(time.tv_sec) * NS_PER_S + i128::from(time.tv_nsec);
    let knows_birth = StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::BTIME);
    let identity = knows_birth.then(|| Identity {
        device: makedev(found.stx_dev_major, found.stx_dev_minor),
        inode: found.stx_ino,
        born_ns: ns(found.stx_btime),
    });
    Ok(Stat {
        kind: kind_of(FileType::from_raw_mode(found.stx_mode.into())),
        len: found.stx_size,
        modified_ns: ns(found.stx_mtime),
        identity,
    })
}

#[cfg(not(target_os = "linux"))]
fn stat_of(path: &Path) -> io::Result<Stat> {
    portable_stat_of(path)
}

fn portable_stat_of(path: &Path) -> io::Result<Stat> {
    let found = std::fs::symlink_metadata(path)?;
    let kind = match found.file_type() {
        it if it.is_file() => FileKind::File,
        it if it.is_dir() => FileKind::Dir,
        it if it.is_symlink() => FileKind::Link,
        _ => FileKind::Other,
    };
    let modified_ns = i128::from(found.mtime()) * NS_PER_S + i128::from(found.mtime_nsec());
    let identity = found.created().ok().map(|born| Identity {
        device: found.dev(),
        inode: found.ino(),
        born_ns: ns_since_epoch(born),
    });
    Ok(Stat { kind, len: found.len(), modified_ns, identity })
}

fn ns_since_epoch(time: std::time::SystemTime) -> i128 {
    let ns = |span: Duration| i128::try_from(span.as_nanos()).unwrap_or(i128::MAX);
    match time.duration_since(std::time::UNIX_EPOCH) {
        Ok(after) => ns(after),
        Err(before) => -ns(before.duration()),
    }
}

/// The change time moves with every write, also with one that puts the modification time back.
#[expect(clippy::unnecessary_cast, clippy::useless_conversion, reason = "systems differ in these types")]
fn print_of(stat: &rustix::fs::Stat) -> Print {
    let changed_ns =
        (stat.st_ctime as i64).saturating_mul(1_000_000_000).saturating_add(stat.st_ctime_nsec as i64);
    Print { inode: stat.st_ino.into(), changed_ns, len: u64::try_from(stat.st_size).unwrap_or(0) }
}

fn kind_of(file_type: FileType) -> FileKind {
    match file_type {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Dir,
        FileType::Symlink => FileKind::Link,
        _ => FileKind::Other,
    }
}

fn is_taken(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

fn is_dir(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// Takes a name back after a failed write, unless it has come to stand for another file.
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

/// What is there and is no folder must not look absent, as it would for a folder on the way.
fn no_folder(verb: &'static str, path: &Path, errno: Errno) -> DiskError {
    DiskError { fault: DiskFault::Other, ..DiskError::from_io(verb, path, errno.into()) }
}

/// An error of the system, in our words.
fn failure(verb: &'static str, path: &Path, error: io::Error) -> DiskError {
    match Errno::from_io_error(&error) {
        Some(Errno::LOOP) => not_a_file(verb, path),
        _ => DiskError::from_io(verb, path, error),
    }
}

#[cfg(test)]
mod tests {
    use super::{RealDisk, portable_stat_of, stat_of};
    use crate::disk::{Disk, DiskFault, FileKind};
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;
    use std::time::Duration;

    #[test]
    fn both_ways_to_stat_agree() {
        let dir = tempfile::tempdir().unwrap();
        RealDisk.write_new(&dir.path().join("note"), b"four").unwrap();
        for path in [dir.path().to_owned(), dir.path().join("note")] {
            assert_eq!(stat_of(&path).unwrap(), portable_stat_of(&path).unwrap());
        }
    }

    #[test] // spec: IF-15
    fn a_replacement_is_as_secret_as_what_it_replaces() {
        let dir = tempfile::tempdir().unwrap();
        let (model, path) = (dir.path().join("model"), dir.path().join("new"));
        for mode in [0o600, 0o644, 0o755] {
            std::fs::write(&model, "x").unwrap();
            std::fs::set_permissions(&model, std::fs::Permissions::from_mode(mode)).unwrap();
            RealDisk.write_new_like(&path, b"y", &model).unwrap();
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
            let again = RealDisk.write_new_like(&path, b"z", &model).unwrap_err();
            assert_eq!(again.fault(), DiskFault::Exists);
            RealDisk.unlink(&path).unwrap();
        }
    }

    #[test]
    fn folders_are_for_their_owner_alone() {
        let dir = tempfile::tempdir().unwrap();
        let made = dir.path().join("store");
        RealDisk.make_dir(&made).unwrap();
        assert_eq!(std::fs::metadata(made).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test] // spec: IF-11
    fn what_is_private_is_so_from_its_first_moment() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        RealDisk.write_private(&path, b"x").unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(RealDisk.write_private(&path, b"y").is_err(), "it is never written over");
    }

    #[test]
    fn a_pipe_or_a_socket_is_refused_without_waiting_for_its_other_end() {
        let dir = tempfile::tempdir().unwrap();
        let (pipe, socket) = (dir.path().join("pipe"), dir.path().join("socket"));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is everywhere");
        assert!(made.success());
        let _listener = UnixListener::bind(&socket).unwrap();

        for path in [&pipe, &socket] {
            assert_eq!(RealDisk.stat(path).unwrap().kind, FileKind::Other);
            let refused = [
                RealDisk.read(path, 10).unwrap_err(),
                RealDisk.append(path, b"x").unwrap_err(),
                RealDisk.lock(path, Duration::ZERO).map(|_| ()).unwrap_err(),
            ];
            assert!(refused.iter().all(|e| e.fault() == DiskFault::NotAFile), "{refused:?}");
        }
    }

    #[test]
    fn the_system_tells_about_a_folder() {
        let dir = tempfile::tempdir().unwrap();
        let made = dir.path().join("store");
        RealDisk.make_dir(&made).unwrap();
        let facts = RealDisk.facts(&made);
        assert_eq!(facts.mode, Some(0o700));
        assert!(facts.free_len.is_some() && facts.changed_ns.is_some());
        assert_eq!(facts.writable, Some(true));
        assert_eq!(RealDisk.facts(&dir.path().join("nothing")), super::Facts::default());
        assert_eq!(RealDisk.stopped_locks(&made), []);
    }

    #[test]
    fn the_end_of_a_file_is_read_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        RealDisk.write_new(&path, b"one\ntwo\n").unwrap();
        assert_eq!(RealDisk.read_end(&path, 4).unwrap(), b"two\n");
        assert_eq!(RealDisk.read_end(&path, 100).unwrap(), b"one\ntwo\n");
        assert_eq!(RealDisk.read_end(&dir.path().join("none"), 4).unwrap_err().fault(), DiskFault::NotFound);
    }

    #[test]
    fn a_print_changes_with_its_file_even_when_its_time_is_put_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("note");
        RealDisk.write_new(&path, b"four").unwrap();
        let before = RealDisk.print(&path).unwrap();
        let listed = RealDisk.prints(dir.path()).unwrap();
        assert_eq!(
            listed.iter().map(|(entry, print)| (entry.kind, *print)).collect::<Vec<_>>(),
            [(FileKind::File, before)]
        );
        let time = std::fs::metadata(&path).unwrap().modified().unwrap();
        std::thread::sleep(Duration::from_millis(20));
        std::fs::write(&path, b"five").unwrap();
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        assert_ne!(RealDisk.print(&path).unwrap(), before);
    }

    #[test]
    fn a_mapped_file_that_is_cut_while_it_is_read_ends_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("segment");
        let len = 64 * 1024 + 100;
        for (kept, is_in_place) in [(0, true), (20_000, true), (len, true), (0, false)] {
            std::fs::write(&path, vec![7; len]).unwrap();
            let mapped = RealDisk.map(&path).unwrap();
            let whole = RealDisk.map(&path).unwrap();
            assert!(mapped.bytes().iter().all(|byte| *byte == 7));
            if is_in_place {
                std::fs::File::options().write(true).open(&path).unwrap().set_len(kept as u64).unwrap();
            } else {
                std::fs::remove_file(&path).unwrap();
            }
            // From several threads at once, each of which meets the hole.
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        let bytes = mapped.bytes();
                        assert_eq!(bytes.len(), len);
                        assert_eq!(bytes[len - 1], if is_in_place && kept < len { 0 } else { 7 });
                        assert!(bytes[..kept].iter().all(|byte| *byte == 7), "what is left is as it was");
                    });
                }
            });
            assert_eq!(mapped.is_intact(), !is_in_place, "{kept}");
            drop((mapped, whole));
        }
    }

    #[test]
    fn a_mapped_file_that_was_replaced_is_used_to_its_end_unless_somebody_wrote_into_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("segment");
        for is_written in [false, true] {
            for is_replaced in [false, true] {
                std::fs::write(&path, [7; 9000]).unwrap();
                let mapped = RealDisk.map(&path).unwrap();
                // Times stand still for some milliseconds.
                std::thread::sleep(Duration::from_millis(20));
                if is_written {
                    let mut file = std::fs::File::options().write(true).open(&path).unwrap();
                    std::io::Write::write_all(&mut file, &[0; 9000]).unwrap();
                }
                if is_replaced {
                    std::fs::write(dir.path().join("new"), [7; 9000]).unwrap();
                    std::fs::rename(dir.path().join("new"), &path).unwrap();
                } else {
                    std::fs::remove_file(&path).unwrap();
                }
                assert_eq!(mapped.is_intact(), !is_written, "{is_replaced}");
            }
        }
    }

    #[test]
    fn a_fault_that_is_none_of_ours_ends_the_process_as_before() {
        const CHILD: &str = "BRAINSTEM_TEST_BUS_ERROR";
        if std::env::var_os(CHILD).is_some() {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("segment");
            std::fs::write(&path, [7; 8192]).unwrap();
            // Ours is watched over, and the handler is in place; this one is somebody else's.
            let _ours = RealDisk.map(&path).unwrap();
            let file = std::fs::File::options().read(true).write(true).open(&path).unwrap();
            #[expect(unsafe_code, reason = "a mapping that nobody watches over")]
            // SAFETY: a fresh mapping at an address of the system's choice.
            let other = unsafe {
                use rustix::mm::{MapFlags, ProtFlags, mmap};
                mmap(std::ptr::null_mut(), 8192, ProtFlags::READ, MapFlags::SHARED, &file, 0).unwrap()
            };
            file.set_len(0).unwrap();
            #[expect(unsafe_code, reason = "the fault is wanted")]
            // SAFETY: it never returns.
            let byte = unsafe { std::ptr::read_volatile(other.cast::<u8>()) };
            unreachable!("{byte}");
        }
        let name = "disk::real::tests::a_fault_that_is_none_of_ours_ends_the_process_as_before";
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name, "--nocapture"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        let signal = std::os::unix::process::ExitStatusExt::signal(&child.status);
        assert_eq!(signal, Some(libc::SIGBUS), "{child:?}");
    }

    #[test]
    fn a_mapped_file_tells_when_somebody_wrote_into_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("segment");
        RealDisk.write_new(&path, b"segment").unwrap();
        let mapped = RealDisk.map(&path).unwrap();
        assert_eq!(mapped.bytes(), b"segment");
        assert!(mapped.is_intact());

        // What is replaced by a name stays whole for who has mapped it.
        let other = dir.path().join("other");
        RealDisk.write_new(&other, b"longer segment").unwrap();
        RealDisk.rename(&other, &path).unwrap();
        assert!(mapped.is_intact());
        assert_eq!(mapped.bytes(), b"segment");

        let mapped = RealDisk.map(&path).unwrap();
        std::fs::File::options().write(true).open(&path).unwrap().set_len(3).unwrap();
        assert!(!mapped.is_intact());
        assert_eq!(RealDisk.map(&path).unwrap().bytes(), b"lon");
        std::fs::write(&path, b"").unwrap();
        assert_eq!(RealDisk.map(&path).unwrap().bytes(), b"");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_watch_names_what_changed_and_knows_when_it_cannot() {
        use crate::disk::Changes;
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("store");
        RealDisk.make_dir(&store).unwrap();
        let mut watch = RealDisk.watch(&store).expect("Linux watches");
        assert_eq!(watch.changes(), Changes::Names(Vec::new()));
        RealDisk.write_new(&store.join("b"), b"x").unwrap();
        std::fs::write(store.join("a"), b"in place").unwrap();
        RealDisk.rename(&store.join("b"), &store.join("c")).unwrap();
        let names = ["a", "b", "c"].map(std::ffi::OsString::from).to_vec();
        assert_eq!(watch.changes(), Changes::Names(names));
        assert_eq!(watch.changes(), Changes::Names(Vec::new()));
        std::fs::remove_dir_all(&store).unwrap();
        assert_eq!(watch.changes(), Changes::Unknown);
        assert!(RealDisk.watch(&store).is_none());
    }

    #[test]
    fn a_device_is_not_a_file() {
        assert_eq!(RealDisk.read("/dev/zero".as_ref(), 10).unwrap_err().fault(), DiskFault::NotAFile);
    }
}
