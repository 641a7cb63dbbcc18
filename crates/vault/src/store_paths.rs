//! The paths of the parts of a store.

use crate::sharing::GitSharing;
use std::path::PathBuf;

/// The paths of the parts of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorePaths {
    /// Live claims.
    pub claims: PathBuf,
    /// Versions that are no longer live.
    pub history: PathBuf,
    /// Lock files.
    pub locks: PathBuf,
    /// The acts log.
    pub acts: PathBuf,
    /// For claims in a repository: copies of every version under the home, where no git command reaches them.
    pub kept: Option<PathBuf>,
    /// For a brain's store: the record that says whether its claims are still there.
    pub placed: Option<Placed>,
}

/// The place of a brain's store, and the record that says so. A writer that waited for a lock while `init` or `eject`
/// ran reads it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The brain's `root.json`.
    pub record: PathBuf,
    /// The place this store is for.
    pub place: StorePlace,
    /// For a store in a repository: where claims were before.
    pub owner: Option<PathBuf>,
    /// Whether what is in the repository may be committed.
    pub sharing: GitSharing,
}

/// Where a brain's claims are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorePlace {
    /// Under the home.
    Owner,
    /// In the repository, travelling with git.
    Repo,
}

impl StorePlace {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Repo => "repo",
        }
    }
}
