//! A medulla that holds claims of projects, and migrations that were cut off.

use super::finding::{Findings, Trouble};
use super::patient::Patient;
use crate::service::Memory;
use crate::transfer::migrate::{MigrateRow, RowFate};
use brainstem_base::advice;
use brainstem_base::next::calls;
use std::collections::{BTreeMap, HashSet};

impl Memory {
    /// Looks for claims of the medulla that a migration would move; answers the stems of their files.
    pub(super) fn examine_mixed(&self, medulla: &Patient, found: &mut Findings) -> HashSet<String> {
        let dir = &medulla.store.paths().claims;
        if let Ok(Some(number)) = self.open_migration() {
            let detail = format!("migration {number} was cut off: claims may be live in two stores");
            found.add(Trouble::MigrationOpen, dir, detail, calls::migrate_apply());
        }
        // What cannot be read is named by whoever looks at that store.
        let rows = self.migrate_plan(&Default::default()).map(|plan| plan.rows).unwrap_or_default();
        let belongs = |row: &&MigrateRow| row.fate == RowFate::Moves && row.from == medulla.name;
        let mut brains: BTreeMap<&str, usize> = BTreeMap::new();
        for brain in rows.iter().filter(belongs).filter_map(|row| row.to.as_deref()) {
            *brains.entry(brain).or_default() += 1;
        }
        let total: usize = brains.values().sum();
        if total > 0 {
            let brains: Vec<String> =
                brains.iter().map(|(brain, count)| format!("{count} to {brain}")).collect();
            let detail = format!("{total} of its claims belong to projects: {}", brains.join(", "));
            found.add(
                Trouble::MedullaMixed,
                dir,
                detail,
                advice![calls::migrate_plan(), ", then ", calls::migrate_apply()],
            );
        }
        rows.iter().filter(belongs).map(|row| row.id.clone()).collect()
    }

    /// Looks at the index of a store.
    pub(super) fn examine_index(&self, patient: &Patient, found: &mut Findings) {
        let index = self.index.of(&patient.store.paths().claims);
        if let Some(drift) = index.drift() {
            let fix = match &patient.root {
                Some(root) => calls::index_rebuild().at(root.display().to_string()),
                None if patient.is_medulla => calls::index_rebuild_of("medulla"),
                None => calls::index_rebuild_of("all-brains"),
            };
            found.add(
                Trouble::IndexDrift,
                index.file(),
                format!("the index of {}: {drift}", patient.name),
                fix,
            );
        }
    }
}
