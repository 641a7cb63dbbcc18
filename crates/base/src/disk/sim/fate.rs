//! What becomes of changes that were not synced when the power went.

use std::collections::{BTreeMap, BTreeSet};

use super::tree::{CrossFolderRename, Ino, NameMap, NodeBody, ROOT, SimContent, SimFolder, SimTree, change};

/// What becomes of changes that were not synced when the power went.
///
/// Names that were changed in one folder survive in the order in which they were changed, and a rename within a folder
/// survives as a whole or not at all. A rename from one folder to another has a half in each, and they survive
/// independently: the file may be found under both names. It always has one: if the old name is gone and the new one
/// did not survive, the file is found under its old name again (under the new one, if the old was given to another file
/// since), even if the old folder was synced. To be certain of such a rename, sync the new folder, then the old.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsyncedFate {
    /// Only what was synced survives.
    Lost,
    /// Everything survives, as when the process was killed and the machine kept running.
    Kept,
    /// Names survive; content that was not synced does not.
    NamesOnly,
    /// Content survives; names that were not synced do not.
    DataOnly,
    /// Each folder keeps some of its latest changes, each file some of its latest bytes, by this seed.
    Torn(u64),
}

/// How many torn fates are worth trying at each step.
const TORN_COUNT: u64 = 4;

impl UnsyncedFate {
    /// The fates to try: each plain one, and some torn ones that depend on `seed`.
    pub fn all(seed: u64) -> Vec<Self> {
        let torn = (0..TORN_COUNT).map(|n| Self::Torn(seed.wrapping_mul(TORN_COUNT).wrapping_add(n)));
        [Self::Lost, Self::Kept, Self::NamesOnly, Self::DataOnly].into_iter().chain(torn).collect()
    }
}

impl SimTree {
    /// The disk after the power went.
    pub(super) fn after_power_loss(&self, fate: UnsyncedFate) -> Self {
        let mut dice = Dice::of(fate);
        let mut found = self.clone();
        found.moves.clear();
        // The operations of each folder that did not survive, for the halves of a move.
        let mut undone = BTreeMap::new();
        for (ino, node) in &mut found.nodes {
            match &mut node.body {
                NodeBody::File(content) => *content = dice.content(content),
                NodeBody::Dir(folder) => {
                    let kept_count = dice.names_kept(folder.pending.len());
                    undone.insert(*ino, folder.pending.drain(kept_count..).map(|op| op.id).collect());
                    let mut names = std::mem::take(&mut folder.durable);
                    for op in folder.pending.drain(..) {
                        change(&mut names, &op.changes);
                    }
                    *folder = SimFolder { durable: names.clone(), names, pending: Vec::new() };
                }
                NodeBody::Link(_) => {}
            }
        }
        for moved in &self.moves {
            found.find_moved_again(moved, &undone);
        }
        let reachable = found.reachable();
        found.nodes.retain(|ino, _| reachable.contains(ino));
        found
    }

    /// A rename never loses its file: see [`UnsyncedFate`].
    fn find_moved_again(&mut self, moved: &CrossFolderRename, undone: &BTreeMap<Ino, BTreeSet<u64>>) {
        let was_undone = |dir: &Ino| undone.get(dir).is_some_and(|ops| ops.contains(&moved.op));
        let reachable = self.reachable();
        let arrived = !was_undone(&moved.to.0) && reachable.contains(&moved.to.0);
        let left = !was_undone(&moved.from.0);
        if arrived || !left || reachable.contains(&moved.ino) {
            return;
        }
        let (old, new) = (&moved.from, &moved.to);
        if !self.restore_name(old, moved.ino, TakenName::Stays) {
            self.restore_name(new, moved.ino, TakenName::Replaced);
        }
    }

    fn restore_name(&mut self, (dir, name): &(Ino, std::ffi::OsString), ino: Ino, taken: TakenName) -> bool {
        let NodeBody::Dir(folder) = &mut self.node_mut(*dir).body else { return false };
        if taken == TakenName::Stays && folder.names.contains_key(name) {
            return false;
        }
        folder.names.insert(name.clone(), ino);
        folder.durable.insert(name.clone(), ino);
        true
    }

    fn reachable(&self) -> BTreeSet<Ino> {
        let mut reached = BTreeSet::from([ROOT]);
        let mut ahead = vec![ROOT];
        while let Some(dir) = ahead.pop() {
            let names: Option<&NameMap> = self.folder(dir).map(|folder| &folder.names);
            ahead.extend(
                names.into_iter().flat_map(NameMap::values).copied().filter(|ino| reached.insert(*ino)),
            );
        }
        reached
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TakenName {
    Stays,
    Replaced,
}

/// Decides how much of each thing survives.
enum Dice {
    Plain { names: bool, content: bool },
    Torn { state: u64 },
}

impl Dice {
    fn of(fate: UnsyncedFate) -> Self {
        match fate {
            UnsyncedFate::Lost => Self::Plain { names: false, content: false },
            UnsyncedFate::Kept => Self::Plain { names: true, content: true },
            UnsyncedFate::NamesOnly => Self::Plain { names: true, content: false },
            UnsyncedFate::DataOnly => Self::Plain { names: false, content: true },
            UnsyncedFate::Torn(seed) => Self::Torn { state: seed },
        }
    }

    fn names_kept(&mut self, pending_count: usize) -> usize {
        match self {
            Self::Plain { names, .. } => usize::from(*names) * pending_count,
            Self::Torn { state } => up_to(state, pending_count),
        }
    }

    fn content(&mut self, content: &SimContent) -> SimContent {
        let unsynced = content.bytes.len() - content.synced_len;
        let kept = match self {
            Self::Plain { content, .. } => usize::from(*content) * unsynced,
            Self::Torn { state } => up_to(state, unsynced),
        };
        let len = content.synced_len + kept;
        SimContent { bytes: content.bytes[..len].to_vec(), synced_len: len }
    }
}

/// A number from zero to `max`, by the generator known as SplitMix64.
fn up_to(state: &mut u64, max: usize) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    // The remainder is below a count that came from a `usize`.
    (mixed % (max as u64 + 1)) as usize
}
