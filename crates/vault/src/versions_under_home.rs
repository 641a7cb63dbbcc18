//! The versions of a label that are under the home alone when it is written, and where they go after the write.

use crate::header_source::HeaderSource;
use crate::history::ExitReason;
use crate::kept_copies::KeptCopy;
use crate::missing_from_checkout::{CopyLookup, CopyState};
use crate::store::Store;
use crate::{StoreError, durable, scan};
use brainstem_claims::{Claim, ClaimSlug};
use std::path::{Path, PathBuf};

/// The versions of a label that are not in the checkout, as a write found them.
#[derive(Default)]
pub(crate) struct Elsewhere {
    copies: Vec<(KeptCopy, CopyState)>,
    /// The claim in the place of the store before it went into the repository: a move there was interrupted, or an
    /// `eject` moved it into the home and git brought the repository's store back.
    owner: Option<OwnerSide>,
}

struct OwnerSide {
    path: PathBuf,
    claim: Claim,
    source: HeaderSource,
}

impl Elsewhere {
    /// The youngest version that nothing in the checkout replaces.
    pub(crate) fn youngest(&self) -> Option<&Claim> {
        let missing = self.copies.iter().filter(|(_, state)| *state == CopyState::Missing);
        let missing = missing.map(|(copy, _)| &copy.claim);
        missing.chain(self.owner.as_ref().map(|owner| &owner.claim)).max_by_key(|claim| claim.created)
    }

    /// Whether a version is the one in the file under the home.
    pub(crate) fn is_from_owner(&self, claim: &Claim) -> bool {
        self.owner.as_ref().is_some_and(|owner| owner.claim.file == claim.file)
    }

    /// Records what proves the claim under the home, before it moves.
    pub(crate) fn note_owner(&self, store: &Store) -> Result<(), StoreError> {
        self.owner.as_ref().map_or(Ok(()), |owner| store.note_source(&owner.claim, owner.source))
    }

    /// Removes the file under the home of a version that is live or in history by now. Best effort: if it stays, it is
    /// reported as before.
    pub(crate) fn drop_owner_file(&self, store: &Store) {
        let Some(OwnerSide { path, claim, .. }) = &self.owner else { return };
        if !store.is_still(path, claim).unwrap_or(false) {
            return;
        }
        let _ = store.disk().unlink(path);
        if let Some(folder) = path.parent() {
            let _ = store.disk().sync_dir(folder);
        }
    }
}

impl Store {
    /// The versions of a label that is about to be written which are elsewhere: copies of versions that are not live,
    /// and the claim under the home. A file there that is not one claim stays as it is, and `init` reports it.
    pub(crate) fn elsewhere(&self, slug: &ClaimSlug) -> Result<Elsewhere, StoreError> {
        if self.paths().kept.is_none() {
            return Ok(Elsewhere::default());
        }
        let mut owner = None;
        if let Some(path) = self.owner_path(slug)
            && let Some(claim) = scan::claim_given(self.disk(), &path)?
        {
            let folder = path.parent().map(Path::to_owned).unwrap_or_default();
            let source = self.under_home(folder).source_of(&claim)?;
            owner = Some(OwnerSide { path, claim, source });
        }
        let copies = CopyLookup::at(self).states(slug, self.kept_copies_given(slug)?)?;
        Ok(Elsewhere { copies, owner })
    }

    /// The version that a write of a label is compared with if the checkout has none: the youngest under the home
    /// alone; `None` if there is none.
    pub fn youngest_elsewhere(&self, slug: &ClaimSlug) -> Result<Option<Claim>, StoreError> {
        Ok(self.elsewhere(slug)?.youngest().cloned())
    }

    /// Whether a version of a label that `is_it` accepts is under the home alone, as a copy or as a claim.
    pub fn has_elsewhere(&self, slug: &ClaimSlug, is_it: impl Fn(&Claim) -> bool) -> bool {
        let copies = self.kept_copies(slug).unwrap_or_default().into_iter().map(|copy| copy.claim);
        let owner = self.owner_path(slug).and_then(|path| self.versions_at(&path).ok());
        copies.chain(owner.unwrap_or_default()).any(|claim| is_it(&claim))
    }

    /// After a write: versions under the home alone go to history, behind the version that was just written, and not
    /// into the checkout. Returns how many of them nothing else had replaced. Best effort: a version that stays is
    /// still missing, and reported.
    pub(crate) fn archive_versions_elsewhere(&self, slug: &ClaimSlug, elsewhere: Elsewhere) -> usize {
        let from_owner = self.archive_owner_claim(slug, &elsewhere);
        // The version that was live then is in history by now, and its copy went with it.
        let copies = elsewhere
            .copies
            .into_iter()
            .filter(|(copy, state)| *state != CopyState::Live && self.disk().stat(&copy.path).is_ok());
        usize::from(from_owner) + self.settle(slug, copies.collect()).unwrap_or_default()
    }

    /// Puts the claim under the home into history. Returns whether it was new there.
    fn archive_owner_claim(&self, slug: &ClaimSlug, elsewhere: &Elsewhere) -> bool {
        let Some(OwnerSide { claim, .. }) = &elsewhere.owner else { return false };
        let is_new = !self.has_left(slug, claim);
        let outdated = claim.outdated().render();
        let kept = elsewhere
            .note_owner(self)
            .and_then(|()| self.archive(slug, claim, ExitReason::Superseded, outdated.as_bytes()));
        if kept.is_ok() {
            elsewhere.drop_owner_file(self);
        }
        is_new && kept.is_ok()
    }

    /// Moves the copies of a label that are neither live nor due to come back, with its lock held: into history, or
    /// away if history has them. Returns how many of them nothing else had replaced.
    pub(crate) fn settle(
        &self,
        slug: &ClaimSlug,
        copies: Vec<(KeptCopy, CopyState)>,
    ) -> Result<usize, StoreError> {
        let mut gathered = 0;
        for (copy, state) in copies {
            let claim = &copy.claim;
            match state {
                CopyState::InHistory => {}
                CopyState::Followed | CopyState::Missing => {
                    self.archive(slug, claim, ExitReason::Superseded, claim.outdated().render().as_bytes())?;
                    gathered += usize::from(state == CopyState::Missing);
                }
                CopyState::Retracted => {
                    self.archive(slug, claim, ExitReason::Retracted, claim.file.render().as_bytes())?;
                }
                // A forgotten copy belongs to this home, as a backup does; the others are where they belong.
                CopyState::Live
                | CopyState::Forgotten
                | CopyState::ForgottenElsewhere
                | CopyState::Renamed => continue,
            }
            self.drop_copy_kept(&copy.path);
        }
        Ok(gathered)
    }

    /// Makes a version that was written here live again, unchanged; a file that is there by now stays.
    pub(crate) fn put_back(&self, slug: &ClaimSlug, claim: &Claim) -> Result<durable::NewName, StoreError> {
        self.make_claims_folder()?;
        let bytes = claim.file.render();
        durable::create(self.disk(), self.ids(), &self.live_path(slug), bytes.as_bytes())
            .map_err(StoreError::disk("cannot bring a claim back"))
    }
}
