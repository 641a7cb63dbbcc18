//! What git did to the versions that were written here: which are not in this checkout.
//!
//! A version that was written here has a copy under the home ([`crate::kept_copies`]). It is *missing* if the checkout
//! has neither it nor a successor: it is not live, no live version was written over it, history does not have it, and
//! no act (acts travel with the repository) took it back, forgot it or named a decision about it.

pub use crate::bring_back::BroughtBack;

use crate::StoreError;
use crate::half_merged::made_whole;
use crate::history::{ExitReason, PastVersion, VersionName};
use crate::kept_copies::{KeptCopy, KeptLabel};
use crate::scan::{self, CLAIM_SUFFIX};
use crate::store::{LiveFile, Store};
use brainstem_base::DiskFault;
use brainstem_claims::act::VersionRef;
use brainstem_claims::folds::versions::{BirthOrder, ForgottenWhere, NameSince, VersionFates};
use brainstem_claims::lineage::relabelled;
use brainstem_claims::merge::{says_the_same, versions_in};
use brainstem_claims::{Claim, ClaimSlug, Label};
use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A label with versions that were written here and are not in this checkout.
#[derive(Clone, Debug)]
pub struct Missing {
    /// Its slug.
    pub slug: ClaimSlug,
    /// These versions, oldest first, without those that another of them was written over.
    pub versions: Vec<KeptCopy>,
    /// Whether another version is live under its name.
    pub is_live: bool,
}

impl Missing {
    /// The youngest of the versions.
    pub fn youngest(&self) -> &Claim {
        &self.versions.last().expect("a missing label has a version").claim
    }
}

/// The versions that were written here and are not in this checkout.
#[derive(Clone, Debug, Default)]
pub struct NotInCheckout {
    /// No act says why.
    pub missing: Vec<Missing>,
    /// Another clone forgot it, according to the repository's log alone. This home keeps its own copy until it is
    /// forgotten here.
    pub forgotten: Vec<KeptCopy>,
    /// Copies that cannot be read as claims, so it is unknown what is missing.
    pub unreadable: Vec<PathBuf>,
}

/// What became of a version of which a copy was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyState {
    /// It is live.
    Live,
    /// History has it.
    InHistory,
    /// It was forgotten through this home.
    Forgotten,
    /// It was forgotten in another clone, according to the repository's log alone.
    ForgottenElsewhere,
    /// It was taken back, here or in another clone.
    Retracted,
    /// The claim has another label since, and lives or is in history under that.
    Renamed,
    /// The live version was written over it or is an edit of it, or a decision between versions named it.
    Followed,
    /// The checkout has neither it nor a successor.
    Missing,
}

/// Looks up what became of copies; the acts are read for the first copy that needs them.
pub(crate) struct CopyLookup<'a> {
    store: &'a Store,
    fates: OnceCell<VersionFates>,
    /// The slugs of which this store has a file; `None` if a folder of it cannot be listed.
    filed: OnceCell<Option<HashSet<ClaimSlug>>>,
}

/// As many names are looked up one by one; the folders are listed for more.
const NAMES_ASKED_SINGLY_MAX: usize = 16;

impl<'a> CopyLookup<'a> {
    pub(crate) fn at(store: &'a Store) -> Self {
        Self { store, fates: OnceCell::new(), filed: OnceCell::new() }
    }

    pub(crate) fn fates(&self) -> Result<&VersionFates, StoreError> {
        if let Some(fates) = self.fates.get() {
            return Ok(fates);
        }
        let read = VersionFates::of(&self.store.acts().read()?.acts);
        Ok(self.fates.get_or_init(|| read))
    }

    /// Those of these names of which this store has a file: live, in history, or a kept copy. A committer can put any
    /// number of names into the log, and no file of each is looked for.
    pub(crate) fn filed(&self, names: Vec<ClaimSlug>) -> Vec<ClaimSlug> {
        if names.len() <= NAMES_ASKED_SINGLY_MAX {
            return names;
        }
        match self.filed.get_or_init(|| self.store.filed_slugs().ok()) {
            Some(filed) => names.into_iter().filter(|name| filed.contains(name)).collect(),
            None => names,
        }
    }

    /// The copies of a label, oldest first, each with what became of it.
    pub(crate) fn copies(&self, slug: &ClaimSlug) -> Result<Vec<(KeptCopy, CopyState)>, StoreError> {
        self.states(slug, self.store.kept_copies(slug)?)
    }

