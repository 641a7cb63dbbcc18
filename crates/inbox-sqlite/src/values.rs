//! Between columns and the types of the inbox. A value that does not fit its type is damage, and is an error.

use brainstem_base::Timestamp;
use brainstem_inbox::mirror::MirrorRow;
use brainstem_inbox::row::{HeldMessage, ProcessedMark, ThreadNote};
use brainstem_inbox::{
    AgentSlug, EntityNote, InboxPriority, InboxRow, MessageContent, MessageType, MirrorCursor,
    QuarantineReason, Quarantined, RefId, RefType, Reference,
};
use brainstem_ledger::{ConsensusTime, RunningHash, Sequence, TopicId};
use brainstem_sqlite::rusqlite::types::Type;
use brainstem_sqlite::rusqlite::{Error, Result, Row};
use std::fmt::Display;

/// A time as the tables have it: RFC 3339 in UTC with nine digits behind the second, so that texts sort as times do.
pub(crate) fn time_to_sql(time: ConsensusTime) -> String {
    let seconds = i64::try_from(time.seconds()).ok().and_then(|seconds| seconds.checked_mul(1_000));
    let text = Timestamp::from_ms(seconds.unwrap_or(i64::MAX)).to_rfc3339();
    let second = text.get(..SECOND_LEN).unwrap_or(&text);
    format!("{second}.{:09}Z", time.nanos())
}

/// The length of `2026-07-04T23:57:11`.
const SECOND_LEN: usize = 19;

fn time_from_sql(text: &str) -> Option<ConsensusTime> {
    let second = Timestamp::parse_rfc3339(&format!("{}Z", text.get(..SECOND_LEN)?))?;
    let nanos = text.get(SECOND_LEN..)?.strip_prefix('.')?.strip_suffix('Z')?.parse().ok()?;
    ConsensusTime::new(u64::try_from(second.ms()).ok()? / 1_000, nanos).ok()
}

