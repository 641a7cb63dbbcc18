//! The calls of a simulated disk, with the faults and their order as Linux has them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::super::{
    Disk, DiskError, DiskFault, FileIdentity, FolderEntry, LockGuard, PathFacts, Stat, StoppedLock, verbs,
};
use super::state::SimState;
use super::tree::{Ino, NodeBody, SimFolder};
use super::{SharedState, SimDisk};

/// There is one device.
const DEVICE: u64 = 1;

impl Disk for SimDisk {
    fn read(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.look(verbs::READ, path, |state| match &state.tree.node(state.tree.find(path)?).body {
            NodeBody::File(content) => match content.bytes.len() as u64 {
                len if len > len_max => Err(DiskFault::TooLarge { len }),
                len => state.load(path, 0, len),
            },
            NodeBody::Dir(_) | NodeBody::Link(_) => Err(DiskFault::NotAFile),
        })
    }

    fn read_start(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.read_part(path, 0, len_max)
    }

    fn read_end(&self, path: &Path, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.look(verbs::READ, path, |state| match &state.tree.node(state.tree.find(path)?).body {
            NodeBody::File(content) => {
                state.load(path, (content.bytes.len() as u64).saturating_sub(len_max), len_max)
            }
            NodeBody::Dir(_) | NodeBody::Link(_) => Err(DiskFault::NotAFile),
        })
    }

    fn read_part(&self, path: &Path, offset: u64, len_max: u64) -> Result<Vec<u8>, DiskError> {
        self.look(verbs::READ, path, |state| state.load(path, offset, len_max))
    }

    fn list(&self, dir: &Path) -> Result<Vec<FolderEntry>, DiskError> {
        self.look(verbs::LIST, dir, |state| {
            let folder = state.tree.folder(state.tree.find(dir)?).ok_or(DiskFault::Other)?;
            let entry = |(name, ino): (&_, &_)| FolderEntry {
                name: Clone::clone(name),
                kind: state.tree.node(*ino).kind(),
            };
            Ok(folder.names.iter().map(entry).collect())
        })
    }

    fn is_open_for_writing(&self, path: &Path) -> Option<bool> {
        let state = self.state();
        let ino = state.tree.find(path).ok()?;
        (!state.hides_writers).then(|| state.writers.contains(&ino))
    }

    fn stat(&self, path: &Path) -> Result<Stat, DiskError> {
        self.look(verbs::STAT, path, |state| {
            let inode = state.tree.find(path)?;
            let node = state.tree.node(inode);
            let len = match &node.body {
                NodeBody::File(content) => content.bytes.len(),
                NodeBody::Dir(folder) => folder.names.len(),
                NodeBody::Link(target) => target.as_os_str().len(),
            };
            Ok(Stat {
                kind: node.kind(),
                len: len as u64,
                modified_ns: node.modified_ns,
                identity: Some(FileIdentity { device: DEVICE, inode, born_ns: node.born_ns }),
            })
        })
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, DiskError> {
        self.look(verbs::CANONICAL, path, |state| {
            let place = state.tree.walk_to_the_end(path)?;
            place.found.map(|_| place.path()).ok_or(DiskFault::NotFound)
        })
    }

    fn make_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.act(verbs::MAKE_DIR, dir, |state| {
            let place = state.tree.walk(dir)?;
            if place.found.is_some() {
                return Err(DiskFault::Exists);
            }
            let now = state.name_step(place.dir())?;
            let ino = state.tree.add(NodeBody::Dir(SimFolder::default()), now);
            state.tree.rename_in(place.dir(), vec![(place.name, Some(ino))], now);
            Ok(())
        })
    }

    fn write_new(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        self.act(verbs::WRITE_NEW, path, |state| {
            let place = state.tree.walk(path)?;
            if place.found.is_some() {
                return Err(DiskFault::Exists);
            }
            let ino = state.create(place.dir(), place.name.clone())?;
            let space_left = state.space_left;
            match state.write(ino, bytes) {
                Err(DiskFault::NoSpace) => {
                    let now = state.step()?;
                    state.tree.rename_in(place.dir(), vec![(place.name, None)], now);
                    state.space_left = space_left;
                    Err(DiskFault::NoSpace)
                }
                Err(fault) => Err(fault),
                Ok(()) => state.sync(ino).inspect_err(|fault| {
                    if *fault != DiskFault::PowerLost {
                        let now = state.time.tick();
                        state.tree.rename_in(place.dir(), vec![(place.name, None)], now);
                        state.space_left = space_left;
                    }
                }),
            }
        })
    }

