//! What readers ask the mirror.

use crate::values::{self, number_to_sql};
use brainstem_base::Timestamp;
use brainstem_inbox::limits::LEASE_MS_MAX;
use brainstem_inbox::mirror::{
    EventPage, FeedEvent, FeedEventKind, MirrorRow, RowQuery, RowState, RowTaker, UnreadCounts,
};
use brainstem_inbox::{AgentSlug, RowId};
use brainstem_sqlite::rusqlite::types::Value;
use brainstem_sqlite::rusqlite::{OptionalExtension as _, Result, Transaction, params_from_iter};

pub(crate) fn row(snapshot: &Transaction<'_>, id: RowId) -> Result<Option<MirrorRow>> {
    let sql = format!("SELECT {} FROM inbox WHERE id = ?1", values::ROW);
    snapshot.prepare_cached(&sql)?.query_row((id.to_string(),), values::mirror_row).optional()
}

/// Which rows one part of a query reads. Each part is answered by one index.
#[derive(Clone, Copy)]
enum QueryPart {
    Unread,
    Processed,
    Sent,
}

impl QueryPart {
    fn of_reader(state: RowState) -> &'static [Self] {
        match state {
            RowState::Unread => &[Self::Unread],
            RowState::All => &[Self::Unread, Self::Processed],
        }
    }
}

/// The SQL of one part of a query, and its values.
fn part(query: &RowQuery, part: QueryPart, slug: &AgentSlug) -> (String, Vec<Value>) {
    let column = match part {
        QueryPart::Unread => "processed = 0 AND to_agent",
        QueryPart::Processed => "processed = 1 AND to_agent",
        QueryPart::Sent if query.state == RowState::Unread => "processed = 0 AND from_agent",
        QueryPart::Sent => "from_agent",
    };
    let mut sql = format!("SELECT {} FROM inbox WHERE {column} = ?1", values::ROW);
    let mut given = vec![Value::from(slug.as_str().to_owned())];
    if let Some(id) = &query.ref_id {
        given.push(id.clone().into());
        sql.push_str(&format!(" AND ref_id = ?{}", given.len()));
    }
    if let Some(text) = &query.text {
        given.push(containing(text).into());
        let plain = given.len();
        // Payload and context are kept as JSON, in which quotes, backslashes and line breaks are written otherwise.
        let quoted = serde_json::Value::from(text.as_str()).to_string();
        given.push(containing(&quoted[1..quoted.len() - 1]).into());
        let in_json = given.len();
        let plain = ["subject", "message_type", "from_agent", "ref_id"].map(|column| (column, plain));
        let in_json = ["payload", "context"].map(|column| (column, in_json));
        let likes: Vec<String> = plain
            .into_iter()
            .chain(in_json)
            .map(|(column, at)| format!("{column} LIKE ?{at} ESCAPE '\\'"))
            .collect();
        sql.push_str(&format!(" AND ({})", likes.join(" OR ")));
    }
    sql.push_str(match query.state {
        RowState::Unread => " ORDER BY priority, created_at",
        RowState::All => " ORDER BY created_at DESC",
    });
    given.push(number_to_sql(query.count_max as u64).into());
    sql.push_str(&format!(" LIMIT ?{}", given.len()));
    (sql, given)
}

