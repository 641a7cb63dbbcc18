//! Which of the versions under one slug are of one claim.
//!
//! Labels that differ in punctuation alone have one slug, and each is a claim of its own. Their versions are side by
//! side in history, among the kept copies and in a file that waits for a decision; what distinguishes them is the label in
//! each, and by the renamings on record. A renaming that keeps the slug spells the label anew: both spellings name one
//! claim from then on, whichever of them is written later.

use crate::store::{LiveFile, Store};
use crate::{StoreError, version_owner};
use brainstem_claims::act::{Act, DeedKind};
use brainstem_claims::decide::is_label_of;
use brainstem_claims::folds::names::names_of;
use brainstem_claims::{Claim, ClaimSlug, Label};

/// One claim among those of its slug.
#[derive(Clone, Debug)]
pub struct OneClaim {
    slug: ClaimSlug,
    /// The labels it has and had, by acts that were recorded here.
    names: Vec<Label>,
    /// Labels that it had by acts which only the repository's log has.
    hearsay: Vec<Label>,
    /// The labels of the other claims, and those that they had.
    others: Vec<Label>,
    /// Its versions, according to its own record.
    own: Vec<Claim>,
}

impl OneClaim {
    /// The claim of a label, beside the versions that are under its slug.
    pub fn of(label: &Label, acts: &[Act], beside: &[Claim]) -> Self {
        let slug = ClaimSlug::of(label);
        let recorded: Vec<Act> = acts.iter().filter(|act| !act.is_foreign()).cloned().collect();
        let names = names_of(label, &recorded);
        // An act that only the repository has counts for a label of this slug only if a version has the requested
        // label: a committer can write an act, and the claim of the other spelling belongs to this home.
        let has_version = beside.iter().any(|claim| label.is_read_as(&claim.label));
        let mut hearsay = names_of(label, acts);
        hearsay.retain(|name| !names.contains(name) && (has_version || ClaimSlug::of(name) != slug));
        let mut others: Vec<Label> = Vec::new();
        for other in beside.iter().filter_map(|claim| Label::parse(&claim.label).ok()) {
            let is_other =
                ClaimSlug::of(&other) == slug && !holds(&names, &other) && !holds(&hearsay, &other);
            if is_other && !holds(&others, &other) {
                others.extend(names_of(&other, acts));
            }
        }
        let is_own = |claim: &&Claim| Label::parse(&claim.label).is_ok_and(|label| holds(&names, &label));
        let own = beside.iter().filter(is_own).cloned().collect();
        Self { slug, names, hearsay, others, own }
    }

    /// The labels it has and had, by acts that were recorded here.
    pub fn names(&self) -> &[Label] {
        &self.names
    }

    /// The same, and the labels that only the repository's log says it had.
    pub fn all_names(&self) -> impl Iterator<Item = &Label> {
        self.names.iter().chain(&self.hearsay)
    }

    /// Whether only this claim has versions under the slug.
    pub fn is_alone(&self) -> bool {
        self.others.is_empty()
    }

    /// Whether a version under the slug is of this claim or may be.
    pub fn may_have(&self, claim: &Claim) -> bool {
        let Ok(label) = Label::parse(&claim.label) else { return self.is_alone() };
        let is_named = holds(&self.names, &label) || holds(&self.hearsay, &label);
        is_named || ClaimSlug::of(&label) != self.slug && !holds(&self.others, &label)
    }

    /// Whether a version under the slug belongs to this claim and to no other. A version with a label of another slug
    /// came there by a renaming, also if git took the act away. Beside another claim it is then unknown to which of
    /// them it belongs.
    pub fn has(&self, claim: &Claim) -> bool {
        let Ok(label) = Label::parse(&claim.label) else { return self.is_alone() };
        if holds(&self.others, &label) {
            return false;
        }
        holds(&self.names, &label)
            || holds(&self.hearsay, &label) && (self.is_alone() || version_owner::is_among(&self.own, claim))
            || self.is_alone() && ClaimSlug::of(&label) != self.slug
    }
}

