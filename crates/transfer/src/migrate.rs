//! `migrate`: sorts a mixed store. Claims of projects that are in the medulla go where they belong, doctrine
//! stays as it is, and doubt stays and is named. Each apply is a numbered migration that can be undone.
//!
//! The acts are the only record of a migration: the log of the store that a claim leaves says where it went
//! and what it was, so that forgetting a claim forgets that too.

mod answer;
mod apply;
mod gates;
mod inventory;
mod numbers;
mod rollback;
mod since;

pub use answer::{Gates, Ghost, MigrateRequest, MigrateRow, Migration, RolledBack, RowFate};

use crate::service::Transfer;
use brainstem_base::disk::LockGuard;
use brainstem_claims::lifecycle::MEDULLA;
use brainstem_memory::{Memory, MemoryError, MisplacedClaim, MixedMedulla};
use brainstem_vault::store::LOCK_WAIT;
use brainstem_vault::{StoreError, durable};

impl Transfer {
    /// Says what a migration would do, and changes nothing.
    pub fn migrate_plan(&self, request: &MigrateRequest) -> Result<Migration, MemoryError> {
        let numbers = self.migrations()?;
        let inventory = self.inventory(request, numbers.open())?;
        let mut plan = inventory.plan();
        if let Some(open) = numbers.open() {
            plan.notes.push(format!("migration {open} was cut off: migrate apply completes it").into());
        }
        Ok(plan)
    }

    /// One migration at a time, in every process.
    fn migration_lock(&self) -> Result<Box<dyn LockGuard>, StoreError> {
        let lock = self.home().medulla().paths().locks.join("migrate");
        durable::lock(self.disk(), &lock, LOCK_WAIT).map_err(StoreError::disk("cannot lock the migrations"))
    }
}

/// Returns what a migration would do with the medulla, for `doctor`. A store that cannot be read counts as one without
/// such claims: the doctor names it by itself.
pub fn mixed_medulla(memory: &Memory) -> MixedMedulla {
    let transfer = Transfer::new(memory);
    let open_migration = transfer.migrations().ok().and_then(|numbers| numbers.open());
    let rows = transfer.migrate_plan(&MigrateRequest::default()).map(|plan| plan.rows).unwrap_or_default();
    let leaving = rows.into_iter().filter(|row| row.fate == RowFate::Moves && row.from == MEDULLA);
    MixedMedulla {
        open_migration,
        misplaced: leaving.filter_map(|row| Some(MisplacedClaim { id: row.id, brain: row.to? })).collect(),
    }
}
