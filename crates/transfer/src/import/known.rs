//! Whether a version that is brought was here already.

use brainstem_claims::merge::says_the_same;
use brainstem_claims::{Claim, ClaimSlug};
use brainstem_memory::MemoryError;
use brainstem_vault::history::{ExitReason, PastVersion};
use brainstem_vault::store::{LiveFile, Store};

/// Whether a store has this version already: live, in history, or under the home alone.
pub(super) fn is_here(store: &Store, slug: &ClaimSlug, claim: &Claim) -> bool {
    let is_it = |other: &Claim| other.created == claim.created && other.outdated() == claim.outdated();
    let is_live = match store.live(slug) {
        LiveFile::Claim(live) => is_it(&live),
        LiveFile::Unreadable(_) => store.undecided(slug).is_some_and(|sides| sides.iter().any(is_it)),
        LiveFile::Absent => false,
    };
    is_live || store.in_history(slug, claim.created, is_it) || store.has_elsewhere(slug, is_it)
}

/// Whether this very version is under the home and its label has no file in the checkout: then it stays so, and
/// `init` brings it there.
pub(super) fn is_away(store: &Store, slug: &ClaimSlug, claim: &Claim) -> Result<bool, MemoryError> {
    let LiveFile::Absent = store.live(slug) else { return Ok(false) };
    Ok(store.youngest_elsewhere(slug)?.is_some_and(|there| there.file == claim.file))
}

/// Whether this version was here before and was superseded or taken back: then it stays so.
pub(super) fn is_past(store: &Store, slug: &ClaimSlug, claim: &Claim) -> Result<bool, MemoryError> {
    let (versions, _) = store.history(slug)?;
    let live = match store.live(slug) {
        LiveFile::Claim(live) => Some(live),
        LiveFile::Absent | LiveFile::Unreadable(_) => None,
    };
    if live.as_ref().is_some_and(|live| says_the_same(live, claim)) {
        return Ok(false);
    }
    // A promotion keeps the file as it was before its stamp: that the version itself is there as well does
    // not say that it has gone. Something that came after it does.
    let is_last = live.is_none() && versions.iter().all(|version| version.claim.created <= claim.created);
    let only_stamped = |version: &PastVersion| {
        is_last
            && version.exit == ExitReason::Superseded
            && version.claim.created == claim.created
            && version.claim.promoted_to != claim.promoted_to
    };
    Ok(versions.iter().filter(|version| !only_stamped(version)).any(|version| {
        let past = Claim { state: claim.state, ..version.claim.clone() };
        says_the_same(&past, claim) && past.created >= claim.created
    }))
}