    fn link(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.act(verbs::LINK, to, |state| {
            let ino = state.tree.find(from)?;
            let place = state.tree.walk(to)?;
            if place.found.is_some() {
                return Err(DiskFault::Exists);
            }
            if state.tree.folder(ino).is_some() {
                return Err(DiskFault::NotAFile);
            }
            let now = state.name_step(place.dir())?;
            state.tree.rename_in(place.dir(), vec![(place.name, Some(ino))], now);
            Ok(())
        })
    }

    /// Moving a folder into another folder is refused with [`DiskFault::Other`]: no program does.
    fn rename(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.act(verbs::RENAME, to, |state| {
            let (old, new) = (state.tree.walk(from)?, state.tree.walk(to)?);
            let ino = old.found.ok_or(DiskFault::NotFound)?;
            if new.found.is_some_and(|target| old.is_below(target)) {
                return Err(DiskFault::Other);
            }
            if new.found == Some(ino) {
                return Ok(());
            }
            match (state.tree.folder(ino), new.found.map(|target| state.tree.folder(target))) {
                (Some(_), _) if old.dir() != new.dir() || old.name.is_empty() => {
                    return Err(DiskFault::Other);
                }
                (Some(_), Some(None)) => return Err(DiskFault::Other),
                (Some(_), Some(Some(target))) if !target.names.is_empty() => return Err(DiskFault::Other),
                (None, Some(Some(_))) => return Err(DiskFault::NotAFile),
                (Some(_), Some(Some(_)) | None) | (None, Some(None) | None) => {}
            }
            state.thawed(old.dir())?;
            let now = state.name_step(new.dir())?;
            if old.dir() == new.dir() {
                state.tree.rename_in(old.dir(), vec![(old.name, None), (new.name, Some(ino))], now);
            } else {
                let (old_dir, new_dir) = (old.dir(), new.dir());
                state.tree.rename_across(ino, (old_dir, old.name), (new_dir, new.name), now);
            }
            Ok(())
        })
    }

    /// Folders stay where they are: [`DiskFault::Other`].
    fn rename_new(&self, from: &Path, to: &Path) -> Result<(), DiskError> {
        self.act(verbs::RENAME, to, |state| {
            let (old, new) = (state.tree.walk(from)?, state.tree.walk(to)?);
            let ino = old.found.ok_or(DiskFault::NotFound)?;
            if new.found.is_some() {
                return Err(DiskFault::Exists);
            }
            if state.tree.folder(ino).is_some() {
                return Err(DiskFault::Other);
            }
            state.thawed(old.dir())?;
            let now = state.name_step(new.dir())?;
            if old.dir() == new.dir() {
                state.tree.rename_in(old.dir(), vec![(old.name, None), (new.name, Some(ino))], now);
            } else {
                let (old_dir, new_dir) = (old.dir(), new.dir());
                state.tree.rename_across(ino, (old_dir, old.name), (new_dir, new.name), now);
            }
            Ok(())
        })
    }

    fn unlink(&self, path: &Path) -> Result<(), DiskError> {
        self.act(verbs::UNLINK, path, |state| {
            let place = state.tree.walk(path)?;
            let ino = place.found.ok_or(DiskFault::NotFound)?;
            if state.tree.folder(ino).is_some() {
                return Err(DiskFault::NotAFile);
            }
            let now = state.name_step(place.dir())?;
            state.tree.rename_in(place.dir(), vec![(place.name, None)], now);
            state.free(ino);
            Ok(())
        })
    }

