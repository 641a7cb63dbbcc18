//! The store that what is imported goes into.

use crate::error::MemoryError;
use crate::service::Memory;
use crate::writing::target::Target;
use brainstem_caller::Caller;
use brainstem_claims::lifecycle::{FilePlace, MEDULLA};
use brainstem_vault::Brain;

impl Memory {
    /// The store that what is imported goes into. A dry run makes and remembers nothing.
    pub(super) fn import_target(
        &self,
        caller: &Caller,
        tier: Option<&str>,
        dry_run: bool,
    ) -> Result<Target, MemoryError> {
        match tier {
            None | Some("project") if dry_run => {
                let brain = self.bound(caller)?;
                Ok(self.target_of(brain))
            }
            Some(MEDULLA) if dry_run => {
                let store = self.home.medulla();
                Ok(Target { store, origin: MEDULLA.into(), place: FilePlace::Medulla, root: None })
            }
            tier => self.target(caller, tier, "tier to import into", "MEM-42"),
        }
    }

    /// The store of a brain that the caller need not stand in.
    pub(super) fn target_of(&self, brain: Brain) -> Target {
        let (store, origin) = (self.store_of(&brain), brain.origin());
        Target { store, origin, place: FilePlace::Project, root: Some(brain.root) }
    }
}
