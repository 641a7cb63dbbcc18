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

/// Puts `bytes` in the place of whatever has the name, durably: temp, sync, rename, sync.
pub fn replace(disk: &dyn Disk, ids: &dyn Ids, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    let dir = parent(path);
    let temp = temp_in(dir, ids);
    disk.write_new(&temp, bytes)?;
    if let Err(error) = disk.rename(&temp, path) {
        let _ = disk.unlink(&temp);
        return Err(error);
    }
    disk.sync_dir(dir)
}

/// Makes a folder and those above it, durably, down from the first one that exists.
pub fn make_dirs(disk: &dyn Disk, dir: &Path) -> Result<(), StoreError> {
    let fault = StoreError::disk("cannot make the folder of the store");
    match disk.make_dir(dir) {
        Ok(()) => disk.sync_dir(parent(dir)).map_err(fault),
        Err(error) if error.fault() == DiskFault::Exists => Ok(()),
        Err(error) if error.fault() == DiskFault::NotFound && dir.parent().is_some() => {
            make_dirs(disk, parent(dir))?;
            match disk.make_dir(dir) {
                Ok(()) => disk.sync_dir(parent(dir)).map_err(fault),
                Err(error) if error.fault() == DiskFault::Exists => Ok(()),
                Err(error) => Err(fault(error)),
            }
        }
        Err(error) => Err(fault(error)),
    }
}

fn temp_in(dir: &Path, ids: &dyn Ids) -> PathBuf {
    dir.join(format!("{TEMP_PREFIX}{}", ids.temp_suffix()))
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}
