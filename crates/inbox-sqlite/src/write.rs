//! What changes the mirror.

use crate::values::{self, number_to_sql, time_to_sql};
use brainstem_base::Timestamp;
use brainstem_inbox::limits::{EVENTS_KEPT, LEASE_MS_MAX};
use brainstem_inbox::mirror::{FeedEventKind, MirrorRow, MirrorStep, RowLease, RowTaker};
use brainstem_inbox::row::{ProcessedMark, RowId};
use brainstem_inbox::{AgentSlug, Folded, InboxPriority, InboxRow, MirrorCursor, RefType};
use brainstem_ledger::{Sequence, TopicId};
use brainstem_sqlite::rusqlite::{Connection, OptionalExtension as _, Result, Row, Transaction, params};
use std::collections::BTreeMap;

/// Takes in what messages gave, and moves a cursor forwards. What the cursor has passed is not taken in again.
pub(crate) fn apply(
    transaction: &Transaction<'_>,
    folded: &Folded,
    step: MirrorStep<'_>,
    now: Timestamp,
) -> Result<()> {
    let cursor = match step {
        MirrorStep::UpTo(cursor) => Some(cursor),
        MirrorStep::Straight(_) => None,
    };
    if let Some(cursor) = cursor
        && has_passed(transaction, cursor.topic, cursor.sequence)?
    {
        return Ok(());
    }
    // A page was read in one moment, so it has every redaction up to its end, and the cursor tells whether it is needed. A
    // message that comes by the short way is looked for by itself.
    let is_old = |topic: TopicId, sequence: Sequence| match cursor {
        Some(_) => Ok(false),
        None => has_passed(transaction, topic, sequence),
    };
    let mut changes = Changes { now, unread: BTreeMap::new(), last_event: None, events: 0 };
    for row in &folded.rows {
        if !is_old(row.topic, row.sequence)? {
            insert_row(transaction, row, &mut changes)?;
        }
    }
    for mark in &folded.processed {
        insert_mark(transaction, mark, &mut changes)?;
    }
    for note in &folded.notes {
        if is_old(note.topic, note.sequence)? {
            continue;
        }
        let sql =
            "INSERT OR IGNORE INTO notes (topic_id, sequence_number, at, bytes) VALUES (?1, ?2, ?3, ?4)";
        // The time of the note itself is that of its message, so the one in the text is not read again.
        let bytes = note.note.to_bytes(note.at.to_timestamp());
        let place = (note.topic.to_string(), number_to_sql(note.sequence.number()));
        transaction.prepare_cached(sql)?.execute((place.0, place.1, time_to_sql(note.at), bytes))?;
    }
    for held in &folded.held {
        if is_old(held.topic, held.sequence)? {
            continue;
        }
        let sql = "INSERT OR IGNORE INTO held (topic_id, sequence_number, to_agent, account, is_request, excerpt, at)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        transaction.prepare_cached(sql)?.execute(params![
            held.topic.to_string(),
            number_to_sql(held.sequence.number()),
            held.to.as_str(),
            held.account.to_string(),
            held.is_request,
            held.excerpt,
            time_to_sql(held.at),
        ])?;
    }
    for aside in &folded.quarantined {
        if is_old(aside.topic, aside.sequence)? {
            continue;
        }
        let sql = "INSERT OR IGNORE INTO quarantine (topic_id, sequence_number, at, reason, detail)
                   VALUES (?1, ?2, ?3, ?4, ?5)";
        transaction.prepare_cached(sql)?.execute(params![
            aside.topic.to_string(),
            number_to_sql(aside.sequence.number()),
            time_to_sql(aside.at),
            aside.reason.as_str(),
            aside.detail,
        ])?;
    }
    for (topic, at) in &folded.closed {
        let sql = "INSERT INTO closed (topic_id, at) VALUES (?1, ?2)
                   ON CONFLICT (topic_id) DO UPDATE SET at = excluded.at WHERE excluded.at < closed.at";
        transaction.prepare_cached(sql)?.execute((topic.to_string(), time_to_sql(*at)))?;
    }
    if !folded.redacted.is_empty() {
        // Freed room is overwritten; what earlier changes left elsewhere in the file is erased when it is written anew.
        transaction.pragma_update(None, "secure_delete", true)?;
    }
    let mut removed = 0;
    for (topic, sequence) in &folded.redacted {
        let place = (topic.to_string(), number_to_sql(sequence.number()));
        for table in ["notes", "held", "quarantine"] {
            let sql = format!("DELETE FROM {table} WHERE topic_id = ?1 AND sequence_number = ?2");
            removed += transaction.prepare_cached(&sql)?.execute((&place.0, place.1))?;
        }
        let sql = "DELETE FROM inbox WHERE topic_id = ?1 AND sequence_number = ?2 RETURNING to_agent, priority, processed";
        let mut statement = transaction.prepare_cached(sql)?;
        let mut gone = statement.query((&place.0, place.1))?;
        while let Some(row) = gone.next()? {
            removed += 1;
            if !row.get::<_, bool>(2)? {
                changes.count(row.get_ref(0)?.as_str()?, row.get(1)?, -1);
            }
        }
    }
    if removed > 0 {
        transaction.execute("INSERT OR IGNORE INTO erasures (one) VALUES (1)", ())?;
    }
    changes.write(transaction)?;
    match step {
        MirrorStep::UpTo(cursor) => {
            keep_end(transaction, "cursors", cursor)?;
            let sql = "DELETE FROM straight WHERE topic_id = ?1 AND sequence_number <= ?2";
            let place = (cursor.topic.to_string(), number_to_sql(cursor.sequence.number()));
            transaction.prepare_cached(sql)?.execute(place).map(|_| ())
        }
        MirrorStep::Straight(seen) if has_passed(transaction, seen.topic, seen.sequence)? => Ok(()),
        MirrorStep::Straight(seen) => keep_end(transaction, "straight", seen),
    }
}

