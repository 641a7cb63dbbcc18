//! The state of a simulated disk: its tree, its power, and the faults a test has set.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Component, Path, PathBuf};

use super::super::{DiskFault, FileKind, PathFacts, StoppedLock};
use super::tree::{Ino, NodeBody, ROOT, SimContent, SimFolder, SimTree};

/// 2026-01-01T00:00:00Z, and how far each change moves the clock.
const TIME_START_NS: i128 = 1_767_225_600_000_000_000;
const TIME_TICK_NS: i128 = 1_000_000;

#[derive(Debug, Default)]
pub(super) struct SimState {
    pub(super) tree: SimTree,
    pub(super) time: SimTime,
    pub(super) steps: u64,
    pub(super) steps_max: Option<u64>,
    pub(super) lost_power: bool,
    pub(super) read_only: bool,
    /// Folders whose names cannot be changed and files that cannot be written, each from this step on.
    pub(super) frozen: BTreeMap<Ino, u64>,
    pub(super) space_left: Option<u64>,
    /// How many syncs were asked for.
    pub(super) syncs: u64,
    /// The numbers of the syncs that fail, and what they say.
    pub(super) failing_syncs: Option<(RangeInclusive<u64>, DiskFault)>,
    /// How many syncs failed.
    pub(super) failed_syncs: u64,
    /// The most that one read may load.
    pub(super) read_len_max: Option<u64>,
    /// The file whose content cannot be read, and why.
    pub(super) failing_reads: Option<(PathBuf, DiskFault)>,
    pub(super) hung_below: Option<PathBuf>,
    pub(super) hanging: usize,
    pub(super) locked: BTreeSet<Ino>,
    pub(super) writers: Vec<Ino>,
    pub(super) hides_writers: bool,
    pub(super) facts: BTreeMap<PathBuf, PathFacts>,
    pub(super) stopped: Vec<StoppedLock>,
}

/// The clock that stamps files.
#[derive(Clone, Debug)]
pub(super) enum SimTime {
    Counting(i128),
    Still(i128),
}

impl Default for SimTime {
    fn default() -> Self {
        Self::Counting(TIME_START_NS)
    }
}

impl SimTime {
    pub(super) fn tick(&mut self) -> i128 {
        match self {
            Self::Counting(ns) => {
                *ns += TIME_TICK_NS;
                *ns
            }
            Self::Still(ns) => *ns,
        }
    }
}

impl SimState {
    /// Some bytes of a file, as one read loads them.
    ///
    /// # Panics
    /// If they are more than a test permits.
    pub(super) fn load(&self, path: &Path, offset: u64, len_max: u64) -> Result<Vec<u8>, DiskFault> {
        let NodeBody::File(content) = &self.tree.node(self.tree.find(path)?).body else {
            return Err(DiskFault::NotAFile);
        };
        if let Some((_, fault)) = self.failing_reads.as_ref().filter(|(failing, _)| failing == path) {
            return Err(*fault);
        }
        let to = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(content.bytes.len());
        let bytes = &content.bytes[to(offset)..to(offset.saturating_add(len_max))];
        let is_bounded = self.read_len_max.is_none_or(|max| bytes.len() as u64 <= max);
        assert!(is_bounded, "one read loads {} bytes of {}", bytes.len(), path.display());
        Ok(bytes.to_vec())
    }

    /// The check before every call.
    pub(super) fn powered(&self) -> Result<(), DiskFault> {
        if self.lost_power { Err(DiskFault::PowerLost) } else { Ok(()) }
    }

    /// The check before every change, however small. Returns the time of the change.
    pub(super) fn step(&mut self) -> Result<i128, DiskFault> {
        self.powered()?;
        if self.read_only {
            return Err(DiskFault::ReadOnly);
        }
        if self.steps_max.is_some_and(|max| self.steps >= max) {
            self.lost_power = true;
            return Err(DiskFault::PowerLost);
        }
        self.steps += 1;
        Ok(self.time.tick())
    }

    /// The check before a change of a name in a folder.
    pub(super) fn name_step(&mut self, dir: Ino) -> Result<i128, DiskFault> {
        self.thawed(dir)?;
        self.step()
    }

    /// Refuses a change of a folder or a file that is frozen.
    pub(super) fn thawed(&self, ino: Ino) -> Result<(), DiskFault> {
        let is_frozen = self.frozen.get(&ino).is_some_and(|from| self.steps >= *from);
        self.powered()?;
        if is_frozen { Err(DiskFault::ReadOnly) } else { Ok(()) }
    }

    /// Adds an empty file under a free name.
    pub(super) fn create(&mut self, dir: Ino, name: std::ffi::OsString) -> Result<Ino, DiskFault> {
        let now = self.name_step(dir)?;
        let ino = self.tree.add(NodeBody::File(SimContent::default()), now);
        self.tree.rename_in(dir, vec![(name, Some(ino))], now);
        Ok(ino)
    }

