//! What a hook needs to know: whether it was called for this event before, and which delegations of its session are open.
//!
//! A mark is a small file for each session and event. It is local state: losing it costs a repeated answer, and if it cannot be
//! written the hook answers each time.

use crate::limits::{MARK_AGE_MS_MAX, MARK_TWICE_MS};
use crate::service::Connect;
use brainstem_base::disk::Disk;
use brainstem_base::hash::sha256_hex;
use brainstem_base::{DiskFault, Timestamp};
use brainstem_caller::Caller;
use brainstem_claims::folds::delegations::{Delegation, DelegationState};
use brainstem_memory::MemoryError;
use brainstem_vault::durable;
use std::path::{Path, PathBuf};

/// The folder of the marks, below the home.
const FOLDER: &str = "local/hooks";
/// The longest mark that is read.
const MARK_LEN_MAX: u64 = 64;
/// The mark of the first call of a session.
const BEGAN: &str = "began";

/// When an event may be answered again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatRule {
    /// Never in one session.
    Never,
    /// When it happens again. Two hooks of one event come together and count as one.
    Anew,
}

impl Connect {
    /// Whether this is the first call for an event of a session, across all processes.
    pub fn is_first(&self, session: &str, event: &str, again: RepeatRule) -> bool {
        if !self.may_mark() {
            return true;
        }
        let now = self.clock().now();
        self.mark(session, BEGAN, now);
        if self.mark(session, event, now) {
            return true;
        }
        let path = self.mark_path(session, event);
        let last = read_mark(self.disk(), &path);
        let is_new = last.is_some_and(|last| now.ms().saturating_sub(last) > MARK_TWICE_MS);
        if again == RepeatRule::Never || !is_new {
            return false;
        }
        // Of several processes, the one that removes the old mark makes the new one.
        self.disk().unlink(&path).is_ok() && self.mark(session, event, now)
    }

    /// Whether an event of a session was answered before.
    pub fn was_marked(&self, session: &str, event: &str) -> bool {
        self.disk().stat(&self.mark_path(session, event)).is_ok()
    }

    /// The delegations of the caller's brain that were given out since a session began and that wait for a debrief.
    pub fn open_since(&self, caller: &Caller, session: &str) -> Result<Vec<Delegation>, MemoryError> {
        let Some(began) = read_mark(self.disk(), &self.mark_path(session, BEGAN)) else {
            return Ok(Vec::new());
        };
        let waits = |delegation: &Delegation| {
            let is_open = matches!(delegation.standing, DelegationState::Open | DelegationState::Unfinished);
            is_open && delegation.at.is_some_and(|at| at.ms() >= began)
        };
        Ok(self.memory().delegations(caller)?.delegations.into_iter().filter(waits).collect())
    }

    /// Whether a mark may be written: it must not make a home, and must not change the home of a newer program.
    fn may_mark(&self) -> bool {
        self.disk().stat(self.home().path()).is_ok() && self.home().check_writable().is_ok()
    }

    fn mark_path(&self, session: &str, event: &str) -> PathBuf {
        let name = sha256_hex(format!("{event}\0{session}").as_bytes(), 32);
        self.home().path().join(FOLDER).join(name)
    }

    /// Makes a mark, and returns whether it is new. If none can be made, it counts as new.
    fn mark(&self, session: &str, event: &str, now: Timestamp) -> bool {
        let path = self.mark_path(session, event);
        let write = || self.disk().write_new(&path, now.ms().to_string().as_bytes());
        let made = match write() {
            Err(error) if error.fault() == DiskFault::NotFound => {
                let dir = self.home().path().join(FOLDER);
                durable::make_dirs(self.disk(), &dir).ok().map(|()| write()).unwrap_or(Err(error))
            }
            made => made,
        };
        if made.is_ok() && event == BEGAN {
            self.drop_old_marks(now);
        }
        !made.is_err_and(|error| error.fault() == DiskFault::Exists)
    }

    /// Removes the marks of sessions that ended long ago. Runs once in a session.
    fn drop_old_marks(&self, now: Timestamp) {
        let dir = self.home().path().join(FOLDER);
        for entry in self.disk().list(&dir).unwrap_or_default() {
            let path = dir.join(entry.name);
            let is_old =
                read_mark(self.disk(), &path).is_none_or(|ms| now.ms().saturating_sub(ms) > MARK_AGE_MS_MAX);
            if is_old {
                // A mark that stays is a few bytes.
                let _ = self.disk().unlink(&path);
            }
        }
    }
}

fn read_mark(disk: &dyn Disk, path: &Path) -> Option<i64> {
    std::str::from_utf8(&disk.read(path, MARK_LEN_MAX).ok()?).ok()?.parse().ok()
}
