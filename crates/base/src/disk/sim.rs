//! A disk in memory that loses power wherever a test wants it to.
//!
//! It keeps two views of everything: what programs see, and what is certain to survive. A file's content is certain
//! once it was synced; a name is certain once [`Disk::sync_dir`] of its folder has answered (for a new folder: of its
//! parent). A test chooses an [`UnsyncedFate`] for everything in between.
//!
//! Deliberately more forgetful than most file systems: syncing a file does not keep its name, and
//! syncing one folder keeps nothing of another.
//!
//! [`Disk::sync_dir`]: super::Disk::sync_dir

mod calls;
mod fate;
mod state;
#[cfg(test)]
mod tests;
mod tree;

pub use fate::UnsyncedFate;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{DiskFault, PathFacts, StoppedLock};
use state::SimState;

/// A simulated disk. Clones are the same disk, as seen by another thread or process.
///
/// Power goes before a *step*, the smallest change that can be seen on its own. Folders, links,
/// renames, removals and folder syncs are one step each; writing a new file is three (name,
/// content, sync), and so is appending, less the name if it exists.
///
/// ```
/// use brainstem_base::disk::{Disk, UnsyncedFate, SimDisk};
///
/// let disk = SimDisk::new();
/// disk.write_new("/note".as_ref(), b"hello").unwrap();
/// // The content was synced, its name was not.
/// assert!(disk.reboot(UnsyncedFate::Lost).dump().is_empty());
/// disk.sync_dir("/".as_ref()).unwrap();
/// assert!(UnsyncedFate::all(7).into_iter().all(|fate| disk.reboot(fate).dump().len() == 1));
/// ```
#[derive(Clone, Debug)]
pub struct SimDisk {
    shared: Arc<SharedState>,
}

#[derive(Debug)]
struct SharedState {
    state: Mutex<SimState>,
    /// A lock was freed, reads were released, or the power went.
    changed: Condvar,
}

impl SimDisk {
    /// An empty disk that never loses power: a root folder and nothing else.
    pub fn new() -> Self {
        Self::with(SimState::default())
    }

    /// An empty disk that takes `steps` steps and loses power before the next.
    pub fn losing_power_after(steps: u64) -> Self {
        let disk = Self::new();
        disk.lose_power_after(steps);
        disk
    }

    /// Takes `steps` more steps from now, and loses power before the next.
    pub fn lose_power_after(&self, steps: u64) {
        let mut state = self.state();
        state.steps_max = Some(state.steps + steps);
    }

    /// Whether the power is gone. Every call answers [`PowerLost`](super::DiskFault::PowerLost) then.
    pub fn lost_power(&self) -> bool {
        self.state().lost_power
    }

    /// The steps taken so far.
    pub fn steps(&self) -> u64 {
        self.state().steps
    }

    /// The disk after a power cut now or earlier: a fresh disk, with power, space and free locks.
    pub fn reboot(&self, fate: UnsyncedFate) -> Self {
        let state = self.state();
        Self::with(SimState {
            tree: state.tree.after_power_loss(fate),
            time: state.time.clone(),
            ..SimState::default()
        })
    }

    /// Refuses every change from now on, or stops refusing.
    pub fn set_read_only(&self, read_only: bool) {
        self.state().read_only = read_only;
    }

    /// Refuses every change of a name in the folder at `path`, or of the content of the file there, from `steps` steps
    /// on: what a folder or file without the permission to write does. Folders and files below it are not affected.
    ///
    /// # Panics
    /// If nothing has that name.
    pub fn freeze_after(&self, path: impl AsRef<Path>, steps: u64) {
        let mut state = self.state();
        let ino = state.tree.find(path.as_ref()).expect("it is there");
        let from = state.steps + steps;
        state.frozen.insert(ino, from);
    }

    /// The same from now on.
    pub fn freeze(&self, path: impl AsRef<Path>) {
        self.freeze_after(path, 0);
    }

    /// Permits everything again that was frozen.
    pub fn thaw(&self) {
        self.state().frozen.clear();
    }

    /// Leaves room for so many more bytes of content. Names cost nothing. Removing the last name of a file frees its
    /// bytes; replacing it by a rename does not.
    pub fn set_space_left(&self, bytes: Option<u64>) {
        self.state().space_left = bytes;
    }

    /// Lets the sync after `count` more of them fail with this fault, and every later one where `failures` says so.
    /// Programs see the change before it, and a power cut may lose it. The temporary file of a write whose own sync
    /// fails is removed again.
    pub fn fail_syncs_after(&self, count: u64, failures: SyncFailures, fault: DiskFault) {
        let mut state = self.state();
        let first = state.syncs + count + 1;
        let last = match failures {
            SyncFailures::One => first,
            SyncFailures::AllLater => u64::MAX,
        };
        state.failing_syncs = Some((first..=last, fault));
    }

    /// Lets every sync succeed again.
    pub fn mend_syncs(&self) {
        self.state().failing_syncs = None;
    }

