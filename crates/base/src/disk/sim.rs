//! A disk in memory that loses power wherever a test wants it to.
//!
//! It keeps two views of everything: what programs see, and what is certain to survive. A file's
//! content is certain once it was synced; a name is certain once [`Disk::sync_dir`] of its folder
//! has answered (for a new folder: of its parent). What is in between meets a [`UnsyncedFate`].
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
/// use brainstem_base::disk::{Disk, Fate, SimDisk};
///
/// let disk = SimDisk::new();
/// disk.write_new("/note".as_ref(), b"hello").unwrap();
/// // The content was synced, its name was not.
/// assert!(disk.reboot(Fate::Lost).dump().is_empty());
/// disk.sync_dir("/".as_ref()).unwrap();
/// assert!(Fate::all(7).into_iter().all(|fate| disk.reboot(fate).dump().len() == 1));
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
    /// An empty disk with everlasting power: a root folder and nothing else.
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

    /// What is found if the power goes now, or has gone: a fresh disk, with power, space and free locks.
    pub fn reboot(&self, fate: UnsyncedFate) -> Self {
        let state = self.state();
        Self::with(SimState {
            tree: state.tree.after_power_loss(fate),
            time: state.time.clone(),
            ..SimState::default()
        })
    }

    /// Refuses every change from now on, or no longer.
    pub fn set_read_only(&self, read_only: bool) {
        self.state().read_only = read_only;
    }

    /// Refuses every change of a name in the folder at `path`, or of the content of the file there, from `steps` steps
    /// on: what a folder or file without the permission to write does. What lies below a folder is not touched by it.
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

    /// Leaves room for so many more bytes of content. Names cost nothing; removing the last name of a
    /// file frees its bytes, replacing it by a rename does not.
    pub fn set_space_left(&self, bytes: Option<u64>) {
        self.state().space_left = bytes;
    }

    /// Lets the sync after `count` more of them fail with this fault, and every later one where `failures` says so.
    /// What was changed before it is seen by programs and is not certain; the temporary file of a write whose own
    /// sync fails goes again.
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

    /// Panics from now on when one read loads more than so many bytes: what holds a file of any size in memory.
    pub fn set_read_len_max(&self, bytes: u64) {
        self.state().read_len_max = Some(bytes);
    }

    /// Lets every read of the content of the file at `path` fail with this fault, as a bad sector does. Its name and its
    /// facts are seen all the same.
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

    /// Writes a file as somebody else would who never loses power: its content, its name and the
    /// folders on the way are durable at once. An existing file is edited in place.
    ///
    /// # Panics
    /// If a folder or a link has that name, or a file stands on the way.
    pub fn write_raw(&self, path: impl AsRef<Path>, bytes: &[u8]) {
        self.state().write_raw(path.as_ref(), bytes);
    }

    /// Opens a file for writing, as another program would that writes it bit by bit, and makes it if it is not there.
    /// What it writes goes into that file, whatever became of its name.
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

    /// Tells from now on nobody whether a file is open for writing, as some systems do.
    pub fn hide_writers(&self) {
        self.state().hides_writers = true;
    }

    /// Makes a folder and its parents, durable at once. Existing ones stay.
    ///
    /// # Panics
    /// If something else stands on the way.
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

    /// Lets the system tell these facts about one path; of others it tells nothing.
    pub fn set_facts(&self, path: impl AsRef<Path>, facts: PathFacts) {
        self.state().facts.insert(path.as_ref().to_owned(), facts);
    }

    /// Lets the system tell that a stopped process holds a lock file.
    pub fn set_stopped_lock(&self, lock: StoppedLock) {
        self.state().stopped.push(lock);
    }

    /// Every regular file as programs see it, also when the power is gone.
    pub fn dump(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        self.state().tree.files()
    }

    fn with(state: SimState) -> Self {
        Self { shared: Arc::new(SharedState { state: Mutex::new(state), changed: Condvar::new() }) }
    }

    /// A test that failed while holding the state must not hide its reason behind a second panic.
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
