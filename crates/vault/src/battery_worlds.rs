//! The worlds in which cases of the battery are tried: folders below the home with copies of claims.
//!
//! One case is tried at a time in a home, under a lock that the system frees when its process dies. So every world that
//! the holder of the lock finds was left behind by a killed run.

use crate::{Home, StoreError, durable};
use brainstem_base::disk::{FileKind, LockGuard};
use brainstem_base::{Disk, DiskFault};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const FOLDER: &str = "local/battery";
const LOCK: &str = "local/battery.lock";

/// The place of a home's worlds.
#[derive(Clone)]
pub struct Worlds {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    lock: PathBuf,
}

/// The worlds of a home while no other process tries a case.
pub struct HeldWorlds {
    worlds: Worlds,
    _lock: Box<dyn LockGuard>,
}

impl Home {
    /// The place where cases are tried.
    pub fn worlds(&self) -> Worlds {
        let (dir, lock) = (self.path().join(FOLDER), self.path().join(LOCK));
        Worlds { disk: self.disk().clone(), dir, lock }
    }
}

impl Worlds {
    /// The folder they are made in.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The worlds there are.
    pub fn found(&self) -> Result<Vec<PathBuf>, StoreError> {
        match self.disk.list(&self.dir) {
            Ok(entries) => Ok(entries.into_iter().map(|entry| self.dir.join(entry.name)).collect()),
            Err(error) if error.fault() == DiskFault::NotFound => Ok(Vec::new()),
            Err(error) => Err(StoreError::disk("cannot look for copies of claims")(error)),
        }
    }

    /// The worlds that killed runs left behind; empty while a case is tried. Changes nothing.
    pub fn left(&self) -> Vec<PathBuf> {
        match self.disk.is_locked(&self.lock) {
            Ok(false) => self.found().unwrap_or_default(),
            Ok(true) | Err(_) => Vec::new(),
        }
    }

    /// Waits until no other process tries a case, and keeps others from it until the returned value is dropped.
    pub fn hold(&self, wait: Duration) -> Result<HeldWorlds, StoreError> {
        durable::make_dirs(&*self.disk, self.lock.parent().expect("it lies in the home"))?;
        let lock = self.disk.lock(&self.lock, wait);
        let lock = lock.map_err(StoreError::disk("another process tries a case of the battery"))?;
        Ok(HeldWorlds { worlds: self.clone(), _lock: lock })
    }
}

impl HeldWorlds {
    /// Removes every world, and returns those that could not be removed whole.
    pub fn clear(&self) -> Result<Vec<PathBuf>, StoreError> {
        let Worlds { disk, .. } = &self.worlds;
        for world in self.worlds.found()? {
            match disk.stat(&world).map(|stat| stat.kind) {
                Ok(FileKind::Dir) => remove(&**disk, &world),
                Ok(_) | Err(_) => drop(disk.unlink(&world)),
            }
        }
        self.worlds.found()
    }
}

/// Removes a folder with everything in it. A link is removed, not followed.
fn remove(disk: &dyn Disk, dir: &Path) {
    for entry in disk.list(dir).unwrap_or_default() {
        let path = dir.join(entry.name);
        match entry.kind {
            FileKind::Dir => remove(disk, &path),
            FileKind::File | FileKind::Link | FileKind::Other => drop(disk.unlink(&path)),
        }
    }
    // The caller checks what stayed.
    let _ = disk.remove_dir(dir);
}
