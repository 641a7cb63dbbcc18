//! Which migrations there were, as the acts of the medulla have it.

use crate::error::MemoryError;
use crate::service::Memory;
use brainstem_base::hash;
use brainstem_claims::{Claim, ClaimSlug};
use brainstem_vault::Act;
use brainstem_vault::store::subject;
use std::collections::BTreeSet;

/// A migration began.
pub(super) const BEGIN: &str = "migrate_begin";
/// It did all it could.
pub(super) const END: &str = "migrate_end";
/// It was undone.
pub(super) const ROLLBACK: &str = "migrate_rollback";

/// The migrations of a home.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    begun: BTreeSet<u64>,
    ended: BTreeSet<u64>,
    undone: BTreeSet<u64>,
}

impl Numbers {
    fn of(acts: &[Act]) -> Self {
        let mut numbers = Self::default();
        for act in acts {
            let Some(number) = act.subject.strip_prefix("migration:").and_then(|text| text.parse().ok())
            else {
                continue;
            };
            match act.act.as_str() {
                BEGIN => drop(numbers.begun.insert(number)),
                END => drop(numbers.ended.insert(number)),
                ROLLBACK => drop(numbers.undone.insert(number)),
                _ => {}
            }
        }
        numbers
    }

    /// The migration that was cut off, if the last one was.
    pub(super) fn open(&self) -> Option<u64> {
        let last = self.begun.last()?;
        (!self.ended.contains(last) && !self.undone.contains(last)).then_some(*last)
    }

    /// The number of the next one.
    pub(super) fn next(&self) -> u64 {
        self.begun.last().map_or(1, |last| last + 1)
    }

    /// The last one that was not undone.
    pub(super) fn undoable(&self) -> Option<u64> {
        self.begun.iter().rev().find(|number| !self.undone.contains(number)).copied()
    }
}

impl Memory {
    pub(super) fn migrations(&self) -> Result<Numbers, MemoryError> {
        Ok(Numbers::of(&self.home.medulla().acts().named(&[BEGIN, END, ROLLBACK])?))
    }
}

/// The subject of the acts that begin, end and undo a migration.
pub(super) fn migration(number: u64) -> String {
    format!("migration:{number}")
}

/// The subject of the acts upon a claim that a migration moves. It names the very bytes: what an editor
/// made of them meanwhile is another row.
pub(super) fn row(slug: &ClaimSlug, claim: &Claim, number: u64) -> String {
    // `:` stands in no slug.
    format!("{} migration:{number}:{}", subject(slug, claim), &sha256(claim)[..12])
}

/// The sha256 of a claim's file.
pub(super) fn sha256(claim: &Claim) -> String {
    hash::sha256_hex(claim.file.render().as_bytes(), 64)
}
