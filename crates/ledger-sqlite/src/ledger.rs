//! The ledger itself.

use crate::batch::{Batches, Waiting};
use crate::limits::FIRST_TOPIC_NUM;
use crate::paging::{at_time, page_of};
use crate::redacted::{ErasureMark, Redacted};
use crate::rows::{self, to_sql};
use crate::tables::SCHEMA;
use brainstem_base::disk::FileIdentity;
use brainstem_base::{Clock, Disk, DiskFault};
use brainstem_ledger::limits::PAGE_MESSAGES_MAX;
use brainstem_ledger::{
    Append, BackendFault, ConsensusTime, ContentHash, Head, Ledger, LedgerError, NewTopic, Page, ReadFrom,
    Receipt, Redact, RedactionRecord, Sequence, SubmitPolicy, Topic, TopicId, TopicMessage,
};
use brainstem_sqlite::rusqlite::{
    self, Connection, OptionalExtension as _, Transaction, TransactionBehavior,
};
use brainstem_sqlite::{Access, SqliteError, SqliteFault, WriteTurns, open};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The ledger in the folder of a home.
pub struct SqliteLedger {
    clock: Arc<dyn Clock>,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) file: PathBuf,
    /// Opened by the first call that needs it: a caller that only looks makes no file. It is closed before the writer, which
    /// can fold the write-ahead log into the file when it is the last to go.
    reader: Mutex<Option<(Connection, Option<FileIdentity>)>>,
    /// Opened by the first call that writes.
    pub(crate) writer: Batches<Option<Writer>>,
}

/// The one connection of this process that writes.
pub(crate) struct Writer {
    connection: Connection,
    turns: WriteTurns,
    /// Which file it writes: a ledger that was put in its place is another one.
    file: Option<FileIdentity>,
}

impl SqliteLedger {
    /// The ledger whose files are in `folder`. Nothing is opened or made yet; the first write makes the folder, whose own
    /// folder exists.
    pub fn in_folder(folder: &Path, disk: Arc<dyn Disk>, clock: Arc<dyn Clock>) -> Self {
        let file = folder.join("ledger.sqlite");
        Self { clock, disk, file, writer: Batches::new(None), reader: Mutex::default() }
    }

    /// Closes the connections that no caller uses at this moment; the next call opens them again. The last process to close
    /// its own folds the write-ahead log into the file, so that the file alone is whole.
    pub fn close(&self) {
        if let Ok(mut reader) = self.reader.try_lock() {
            *reader = None;
        }
        if let Some(mut writer) = self.writer.idle_writer() {
            *writer = None;
        }
    }

    /// Makes the folder, whose own folder exists.
    pub(crate) fn make_folder(&self) -> Result<(), LedgerError> {
        let folder = self.file.parent().unwrap_or(&self.file);
        match self.disk.make_dir(folder) {
            Ok(()) => {
                let above = folder.parent().unwrap_or(folder);
                self.disk.sync_dir(above).map_err(|error| unwritten(SqliteError::of_disk(above, &error)))
            }
            Err(error) if error.fault() == DiskFault::Exists => Ok(()),
            Err(error) => Err(unwritten(SqliteError::of_disk(folder, &error))),
        }
    }

