//! What can go wrong with an SQLite file.

use brainstem_base::{DiskError, DiskFault};
use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// An SQLite file could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[error("`{}`: {fault}", path.display())]
pub struct SqliteError {
    /// The file.
    pub path: PathBuf,
    /// What went wrong.
    pub fault: SqliteFault,
}

/// What went wrong with an SQLite file, as a caller would treat it.
#[derive(Debug, thiserror::Error)]
pub enum SqliteFault {
    /// There is no such file, and the caller only wanted to read.
    #[error("the file does not exist")]
    Missing,
    /// A newer program wrote it.
    #[error("a newer version of this program wrote it (schema {found}; this one knows up to {known})")]
    Newer {
        /// The schema of the file.
        found: u32,
        /// The newest schema that this program knows.
        known: u32,
    },
    /// It is an SQLite file of another program, or no SQLite file.
    #[error("it is not a file of this program")]
    Foreign,
    /// Another writer had its turn for too long.
    #[error("another process has been writing for too long")]
    Busy,
    /// No room is left.
    #[error("no space is left on the disk")]
    Full,
    /// The file or its folder may not be written.
    #[error("it may not be written")]
    ReadOnly,
    /// The file cannot be opened, or its folder does not take the files that SQLite keeps beside it.
    #[error("it cannot be opened, or its folder may not be written")]
    Unopenable,
    /// A symbolic link is in its place.
    #[error("it is a symbolic link, and none is followed")]
    Link,
    /// The file is damaged.
    #[error("it is damaged ({0})")]
    Damaged(String),
    /// Anything else that SQLite said.
    #[error("{0}")]
    Other(String),
}

impl SqliteFault {
    /// Whether what is in the file cannot be used, so that a file in its place could.
    pub fn is_of_content(&self) -> bool {
        matches!(self, Self::Foreign | Self::Damaged(_) | Self::Newer { .. })
    }

    /// Whether the same call may succeed later though nothing was mended.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Busy)
    }
}

fn is_link(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|failed| failed.extended_code);
    code == Some(rusqlite::ffi::SQLITE_CANTOPEN_SYMLINK)
}

/// Whether the disk has no room for what processes share beside the file, which SQLite calls a failed operation.
fn is_without_room(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|failed| failed.extended_code);
    code == Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE)
}

/// Whether a row was read that does not fit its type.
fn is_misfit(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType};
    matches!(error, FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..))
}

impl SqliteError {
    /// What SQLite said, as one of the faults above.
    pub fn of(path: &Path, error: rusqlite::Error) -> Self {
        let fault = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => SqliteFault::Full,
            Some(_) if is_without_room(&error) => SqliteFault::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => SqliteFault::ReadOnly,
            Some(ErrorCode::CannotOpen) if is_link(&error) => SqliteFault::Link,
            Some(ErrorCode::CannotOpen) => SqliteFault::Unopenable,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => SqliteFault::Busy,
            Some(ErrorCode::NotADatabase) => SqliteFault::Foreign,
            Some(ErrorCode::DatabaseCorrupt) => SqliteFault::Damaged(error.to_string()),
            _ if is_misfit(&error) => SqliteFault::Damaged(error.to_string()),
            _ => SqliteFault::Other(error.to_string()),
        };
        Self { path: path.to_owned(), fault }
    }

    /// What the disk said of this path, as one of the faults above.
    pub fn of_disk(path: &Path, error: &DiskError) -> Self {
        let fault = match error.fault() {
            DiskFault::NoSpace => SqliteFault::Full,
            DiskFault::ReadOnly => SqliteFault::ReadOnly,
            _ => SqliteFault::Other(error.to_string()),
        };
        Self::new(path, fault)
    }

    /// The fault of this file.
    pub fn new(path: &Path, fault: SqliteFault) -> Self {
        Self { path: path.to_owned(), fault }
    }
}
