//! How a migration is named in the acts, and which there were.

use crate::service::Transfer;
use brainstem_base::hash;
use brainstem_claims::act::{Deed, Mention, VersionRef};
use brainstem_claims::folds::migrations::{MIGRATION_ACTS, Migrations};
use brainstem_claims::{Claim, ClaimSlug};
use brainstem_memory::MemoryError;

impl Transfer {
    pub(super) fn migrations(&self) -> Result<Migrations, MemoryError> {
        Ok(Migrations::of(&self.home().medulla().acts().of_kinds(MIGRATION_ACTS)?))
    }
}

/// What the acts upon a claim that a migration moves are upon. It names the very bytes: what an editor
/// made of them meanwhile is another row.
pub(super) fn row(slug: &ClaimSlug, claim: &Claim, number: u64) -> Mention {
    Mention::in_migration(VersionRef::of(slug, claim), number, &sha256(claim)[..12])
}

/// The deed of arriving, by which an arrival is looked for.
pub(super) fn arrival(upon: Mention) -> Deed {
    Deed::MigrateIn { upon, migration: None, moved_from: None }
}

/// The sha256 of a claim's file.
pub(super) fn sha256(claim: &Claim) -> String {
    hash::sha256_hex(claim.file.render().as_bytes(), 64)
}
