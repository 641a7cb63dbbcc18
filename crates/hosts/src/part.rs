//! One file of a host, and our part of it.

pub use crate::edit::{InsertedPart, RemovedPart, UnfitFile};
pub use crate::want::WantedValue;

use crate::json::{self, Dialect};
use crate::{section, toml};

/// A file of a host, with the content that it should have.
#[derive(Clone, Debug)]
pub struct WantedFile {
    /// The path below the project's root.
    pub file: &'static str,
    /// The content that it should have.
    pub content: WantedContent,
}

/// The content that a file should have.
#[derive(Clone, Debug)]
pub enum WantedContent {
    /// Values in a file of JSON.
    Json {
        /// Which JSON the host reads.
        dialect: Dialect,
        /// The values.
        wants: Vec<WantedValue>,
    },
    /// A table in a file of TOML.
    Toml {
        /// The names of the table, outermost first.
        table: &'static [&'static str],
        /// Its lines, without the header.
        lines: &'static [&'static str],
        /// The lines that earlier versions of this program wrote.
        before: &'static [&'static [&'static str]],
    },
    /// A section between markers.
    Section {
        /// The text between them.
        text: String,
    },
}

impl WantedContent {
    /// Puts our part into a text. What is there already stays as it is.
    pub fn insert(&self, text: &str) -> Result<InsertedPart, UnfitFile> {
        match self {
            Self::Json { dialect, wants } => {
                let older = json::without_older(text, *dialect, wants)?;
                Ok(renewed(json::insert(older.as_deref().unwrap_or(text), *dialect, wants)?, older.is_some()))
            }
            Self::Toml { table, lines, before } => {
                let older = toml::without_older(text, table, before)?;
                Ok(renewed(toml::insert(older.as_deref().unwrap_or(text), table, lines)?, older.is_some()))
            }
            Self::Section { text: wanted } => section::insert(text, wanted),
        }
    }

    /// Takes our part out of a text, wherever it is, if it is as we wrote it. Of a file of JSON the values in `keep`
    /// stay: they were there before.
    pub fn remove(
        &self,
        text: &str,
        made: Option<&[String]>,
        keep: &[String],
    ) -> Result<RemovedPart, UnfitFile> {
        match self {
            Self::Json { dialect, wants } => {
                let ours = wants.iter().filter(|want| !keep.contains(&want.path.join("/")));
                json::remove(text, *dialect, &ours.cloned().collect::<Vec<_>>(), made)
            }
            Self::Toml { table, lines, before } => {
                let older = before.iter().copied().find(|before| toml::is_written(text, table, before));
                toml::remove(text, table, older.unwrap_or(lines))
            }
            Self::Section { .. } => section::remove(text),
        }
    }

    /// What it is for, in words for a person.
    pub fn purpose(&self) -> &'static str {
        const SERVER: &str = "the MCP server, with the tools";
        const HOOKS: &str = "hooks, which show what is remembered when a session starts";
        match self {
            Self::Json { wants, .. } => {
                let is_hook = |want: &WantedValue| want.path.first() == Some(&"hooks");
                let is_server = |want: &WantedValue| want.path.contains(&crate::program::SERVER);
                match (wants.iter().any(is_hook), wants.iter().any(is_server)) {
                    (true, false) => HOOKS,
                    (true, true) => "the MCP server, with the tools, and hooks",
                    (false, _) => SERVER,
                }
            }
            Self::Toml { .. } => SERVER,
            Self::Section { .. } => "a section that says when to use them",
        }
    }

    /// Whether anything of ours is in a text.
    pub fn is_in(&self, text: &str) -> bool {
        self.insert(text).is_ok_and(|inserted| inserted.was_there)
    }
}

/// Clears the steps of an insertion that replaced an older form: they lead back to a text without that form, and not to
/// the one that was there.
fn renewed(inserted: InsertedPart, was_older: bool) -> InsertedPart {
    if was_older {
        InsertedPart { steps: Vec::new(), exact: false, was_there: true, ..inserted }
    } else {
        inserted
    }
}
