//! Recording acts that are not upon a claim, in the store's present place.

use crate::{ActsLog, Store, StoreError};
use brainstem_claims::ClaimSlug;

impl Store {
    /// Reads the log and records what follows from it in one step: no other process does so under this name meanwhile,
    /// and the store does not move into a repository or out of it.
    pub fn record_in_one_step<T, E: From<StoreError>>(
        &self,
        name: &ClaimSlug,
        note: impl FnOnce(&ActsLog) -> Result<T, E>,
    ) -> Result<T, E> {
        let _guard = self.lock(name)?;
        self.prepare_absent()?;
        note(&self.acts())
    }
}
