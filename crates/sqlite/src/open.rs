//! Opening a file, with the settings that all files of this program have.

use crate::error::{SqliteError, SqliteFault};
use crate::limits::BUSY_WAIT;
use crate::schema::Schema;
use brainstem_base::{Disk, DiskFault};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading and writing; the file is made if it is missing, and brought to the newest schema.
    Write,
    /// Reading alone; a missing file is [`SqliteFault::Missing`], as is one whose first writer ended before it had tables, and
    /// nothing is changed.
    Read,
}

/// Opens the file at `path`, whose folder exists.
///
/// Commits are durable when they return (`synchronous=FULL` in write-ahead mode). A new file can be read by its owner
/// alone from its first moment on.
pub fn open(
    disk: &dyn Disk,
    path: &Path,
    schema: &Schema,
    access: Access,
) -> Result<Connection, SqliteError> {
    match access {
        Access::Write => open_to_write(disk, path, schema),
        Access::Read => open_to_read(disk, path, schema),
    }
}

/// Opens a store that is in memory alone and is gone with the connection, for a reader whose disk takes no file.
pub fn open_in_memory(schema: &Schema) -> Result<Connection, SqliteError> {
    let path = Path::new(":memory:");
    let mut connection = Connection::open_in_memory().map_err(|error| SqliteError::of(path, error))?;
    schema.take_steps(path, &mut connection)?;
    Ok(connection)
}

/// No URI names, because a path may hold any character; no mutex of SQLite's own, because a connection is used by one
/// thread at a time.
const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_NO_MUTEX.union(OpenFlags::SQLITE_OPEN_NOFOLLOW);

fn open_to_write(disk: &dyn Disk, path: &Path, schema: &Schema) -> Result<Connection, SqliteError> {
    make_private(disk, path)?;
    let mut connection = connect(path, FLAGS | OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let missing = schema.needs_steps(path, &connection)?;
    let settings = || -> rusqlite::Result<()> {
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)
    };
    settings().map_err(|error| SqliteError::of(path, error))?;
    if missing {
        schema.take_steps(path, &mut connection)?;
    }
    Ok(connection)
}

fn open_to_read(disk: &dyn Disk, path: &Path, schema: &Schema) -> Result<Connection, SqliteError> {
    let found = disk.stat(path).map_err(|error| match error.fault() {
        DiskFault::NotFound => SqliteError::new(path, SqliteFault::Missing),
        _ => SqliteError::new(path, SqliteFault::Other(error.to_string())),
    })?;
    // A file that was made and got no table yet holds nothing.
    if found.len == 0 {
        return Err(SqliteError::new(path, SqliteFault::Missing));
    }
    let connection = connect(path, FLAGS | OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    match schema.check_to_read(path, &connection) {
        Ok(()) => Ok(connection),
        // Reading takes files beside this one, which cannot be made here. No process can write here either, so the file
        // stays as it is, unless a log that was not folded in is beside it.
        Err(SqliteError {
            fault: SqliteFault::ReadOnly | SqliteFault::Unopenable | SqliteFault::Full,
            ..
        }) if !has_log(disk, path) => {
            let flags = FLAGS | OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            let connection = connect_to(path, Path::new(&unchanging_uri(path)), flags)?;
            schema.check_to_read(path, &connection)?;
            Ok(connection)
        }
        Err(error) => Err(error),
    }
}

fn has_log(disk: &dyn Disk, path: &Path) -> bool {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    match disk.stat(Path::new(&name)) {
        Ok(found) => found.len > 0,
        Err(error) => error.fault() != DiskFault::NotFound,
    }
}

/// The name of a file that no process changes while it is read.
fn unchanging_uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                uri.push(char::from(*byte))
            }
            byte => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri + "?immutable=1"
}

/// Makes an empty file that only its owner may read: SQLite takes an empty file for a new one, and gives the files that
/// it makes beside it the same permissions.
fn make_private(disk: &dyn Disk, path: &Path) -> Result<(), SqliteError> {
    match disk.stat(path) {
        Ok(_) => return Ok(()),
        Err(error) if error.fault() == DiskFault::NotFound => {}
        Err(error) => return Err(SqliteError::of_disk(path, &error)),
    }
    match disk.write_private(path, b"") {
        Ok(()) => {}
        Err(error) if error.fault() == DiskFault::Exists => return Ok(()),
        Err(error) => return Err(SqliteError::of_disk(path, &error)),
    }
    let folder = path.parent().unwrap_or(path);
    disk.sync_dir(folder).map_err(|error| SqliteError::of_disk(path, &error))
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, SqliteError> {
    connect_to(path, path, flags)
}

fn connect_to(path: &Path, name: &Path, flags: OpenFlags) -> Result<Connection, SqliteError> {
    let opened = Connection::open_with_flags(name, flags).and_then(|connection| {
        connection.busy_timeout(BUSY_WAIT)?;
        Ok(connection)
    });
    opened.map_err(|error| SqliteError::of(path, error))
}
