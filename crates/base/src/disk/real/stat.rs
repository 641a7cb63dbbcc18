//! What the system says about a path.

use crate::disk::{FileIdentity, FileKind, FileStamp, Stat};
use rustix::fs::FileType;
#[cfg(target_os = "linux")]
use rustix::fs::{AtFlags, CWD, StatxFlags, StatxTimestamp, makedev, statx};
#[cfg(target_os = "linux")]
use rustix::io::{Errno, retry_on_intr};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

pub(super) const NS_PER_S: i128 = 1_000_000_000;

/// Facts about a path. On Linux one call gives the time of birth too, whatever the C library.
#[cfg(target_os = "linux")]
pub(super) fn stat_of(path: &Path) -> io::Result<Stat> {
    let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
    let found = match retry_on_intr(|| statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, wanted)) {
        Err(Errno::NOSYS) => return portable_stat_of(path),
        other => other?,
    };
    let ns = |time: StatxTimestamp| i128::from(time.tv_sec) * NS_PER_S + i128::from(time.tv_nsec);
    let knows_birth = StatxFlags::from_bits_retain(found.stx_mask).contains(StatxFlags::BTIME);
    let identity = knows_birth.then(|| FileIdentity {
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
pub(super) fn stat_of(path: &Path) -> io::Result<Stat> {
    portable_stat_of(path)
}

pub(super) fn portable_stat_of(path: &Path) -> io::Result<Stat> {
    let found = std::fs::symlink_metadata(path)?;
    let kind = match found.file_type() {
        it if it.is_file() => FileKind::File,
        it if it.is_dir() => FileKind::Dir,
        it if it.is_symlink() => FileKind::Link,
        _ => FileKind::Other,
    };
    let modified_ns = i128::from(found.mtime()) * NS_PER_S + i128::from(found.mtime_nsec());
    let identity = found.created().ok().map(|born| FileIdentity {
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

/// The change time moves with every write, also with a write that restores the modification time.
#[expect(clippy::unnecessary_cast, clippy::useless_conversion, reason = "systems differ in these types")]
pub(super) fn stamp_of(stat: &rustix::fs::Stat) -> FileStamp {
    let changed_ns =
        (stat.st_ctime as i64).saturating_mul(1_000_000_000).saturating_add(stat.st_ctime_nsec as i64);
    FileStamp { inode: stat.st_ino.into(), changed_ns, len: u64::try_from(stat.st_size).unwrap_or(0) }
}

pub(super) fn kind_of(file_type: FileType) -> FileKind {
    match file_type {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Dir,
        FileType::Symlink => FileKind::Link,
        _ => FileKind::Other,
    }
}
