//! Memory of the home that no folder shows.

use crate::error::MemoryError;
use crate::service::Memory;
use brainstem_vault::{Brain, StorePlace};

impl Memory {
    /// The memory of this home that no folder shows.
    pub(crate) fn without_a_folder(&self) -> Result<Vec<(Brain, StorePlace)>, MemoryError> {
        let roster = self.home.roster()?;
        let gone = roster.brains.into_iter().filter(|brain| self.home.is_gone(&brain.root));
        let gone = gone.map(|brain| (brain.clone(), brain.place));
        let displaced = roster.displaced.into_iter().map(|displaced| (displaced.brain, displaced.lay_in));
        let aside = self.home.all_set_aside().into_iter().map(|brain| (brain.clone(), brain.place));
        Ok(gone.chain(displaced).chain(aside).collect())
    }
}
