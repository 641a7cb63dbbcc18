//! Which claim a version belongs to, where another clone renamed a claim.
//!
//! A renaming in another clone moves no file of this home: the versions before it are here under the old name, beside those
//! of a claim that was written under that name since. Each of them is shown, and forgotten, with the claim it belongs to.

use crate::StoreError;
use crate::history::{ExitReason, PastVersion};
use crate::missing_from_checkout::{CopyLookup, CopyState, as_past_version};
use crate::store::Store;
use brainstem_base::Timestamp;
use brainstem_claims::folds::versions::WentWithClaim;
use brainstem_claims::lineage::{Lineage, relabelled};
use brainstem_claims::{Claim, ClaimSlug, Label};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The owner of a version: the claim under whose name it is, or the one that its claim was renamed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionOwner {
    /// The claim that was renamed.
    ToTheRenamed,
    /// One of the two, and it is unknown which: it is shown with both, and forgotten with neither while both are there.
    InDoubt,
}

/// A version that another claim has, or may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfAnother {
    /// The slug of that claim.
    pub slug: ClaimSlug,
    /// How certain it is.
    pub belongs: VersionOwner,
    /// When the version was born.
    pub born: Option<Timestamp>,
}

/// Versions that are under a name, or are shown with it, and that another claim has or may have, by their files.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfOthers(HashMap<PathBuf, Vec<OfAnother>>);

impl OfOthers {
    /// All of them, each with the first claim that has it or may have it.
    pub(crate) fn all(&self) -> impl Iterator<Item = &OfAnother> {
        self.0.values().filter_map(|others| others.first())
    }

    /// Whether another claim has, or may have, the version in this file.
    pub(crate) fn has(&self, path: &Path) -> bool {
        self.0.contains_key(path)
    }

    /// Whether the version in this file is known to belong to another claim.
    pub(crate) fn is_gone(&self, path: &Path) -> bool {
        self.has(path) && !self.is_in_doubt(path)
    }

    /// Whether it is unknown if the version in this file belongs to the claim under whose name it is.
    pub(crate) fn is_in_doubt(&self, path: &Path) -> bool {
        let mut others = self.0.get(path).into_iter().flatten();
        others.any(|other| other.belongs == VersionOwner::InDoubt)
    }

    /// The versions that do not belong to this claim.
    pub(crate) fn without(mut self, slug: &ClaimSlug) -> Self {
        self.0.retain(|_, others| others.iter().all(|other| other.slug != *slug));
        self
    }

    /// The slug of the claim to which the version in this file is known to belong.
    fn goes_to(&self, path: &Path) -> Option<&ClaimSlug> {
        let others = self.0.get(path).filter(|_| self.is_gone(path))?;
        others.first().map(|other| &other.slug)
    }
}

impl Store {
    /// The versions under a slug that a claim which was renamed from it has, or may have.
    ///
    /// A version that the renamed claim shows belongs to that claim. Two kinds are in doubt: a version that was taken
    /// back under the old name, or that such a version was written over; and a version beside a live claim of the old
    /// name that does not go back to anything this home wrote, because its committer could have written it to take over
    /// a claim's history.
    pub(crate) fn renamed_away(
        &self,
        slug: &ClaimSlug,
        look: &CopyLookup<'_>,
    ) -> Result<OfOthers, StoreError> {
        let mut others = OfOthers::default();
        if self.paths().kept.is_none() {
            return Ok(others);
        }
        let told = look.fates()?;
        // Only a renaming that was recorded here says something of a claim without a file.
        let (own, others_said): (Vec<ClaimSlug>, Vec<ClaimSlug>) =
            told.names_after(slug).into_iter().partition(|to| told.is_renamed_here(to));
        let since: Vec<ClaimSlug> = own.into_iter().chain(look.filed(others_said)).collect();
        if since.is_empty() {
            return Ok(others);
        }
        let (copies, history) = (look.copies(slug)?, self.versions_in_history(slug)?);
        let is_retracted = |version: &&PastVersion| version.exit == ExitReason::Retracted;
        let retracted: Vec<Claim> =
            history.iter().filter(is_retracted).map(|version| version.claim.clone()).collect();
        let past = history.into_iter().map(|version| version.claim);
        let own: Vec<Claim> = copies.into_iter().map(|(copy, _)| copy.claim).chain(past).collect();
        let goes_back = |live: &Claim| own.iter().any(|own| Lineage::up_to(live).names_it_or_an_edit(own));
        let is_foreign = !self.live_versions(slug)?.iter().all(goes_back);
        let doubtful = with_earlier(&retracted, &own);
        for to in since {
            let before = self.versions_under_old_names(&to, look)?.into_iter();
            for (_, version) in before.filter(|(name, _)| name == slug) {
                let is_on_record = told.went(slug, &version.claim, &to) == WentWithClaim::Yes;
                let is_taken_back =
                    || version.exit == ExitReason::Retracted || is_among(&doubtful, &version.claim);
                let belongs = match !is_on_record && (is_foreign || is_taken_back()) {
                    true => VersionOwner::InDoubt,
                    false => VersionOwner::ToTheRenamed,
                };
                let born = version.claim.created;
                let other = OfAnother { slug: to.clone(), belongs, born };
                others.0.entry(version.path).or_default().push(other);
            }
        }
        Ok(others)
    }

