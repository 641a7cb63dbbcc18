//! The mirror itself.

use crate::read::{self, FeedAnswer};
use crate::tables::SCHEMA;
use crate::values::{self, number_to_sql};
use crate::write;
use brainstem_base::disk::FileIdentity;
use brainstem_base::{Clock, Disk, DiskFault, Timestamp};
use brainstem_inbox::mirror::{
    EventPage, FeedError, Mirror, MirrorError, MirrorRow, MirrorStep, RowLease, RowQuery, RowTaker,
    UnreadCounts,
};
use brainstem_inbox::row::{HeldMessage, ThreadNote};
use brainstem_inbox::{AgentSlug, Folded, MirrorCursor, Quarantined, RowId};
use brainstem_ledger::{BackendFault, ConsensusTime, TopicId};
use brainstem_sqlite::rusqlite::{self, Connection, Row, Transaction, TransactionBehavior};
use brainstem_sqlite::{Access, SqliteError, SqliteFault, WriteTurns, open, open_in_memory};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The name of the file.
pub(crate) const FILE: &str = "inbox.sqlite";

/// The mirror in a folder of a home, or in memory.
pub struct SqliteMirror {
    clock: Arc<dyn Clock>,
    disk: Arc<dyn Disk>,
    file: PathBuf,
    place: MirrorPlace,
    /// Opened by the first call. Readers and writers of one process share it: a mirror is asked for a moment at a time.
    open: Mutex<Option<OpenMirror>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MirrorPlace {
    File,
    /// The file, which is only read.
    ReadFile,
    Memory,
}

struct OpenMirror {
    connection: Connection,
    /// `None` for a mirror in memory, which no other process has.
    turns: Option<WriteTurns>,
    /// Which file it is: one that was made in its place is another mirror.
    file: Option<FileIdentity>,
    /// Erased bytes may still be in the file.
    is_erasure_due: bool,
}

impl SqliteMirror {
    /// The mirror whose file is in `folder`, which exists. Nothing is opened or made yet.
    pub fn in_folder(folder: &Path, disk: Arc<dyn Disk>, clock: Arc<dyn Clock>) -> Self {
        Self { clock, disk, file: folder.join(FILE), place: MirrorPlace::File, open: Mutex::default() }
    }

    /// The mirror whose file is in `folder`, for a reader that may change nothing: it is read as it is, and a missing file is an
    /// error.
    pub fn to_look(folder: &Path, disk: Arc<dyn Disk>, clock: Arc<dyn Clock>) -> Self {
        Self { place: MirrorPlace::ReadFile, ..Self::in_folder(folder, disk, clock) }
    }

    /// A mirror that is gone with this value, for a reader whose disk takes no file. It is filled from the ledger like any other;
    /// its leases and its feed are of no other reader.
    pub fn in_memory(disk: Arc<dyn Disk>, clock: Arc<dyn Clock>) -> Self {
        Self { clock, disk, file: PathBuf::new(), place: MirrorPlace::Memory, open: Mutex::default() }
    }

    fn with<T>(&self, act: impl FnOnce(&mut OpenMirror) -> Result<T, SqliteError>) -> Result<T, SqliteError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.as_ref().is_some_and(|open| open.file != self.identity()) {
            // What is written into a file that was removed or replaced would be lost for every other reader.
            *open = None;
        }
        if open.is_none() {
            *open = Some(self.open()?);
        }
        act(open.as_mut().expect("it was opened just now"))
    }

    /// Which file is at the place of the mirror now.
    fn identity(&self) -> Option<FileIdentity> {
        if self.place == MirrorPlace::Memory {
            return None;
        }
        self.disk.stat(&self.file).ok().and_then(|found| found.identity)
    }

    /// Closes the connection if no caller uses it at this moment; the next call opens it again.
    pub fn close(&self) {
        if let Ok(mut open) = self.open.try_lock() {
            *open = None;
        }
    }