/// Keeps the place of a message in one of the tables of ends, unless a later one of the topic is there.
fn keep_end(transaction: &Transaction<'_>, table: &str, end: &MirrorCursor) -> Result<()> {
    let sql = format!(
        "INSERT INTO {table} (topic_id, sequence_number, running_hash, at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (topic_id) DO UPDATE SET sequence_number = excluded.sequence_number,
             running_hash = excluded.running_hash, at = excluded.at
         WHERE excluded.sequence_number > {table}.sequence_number"
    );
    let place = (end.topic.to_string(), number_to_sql(end.sequence.number()));
    let values = params![place.0, place.1, end.hash.as_bytes(), time_to_sql(end.at)];
    transaction.prepare_cached(&sql)?.execute(values).map(|_| ())
}

/// Whether the mirror's cursor is at a message or behind it.
fn has_passed(transaction: &Transaction<'_>, topic: TopicId, sequence: Sequence) -> Result<bool> {
    let sql = "SELECT 1 FROM cursors WHERE topic_id = ?1 AND sequence_number >= ?2";
    let place = (topic.to_string(), number_to_sql(sequence.number()));
    transaction.prepare_cached(sql)?.exists(place)
}

/// What a transaction changes of counts and of the feed; written once, at its end.
struct Changes {
    now: Timestamp,
    /// By reader: unread rows more, and urgent ones among them.
    unread: BTreeMap<String, (i64, i64)>,
    /// The position of the last event.
    last_event: Option<i64>,
    /// How many events were added.
    events: i64,
}

impl Changes {
    fn count(&mut self, to: &str, priority: i64, more: i64) {
        if !self.unread.contains_key(to) {
            self.unread.insert(to.to_owned(), (0, 0));
        }
        let (unread, urgent) = self.unread.get_mut(to).expect("it is there now");
        *unread += more;
        let is_urgent = priority == i64::from(InboxPriority::Urgent.number());
        *urgent += if is_urgent { more } else { 0 };
    }

    fn insert_event(
        &mut self,
        transaction: &Transaction<'_>,
        to: &str,
        kind: FeedEventKind,
        id: &str,
    ) -> Result<()> {
        let last = match self.last_event {
            Some(last) => last,
            None => last_position(transaction)?,
        };
        // A file that was restored from an older copy goes on behind the positions that it gave before, so that a cursor of that
        // time is at none of its events.
        let position = (last + 1).max(first_position(self.now));
        let sql = "INSERT INTO events (position, to_agent, kind, id) VALUES (?1, ?2, ?3, ?4)";
        transaction.prepare_cached(sql)?.execute((position, to, kind.as_str(), id))?;
        (self.last_event, self.events) = (Some(position), self.events + 1);
        Ok(())
    }