pub(crate) fn number_to_sql(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn damaged(at: usize, kind: Type, why: impl Display) -> Error {
    Error::FromSqlConversionFailure(at, kind, why.to_string().into())
}

fn parsed<T, E: Display>(row: &Row<'_>, at: usize, parse: impl FnOnce(&str) -> Result<T, E>) -> Result<T> {
    parse(row.get_ref(at)?.as_str()?).map_err(|error| damaged(at, Type::Text, error))
}

pub(crate) fn topic(row: &Row<'_>, at: usize) -> Result<TopicId> {
    parsed(row, at, str::parse)
}

fn sequence(row: &Row<'_>, at: usize) -> Result<Sequence> {
    let number = u64::try_from(row.get::<_, i64>(at)?).ok().and_then(Sequence::new);
    number.ok_or_else(|| damaged(at, Type::Integer, "no sequence number"))
}

pub(crate) fn time(row: &Row<'_>, at: usize) -> Result<ConsensusTime> {
    parsed(row, at, |text| time_from_sql(text).ok_or("no time"))
}

fn json(row: &Row<'_>, at: usize) -> Result<Option<serde_json::Value>> {
    let text = row.get_ref(at)?.as_str_or_null()?;
    text.map(serde_json::from_str).transpose().map_err(|error| damaged(at, Type::Text, error))
}

/// The columns that [`mirror_row`] reads.
pub(crate) const ROW: &str = "id, to_agent, from_agent, message_type, subject, payload, context, ref_id, ref_type, \
                              priority, created_at, topic_id, sequence_number, processed_at, processed_by_session";

pub(crate) fn mirror_row(row: &Row<'_>) -> Result<MirrorRow> {
    let id = parsed(row, 0, str::parse)?;
    let ref_id = row.get_ref(7)?.as_str_or_null()?.map(RefId::parse).transpose();
    let ref_type = row.get_ref(8)?.as_str_or_null()?.map(RefType::parse).transpose();
    let kind = ref_type.map_err(|error| damaged(8, Type::Text, error))?;
    let reference = ref_id.map_err(|error| damaged(7, Type::Text, error))?.map(|id| Reference { id, kind });
    let priority = InboxPriority::new(row.get::<_, u32>(9)?.into());
    let content = MessageContent {
        kind: parsed(row, 3, MessageType::parse)?,
        subject: row.get(4)?,
        payload: json(row, 5)?,
        context: json(row, 6)?,
        reference,
        priority: priority.map_err(|error| damaged(9, Type::Integer, error))?,
    };
    let processed = match row.get::<_, Option<String>>(14)? {
        None => None,
        Some(session) => Some(ProcessedMark { row: id, at: time(row, 13)?, session }),
    };
    let row = InboxRow {
        id,
        to: parsed(row, 1, AgentSlug::parse)?,
        from: row.get(2)?,
        content,
        created: time(row, 10)?,
        topic: topic(row, 11)?,
        sequence: sequence(row, 12)?,
    };
    Ok(MirrorRow { row, processed })
}

/// The columns that [`cursor`] reads.
pub(crate) const CURSOR: &str = "topic_id, sequence_number, running_hash, at";

pub(crate) fn cursor(row: &Row<'_>) -> Result<MirrorCursor> {
    let hash = row.get_ref(2)?.as_blob()?.try_into().map(RunningHash::from_bytes);
    let hash = hash.map_err(|error| damaged(2, Type::Blob, error))?;
    Ok(MirrorCursor { topic: topic(row, 0)?, sequence: sequence(row, 1)?, hash, at: time(row, 3)? })
}

/// The columns that [`note`] reads.
pub(crate) const NOTE: &str = "topic_id, sequence_number, at, bytes";

pub(crate) fn note(row: &Row<'_>) -> Result<ThreadNote> {
    let note = EntityNote::from_bytes(row.get_ref(3)?.as_blob()?);
    let note = note.map_err(|error| damaged(3, Type::Blob, error))?;
    Ok(ThreadNote { topic: topic(row, 0)?, sequence: sequence(row, 1)?, at: time(row, 2)?, note })
}

/// The columns that [`held`] reads.
pub(crate) const HELD: &str = "topic_id, sequence_number, to_agent, account, is_request, excerpt, at";

pub(crate) fn held(row: &Row<'_>) -> Result<HeldMessage> {
    Ok(HeldMessage {
        topic: topic(row, 0)?,
        sequence: sequence(row, 1)?,
        to: parsed(row, 2, AgentSlug::parse)?,
        account: parsed(row, 3, str::parse)?,
        is_request: row.get(4)?,
        excerpt: row.get(5)?,
        at: time(row, 6)?,
    })
}

/// The columns that [`quarantined`] reads.
pub(crate) const QUARANTINED: &str = "topic_id, sequence_number, at, reason, detail";

pub(crate) fn quarantined(row: &Row<'_>) -> Result<Quarantined> {
    let find = |text: &str| QuarantineReason::ALL.into_iter().find(|reason| reason.as_str() == text);
    Ok(Quarantined {
        topic: topic(row, 0)?,
        sequence: sequence(row, 1)?,
        at: time(row, 2)?,
        reason: parsed(row, 3, |text| find(text).ok_or("no reason"))?,
        detail: row.get(4)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: INB-7b
    fn a_time_keeps_its_nanoseconds_and_sorts_as_a_text() {
        let times = [(0, 0), (1, 999_999_999), (1_783_209_431, 1), (1_783_209_431, 2), (1_783_209_432, 0)];
        let times = times.map(|(seconds, nanos)| ConsensusTime::new(seconds, nanos).unwrap());
        let texts = times.map(time_to_sql);
        assert_eq!(texts[2], "2026-07-04T23:57:11.000000001Z");
        assert!(texts.is_sorted());
        assert_eq!(texts.map(|text| time_from_sql(&text).unwrap()), times);
    }
}
