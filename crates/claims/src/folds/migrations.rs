//! Which migrations there were, by their numbers.

use crate::act::{Act, Deed, DeedKind};
use std::collections::BTreeSet;

/// The acts that migrations are read from.
pub const MIGRATION_ACTS: &[DeedKind] =
    &[DeedKind::MigrateBegin, DeedKind::MigrateEnd, DeedKind::MigrateRollback];

/// The migrations of a home.
#[derive(Debug, Default)]
pub struct Migrations {
    begun: BTreeSet<u64>,
    ended: BTreeSet<u64>,
    undone: BTreeSet<u64>,
}

impl Migrations {
    /// Those on record.
    pub fn of(acts: &[Act]) -> Self {
        let mut found = Self::default();
        for act in acts {
            match act.deed() {
                Deed::MigrateBegin { migration } => drop(found.begun.insert(migration.0)),
                Deed::MigrateEnd { migration, .. } => drop(found.ended.insert(migration.0)),
                Deed::MigrateRollback { migration, .. } => drop(found.undone.insert(migration.0)),
                // These name what a migration did, not the migration itself.
                Deed::Migrate { .. }
                | Deed::MigrateIn { .. }
                | Deed::MigrateBack { .. }
                | Deed::SweepRoot { .. }
                | Deed::UnsweepRoot { .. } => {}
                Deed::Bootstrap { .. }
                | Deed::Affirm { .. }
                | Deed::Doctrine { .. }
                | Deed::Retract { .. }
                | Deed::Learn { .. }
                | Deed::Promote { .. }
                | Deed::Propose { .. }
                | Deed::Decline { .. }
                | Deed::Withdraw { .. }
                | Deed::Demote { .. }
                | Deed::Import { .. }
                | Deed::Rename { .. }
                | Deed::Forget { .. }
                | Deed::Resolve { .. }
                | Deed::TakeUp { .. }
                | Deed::SetAside { .. }
                | Deed::BootSet { .. }
                | Deed::BootDelete { .. }
                | Deed::Delegate { .. }
                | Deed::Debrief { .. }
                | Deed::Debriefed { .. }
                | Deed::Violation { .. }
                | Deed::Unknown { .. } => {}
            }
        }
        found
    }

    /// The last migration, if it was interrupted.
    pub fn open(&self) -> Option<u64> {
        let last = self.begun.last()?;
        (!self.ended.contains(last) && !self.undone.contains(last)).then_some(*last)
    }

    /// The number of the next one.
    pub fn next(&self) -> u64 {
        self.begun.last().map_or(1, |last| last + 1)
    }

    /// The last one that was not undone.
    pub fn undoable(&self) -> Option<u64> {
        self.begun.iter().rev().find(|number| !self.undone.contains(number)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::tests::act;
    use super::*;
    use crate::act::MigrationRef;

    #[test] // spec: MEM-42
    fn a_migration_is_open_until_it_ended_or_was_undone() {
        let begin = |n| act(1, Deed::MigrateBegin { migration: MigrationRef(n) });
        let end = |n| act(2, Deed::MigrateEnd { migration: MigrationRef(n), tally: None });
        let undo = |n| {
            let migration = MigrationRef(n);
            act(3, Deed::MigrateRollback { migration, claims: None, stay: None, brains: None })
        };
        // The record; the open migration, the next one, and the one that can be undone.
        let table = [
            (vec![], None, 1, None),
            (vec![begin(1)], Some(1), 2, Some(1)),
            (vec![begin(1), end(1)], None, 2, Some(1)),
            (vec![begin(1), end(1), undo(1)], None, 2, None),
            (vec![begin(1), end(1), begin(2)], Some(2), 3, Some(2)),
            (vec![begin(1), end(1), begin(2), undo(2)], None, 3, Some(1)),
        ];
        for (acts, open, next, undoable) in table {
            let found = Migrations::of(&acts);
            assert_eq!((found.open(), found.next(), found.undoable()), (open, next, undoable), "{acts:?}");
        }
    }
}