    fn remove_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.act(verbs::REMOVE_DIR, dir, |state| {
            let place = state.tree.walk(dir)?;
            let ino = place.found.ok_or(DiskFault::NotFound)?;
            if !state.tree.folder(ino).is_some_and(|folder| folder.names.is_empty()) {
                return Err(DiskFault::Other);
            }
            let now = state.name_step(place.dir())?;
            state.tree.rename_in(place.dir(), vec![(place.name, None)], now);
            Ok(())
        })
    }

    fn sync_dir(&self, dir: &Path) -> Result<(), DiskError> {
        self.act(verbs::SYNC_DIR, dir, |state| {
            let ino = state.tree.find(dir)?;
            state.tree.folder(ino).ok_or(DiskFault::Other)?;
            state.sync_step()?;
            state.tree.sync_names(ino);
            Ok(())
        })
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        let ino = self.act(verbs::APPEND, path, |state| {
            let ino = state.open_or_create(path)?;
            state.thawed(ino)?;
            state.write(ino, bytes).map(|()| ino)
        })?;
        self.act(verbs::SYNC, path, |state| state.sync(ino))
    }

    fn cut_back(&self, path: &Path, from: u64, len: u64) -> Result<bool, DiskError> {
        self.act(verbs::CUT_BACK, path, |state| {
            let ino = state.tree.find(path)?;
            state.thawed(ino)?;
            let now = state.step()?;
            let node = state.tree.node_mut(ino);
            let NodeBody::File(content) = &mut node.body else { return Err(DiskFault::NotAFile) };
            if content.bytes.len() as u64 != from || len > from {
                return Ok(false);
            }
            content.bytes.truncate(usize::try_from(len).unwrap_or(usize::MAX));
            content.synced_len = content.synced_len.min(content.bytes.len());
            node.modified_ns = now;
            Ok(true)
        })
    }

    fn lock(&self, path: &Path, wait: Duration) -> Result<Box<dyn LockGuard>, DiskError> {
        let since = Instant::now();
        let ino = self.act(verbs::LOCK, path, |state| {
            let ino = state.open_or_create(path)?;
            // The file is opened for writing.
            if state.read_only { Err(DiskFault::ReadOnly) } else { Ok(ino) }
        })?;
        let failed = |fault| DiskError::new(verbs::LOCK, path, fault);
        let mut state = self.state();
        loop {
            state.powered().map_err(failed)?;
            if state.locked.insert(ino) {
                return Ok(Box::new(HeldLock { shared: self.shared.clone(), path: path.to_owned(), ino }));
            }
            let left = wait.saturating_sub(since.elapsed());
            if left.is_zero() {
                return Err(failed(DiskFault::Busy));
            }
            let woken = self.shared.changed.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn is_locked(&self, path: &Path) -> Result<bool, DiskError> {
        self.look(verbs::LOCK, path, |state| match state.tree.find(path) {
            Err(DiskFault::NotFound) => Ok(false),
            found => found.map(|ino| state.locked.contains(&ino)),
        })
    }

    fn facts(&self, path: &Path) -> PathFacts {
        self.state().facts.get(path).cloned().unwrap_or_default()
    }

    fn stopped_locks(&self, dir: &Path) -> Vec<StoppedLock> {
        let is_here = |lock: &&StoppedLock| lock.path.parent() == Some(dir);
        self.state().stopped.iter().filter(is_here).cloned().collect()
    }
}

/// Frees its lock when dropped.
struct HeldLock {
    shared: Arc<SharedState>,
    path: PathBuf,
    ino: Ino,
}

impl LockGuard for HeldLock {
    fn is_in_place(&self) -> Result<bool, DiskError> {
        let state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.powered().and_then(|()| state.tree.find(&self.path)) {
            Ok(found) => Ok(found == self.ino),
            Err(DiskFault::NotFound) => Ok(false),
            Err(fault) => Err(DiskError::new(verbs::STAT, &self.path, fault)),
        }
    }
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).locked.remove(&self.ino);
        self.shared.changed.notify_all();
    }
}

impl SimDisk {
    /// A call that changes something.
    fn act<T>(
        &self,
        verb: &'static str,
        path: &Path,
        act: impl FnOnce(&mut SimState) -> Result<T, DiskFault>,
    ) -> Result<T, DiskError> {
        let mut state = self.state();
        let done = state.powered().and_then(|()| act(&mut state));
        if state.lost_power {
            self.shared.changed.notify_all();
        }
        done.map_err(|fault| DiskError::new(verb, path, fault))
    }

    /// A call that only looks, and may hang.
    fn look<T>(
        &self,
        verb: &'static str,
        path: &Path,
        look: impl FnOnce(&SimState) -> Result<T, DiskFault>,
    ) -> Result<T, DiskError> {
        let state = self.once_released(path);
        state.powered().and_then(|()| look(&state)).map_err(|fault| DiskError::new(verb, path, fault))
    }

    fn once_released(&self, path: &Path) -> MutexGuard<'_, SimState> {
        let mut state = self.state();
        while !state.lost_power && state.hung_below.as_ref().is_some_and(|hung| path.starts_with(hung)) {
            state.hanging += 1;
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.hanging -= 1;
        }
        state
    }
}
