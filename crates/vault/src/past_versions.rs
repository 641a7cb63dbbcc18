//! The versions of a label that are no longer live, wherever they are.

use crate::StoreError;
use crate::history::{self, ExitReason, PastVersion};
use crate::missing_from_checkout::{CopyLookup, CopyState, as_past_version, is_same_under_its_label};
use crate::scan::UnreadableClaim;
use crate::store::Store;
use brainstem_claims::{Claim, ClaimSlug, LightFile};

impl Store {
    /// The versions of a label that are no longer live, youngest first: those in history, and those that are elsewhere
    /// under the home because git took them away. Those of a claim that another clone renamed from this label are with
    /// that claim.
    ///
    /// A copy that an interrupted change left of the version that is still live is not among them:
    /// a version is in one place.
    pub fn history(&self, slug: &ClaimSlug) -> Result<(Vec<PastVersion>, Vec<UnreadableClaim>), StoreError> {
        self.check_real_folders()?;
        let (mut versions, unreadable) = history::versions(self.disk(), &self.paths().history, slug)?;
        let look = CopyLookup::at(self);
        let of_others = self.renamed_away(slug, &look)?;
        versions.retain(|version| !of_others.is_gone(&version.path));
        // A version that a renaming left under this slug belongs to the renamed claim.
        let left = self.left_in_history(Some(slug))?;
        versions.retain(|version| !left.iter().any(|it| it.from == *slug && it.path == version.path));
        let live = self.versions_at(&self.live_path(slug))?;
        for version in self.versions_elsewhere(slug, &look)? {
            let is_live = live.iter().any(|live| is_same_under_its_label(&version.claim, live));
            // What was done to it under an earlier label was done to the same version.
            let is_known = |known: &PastVersion| {
                known.claim.is_version_kept(&version.claim)
                    || known.exit == version.exit && is_same_under_its_label(&version.claim, &known.claim)
            };
            if !is_live && !versions.iter().any(is_known) {
                versions.push(version);
            }
        }
        versions.sort_by(|a, b| b.claim.created.cmp(&a.claim.created).then_with(|| b.path.cmp(&a.path)));
        let live: Vec<LightFile> = live.iter().map(Claim::outdated).collect();
        let left: Vec<LightFile> = versions
            .iter()
            .filter(|it| it.exit != ExitReason::Superseded)
            .map(|it| it.claim.outdated())
            .collect();
        versions.retain(|version| {
            let outdated = version.claim.outdated();
            !live.contains(&outdated) && (version.exit != ExitReason::Superseded || !left.contains(&outdated))
        });
        Ok((versions, unreadable))
    }

    /// The versions of a label that history does not have: those that are here as copies alone, and those that are
    /// under a name that the claim had before another clone renamed it.
    pub(crate) fn versions_elsewhere(
        &self,
        slug: &ClaimSlug,
        look: &CopyLookup<'_>,
    ) -> Result<Vec<PastVersion>, StoreError> {
        if self.paths().kept.is_none() {
            return Ok(Vec::new());
        }
        let mut versions = Vec::new();
        if let Some(path) = self.owner_path(slug) {
            // A move into the repository was interrupted, or git brought the repository's store back after an eject.
            let left = self.versions_at(&path)?.into_iter();
            let missing = |claim| PastVersion {
                path: path.clone(),
                exit: ExitReason::Superseded,
                claim,
                is_missing: true,
            };
            versions.extend(left.map(missing));
        }
        let others = self.renamed_away(slug, look)?;
        for (copy, state) in look.copies(slug)? {
            match state {
                CopyState::Retracted | CopyState::Followed if others.is_gone(&copy.path) => {}
                CopyState::Renamed if others.is_in_doubt(&copy.path) => {
                    versions.push(as_past_version(copy, state))
                }
                CopyState::Retracted
                | CopyState::Followed
                | CopyState::Missing
                | CopyState::ForgottenElsewhere => versions.push(as_past_version(copy, state)),
                CopyState::Live | CopyState::InHistory | CopyState::Forgotten | CopyState::Renamed => {}
            }
        }
        let before = self.versions_under_old_names(slug, look)?.into_iter();
        versions.extend(before.map(|(_, version)| version));
        Ok(versions)
    }
}