    /// How many syncs have failed.
    pub fn failed_syncs(&self) -> u64 {
        self.state().failed_syncs
    }

    /// Panics from now on when one read loads more than so many bytes: finds code that holds a whole file in memory.
    pub fn set_read_len_max(&self, bytes: u64) {
        self.state().read_len_max = Some(bytes);
    }

    /// Lets every read of the content of the file at `path` fail with this fault, as a bad sector does. Its name and
    /// its facts can still be read.
    pub fn fail_reads_of(&self, path: impl AsRef<Path>, fault: DiskFault) {
        self.state().failing_reads = Some((path.as_ref().to_owned(), fault));
    }

    /// Lets every read succeed again.
    pub fn mend_reads(&self) {
        self.state().failing_reads = None;
    }

    /// Lets every call that only looks at `path`, or at anything below it, block until [`release`](Self::release).
    pub fn hang_reads_below(&self, path: impl AsRef<Path>) {
        self.state().hung_below = Some(path.as_ref().to_owned());
    }

    /// Lets hanging calls go on.
    pub fn release(&self) {
        self.state().hung_below = None;
        self.shared.changed.notify_all();
    }

    /// How many calls hang at the moment.
    pub fn hanging(&self) -> usize {
        self.state().hanging
    }

    /// Stops the clock that stamps files at `ns` since the epoch, until it is set again.
    ///
    /// Without this it moves on by a millisecond with every change.
    pub fn set_time_ns(&self, ns: i128) {
        self.state().time = state::SimTime::Still(ns);
    }

    /// Writes a file as another program: its content, its name and the folders on the way are durable at once. An
    /// existing file is edited in place.
    ///
    /// # Panics
    /// If a folder or a link has that name, or a file is on the way.
    pub fn write_raw(&self, path: impl AsRef<Path>, bytes: &[u8]) {
        self.state().write_raw(path.as_ref(), bytes);
    }

    /// Opens a file for writing, as a program does that writes it bit by bit, and creates it if it is missing. The
    /// bytes go into that file even if its name changes.
    ///
    /// # Panics
    /// As [`write_raw`](Self::write_raw).
    pub fn open_writer(&self, path: impl AsRef<Path>) -> SimWriter {
        let path = path.as_ref();
        let mut state = self.state();
        if state.tree.find(path).is_err() {
            state.write_raw(path, b"");
        }
        let ino = state.tree.find(path).expect("it is there");
        state.writers.push(ino);
        SimWriter { disk: self.clone(), ino }
    }

    /// Answers "unknown" from now on when asked whether a file is open for writing, as some systems do.
    pub fn hide_writers(&self) {
        self.state().hides_writers = true;
    }

    /// Makes a folder and its parents, durable at once. Existing ones stay.
    ///
    /// # Panics
    /// If a file or a link is on the way.
    pub fn make_dirs(&self, dir: impl AsRef<Path>) {
        self.state().make_dirs(dir.as_ref());
    }

    /// Makes a symbolic link at `path`, durable at once.
    ///
    /// # Panics
    /// If the name is taken or its folder is missing.
    pub fn make_link(&self, target: impl AsRef<Path>, path: impl AsRef<Path>) {
        self.state().make_link(target.as_ref(), path.as_ref());
    }

    /// Sets the facts of one path; other paths have none.
    pub fn set_facts(&self, path: impl AsRef<Path>, facts: PathFacts) {
        self.state().facts.insert(path.as_ref().to_owned(), facts);
    }

    /// Makes a stopped process hold a lock file.
    pub fn set_stopped_lock(&self, lock: StoppedLock) {
        self.state().stopped.push(lock);
    }

    /// Every regular file as programs see it, also after the power was lost.
    pub fn dump(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        self.state().tree.files()
    }

    fn with(state: SimState) -> Self {
        Self { shared: Arc::new(SharedState { state: Mutex::new(state), changed: Condvar::new() }) }
    }

    /// A test that panicked while holding the state must not hide its message behind a second panic.
    fn state(&self) -> MutexGuard<'_, SimState> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many syncs fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncFailures {
    /// One, and the next succeeds.
    One,
    /// One, and every later one.
    AllLater,
}

/// A file that another program has open for writing; dropped, it is closed.
#[derive(Debug)]
pub struct SimWriter {
    disk: SimDisk,
    ino: tree::Ino,
}

impl SimWriter {
    /// Adds bytes to the file.
    pub fn write(&self, bytes: &[u8]) {
        self.disk.state().write_on(self.ino, bytes);
    }
}

impl Drop for SimWriter {
    fn drop(&mut self) {
        let mut state = self.disk.state();
        if let Some(at) = state.writers.iter().position(|ino| *ino == self.ino) {
            state.writers.swap_remove(at);
        }
    }
}

impl Default for SimDisk {
    fn default() -> Self {
        Self::new()
    }
}
