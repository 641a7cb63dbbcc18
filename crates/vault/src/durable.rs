//! The two ways a file gets its name: never replacing, or replacing whole.

use crate::StoreError;
use brainstem_base::disk::LockGuard;
use brainstem_base::{Disk, DiskError, DiskFault, Ids};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The start of every temporary name. No listing counts such a file as content.
pub const TEMP_PREFIX: &str = ".tmp-";

/// Whether a new name was made, or another file had it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewName {
    /// The file is there, durably.
    New,
    /// Another file had the name, and still has it.
    Taken,
}

/// Gives `bytes` a free name, durably: temp, sync, link, sync of the folder. If the disk does not confirm the name, it
/// is removed again, best effort, so that a repeat finds it free.
pub fn create(disk: &dyn Disk, ids: &dyn Ids, path: &Path, bytes: &[u8]) -> Result<NewName, DiskError> {
    let temp = temp_in(parent(path), ids);
    disk.write_new(&temp, bytes)?;
    link_new(disk, &temp, path, bytes)
}

/// As [`create`], for a file that only its owner may read.
pub fn create_private(
    disk: &dyn Disk,
    ids: &dyn Ids,
    path: &Path,
    bytes: &[u8],
) -> Result<NewName, DiskError> {
    let temp = temp_in(parent(path), ids);
    disk.write_private(&temp, bytes)?;
    link_new(disk, &temp, path, bytes)
}

/// Gives the finished file at `temp` the name `path` in its place.
fn link_new(disk: &dyn Disk, temp: &Path, path: &Path, bytes: &[u8]) -> Result<NewName, DiskError> {
    let dir = parent(path);
    let linked = disk.link(temp, path);
    // A leftover temporary name is harmless, so a failed removal is ignored.
    let _ = disk.unlink(temp);
    match linked {
        Ok(()) => disk.sync_dir(dir).map(|()| NewName::New).inspect_err(|_| {
            // The caller gets the error that the name is not confirmed, whether it is there or not.
            let _ = take_back(disk, temp, path, bytes);
        }),
        Err(error) if error.fault() == DiskFault::Exists => Ok(NewName::Taken),
        Err(error) => Err(error),
    }
}

/// Removes the name of a file that a change has just made, best effort. A file with other content by now is another
/// program's and stays; a file that cannot be read gets the free temporary name `aside`, so that nothing is lost. After
/// an error the name may still be there.
pub(crate) fn take_back(disk: &dyn Disk, aside: &Path, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    let gone = match disk.read(path, bytes.len() as u64) {
        Ok(there) if there == bytes => disk.unlink(path),
        Ok(_) => return Ok(()),
        Err(error) => match error.fault() {
            DiskFault::NotFound | DiskFault::NotAFile | DiskFault::TooLarge { .. } => return Ok(()),
            DiskFault::Exists
            | DiskFault::ReadOnly
            | DiskFault::NoSpace
            | DiskFault::Busy
            | DiskFault::CrossesDevices
            | DiskFault::PowerLost
            | DiskFault::Other => disk.rename_new(path, aside),
        },
    };
    gone.and_then(|()| disk.sync_dir(parent(path)))
}

/// Replaces the file at `path` by `bytes`, durably: temp, sync, rename, sync.
pub fn replace(disk: &dyn Disk, ids: &dyn Ids, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    StagedFile::new(disk, ids, path, bytes)?.put()
}

/// As [`replace`], for a file that only its owner may read.
pub fn replace_private(disk: &dyn Disk, ids: &dyn Ids, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    let temp = temp_in(parent(path), ids);
    disk.write_private(&temp, bytes)?;
    StagedFile { disk, temp, path, placed: false }.put()
}

/// As [`replace`], for a file of another program: its permissions stay.
pub fn replace_like(disk: &dyn Disk, ids: &dyn Ids, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    let temp = temp_in(parent(path), ids);
    disk.write_new_like(&temp, bytes, path)?;
    StagedFile { disk, temp, path, placed: false }.put()
}

