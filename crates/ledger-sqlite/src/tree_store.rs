//! The tree over all messages: tiles of hashes beside the messages, filled when a head is made.
//!
//! A tile has the hashes of 256 subtrees that are complete, and is kept when it is full. What is not in a tile is computed
//! from the messages, so that a head needs the last few hundred messages and no more.

use crate::ledger::SqliteLedger;
use crate::limits::{TILE_LEVELS, TILES_PER_STEP};
use crate::rows::{self, to_sql};
use brainstem_ledger::tree::{self, GrowingTree};
use brainstem_ledger::{AccountId, Frame, Head, LedgerError, Sequence, Topic, TopicId, TopicMark, TreeHash};
use brainstem_sqlite::rusqlite::types::Type;
use brainstem_sqlite::rusqlite::{self, OptionalExtension as _, Transaction};
use std::collections::HashMap;

/// How many hashes a tile has.
pub(crate) const TILE: u64 = 256;

/// The whole ledger at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeHead {
    /// How many messages all topics have together.
    pub size: u64,
    /// The hash of the tree over them.
    pub root: TreeHash,
    /// What every topic is, and where it ends.
    pub topics: Vec<TopicMark>,
}

/// Where a message is in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inclusion {
    /// Its place, from 0 on.
    pub index: u64,
    /// The message without its content.
    pub frame: Frame,
    /// The proof that it is in the tree.
    pub path: Vec<TreeHash>,
}

impl SqliteLedger {
    /// The head of the whole ledger, of one moment.
    pub fn tree_head(&self) -> Result<TreeHead, LedgerError> {
        self.fill_tiles();
        let head = self.read_with(|snapshot| {
            let size = self.reading(size_in(snapshot))?;
            let root = self.reading(TreeNodes::new(snapshot).root(size))?;
            Ok(TreeHead { size, root, topics: self.reading(marks_in(snapshot))? })
        })?;
        Ok(head.unwrap_or(TreeHead { size: 0, root: TreeHash::of_nothing(), topics: Vec::new() }))
    }

    /// How many messages all topics have together.
    pub fn size(&self) -> Result<u64, LedgerError> {
        Ok(self.read_with(|snapshot| self.reading(size_in(snapshot)))?.unwrap_or(0))
    }

    /// Whether an account appended a message to any topic. Every message may have to be looked at.
    pub fn has_message_of(&self, account: AccountId) -> Result<bool, LedgerError> {
        let found = self.read_with(|snapshot| {
            let sql = "SELECT EXISTS (SELECT 1 FROM messages WHERE submitter = ?1)";
            self.reading(snapshot.query_row(sql, (account.to_string(),), |row| row.get(0)))
        })?;
        Ok(found.unwrap_or(false))
    }

    /// The end of every topic that has messages, as it is kept beside them.
    pub fn heads(&self) -> Result<Vec<Head>, LedgerError> {
        Ok(self.read_with(|snapshot| self.reading(heads_in(snapshot)))?.unwrap_or_default())
    }

    /// The hash of the tree over the first `size` messages; `None` if there are fewer.
    pub fn root_at(&self, size: u64) -> Result<Option<TreeHash>, LedgerError> {
        let root = self.read_with(|snapshot| match self.reading(size_in(snapshot))? {
            has if has < size => Ok(None),
            _ => self.reading(TreeNodes::new(snapshot).root(size)).map(Some),
        })?;
        Ok(root.unwrap_or((size == 0).then(TreeHash::of_nothing)))
    }

    /// The proof that a message is among the first `size` of the ledger; `None` if it came later.
    pub fn inclusion(
        &self,
        topic: TopicId,
        sequence: Sequence,
        size: u64,
    ) -> Result<Option<Inclusion>, LedgerError> {
        let missing = LedgerError::NoMessage { topic, sequence };
        let proof = self.read_with(|snapshot| {
            self.topic_in(snapshot, topic)?.ok_or(LedgerError::NoTopic(topic))?;
            let sql = "SELECT position FROM messages WHERE topic = ?1 AND sequence = ?2";
            let place = (to_sql(topic.num()), to_sql(sequence.number()));
            let position = snapshot.query_row(sql, place, |row| row.get::<_, i64>(0)).optional();
            let position = self.reading(position)?.ok_or(missing.clone())?;
            let index = u64::try_from(position - 1).map_err(|_| missing.clone())?;
            if index >= size {
                return Ok(None);
            }
            let mut nodes = TreeNodes::new(snapshot);
            let frame = self.reading(frame_at(snapshot, index))?;
            let path = self.reading(tree::inclusion(index, size, &mut |level, at| nodes.node(level, at)))?;
            Ok(Some(Inclusion { index, frame, path }))
        })?;
        proof.ok_or(LedgerError::NoTopic(topic))
    }

    /// The proof that the first `old` messages are the start of the first `new`, of which there are as many.
    pub fn consistency(&self, old: u64, new: u64) -> Result<Vec<TreeHash>, LedgerError> {
        let proof = self.read_with(|snapshot| {
            let mut nodes = TreeNodes::new(snapshot);
            self.reading(tree::consistency(old, new, &mut |level, at| nodes.node(level, at)))
        })?;
        Ok(proof.unwrap_or_default())
    }

