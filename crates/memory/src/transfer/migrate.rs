//! `migrate`: sorts a mixed store. Claims of projects that lie in the medulla go where they belong, doctrine
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

use crate::error::MemoryError;
use crate::service::Memory;
use brainstem_base::disk::LockGuard;
use brainstem_vault::store::LOCK_WAIT;
use brainstem_vault::{StoreError, durable};

impl Memory {
    /// Says what a migration would do, and changes nothing.
    pub fn migrate_plan(&self, request: &MigrateRequest) -> Result<Migration, MemoryError> {
        let numbers = self.migrations()?;
        let inventory = self.inventory(request, numbers.open())?;
        let mut plan = inventory.told();
        if let Some(open) = numbers.open() {
            plan.notes.push(format!("migration {open} was cut off: migrate apply completes it").into());
        }
        Ok(plan)
    }

    /// The migration that was cut off, if one was.
    pub(crate) fn open_migration(&self) -> Result<Option<u64>, MemoryError> {
        Ok(self.migrations()?.open())
    }

    /// One migration at a time, in every process.
    fn migration_lock(&self) -> Result<Box<dyn LockGuard>, StoreError> {
        let lock = self.home.medulla().paths().locks.join("migrate");
        durable::lock(&*self.disk, &lock, LOCK_WAIT).map_err(StoreError::disk("cannot lock the migrations"))
    }
}
