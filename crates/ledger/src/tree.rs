//! The tree over all messages of a ledger (RFC 6962, SHA-256), and its proofs.
//!
//! A tree is known by its complete subtrees: the one at `level` and `index` has the leaves from `index * 2^level` on,
//! `2^level` of them. The store of a tree hands them out by a function, and this module needs few of them for each answer.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// The hash of a leaf, of a subtree or of a whole tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TreeHash([u8; Self::LEN]);

impl TreeHash {
    /// How many bytes a hash has.
    pub const LEN: usize = 32;

    /// The hash of a tree without leaves.
    pub fn of_nothing() -> Self {
        Self(Sha256::digest(b"").into())
    }

    /// The hash of a leaf with this content.
    pub fn of_leaf(content: &[u8]) -> Self {
        Self(Sha256::new().chain_update([0]).chain_update(content).finalize().into())
    }

    /// The hash of the tree over two others.
    pub fn of_children(left: &Self, right: &Self) -> Self {
        Self(Sha256::new().chain_update([1]).chain_update(left.0).chain_update(right.0).finalize().into())
    }

    /// The hash that was kept as these bytes.
    pub fn from_bytes(bytes: [u8; Self::LEN]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }

    /// The hash that this text is the base64 of; `None` for any other text.
    pub fn from_base64(text: &str) -> Option<Self> {
        BASE64.decode(text).ok()?.try_into().ok().map(Self)
    }
}

/// Base64, as checkpoints and proofs write it.
impl fmt::Display for TreeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64.encode(self.0))
    }
}

impl fmt::Debug for TreeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TreeHash({self})")
    }
}

/// A tree that grows leaf by leaf and holds one hash for each of its complete subtrees, which are few.
#[derive(Clone, Debug, Default)]
pub struct GrowingTree {
    size: u64,
    /// The complete subtrees from the largest to the smallest, as the bits of `size` say.
    parts: Vec<TreeHash>,
}

impl GrowingTree {
    /// Adds the next leaf.
    pub fn push(&mut self, leaf: TreeHash) {
        let mut hash = leaf;
        for _ in 0..self.size.trailing_ones() {
            let left = self.parts.pop().expect("a part for each bit of the size");
            hash = TreeHash::of_children(&left, &hash);
        }
        self.parts.push(hash);
        self.size += 1;
    }

    /// How many leaves there are.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The hash of the whole tree.
    pub fn root(&self) -> TreeHash {
        let mut parts = self.parts.iter().rev();
        let Some(last) = parts.next() else { return TreeHash::of_nothing() };
        parts.fold(*last, |right, left| TreeHash::of_children(left, &right))
    }
}

/// The hash of the tree over the first `size` leaves.
pub fn root<E>(size: u64, nodes: &mut impl FnMut(u32, u64) -> Result<TreeHash, E>) -> Result<TreeHash, E> {
    match size {
        0 => Ok(TreeHash::of_nothing()),
        _ => range(0, size, nodes),
    }
}

/// The proof that a leaf is in the tree over the first `size` leaves, from its sibling upwards. `index` is below `size`.
pub fn inclusion<E>(
    index: u64,
    size: u64,
    nodes: &mut impl FnMut(u32, u64) -> Result<TreeHash, E>,
) -> Result<Vec<TreeHash>, E> {
    let (mut start, mut len) = (0, size);
    let mut path = Vec::new();
    while len > 1 {
        let left = left_of(len);
        if index < start + left {
            path.push(range(start + left, len - left, nodes)?);
            len = left;
        } else {
            path.push(range(start, left, nodes)?);
            (start, len) = (start + left, len - left);
        }
    }
    path.reverse();
    Ok(path)
}

/// The proof that the tree over the first `old` leaves is the start of the one over the first `new`.
pub fn consistency<E>(
    old: u64,
    new: u64,
    nodes: &mut impl FnMut(u32, u64) -> Result<TreeHash, E>,
) -> Result<Vec<TreeHash>, E> {
    if old == 0 || old >= new {
        return Ok(Vec::new());
    }
    let (mut start, mut len, mut is_whole) = (0, new, true);
    let mut path = Vec::new();
    while start + len != old {
        let left = left_of(len);
        if old <= start + left {
            path.push(range(start + left, len - left, nodes)?);
            len = left;
        } else {
            path.push(range(start, left, nodes)?);
            (start, len, is_whole) = (start + left, len - left, false);
        }
    }
    if !is_whole {
        path.push(range(start, len, nodes)?);
    }
    path.reverse();
    Ok(path)
}

/// Whether the path proves that `leaf` is at `index` in the tree of this size and root.
pub fn is_included(leaf: TreeHash, index: u64, size: u64, path: &[TreeHash], root: &TreeHash) -> bool {
    if index >= size {
        return false;
    }
    let (mut at, mut last, mut hash) = (index, size - 1, leaf);
    for sibling in path {
        if last == 0 {
            return false;
        }
        if at & 1 == 1 || at == last {
            hash = TreeHash::of_children(sibling, &hash);
            while at & 1 == 0 && at != 0 {
                (at, last) = (at >> 1, last >> 1);
            }
        } else {
            hash = TreeHash::of_children(&hash, sibling);
        }
        (at, last) = (at >> 1, last >> 1);
    }
    last == 0 && hash == *root
}

/// Whether the path proves that the tree of the first size and root is the start of that of the second.
pub fn is_consistent(old: (u64, &TreeHash), new: (u64, &TreeHash), path: &[TreeHash]) -> bool {
    let ((old_size, old_root), (new_size, new_root)) = (old, new);
    if old_size == 0 || old_size >= new_size {
        return path.is_empty() && old_size <= new_size && (old_size == 0 || old_root == new_root);
    }
    let mut path = path.iter();
    let first = match old_size.is_power_of_two() {
        true => Some(old_root),
        false => path.next(),
    };
    let Some(first) = first else { return false };
    let (mut at, mut last) = (old_size - 1, new_size - 1);
    while at & 1 == 1 {
        (at, last) = (at >> 1, last >> 1);
    }
    let (mut old_hash, mut new_hash) = (*first, *first);
    for sibling in path {
        if last == 0 {
            return false;
        }
        if at & 1 == 1 || at == last {
            old_hash = TreeHash::of_children(sibling, &old_hash);
            new_hash = TreeHash::of_children(sibling, &new_hash);
            while at & 1 == 0 && at != 0 {
                (at, last) = (at >> 1, last >> 1);
            }
        } else {
            new_hash = TreeHash::of_children(&new_hash, sibling);
        }
        (at, last) = (at >> 1, last >> 1);
    }
    last == 0 && old_hash == *old_root && new_hash == *new_root
}

/// The hash over `len` leaves from `start` on, where `start` is a multiple of the largest power of two in `len`.
fn range<E>(
    start: u64,
    len: u64,
    nodes: &mut impl FnMut(u32, u64) -> Result<TreeHash, E>,
) -> Result<TreeHash, E> {
    if len.is_power_of_two() {
        return nodes(len.trailing_zeros(), start / len);
    }
    let left = left_of(len);
    let right_hash = range(start + left, len - left, nodes)?;
    Ok(TreeHash::of_children(&range(start, left, nodes)?, &right_hash))
}

/// The largest power of two below `len`, which is more than one.
fn left_of(len: u64) -> u64 {
    1 << (u64::BITS - 1 - (len - 1).leading_zeros())
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
