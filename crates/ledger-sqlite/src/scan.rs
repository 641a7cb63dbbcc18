//! Verifying the whole file: every message once, in the order of positions.

use crate::ledger::SqliteLedger;
use crate::rows;
use crate::tree_store::{TILE, heads_in, marks_in, tile_at};
use brainstem_ledger::{
    ChainFault, ChainFaultKind, Checkpoint, Kept, LedgerError, LogFault, Sequence, TopicId, TreeHash,
    Verification, Verifier,
};
use brainstem_sqlite::rusqlite::{self, OptionalExtension as _, Row, Transaction};

impl SqliteLedger {
    /// Verifies every message of every topic, in one snapshot, and holds the ledger to checkpoints that were kept elsewhere.
    pub fn verify(&self, kept: &Kept, checkpoints: &[Checkpoint]) -> Result<Verification, LedgerError> {
        let mut all = kept.clone();
        checkpoints.iter().for_each(|checkpoint| all.add(checkpoint));
        let found = self.read_with(|snapshot| self.reading(scan(snapshot, &all, checkpoints)))?;
        Ok(found.unwrap_or_else(|| Verifier::new(&all).finish([])))
    }
}

fn scan(
    snapshot: &Transaction<'_>,
    kept: &Kept,
    checkpoints: &[Checkpoint],
) -> rusqlite::Result<Verification> {
    let mut verifier = Verifier::new(kept);
    let mut tile = TileCheck::default();
    let sql = format!("SELECT {}, position FROM messages ORDER BY position", rows::MESSAGE);
    let mut statement = snapshot.prepare(&sql)?;
    let mut found = statement.query(())?;
    while let Some(row) = found.next()? {
        let position = u64::try_from(row.get::<_, i64>(rows::MESSAGE_COLUMNS)?).unwrap_or(0);
        match rows::message(row) {
            Ok(message) => {
                let leaf = verifier.take(position, &message);
                if let Some(fault) = tile.take(snapshot, position, leaf)? {
                    verifier.note(fault);
                }
            }
            Err(_) => {
                let (topic, sequence) = place_of(row);
                verifier.take_unreadable(position, topic, sequence);
            }
        }
    }
    for fault in changed_topics(snapshot, checkpoints)? {
        verifier.note(fault);
    }
    if let Some(why) = page_fault(snapshot)? {
        verifier.note(LogFault::File(why));
    }
    Ok(verifier.finish(heads_in(snapshot)?))
}

/// Topic and number of a row that is no message otherwise, as far as they can be read.
fn place_of(row: &Row<'_>) -> (TopicId, Sequence) {
    let number = |at| row.get::<_, i64>(at).ok().and_then(|number| u64::try_from(number).ok());
    let topic = number(0).and_then(|number| TopicId::local(number).ok());
    let sequence = number(1).and_then(Sequence::new);
    (topic.unwrap_or(TopicId::local(0).expect("zero is in range")), sequence.unwrap_or(Sequence::FIRST))
}

/// Compares the leaves of the messages with the tiles that were kept when heads were made.
#[derive(Default)]
struct TileCheck {
    leaves: Vec<TreeHash>,
}

impl TileCheck {
    fn take(
        &mut self,
        snapshot: &Transaction<'_>,
        position: u64,
        leaf: TreeHash,
    ) -> rusqlite::Result<Option<LogFault>> {
        let (tile, at) = ((position - 1) / TILE, (position - 1) % TILE);
        if at != self.leaves.len() as u64 {
            // A position is missing, which is named already.
            self.leaves.clear();
            return Ok(None);
        }
        self.leaves.push(leaf);
        if self.leaves.len() as u64 != TILE {
            return Ok(None);
        }
        let leaves = std::mem::take(&mut self.leaves);
        let is_other = tile_at(snapshot, 0, tile)?.is_some_and(|kept| kept != leaves);
        Ok(is_other.then_some(LogFault::OtherTile { first: tile * TILE + 1, last: position }))
    }
}

/// The topics whose memo, policy or time of making is another one than in a kept checkpoint.
pub(crate) fn changed_topics(
    snapshot: &Transaction<'_>,
    checkpoints: &[Checkpoint],
) -> rusqlite::Result<Vec<LogFault>> {
    let now = match checkpoints.is_empty() {
        true => return Ok(Vec::new()),
        false => marks_in(snapshot)?,
    };
    let mut faults = Vec::new();
    for mark in checkpoints.iter().flat_map(|checkpoint| &checkpoint.topics) {
        let topic = mark.head.topic;
        let same = now.binary_search_by_key(&topic, |mark| mark.head.topic);
        let kind = match same {
            Ok(at) if now[at].about == mark.about => continue,
            Ok(_) => ChainFaultKind::TopicChanged,
            // A topic with messages is missing with them.
            Err(_) if mark.head.sequence.is_some() => continue,
            Err(_) => ChainFaultKind::TopicMissing,
        };
        let fault = LogFault::Message(ChainFault { topic, sequence: Sequence::FIRST, kind });
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }
    Ok(faults)
}

/// The first topic whose kept end is not the number of its last message.
pub(crate) fn wrong_end(snapshot: &Transaction<'_>) -> rusqlite::Result<Option<ChainFault>> {
    let sql = "SELECT num, (SELECT max(sequence) FROM messages WHERE topic = num) AS last, heads.sequence
               FROM topics LEFT JOIN heads ON heads.topic = num
               WHERE last IS NOT heads.sequence ORDER BY num LIMIT 1";
    let read = |row: &Row<'_>| {
        let (last, kept) = (row.get::<_, Option<i64>>(1)?, row.get::<_, Option<i64>>(2)?);
        let sequence =
            |number: Option<i64>| number.and_then(|it| u64::try_from(it).ok()).and_then(Sequence::new);
        let (topic, _) = place_of(row);
        Ok(match last > kept {
            true => ChainFault {
                topic,
                sequence: sequence(last).unwrap_or(Sequence::FIRST),
                kind: ChainFaultKind::BehindHead,
            },
            false => ChainFault {
                topic,
                sequence: sequence(kept).unwrap_or(Sequence::FIRST),
                kind: ChainFaultKind::Missing,
            },
        })
    };
    snapshot.query_row(sql, (), read).optional()
}

/// What SQLite finds wrong with the pages and indexes of the file, in words; `None` if nothing is.
pub(crate) fn page_fault(snapshot: &Transaction<'_>) -> rusqlite::Result<Option<String>> {
    let found: String = snapshot.query_row("PRAGMA integrity_check(1)", (), |row| row.get(0))?;
    if found == "ok" {
        return Ok(None);
    }
    let line = found.lines().find(|line| !line.starts_with("***")).unwrap_or(&found);
    let page = line.to_lowercase().split("tree ").nth(1).and_then(|rest| {
        rest.trim_start_matches("page ")
            .split(|byte: char| !byte.is_ascii_digit())
            .next()?
            .parse::<i64>()
            .ok()
    });
    let sql = "SELECT type, name FROM sqlite_schema WHERE rootpage = ?1";
    let named = |row: &Row<'_>| Ok(format!("{} `{}`", row.get::<_, String>(0)?, row.get::<_, String>(1)?));
    let part = page.map(|page| snapshot.query_row(sql, (page,), named).optional()).transpose()?.flatten();
    Ok(Some(match part {
        Some(part) => format!("its {part} is damaged ({line})"),
        None => line.to_owned(),
    }))
}
