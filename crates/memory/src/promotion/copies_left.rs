//! The copies that the medulla keeps of a claim which leaves its project: of any of its versions, under any name, live or
//! in the medulla's history.

use crate::service::Memory;
use brainstem_base::next::calls;
use brainstem_base::{Advice, Timestamp, advice};
use brainstem_claims::act::{Act, ClaimRef};
use brainstem_claims::folds::names::Relabelling;
use brainstem_claims::promotion::{Provenance, copy_named};
use brainstem_claims::{Claim, ClaimSlug, Label};
use brainstem_vault::checkup;
use std::collections::BTreeMap;

/// When the version that a copy was made of was born.
fn born_as(copy: &Claim) -> Option<Timestamp> {
    Provenance::of(copy)?.origin_created
}

/// How many copies an answer names.
const COPIES_NAMED_MAX: usize = 10;

/// A claim that leaves its project.
pub(crate) struct ClaimToForget<'a> {
    /// The name of the project's brain.
    pub(crate) origin: &'a str,
    /// The slugs that the claim has or had.
    pub(crate) names: &'a [ClaimSlug],
    /// The versions that are known of it.
    pub(crate) versions: &'a [Claim],
    /// The acts of its store: its renamings.
    pub(crate) acts: &'a [Act],
}

impl ClaimToForget<'_> {
    /// Whether a claim of the medulla is a copy of this one.
    fn has_copy(&self, slug: &ClaimSlug, copy: &Claim) -> bool {
        let Some(of) = copy.origin_claim.as_deref() else { return false };
        let mut named = self.versions.iter().filter_map(copy_named);
        let mut origins = self.names.iter().map(|name| ClaimRef::new(self.origin, name));
        named.any(|(name, since)| name == *slug && copy.created == Some(since))
            || origins.any(|origin| origin.as_str() == of) && !self.is_anothers(born_as(copy))
    }

    /// Whether a version of this birth is of a claim that had one of the names before, and was renamed.
    fn is_anothers(&self, born: Option<Timestamp>) -> bool {
        let is_here = |to: &Label| self.names.contains(&ClaimSlug::of(to));
        let is_away = |renamed: Relabelling<'_>| {
            renamed.born == born && renamed.to.as_ref().is_some_and(|to| !is_here(to))
        };
        born.is_some()
            && !self.versions.iter().any(|version| version.created == born)
            && self.acts.iter().filter_map(Relabelling::by).any(is_away)
    }
}

impl Memory {
    /// Says which copies of a project's claim that is forgotten stay in the medulla, each with the call that deletes it.
    pub(crate) fn copies_left(&self, claim: &ClaimToForget<'_>) -> Vec<Advice> {
        self.notes_on_copies(&|slug, copy| claim.has_copy(slug, copy))
    }

    /// Says which other copies of the claims that these versions are copies of stay in the medulla: one that was promoted
    /// again under a new name gave way to these.
    pub(crate) fn other_copies(&self, names: &[ClaimSlug], versions: &[Claim]) -> Vec<Advice> {
        let source = |copy: &Claim| {
            let origin = ClaimRef::read(copy.origin_claim.as_deref()?);
            Some((origin.parts()?.0.to_owned(), born_as(copy)?))
        };
        let sources: Vec<_> = versions.iter().filter_map(source).collect();
        self.notes_on_copies(&|slug, copy| {
            !names.contains(slug) && source(copy).is_some_and(|of| sources.contains(&of))
        })
    }

    fn notes_on_copies(&self, is_copy: &dyn Fn(&ClaimSlug, &Claim) -> bool) -> Vec<Advice> {
        let medulla = self.home.medulla();
        let mut live: BTreeMap<ClaimSlug, String> = BTreeMap::new();
        for stored in medulla.scan().map(|scan| scan.claims).unwrap_or_default() {
            let Some(slug) = ClaimSlug::parse(&stored.id) else { continue };
            if is_copy(&slug, &stored.claim) {
                live.insert(slug, stored.claim.label);
            }
        }
        let mut past: BTreeMap<ClaimSlug, String> = BTreeMap::new();
        let history = checkup::history(&*self.disk, &medulla.paths().history);
        for (slug, version) in history.map(|history| history.versions).unwrap_or_default() {
            if is_copy(&slug, &version.claim) && !live.contains_key(&slug) {
                // A version that was renamed since is found by the id of its claim.
                let label = Label::parse(&version.claim.label).ok();
                let label = label.filter(|label| ClaimSlug::of(label) == slug);
                past.insert(slug.clone(), label.map_or_else(|| slug.to_string(), |label| label.to_string()));
            }
        }
        let live = live.into_values().map(|label| {
            advice![
                "its copy in the medulla stays, and every project still sees it: ",
                calls::forget_for_good(label, "medulla"),
                " deletes it for good"
            ]
        });
        let past = past.into_values().map(|label| {
            advice![
                "the medulla's history keeps a copy of it, which every project can still look up: ",
                calls::forget_for_good(label, "medulla"),
                " deletes it for good"
            ]
        });
        live.chain(past).take(COPIES_NAMED_MAX).collect()
    }
}
