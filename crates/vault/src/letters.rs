//! Files of letters: the spool of the home, and the boxes of projects. Only ever appended to.

mod boxes;
mod references;
mod spool;

pub use boxes::LetterBox;
pub use references::ReferenceLog;
pub use spool::Spool;

use crate::{StoreError, durable};
use brainstem_base::{Disk, DiskFault, Ids};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The name of the spool, in the home.
pub const SPOOL: &str = "field-reports.jsonl";
/// The name of a box, in `.brainstem` of a repository and in the home.
pub const BOX: &str = "inbox.jsonl";

/// The largest file of letters that is read.
const FILE_LEN_MAX: u64 = 256 * 1024 * 1024;
/// How long to wait for another process that appends.
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// A file that whole lines are appended to, and nothing else happens to.
#[derive(Clone)]
struct LineFile {
    disk: Arc<dyn Disk>,
    ids: Arc<dyn Ids>,
    path: PathBuf,
    lock: PathBuf,
}

impl LineFile {
    fn dir(&self) -> &Path {
        self.path.parent().expect("a file of letters lies in a folder")
    }

    /// What it holds; nothing where it is not there.
    fn read(&self) -> Result<Vec<u8>, StoreError> {
        match self.disk.read(&self.path, FILE_LEN_MAX) {
            Ok(bytes) => Ok(bytes),
            Err(error) if error.fault() == DiskFault::NotFound => Ok(Vec::new()),
            Err(error) => Err(StoreError::disk("cannot read the letters")(error)),
        }
    }

    /// Appends what `choose` makes of the file as it is, in one write, durably. Nobody else of this home
    /// appends in between; programs that append by themselves do so in one write too.
    fn append<T>(&self, choose: impl FnOnce(&[u8]) -> (Vec<u8>, T), look: Look) -> Result<T, StoreError> {
        let fault = || StoreError::disk("cannot write the letters");
        let locked = StoreError::disk("cannot lock the letters");
        let _guard = durable::lock(&*self.disk, &self.lock, LOCK_WAIT).map_err(locked)?;
        let there = match look {
            Look::Whole => self.read()?,
            Look::End => match self.disk.read_end(&self.path, 1) {
                Ok(bytes) => bytes,
                Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
                Err(error) => return Err(StoreError::disk("cannot read the letters")(error)),
            },
        };
        let (new, told) = choose(&there);
        if new.is_empty() {
            return Ok(told);
        }
        let mut lines = Vec::with_capacity(new.len() + 1);
        // What was left without its newline stays a line of its own; a new letter never grows onto it.
        if there.last().is_some_and(|last| *last != b'\n') {
            lines.push(b'\n');
        }
        lines.extend(new);
        // An append to a full disk leaves a part of a line; a new file is whole or not there.
        let temp = durable::temp_in(self.dir(), &*self.ids);
        self.disk.write_new(&temp, &vec![b'\n'; lines.len()]).map_err(fault())?;
        let _ = self.disk.unlink(&temp);
        self.disk.append(&self.path, &lines).map_err(fault())?;
        self.disk.sync_dir(self.dir()).map_err(fault())?;
        Ok(told)
    }
}

/// How much of a file is looked at before something is appended.
#[derive(Clone, Copy)]
enum Look {
    /// Its last byte.
    End,
    /// All of it.
    Whole,
}
