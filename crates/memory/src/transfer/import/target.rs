//! The store that what is imported goes into.

use crate::error::MemoryError;
use crate::service::Memory;
use crate::writing::target::{Target, WriteTier};
use brainstem_caller::Caller;

impl Memory {
    /// The store that what is imported goes into. A dry run makes and remembers nothing.
    pub(super) fn import_target(
        &self,
        caller: &Caller,
        tier: Option<WriteTier>,
        dry_run: bool,
    ) -> Result<Target, MemoryError> {
        if dry_run { self.target_seen(caller, tier) } else { self.target(caller, tier) }
    }
}
