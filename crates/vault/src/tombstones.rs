//! What was forgotten in a store, read from its logs.

use crate::StoreError;
use crate::store::Store;
use brainstem_claims::act::DeedKind;
pub use brainstem_claims::folds::tombstones::Tombstones;

impl Store {
    /// What was forgotten here, or in another clone whose acts came along. A log that cannot be read says
    /// nothing about it.
    pub fn tombstones(&self) -> Tombstones {
        let acts =
            self.logs().into_iter().flat_map(|log| log.read_only(DeedKind::Forget).unwrap_or_default());
        Tombstones::of(&acts.collect::<Vec<_>>())
    }

    /// The same, where each log could be read.
    pub fn all_tombstones(&self) -> Result<Tombstones, StoreError> {
        let mut acts = Vec::new();
        for log in self.logs() {
            acts.extend(log.read_only(DeedKind::Forget)?);
        }
        Ok(Tombstones::of(&acts))
    }
}
