//! What was forgotten in a store, read once for every change of its acts.

use brainstem_base::disk::FileStamp;
use brainstem_vault::Store;
use brainstem_vault::tombstones::Tombstones;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The tombstones of stores, by the file of their acts, with the prints of the logs they were read from.
#[derive(Debug, Default)]
pub(crate) struct Graveyard(Mutex<HashMap<PathBuf, Read>>);

type Read = (Vec<Option<FileStamp>>, Arc<Tombstones>);

impl Graveyard {
    /// Returns the tombstones of a store.
    pub(crate) fn of(&self, store: &Store) -> Arc<Tombstones> {
        // Before they are read: what is written meanwhile changes the print.
        let prints: Vec<Option<FileStamp>> = store.logs().iter().map(|log| log.stamp()).collect();
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((seen, tombstones)) = known().get(&store.paths().acts)
            && *seen == prints
        {
            return tombstones.clone();
        }
        // Read without the lock: a store that hangs holds up no other.
        let Ok(read) = store.all_tombstones() else {
            // What the other log says holds for this answer; the next one reads both anew.
            return Arc::new(store.tombstones());
        };
        let read = Arc::new(read);
        known().insert(store.paths().acts.clone(), (prints, read.clone()));
        read
    }
}