    /// The versions that are shown with a claim and stay when it is forgotten: those that belong, or may belong, to a
    /// claim which was renamed from its slug, and those under an earlier slug that may not be its own.
    pub(crate) fn not_its_own(&self, slug: &ClaimSlug) -> Result<OfOthers, StoreError> {
        let look = CopyLookup::at(self);
        let mut others = self.renamed_away(slug, &look)?;
        if self.paths().kept.is_none() {
            return Ok(others);
        }
        for name in look.filed(look.fates()?.names_before(slug)) {
            for (path, claims) in self.renamed_away(&name, &look)?.0 {
                let Some(own) = claims.iter().find(|claim| claim.slug == *slug) else { continue };
                // Two clones may have given one claim two names: both have the earlier versions.
                let rival = claims.iter().find(|claim| claim.slug != *slug);
                let rival = rival.map(|claim| claim.slug.clone());
                if own.belongs == VersionOwner::InDoubt || rival.is_some() {
                    let slug = rival.unwrap_or_else(|| name.clone());
                    let other = OfAnother { slug, belongs: VersionOwner::InDoubt, born: own.born };
                    others.0.insert(path, vec![other]);
                }
            }
        }
        Ok(others)
    }

    /// Moves each version in history that belongs to a renamed claim to the slug of that claim, with every lock held:
    /// from then on no copies are kept, and a claim's timeline is read from its own history alone.
    pub(crate) fn move_renamed_history(&self, look: &CopyLookup<'_>) -> Result<(), StoreError> {
        let fault = || StoreError::disk("cannot move the history");
        let dir = &self.paths().history;
        for slug in look.filed(look.fates()?.names_left()) {
            let others = self.renamed_away(&slug, look)?;
            for version in self.versions_in_history(&slug)? {
                let Some(to) = others.goes_to(&version.path) else { continue };
                self.archive(to, &version.claim, version.exit, version.claim.file.render().as_bytes())?;
                self.disk().unlink(&version.path).map_err(fault())?;
                self.disk().sync_dir(dir).map_err(fault())?;
            }
        }
        Ok(())
    }

    /// The version as this home wrote it under an earlier label of its claim, if git has put it into the file of the
    /// name that another clone gave the claim. `None` unless a copy has, under its own label, exactly the content of
    /// the version.
    pub fn as_written_under_an_old_name(
        &self,
        slug: &ClaimSlug,
        claim: &Claim,
    ) -> Result<Option<Claim>, StoreError> {
        if self.paths().kept.is_none() {
            return Ok(None);
        }
        let look = CopyLookup::at(self);
        for name in look.filed(look.fates()?.names_before(slug)) {
            let is_it = |copy: &Claim| {
                Label::parse(&copy.label).is_ok_and(|label| relabelled(claim, &label).is_version(copy))
            };
            let mut copies = self.kept_copies(&name)?.into_iter().map(|copy| copy.claim);
            if let Some(copy) = copies.find(is_it) {
                return Ok(Some(copy));
            }
        }
        Ok(None)
    }

