//! What an export is asked for, and what it answers.

use brainstem_memory::Gap;
use brainstem_vault::mail::MessageCount;
use serde_json::Value;
use std::path::PathBuf;

/// What to export.
#[derive(Clone, Debug)]
pub struct ExportRequest {
    /// Of what.
    pub scope: ExportScope,
    /// In which form.
    pub format: Format,
    /// To where; absent means into the answer.
    pub out: Option<PathBuf>,
}

/// Of what an export is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportScope {
    /// The caller's own brain.
    Project,
    /// The medulla.
    Medulla,
    /// Every brain of the home, and the medulla.
    All,
}

/// The form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON lines.
    JsonLines,
    /// A plain copy of the folders.
    Folder,
}

/// The mail of a project that an export leaves where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailLeftOut {
    /// The project's brain.
    pub brain: String,
    /// The folder of its boxes.
    pub path: PathBuf,
    /// How many messages are there.
    pub messages: MessageCount,
}

/// What was exported.
#[derive(Clone, Debug, Default)]
pub struct Exported {
    /// The lines, where they go into the answer.
    pub lines: Option<Vec<Value>>,
    /// Where they went otherwise.
    pub path: Option<PathBuf>,
    /// Stores.
    pub stores: usize,
    /// Live claims.
    pub claims: usize,
    /// Versions of history.
    pub versions: usize,
    /// Recorded acts.
    pub acts: usize,
    /// The mail of these projects, which is not in the export.
    pub mail_left_out: Vec<MailLeftOut>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}
