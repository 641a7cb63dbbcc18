//! What the daemon leaves in the home for others to find: its lock, its address and its token.
//!
//! The lock says whether one runs, and the kernel frees it with the process. The record says where; one that
//! no process holds the lock of is what a killed daemon left, and means nothing. The daemon alone writes them.

use crate::error::StoreError;
use brainstem_base::{Disk, DiskError, hash};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The folder of the daemon, below the home.
const FOLDER: &str = "daemon";
const RECORD_LEN_MAX: u64 = 16 * 1024;
const TOKEN_LEN_MAX: u64 = 1024;
/// Shorter ones could be guessed; only an editor makes them.
pub const TOKEN_LEN_MIN: usize = 32;

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
    /// A fingerprint of the token that it knows (see [`token_print`]), which is not the token.
    #[serde(default)]
    pub token_print: Option<String>,
    /// The connections it takes at once, where the system lets it open too few files for all that it would take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connections_max: Option<usize>,
}

/// What tells one token from another without giving it away.
pub fn token_print(token: &str) -> String {
    hash::sha256_hex(token.as_bytes(), 16)
}

/// What is seen of a daemon from outside its process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DaemonSeen {
    /// None runs.
    Absent,
    /// One runs, and says where.
    Serving(DaemonRecord),
    /// One runs, and what it wrote down is gone or cannot be read.
    Unfound,
    /// It is not known: why.
    Unknown(String),
}

/// The files of the daemon.
#[derive(Clone, Debug)]
pub struct DaemonFiles {
    /// The folder of all of them.
    pub folder: PathBuf,
    /// Held while it runs.
    pub lock: PathBuf,
    /// Its record.
    pub record: PathBuf,
    /// What a caller must know.
    pub token: PathBuf,
    /// Its log.
    pub log: PathBuf,
}

impl DaemonFiles {
    /// The files of the daemon of the home at this path.
    pub fn of(home: &Path) -> Self {
        let folder = home.join(FOLDER);
        Self {
            lock: folder.join("lock"),
            record: folder.join("daemon.json"),
            token: folder.join("token"),
            log: folder.join("daemon.log"),
            folder,
        }
    }

    /// Returns the token of the home; `None` before the first daemon made one, and for a text that can be none.
    pub fn read_token(&self, disk: &dyn Disk) -> Option<String> {
        let bytes = disk.read(&self.token, TOKEN_LEN_MAX).ok()?;
        let token = String::from_utf8(bytes).ok()?.trim().to_owned();
        (token.len() >= TOKEN_LEN_MIN && token.bytes().all(|byte| byte.is_ascii_graphic())).then_some(token)
    }

    /// Returns what the last daemon wrote down, running or not; `None` where it cannot be read.
    pub fn read_record(&self, disk: &dyn Disk) -> Option<DaemonRecord> {
        serde_json::from_slice(&disk.read(&self.record, RECORD_LEN_MAX).ok()?).ok()
    }

    /// Returns whether some process holds the lock of the daemon.
    pub fn is_held(&self, disk: &dyn Disk) -> Result<bool, DiskError> {
        disk.is_locked(&self.lock)
    }

    /// Returns what can be seen of the daemon. The lock decides: a daemon that cannot be found is not none.
    pub fn see(&self, disk: &dyn Disk) -> DaemonSeen {
        match (self.is_held(disk), self.read_record(disk)) {
            (Ok(false), _) => DaemonSeen::Absent,
            (Ok(true), Some(record)) => DaemonSeen::Serving(record),
            (Ok(true), None) => DaemonSeen::Unfound,
            (Err(error), _) => {
                DaemonSeen::Unknown(StoreError::disk("cannot look whether a daemon runs")(error).to_string())
            }
        }
    }
}
