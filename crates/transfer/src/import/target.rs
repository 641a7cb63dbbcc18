//! The store that what is imported goes into.

use crate::service::Transfer;
use brainstem_caller::Caller;
use brainstem_memory::store_work::{self, Target};
use brainstem_memory::{MemoryError, WriteTier};

impl Transfer {
    /// The store that what is imported goes into. A dry run makes and remembers nothing.
    pub(super) fn import_target(
        &self,
        caller: &Caller,
        tier: Option<WriteTier>,
        dry_run: bool,
    ) -> Result<Target, MemoryError> {
        if dry_run {
            store_work::target_seen(self.memory(), caller, tier)
        } else {
            store_work::target(self.memory(), caller, tier)
        }
    }
}
