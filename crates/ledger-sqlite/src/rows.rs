//! Between rows and the types of the ledger. A row that does not fit its type is damage, and is said.

use brainstem_ledger::{
    AccountId, AppendKey, ConsensusTime, ContentHash, Head, RunningHash, Sequence, SubmitPolicy, Topic,
    TopicId, TopicMessage,
};
use brainstem_sqlite::rusqlite::types::Type;
use brainstem_sqlite::rusqlite::{Error, Result, Row};

/// A number that fits, because ids, sequence numbers and seconds stay within 63 bits.
pub(crate) fn to_sql(number: u64) -> i64 {
    i64::try_from(number).expect("within 63 bits")
}

fn damaged(at: usize, kind: Type, why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::FromSqlConversionFailure(at, kind, why.into())
}

fn unsigned(row: &Row<'_>, at: usize) -> Result<u64> {
    u64::try_from(row.get::<_, i64>(at)?).map_err(|error| damaged(at, Type::Integer, error))
}

fn topic_id(row: &Row<'_>, at: usize) -> Result<TopicId> {
    TopicId::local(unsigned(row, at)?).map_err(|error| damaged(at, Type::Integer, error))
}

fn sequence(row: &Row<'_>, at: usize) -> Result<Sequence> {
    Sequence::new(unsigned(row, at)?).ok_or_else(|| damaged(at, Type::Integer, "zero is no sequence number"))
}

/// The time in the columns `at` and `at + 1`.
pub(crate) fn time(row: &Row<'_>, at: usize) -> Result<ConsensusTime> {
    let nanos = row.get::<_, u32>(at + 1)?;
    ConsensusTime::new(unsigned(row, at)?, nanos).map_err(|error| damaged(at, Type::Integer, error))
}

fn account(row: &Row<'_>, at: usize) -> Result<AccountId> {
    row.get_ref(at)?
        .as_str()?
        .parse()
        .map_err(|error: brainstem_ledger::EntityIdFault| damaged(at, Type::Text, error))
}

fn running_hash(row: &Row<'_>, at: usize) -> Result<RunningHash> {
    let bytes = row.get_ref(at)?.as_blob()?;
    bytes.try_into().map(RunningHash::from_bytes).map_err(|error| damaged(at, Type::Blob, error))
}

fn content_hash(row: &Row<'_>, at: usize) -> Result<Option<ContentHash>> {
    let Some(bytes) = row.get_ref(at)?.as_blob_or_null()? else { return Ok(None) };
    let bytes = bytes.try_into().map_err(|error| damaged(at, Type::Blob, error))?;
    Ok(Some(ContentHash::from_bytes(bytes)))
}

/// The columns that [`topic`] reads.
pub(crate) const TOPIC: &str = "num, memo, submitter, seconds, nanos";

pub(crate) fn topic(row: &Row<'_>) -> Result<Topic> {
    let policy = match row.get_ref(2)?.as_str_or_null()? {
        None => SubmitPolicy::Everyone,
        Some(_) => SubmitPolicy::Only(account(row, 2)?),
    };
    Ok(Topic { id: topic_id(row, 0)?, memo: row.get(1)?, policy, created: time(row, 3)? })
}

/// The columns that [`message`] reads.
pub(crate) const MESSAGE: &str =
    "topic, sequence, seconds, nanos, submitter, key, bytes, redacted, running_hash";
/// How many those are.
pub(crate) const MESSAGE_COLUMNS: usize = 9;

pub(crate) fn message(row: &Row<'_>) -> Result<TopicMessage> {
    let key = row.get_ref(5)?.as_str_or_null()?.map(AppendKey::parse).transpose();
    Ok(TopicMessage {
        topic: topic_id(row, 0)?,
        sequence: sequence(row, 1)?,
        consensus: time(row, 2)?,
        submitter: account(row, 4)?,
        key: key.map_err(|error| damaged(5, Type::Text, error))?,
        bytes: row.get(6)?,
        redacted: content_hash(row, 7)?,
        running_hash: running_hash(row, 8)?,
    })
}

/// The columns that [`head`] reads.
pub(crate) const HEAD: &str = "topic, sequence, running_hash, seconds, nanos";

pub(crate) fn head(row: &Row<'_>) -> Result<Head> {
    Ok(Head {
        topic: topic_id(row, 0)?,
        sequence: Some(sequence(row, 1)?),
        running_hash: running_hash(row, 2)?,
        consensus: Some(time(row, 3)?),
    })
}
