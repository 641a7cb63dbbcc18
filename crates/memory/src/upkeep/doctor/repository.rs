//! A store in a repository: what git has done to it.

use super::examined_store::{ExaminedStore, found_returned, or_unreadable};
use super::finding::{Findings, Trouble, word};
use crate::reading::missing_cache::acts_missing_from_checkout;
use crate::reading::missing_from_checkout::acts_away;
use crate::service::Memory;
use crate::writing::resolve::doubtful;
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_claims::ClaimSlug;
use brainstem_vault::missing_from_checkout::{Missing, NotInCheckout};
use brainstem_vault::not_checked_out::NotCheckedOut;
use brainstem_vault::scan::{StoreScan, StoredClaim};
use brainstem_vault::tracked_memory::not_checked_out;
use brainstem_vault::{Brain, Store, StorePlace};
use std::path::PathBuf;

impl Memory {
    /// Looks for claims that are still under the home.
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
                advice![calls::init(), " in the project"],
            );
        }
    }

    /// Looks for versions that were written into a repository, and that, since the claims came back, are neither live
    /// nor in history under the home: an older program left them behind.
    pub(super) fn examine_ejected(&self, brain: &Brain, found: &mut Findings) {
        if brain.place == StorePlace::Repo {
            return;
        }
        let store = self.home.store_at(brain, StorePlace::Repo);
        for missing in store.kept_labels().and_then(|labels| store.missing_among(&labels)).unwrap_or_default()
        {
            let detail = format!(
                "{:?} was written into the repository, and did not come back from there",
                missing.youngest().label
            );
            let fix = advice![
                calls::init(),
                " brings it back; ",
                calls::eject(),
                " then takes all of it under the home again"
            ];
            let path = missing.versions.last().map(|copy| copy.path.clone()).unwrap_or_default();
            found.add(Trouble::ClaimAbsent, path, detail, fix);
        }
    }

    /// Looks for claims and versions that git took away, and for those it brought back.
    pub(super) fn examine_checkout(&self, examined: &ExaminedStore, scan: &StoreScan, found: &mut Findings) {
        if examined.store.paths().kept.is_none() {
            return;
        }
        // A finding about the whole of it names what brings it.
        let is_left_out = |root: &PathBuf| not_checked_out(&*self.disk, root) == Some(NotCheckedOut::Sparse);
        if examined.root.as_ref().is_some_and(is_left_out) {
            return;
        }
        let away = or_unreadable(acts_missing_from_checkout(&examined.store), examined.store.paths(), found);
        if let Some(away) = away.filter(|away| !away.is_empty()) {
            let detail = acts_away(&away);
            let fix = advice!["check out the branch that has them, or bring them back with ", calls::init()];
            found.add(Trouble::ActsAbsent, &examined.store.paths().acts, detail, fix);
        }
        let away =
            doubtful(&examined.store, scan).and_then(|labels| examined.store.not_in_checkout_among(&labels));
        let Some(NotInCheckout { missing, forgotten, unreadable }) =
            or_unreadable(away, examined.store.paths(), found)
        else {
            return;
        };
        for path in unreadable {
            let fix = format!("restore {} from a backup, or remove it", word(&path));
            let detail = "it is the copy of a version that was written here, and cannot be read as a claim";
            found.add(Trouble::VersionUnreadable, path, detail, fix);
        }
        for copy in forgotten {
            let label = &copy.claim.label;
            let detail = format!(
                "{label:?} was forgotten in another clone, which only the repository's log says; this home keeps its copy"
            );
            let fix = advice![
                calls::show(label),
                " shows it; ",
                calls::forget(label),
                " forgets it here too, and to keep it memorize it again"
            ];
            found.add(Trouble::ForgottenElsewhere, copy.path, detail, fix);
        }
        for missing in &missing {
            found_missing(&examined.store, missing, found);
        }
        let verdicts = self.verdicts(&examined.store).ok();
        // A version that came back in the place of a missing one was named with that one.
        let is_told = |stored: &StoredClaim| missing.iter().any(|missing| missing.slug.as_str() == stored.id);
        for stored in scan.claims.iter().filter(|stored| !is_told(stored)) {
            let slug = ClaimSlug::parse(&stored.id);
            let Some(slug) = slug else { continue };
            let retractions = verdicts.as_ref().map(|verdicts| verdicts.retractions());
            if let Some(words) =
                retractions.and_then(|all| all.apart_from(&examined.store, &slug, &stored.claim))
            {
                let detail = format!(
                    "{:?} was rewritten in one clone and retracted in another: {words}",
                    stored.claim.label
                );
                let fix = "memorize what holds, or retract it";
                found.add(Trouble::ClaimResurrected, &stored.path, detail, fix);
                continue;
            }
            let is_taken_back = || examined.store.retraction_of(&slug, &stored.claim).is_some();
            // Of versions that wait for a decision one may be superseded; none should be one that was taken back.
            if examined.store.came_back_from_history(&slug, &stored.claim)
                && (stored.side.is_none() || is_taken_back())
            {
                found_returned(&examined.store, &slug, &stored.claim, &stored.path, found);
            }
        }
    }
}

fn found_missing(store: &Store, missing: &Missing, found: &mut Findings) {
    let label = &missing.youngest().label;
    let path = missing.versions.last().map(|copy| copy.path.clone()).unwrap_or_default();
    if !missing.is_live {
        let detail = format!("{label:?} was written here and is not in this checkout");
        let fix = advice!["check out the branch that has it, or bring it back with ", calls::init()];
        found.add(Trouble::ClaimAbsent, path, detail, fix);
        return;
    }
    let versions = match missing.versions.len() {
        1 => "a version".to_owned(),
        count => format!("{count} versions"),
    };
    let detail = format!("{versions} of {label:?} written here: git has another in its place");
    let fix = if store.comes_back(missing) {
        advice![
            calls::init(),
            " brings it back; ",
            calls::resolve_take(label, "ours"),
            " keeps what lies there"
        ]
    } else {
        advice![calls::show(label), " shows all; ", calls::resolve_take(label, calls::SIDE), " decides"]
    };
    found.add(Trouble::VersionAbsent, path, detail, fix);
}
