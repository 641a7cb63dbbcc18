//! What the daemon leaves in the home for others to find: its lock, its address and its token.
//!
//! The lock says whether one runs, and the kernel frees it with the process. The record says where; one that
//! nobody holds the lock of is what a killed daemon left, and means nothing.

use crate::error::MemoryError;
use crate::gap::Gap;
use crate::service::Memory;
use brainstem_base::advice;
use brainstem_base::disk::LockGuard;
use brainstem_base::next::calls;
use brainstem_base::{Disk, DiskFault, Fault, codes};
use brainstem_vault::daemon_files::{DaemonRecord, DaemonSeen};
use brainstem_vault::{StoreError, durable};
use std::time::Duration;

/// How long a starting daemon waits for somebody who only looks whether one runs.
const LOOK_WAIT: Duration = Duration::from_secs(1);

/// Whether a daemon is still the one of its home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tenure {
    /// All is as it left it, or cannot be looked at now.
    Kept,
    /// Something was gone and is there again: what.
    Mended(&'static str),
    /// It must end: why.
    Lost(&'static str),
}

impl Memory {
    /// The daemon that serves this home now.
    pub fn daemon(&self) -> Option<DaemonRecord> {
        match self.see_daemon() {
            DaemonSeen::Serving(record) => Some(record),
            DaemonSeen::Absent | DaemonSeen::Unfound | DaemonSeen::Unknown(_) => None,
        }
    }

    /// What can be seen of this home's daemon. The lock decides: a daemon that nobody can find is not none.
    pub fn see_daemon(&self) -> DaemonSeen {
        self.daemon_files().see(&*self.disk)
    }

    /// What an answer that has no daemon to name must say instead, where there may be one.
    pub fn daemon_gap(&self) -> Option<Gap> {
        let detail = match self.see_daemon() {
            DaemonSeen::Absent | DaemonSeen::Serving(_) => return None,
            DaemonSeen::Unfound => "a daemon runs, and what it wrote down about itself is gone".to_owned(),
            DaemonSeen::Unknown(why) => format!("whether a daemon runs cannot be seen: {why}"),
        };
        Some(Gap::new("daemon_unknown", detail))
    }

    /// What the last daemon wrote down, running or not.
    pub fn daemon_record(&self) -> Option<DaemonRecord> {
        self.daemon_files().read_record(&*self.disk)
    }

    /// Whether some process holds the lock of the daemon, for who must not take "cannot look" for "no".
    pub fn look_for_daemon(&self) -> Result<bool, MemoryError> {
        self.daemon_files()
            .is_held(&*self.disk)
            .map_err(|error| StoreError::disk("cannot look whether a daemon runs")(error).into())
    }

    /// Becomes the one daemon of this home, as long as the guard lives.
    pub fn become_daemon(&self) -> Result<Box<dyn LockGuard>, MemoryError> {
        self.home.ensure()?;
        self.home.check_writable()?;
        let files = self.daemon_files();
        durable::make_dirs(&*self.disk, &files.folder)?;
        match self.disk.lock(&files.lock, LOOK_WAIT) {
            Ok(guard) => Ok(guard),
            Err(error) if error.fault() == DiskFault::Busy => {
                let at = self
                    .daemon_record()
                    .map(|record| format!(": process {} at http://{}", record.pid, record.address));
                let message = format!("a daemon serves this home already{}", at.unwrap_or_default());
                let fault = Fault::new(codes::DAEMON_RUNNING, message).rule("IF-14");
                Err(fault.fix(advice!["use that one, or stop it with `", calls::down(), "`"]).into())
            }
            Err(error) => Err(StoreError::disk("cannot lock the daemon's file")(error).into()),
        }
    }

    /// Says where the daemon answers; for who holds the lock.
    pub fn record_daemon(&self, record: &DaemonRecord) -> Result<(), MemoryError> {
        let bytes = serde_json::to_vec_pretty(record).expect("a record is plain data");
        let path = self.daemon_files().record;
        durable::replace_private(&*self.disk, &*self.ids, &path, &bytes)
            .map_err(|error| StoreError::disk("cannot write down where the daemon answers")(error).into())
    }

    /// Looks whether the home, the lock and the record are still those of the daemon that holds this lock, and
    /// puts right what can be. A lock file that was removed keeps no second daemon out; a home that was moved
    /// away would be made anew by the next write.
    pub fn keep_daemon(&self, lock: &mut Box<dyn LockGuard>, record: &DaemonRecord) -> Tenure {
        let is_own =
            |found: Option<DaemonRecord>| found.is_some_and(|found| found.instance == record.instance);
        match lock.is_in_place() {
            Ok(true) => {}
            Ok(false) if !is_own(self.daemon_record()) => {
                return Tenure::Lost("its files are gone from the home, or are another daemon's");
            }
            Ok(false) => {
                return match self.disk.lock(&self.daemon_files().lock, LOOK_WAIT) {
                    Ok(taken) => {
                        *lock = taken;
                        Tenure::Mended("the lock file was gone, and is taken anew")
                    }
                    Err(error) if error.fault() == DiskFault::Busy => {
                        Tenure::Lost("the lock file was replaced, and another process holds it")
                    }
                    Err(_) => Tenure::Kept,
                };
            }
            Err(_) => return Tenure::Kept,
        }
        if self.daemon_record().as_ref() == Some(record) || self.record_daemon(record).is_err() {
            return Tenure::Kept;
        }
        Tenure::Mended("the record was gone or not its own, and is written anew")
    }

    /// Takes the record of a daemon that ends away, unless it is another's by now.
    pub fn leave_daemon(&self, record: &DaemonRecord) {
        if self.daemon_record().is_some_and(|found| found.instance == record.instance) {
            self.unrecord_daemon();
        }
    }

    /// Takes the record away; one that stays says nothing, because nobody holds the lock.
    pub fn unrecord_daemon(&self) {
        let _ = self.disk.unlink(&self.daemon_files().record);
    }

    /// The token of this home; `None` before the first daemon made one.
    pub fn daemon_token(&self) -> Option<String> {
        self.daemon_files().read_token(&*self.disk)
    }

    /// Makes a new token for this home: the one before opens nothing from the next daemon on.
    pub fn renew_daemon_token(&self) -> Result<String, MemoryError> {
        let token = self.secret();
        durable::replace_private(
            &*self.disk,
            &*self.ids,
            &self.daemon_files().token,
            format!("{token}\n").as_bytes(),
        )
        .map_err(StoreError::disk("cannot write the token"))?;
        Ok(token)
    }

    /// The token of this home, made now if there is none, and made anew if others could read it: they may have.
    pub fn make_daemon_token(&self) -> Result<String, MemoryError> {
        let path = self.daemon_files().token;
        let is_private = self.disk.facts(&path).mode.is_none_or(|mode| mode & 0o077 == 0);
        if let Some(token) = self.daemon_token().filter(|_| is_private) {
            return Ok(token);
        }
        self.renew_daemon_token()
    }
}