/// The pattern of texts that contain this one.
fn containing(text: &str) -> String {
    format!("%{}%", text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_"))
}

pub(crate) fn rows(snapshot: &Transaction<'_>, query: &RowQuery) -> Result<Vec<MirrorRow>> {
    let mut found: Vec<MirrorRow> = Vec::new();
    let of_reader = QueryPart::of_reader(query.state);
    let received = query.to.iter().flat_map(|slug| of_reader.iter().map(move |part| (*part, slug)));
    let sent = query.or_from.iter().map(|slug| (QueryPart::Sent, slug));
    for (which, slug) in received.chain(sent) {
        let (sql, given) = part(query, which, slug);
        let mut statement = snapshot.prepare_cached(&sql)?;
        for row in statement.query_map(params_from_iter(given), values::mirror_row)? {
            found.push(row?);
        }
    }
    match query.state {
        RowState::Unread => found.sort_by_key(|row| (row.row.content.priority, row.row.created, row.row.id)),
        RowState::All => found.sort_by_key(|row| (std::cmp::Reverse(row.row.created), row.row.id)),
    }
    found.dedup_by_key(|row| row.row.id);
    found.truncate(query.count_max);
    Ok(found)
}

pub(crate) fn unread(snapshot: &Transaction<'_>, to: &[AgentSlug]) -> Result<UnreadCounts> {
    let mut counts = UnreadCounts::default();
    let mut statement = snapshot.prepare_cached("SELECT unread, urgent FROM unread WHERE to_agent = ?1")?;
    for slug in to {
        let mut found = statement.query((slug.as_str(),))?;
        if let Some(row) = found.next()? {
            counts.unread += row.get::<_, i64>(0)?.unsigned_abs();
            counts.urgent += row.get::<_, i64>(1)?.unsigned_abs();
        }
    }
    Ok(counts)
}

/// The unread rows that another session has, as `claim` leaves them out.
pub(crate) fn held_rows(
    snapshot: &Transaction<'_>,
    to: &[AgentSlug],
    taker: &RowTaker,
    now: Timestamp,
) -> Result<Vec<RowId>> {
    let sql = "SELECT inbox.id FROM leases JOIN inbox ON inbox.id = leases.id
               WHERE to_agent = ?1 AND processed = 0 AND until > ?2 AND until <= ?3 AND (session <> ?4 OR NOT ?5)";
    let mut held = Vec::new();
    for slug in to {
        let asked = (slug.as_str(), now.ms(), now.ms() + LEASE_MS_MAX, &taker.session, taker.is_named);
        let mut statement = snapshot.prepare_cached(sql)?;
        for id in statement.query_map(asked, |row| row.get::<_, String>(0))? {
            held.extend(id?.parse::<RowId>().ok());
        }
    }
    Ok(held)
}

/// Why a cursor is not good, or the page behind it.
pub(crate) enum FeedAnswer {
    Page(EventPage),
    Expired(u64),
    Ahead(u64),
}

pub(crate) fn events(
    snapshot: &Transaction<'_>,
    to: &[AgentSlug],
    after: Option<u64>,
    count_max: usize,
) -> Result<FeedAnswer> {
    let oldest: i64 = snapshot.query_row("SELECT oldest FROM feed", (), |row| row.get(0))?;
    let tail: i64 =
        snapshot.query_row("SELECT seq FROM sqlite_sequence WHERE name = 'events'", (), |row| row.get(0))?;
    let (oldest, tail) = (oldest.unsigned_abs(), tail.unsigned_abs());
    let after = match after {
        None => oldest,
        Some(after) if after < oldest => return Ok(FeedAnswer::Expired(oldest)),
        Some(after) if after > tail => return Ok(FeedAnswer::Ahead(tail)),
        // Every cursor that this feed gave is the position of an event, or that before the first one.
        Some(after) if after != oldest && !has_event(snapshot, after)? => {
            return Ok(FeedAnswer::Expired(oldest));
        }
        Some(after) => after,
    };
    let sql = "SELECT position, kind, to_agent, id FROM events WHERE to_agent = ?1 AND position > ?2
               ORDER BY position LIMIT ?3";
    let mut events: Vec<FeedEvent> = Vec::new();
    for slug in to {
        let asked = (slug.as_str(), number_to_sql(after), number_to_sql(count_max as u64 + 1));
        let mut statement = snapshot.prepare_cached(sql)?;
        for event in statement.query_map(asked, event)? {
            events.push(event?);
        }
    }
    events.sort_by_key(|event| event.position);
    let has_more = events.len() > count_max;
    events.truncate(count_max);
    // Behind a page that was not cut off nothing of these readers is left, so the reader goes on from the tail.
    let next_cursor = match has_more {
        true => events.last().map_or(after, |event| event.position),
        false => tail,
    };
    Ok(FeedAnswer::Page(EventPage { events, next_cursor, has_more, oldest, tail }))
}

fn has_event(snapshot: &Transaction<'_>, position: u64) -> Result<bool> {
    snapshot.prepare_cached("SELECT 1 FROM events WHERE position = ?1")?.exists((number_to_sql(position),))
}

fn event(row: &brainstem_sqlite::rusqlite::Row<'_>) -> Result<FeedEvent> {
    let kind = match row.get_ref(1)?.as_str()? {
        "processed" => FeedEventKind::Processed,
        _ => FeedEventKind::Arrived,
    };
    let damaged = |at, why: String| {
        let kind = brainstem_sqlite::rusqlite::types::Type::Text;
        brainstem_sqlite::rusqlite::Error::FromSqlConversionFailure(at, kind, why.into())
    };
    Ok(FeedEvent {
        position: row.get::<_, i64>(0)?.unsigned_abs(),
        kind,
        to: AgentSlug::parse(row.get_ref(2)?.as_str()?).map_err(|error| damaged(2, error.to_string()))?,
        row: row.get_ref(3)?.as_str()?.parse().map_err(|_| damaged(3, "no id".to_owned()))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::SCHEMA;
    use brainstem_sqlite::rusqlite::Connection;

    #[test] // spec: INB-7, INB-11
    fn each_part_of_a_query_is_answered_by_an_index_without_sorting() {
        let file = Connection::open_in_memory().unwrap();
        SCHEMA.steps.iter().for_each(|step| file.execute_batch(step).unwrap());
        let slug = AgentSlug::parse("a").unwrap();
        for (state, which, index) in [
            (RowState::Unread, QueryPart::Unread, "inbox_unread"),
            (RowState::All, QueryPart::Unread, "inbox_to_agent_processed_created_at"),
            (RowState::All, QueryPart::Processed, "inbox_to_agent_processed_created_at"),
            (RowState::All, QueryPart::Sent, "inbox_from_agent_created_at"),
        ] {
            let (to, or_from) = (vec![slug.clone()], Vec::new());
            let query = RowQuery { to, or_from, state, ref_id: None, text: None, count_max: 50 };
            let (sql, given) = part(&query, which, &slug);
            let mut statement = file.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let plan = statement.query_map(params_from_iter(given), |row| row.get::<_, String>(3)).unwrap();
            let plan = plan.collect::<Result<Vec<_>>>().unwrap().join("; ");
            assert!(plan.contains(index) && !plan.contains("TEMP B-TREE"), "{sql}: {plan}");
        }
    }
}
