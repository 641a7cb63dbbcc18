//! The line in which writers of several processes wait.
//!
//! SQLite lets one writer in and has the others look again at growing intervals, by which some wait for long while the
//! disk is idle. A lock file in front of it, looked at in short even intervals, keeps the disk busy. It is held for one
//! transaction, and the system frees it when its process dies.

use crate::error::{SqliteError, SqliteFault};
use crate::limits::{TURN_PAUSE, TURN_WAIT};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The line of one SQLite file.
#[derive(Debug)]
pub struct WriteTurns {
    file: File,
    path: PathBuf,
}

/// A turn; it ends when this is dropped.
#[derive(Debug)]
pub struct WriteTurn<'a>(&'a File);

impl WriteTurns {
    /// Opens the lock file at `path`, making it if it is missing.
    #[allow(
        clippy::disallowed_methods,
        reason = "the files beside an SQLite file are SQLite's disk, not the port's"
    )]
    pub fn open(path: &Path) -> Result<Self, SqliteError> {
        use std::os::unix::fs::OpenOptionsExt as _;
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let opened = options.open(path);
        let file = opened.map_err(|error| SqliteError::new(path, fault_of(&error)))?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Waits for this process's turn. The caller makes sure that one thread at a time asks.
    pub fn wait(&self) -> Result<WriteTurn<'_>, SqliteError> {
        let since = Instant::now();
        loop {
            match self.file.try_lock() {
                Ok(()) => return Ok(WriteTurn(&self.file)),
                Err(TryLockError::Error(error)) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(TryLockError::Error(error)) => {
                    return Err(SqliteError::new(&self.path, fault_of(&error)));
                }
                Err(TryLockError::WouldBlock) if since.elapsed() >= TURN_WAIT => {
                    return Err(SqliteError::new(&self.path, SqliteFault::Busy));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(TURN_PAUSE),
            }
        }
    }
}

impl Drop for WriteTurn<'_> {
    fn drop(&mut self) {
        // Only a descriptor that is none could fail here, and this one is open.
        let _ = self.0.unlock();
    }
}

fn fault_of(error: &std::io::Error) -> SqliteFault {
    match error.kind() {
        std::io::ErrorKind::StorageFull => SqliteFault::Full,
        std::io::ErrorKind::ReadOnlyFilesystem | std::io::ErrorKind::PermissionDenied => {
            SqliteFault::ReadOnly
        }
        _ => SqliteFault::Other(error.to_string()),
    }
}
