//! Whether a project's memory travels with git, and how git can take one that is private.

use brainstem_base::next::{Shell, calls};
use brainstem_base::{Advice, advice};

/// Whether the repository's memory travels with git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitSharing {
    /// It is committed.
    Committed,
    /// It stays out of git.
    Private,
    /// What says so could not be read. Nothing is written into the repository until it can be.
    Unread,
}

/// How git can take the memory of a private project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exposed {
    /// Git tracks files in the folder: whatever keeps new ones out, a change of those is committed.
    Tracked,
    /// The file beside the claims that keeps them out of git is not there, or says something else.
    NotIgnored,
}

impl Exposed {
    /// What a person can do about it.
    pub fn fix(self) -> Advice {
        match self {
            Self::Tracked => advice![
                "if git may have all of it: ",
                calls::init_shared(),
                "; if not: ",
                Shell::line("git rm -r --cached .brainstem"),
                " and commit takes it out of git for everyone who pulls, or ",
                calls::eject(),
                " takes the memory home, and git shows the files that it tracks as deleted"
            ],
            Self::NotIgnored => advice![calls::init(), " keeps it out of git again; then repeat"],
        }
    }
}
