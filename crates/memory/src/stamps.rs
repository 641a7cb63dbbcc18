//! Stamps of promotions: history keeps the file of before, and it is no version of its own.

use brainstem_claims::lineage::relabelled;
use brainstem_claims::merge::says_the_same;
use brainstem_claims::{Claim, Label};
use brainstem_vault::checkup::HistoryScan;
use brainstem_vault::history::{Exit, Version};
use brainstem_vault::scan::Scan;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Whether two files hold one version, which was stamped between them, or renamed as well.
pub(crate) fn is_one_version(past: &Claim, next: &Claim) -> bool {
    if past.created.is_none() || past.created != next.created {
        return false;
    }
    let past = Label::parse(&next.label).map_or_else(|_| past.clone(), |label| relabelled(past, &label));
    says_the_same(&Claim { state: next.state, ..past }, next)
}

/// The files of a history that differ from another file of their version by the stamp of a promotion alone.
pub(crate) fn stamps_in<'a>(scan: &Scan, history: &'a HistoryScan) -> HashSet<&'a Path> {
    let mut counted: HashMap<&str, Vec<&Claim>> = HashMap::new();
    for stored in &scan.claims {
        counted.entry(&stored.id).or_default().push(&stored.claim);
    }
    let mut versions: Vec<(&str, &Version)> =
        history.versions.iter().map(|(slug, version)| (slug.as_str(), version)).collect();
    // A version that left by a retraction or a move counts, and otherwise the one with the stamp.
    versions.sort_by_key(|(_, version)| {
        (version.exit == Exit::Superseded, Reverse(version.claim.promoted_to.is_some()))
    });
    let mut stamps = HashSet::new();
    for (slug, version) in versions {
        let counted = counted.entry(slug).or_default();
        let is_it = |next: &&Claim| {
            next.promoted_to != version.claim.promoted_to && is_one_version(&version.claim, next)
        };
        if version.exit == Exit::Superseded && counted.iter().any(is_it) {
            stamps.insert(version.path.as_path());
        } else {
            counted.push(&version.claim);
        }
    }
    stamps
}