    fn open(&self) -> Result<OpenMirror, SqliteError> {
        if self.place == MirrorPlace::Memory {
            let mut connection = open_in_memory(&SCHEMA)?;
            self.begin(&mut connection)?;
            return Ok(OpenMirror { connection, turns: None, file: None, is_erasure_due: false });
        }
        if self.place == MirrorPlace::ReadFile {
            let connection = open(&*self.disk, &self.file, &SCHEMA, Access::Read)?;
            return Ok(OpenMirror { connection, turns: None, file: self.identity(), is_erasure_due: false });
        }
        let turns = WriteTurns::open(&self.file.with_file_name("inbox.lock"))?;
        let turn = turns.wait()?;
        let mut connection = open(&*self.disk, &self.file, &SCHEMA, Access::Write)?;
        let failed = |error| SqliteError::of(&self.file, error);
        settings(&connection).map_err(failed)?;
        self.begin(&mut connection)?;
        let is_erasure_due = write::is_erasure_due(&connection).map_err(failed)?;
        drop(turn);
        let (turns, file) = (Some(turns), self.identity());
        let mut opened = OpenMirror { connection, turns, file, is_erasure_due };
        self.erase_traces(&mut opened)?;
        Ok(opened)
    }

    /// Begins the feed of a new store.
    fn begin(&self, connection: &mut Connection) -> Result<(), SqliteError> {
        let failed = |error| SqliteError::of(&self.file, error);
        let begun = connection.query_row("SELECT count(*) FROM feed", (), |row| row.get::<_, i64>(0));
        if begun.map_err(failed)? > 0 {
            return Ok(());
        }
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        write::begin_feed(&transaction, self.clock.now()).map_err(failed)?;
        transaction.commit().map_err(failed)
    }

