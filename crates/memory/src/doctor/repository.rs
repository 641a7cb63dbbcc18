//! A store that lies in a repository: what git has done to it.

use super::{Findings, Patient, Trouble};
use crate::service::Memory;
use brainstem_claims::ClaimSlug;
use brainstem_vault::scan::Scan;
use brainstem_vault::{Brain, StorePlace};

impl Memory {
    /// Looks for claims that still lie under the home.
    pub(super) fn examine_owner_side(&self, brain: &Brain, found: &mut Findings) {
        if brain.place != StorePlace::Repo {
            return;
        }
        let owner = self.home.store_at(brain, StorePlace::Owner);
        let left = owner.count().unwrap_or(0);
        if left > 0 {
            let detail =
                format!("{left} of its claims lie here and are not shown: its store is in the repository");
            found.add(
                Trouble::ClaimsOwnerSide,
                &owner.paths().claims,
                detail,
                "brainstem init in the project",
            );
        }
    }

    /// Looks for claims that git took away, and for those it brought back.
    pub(super) fn examine_checkout(&self, patient: &Patient, scan: &Scan, found: &mut Findings) {
        let Some(kept) = patient.store.paths().kept.clone() else { return };
        for absent in patient.store.absent().unwrap_or_default() {
            let detail = format!("{:?} was written here and is not in this checkout", absent.claim.label);
            let fix = "check out the branch that has it, or bring it back with brainstem init";
            found.add(Trouble::ClaimAbsent, kept.join(absent.path), detail, fix);
        }
        for stored in scan.claims.iter().filter(|stored| stored.side.is_none()) {
            let slug = ClaimSlug::parse(&stored.id);
            if slug.is_some_and(|slug| patient.store.is_resurrected(&slug, stored.claim.created)) {
                let detail =
                    format!("{:?} came back after a later version was written here", stored.claim.label);
                let fix = "memorize what holds, or retract it";
                found.add(Trouble::ClaimResurrected, &stored.path, detail, fix);
            }
        }
    }
}