/// Content on the disk under a temporary name, ready to replace a file. Dropped, it is removed.
///
/// Everything that needs space happens before any name changes.
pub struct StagedFile<'a> {
    disk: &'a dyn Disk,
    temp: PathBuf,
    path: &'a Path,
    placed: bool,
}

impl<'a> StagedFile<'a> {
    /// Writes and syncs `bytes` beside `path`.
    pub fn new(disk: &'a dyn Disk, ids: &dyn Ids, path: &'a Path, bytes: &[u8]) -> Result<Self, DiskError> {
        let temp = temp_in(parent(path), ids);
        disk.write_new(&temp, bytes)?;
        Ok(Self { disk, temp, path, placed: false })
    }

    /// Replaces the file of that name, durably. After an error with [`DiskError::is_unconfirmed`] the new content is in
    /// place; after any other error the old one is.
    pub fn put(mut self) -> Result<(), DiskError> {
        self.disk.rename(&self.temp, self.path)?;
        self.placed = true;
        self.disk.sync_dir(parent(self.path))
    }

    /// As [`StagedFile::put`], for a change that has other parts too: the old file comes back unless the caller
    /// confirms the change.
    pub fn put_undoable(mut self, undo: &mut Undo<'_>) -> Result<(), DiskError> {
        undo.rename(&self.temp)?;
        self.placed = true;
        self.disk.sync_dir(parent(self.path))
    }
}

/// A second name of a file that is about to be replaced. If it is dropped before the change is confirmed, the old file
/// gets its own name back, or the name is removed if there was no file. Best effort, also on a disk without space or
/// working syncs.
pub struct Undo<'a> {
    disk: &'a dyn Disk,
    path: PathBuf,
    /// The second name; `None` where there is no file.
    second: Option<PathBuf>,
    state: UndoState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum UndoState {
    /// The file is in its place.
    Ready,
    /// Another has taken its place.
    Replaced,
    /// Another has taken its place, and the change is confirmed.
    Confirmed,
}

impl<'a> Undo<'a> {
    /// Gives the file at `path` its second name, in the folder `aside`.
    pub fn of(disk: &'a dyn Disk, ids: &dyn Ids, path: &Path, aside: &Path) -> Result<Self, DiskError> {
        let second = temp_in(aside, ids);
        let second = match disk.link(path, &second) {
            Ok(()) => Some(second),
            Err(error) if error.fault() == DiskFault::NotFound => None,
            Err(error) => return Err(error),
        };
        Ok(Self { disk, path: path.to_owned(), second, state: UndoState::Ready })
    }

    /// Replaces the file by the one at `from`; syncs nothing.
    pub fn rename(&mut self, from: &Path) -> Result<(), DiskError> {
        self.disk.rename(from, &self.path)?;
        self.state = UndoState::Replaced;
        Ok(())
    }

    /// Gives the file at `from` a name that is free, and never replaces ([`DiskFault::Exists`]); syncs nothing.
    pub fn new_name(disk: &'a dyn Disk, from: &Path, path: &Path) -> Result<Self, DiskError> {
        disk.rename_new(from, path)?;
        Ok(Self { disk, path: path.to_owned(), second: None, state: UndoState::Replaced })
    }

    /// The change is complete: removes the old file.
    pub fn confirm(mut self) {
        self.state = UndoState::Confirmed;
    }

    /// Takes the change back now: the name has its old file again. After an error the change is in place, and the old
    /// file keeps its second name.
    pub fn take_back(mut self) -> Result<(), DiskError> {
        self.end()
    }

    /// Removes the second name, or takes back a change that is not confirmed. A second call does nothing.
    fn end(&mut self) -> Result<(), DiskError> {
        let state = std::mem::replace(&mut self.state, UndoState::Ready);
        let back = match (state, self.second.take()) {
            (UndoState::Ready | UndoState::Confirmed, second) => {
                // A leftover temporary name is harmless, so a failed removal is ignored.
                let _ = second.map(|second| self.disk.unlink(&second));
                return Ok(());
            }
            (UndoState::Replaced, Some(second)) => self.disk.rename(&second, &self.path),
            (UndoState::Replaced, None) => self.disk.unlink(&self.path),
        };
        back?;
        // Best effort: the name has its old file already.
        let _ = self.disk.sync_dir(parent(&self.path));
        Ok(())
    }
}

