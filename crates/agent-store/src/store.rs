//! The store itself: its file, its connections, its transactions.

use crate::error::AgentStoreError;
use crate::tables::SCHEMA;
use crate::transaction::{AgentReads, AgentWrites, Done};
use brainstem_base::disk::FileIdentity;
use brainstem_base::{Disk, DiskFault};
use brainstem_sqlite::rusqlite::{Connection, TransactionBehavior};
use brainstem_sqlite::{Access, SqliteError, SqliteFault, WriteTurns, open};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The agents of a home.
pub struct AgentStore {
    disk: Arc<dyn Disk>,
    file: PathBuf,
    /// Opened by the first question: a caller that only looks makes no file. It is closed before the writer, which can fold
    /// the write-ahead log into the file when it is the last to go.
    reader: Mutex<Option<OpenReader>>,
    /// Opened by the first write.
    writer: Mutex<Option<OpenWriter>>,
}

struct OpenReader {
    connection: Connection,
    /// Which file it reads: one that was put in its place is another one.
    file: Option<FileIdentity>,
}

struct OpenWriter {
    connection: Connection,
    turns: WriteTurns,
    file: Option<FileIdentity>,
}

impl AgentStore {
    /// The store whose files are in `folder`. Nothing is opened or made yet; the first write makes the folder, whose own
    /// folder exists.
    pub fn in_folder(folder: &Path, disk: Arc<dyn Disk>) -> Self {
        let file = folder.join("agent.sqlite");
        Self { disk, file, reader: Mutex::default(), writer: Mutex::default() }
    }

    /// Closes the connections; the next call opens them again.
    pub fn close(&self) {
        *self.reader.lock().unwrap_or_else(PoisonError::into_inner) = None;
        *self.writer.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Asks in one snapshot. `None` if there is no file yet.
    pub fn read<T>(
        &self,
        ask: impl FnOnce(&AgentReads<'_>) -> Result<T, AgentStoreError>,
    ) -> Result<Option<T>, AgentStoreError> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let file = self.identity();
        if reader.as_ref().is_none_or(|open| open.file != file) {
            *reader = None;
            match open(&*self.disk, &self.file, &SCHEMA, Access::Read) {
                Ok(connection) => *reader = Some(OpenReader { connection, file }),
                Err(SqliteError { fault: SqliteFault::Missing, .. }) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
        let OpenReader { connection, .. } = reader.as_mut().expect("it was opened just now");
        let snapshot = connection.transaction().map_err(|error| SqliteError::of(&self.file, error))?;
        ask(&AgentReads::new(&snapshot, &self.file)).map(Some)
    }

    /// Runs one transaction in this process's turn. If `act` refuses, nothing is kept.
    pub fn write<T>(
        &self,
        act: impl FnOnce(&AgentWrites<'_>) -> Result<T, AgentStoreError>,
    ) -> Result<T, AgentStoreError> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.identity();
        if writer.as_ref().is_none_or(|open| open.file != now) {
            // A write into a file that was removed or replaced would be answered and lost.
            *writer = None;
            *writer = Some(self.open_writer()?);
        }
        let OpenWriter { connection, turns, .. } = writer.as_mut().expect("it was opened just now");
        let _turn = turns.wait()?;
        let failed = |error| SqliteError::of(&self.file, error);
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let done = act(&AgentWrites::new(AgentReads::new(&transaction, &self.file)))?;
        transaction.commit().map_err(failed)?;
        Ok(done)
    }

    fn open_writer(&self) -> Done<OpenWriter> {
        self.make_folder()?;
        let turns = WriteTurns::open(&self.file.with_file_name("agent.lock"))?;
        let turn = turns.wait()?;
        let connection = open(&*self.disk, &self.file, &SCHEMA, Access::Write)?;
        drop(turn);
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        Ok(OpenWriter { connection, turns, file: self.identity() })
    }

    /// Makes the folder, whose own folder exists.
    fn make_folder(&self) -> Done<()> {
        let folder = self.file.parent().unwrap_or(&self.file);
        let made = match self.disk.make_dir(folder) {
            Ok(()) => self.disk.sync_dir(folder.parent().unwrap_or(folder)),
            Err(error) if error.fault() == DiskFault::Exists => Ok(()),
            Err(error) => Err(error),
        };
        made.map_err(|error| SqliteError::of_disk(folder, &error).into())
    }

    /// Which file is at the place of the store now.
    fn identity(&self) -> Option<FileIdentity> {
        self.disk.stat(&self.file).ok().and_then(|found| found.identity)
    }
}

/// How many statements stay prepared: all that a run uses.
const STATEMENTS: usize = 64;
