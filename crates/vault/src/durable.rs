//! The two ways a file gets its name: never replacing, or replacing whole.

use crate::StoreError;
use brainstem_base::{Disk, DiskError, DiskFault, Ids};
use std::path::{Path, PathBuf};

/// The start of every temporary name. Nothing that lists a folder takes such a file for content.
pub const TEMP_PREFIX: &str = ".tmp-";

/// Whether a new name was made or had been taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// The file is there, durably.
    New,
    /// Another file had the name, and still has it.
    Taken,
}

/// Gives `bytes` a name that nobody has yet, durably: temp, sync, link, sync of the folder.
pub fn create(disk: &dyn Disk, ids: &dyn Ids, path: &Path, bytes: &[u8]) -> Result<Named, DiskError> {
    let dir = parent(path);
    let temp = temp_in(dir, ids);
    disk.write_new(&temp, bytes)?;
    let linked = disk.link(&temp, path);
    // A leftover temporary name is harmless, so its removal decides nothing.
    let _ = disk.unlink(&temp);
    match linked {
        Ok(()) => disk.sync_dir(dir).map(|()| Named::New),
        Err(error) if error.fault() == DiskFault::Exists => Ok(Named::Taken),
        Err(error) => Err(error),
    }
}

/// As [`create`], for what nobody but its owner may read; a name that could not be made certain is taken back, so that
/// the repeat finds it free.
pub fn create_private(disk: &dyn Disk, ids: &dyn Ids, path: &Path, bytes: &[u8]) -> Result<Named, DiskError> {
    let dir = parent(path);
    let temp = temp_in(dir, ids);
    disk.write_private(&temp, bytes)?;
    let linked = disk.link(&temp, path);
    let _ = disk.unlink(&temp);
    match linked {
        Ok(()) => match disk.sync_dir(dir) {
            Ok(()) => Ok(Named::New),
            Err(error) => {
                let _ = disk.unlink(path);
                Err(error)
            }
        },
        Err(error) if error.fault() == DiskFault::Exists => Ok(Named::Taken),
        Err(error) => Err(error),
    }
}

/// Puts `bytes` in the place of whatever has the name, durably: temp, sync, rename, sync.
pub fn replace(disk: &dyn Disk, ids: &dyn Ids, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    Staged::new(disk, ids, path, bytes)?.put()
}

/// As [`replace`], for what nobody but its owner may read.
pub fn replace_private(disk: &dyn Disk, ids: &dyn Ids, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    let temp = temp_in(parent(path), ids);
    disk.write_private(&temp, bytes)?;
    Staged { disk, temp, path, placed: false }.put()
}

/// As [`replace`], of a file that is somebody else's: its permissions stay.
pub fn replace_like(disk: &dyn Disk, ids: &dyn Ids, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    let temp = temp_in(parent(path), ids);
    disk.write_new_like(&temp, bytes, path)?;
    Staged { disk, temp, path, placed: false }.put()
}

/// Content that lies on the disk under a temporary name, ready to take its place; dropped, it goes.
///
/// What needs space happens before any name changes.
pub struct Staged<'a> {
    disk: &'a dyn Disk,
    temp: PathBuf,
    path: &'a Path,
    placed: bool,
}

impl<'a> Staged<'a> {
    /// Writes and syncs `bytes` beside `path`.
    pub fn new(disk: &'a dyn Disk, ids: &dyn Ids, path: &'a Path, bytes: &[u8]) -> Result<Self, DiskError> {
        let temp = temp_in(parent(path), ids);
        disk.write_new(&temp, bytes)?;
        Ok(Self { disk, temp, path, placed: false })
    }

    /// Replaces whatever has the name, durably.
    pub fn put(mut self) -> Result<(), DiskError> {
        self.disk.rename(&self.temp, self.path)?;
        self.placed = true;
        self.disk.sync_dir(parent(self.path))
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        if !self.placed {
            // A leftover temporary name is harmless, so its removal decides nothing.
            let _ = self.disk.unlink(&self.temp);
        }
    }
}

/// Makes a folder and those above it, durably, down from the first one that exists.
///
/// Nothing is put into a folder before its own name is certain. So of the folders that exist, only
/// the lowest can have been left uncertain by a run that was killed, and it is synced again.
pub fn make_dirs(disk: &dyn Disk, dir: &Path) -> Result<(), StoreError> {
    let made = match disk.make_dir(dir) {
        Err(error) if error.fault() == DiskFault::NotFound && dir.parent().is_some() => {
            make_dirs(disk, parent(dir))?;
            disk.make_dir(dir)
        }
        made => made,
    };
    let synced = match made {
        Ok(()) => disk.sync_dir(parent(dir)),
        Err(error) if error.fault() == DiskFault::Exists => match disk.sync_dir(parent(dir)) {
            // A folder above the home may be closed to this user; then it was not made by this program.
            Err(error) if error.fault() == DiskFault::ReadOnly => Ok(()),
            synced => synced,
        },
        Err(error) => Err(error),
    };
    synced.map_err(StoreError::disk("cannot make the folder of the store"))
}

pub(crate) fn temp_in(dir: &Path, ids: &dyn Ids) -> PathBuf {
    dir.join(format!("{TEMP_PREFIX}{}", ids.temp_suffix()))
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}
