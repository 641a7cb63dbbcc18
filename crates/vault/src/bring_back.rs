//! Bringing back the versions that git took away.

use crate::history::ExitReason;
use crate::kept_copies::KeptCopy;
use crate::missing_from_checkout::{CopyLookup, CopyState, is_same_under_its_label};
use crate::relocate::{RelocationOutcome, move_into_home};
use crate::store::{AllLocks, LiveFile, Store};
use crate::{StoreError, durable};
use brainstem_claims::Claim;
use brainstem_claims::ClaimSlug;
use brainstem_claims::lineage::follow;

/// What bringing a label's versions back did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BroughtBack {
    /// The version is live again.
    Live {
        /// Its label.
        label: String,
    },
    /// Another version is there that grew apart: a decision is due.
    Apart,
    /// Nothing was missing any more.
    Nothing,
}

impl Store {
    /// Brings back what is missing of a label, where nothing has to be decided: its youngest version if no other is
    /// there, or the version that was written over the one that is there. A version goes to history if history has it
    /// or the live version was written over it.
    pub fn bring_back(&self, slug: &ClaimSlug) -> Result<BroughtBack, StoreError> {
        let _guard = self.lock(slug)?;
        self.bring_back_locked(slug)
    }

    /// The version that [`Self::bring_back`] would make live, and its file. Writes nothing.
    pub fn coming_back(
        &self,
        slug: &ClaimSlug,
        _held: &AllLocks,
    ) -> Result<Option<(String, Vec<u8>)>, StoreError> {
        let copies = CopyLookup::at(self).copies(slug)?;
        let missing: Vec<Claim> = copies
            .into_iter()
            .filter(|(_, state)| *state == CopyState::Missing)
            .map(|(copy, _)| copy.claim)
            .collect();
        let Some(claim) = missing.last() else { return Ok(None) };
        let mut file = claim.file.clone();
        match self.live(slug) {
            LiveFile::Absent => {}
            LiveFile::Claim(live) if missing.len() == 1 && claim.follows(&live) => {
                follow(&mut file, &[&*live])
            }
            LiveFile::Claim(_) | LiveFile::Unreadable(_) => return Ok(None),
        }
        Ok(Some((claim.label.clone(), file.render().into_bytes())))
    }

    fn bring_back_locked(&self, slug: &ClaimSlug) -> Result<BroughtBack, StoreError> {
        let mut copies = CopyLookup::at(self).copies(slug)?;
        let is_missing = |(_, state): &(KeptCopy, CopyState)| *state == CopyState::Missing;
        let missing: Vec<usize> = (0..copies.len()).filter(|at| is_missing(&copies[*at])).collect();
        let Some(youngest) = missing.last().copied() else {
            self.settle(slug, copies)?;
            return Ok(BroughtBack::Nothing);
        };
        let claim = copies[youngest].0.claim.clone();
        let back = BroughtBack::Live { label: claim.label.clone() };
        let outcome = match self.live(slug) {
            LiveFile::Absent => match self.put_back(slug, &claim)? {
                durable::NewName::New => back,
                durable::NewName::Taken => return Ok(BroughtBack::Nothing),
            },
            LiveFile::Claim(live) if missing.len() == 1 && claim.follows(&live) => {
                let mut file = claim.file.clone();
                // Since this version was written over the live one, a decision may have added to the versions that the
                // live one follows.
                follow(&mut file, &[&*live]);
                match self.replace(slug, (&live, ExitReason::Superseded), &live.outdated(), file)? {
                    Some(_) => back,
                    None => return Ok(BroughtBack::Nothing),
                }
            }
            LiveFile::Claim(_) | LiveFile::Unreadable(_) => BroughtBack::Apart,
        };
        // Versions that grew apart stay missing until it is decided.
        copies.retain(|(_, state)| *state != CopyState::Missing);
        self.settle(slug, copies)?;
        Ok(outcome)
    }

    /// Puts every remaining copy into history, with every lock held: the claims leave the repository, and no copies are
    /// kept from now on. A version of a claim that is live nowhere else goes into the store `under_home` instead: git took
    /// its file away, or put it back, while the claims moved. Returns the labels of versions that no other version had
    /// replaced and that are in history now.
    pub fn archive_all_copies(&self, under_home: &Store, held: &AllLocks) -> Result<Vec<String>, StoreError> {
        let look = CopyLookup::at(self);
        let owner = self.paths.placed.as_ref().and_then(|placed| placed.owner.clone());
        let home = owner.map_or_else(|| self.clone(), |claims| self.under_home(claims));
        self.move_renamed_history(&look)?;
        let mut labels = Vec::new();
        for label in self.kept_labels()? {
            let slug = label.slug.clone();
            // No reader would see a copy afterwards that is left out now.
            let copies = self.all_copies_in(&label)?;
            let mut copies = look.states(&slug, copies)?;
            let is_alone =
                |(_, state): &(KeptCopy, CopyState)| matches!(state, CopyState::Missing | CopyState::Live);
            if let Some(at) = copies.iter().rposition(is_alone)
                && home.live_versions(&slug)?.is_empty()
            {
                let (copy, _) = &copies[at];
                let file = copy.claim.file.render();
                // A file under the home that cannot be read stays as it is.
                if move_into_home(self, under_home, &slug, file.as_bytes(), held)? != RelocationOutcome::Left
                {
                    self.drop_copy_kept(&copy.path);
                    copies.remove(at);
                }
            }
            let missing = copies.iter().rfind(|(_, state)| *state == CopyState::Missing);
            labels.extend(missing.map(|(copy, _)| copy.claim.label.clone()));
            // The versions of a claim that another clone renamed go to the slug that it has now.
            for (copy, _) in copies.iter().filter(|(_, state)| *state == CopyState::Renamed) {
                let claim = &copy.claim;
                let to = look.renamed_to(&slug, claim)?.unwrap_or_else(|| slug.clone());
                let is_live =
                    home.live_versions(&to)?.iter().any(|live| is_same_under_its_label(claim, live));
                if !is_live && !self.has_left(&to, claim) {
                    self.archive(&to, claim, ExitReason::Superseded, claim.outdated().render().as_bytes())?;
                }
                self.drop_copy_kept(&copy.path);
            }
            for (copy, _) in copies.iter().filter(|(_, state)| *state == CopyState::ForgottenElsewhere) {
                let claim = &copy.claim;
                self.archive(&slug, claim, ExitReason::Superseded, claim.outdated().render().as_bytes())?;
                self.drop_copy_kept(&copy.path);
            }
            let live: Vec<_> = copies
                .iter()
                .filter(|(_, state)| *state == CopyState::Live)
                .map(|(copy, _)| copy.clone())
                .collect();
            self.settle(&slug, copies)?;
            for copy in live {
                // Git put its file back after the claim went home: the checkout alone would have this version.
                let is_home = home.live_versions(&slug)?.iter().any(|live| live.is_version(&copy.claim));
                if !is_home && !self.has_left(&slug, &copy.claim) {
                    let bytes = copy.claim.outdated().render();
                    self.archive(&slug, &copy.claim, ExitReason::Superseded, bytes.as_bytes())?;
                    labels.push(copy.claim.label);
                }
                self.drop_copy_kept(&copy.path);
            }
        }
        Ok(labels)
    }
}
