//! Where the parts of a store lie.

use crate::sharing::GitSharing;
use std::path::PathBuf;

/// Where the parts of a store lie.
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
    /// For claims that lie in a repository: copies of every version under the home, where no checkout
    /// and no clean reaches them.
    pub kept: Option<PathBuf>,
    /// For a brain's store: how to see that its claims still lie there.
    pub placed: Option<Placed>,
}

/// Which of its two places a brain's store is in, and the record that says so. A writer that waited for a
/// lock while `init` or `eject` ran looks at it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The brain's `root.json`.
    pub record: PathBuf,
    /// The place this store is for.
    pub place: StorePlace,
    /// For a store in a repository: where claims lay before.
    pub owner: Option<PathBuf>,
    /// Whether what lies in the repository may be committed.
    pub sharing: GitSharing,
}

/// Where a brain's claims lie.
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