    /// Keeps the tiles that became full, as far as the file can be written: without them the same answers take longer.
    fn fill_tiles(&self) {
        let is_fit = self.read_with(|snapshot| self.reading(is_last_tile_fit(snapshot)));
        match is_fit {
            Ok(Some(true)) => {}
            Ok(Some(false)) => {
                let dropped = self.write(&mut self.writer.writer(), |transaction| {
                    self.writing(transaction.execute("DELETE FROM tree_tiles", ()))
                });
                if dropped.is_err() {
                    return;
                }
            }
            Ok(None) | Err(_) => return,
        }
        for level in 0..TILE_LEVELS {
            while let Ok(Some(tiles)) = self.read_with(|snapshot| self.reading(next_tiles(snapshot, level)))
                && !tiles.is_empty()
            {
                let kept = self.write(&mut self.writer.writer(), |transaction| {
                    self.writing(keep_tiles(transaction, level, &tiles))
                });
                if kept.is_err() {
                    return;
                }
            }
        }
    }
}

/// How many messages the ledger has: the last position.
pub(crate) fn size_in(snapshot: &Transaction<'_>) -> rusqlite::Result<u64> {
    let last =
        snapshot.query_row("SELECT max(position) FROM messages", (), |row| row.get::<_, Option<i64>>(0));
    Ok(u64::try_from(last?.unwrap_or(0)).unwrap_or(0))
}

/// What every topic is, and where it ends.
pub(crate) fn marks_in(snapshot: &Transaction<'_>) -> rusqlite::Result<Vec<TopicMark>> {
    let heads: HashMap<TopicId, Head> =
        heads_in(snapshot)?.into_iter().map(|head| (head.topic, head)).collect();
    let sql = format!("SELECT {} FROM topics ORDER BY num", rows::TOPIC);
    let mut statement = snapshot.prepare(&sql)?;
    let mark = |topic: Topic| {
        let head = heads.get(&topic.id).copied().unwrap_or(Head::start(topic.id));
        TopicMark::new(&topic, head)
    };
    statement.query_map((), rows::topic)?.map(|topic| topic.map(mark)).collect()
}

/// The kept end of every topic that has messages.
pub(crate) fn heads_in(snapshot: &Transaction<'_>) -> rusqlite::Result<Vec<Head>> {
    let sql = format!("SELECT {} FROM heads ORDER BY topic", rows::HEAD);
    snapshot.prepare(&sql)?.query_map((), rows::head)?.collect()
}

fn frame_at(snapshot: &Transaction<'_>, index: u64) -> rusqlite::Result<Frame> {
    let sql = format!("SELECT {} FROM messages WHERE position = ?1", rows::MESSAGE);
    let message = snapshot.prepare_cached(&sql)?.query_row((to_sql(index) + 1,), rows::message)?;
    Ok(Frame::of(&message))
}

/// The hashes of a tile that is kept; `None` if it is not.
pub(crate) fn tile_at(
    snapshot: &Transaction<'_>,
    level: u32,
    tile: u64,
) -> rusqlite::Result<Option<Vec<TreeHash>>> {
    let sql = "SELECT hashes FROM tree_tiles WHERE level = ?1 AND tile = ?2";
    let read = |row: &rusqlite::Row<'_>| {
        let (hashes, rest) = row.get_ref(0)?.as_blob()?.as_chunks::<{ TreeHash::LEN }>();
        let is_tile = rest.is_empty() && hashes.len() as u64 == TILE;
        let hashes = hashes.iter().map(|hash| TreeHash::from_bytes(*hash)).collect();
        is_tile
            .then_some(hashes)
            .ok_or_else(|| rusqlite::Error::FromSqlConversionFailure(0, Type::Blob, "not 256 hashes".into()))
    };
    snapshot.prepare_cached(sql)?.query_row((level, to_sql(tile)), read).optional()
}

/// The leaves of a tile, from the messages.
fn leaves_of(snapshot: &Transaction<'_>, tile: u64) -> rusqlite::Result<Vec<TreeHash>> {
    let sql = format!(
        "SELECT {}, position FROM messages WHERE position > ?1 ORDER BY position LIMIT {TILE}",
        rows::MESSAGE
    );
    let mut statement = snapshot.prepare_cached(&sql)?;
    let mut found = statement.query((to_sql(tile * TILE),))?;
    let mut leaves = Vec::new();
    while let Some(row) = found.next()? {
        let position: i64 = row.get(rows::MESSAGE_COLUMNS)?;
        let expected = to_sql(tile * TILE) + 1 + i64::try_from(leaves.len()).expect("few");
        if position != expected {
            let why = format!("the message at position {expected} is missing");
            return Err(rusqlite::Error::FromSqlConversionFailure(0, Type::Integer, why.into()));
        }
        leaves.push(Frame::of(&rows::message(row)?).leaf());
    }
    Ok(leaves)
}

