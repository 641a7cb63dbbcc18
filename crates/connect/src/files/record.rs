//! The record of how to take back exactly what was written for hosts. It is local. If it is lost, what was written is found by
//! its content. If it exists and cannot be read, the call stops: it may say what was in the files before. It holds only this
//! program's own words, never a word of the files themselves.

use brainstem_base::hash::sha256_hex;
use brainstem_base::{Disk, DiskFault};
use brainstem_hosts::Step;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The folder of the records, below the home: one record for each folder with such files.
pub(super) const FOLDER: &str = "local/hosts";
/// The largest record that is read.
pub(super) const LEN_MAX: u64 = 1024 * 1024;

/// What this program wrote into the files of one project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The hosts that were connected from here.
    pub(super) hosts: BTreeSet<String>,
    /// The files, by their names below the root.
    pub(super) files: BTreeMap<String, FileRecord>,
    /// Files that had what a host needs before this program wrote into them. That is not ours to take out.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) found: BTreeSet<String>,
    /// The number and birth of the project's folder, where the file system tells them: the record is found by it when the
    /// project was moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) folder: Option<String>,
}

/// What was written into one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileRecord {
    /// The hash of the whole text afterwards.
    pub(super) after: String,
    /// The file did not exist before.
    pub(super) created: bool,
    /// The steps are all that was written.
    pub(super) exact: bool,
    /// What was inserted, in order.
    pub(super) steps: Vec<Inserted>,
    /// The keys that were made.
    pub(super) made: Vec<String>,
    /// The folders that were made.
    pub(super) dirs: Vec<String>,
    /// The values that were in the file before this program wrote into it, each by the keys that lead to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) before: Vec<String>,
}

/// One insertion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Inserted {
    at: usize,
    text: String,
}

impl From<Step> for Inserted {
    fn from(step: Step) -> Self {
        Self { at: step.at, text: step.text }
    }
}

impl From<&Inserted> for Step {
    fn from(inserted: &Inserted) -> Self {
        Self { at: inserted.at, text: inserted.text.clone() }
    }
}

impl Record {
    /// Reads a record; a missing one is empty. The error says why an existing one cannot be read.
    pub(super) fn read(disk: &dyn Disk, path: &Path) -> Result<Self, String> {
        match disk.read(path, LEN_MAX) {
            Ok(bytes) => {
                serde_json::from_slice(&bytes).map_err(|_| "it does not read as such a record".to_owned())
            }
            Err(error) if error.fault() == DiskFault::NotFound => Ok(Self::default()),
            Err(error) => Err(error.fault().to_string()),
        }
    }

    /// Whether it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.hosts.is_empty() && self.files.is_empty() && self.found.is_empty()
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("plain data");
        bytes.push(b'\n');
        bytes
    }
}

/// A digest that identifies a text.
pub(super) fn digest(text: &str) -> String {
    sha256_hex(text.as_bytes(), 64)
}
