//! What is counted after a migration: every claim of the inventory, in exactly one live store.
//!
//! Others may work meanwhile: what they took back, renamed or forgot is on record and not missing. What cannot
//! be looked at is not counted as anything.

use super::answer::{Gates, RowFate};
use super::inventory::InventoryClaim;
use crate::limits::CHANGED_NAMED_MAX;
use crate::service::Transfer;
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_base::{DiskError, DiskFault, Fault, codes};
use brainstem_claims::act::{Act, DeedKind, Mention, VersionRef};
use brainstem_claims::{Claim, ClaimSlug};
use brainstem_memory::{MemoryError, without_secrets};
use brainstem_vault::scan::read_file;
use brainstem_vault::{Store, StoreError};

/// Where a claim of the inventory was found.
enum ClaimPlace {
    /// Live in a project.
    Project,
    /// Live in the medulla.
    Medulla,
    /// In two stores.
    Twice,
    /// Taken back, renamed or forgotten by another agent.
    Left,
    /// Nowhere.
    Missing,
}

/// What is under the name of a claim where it was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Here {
    Itself,
    Another,
    Nothing,
}

impl Transfer {
    /// Looks for every claim of an inventory once more, or says what does not add up.
    pub(super) fn gates(&self, items: &[InventoryClaim]) -> Result<Gates, MemoryError> {
        let mut gates = Gates { before: items.len(), ..Gates::default() };
        let (mut twice, mut missing, mut unread) = (Vec::new(), Vec::new(), Vec::new());
        for item in items {
            let label = format!("{:?}", item.row.label);
            match self.found_again(item) {
                Ok(ClaimPlace::Project) => gates.projects += 1,
                Ok(ClaimPlace::Medulla) => gates.medulla += 1,
                Ok(ClaimPlace::Left) => gates.left += 1,
                Ok(ClaimPlace::Twice) => twice.push(label),
                Ok(ClaimPlace::Missing) => missing.push(label),
                Err(error) => unread.push(format!("{label} ({error})")),
            }
        }
        (gates.twice, gates.missing, gates.unread) = (twice.len(), missing.len(), unread.len());
        if gates.hold() { Ok(gates) } else { Err(miscounted(&gates, [twice, missing, unread])) }
    }

    fn found_again(&self, item: &InventoryClaim) -> Result<ClaimPlace, StoreError> {
        let source = &item.source.store;
        let here = self.here(item)?;
        let stays = if item.source.ghost.is_some() { ClaimPlace::Project } else { ClaimPlace::Medulla };
        let Some(ready) = item.leaving.as_ref().filter(|_| item.row.fate == RowFate::Moved) else {
            return Ok(match here {
                Here::Itself if self.has_arrived_all_the_same(item)? => ClaimPlace::Twice,
                // Whatever it says by now, it is where it was.
                Here::Itself | Here::Another => stays,
                Here::Nothing if self.is_told(source, &item.row.id, item.claim.as_ref())? => ClaimPlace::Left,
                Here::Nothing => ClaimPlace::Missing,
            });
        };
        let there = self.store_of(&ready.to);
        there.check_real_folders()?;
        let arrived = Claim::from(ready.arriving.clone());
        let is_there = match self.disk().stat(&there.live_path(&ready.slug)) {
            Ok(_) => true,
            Err(error) if error.fault() == DiskFault::NotFound => false,
            Err(error) => return Err(unreadable(error)),
        };
        Ok(match (here, is_there) {
            (Here::Itself, true) => ClaimPlace::Twice,
            (Here::Another | Here::Nothing, true) => ClaimPlace::Project,
            (_, false) if self.is_told(&there, ready.slug.as_str(), Some(&arrived))? => ClaimPlace::Left,
            (Here::Itself, false) => stays,
            (Here::Another | Here::Nothing, false) => ClaimPlace::Missing,
        })
    }

    /// Whether a claim that could not move is where it was to go, and was not there before.
    fn has_arrived_all_the_same(&self, item: &InventoryClaim) -> Result<bool, StoreError> {
        let Some(ready) = item.leaving.as_ref().filter(|ready| !ready.was_there) else { return Ok(false) };
        match read_file(self.disk(), &self.store_of(&ready.to).live_path(&ready.slug)) {
            Ok(bytes) => Ok(bytes == ready.arriving.render().as_bytes()),
            Err(error) if error.fault() == DiskFault::NotFound => Ok(false),
            Err(error) => Err(unreadable(error)),
        }
    }

    /// What is where a claim was.
    fn here(&self, item: &InventoryClaim) -> Result<Here, StoreError> {
        item.source.store.check_real_folders()?;
        let bytes = match read_file(self.disk(), &item.path) {
            Ok(bytes) => bytes,
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(Here::Nothing),
            // A link, a folder or a file without end that was there before, and is no claim.
            Err(_) if item.claim.is_none() && self.disk().stat(&item.path).is_ok() => {
                return Ok(Here::Itself);
            }
            Err(error) => return Err(unreadable(error)),
        };
        let is_it = item.claim.as_ref().is_none_or(|claim| claim.file.render().as_bytes() == bytes);
        Ok(if is_it { Here::Itself } else { Here::Another })
    }

    /// Whether an act says why a claim is not live in a store.
    fn is_told(&self, store: &Store, id: &str, claim: Option<&Claim>) -> Result<bool, StoreError> {
        let Some(claim) = claim else { return Ok(false) };
        let version = ClaimSlug::parse(id).map(|slug| VersionRef::of(&slug, claim));
        let acts = store.acts().of_kinds(&[DeedKind::Retract, DeedKind::Rename])?;
        let named = |act: &Act| act.deed().upon().and_then(Mention::version).cloned();
        let is_upon = version.is_some() && acts.iter().any(|act| named(act) == version);
        Ok(is_upon || store.tombstones().cover(claim))
    }
}

fn unreadable(error: DiskError) -> StoreError {
    StoreError::disk("cannot look at a claim")(error)
}

fn miscounted(gates: &Gates, [twice, missing, unread]: [Vec<String>; 3]) -> MemoryError {
    let named = |what: &str, labels: &[String]| {
        let more = labels.len().saturating_sub(CHANGED_NAMED_MAX);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let shown: Vec<&str> = labels.iter().take(CHANGED_NAMED_MAX).map(String::as_str).collect();
        (!labels.is_empty()).then(|| format!("{what}: {}{more}", shown.join(", ")))
    };
    let what =
        [named("missing", &missing), named("live twice", &twice), named("could not be looked at", &unread)];
    let what: Vec<String> = what.into_iter().flatten().collect();
    let message = format!("of {} claims, not all are live exactly once: {}", gates.before, what.join("; "));
    let fix = match missing.is_empty() && twice.is_empty() {
        true => {
            advice!["see that the disk can be read, then repeat ", calls::migrate_apply(), ": it looks again"]
        }
        false => advice![
            calls::migrate_rollback(),
            " brings every original back; or repeat ",
            calls::migrate_apply(),
            ", which goes on with what is there"
        ],
    };
    Fault::new(codes::MIGRATE_MISCOUNTED, without_secrets(&message)).fix(fix).rule("MEM-42").into()
}
