//! A medulla that holds claims of projects, and migrations that were cut off.

use super::examined_store::ExaminedStore;
use super::finding::{Findings, Trouble};
use crate::service::Memory;
use brainstem_base::next::calls;
use brainstem_base::{DiskFault, advice};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// What a migration would do with the medulla.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MixedMedulla {
    /// The number of the migration that was cut off, if one was.
    pub open_migration: Option<u64>,
    /// The claims of the medulla that belong to projects.
    pub misplaced: Vec<MisplacedClaim>,
}

/// A claim of the medulla that belongs to a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MisplacedClaim {
    /// The name of its file, without the ending.
    pub id: String,
    /// The brain that it belongs to.
    pub brain: String,
}

/// How the service that migrates finds out what a migration would do. The doctor calls it with the memory that notes what
/// the disk does not give.
pub type FindMixed = fn(&Memory) -> MixedMedulla;

impl Memory {
    /// Names the claims of the medulla that a migration would move; returns the stems of their files.
    pub(super) fn examine_mixed(
        &self,
        medulla: &ExaminedStore,
        find: FindMixed,
        found: &mut Findings,
    ) -> HashSet<String> {
        let dir = &medulla.store.paths().claims;
        let mixed = find(self);
        if let Some(number) = mixed.open_migration {
            let detail = format!("migration {number} was cut off: claims may be live in two stores");
            found.add(Trouble::MigrationOpen, dir, detail, calls::migrate_apply());
        }
        let mut brains: BTreeMap<&str, usize> = BTreeMap::new();
        for claim in &mixed.misplaced {
            *brains.entry(&claim.brain).or_default() += 1;
        }
        let total = mixed.misplaced.len();
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
        mixed.misplaced.into_iter().map(|claim| claim.id).collect()
    }

    /// Looks at the index of a store.
    pub(super) fn examine_index(&self, examined: &ExaminedStore, found: &mut Findings) {
        let index = self.index.of(&examined.store.paths().claims);
        // The census names the folder, and no index can be written anew while it is closed.
        let is_closed =
            |folder: &Path| self.disk.list(folder).is_err_and(|error| error.fault() == DiskFault::ReadOnly);
        if index.file().parent().is_some_and(is_closed) {
            return;
        }
        if let Some(drift) = index.drift() {
            let fix = match &examined.root {
                Some(root) => calls::index_rebuild().at(root.display().to_string()),
                None if examined.is_medulla => calls::index_rebuild_of("medulla"),
                None => calls::index_rebuild_of("all-brains"),
            };
            found.add(
                Trouble::IndexDrift,
                index.file(),
                format!("the index of {}: {drift}", examined.name),
                fix,
            );
        }
    }
}