    /// Runs one transaction in this process's turn.
    pub(crate) fn write<T>(
        &self,
        writer: &mut Option<Writer>,
        act: impl FnOnce(&Transaction<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        if writer.as_ref().is_some_and(|writer| writer.file != self.identity()) {
            // An append into a file that was removed or replaced would be answered and lost.
            *writer = None;
        }
        if writer.is_none() {
            self.make_folder()?;
            let turns = WriteTurns::open(&self.file.with_file_name("ledger.lock")).map_err(unwritten)?;
            let turn = turns.wait().map_err(unwritten)?;
            let connection = open(&*self.disk, &self.file, &SCHEMA, Access::Write).map_err(unwritten)?;
            drop(turn);
            *writer = Some(Writer { connection, turns, file: self.identity() });
        }
        let Writer { connection, turns, .. } = writer.as_mut().expect("it was opened just now");
        let _turn = turns.wait().map_err(unwritten)?;
        let failed = |error| self.failed(Tried::Writing, error);
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let done = act(&transaction)?;
        transaction.commit().map_err(failed)?;
        Ok(done)
    }

    /// Reads in one snapshot. `None` if the ledger has no file yet.
    pub(crate) fn read_with<T>(
        &self,
        act: impl FnOnce(&Transaction<'_>) -> Result<T, LedgerError>,
    ) -> Result<Option<T>, LedgerError> {
        self.with_reader(|connection| {
            let snapshot = connection.transaction().map_err(|error| self.failed(Tried::Reading, error))?;
            act(&snapshot)
        })
    }

    /// Reads without a transaction around it. `None` if the ledger has no file yet.
    pub(crate) fn read_alone<T>(
        &self,
        act: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, LedgerError> {
        self.with_reader(|connection| self.reading(act(connection)))
    }

    fn with_reader<T>(
        &self,
        act: impl FnOnce(&mut Connection) -> Result<T, LedgerError>,
    ) -> Result<Option<T>, LedgerError> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.identity();
        if reader.as_ref().is_none_or(|(_, file)| *file != now) {
            *reader = None;
            match open(&*self.disk, &self.file, &SCHEMA, Access::Read) {
                Ok(connection) => *reader = Some((connection, now)),
                Err(SqliteError { fault: SqliteFault::Missing, .. }) => return Ok(None),
                Err(error) => return Err(unread(error)),
            }
        }
        let (connection, _) = reader.as_mut().expect("it was opened just now");
        let done = act(connection).map(Some);
        // Where the disk did not take what readers and writers share, a reader does not see what is written later.
        let shared = self.file.with_file_name("ledger.sqlite-shm");
        if self.disk.stat(&shared).is_err() {
            *reader = None;
        }
        done
    }

    /// Which file is at the place of the ledger now.
    fn identity(&self) -> Option<FileIdentity> {
        self.disk.stat(&self.file).ok().and_then(|found| found.identity)
    }

    fn failed(&self, tried: Tried, error: rusqlite::Error) -> LedgerError {
        backend(tried, SqliteError::of(&self.file, error))
    }

    pub(crate) fn reading<T>(&self, read: rusqlite::Result<T>) -> Result<T, LedgerError> {
        read.map_err(|error| self.failed(Tried::Reading, error))
    }

    pub(crate) fn writing<T>(&self, written: rusqlite::Result<T>) -> Result<T, LedgerError> {
        written.map_err(|error| self.failed(Tried::Writing, error))
    }

    /// Commits a batch and answers each append of it: what is refused by itself stops no other.
    fn commit(&self, writer: &mut Option<Writer>, batch: &[Arc<Waiting>]) {
        let committed = self.write(writer, |transaction| {
            batch
                .iter()
                .map(|waiting| self.append_one(transaction, &waiting.append))
                .collect::<Result<Vec<_>, _>>()
        });
        match committed {
            Ok(answers) => batch.iter().zip(answers).for_each(|(waiting, answer)| waiting.answer(answer)),
            Err(error) => batch.iter().for_each(|waiting| waiting.answer(Err(error.clone()))),
        }
    }

    /// The outer error is the backend's and ends the batch; the inner one is this append's own.
    fn append_one(
        &self,
        transaction: &Transaction<'_>,
        append: &Append,
    ) -> Result<Result<Receipt, LedgerError>, LedgerError> {
        let Some(topic) = self.topic_in(transaction, append.topic)? else {
            return Ok(Err(LedgerError::NoTopic(append.topic)));
        };
        if !topic.policy.allows(append.submitter) {
            return Ok(Err(LedgerError::Forbidden { topic: topic.id, account: append.submitter }));
        }
        if let Some(message) = self.with_key(transaction, append)? {
            return Ok(match message.is_from(append) {
                true => Ok(Receipt { is_repeat: true, ..message.receipt() }),
                false => Err(LedgerError::KeyReused { topic: topic.id, sequence: message.sequence }),
            });
        }
        self.append_next(transaction, append).map(Ok)
    }

    /// Appends behind the end of the topic.
    fn append_next(&self, transaction: &Transaction<'_>, append: &Append) -> Result<Receipt, LedgerError> {
        let head = self.head_in(transaction, append.topic)?;
        let last = self.last_time(transaction)?;
        let message = TopicMessage::following(&head, append, last, self.clock.now());
        self.writing(insert(transaction, &message))?;
        Ok(message.receipt())
    }

    pub(crate) fn topic_in(
        &self,
        transaction: &Transaction<'_>,
        id: TopicId,
    ) -> Result<Option<Topic>, LedgerError> {
        if TopicId::local(id.num()) != Ok(id) {
            return Ok(None);
        }
        let sql = format!("SELECT {} FROM topics WHERE num = ?1", rows::TOPIC);
        let read =
            || transaction.prepare_cached(&sql)?.query_row((to_sql(id.num()),), rows::topic).optional();
        self.reading(read())
    }

    fn with_key(
        &self,
        transaction: &Transaction<'_>,
        append: &Append,
    ) -> Result<Option<TopicMessage>, LedgerError> {
        let Some(key) = &append.key else { return Ok(None) };
        let sql = format!("SELECT {} FROM messages WHERE topic = ?1 AND key = ?2", rows::MESSAGE);
        let place = (to_sql(append.topic.num()), key.as_str());
        let read = || transaction.prepare_cached(&sql)?.query_row(place, rows::message).optional();
        self.reading(read())
    }

    pub(crate) fn head_in(&self, transaction: &Transaction<'_>, topic: TopicId) -> Result<Head, LedgerError> {
        let sql = format!("SELECT {} FROM heads WHERE topic = ?1", rows::HEAD);
        let read =
            || transaction.prepare_cached(&sql)?.query_row((to_sql(topic.num()),), rows::head).optional();
        Ok(self.reading(read())?.unwrap_or(Head::start(topic)))
    }

    /// The last time that was given to a message or a topic: both are numbered in the order of their times.
    fn last_time(&self, transaction: &Transaction<'_>) -> Result<Option<ConsensusTime>, LedgerError> {
        let read = |sql| transaction.prepare_cached(sql)?.query_row((), |row| rows::time(row, 0)).optional();
        let message = read("SELECT seconds, nanos FROM messages ORDER BY position DESC LIMIT 1");
        let topic = read("SELECT seconds, nanos FROM topics ORDER BY num DESC LIMIT 1");
        Ok(self.reading(message)?.max(self.reading(topic)?))
    }

    /// The message at this number of a topic.
    fn message_in(
        &self,
        transaction: &Transaction<'_>,
        topic: TopicId,
        sequence: Sequence,
    ) -> Result<Option<TopicMessage>, LedgerError> {
        let sql = format!("SELECT {} FROM messages WHERE topic = ?1 AND sequence = ?2", rows::MESSAGE);
        let place = (to_sql(topic.num()), to_sql(sequence.number()));
        let read = || transaction.prepare_cached(&sql)?.query_row(place, rows::message).optional();
        self.reading(read())
    }
}

impl SqliteLedger {
    /// Redacts messages, all or none, and writes the file anew once, which takes the longer the larger the file is. An error says that
    /// nothing was redacted.
    pub fn redact_all(&self, redactions: &[Redact]) -> Result<Redacted, LedgerError> {
        redactions.iter().try_for_each(Redact::check)?;
        let mut writer = self.writer.writer();
        let mark = ErasureMark::of(&*self.disk, &self.file);
        let is_new = mark.set().map_err(|error| unwritten(SqliteError::of_disk(mark.path(), &error)))?;
        let records = self.write(&mut writer, |transaction| {
            // Freed room is overwritten, so that a kill before the file is written anew leaves as little as possible.
            self.writing(transaction.pragma_update(None, "secure_delete", true))?;
            redactions.iter().map(|redact| self.redact_in(transaction, redact)).collect::<Result<Vec<_>, _>>()
        });
        if records.is_err() && is_new {
            mark.remove();
        }
        let records = records?;
        let unwritten = self.write_anew(&mut writer).err();
        if unwritten.is_none() {
            mark.remove();
        }
        Ok(Redacted { records, unwritten })
    }

    /// Whether bytes that were redacted may still be in unused room of the file: its writing anew failed, or was cut off.
    pub fn is_erasure_due(&self) -> bool {
        ErasureMark::of(&*self.disk, &self.file).is_set()
    }

    /// Redacts one message. The record of an earlier redaction is returned as it is.
    fn redact_in(&self, transaction: &Transaction<'_>, redact: &Redact) -> Result<Receipt, LedgerError> {
        let Redact { topic, sequence, .. } = *redact;
        self.topic_in(transaction, topic)?.ok_or(LedgerError::NoTopic(topic))?;
        let missing = LedgerError::NoMessage { topic, sequence };
        let message = self.message_in(transaction, topic, sequence)?.ok_or(missing)?;
        if RedactionRecord::parse(&message.bytes).is_some() {
            return Err(LedgerError::RecordStays { topic, sequence });
        }
        let content = message.content();
        let record = redact.to_append(content);
        if let Some(first) = self.with_key(transaction, &record)? {
            return Ok(Receipt { is_repeat: true, ..first.receipt() });
        }
        let sql = "UPDATE messages SET bytes = x'', redacted = ?3 WHERE topic = ?1 AND sequence = ?2";
        let row = (to_sql(topic.num()), to_sql(sequence.number()), content.as_bytes());
        self.writing(transaction.execute(sql, row))?;
        self.append_next(transaction, &record)
    }

    /// Writes the file anew from its rows, moves what the write-ahead log holds into it and empties the log. SQLite leaves copies
    /// of rows in the unused room of pages that it split or merged before, and overwriting a row does not reach them.
    /// Waits for readers of an earlier moment as for every lock.
    fn write_anew(&self, writer: &mut Option<Writer>) -> Result<(), LedgerError> {
        let Some(Writer { connection, turns, .. }) = writer.as_mut() else { return Ok(()) };
        let _turn = turns.wait().map_err(unwritten)?;
        self.writing(connection.execute_batch("VACUUM"))?;
        let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
        let is_busy = connection.query_row(sql, (), |row| row.get::<_, i64>(0));
        match self.writing(is_busy)? {
            0 => Ok(()),
            _ => Err(unwritten(SqliteError::new(&self.file, SqliteFault::Busy))),
        }
    }
}

impl Ledger for SqliteLedger {
    fn create_topic(&self, new: &NewTopic) -> Result<Topic, LedgerError> {
        new.check()?;
        self.write(&mut self.writer.writer(), |transaction| {
            let sql = format!("SELECT {} FROM topics WHERE key = ?1", rows::TOPIC);
            let known = transaction.query_row(&sql, (&new.key,), rows::topic).optional();
            if let Some(topic) = self.reading(known)? {
                return match (&topic.memo, topic.policy) == (&new.memo, new.policy) {
                    true => Ok(topic),
                    false => Err(LedgerError::TopicKeyReused(topic.id)),
                };
            }
            let highest = transaction.query_row("SELECT max(num) FROM topics", (), |row| row.get::<_, Option<i64>>(0));
            let highest = self.reading(highest)?.and_then(|num| u64::try_from(num).ok());
            let id = TopicId::local(highest.map_or(FIRST_TOPIC_NUM, |num| num + 1)).expect("fewer topics than numbers");
            let created = ConsensusTime::following(self.last_time(transaction)?, self.clock.now());
            let submitter = match new.policy {
                SubmitPolicy::Everyone => None,
                SubmitPolicy::Only(account) => Some(account.to_string()),
            };
            let sql = "INSERT INTO topics (num, key, memo, submitter, seconds, nanos) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let row = (to_sql(id.num()), &new.key, &new.memo, submitter, to_sql(created.seconds()), created.nanos());
            self.writing(transaction.execute(sql, row))?;
            Ok(Topic { id, memo: new.memo.clone(), policy: new.policy, created })
        })
    }

    fn topic(&self, id: TopicId) -> Result<Option<Topic>, LedgerError> {
        Ok(self.read_with(|snapshot| self.topic_in(snapshot, id))?.flatten())
    }

    fn topics(&self, after: Option<TopicId>, count_max: usize) -> Result<Vec<Topic>, LedgerError> {
        let read = self.read_with(|snapshot| {
            let sql = format!("SELECT {} FROM topics WHERE num > ?1 ORDER BY num LIMIT ?2", rows::TOPIC);
            let place =
                (after.map_or(-1, |id| to_sql(id.num())), i64::try_from(count_max).unwrap_or(i64::MAX));
            self.reading(
                snapshot
                    .prepare_cached(&sql)
                    .and_then(|mut topics| topics.query_map(place, rows::topic)?.collect()),
            )
        })?;
        Ok(read.unwrap_or_default())
    }

    fn append(&self, append: &Append) -> Result<Receipt, LedgerError> {
        append.check()?;
        self.writer.append(append.clone(), |writer, batch| self.commit(writer, batch))
    }

    fn read(&self, topic: TopicId, from: ReadFrom, count_max: usize) -> Result<Page, LedgerError> {
        let page = self.read_with(|snapshot| {
            self.topic_in(snapshot, topic)?.ok_or(LedgerError::NoTopic(topic))?;
            let count_max = count_max.clamp(1, PAGE_MESSAGES_MAX);
            self.reading(page_of(snapshot, topic, from, count_max))
        })?;
        page.ok_or(LedgerError::NoTopic(topic))
    }

    fn head(&self, topic: TopicId) -> Result<Head, LedgerError> {
        let head = self.read_with(|snapshot| {
            self.topic_in(snapshot, topic)?.ok_or(LedgerError::NoTopic(topic))?;
            self.head_in(snapshot, topic)
        })?;
        head.ok_or(LedgerError::NoTopic(topic))
    }

    fn message_at(&self, time: ConsensusTime) -> Result<Option<TopicMessage>, LedgerError> {
        Ok(self.read_with(|snapshot| self.reading(at_time(snapshot, time)))?.flatten())
    }

    fn redact(&self, redact: &Redact) -> Result<Receipt, LedgerError> {
        let redacted = self.redact_all(std::slice::from_ref(redact))?;
        match redacted.unwritten {
            Some(error) => Err(error),
            None => Ok(redacted.records.into_iter().next().expect("a record for each redaction")),
        }
    }
}

fn insert(transaction: &Transaction<'_>, message: &TopicMessage) -> rusqlite::Result<()> {
    let (topic, sequence) = (to_sql(message.topic.num()), to_sql(message.sequence.number()));
    let (seconds, nanos) = (to_sql(message.consensus.seconds()), message.consensus.nanos());
    let hash = message.running_hash.as_bytes();
    let sql = format!("INSERT INTO messages ({}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)", rows::MESSAGE);
    let key = message.key.as_ref().map(|key| key.as_str());
    let submitter = message.submitter.to_string();
    let redacted = message.redacted.as_ref().map(ContentHash::as_bytes);
    let row = (topic, sequence, seconds, nanos, submitter, key, &message.bytes, redacted, hash);
    transaction.prepare_cached(&sql)?.execute(row)?;
    let sql = format!("INSERT OR REPLACE INTO heads ({}) VALUES (?1, ?2, ?3, ?4, ?5)", rows::HEAD);
    transaction.prepare_cached(&sql)?.execute((topic, sequence, hash, seconds, nanos))?;
    Ok(())
}

/// What was tried when the file failed.
#[derive(Clone, Copy)]
enum Tried {
    Reading,
    Writing,
}

fn unread(error: SqliteError) -> LedgerError {
    backend(Tried::Reading, error)
}

fn unwritten(error: SqliteError) -> LedgerError {
    backend(Tried::Writing, error)
}

fn backend(tried: Tried, error: SqliteError) -> LedgerError {
    let what = match tried {
        Tried::Reading => "read",
        Tried::Writing => "written",
    };
    let fault = match error.fault {
        SqliteFault::Busy => BackendFault::Busy,
        SqliteFault::Full => BackendFault::Full,
        SqliteFault::ReadOnly | SqliteFault::Unopenable => BackendFault::ReadOnly,
        SqliteFault::Newer { .. } => BackendFault::Newer,
        SqliteFault::Foreign => BackendFault::Foreign,
        SqliteFault::Damaged(_) => BackendFault::Damaged,
        SqliteFault::Missing | SqliteFault::Link | SqliteFault::Other(_) => BackendFault::Other,
    };
    LedgerError::Backend { what, why: error.to_string(), is_passing: error.fault.is_passing(), fault }
}
