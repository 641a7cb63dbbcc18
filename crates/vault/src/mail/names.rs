//! The names that messages of a mail root were given. Each is given out once in the whole root, whichever box the
//! message goes to, so that a reply, a thread and an open question can name one message.
//!
//! A sender reserves the name by making an empty file, `.names/<hour>/<name>`; of many senders that want it, one
//! succeeds. Only senders of one second can want one name, so reservations go after a day. A file that a shell puts
//! into a box reserves nothing: it may still share its name with a message of another box.

use super::root::{MailRoot, is_folder};
use crate::error::StoreError;
use brainstem_base::disk::{FileKind, LockGuard, verbs};
use brainstem_base::{DiskError, DiskFault, Timestamp};
use brainstem_mail::FileName;
use brainstem_mail::limits::SAME_NAME_MAX;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder of the reservations, below the mail root.
const NAMES: &str = ".names";
/// How long a reservation is kept at least: a clock that is set back reaches the same second again.
const KEPT_MS: i64 = 24 * 60 * 60 * 1000;
/// How many reservations a sender removes at most; `mail sweep` removes all that are old.
const REMOVED_MAX: usize = 10_000;
/// How often a sender makes the folder of an hour that another process removes meanwhile.
const TRIES: usize = 3;
/// The file that is locked while a box is made, beside the reservations.
const LOCK: &str = "boxes.lock";
/// How long a sender waits for another one that makes a box.
const LOCK_WAIT: Duration = Duration::from_secs(10);

impl MailRoot {
    /// Reserves a name for a message; returns whether it was free.
    pub(super) fn reserve_name(&self, file: &FileName) -> Result<bool, StoreError> {
        let hour = self.hour_dir(file);
        for _ in 0..TRIES {
            self.make_hour(&hour)?;
            match self.disk.reserve(&hour.join(file.as_str())) {
                Ok(()) => return Ok(true),
                Err(error) if error.fault() == DiskFault::Exists => return Ok(false),
                // Another process sweeps at this moment.
                Err(error) if error.fault() == DiskFault::NotFound => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Err(failed(DiskError::new(verbs::WRITE_NEW, &hour, DiskFault::NotFound)))
    }

    /// Whether this program gave a name to a message within the last day: then the message came whole.
    pub(super) fn was_given_out(&self, file: &FileName) -> bool {
        self.disk.stat(&self.hour_dir(file).join(file.as_str())).is_ok()
    }

    /// The first number for which the name was not reserved, or a lower bound of it: numbers are given out without
    /// gaps, so a search by halves finds it. Another sender may take it meanwhile.
    pub(super) fn first_number(&self, name_of: &dyn Fn(u32) -> FileName) -> u32 {
        let is_reserved = |number: u32| self.was_given_out(&name_of(number));
        if !is_reserved(0) {
            return 0;
        }
        let (mut taken, mut free) = (0, 1);
        while free < SAME_NAME_MAX && is_reserved(free) {
            (taken, free) = (free, free * 2);
        }
        while taken + 1 < free {
            let middle = taken + (free - taken) / 2;
            if is_reserved(middle) { taken = middle } else { free = middle }
        }
        free
    }

    /// Removes the reservations of hours that ended a day ago or earlier; returns how many.
    pub fn sweep_names(&self, now: Timestamp) -> Result<usize, StoreError> {
        self.remove_old_hours(now, usize::MAX)
    }

    fn remove_old_hours(&self, now: Timestamp, at_most: usize) -> Result<usize, StoreError> {
        let dir = self.path().join(NAMES);
        if !is_folder(&*self.disk, &dir)? {
            return Ok(0);
        }
        let oldest = hour_of(&Timestamp::from_ms(now.ms() - KEPT_MS).to_rfc3339());
        let entries = self.disk.list(&dir).map_err(StoreError::disk("cannot list the reserved names"))?;
        let mut removed = 0;
        for entry in entries.into_iter().filter(|entry| entry.kind == FileKind::Dir) {
            let is_old = entry.name.to_str().is_some_and(|hour| is_hour(hour) && hour < oldest.as_str());
            if !is_old {
                continue;
            }
            let hour = dir.join(entry.name);
            // A reservation that stays is an empty file, so a failed removal is ignored.
            for mark in self.disk.list(&hour).unwrap_or_default() {
                if removed >= at_most {
                    return Ok(removed);
                }
                removed += usize::from(self.disk.unlink(&hour.join(mark.name)).is_ok());
            }
            let _ = self.disk.remove_dir(&hour);
        }
        Ok(removed)
    }

    /// Keeps other processes from making a box, until the guard is dropped.
    pub(super) fn lock_boxes(&self) -> Result<Box<dyn LockGuard>, StoreError> {
        let dir = self.make_names()?;
        self.disk.lock(&dir.join(LOCK), LOCK_WAIT).map_err(StoreError::disk("cannot lock the mail root"))
    }

    /// The folder of the reservations, made if needed.
    fn make_names(&self) -> Result<PathBuf, StoreError> {
        let dir = self.path().join(NAMES);
        if !is_folder(&*self.disk, &dir)? {
            self.make_dirs(&dir)?;
            // The folder always stays out of git, also when messages are committed. A failed write is ignored.
            let _ = self.disk.write_new(&dir.join(".gitignore"), b"*\n");
        }
        Ok(dir)
    }

    /// Makes the folder of an hour if it is missing, and removes old ones first.
    fn make_hour(&self, hour: &Path) -> Result<(), StoreError> {
        let dir = self.make_names()?;
        if is_folder(&*self.disk, hour)? {
            return Ok(());
        }
        // The folder always stays out of git, also when messages are committed. A failed write is ignored.
        let _ = self.disk.write_new(&dir.join(".gitignore"), b"*\n");
        // Before: the hour may be that of an old message, which gets another name because its own is taken.
        self.remove_old_hours(self.clock.now(), REMOVED_MAX)?;
        match self.disk.make_dir(hour) {
            Ok(()) => Ok(()),
            Err(error) if error.fault() == DiskFault::Exists => Ok(()),
            Err(error) => Err(failed(error)),
        }
    }

    fn hour_dir(&self, file: &FileName) -> PathBuf {
        let time = file.as_str().split('_').next().unwrap_or_default();
        self.path().join(NAMES).join(hour_of(time))
    }
}

fn failed(error: DiskError) -> StoreError {
    StoreError::disk("cannot reserve a name for the message")(error)
}

/// The hour of a time, in the digits that both spellings of it share.
fn hour_of(time: &str) -> String {
    time.chars().filter(char::is_ascii_digit).take(10).collect()
}

fn is_hour(name: &str) -> bool {
    name.len() == 10 && name.bytes().all(|byte| byte.is_ascii_digit())
}
