//! Whether a project's memory travels with git, and how git can commit a private one.

use brainstem_base::next::{Shell, calls, shell_word};
use brainstem_base::{Advice, advice};
use std::path::Path;

/// Whether the repository's memory travels with git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitSharing {
    /// It is committed.
    Committed,
    /// It stays out of git.
    Private,
    /// The record of it could not be read. Nothing is written into the repository until it can be.
    Unread,
}

/// How git can commit the memory of a private project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exposed {
    /// Git tracks files in the folder: a change of those is committed, even if new files are kept out.
    Tracked,
    /// The file beside the claims that keeps them out of git is missing, or has other content.
    NotIgnored,
}

impl Exposed {
    /// What a person can do about it, for the repository with this folder of memory: the caller may be in another folder, or
    /// in a worktree, of which git has other files.
    pub fn fix(self, folder: &Path) -> Advice {
        let root = shell_word(&folder.parent().unwrap_or(folder).display().to_string());
        match self {
            Self::Tracked => advice![
                "if git may have all of it: ",
                calls::init_shared(),
                "; if not: ",
                Shell::line(format!("git -C {root} rm -r --cached .brainstem")),
                ", then ",
                calls::init(),
                ", which keeps the folder out, then commit: that takes it out of git for everyone who pulls; or ",
                calls::eject(),
                " takes the memory home, and git shows the files that it tracks as deleted"
            ],
            Self::NotIgnored => advice![calls::init(), " keeps it out of git again; then repeat"],
        }
    }
}
