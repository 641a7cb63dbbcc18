//! A live file that git, a backup or a person brought back, although its claim has or had another name.
//!
//! The claim was renamed and continued under its new name: the file has a version that was superseded, taken back or
//! moved there.

use crate::StoreError;
use crate::store::Store;
use brainstem_claims::act::{Act, Deed};
use brainstem_claims::folds::tombstones::{ForgottenWhere, Tombstones};
use brainstem_claims::folds::versions::VersionFates;
use brainstem_claims::lineage::{Lineage, relabelled};
use brainstem_claims::{Claim, ClaimSlug, Label};
use std::collections::HashMap;

/// What became of a version under another name of its claim.
#[derive(Clone, Debug)]
pub struct CameBack {
    /// The slug that the claim got since; `None` where the version was superseded or taken back under an earlier one.
    pub renamed_to: Option<ClaimSlug>,
    /// The last retraction of it, where it was taken back under that other name.
    pub retraction: Option<Act>,
}

/// The renamings of a store and the retractions, for the question whether a live file came back under an old name.
#[derive(Debug, Default)]
pub struct Renames {
    fates: VersionFates,
    /// By the slug of what was taken back, in the order of the log.
    retractions: HashMap<ClaimSlug, Vec<(Lineage, Act)>>,
}

impl Renames {
    /// Those among these acts.
    pub fn of(acts: &[Act]) -> Self {
        let retraction = |act: &Act| match act.deed() {
            Deed::Retract { upon, covers: Some(covers), .. } => {
                Some((upon.slug()?.clone(), covers.clone(), act.clone()))
            }
            _ => None,
        };
        let mut retractions: HashMap<ClaimSlug, Vec<(Lineage, Act)>> = HashMap::new();
        for (slug, covers, act) in acts.iter().filter_map(retraction) {
            retractions.entry(slug).or_default().push((covers, act));
        }
        Self { fates: VersionFates::of(acts), retractions }
    }

    /// The labels that claims of this slug had before, as far as an act says them: of other slugs, and other spellings.
    pub fn labels_before(&self, slug: &ClaimSlug) -> Vec<Label> {
        let mut labels = self.fates.labels_before(slug);
        labels.extend(self.fates.spelled_before(slug));
        labels
    }

    /// Where a live version was forgotten, under its label or under one that its claim had before by a renaming that was
    /// recorded here. `None` if it was not.
    pub fn forgotten(
        &self,
        tombstones: &Tombstones,
        slug: &ClaimSlug,
        live: &Claim,
    ) -> Option<ForgottenWhere> {
        let before = || {
            let mut labels = self.fates.own_labels_before(slug).into_iter();
            labels.find_map(|label| tombstones.forgotten(&relabelled(live, &label)))
        };
        tombstones.forgotten(live).or_else(|| if tombstones.is_empty() { None } else { before() })
    }

    /// What became of the version in a live file under another name of its claim: a name that it got by a renaming, or
    /// had before. `None` if no act says that the file came back. A claim that came back so and was renamed again
    /// counts as one that came back.
    pub fn came_back(
        &self,
        store: &Store,
        slug: &ClaimSlug,
        live: &Claim,
    ) -> Result<Option<CameBack>, StoreError> {
        if let Some((to, _)) = self.fates.went_to(slug, live)
            && (store.has_had(&to, live)? || self.retraction(&to, live).is_some())
        {
            let retraction = self.retraction(&to, live);
            return Ok(Some(CameBack { renamed_to: Some(to), retraction }));
        }
        // It is the version that it was under an earlier name, and another claim had that name's version before.
        let lineage = live.lineage();
        for to in self.fates.renamed_before(slug, live.created) {
            let is_it = |there: &Claim| Lineage::up_to(there).shares_birth(&lineage, live);
            let mut retracted = self.retractions.get(&to).into_iter().flatten();
            let retracted = retracted.rfind(|(covers, _)| covers.shares_birth(&lineage, live));
            if retracted.is_some() || store.versions_of(&to)?.iter().any(is_it) {
                let retraction = retracted.map(|(_, act)| act.clone());
                return Ok(Some(CameBack { renamed_to: Some(to), retraction }));
            }
        }
        // A version keeps its birth and its words under each label, so what was done to it under an earlier label was
        // done to this version.
        for label in self.fates.labels_before(slug) {
            let (name, earlier) = (ClaimSlug::of(&label), relabelled(live, &label));
            if store.came_back_from_history(&name, &earlier) {
                let retraction = store.retraction_of(&name, &earlier);
                return Ok(Some(CameBack { renamed_to: None, retraction }));
            }
        }
        Ok(None)
    }

    fn retraction(&self, to: &ClaimSlug, live: &Claim) -> Option<Act> {
        let of = self.retractions.get(to).into_iter().flatten().filter(|(covers, _)| covers.names(live));
        of.map(|(_, act)| act).max_by_key(|act| !act.is_foreign()).cloned()
    }
}