impl Store {
    /// The claim of a label among the versions that are under its slug.
    pub fn one_claim(&self, label: &Label) -> Result<OneClaim, StoreError> {
        let beside = self.versions_of(&ClaimSlug::of(label))?;
        Ok(OneClaim::of(label, &self.acts().read()?.acts, &beside))
    }

    /// The claim of this version, which is under a slug. A version without a label belongs to the claim of the versions
    /// without a label of the slug.
    pub(crate) fn one_claim_of(&self, slug: &ClaimSlug, version: &Claim) -> Result<OneClaim, StoreError> {
        match Label::parse(&version.label) {
            Ok(label) => self.one_claim(&label),
            Err(_) => Ok(OneClaim {
                slug: slug.clone(),
                names: Vec::new(),
                hearsay: Vec::new(),
                others: Vec::new(),
                own: Vec::new(),
            }),
        }
    }
}

/// Whether two versions under one slug belong to one claim: they have one label, a renaming on record leads from one to
/// the other, or one of them has a label of another slug, which it got by a renaming. An edit by hand may change the
/// label.
pub fn is_one_claim(a: &Claim, b: &Claim, slug: &ClaimSlug, acts: &[Act]) -> bool {
    let is_edit = a.created.is_some() && (a.created, &a.source_agent) == (b.created, &b.source_agent);
    let (Ok(a), Ok(b)) = (Label::parse(&a.label), Label::parse(&b.label)) else { return true };
    let is_renamed = || [&a, &b].iter().any(|label| ClaimSlug::of(label) != *slug);
    a.is_read_as(b.as_str())
        || is_edit
        || is_renamed()
        || names_of(&a, acts).contains(&b)
        || names_of(&b, acts).contains(&a)
}

/// Whether a label is among these, whatever its letter case and blanks.
fn holds(labels: &[Label], label: &Label) -> bool {
    labels.iter().any(|known| known.is_read_as(label.as_str()))
}

impl Store {
    /// Returns whether a label is the id of a row: it is spelled as its slug, and no other claim than the live one has
    /// it as its label. A label means the claim of exactly this label before a claim of this id, also if that claim was
    /// taken back, waits for a decision or is not in this checkout.
    pub fn is_id(&self, label: &Label) -> Result<bool, StoreError> {
        let slug = ClaimSlug::of(label);
        if label.as_str() != slug.as_str() {
            return Ok(false);
        }
        let live = self.live_versions(&slug)?;
        // The whole history is read only where the live claim has another label.
        if !live.is_empty() && live.iter().all(|live| is_label_of(label, live)) {
            return Ok(true);
        }
        let beside: Vec<Claim> =
            self.versions_of(&slug)?.into_iter().chain(self.owner_versions(&slug)?).collect();
        if !beside.iter().any(|claim| is_label_of(label, claim)) {
            return Ok(true);
        }
        // Another spelling of the live claim's label is the same claim.
        let own = OneClaim::of(label, &self.acts().read()?.acts, &beside);
        Ok(!live.is_empty() && live.iter().all(|live| own.may_have(live)))
    }

    /// Returns the label of the live claim of a slug, if `label` names it: in other letter case or spacing, or in a
    /// spelling that it had before a renaming which was recorded here. An error means that the record cannot be read.
    pub fn label_of_live(&self, label: &Label) -> Result<Option<Label>, StoreError> {
        let LiveFile::Claim(claim) = self.live(&ClaimSlug::of(label)) else { return Ok(None) };
        let Ok(live) = Label::parse(&claim.label) else { return Ok(None) };
        if label.is_read_as(live.as_str()) {
            return Ok(Some(live));
        }
        let acts = self.acts().of_kinds(&[DeedKind::Rename])?;
        let recorded: Vec<Act> = acts.into_iter().filter(|act| !act.is_foreign()).collect();
        let is_it = ClaimSlug::of(&live) == ClaimSlug::of(label) && holds(&names_of(label, &recorded), &live);
        Ok(is_it.then_some(live))
    }
}
