//! Acts upon no claim, recorded where the store lies at that moment.

use crate::{ActsLog, Store, StoreError};
use brainstem_claims::ClaimSlug;

impl Store {
    /// Looks at the log and records what follows from it in one step: nobody else does so under this name
    /// meanwhile, and the store does not move into a repository or out of it.
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