    fn versions_in_history(&self, slug: &ClaimSlug) -> Result<Vec<PastVersion>, StoreError> {
        Ok(crate::history::versions(self.disk(), &self.paths().history, slug)?.0)
    }

    /// The versions of a label's claim under a name which it had before another clone renamed it, each with that name.
    /// An act that only the repository's log has proves nothing: a version of this label must follow them too. A
    /// version that the live claim under that name was written over belongs to that claim, whatever an act says.
    pub(crate) fn versions_under_old_names(
        &self,
        slug: &ClaimSlug,
        look: &CopyLookup<'_>,
    ) -> Result<Vec<(ClaimSlug, PastVersion)>, StoreError> {
        let told = look.fates()?;
        let before = look.filed(told.names_before(slug));
        if before.is_empty() {
            return Ok(Vec::new());
        }
        let live = self.live_versions(slug)?;
        let (mut versions, mut doubtful) = (Vec::new(), Vec::new());
        for name in before {
            let others = self.live_versions(&name)?;
            let is_shown = |state: &CopyState| {
                matches!(
                    state,
                    CopyState::Renamed
                        | CopyState::Retracted
                        | CopyState::Followed
                        | CopyState::ForgottenElsewhere
                )
            };
            let copies = look.copies(&name)?.into_iter().filter(|(_, state)| is_shown(state));
            let found = copies.map(|(copy, state)| as_past_version(copy, state));
            let found: Vec<PastVersion> = found.chain(self.versions_in_history(&name)?).collect();
            let claims: Vec<Claim> = found.iter().map(|version| version.claim.clone()).collect();
            let others = with_earlier(&others, &claims);
            for version in found.into_iter().filter(|version| !is_among(&others, &version.claim)) {
                let claim = &version.claim;
                match told.went(&name, claim, slug) {
                    WentWithClaim::Yes => versions.push((name.clone(), version)),
                    WentWithClaim::AsOnlyTheRepositorySays => doubtful.push((name.clone(), version)),
                    WentWithClaim::No if live.iter().any(|live| live.follows(claim)) => {
                        versions.push((name.clone(), version));
                    }
                    WentWithClaim::No => {}
                }
            }
        }
        let mut own = live;
        own.extend(self.kept_copies(slug)?.into_iter().map(|copy| copy.claim));
        own.extend(self.versions_in_history(slug)?.into_iter().map(|version| version.claim));
        own.extend(versions.iter().map(|(_, version): &(_, PastVersion)| version.claim.clone()));
        // A header names a bounded number of versions; each of those names the ones before it.
        loop {
            let (proved, rest): (Vec<_>, Vec<_>) = doubtful
                .into_iter()
                .partition(|(_, version): &(_, PastVersion)| is_among(&own, &version.claim));
            if proved.is_empty() {
                return Ok(versions);
            }
            own.extend(proved.iter().map(|(_, version)| version.claim.clone()));
            versions.extend(proved);
            doubtful = rest;
        }
    }
}

/// Whether a version is among these, or one of them names it or an edit of it.
pub(crate) fn is_among(later: &[Claim], claim: &Claim) -> bool {
    later.iter().any(|later| Lineage::up_to(later).names_it_or_an_edit(claim))
}

/// These versions, and those among `all` that they were written over: a header names a bounded number of versions, and
/// each of those names the ones before it.
fn with_earlier(versions: &[Claim], all: &[Claim]) -> Vec<Claim> {
    let mut found = versions.to_vec();
    let mut rest: Vec<&Claim> = all.iter().collect();
    loop {
        let (named, others): (Vec<&Claim>, Vec<&Claim>) =
            rest.into_iter().partition(|claim| is_among(&found, claim));
        if named.is_empty() {
            return found;
        }
        found.extend(named.into_iter().cloned());
        rest = others;
    }
}
