//! What the daemon leaves in the home for others to find: its lock, its address and its token.
//!
//! The lock says whether one runs, and the kernel frees it with the process. The record says where; one that
//! nobody holds the lock of is what a killed daemon left, and means nothing.

use crate::refusal::MemoryError;
use crate::service::Memory;
use brainstem_base::disk::LockGuard;
use brainstem_base::{DiskFault, Fault, codes};
use brainstem_vault::{StoreError, durable};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// The folder of the daemon, below the home.
const FOLDER: &str = "daemon";
/// How long a starting daemon waits for somebody who only looks whether one runs.
const LOOK_WAIT: Duration = Duration::from_secs(1);
const RECORD_LEN_MAX: u64 = 16 * 1024;
const TOKEN_LEN_MAX: u64 = 1024;
/// Shorter ones could be guessed; nobody makes them but an editor.
const TOKEN_LEN_MIN: usize = 32;

/// Where the daemon of a home answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DaemonRecord {
    /// Its process.
    pub pid: u32,
    /// Where it listens: `127.0.0.1:7733`.
    pub address: String,
    /// The version of its program.
    pub version: String,
    /// When it started, in ms.
    pub started: i64,
    /// Drawn anew by every daemon; what is said to one means nothing to the next.
    pub instance: String,
    /// Where it takes pokes, as datagrams.
    pub poke: Option<String>,
}

/// The files of the daemon.
#[derive(Clone, Debug)]
pub struct DaemonFiles {
    /// Held while it runs.
    pub lock: PathBuf,
    /// Its record.
    pub record: PathBuf,
    /// What a caller must know.
    pub token: PathBuf,
    /// Its log.
    pub log: PathBuf,
}

impl Memory {
    /// The files of this home's daemon.
    pub fn daemon_files(&self) -> DaemonFiles {
        let folder = self.home.path().join(FOLDER);
        DaemonFiles {
            lock: folder.join("lock"),
            record: folder.join("daemon.json"),
            token: folder.join("token"),
            log: folder.join("daemon.log"),
        }
    }

    /// The daemon that serves this home now.
    pub fn daemon(&self) -> Option<DaemonRecord> {
        self.daemon_record().filter(|_| self.is_daemon_lock_held())
    }

    /// What the last daemon wrote down, running or not.
    pub fn daemon_record(&self) -> Option<DaemonRecord> {
        let bytes = self.disk.read(&self.daemon_files().record, RECORD_LEN_MAX).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Whether some process holds the lock of the daemon.
    pub fn is_daemon_lock_held(&self) -> bool {
        let lock = self.daemon_files().lock;
        // Taking a lock makes its file; whoever only looks makes nothing.
        self.disk.stat(&lock).is_ok()
            && self.disk.lock(&lock, Duration::ZERO).is_err_and(|error| error.fault() == DiskFault::Busy)
    }

    /// Whether some process holds the lock of the daemon, for who must not take "cannot look" for "no".
    pub fn look_for_daemon(&self) -> Result<bool, MemoryError> {
        let lock = self.daemon_files().lock;
        match self.disk.stat(&lock) {
            Ok(_) => {}
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(false),
            Err(error) => return Err(StoreError::disk("cannot look whether a daemon runs")(error).into()),
        }
        match self.disk.lock(&lock, Duration::ZERO) {
            Ok(_) => Ok(false),
            Err(error) if error.fault() == DiskFault::Busy => Ok(true),
            Err(error) => Err(StoreError::disk("cannot look whether a daemon runs")(error).into()),
        }
    }

    /// Becomes the one daemon of this home, as long as the guard lives.
    pub fn become_daemon(&self) -> Result<Box<dyn LockGuard>, MemoryError> {
        self.home.ensure()?;
        self.home.check_writable()?;
        let files = self.daemon_files();
        durable::make_dirs(&*self.disk, &self.home.path().join(FOLDER))?;
        match self.disk.lock(&files.lock, LOOK_WAIT) {
            Ok(guard) => Ok(guard),
            Err(error) if error.fault() == DiskFault::Busy => {
                let at = self
                    .daemon_record()
                    .map(|record| format!(": process {} at http://{}", record.pid, record.address));
                let message = format!("a daemon serves this home already{}", at.unwrap_or_default());
                let fault = Fault::new(codes::DAEMON_RUNNING, message).rule("IF-14");
                Err(fault.fix("use that one, or stop it with `brainstem down`").into())
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

    /// Takes the record away; one that stays says nothing, because nobody holds the lock.
    pub fn unrecord_daemon(&self) {
        let _ = self.disk.unlink(&self.daemon_files().record);
    }

    /// The token of this home; `None` before the first daemon made one.
    pub fn daemon_token(&self) -> Option<String> {
        let bytes = self.disk.read(&self.daemon_files().token, TOKEN_LEN_MAX).ok()?;
        let token = String::from_utf8(bytes).ok()?.trim().to_owned();
        (token.len() >= TOKEN_LEN_MIN && token.bytes().all(|byte| byte.is_ascii_graphic())).then_some(token)
    }

    /// The token of this home, made now if there is none, and made anew if others could read it: they may have.
    pub fn make_daemon_token(&self) -> Result<String, MemoryError> {
        let path = self.daemon_files().token;
        let is_private = self.disk.facts(&path).mode.is_none_or(|mode| mode & 0o077 == 0);
        if let Some(token) = self.daemon_token().filter(|_| is_private) {
            return Ok(token);
        }
        let token = self.secret();
        durable::replace_private(&*self.disk, &*self.ids, &path, format!("{token}\n").as_bytes())
            .map_err(StoreError::disk("cannot write the token"))?;
        Ok(token)
    }
}