impl Drop for Undo<'_> {
    fn drop(&mut self) {
        // Best effort: for callers whose error already says that the change may be in place. Others call `take_back`.
        let _ = self.end();
    }
}

impl Drop for StagedFile<'_> {
    fn drop(&mut self) {
        if !self.placed {
            // A leftover temporary name is harmless, so a failed removal is ignored.
            let _ = self.disk.unlink(&self.temp);
        }
    }
}

/// Makes a folder and those above it, durably, down from the first one that exists.
///
/// Nothing is put into a folder before its own name is durable. So a killed run can have left only the lowest existing
/// folder without a sync, and that one is synced again.
pub fn make_dirs(disk: &dyn Disk, dir: &Path) -> Result<(), StoreError> {
    make_dirs_with(disk, dir, None, &|dir| disk.make_dir(dir))
}

/// The same below the folder `base`, which another process may move away meanwhile: it is not made anew. Fails with
/// [`StoreError::Moved`] if it is gone.
pub fn make_dirs_below(disk: &dyn Disk, base: &Path, dir: &Path) -> Result<(), StoreError> {
    make_dirs_with(disk, dir, Some(base), &|dir| disk.make_dir(dir))
}

/// The same for a folder in a working tree, which other users of the checkout read as they read its files: the umask
/// decides which programs may.
pub fn make_shared_dirs(disk: &dyn Disk, dir: &Path) -> Result<(), StoreError> {
    make_dirs_with(disk, dir, None, &|dir| disk.make_shared_dir(dir))
}

/// As [`make_shared_dirs`], below a folder that is not made anew; see [`make_dirs_below`].
pub fn make_shared_dirs_below(disk: &dyn Disk, base: &Path, dir: &Path) -> Result<(), StoreError> {
    make_dirs_with(disk, dir, Some(base), &|dir| disk.make_shared_dir(dir))
}

fn make_dirs_with(
    disk: &dyn Disk,
    dir: &Path,
    base: Option<&Path>,
    make: &dyn Fn(&Path) -> Result<(), DiskError>,
) -> Result<(), StoreError> {
    let made = match make(dir) {
        Err(error)
            if error.fault() == DiskFault::NotFound
                && base.is_some_and(|base| dir.parent() == Some(base)) =>
        {
            return Err(StoreError::Moved);
        }
        Err(error) if error.fault() == DiskFault::NotFound && dir.parent().is_some() => {
            make_dirs_with(disk, parent(dir), base, make)?;
            make(dir)
        }
        made => made,
    };
    let synced = match made {
        Ok(()) => disk.sync_dir(parent(dir)),
        Err(error) if error.fault() == DiskFault::Exists => match disk.sync_dir(parent(dir)) {
            // This user may not have access to a folder above the home; then this program did not make it.
            Err(error) if error.fault() == DiskFault::ReadOnly => Ok(()),
            synced => synced,
        },
        Err(error) => Err(error),
    };
    synced.map_err(StoreError::disk("cannot make the folder of the store"))
}

/// Takes a lock in a folder of locks. That folder is made if it is missing, because it can be removed while no process
/// runs and no backup has it. The folder above it is not made, because a store without its folder of claims is damaged.
pub fn lock(disk: &dyn Disk, path: &Path, wait: Duration) -> Result<Box<dyn LockGuard>, DiskError> {
    let missing = match disk.lock(path, wait) {
        Err(error) if error.fault() == DiskFault::NotFound => error,
        locked => return locked,
    };
    match disk.make_dir(parent(path)) {
        Ok(()) => disk.sync_dir(parent(parent(path)))?,
        Err(error) if error.fault() == DiskFault::Exists => {}
        Err(error) if error.fault() == DiskFault::NotFound => return Err(missing),
        Err(error) => return Err(error),
    }
    disk.lock(path, wait)
}

pub(crate) fn temp_in(dir: &Path, ids: &dyn Ids) -> PathBuf {
    dir.join(format!("{TEMP_PREFIX}{}", ids.temp_suffix()))
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}
