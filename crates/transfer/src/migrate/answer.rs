//! What is asked of a migration, and what it answers.

use brainstem_base::Advice;
use brainstem_memory::Gap;
use std::path::PathBuf;

/// How to sort.
#[derive(Clone, Debug, Default)]
pub struct MigrateRequest {
    /// Where a person has decided that claims belong: `LABEL=BRAIN`, or `LABEL=medulla` for what stays.
    pub decide: Vec<String>,
}

/// A migration: planned, or done.
#[derive(Clone, Debug, Default)]
pub struct Migration {
    /// Its number, once something was done.
    pub number: Option<u64>,
    /// One row for each claim.
    pub rows: Vec<MigrateRow>,
    /// The brains whose root is gone.
    pub ghosts: Vec<Ghost>,
    /// What was counted afterwards.
    pub gates: Option<Gates>,
    /// What the caller should know besides.
    pub notes: Vec<Advice>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// One claim, and its one destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrateRow {
    /// Its label; its file where it is no readable claim.
    pub label: String,
    /// The stem of its file.
    pub id: String,
    /// Its store: `medulla`, or a brain whose root is gone.
    pub from: String,
    /// The root of that brain; `None` for the medulla.
    pub from_root: Option<PathBuf>,
    /// The brain it goes to.
    pub to: Option<String>,
    /// The root of that brain: two projects can have one name and one id.
    pub to_root: Option<PathBuf>,
    /// What becomes of it.
    pub fate: RowFate,
    /// Why.
    pub reason: String,
}

/// What becomes of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFate {
    /// It would go to a project.
    Moves,
    /// It went to a project.
    Moved,
    /// It is doctrine, and stays.
    Doctrine,
    /// It stays because of doubt, or because something is in the way.
    Flagged,
    /// It is back where it was.
    Back,
    /// Something was done to it since it moved, so it stays as it is.
    Stays,
}

impl RowFate {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Moves => "moves",
            Self::Moved => "moved",
            Self::Doctrine => "doctrine",
            Self::Flagged => "flagged",
            Self::Back => "back",
            Self::Stays => "stays",
        }
    }
}

/// A brain whose root is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ghost {
    /// The brain.
    pub origin: String,
    /// The root that is gone.
    pub root: PathBuf,
    /// Its folder.
    pub folder: PathBuf,
    /// Whether it is, or would be, set aside.
    pub swept: bool,
    /// Why, or why not.
    pub reason: String,
}

/// What was counted after a migration: every claim of the inventory, in exactly one live store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gates {
    /// The claims of the inventory.
    pub before: usize,
    /// Those that are live in a project.
    pub projects: usize,
    /// Those that are live in the medulla.
    pub medulla: usize,
    /// Those that another agent took back, renamed or forgot meanwhile, as the acts say.
    pub left: usize,
    /// Those that are live in two stores.
    pub twice: usize,
    /// Those that are live in none, and no act says why.
    pub missing: usize,
    /// Those that could not be looked at.
    pub unread: usize,
}

impl Gates {
    /// Whether every claim is live exactly once, or left for a reason.
    pub fn hold(&self) -> bool {
        let found = self.projects + self.medulla + self.left;
        self.before == found && self.twice == 0 && self.missing == 0 && self.unread == 0
    }
}

/// A migration that was undone.
#[derive(Clone, Debug)]
pub struct RolledBack {
    /// Its number.
    pub number: u64,
    /// The claims that are back, and those that stay because something was done to them since.
    pub rows: Vec<MigrateRow>,
    /// The folders of brains that are back.
    pub brains: Vec<String>,
    /// What the caller should know besides.
    pub notes: Vec<Advice>,
}