    /// What became of these copies of a label.
    pub(crate) fn states(
        &self,
        slug: &ClaimSlug,
        copies: Vec<KeptCopy>,
    ) -> Result<Vec<(KeptCopy, CopyState)>, StoreError> {
        if copies.is_empty() {
            return Ok(Vec::new());
        }
        let live = self.store.live_versions(slug)?;
        let mut states = Vec::new();
        for copy in &copies {
            states.push(self.state(slug, &copy.claim, &live)?);
        }
        // Of several missing versions, those that others were written over come back with the others.
        let missing: Vec<usize> = (0..copies.len()).filter(|at| states[*at] == CopyState::Missing).collect();
        let claims: Vec<&Claim> = missing.iter().map(|at| &copies[*at].claim).collect();
        for (at, is_head) in missing.into_iter().zip(not_replaced(&claims)) {
            if !is_head {
                states[at] = CopyState::Followed;
            }
        }
        Ok(copies.into_iter().zip(states).collect())
    }

    fn state(&self, slug: &ClaimSlug, claim: &Claim, live: &[Claim]) -> Result<CopyState, StoreError> {
        if live.iter().any(|live| live.is_version(claim)) {
            return Ok(CopyState::Live);
        }
        if self.store.has_left(slug, claim) {
            return Ok(CopyState::InHistory);
        }
        let told = self.fates()?;
        let names = told.names_since(slug, claim);
        let forgotten = told.has_forgotten(&names, claim);
        if forgotten == Some(ForgottenWhere::Here) {
            return Ok(CopyState::Forgotten);
        }
        if told.has_retracted(&names, claim) {
            // The other versions that a retraction covers were superseded before: no act took them back.
            return Ok(match told.is_retracted_itself(&names, claim) {
                true => CopyState::Retracted,
                false => CopyState::Followed,
            });
        }
        if told.was_retracted_before(slug, claim) {
            return Ok(CopyState::Retracted);
        }
        let is_decided = told.has_decided_against(&VersionRef::of(slug, claim));
        // An edit by hand keeps birth and author, and its writer saw what it changed.
        let is_edit_of = |live: &Claim| {
            claim.created.is_some()
                && (live.created, &live.source_agent) == (claim.created, &claim.source_agent)
        };
        if is_decided || live.iter().any(|live| replaces_earlier(live, claim) || is_edit_of(live)) {
            return Ok(CopyState::Followed);
        }
        if forgotten == Some(ForgottenWhere::Elsewhere) {
            return Ok(CopyState::ForgottenElsewhere);
        }
        Ok(match self.renamed_to(slug, claim)? {
            Some(_) => CopyState::Renamed,
            None => CopyState::Missing,
        })
    }

