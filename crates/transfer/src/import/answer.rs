//! What is asked of an import, and what it answers.

use brainstem_base::{Advice, ErrorCode};
use brainstem_memory::Gap;
use std::path::PathBuf;

/// What to import.
#[derive(Clone, Debug)]
pub struct ImportRequest {
    /// A file made by export, or a folder with claim files.
    pub path: PathBuf,
    /// Of an export of several brains: the one that goes into the caller's own.
    pub from: Option<String>,
    /// `medulla` for a folder whose claims are doctrine; absent means the caller's own brain.
    pub tier: Option<String>,
    /// Each claim of a folder goes to the brain it belongs to, as in a migration.
    pub sort: bool,
    /// Only say what would be taken.
    pub dry_run: bool,
}

/// What an import did.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// Claims whose label was new.
    pub born: usize,
    /// Claims that took the place of another.
    pub superseded: usize,
    /// Claims that were there already.
    pub unchanged: usize,
    /// Versions that history did not have.
    pub versions: usize,
    /// Acts that were not on record.
    pub acts: usize,
    /// Boot keys that were not here.
    pub boot_keys: usize,
    /// What was not taken, each with why.
    pub not_taken: Vec<NotTaken>,
    /// What was taken into the medulla because nothing says where it belongs.
    pub flagged: Vec<Flagged>,
    /// What would become of each file, where nothing was taken yet.
    pub rows: Vec<ImportRow>,
    /// Files of field reports that were found. They are letters, which are taken in by others.
    pub letter_files: Vec<PathBuf>,
    /// What the caller should know besides.
    pub gaps: Vec<Gap>,
}

/// What would become of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportRow {
    /// The file, or its name in the export.
    pub name: String,
    /// Its label, where it is a readable claim.
    pub label: Option<String>,
    /// The store it goes to.
    pub to: String,
    /// The root of that store's brain, where several clones of this home have one brain.
    pub root: Option<PathBuf>,
    /// `born`, `superseded`, `unchanged` or `version`.
    pub outcome: &'static str,
}

/// Something that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotTaken {
    /// Its file, or its line.
    pub name: String,
    /// Its label, if it is a readable claim of one.
    pub label: Option<String>,
    /// The code of the refusal.
    pub code: ErrorCode,
    /// Why.
    pub why: String,
    /// What takes it.
    pub fix: Option<Advice>,
}

/// A claim that was taken and of which it is not known where it belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flagged {
    /// Its label.
    pub label: String,
    /// Why that is not known.
    pub why: String,
    /// What gives it its place.
    pub fix: Advice,
}

impl Imported {
    /// How much was taken that was not here.
    pub(super) fn taken(&self) -> usize {
        self.born + self.superseded + self.versions
    }
}
