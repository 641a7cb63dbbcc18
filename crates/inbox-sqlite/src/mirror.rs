//! The mirror itself.

use crate::read::{self, FeedAnswer};
use crate::tables::SCHEMA;
use crate::values::{self, number_to_sql};
use crate::write;
use brainstem_base::{Clock, Disk, Timestamp};
use brainstem_inbox::mirror::{
    EventPage, FeedError, Mirror, MirrorError, MirrorRow, RowLease, RowQuery, UnreadCounts,
};
use brainstem_inbox::row::{HeldMessage, ThreadNote};
use brainstem_inbox::{AgentSlug, Folded, MirrorCursor, Quarantined, RowId};
use brainstem_ledger::{ConsensusTime, TopicId};
use brainstem_sqlite::rusqlite::{self, Connection, Row, Transaction, TransactionBehavior};
use brainstem_sqlite::{Access, SqliteError, WriteTurns, open};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The mirror in a folder of a home.
pub struct SqliteMirror {
    clock: Arc<dyn Clock>,
    disk: Arc<dyn Disk>,
    file: PathBuf,
    /// Opened by the first call. Readers and writers of one process share it: a mirror is asked for a moment at a time.
    open: Mutex<Option<OpenMirror>>,
}

struct OpenMirror {
    connection: Connection,
    turns: WriteTurns,
}

impl SqliteMirror {
    /// The mirror whose file is in `folder`, which exists. Nothing is opened or made yet.
    pub fn in_folder(folder: &Path, disk: Arc<dyn Disk>, clock: Arc<dyn Clock>) -> Self {
        Self { clock, disk, file: folder.join("inbox.sqlite"), open: Mutex::default() }
    }

    fn with<T>(
        &self,
        what: &'static str,
        act: impl FnOnce(&mut OpenMirror) -> Result<T, SqliteError>,
    ) -> Result<T, MirrorError> {
        let failed = |error: SqliteError| MirrorError {
            what,
            why: error.to_string(),
            is_passing: error.fault.is_passing(),
        };
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.is_none() {
            *open = Some(self.open().map_err(failed)?);
        }
        act(open.as_mut().expect("it was opened just now")).map_err(failed)
    }

    fn open(&self) -> Result<OpenMirror, SqliteError> {
        let turns = WriteTurns::open(&self.file.with_file_name("inbox.lock"))?;
        let turn = turns.wait()?;
        let mut connection = open(&*self.disk, &self.file, &SCHEMA, Access::Write)?;
        let failed = |error| SqliteError::of(&self.file, error);
        // What is lost with the last commits after a power loss is folded again from the ledger.
        connection.pragma_update(None, "synchronous", "NORMAL").map_err(failed)?;
        let is_begun: i64 =
            connection.query_row("SELECT count(*) FROM feed", (), |row| row.get(0)).map_err(failed)?;
        if is_begun == 0 {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
            write::begin_feed(&transaction, self.clock.now()).map_err(failed)?;
            transaction.commit().map_err(failed)?;
        }
        drop(turn);
        Ok(OpenMirror { connection, turns })
    }

    /// Runs one transaction in this process's turn.
    fn write<T>(&self, act: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, MirrorError> {
        self.with("written", |OpenMirror { connection, turns }| {
            let _turn = turns.wait()?;
            let failed = |error| SqliteError::of(&self.file, error);
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
            let done = act(&transaction).map_err(failed)?;
            transaction.commit().map_err(failed)?;
            Ok(done)
        })
    }

    /// Reads in one snapshot.
    pub(crate) fn read<T>(
        &self,
        act: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, MirrorError> {
        self.with("read", |OpenMirror { connection, .. }| {
            let failed = |error| SqliteError::of(&self.file, error);
            let snapshot = connection.transaction().map_err(failed)?;
            act(&snapshot).map_err(failed)
        })
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

    fn apply(&self, folded: &Folded, cursor: Option<&MirrorCursor>) -> Result<(), MirrorError> {
        self.write(|transaction| write::apply(transaction, folded, cursor))
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
        session: &str,
        now: Timestamp,
        until: Timestamp,
        count_max: usize,
    ) -> Result<Vec<MirrorRow>, MirrorError> {
        self.write(|transaction| write::claim(transaction, to, session, now, until, count_max))
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