fn tiles_kept(snapshot: &Transaction<'_>, level: u32) -> rusqlite::Result<u64> {
    let sql = "SELECT max(tile) FROM tree_tiles WHERE level = ?1";
    let last: Option<i64> = snapshot.query_row(sql, (level,), |row| row.get(0))?;
    Ok(last.and_then(|last| u64::try_from(last).ok()).map_or(0, |last| last + 1))
}

/// Whether the last tile of leaves still has the hashes of its messages. What was changed before it is for a
/// verification to find; this keeps a tree of other messages from going on.
fn is_last_tile_fit(snapshot: &Transaction<'_>) -> rusqlite::Result<bool> {
    let Some(last) = tiles_kept(snapshot, 0)?.checked_sub(1) else { return Ok(true) };
    if (last + 1) * TILE > size_in(snapshot)? {
        return Ok(false);
    }
    Ok(tile_at(snapshot, 0, last)?.is_some_and(|kept| leaves_of(snapshot, last).is_ok_and(|now| now == kept)))
}

/// The next tiles of a level that are full and not kept yet, with their numbers.
fn next_tiles(snapshot: &Transaction<'_>, level: u32) -> rusqlite::Result<Vec<(u64, Vec<TreeHash>)>> {
    let start = tiles_kept(snapshot, level)?;
    let entries = match level {
        0 => size_in(snapshot)?,
        _ => tiles_kept(snapshot, level - 1)?,
    };
    let end = (entries / TILE).min(start + TILES_PER_STEP);
    let hashes = |tile| match level {
        0 => leaves_of(snapshot, tile),
        _ => (tile * TILE..(tile + 1) * TILE).map(|below| tile_root(snapshot, level - 1, below)).collect(),
    };
    (start..end).map(|tile| Ok((tile, hashes(tile)?))).collect()
}

fn tile_root(snapshot: &Transaction<'_>, level: u32, tile: u64) -> rusqlite::Result<TreeHash> {
    let kept = tile_at(snapshot, level, tile)?;
    Ok(root_of(&kept.ok_or(rusqlite::Error::QueryReturnedNoRows)?))
}

fn root_of(hashes: &[TreeHash]) -> TreeHash {
    let mut tree = GrowingTree::default();
    hashes.iter().for_each(|hash| tree.push(*hash));
    tree.root()
}

fn keep_tiles(
    transaction: &Transaction<'_>,
    level: u32,
    tiles: &[(u64, Vec<TreeHash>)],
) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO tree_tiles (level, tile, hashes) VALUES (?1, ?2, ?3)";
    let mut statement = transaction.prepare_cached(sql)?;
    for (tile, hashes) in tiles {
        let bytes: Vec<u8> = hashes.iter().flat_map(|hash| *hash.as_bytes()).collect();
        statement.execute((level, to_sql(*tile), bytes))?;
    }
    Ok(())
}

/// The complete subtrees of the tree, from tiles where they are kept and from messages where they are not.
struct TreeNodes<'a> {
    snapshot: &'a Transaction<'a>,
    tiles: HashMap<(u32, u64), Vec<TreeHash>>,
}

impl<'a> TreeNodes<'a> {
    fn new(snapshot: &'a Transaction<'a>) -> Self {
        Self { snapshot, tiles: HashMap::new() }
    }

    fn root(&mut self, size: u64) -> rusqlite::Result<TreeHash> {
        tree::root(size, &mut |level, index| self.node(level, index))
    }

    /// The complete subtree at this level and index.
    fn node(&mut self, level: u32, index: u64) -> rusqlite::Result<TreeHash> {
        let (tile_level, inner) = (level / TILE.ilog2(), level % TILE.ilog2());
        let (first, count) = (index << inner, 1 << inner);
        let hashes: rusqlite::Result<Vec<TreeHash>> =
            (first..first + count).map(|entry| self.entry(tile_level, entry)).collect();
        Ok(root_of(&hashes?))
    }

    /// One hash of a level of tiles.
    fn entry(&mut self, level: u32, entry: u64) -> rusqlite::Result<TreeHash> {
        let (tile, at) = (entry / TILE, usize::try_from(entry % TILE).expect("below 256"));
        if !self.tiles.contains_key(&(level, tile)) {
            let hashes = match tile_at(self.snapshot, level, tile)? {
                Some(kept) => kept,
                None if level == 0 => leaves_of(self.snapshot, tile)?,
                None => Vec::new(),
            };
            self.tiles.insert((level, tile), hashes);
        }
        match self.tiles[&(level, tile)].get(at) {
            Some(hash) => Ok(*hash),
            None if level == 0 => Err(rusqlite::Error::QueryReturnedNoRows),
            None => {
                let below: rusqlite::Result<Vec<_>> =
                    (entry * TILE..(entry + 1) * TILE).map(|below| self.entry(level - 1, below)).collect();
                Ok(root_of(&below?))
            }
        }
    }
}
