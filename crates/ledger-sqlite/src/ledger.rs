//! The ledger itself.

use crate::batch::{Batches, Waiting};
use crate::limits::FIRST_TOPIC_NUM;
use crate::rows::{self, to_sql};
use crate::tables::SCHEMA;
use brainstem_base::{Clock, Disk};
use brainstem_ledger::limits::{PAGE_BYTES_MAX, PAGE_MESSAGES_MAX};
use brainstem_ledger::{
    Append, ConsensusTime, Head, Ledger, LedgerError, NewTopic, Page, ReadFrom, Receipt, SubmitPolicy, Topic,
    TopicId, TopicMessage,
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
    disk: Arc<dyn Disk>,
    file: PathBuf,
    /// Opened by the first call that needs them: a caller that only looks makes no file.
    writer: Batches<Option<Writer>>,
    reader: Mutex<Option<Connection>>,
}

/// The one connection of this process that writes.
struct Writer {
    connection: Connection,
    turns: WriteTurns,
}

impl SqliteLedger {
    /// The ledger whose files are in `folder`, which exists. Nothing is opened or made yet.
    pub fn in_folder(folder: &Path, disk: Arc<dyn Disk>, clock: Arc<dyn Clock>) -> Self {
        let file = folder.join("ledger.sqlite");
        Self { clock, disk, file, writer: Batches::new(None), reader: Mutex::default() }
    }

    /// Runs one transaction in this process's turn.
    fn write<T>(
        &self,
        writer: &mut Option<Writer>,
        act: impl FnOnce(&Transaction<'_>) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        if writer.is_none() {
            let turns = WriteTurns::open(&self.file.with_file_name("ledger.lock")).map_err(unwritten)?;
            let turn = turns.wait().map_err(unwritten)?;
            let connection = open(&*self.disk, &self.file, &SCHEMA, Access::Write).map_err(unwritten)?;
            drop(turn);
            *writer = Some(Writer { connection, turns });
        }
        let Writer { connection, turns } = writer.as_mut().expect("it was opened just now");
        let _turn = turns.wait().map_err(unwritten)?;
        let failed = |error| self.failed(Tried::Writing, error);
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let done = act(&transaction)?;
        transaction.commit().map_err(failed)?;
        Ok(done)
    }

    /// Reads in one snapshot. `None` if the ledger has no file yet.
    fn read_with<T>(
        &self,
        act: impl FnOnce(&Transaction<'_>) -> Result<T, LedgerError>,
    ) -> Result<Option<T>, LedgerError> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        if reader.is_none() {
            match open(&*self.disk, &self.file, &SCHEMA, Access::Read) {
                Ok(connection) => *reader = Some(connection),
                Err(SqliteError { fault: SqliteFault::Missing, .. }) => return Ok(None),
                Err(error) => return Err(unread(error)),
            }
        }
        let connection = reader.as_mut().expect("it was opened just now");
        let snapshot = connection.transaction().map_err(|error| self.failed(Tried::Reading, error))?;
        act(&snapshot).map(Some)
    }

    fn failed(&self, tried: Tried, error: rusqlite::Error) -> LedgerError {
        backend(tried, SqliteError::of(&self.file, error))
    }

    fn reading<T>(&self, read: rusqlite::Result<T>) -> Result<T, LedgerError> {
        read.map_err(|error| self.failed(Tried::Reading, error))
    }

    fn writing<T>(&self, written: rusqlite::Result<T>) -> Result<T, LedgerError> {
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
        let head = self.head_in(transaction, append.topic)?;
        let last = self.last_time(transaction)?;
        let message = TopicMessage::following(&head, append, last, self.clock.now());
        self.writing(insert(transaction, &message))?;
        self.keep_time(transaction, message.consensus)?;
        Ok(Ok(message.receipt()))
    }

