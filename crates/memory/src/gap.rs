//! What an answer could not look at, or did not find.

use brainstem_base::{Advice, Coded as _, advice};
use brainstem_claims::lifecycle::MEDULLA;
use brainstem_vault::scan::UnreadableClaim;
use brainstem_vault::{Store, StoreError};

/// Something recall could not look at, or did not find; named, never an absence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// A stable name for programs.
    pub name: &'static str,
    /// What it is, for people.
    pub detail: Advice,
}

/// The gap that names a brain whose root is gone.
pub(crate) const ROOT_GONE: &str = "root_gone";
/// The gap that names a brain which was made at the path of a worktree and is not served there.
pub(crate) const WORKTREE_BRAIN: &str = "worktree_brain";

/// The gaps that tell of claims which exist, or may exist, and are not shown: over such a gap nothing found is no
/// word about what there is.
const UNSEEN: &[&str] = &[
    "store_unreadable",
    "unreadable_brain",
    "brains_unreadable",
    "medulla_unreadable",
    "medulla_timeout",
    "absent_here",
    "kept_unreadable",
    "owner_side_claims",
    "repository_claims",
    "root_replaced",
    ROOT_GONE,
    "set_aside",
    "claims_gone",
];

/// Whether a gap of this name tells of claims that exist, or may exist, and are not shown.
pub fn is_unseen(gap: &str) -> bool {
    UNSEEN.contains(&gap)
}

impl Gap {
    /// Something of this name.
    pub fn new(name: &'static str, detail: impl Into<Advice>) -> Self {
        Self { name, detail: detail.into() }
    }

    /// A file that has a claim's name and could not be read as one.
    pub(crate) fn unreadable(bad: &UnreadableClaim) -> Self {
        let mut detail = Advice::from(format!("`{}`: {}", bad.path.display(), bad.why));
        bad.merge_anew().into_iter().for_each(|fix| detail.push(advice!["; ", fix]));
        Self::new("unreadable_claim", detail)
    }

    pub(crate) fn store(whose: &str, error: &StoreError) -> Self {
        let whose = if whose == MEDULLA { "the medulla" } else { whose };
        Self::new("store_unreadable", format!("the store of {whose}: {error} [{}]", error.code().name()))
    }

    /// Says that this home's list of what was written through it cannot be read.
    pub(crate) fn written_here(whose: &str, store: &Store) -> Option<Self> {
        let error = store.check_written_here().err()?;
        let detail = format!(
            "the claims of {whose}: {error} [{}]; until it can be read, each claim that names a person or calls itself verified is \
             marked as unrecorded",
            error.code().name()
        );
        Some(Self::new("acts_unreadable", detail))
    }
}
