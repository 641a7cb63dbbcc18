//! The indexes of all stores of a home.

use crate::parts::IndexParts;
use crate::publish;
use crate::store_index::StoreIndex;
use brainstem_base::{DiskError, DiskFault};
use brainstem_recall::rank::Direction;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The indexes of one home that this process has open.
pub struct HomeIndex {
    parts: IndexParts,
    open: Mutex<HashMap<PathBuf, Arc<StoreIndex>>>,
    asked: Mutex<Vec<(String, Option<Direction>)>>,
    one_question: AtomicBool,
}

/// How many vectors of questions are kept: one question is asked of many stores, one after the other.
const ASKED_MAX: usize = 4;

impl HomeIndex {
    /// The indexes of the home whose index folder this is.
    pub fn new(parts: IndexParts) -> Self {
        Self { parts, open: Mutex::default(), asked: Mutex::default(), one_question: AtomicBool::new(false) }
    }

    /// The index of the store whose claims are in this folder.
    pub fn of(&self, claims: &Path) -> Arc<StoreIndex> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let watched = !self.is_for_one_question();
        let make = || Arc::new(StoreIndex::new(self.parts.clone(), claims.to_owned(), watched));
        open.entry(claims.to_owned()).or_insert_with(make).clone()
    }

    /// Says that this process ends after one question: nothing is watched, because ending a watch takes longer than the
    /// question.
    pub fn for_one_question(&self) {
        self.one_question.store(true, Ordering::Relaxed);
    }

    /// Whether this process ends after one question.
    pub fn is_for_one_question(&self) -> bool {
        self.one_question.load(Ordering::Relaxed)
    }

    /// The indexes that this process has used, in no particular order.
    pub fn opened(&self) -> Vec<Arc<StoreIndex>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// The vector of a question; it is kept, so that the same question is not computed again.
    pub fn question(&self, text: &str) -> Option<Direction> {
        let asked = || self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = asked().iter().find(|(known, _)| known == text) {
            return known.clone();
        }
        let meaning = self.parts.embedder.question(text);
        let mut asked = asked();
        asked.truncate(ASKED_MAX - 1);
        asked.insert(0, (text.to_owned(), meaning.clone()));
        meaning
    }

    /// Removes the files of stores that are no longer in any of these folders: they moved, and their words stayed in
    /// the index.
    pub fn purge_all_but(&self, stores: &[PathBuf]) -> Result<(), DiskError> {
        let known: Vec<PathBuf> =
            stores.iter().map(|claims| StoreIndex::file_of(&self.parts.folder, claims)).collect();
        let entries = match self.parts.disk.list(&self.parts.folder) {
            Err(error) if error.fault() != DiskFault::NotFound => return Err(error),
            listed => listed.unwrap_or_default(),
        };
        for path in entries.iter().map(|entry| self.parts.folder.join(&entry.name)) {
            let is_ours = path.extension().is_some_and(|kind| kind == "segment" || kind == "tmp");
            if is_ours && !known.iter().any(|file| publish::is_of(&path, file)) {
                match self.parts.disk.unlink(&path) {
                    Err(error) if error.fault() != DiskFault::NotFound => return Err(error),
                    _ => self.parts.disk.sync_dir(&self.parts.folder)?,
                }
            }
        }
        Ok(())
    }
}
