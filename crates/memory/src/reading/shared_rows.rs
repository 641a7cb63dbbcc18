//! A witness and its copy, seen from the project it was learned in: one finding, in both tiers. If both say the same
//! it is one row, which says that it is shared, and it counts once.

use crate::reading::recall_store::RecallStore;
use crate::reading::row::Row;
use brainstem_base::Timestamp;
use brainstem_claims::act::VersionRef;
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::promotion::{self, Provenance, copy_named};
use brainstem_claims::{Claim, ClaimSlug, Label};
use brainstem_vault::scan::StoredClaim;
use std::collections::HashSet;

/// Whether a witness names this very copy, and both say the same; what was changed by hand is shown. Either may have got
/// another label since: the copy is known by its birth.
fn are_twins(witness: &Claim, copy: &Claim) -> bool {
    copy_named(witness).is_some_and(|(_, since)| copy.created == Some(since))
        && copy.origin_claim.is_some()
        && (&witness.title, &witness.text) == (&copy.title, &copy.text)
}

impl RecallStore {
    /// Of a project: whether it holds the live witness of a copy.
    pub(crate) fn has_witness_of(&self, copy: &Claim) -> bool {
        let Some((brain, slug, born)) = Provenance::of(copy).and_then(|found| {
            let (brain, slug) = found.witness()?;
            Some((brain.to_owned(), slug, found.origin_created))
        }) else {
            return false;
        };
        if self.place != FilePlace::Project || self.whose != brain {
            return false;
        }
        // A witness that was renamed has its new label, which the copy may have, too.
        let label = Label::parse(&copy.label).ok().map(|label| ClaimSlug::of(&label));
        let mut ids = self.verdicts().names().of_version(&VersionRef::new(&slug, born));
        ids.extend(label.filter(|label| !ids.contains(label)));
        ids.iter()
            .flat_map(|id| self.live(id.as_str()))
            .any(|stored| stored.side.is_none() && are_twins(&stored.claim, copy))
    }

    /// Of the medulla: the live copy of a witness.
    pub(crate) fn copy_of(&self, witness: &Claim) -> Option<StoredClaim> {
        let (slug, since) =
            copy_named(witness).filter(|_| self.place == FilePlace::Medulla && !self.failed)?;
        let names = self.verdicts().names().of_version(&VersionRef::new(&slug, Some(since)));
        let mut copies = names.iter().flat_map(|name| self.live(name.as_str()));
        copies.find(|copy| copy.side.is_none() && are_twins(witness, &copy.claim) && self.accounts_for(copy))
    }

    /// Whether what the header of a live file says of its origin is on record; a project's files need no act for that. A
    /// copy that no act explains is no twin: it is a row of its own, with that warning.
    pub(crate) fn accounts_for(&self, stored: &StoredClaim) -> bool {
        self.place != FilePlace::Medulla || self.verdicts().accounts().explain(&stored.id, &stored.claim)
    }

    /// Says of the project's rows which of them every project sees, and since when and why.
    pub(crate) fn tell_shared(&self, rows: &mut [Row]) {
        for row in rows.iter_mut().filter(|row| row.tier == "project" && row.side.is_none()) {
            if let Some(copy) = self.copy_of(&row.claim) {
                row.also_in = Some("medulla");
                row.chain = promotion::chain(&copy.claim);
                row.promoted = promotion::promoted_fact(&copy.claim);
            }
        }
    }
}

/// How many findings both stores have, so that they are counted once. The acts say it, and no file is read.
pub(crate) fn count(feeds: &[&RecallStore]) -> usize {
    let of = |place| feeds.iter().find(|feed| feed.place == place && !feed.failed);
    let (Some(project), Some(medulla)) = (of(FilePlace::Project), of(FilePlace::Medulla)) else { return 0 };
    // Under whichever of its names.
    let is_live = |feed: &RecallStore, version: &VersionRef| {
        let born = version.created.map(Timestamp::ms);
        feed.verdicts().names().of_version(version).iter().any(|name| feed.born(name.as_str()) == born)
    };
    let promotions = medulla.verdicts().promotions().iter();
    let live = promotions.filter(|promotion| {
        promotion.origin.parts().is_some_and(|(brain, slug)| {
            brain == project.whose
                && promotion.origin_created.is_some()
                && is_live(medulla, &promotion.copy)
                && is_live(project, &VersionRef::new(&slug, promotion.origin_created))
        })
    });
    // A promotion that is on record twice is one pair.
    live.map(|pair| &pair.copy).collect::<HashSet<_>>().len()
}