    fn write(self, transaction: &Transaction<'_>) -> Result<()> {
        let sql = "INSERT INTO unread (to_agent, unread, urgent) VALUES (?1, ?2, ?3)
                   ON CONFLICT (to_agent) DO UPDATE SET unread = unread + excluded.unread, urgent = urgent + excluded.urgent";
        for (to, (unread, urgent)) in self.unread {
            transaction.prepare_cached(sql)?.execute((to, unread, urgent))?;
        }
        if self.events == 0 {
            return Ok(());
        }
        let sql = "UPDATE feed SET kept = kept + ?1 RETURNING kept";
        let kept: i64 = transaction.prepare_cached(sql)?.query_row((self.events,), |row| row.get(0))?;
        let kept_max = number_to_sql(EVENTS_KEPT);
        if kept <= kept_max + kept_max / DROPPED_PART {
            return Ok(());
        }
        let sql = "SELECT position FROM events ORDER BY position DESC LIMIT 1 OFFSET ?1";
        let oldest: i64 = transaction.query_row(sql, (kept_max,), |row| row.get(0))?;
        transaction.execute("DELETE FROM events WHERE position <= ?1", (oldest,))?;
        transaction.execute("UPDATE feed SET oldest = ?1, kept = ?2", (oldest, kept_max)).map(|_| ())
    }
}

/// Old events are dropped once there are this part more than are kept: to find the place takes a walk over those that are kept.
const DROPPED_PART: i64 = 16;

/// The position of the last event, or that before the first.
fn last_position(transaction: &Transaction<'_>) -> Result<i64> {
    let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'events'";
    transaction.prepare_cached(sql)?.query_row((), |row| row.get(0))
}

/// The smallest position that an event of this time gets. A thousand events in each millisecond of a file's life would not reach
/// further.
fn first_position(now: Timestamp) -> i64 {
    now.ms().saturating_mul(1_000)
}

fn insert_row(transaction: &Transaction<'_>, row: &InboxRow, changes: &mut Changes) -> Result<()> {
    let id = row.id.to_string();
    let content = &row.content;
    let reference = content.reference.as_ref();
    let sql = "INSERT OR IGNORE INTO inbox (id, to_agent, from_agent, message_type, subject, payload, context, ref_id,
                   ref_type, priority, created_at, topic_id, sequence_number)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
    let inserted = transaction.prepare_cached(sql)?.execute(params![
        id,
        row.to.as_str(),
        row.from,
        content.kind.as_str(),
        content.subject,
        content.payload.as_ref().map(ToString::to_string),
        content.context.as_ref().map(ToString::to_string),
        reference.map(|reference| reference.id.as_str()),
        reference.and_then(|reference| reference.kind).map(RefType::as_str),
        content.priority.number(),
        time_to_sql(row.created),
        row.topic.to_string(),
        number_to_sql(row.sequence.number()),
    ])?;
    if inserted == 0 {
        return Ok(());
    }
    changes.count(row.to.as_str(), content.priority.number().into(), 1);
    changes.insert_event(transaction, row.to.as_str(), FeedEventKind::Arrived, &id)?;
    let is_marked = transaction.prepare_cached("SELECT 1 FROM processed WHERE id = ?1")?.exists((&id,))?;
    if is_marked { mark_row(transaction, &id, changes) } else { Ok(()) }
}

fn insert_mark(transaction: &Transaction<'_>, mark: &ProcessedMark, changes: &mut Changes) -> Result<()> {
    let id = mark.row.to_string();
    let sql = "INSERT INTO processed (id, at, session) VALUES (?1, ?2, ?3)
               ON CONFLICT (id) DO UPDATE SET at = excluded.at, session = excluded.session
               WHERE excluded.at < processed.at";
    let changed = transaction.prepare_cached(sql)?.execute((&id, time_to_sql(mark.at), &mark.session))?;
    match changed {
        0 => Ok(()),
        _ => mark_row(transaction, &id, changes),
    }
}

/// Writes the acknowledgement of a row into the row, if the row is there.
fn mark_row(transaction: &Transaction<'_>, id: &str, changes: &mut Changes) -> Result<()> {
    let sql = "SELECT to_agent, processed, priority FROM inbox WHERE id = ?1";
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let found: Option<(String, bool, i64)> =
        transaction.prepare_cached(sql)?.query_row((id,), read).optional()?;
    let Some((to, was_processed, priority)) = found else { return Ok(()) };
    let sql = "UPDATE inbox SET processed = 1, processed_at = mark.at, processed_by_session = mark.session
               FROM (SELECT at, session FROM processed WHERE id = ?1) AS mark WHERE inbox.id = ?1";
    transaction.prepare_cached(sql)?.execute((id,))?;
    transaction.prepare_cached("DELETE FROM leases WHERE id = ?1")?.execute((id,))?;
    if was_processed {
        return Ok(());
    }
    changes.count(&to, priority, -1);
    changes.insert_event(transaction, &to, FeedEventKind::Processed, id)
}

