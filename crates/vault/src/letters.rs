//! Files of letters: the spool of the home, and the boxes of projects. Only ever appended to.

mod boxes;
mod references;
mod spool;

pub use crate::layout::BOX;
pub use boxes::LetterBox;
pub use references::ReferenceLog;
pub use spool::Spool;

use crate::{StoreError, durable};
use brainstem_base::disk::verbs;
use brainstem_base::{Disk, DiskError, DiskFault, Ids};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The name of the spool, in the home.
pub const SPOOL: &str = "field-reports.jsonl";

/// The largest file of letters that is read.
const FILE_LEN_MAX: u64 = 256 * 1024 * 1024;
/// How long to wait for another process that appends.
const LOCK_WAIT: Duration = Duration::from_secs(10);
/// How often a line is appended until it is in the file as a line of its own.
const APPENDS_MAX: usize = 4;
/// How much of the file before an append is read after it.
const LOOK_BACK_LEN: u64 = 4 * 1024;
/// How much other programs may have appended meanwhile for the new lines to be found.
const LOOK_BACK_LEN_MAX: u64 = 16 * 1024 * 1024;
/// The message for a line that other programs did not leave as a line of its own.
const NOT_ALONE: &str =
    "another program writes to the file at the same time, so the letter may be in place or not";
/// The message if the disk took only a part of a line.
const HALF_A_LINE: &str = "the disk took a part of the line, which stays in the file and is not a letter; the letter is not written";

/// A file to which whole lines are appended. Nothing else ever happens to it.
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

    /// Its bytes; empty if it is missing.
    fn read(&self) -> Result<Vec<u8>, StoreError> {
        match self.disk.read(&self.path, FILE_LEN_MAX) {
            Ok(bytes) => Ok(bytes),
            Err(error) if error.fault() == DiskFault::NotFound => Ok(Vec::new()),
            Err(error) => Err(StoreError::disk("cannot read the letters")(error)),
        }
    }

    /// Appends the lines that `choose` picks for the file as it is, durably, and makes sure that each is in the file as
    /// a line of its own. No other process of this home appends in between. Another program may, and may have written
    /// half a line: a line that was appended behind that is appended once more, on a new line. Readers count a letter
    /// once.
    fn append<T>(
        &self,
        choose: impl FnOnce(&[u8]) -> (Vec<u8>, T),
        look: AppendCheck,
    ) -> Result<T, StoreError> {
        let locked = StoreError::disk("cannot lock the letters");
        let _guard = durable::lock(&*self.disk, &self.lock, LOCK_WAIT).map_err(locked)?;
        let there = match look {
            AppendCheck::Whole => self.read()?,
            AppendCheck::End => self.read_end(1)?,
        };
        let (new, told) = choose(&there);
        let mut left: Vec<&[u8]> = new.split_inclusive(|byte| *byte == b'\n').collect();
        let mut is_behind_half_a_line = there.last().is_some_and(|last| *last != b'\n');
        for _ in 0..APPENDS_MAX {
            if left.is_empty() {
                return Ok(told);
            }
            let len_before = self.len();
            self.append_once(is_behind_half_a_line, &left)?;
            self.drop_those_in_place(len_before, &mut left);
            is_behind_half_a_line = true;
        }
        if left.is_empty() {
            return Ok(told);
        }
        let source = DiskError::new(verbs::APPEND, &self.path, DiskFault::Busy);
        Err(StoreError::Unconfirmed { told: NOT_ALONE, source })
    }

    /// Appends lines in one write, durably.
    fn append_once(&self, is_behind_half_a_line: bool, new: &[&[u8]]) -> Result<(), StoreError> {
        let fault = || StoreError::disk("cannot write the letters");
        let mut lines = Vec::new();
        if is_behind_half_a_line {
            lines.push(b'\n');
        }
        lines.extend(new.concat());
        // An append to a full disk leaves a part of a line; a new file is whole or missing.
        let temp = durable::temp_in(self.dir(), &*self.ids);
        self.disk.write_new(&temp, &vec![b'\n'; lines.len()]).map_err(fault())?;
        let _ = self.disk.unlink(&temp);
        let len_before = self.len();
        self.disk.append(&self.path, &lines).map_err(|source| match self.len() == len_before {
            true => fault()(source),
            false => StoreError::Unconfirmed { told: HALF_A_LINE, source },
        })?;
        self.disk.sync_dir(self.dir()).map_err(fault())
    }

    /// Removes the lines from `lines` that are in the file as lines of their own, behind this length or shortly before.
    fn drop_those_in_place(&self, len_before: u64, lines: &mut Vec<&[u8]>) {
        let own: usize = lines.iter().map(|line| line.len()).sum();
        let len = self.len().saturating_sub(len_before) + LOOK_BACK_LEN;
        if len > LOOK_BACK_LEN_MAX + own as u64 {
            return;
        }
        let Ok(bytes) = self.read_end(len) else { return };
        // The first line may have begun before the part that was read.
        let cut_lines = usize::from(bytes.len() as u64 == len);
        let there: HashSet<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').skip(cut_lines).collect();
        lines.retain(|line| !there.contains(line));
    }

    /// Its length; zero if it is missing.
    fn len(&self) -> u64 {
        self.disk.stat(&self.path).map_or(0, |stat| stat.len)
    }

    /// Its last bytes, at most so many.
    fn read_end(&self, len_max: u64) -> Result<Vec<u8>, StoreError> {
        match self.disk.read_end(&self.path, len_max) {
            Ok(bytes) => Ok(bytes),
            Err(error) if error.fault() == DiskFault::NotFound => Ok(Vec::new()),
            Err(error) => Err(StoreError::disk("cannot read the letters")(error)),
        }
    }
}

/// How much of a file is read before an append.
#[derive(Clone, Copy)]
enum AppendCheck {
    /// Its last byte.
    End,
    /// All of it.
    Whole,
}
