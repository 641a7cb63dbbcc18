//! The search index: derived from the claim files and never the only copy of anything.
//!
//! Each store has one file under the home's `index` folder: a [segment](brainstem_recall::segment) that
//! processes map and share. What came since the segment was written is read from the claim files into a
//! small segment of this process, so that a claim is in the very next recall of every process and no write
//! ever waits for an index. A file that is missing, cut, damaged or of another program is no index; the
//! claims are then read themselves.

mod meanings;
mod read;
mod settle;
mod snapshot;
mod store_index;

pub use meanings::{BuiltIn, Meanings, Quantised, WordsAlone};
pub use settle::{KeepOn, Settled, Until};
pub use snapshot::Snapshot;
pub use store_index::StoreIndex;

use brainstem_base::{Clock, Disk, DiskError, DiskFault, Ids};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The folder of the home that holds the files.
pub const FOLDER: &str = "index";

/// The indexes of one home, as this process has them open.
pub struct Index {
    parts: Parts,
    open: Mutex<HashMap<PathBuf, Arc<StoreIndex>>>,
}

/// What an index works with.
#[derive(Clone)]
pub struct Parts {
    /// The disk.
    pub disk: Arc<dyn Disk>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of ids, for names of files in the making.
    pub ids: Arc<dyn Ids>,
    /// What texts mean.
    pub meanings: Arc<dyn Meanings>,
    /// The folder for the files.
    pub folder: PathBuf,
}

impl Index {
    /// The indexes of the home whose index folder this is.
    pub fn new(parts: Parts) -> Self {
        Self { parts, open: Mutex::default() }
    }

    /// The index of the store whose claims lie in this folder.
    pub fn of(&self, claims: &Path) -> Arc<StoreIndex> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || Arc::new(StoreIndex::new(self.parts.clone(), claims.to_owned()));
        open.entry(claims.to_owned()).or_insert_with(make).clone()
    }

    /// The indexes this process has asked, in no particular order.
    pub fn opened(&self) -> Vec<Arc<StoreIndex>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Removes the files of stores that lie in none of these folders any more: they moved, and left what
    /// they said.
    pub fn purge_all_but(&self, stores: &[PathBuf]) -> Result<(), DiskError> {
        let known: Vec<PathBuf> =
            stores.iter().map(|claims| StoreIndex::file_of(&self.parts.folder, claims)).collect();
        let entries = match self.parts.disk.list(&self.parts.folder) {
            Err(error) if error.fault() != DiskFault::NotFound => return Err(error),
            listed => listed.unwrap_or_default(),
        };
        for path in entries.iter().map(|entry| self.parts.folder.join(&entry.name)) {
            let is_ours = path.extension().is_some_and(|kind| kind == "segment" || kind == "tmp");
            if is_ours && !known.iter().any(|file| settle::is_of(&path, file)) {
                match self.parts.disk.unlink(&path) {
                    Err(error) if error.fault() != DiskFault::NotFound => return Err(error),
                    _ => self.parts.disk.sync_dir(&self.parts.folder)?,
                }
            }
        }
        Ok(())
    }

    /// What texts mean.
    pub fn meanings(&self) -> &dyn Meanings {
        &*self.parts.meanings
    }
}