/// Whether bytes that were removed may still be in the file.
pub(crate) fn is_erasure_due(connection: &Connection) -> Result<bool> {
    connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM erasures)")?.query_row((), |row| row.get(0))
}

/// Forgets everything that follows from the ledger, and the feed. A cursor of the feed that was is known to be old.
pub(crate) fn forget(transaction: &Transaction<'_>, now: Timestamp) -> Result<()> {
    for table in [
        "inbox",
        "processed",
        "notes",
        "held",
        "quarantine",
        "closed",
        "cursors",
        "straight",
        "events",
        "unread",
    ] {
        transaction.execute(&format!("DELETE FROM {table}"), ())?;
    }
    let first = last_position(transaction)?.max(first_position(now)) + 1;
    transaction.execute("UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'events'", (first,))?;
    transaction.execute("UPDATE feed SET oldest = ?1, kept = 0", (first,)).map(|_| ())
}

/// Begins the feed of a new file behind all positions that an earlier file can have given.
pub(crate) fn begin_feed(transaction: &Transaction<'_>, now: Timestamp) -> Result<()> {
    let first = first_position(now);
    let sql = "INSERT OR IGNORE INTO feed (one, oldest) VALUES (1, ?1)";
    if transaction.execute(sql, (first,))? > 0 {
        transaction.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ?1)", (first,))?;
    }
    Ok(())
}

/// Takes the first unread rows that no other session holds; for a session without a name, those that none holds. A lease that ends later than the longest one can was taken under a
/// wrong clock, and holds nothing.
pub(crate) fn claim(
    transaction: &Transaction<'_>,
    to: &[AgentSlug],
    taker: &RowTaker,
    now: Timestamp,
    until: Timestamp,
    count_max: usize,
) -> Result<Vec<MirrorRow>> {
    let sql = format!(
        "SELECT {} FROM inbox WHERE to_agent = ?1 AND processed = 0
             AND NOT EXISTS (SELECT 1 FROM leases WHERE leases.id = inbox.id AND until > ?2 AND until <= ?5
                 AND (session <> ?3 OR NOT ?6))
         ORDER BY priority, created_at LIMIT ?4",
        values::ROW
    );
    let mut rows: Vec<MirrorRow> = Vec::new();
    for slug in to {
        let mut statement = transaction.prepare_cached(&sql)?;
        let (latest, limit) = (now.ms() + LEASE_MS_MAX, number_to_sql(count_max as u64));
        let asked = (slug.as_str(), now.ms(), &taker.session, limit, latest, taker.is_named);
        let found = statement.query_map(asked, values::mirror_row)?;
        for row in found {
            rows.push(row?);
        }
    }
    rows.sort_by_key(|row| (row.row.content.priority, row.row.created));
    rows.truncate(count_max);
    for row in &rows {
        lease(transaction, row.row.id, &taker.session, until)?;
    }
    Ok(rows)
}

/// Takes one row, or returns the lease that another session has.
pub(crate) fn claim_row(
    transaction: &Transaction<'_>,
    id: RowId,
    session: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<std::result::Result<(), RowLease>> {
    let sql =
        "SELECT session, until FROM leases WHERE id = ?1 AND until > ?2 AND until <= ?4 AND session <> ?3";
    let asked = (id.to_string(), now.ms(), session, now.ms() + LEASE_MS_MAX);
    let other = transaction.prepare_cached(sql)?.query_row(asked, |row| {
        Ok(RowLease { session: row.get(0)?, until: Timestamp::from_ms(row.get(1)?) })
    });
    match other.optional()? {
        Some(lease) => Ok(Err(lease)),
        None => lease(transaction, id, session, until).map(Ok),
    }
}

fn lease(transaction: &Transaction<'_>, id: RowId, session: &str, until: Timestamp) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO leases (id, session, until) VALUES (?1, ?2, ?3)";
    transaction.prepare_cached(sql)?.execute((id.to_string(), session, until.ms())).map(|_| ())
}
