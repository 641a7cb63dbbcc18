//! Stamps of promotions: history keeps the file of before, and it is no version of its own.

use brainstem_claims::lineage::relabelled;
use brainstem_claims::merge::says_the_same;
use brainstem_claims::{Claim, Label};
use brainstem_vault::checkup::HistoryScan;
use brainstem_vault::history::ExitReason;
use brainstem_vault::scan::StoreScan;
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
pub fn stamps_in<'a>(scan: &StoreScan, history: &'a HistoryScan) -> HashSet<&'a Path> {
    let mut counted = Counted::of_live(scan);
    let versions: Vec<(&str, ExitReason, &Claim)> = history
        .versions
        .iter()
        .map(|(slug, version)| (slug.as_str(), version.exit, &version.claim))
        .collect();
    let stamps = counted.stamps_among(&versions);
    let files = history.versions.iter().zip(stamps);
    files.filter(|(_, is_stamp)| *is_stamp).map(|((_, version), _)| version.path.as_path()).collect()
}

/// The versions that were counted, by slug: one that differs from one of them by a stamp alone is not counted again.
#[derive(Default)]
pub struct Counted<'a>(HashMap<&'a str, Vec<&'a Claim>>);

impl<'a> Counted<'a> {
    /// The live claims of a store.
    pub fn of_live(scan: &'a StoreScan) -> Self {
        let mut counted = Self::default();
        for stored in &scan.claims {
            counted.add(&stored.id, &stored.claim);
        }
        counted
    }

    /// Counts a version.
    pub fn add(&mut self, slug: &'a str, claim: &'a Claim) {
        self.0.entry(slug).or_default().push(claim);
    }

    /// Counts these versions of histories, and returns which of them are no versions of their own.
    pub fn stamps_among(&mut self, versions: &[(&'a str, ExitReason, &'a Claim)]) -> Vec<bool> {
        let mut order: Vec<usize> = (0..versions.len()).collect();
        // A version that left by a retraction or a move counts, and otherwise the one with the stamp.
        order.sort_by_key(|at| {
            let (_, exit, claim) = versions[*at];
            (exit == ExitReason::Superseded, Reverse(claim.promoted_to.is_some()))
        });
        let mut stamps = vec![false; versions.len()];
        for at in order {
            let (slug, exit, claim) = versions[at];
            let counted = self.0.entry(slug).or_default();
            let is_it = |next: &&Claim| next.promoted_to != claim.promoted_to && is_one_version(claim, next);
            stamps[at] = exit == ExitReason::Superseded && counted.iter().any(is_it);
            if !stamps[at] {
                counted.push(claim);
            }
        }
        stamps
    }
}
