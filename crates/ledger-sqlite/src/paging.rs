//! Finding messages by their place and their time.

use crate::rows::{self, to_sql};
use brainstem_ledger::limits::PAGE_BYTES_MAX;
use brainstem_ledger::{ConsensusTime, Page, ReadFrom, TopicId, TopicMessage};
use brainstem_sqlite::rusqlite::{self, OptionalExtension as _, Transaction};
use std::cmp::Ordering;

/// The messages of a topic from a place on: at most so many, and at most as many bytes as a page has.
pub(crate) fn page_of(
    snapshot: &Transaction<'_>,
    topic: TopicId,
    from: ReadFrom,
    count_max: usize,
) -> rusqlite::Result<Page> {
    let after = match from {
        ReadFrom::Start => 0,
        ReadFrom::After(sequence) => to_sql(sequence.number()),
        ReadFrom::Time(time) => last_before(snapshot, topic, time)?,
    };
    let columns = rows::MESSAGE;
    let sql = format!("SELECT {columns} FROM messages WHERE topic = ?1 AND sequence > ?2 ORDER BY sequence");
    let mut statement = snapshot.prepare_cached(&sql)?;
    let mut found = statement.query((to_sql(topic.num()), after))?;
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

/// The number of the last message of a topic before this time, found by halving; 0 if there is none.
fn last_before(snapshot: &Transaction<'_>, topic: TopicId, time: ConsensusTime) -> rusqlite::Result<i64> {
    let topic = to_sql(topic.num());
    let mut last = snapshot.prepare_cached("SELECT max(sequence) FROM messages WHERE topic = ?1")?;
    let mut at = snapshot.prepare_cached(
        "SELECT seconds, nanos, sequence FROM messages WHERE topic = ?1 AND sequence >= ?2 ORDER BY sequence LIMIT 1",
    )?;
    let (mut before, mut end) =
        (0, last.query_row((topic,), |row| row.get::<_, Option<i64>>(0))?.unwrap_or(0));
    while before < end {
        let middle = before + (end - before + 1) / 2;
        let found = at.query_row((topic, middle), |row| Ok((rows::time(row, 0)?, row.get(2)?)));
        match found? {
            (found, sequence) if found < time => before = sequence,
            _ => end = middle - 1,
        }
    }
    Ok(before)
}

/// The message of exactly this time, found by halving over all topics.
pub(crate) fn at_time(
    snapshot: &Transaction<'_>,
    time: ConsensusTime,
) -> rusqlite::Result<Option<TopicMessage>> {
    let sql = "SELECT seconds, nanos, position FROM messages WHERE position >= ?1 ORDER BY position LIMIT 1";
    let mut at = snapshot.prepare_cached(sql)?;
    let last = "SELECT max(position) FROM messages";
    let (mut first, mut end) =
        (1, snapshot.query_row(last, (), |row| row.get::<_, Option<i64>>(0))?.unwrap_or(0));
    while first <= end {
        let middle = first + (end - first) / 2;
        let (found, position): (ConsensusTime, i64) =
            at.query_row((middle,), |row| Ok((rows::time(row, 0)?, row.get(2)?)))?;
        match found.cmp(&time) {
            Ordering::Less => first = position + 1,
            Ordering::Greater => end = middle - 1,
            Ordering::Equal => {
                let sql = format!("SELECT {} FROM messages WHERE position = ?1", rows::MESSAGE);
                return snapshot.query_row(&sql, (position,), rows::message).optional();
            }
        }
    }
    Ok(None)
}