    /// Writes the file anew and empties its log, if rows of redacted messages were in it. A reader of an earlier moment holds it
    /// up; then the next write or opening does it.
    fn erase_traces(&self, opened: &mut OpenMirror) -> Result<(), SqliteError> {
        let OpenMirror { connection, turns, is_erasure_due, .. } = opened;
        if !*is_erasure_due {
            return Ok(());
        }
        let _turn = turns.as_ref().map(WriteTurns::wait).transpose()?;
        // What was removed may still be in unused parts of pages, also of pages that other rows were moved away from.
        let erase = || -> rusqlite::Result<bool> {
            connection.execute_batch("VACUUM")?;
            let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
            let is_busy = connection.query_row(sql, (), |row| row.get::<_, i64>(0))? != 0;
            if !is_busy {
                connection.execute("DELETE FROM erasures", ())?;
            }
            Ok(!is_busy)
        };
        match erase().map_err(|error| SqliteError::of(&self.file, error)) {
            Ok(is_done) => *is_erasure_due = !is_done,
            Err(error) if error.fault.is_passing() => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Removes the files of a mirror that cannot be used, in this process's turn.
    fn remove_files(&self) -> Result<(), SqliteError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        *open = None;
        let turns = WriteTurns::open(&self.file.with_file_name("inbox.lock"))?;
        let _turn = turns.wait()?;
        for end in ["-wal", "-shm", ""] {
            let path = self.file.with_file_name(format!("{FILE}{end}"));
            match self.disk.unlink(&path) {
                Ok(()) => {}
                Err(error) if error.fault() == DiskFault::NotFound => {}
                Err(error) => return Err(SqliteError::of_disk(&path, &error)),
            }
        }
        Ok(())
    }

    /// Runs one transaction in this process's turn.
    fn transact<T>(
        &self,
        act: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, SqliteError> {
        self.with(|opened| {
            let OpenMirror { connection, turns, is_erasure_due, .. } = &mut *opened;
            let turn = turns.as_ref().map(WriteTurns::wait).transpose()?;
            let failed = |error| SqliteError::of(&self.file, error);
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
            let done = act(&transaction).map_err(failed)?;
            *is_erasure_due = write::is_erasure_due(&transaction).map_err(failed)?;
            transaction.commit().map_err(failed)?;
            drop(turn);
            self.erase_traces(opened)?;
            Ok(done)
        })
    }

    fn write<T>(&self, act: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, MirrorError> {
        self.transact(act).map_err(|error| mirror_error("written", &error))
    }

    /// Reads in one snapshot.
    pub(crate) fn read<T>(
        &self,
        act: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, MirrorError> {
        let done = self.with(|OpenMirror { connection, .. }| {
            let failed = |error| SqliteError::of(&self.file, error);
            let snapshot = connection.transaction().map_err(failed)?;
            act(&snapshot).map_err(failed)
        });
        done.map_err(|error| mirror_error("read", &error))
    }

    fn list<T>(
        &self,
        sql: &str,
        given: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, MirrorError> {
        self.read(|snapshot| snapshot.prepare_cached(sql)?.query_map(given, read)?.collect())
    }
}

impl Mirror for SqliteMirror {
    fn cursors(&self) -> Result<BTreeMap<TopicId, MirrorCursor>, MirrorError> {
        let cursors = self.list(&format!("SELECT {} FROM cursors", values::CURSOR), (), values::cursor)?;
        Ok(cursors.into_iter().map(|cursor| (cursor.topic, cursor)).collect())
    }

    fn closed(&self) -> Result<Vec<(TopicId, ConsensusTime)>, MirrorError> {
        let sql = "SELECT topic_id, at FROM closed";
        self.list(sql, (), |row| Ok((values::topic(row, 0)?, values::time(row, 1)?)))
    }

    fn straight_ends(&self) -> Result<Vec<MirrorCursor>, MirrorError> {
        self.list(&format!("SELECT {} FROM straight", values::CURSOR), (), values::cursor)
    }

    fn apply(&self, folded: &Folded, step: MirrorStep<'_>) -> Result<(), MirrorError> {
        let now = self.clock.now();
        self.write(|transaction| write::apply(transaction, folded, step, now))
    }

    fn forget(&self) -> Result<(), MirrorError> {
        let now = self.clock.now();
        let forgotten = match self.transact(|transaction| write::forget(transaction, now)) {
            Err(error) if error.fault.is_of_content() => {
                self.remove_files().and_then(|()| self.with(|_| Ok(())))
            }
            done => done,
        };
        forgotten.map_err(|error| mirror_error("written", &error))
    }

    fn row(&self, id: RowId) -> Result<Option<MirrorRow>, MirrorError> {
        self.read(|snapshot| read::row(snapshot, id))
    }

    fn ids_with(&self, start: &str, count_max: usize) -> Result<Vec<RowId>, MirrorError> {
        // Behind every hex digit and the dash comes `g`.
        let sql = "SELECT id FROM inbox WHERE id >= ?1 AND id < ?1 || 'g' ORDER BY id LIMIT ?2";
        let ids = self.list(sql, (start, number_to_sql(count_max as u64)), |row| row.get::<_, String>(0))?;
        Ok(ids.iter().filter_map(|id| id.parse().ok()).collect())
    }

    fn rows(&self, query: &RowQuery) -> Result<Vec<MirrorRow>, MirrorError> {
        self.read(|snapshot| read::rows(snapshot, query))
    }

    fn unread(&self, to: &[AgentSlug]) -> Result<UnreadCounts, MirrorError> {
        self.read(|snapshot| read::unread(snapshot, to))
    }

    fn claim(
        &self,
        to: &[AgentSlug],
        taker: &RowTaker,
        now: Timestamp,
        until: Timestamp,
        count_max: usize,
    ) -> Result<Vec<MirrorRow>, MirrorError> {
        self.write(|transaction| write::claim(transaction, to, taker, now, until, count_max))
    }

    fn held_rows(
        &self,
        to: &[AgentSlug],
        taker: &RowTaker,
        now: Timestamp,
    ) -> Result<Vec<RowId>, MirrorError> {
        self.read(|snapshot| read::held_rows(snapshot, to, taker, now))
    }

    fn claim_row(
        &self,
        id: RowId,
        session: &str,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Result<(), RowLease>, MirrorError> {
        self.write(|transaction| write::claim_row(transaction, id, session, now, until))
    }

    fn notes(&self, topic: TopicId, count_max: usize) -> Result<Vec<ThreadNote>, MirrorError> {
        let sql = format!(
            "SELECT {} FROM notes WHERE topic_id = ?1 ORDER BY sequence_number DESC LIMIT ?2",
            values::NOTE
        );
        let mut notes =
            self.list(&sql, (topic.to_string(), number_to_sql(count_max as u64)), values::note)?;
        notes.reverse();
        Ok(notes)
    }

    fn held(&self, to: &[AgentSlug], each_max: usize) -> Result<Vec<HeldMessage>, MirrorError> {
        let sql = format!(
            "SELECT {} FROM (SELECT *, row_number() OVER (PARTITION BY account, is_request ORDER BY at DESC) AS place
               FROM held WHERE to_agent = ?1) WHERE place <= ?2 ORDER BY at DESC",
            values::HELD
        );
        let mut held = Vec::new();
        for slug in to {
            held.extend(self.list(&sql, (slug.as_str(), number_to_sql(each_max as u64)), values::held)?);
        }
        held.sort_by_key(|held| std::cmp::Reverse(held.at));
        Ok(held)
    }

    fn quarantined(&self, count_max: usize) -> Result<Vec<Quarantined>, MirrorError> {
        let sql = format!(
            "SELECT {} FROM quarantine ORDER BY at DESC, topic_id, sequence_number LIMIT ?1",
            values::QUARANTINED
        );
        self.list(&sql, (number_to_sql(count_max as u64),), values::quarantined)
    }

    fn events(&self, to: &[AgentSlug], after: Option<u64>, count_max: usize) -> Result<EventPage, FeedError> {
        match self.read(|snapshot| read::events(snapshot, to, after, count_max))? {
            FeedAnswer::Page(page) => Ok(page),
            FeedAnswer::Expired(oldest) => Err(FeedError::Expired { cursor: after.unwrap_or(0), oldest }),
            FeedAnswer::Ahead(tail) => Err(FeedError::Ahead { cursor: after.unwrap_or(0), tail }),
        }
    }
}

fn mirror_error(what: &'static str, error: &SqliteError) -> MirrorError {
    let fault = match error.fault {
        SqliteFault::Busy => BackendFault::Busy,
        SqliteFault::Full => BackendFault::Full,
        SqliteFault::ReadOnly | SqliteFault::Unopenable => BackendFault::ReadOnly,
        SqliteFault::Newer { .. } => BackendFault::Newer,
        SqliteFault::Foreign => BackendFault::Foreign,
        SqliteFault::Damaged(_) => BackendFault::Damaged,
        SqliteFault::Missing | SqliteFault::Link | SqliteFault::Other(_) => BackendFault::Other,
    };
    MirrorError { what, why: error.to_string(), is_passing: error.fault.is_passing(), fault }
}

/// How many statements stay prepared: all that a catch-up uses.
const STATEMENTS: usize = 64;
/// How much of the mirror stays in memory at most, in KiB, as SQLite wants it: negative.
const CACHE_SIZE: i64 = -16 * 1_024;
/// After how many pages the write-ahead log is folded into the file.
const LOG_PAGES: i64 = 4_000;

fn settings(connection: &Connection) -> rusqlite::Result<()> {
    // What is lost with the last commits after a power loss is folded again from the ledger.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // The ids of rows are spread over the whole index: a catch-up has it in memory, and folds its log seldom.
    connection.pragma_update(None, "cache_size", CACHE_SIZE)?;
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)
}