    /// The slug under which the claim of this version is live or in history since it was renamed; `None` if no act says
    /// that it was renamed.
    pub(crate) fn renamed_to(
        &self,
        slug: &ClaimSlug,
        claim: &Claim,
    ) -> Result<Option<ClaimSlug>, StoreError> {
        let store = self.store;
        let names = self.fates()?.names_since(slug, claim).into_iter();
        let names: Vec<NameSince> = names.filter(|name| name.is_last() && name.slug != *slug).collect();
        let filed = self.filed(names.iter().map(|name| name.slug.clone()).collect());
        let filed: HashSet<ClaimSlug> = filed.into_iter().collect();
        for NameSince { slug: name, born, .. } in names.into_iter().filter(|name| filed.contains(&name.slug))
        {
            // Git put the version that another clone renamed and the one that this clone wrote into one file: the
            // version itself is there. An edit by hand keeps the birth and the author, and is another version.
            let is_itself = |there: &Claim| {
                claim.created.is_some()
                    && (there.created, &there.source_agent) == (claim.created, &claim.source_agent)
                    && Label::parse(&there.label)
                        .is_ok_and(|label| says_the_same(&relabelled(claim, &label), there))
            };
            let is_successor = |there: &Claim| {
                is_itself(there)
                    || match born {
                        BirthOrder::Before => there.replaces(claim),
                        BirthOrder::After => there.follows(claim),
                    }
            };
            let copies = store.kept_copies(&name)?.into_iter().map(|copy| copy.claim);
            let mut there = store.live_versions(&name)?.into_iter().chain(copies);
            if there.any(|there| is_successor(&there)) || store.has_left(&name, claim) {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// The missing versions of a label; `None` if there are none.
    fn missing(&self, slug: &ClaimSlug, copies: Vec<KeptCopy>) -> Result<Option<Missing>, StoreError> {
        Ok(self.not_in_checkout(slug, copies)?.missing.pop())
    }

    /// The copies of a label that are not in this checkout.
    fn not_in_checkout(&self, slug: &ClaimSlug, copies: Vec<KeptCopy>) -> Result<NotInCheckout, StoreError> {
        let (mut versions, mut forgotten) = (Vec::new(), Vec::new());
        for (copy, state) in self.states(slug, copies)? {
            match state {
                CopyState::Missing => versions.push(copy),
                CopyState::ForgottenElsewhere => forgotten.push(copy),
                CopyState::Live
                | CopyState::InHistory
                | CopyState::Forgotten
                | CopyState::Retracted
                | CopyState::Renamed
                | CopyState::Followed => {}
            }
        }
        let is_live = self.store.disk().stat(&self.store.live_path(slug)).is_ok();
        let missing = (!versions.is_empty()).then(|| Missing { slug: slug.clone(), versions, is_live });
        Ok(NotInCheckout { missing: missing.into_iter().collect(), forgotten, unreadable: Vec::new() })
    }
}

impl Store {
    /// The versions of a label that were written here and are not in this checkout; `None` if none is missing.
    pub fn missing_of(&self, slug: &ClaimSlug) -> Result<Option<Missing>, StoreError> {
        CopyLookup::at(self).missing(slug, self.kept_copies(slug)?)
    }

    /// The same for a change that relies on it: an error if the disk fails to read one of the copies.
    pub(crate) fn missing_given(&self, slug: &ClaimSlug) -> Result<Option<Missing>, StoreError> {
        CopyLookup::at(self).missing(slug, self.kept_copies_given(slug)?)
    }

    /// The labels with versions that were written here and are not in this checkout.
    pub fn missing_among<'l>(
        &self,
        labels: impl IntoIterator<Item = &'l KeptLabel>,
    ) -> Result<Vec<Missing>, StoreError> {
        Ok(self.not_in_checkout_among(labels)?.missing)
    }

    /// The versions of these labels that were written here and are not in this checkout.
    pub fn not_in_checkout_among<'l>(
        &self,
        labels: impl IntoIterator<Item = &'l KeptLabel>,
    ) -> Result<NotInCheckout, StoreError> {
        let look = CopyLookup::at(self);
        let mut all = NotInCheckout::default();
        for label in labels {
            let copies = self.copies_in(label);
            all.unreadable.extend(self.unreadable_in(label, &copies));
            let NotInCheckout { missing, forgotten, .. } = look.not_in_checkout(&label.slug, copies)?;
            all.missing.extend(missing);
            all.forgotten.extend(forgotten);
        }
        Ok(all)
    }

    /// How many versions that are no longer live exist only as a copy: another clone wrote over them or took them back.
    pub fn past_copies(&self) -> Result<usize, StoreError> {
        let look = CopyLookup::at(self);
        let mut count = 0;
        for label in self.kept_labels()? {
            let states = look.states(&label.slug, self.copies_in(&label))?;
            let is_past = |state: &CopyState| matches!(state, CopyState::Followed | CopyState::Retracted);
            count += states.iter().filter(|(_, state)| is_past(state)).count();
        }
        Ok(count)
    }

    /// The versions of a label that were written here and that another clone forgot, according to the repository's log
    /// alone.
    pub fn forgotten_elsewhere(&self, slug: &ClaimSlug) -> Result<Vec<KeptCopy>, StoreError> {
        Ok(CopyLookup::at(self).not_in_checkout(slug, self.kept_copies(slug)?)?.forgotten)
    }

    /// The labels that were written here and have nothing in this checkout.
    pub fn labels_absent(&self) -> Result<Vec<Missing>, StoreError> {
        let missing = self.missing_among(&self.kept_labels()?)?;
        Ok(missing.into_iter().filter(|missing| !missing.is_live).collect())
    }

    /// The versions under a live name, here and where the claims were before they went into the repository: one,
    /// several that wait for a decision, or none that can be read.
    pub(crate) fn live_versions(&self, slug: &ClaimSlug) -> Result<Vec<Claim>, StoreError> {
        let mut versions = self.versions_at(&self.live_path(slug))?;
        if let Some(path) = self.owner_path(slug) {
            versions.extend(self.versions_at(&path)?);
        }
        Ok(versions)
    }

    /// The versions in a file: one, several that wait for a decision, or none that can be read.
    pub(crate) fn versions_at(&self, path: &Path) -> Result<Vec<Claim>, StoreError> {
        match scan::read_file(self.disk(), path) {
            Ok(bytes) => Ok(versions_in(&made_whole(self.disk(), path, bytes)).unwrap_or_default()),
            Err(error) => match error.fault() {
                DiskFault::NotFound | DiskFault::TooLarge { .. } | DiskFault::NotAFile => Ok(Vec::new()),
                _ => Err(StoreError::disk("cannot read the claim")(error)),
            },
        }
    }

    /// Whether a slug's history has this version, with the promotion that it names.
    pub(crate) fn has_left(&self, slug: &ClaimSlug, claim: &Claim) -> bool {
        self.in_history(slug, claim.created, |past| {
            past.is_version_kept(claim)
                && (claim.promoted_to.is_none() || past.promoted_to == claim.promoted_to)
        })
    }

    /// The slugs of which this store has a file: live, in history, or a kept copy. From the names alone.
    fn filed_slugs(&self) -> Result<HashSet<ClaimSlug>, StoreError> {
        let listed = |dir: &Path| match self.disk().list(dir) {
            Ok(entries) => Ok(entries),
            Err(error) if error.fault() == DiskFault::NotFound => Ok(Vec::new()),
            Err(error) => Err(StoreError::disk("cannot list the claims")(error)),
        };
        let names = |dir: &Path| -> Result<Vec<String>, StoreError> {
            Ok(listed(dir)?.into_iter().filter_map(|entry| entry.name.into_string().ok()).collect())
        };
        let mut slugs: HashSet<ClaimSlug> = self.kept_labels()?.into_iter().map(|kept| kept.slug).collect();
        let live = names(&self.paths().claims)?;
        slugs.extend(live.iter().filter_map(|name| ClaimSlug::parse(name.strip_suffix(CLAIM_SUFFIX)?)));
        let past = names(&self.paths().history)?;
        slugs.extend(past.iter().filter_map(|name| Some(VersionName::parse(name)?.slug)));
        Ok(slugs)
    }

    /// Where a claim was before the store went into the repository.
    pub(crate) fn owner_path(&self, slug: &ClaimSlug) -> Option<PathBuf> {
        let owner = self.paths().placed.as_ref()?.owner.as_ref()?;
        Some(owner.join(format!("{slug}{CLAIM_SUFFIX}")))
    }

    /// The versions of a label in the file where the claims were before they went into the repository.
    pub(crate) fn owner_versions(&self, slug: &ClaimSlug) -> Result<Vec<Claim>, StoreError> {
        self.owner_path(slug).map_or_else(|| Ok(Vec::new()), |path| self.versions_at(&path))
    }

    /// Whether the missing version would come back by itself: a decision about it should know that.
    pub fn comes_back(&self, missing: &Missing) -> bool {
        match self.live(&missing.slug) {
            LiveFile::Absent => true,
            LiveFile::Claim(live) => missing.versions.len() == 1 && missing.youngest().follows(&live),
            LiveFile::Unreadable(_) => false,
        }
    }
}

/// A copy as a version that is no longer live.
pub(crate) fn as_past_version(copy: KeptCopy, state: CopyState) -> PastVersion {
    let exit = if state == CopyState::Retracted { ExitReason::Retracted } else { ExitReason::Superseded };
    let is_missing = matches!(state, CopyState::Missing | CopyState::ForgottenElsewhere);
    PastVersion { path: copy.path, exit, claim: copy.claim, is_missing }
}

/// Whether a version has, under the label of another, exactly the content of that one.
pub(crate) fn is_same_under_its_label(claim: &Claim, live: &Claim) -> bool {
    Label::parse(&live.label).is_ok_and(|label| relabelled(claim, &label).is_version(live))
}

/// Whether a later version under one slug replaces an earlier one, so that the earlier one is not missed. A stamp that
/// covers everything older does not apply to a claim of another label.
fn replaces_earlier(later: &Claim, earlier: &Claim) -> bool {
    let slug = |claim: &Claim| Label::parse(&claim.label).map(|label| ClaimSlug::of(&label)).ok();
    match later.label != earlier.label && slug(later) == slug(earlier) {
        true => later.follows(earlier),
        false => later.replaces(earlier),
    }
}

/// Which of these versions no other version replaces. If versions name each other in a ring (clocks that differ, edits
/// that keep a birth), none of the ring replaces another: all of them wait for a decision.
fn not_replaced(versions: &[&Claim]) -> Vec<bool> {
    let count = versions.len();
    // `reaches[later][earlier]`: the first replaces the second, perhaps through others of these.
    let row = |later: &&Claim| versions.iter().map(|earlier| replaces_earlier(later, earlier)).collect();
    let mut reaches: Vec<Vec<bool>> = versions.iter().map(row).collect();
    for between in 0..count {
        let further = reaches[between].clone();
        for row in reaches.iter_mut().filter(|row| row[between]) {
            row.iter_mut().zip(&further).for_each(|(reached, is_further)| *reached |= is_further);
        }
    }
    let is_followed = |at: usize| (0..count).any(|later| reaches[later][at] && !reaches[at][later]);
    (0..count).map(|at| !is_followed(at)).collect()
}

#[cfg(test)]
#[path = "missing_from_checkout_tests.rs"]
mod tests;