    /// Adds bytes to a file, as many as there is space for.
    pub(super) fn write(&mut self, ino: Ino, bytes: &[u8]) -> Result<(), DiskFault> {
        self.thawed(ino)?;
        let now = self.step()?;
        let room = self.space_left.map_or(usize::MAX, |left| usize::try_from(left).unwrap_or(usize::MAX));
        let written = bytes.len().min(room);
        let node = self.tree.node_mut(ino);
        node.modified_ns = now;
        if let NodeBody::File(content) = &mut node.body {
            content.bytes.extend_from_slice(&bytes[..written]);
        }
        self.space_left = self.space_left.map(|left| left - written as u64);
        if written < bytes.len() { Err(DiskFault::NoSpace) } else { Ok(()) }
    }

    /// Gives back the room of a file that has no name left.
    pub(super) fn free(&mut self, ino: Ino) {
        let Some(left) = self.space_left else { return };
        if let NodeBody::File(content) = &self.tree.node(ino).body
            && !self.tree.has_name(ino)
        {
            self.space_left = Some(left + content.bytes.len() as u64);
        }
    }

    /// The check before every sync, of a file or a folder. A sync that fails makes nothing durable.
    pub(super) fn sync_step(&mut self) -> Result<(), DiskFault> {
        self.powered()?;
        self.syncs += 1;
        match &self.failing_syncs {
            Some((failing, fault)) if failing.contains(&self.syncs) => {
                self.failed_syncs += 1;
                Err(*fault)
            }
            // As on Linux: on a read-only disk everything is durable already.
            Some(_) | None if self.read_only => Ok(()),
            Some(_) | None => self.step().map(drop),
        }
    }

    /// Makes the content of a file durable.
    pub(super) fn sync(&mut self, ino: Ino) -> Result<(), DiskFault> {
        self.sync_step()?;
        if let NodeBody::File(content) = &mut self.tree.node_mut(ino).body {
            content.synced_len = content.bytes.len();
        }
        Ok(())
    }

    /// The file of that name; a new one if there is none.
    pub(super) fn open_or_create(&mut self, path: &Path) -> Result<Ino, DiskFault> {
        let place = self.tree.walk(path)?;
        match place.found {
            None => self.create(place.dir(), place.name),
            Some(ino) => match self.tree.node(ino).kind() {
                FileKind::File => Ok(ino),
                FileKind::Dir | FileKind::Link | FileKind::Other => Err(DiskFault::NotAFile),
            },
        }
    }

    pub(super) fn write_raw(&mut self, path: &Path, bytes: &[u8]) {
        if let Some(parent) = path.parent() {
            self.make_dirs(parent);
        }
        let now = self.time.tick();
        let place = self.tree.walk(path).expect("the folders on the way were made");
        let content = SimContent { bytes: bytes.to_vec(), synced_len: bytes.len() };
        let Some(ino) = place.found else {
            let ino = self.tree.add(NodeBody::File(content), now);
            return self.tree.name_durably(place.dir(), &place.name, ino, now);
        };
        let node = self.tree.node_mut(ino);
        assert_eq!(node.kind(), FileKind::File, "{} is no file", path.display());
        node.body = NodeBody::File(content);
        node.modified_ns = now;
        self.tree.name_durably(place.dir(), &place.name, ino, now);
    }

    /// Adds bytes to a file that another program has open, whatever its name is by now.
    pub(super) fn write_on(&mut self, ino: Ino, bytes: &[u8]) {
        let now = self.time.tick();
        let node = self.tree.node_mut(ino);
        node.modified_ns = now;
        if let NodeBody::File(content) = &mut node.body {
            content.bytes.extend_from_slice(bytes);
            content.synced_len = content.bytes.len();
        }
    }

    pub(super) fn make_dirs(&mut self, dir: &Path) {
        let mut path = PathBuf::from("/");
        for name in dir.components().filter(|part| !matches!(part, Component::RootDir | Component::CurDir)) {
            path.push(name);
            let place = self.tree.walk_to_the_end(&path).expect("its parent was made");
            let now = self.time.tick();
            let ino = place.found.unwrap_or_else(|| self.tree.add(NodeBody::Dir(SimFolder::default()), now));
            assert_eq!(self.tree.node(ino).kind(), FileKind::Dir, "{} is no folder", path.display());
            if ino != ROOT {
                self.tree.name_durably(place.dir(), &place.name, ino, now);
            }
        }
    }

    pub(super) fn make_link(&mut self, target: &Path, path: &Path) {
        let place = self.tree.walk(path).expect("the folder is there");
        assert_eq!(place.found, None, "{} is taken", path.display());
        let now = self.time.tick();
        let ino = self.tree.add(NodeBody::Link(target.to_owned()), now);
        self.tree.name_durably(place.dir(), &place.name, ino, now);
    }
}
