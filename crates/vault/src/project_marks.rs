//! What tells a project whose folder was made anew from another project at the same path: commits that its repository
//! had, where that was cloned from, and files that were written in it.
//!
//! A restored backup, a copy on another machine and a repository that was cloned again are new folders and the
//! same project. A new project that takes the path of one that was deleted or moved is a new folder too, and
//! must see nothing of what was there before.

mod candidate_folder;
mod recognising;
mod taking;

pub(crate) use candidate_folder::CandidateFolder;

use serde::{Deserialize, Deserializer, Serialize};

/// How many files at least must be unchanged, even if half of the remembered ones are fewer.
const FILES_MIN: usize = 2;

/// The marks that recognise a project when its folder is another one than before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// When they were taken, in ms.
    #[serde(default)]
    pub taken: i64,
    /// When the first folder of this project was made, in nanoseconds, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_ns: Option<String>,
    /// Commits that were seen checked out: the first of all, then the latest, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<String>,
    /// A hash of the address that the repository was cloned from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Files that were written in the project, those that were left alone longest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileMark>,
    /// The project's path from the top of its repository, empty for the top itself; `None` outside of a repository, and
    /// in marks of an older program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    /// Of a project inside a repository, files that git tracks in it: the commits of the repository do not tell its
    /// folders apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tracked: Vec<TrackedMark>,
}

/// One file as git tracked it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackedMark {
    /// Its path from the project's root.
    pub path: String,
    /// The name of the object with its bytes, in hex.
    pub object: String,
}

/// One file as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMark {
    /// Its path from the project's root.
    pub path: String,
    /// Its size in bytes.
    pub len: u64,
    /// When it was last written, in nanoseconds, as text.
    pub modified_ns: String,
    /// A hash of its first bytes: two projects can have files of one size that were written at one time. `None` in marks
    /// of an older program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

impl Marks {
    /// Whether nothing was remembered.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Reads marks from a record. Damaged marks count as none, because the rest of the record is worth more.
    pub(crate) fn lenient<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        Ok(serde_json::from_value(value).unwrap_or_default())
    }

    /// Whether they say the same, whenever they were taken.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        *self == Self { taken: self.taken, ..other.clone() }
    }
}