    fn topic_in(&self, transaction: &Transaction<'_>, id: TopicId) -> Result<Option<Topic>, LedgerError> {
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

    fn head_in(&self, transaction: &Transaction<'_>, topic: TopicId) -> Result<Head, LedgerError> {
        let sql = format!("SELECT {} FROM heads WHERE topic = ?1", rows::HEAD);
        let read =
            || transaction.prepare_cached(&sql)?.query_row((to_sql(topic.num()),), rows::head).optional();
        Ok(self.reading(read())?.unwrap_or(Head::start(topic)))
    }

    fn last_time(&self, transaction: &Transaction<'_>) -> Result<Option<ConsensusTime>, LedgerError> {
        let sql = "SELECT seconds, nanos FROM last_time";
        let read = || transaction.prepare_cached(sql)?.query_row((), |row| rows::time(row, 0)).optional();
        self.reading(read())
    }

    fn keep_time(&self, transaction: &Transaction<'_>, time: ConsensusTime) -> Result<(), LedgerError> {
        let sql = "INSERT OR REPLACE INTO last_time (id, seconds, nanos) VALUES (1, ?1, ?2)";
        let write = || transaction.prepare_cached(sql)?.execute((to_sql(time.seconds()), time.nanos()));
        self.writing(write()).map(|_| ())
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
            self.keep_time(transaction, created)?;
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
}

fn insert(transaction: &Transaction<'_>, message: &TopicMessage) -> rusqlite::Result<()> {
    let (topic, sequence) = (to_sql(message.topic.num()), to_sql(message.sequence.number()));
    let (seconds, nanos) = (to_sql(message.consensus.seconds()), message.consensus.nanos());
    let hash = message.running_hash.as_bytes();
    let sql = format!("INSERT INTO messages ({}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", rows::MESSAGE);
    let key = message.key.as_ref().map(|key| key.as_str());
    let submitter = message.submitter.to_string();
    let row = (topic, sequence, seconds, nanos, submitter, key, &message.bytes, hash);
    transaction.prepare_cached(&sql)?.execute(row)?;
    let sql = format!("INSERT OR REPLACE INTO heads ({}) VALUES (?1, ?2, ?3, ?4, ?5)", rows::HEAD);
    transaction.prepare_cached(&sql)?.execute((topic, sequence, hash, seconds, nanos))?;
    Ok(())
}

fn page_of(
    snapshot: &Transaction<'_>,
    topic: TopicId,
    from: ReadFrom,
    count_max: usize,
) -> rusqlite::Result<Page> {
    let columns = rows::MESSAGE;
    let sql = match from {
        ReadFrom::Start | ReadFrom::After(_) => {
            format!(
                "SELECT {columns} FROM messages WHERE topic = ?1 AND sequence > ?2 AND ?3 = 0 ORDER BY sequence"
            )
        }
        ReadFrom::Time(_) => format!(
            "SELECT {columns} FROM messages WHERE topic = ?1 AND (seconds, nanos) >= (?2, ?3) ORDER BY seconds, nanos"
        ),
    };
    let (first, second) = match from {
        ReadFrom::Start => (0, 0),
        ReadFrom::After(sequence) => (to_sql(sequence.number()), 0),
        ReadFrom::Time(time) => (to_sql(time.seconds()), time.nanos()),
    };
    let mut statement = snapshot.prepare_cached(&sql)?;
    let mut found = statement.query((to_sql(topic.num()), first, second))?;
    let mut page = Page { messages: Vec::new(), has_more: false };
    let mut bytes = 0;
    while let Some(row) = found.next()? {
        let message = rows::message(row)?;
        bytes += message.bytes.len();
        let is_full = page.messages.len() >= count_max || bytes > PAGE_BYTES_MAX;
        if is_full && !page.messages.is_empty() {
            page.has_more = true;
            break;
        }
        page.messages.push(message);
    }
    Ok(page)
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
    LedgerError::Backend { what, why: error.to_string(), is_passing: error.fault.is_passing() }
}
