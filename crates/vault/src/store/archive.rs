//! Putting versions into history, with the record of what proves them, and removing what an interrupted change left
//! there.

use super::{LiveFile, Store};
use crate::StoreError;
use crate::header_source::HeaderSource;
use crate::history::{self, ExitReason};
use brainstem_base::DiskFault;
use brainstem_claims::act::{ActId, VersionRef};
use brainstem_claims::{Claim, ClaimSlug};
use std::path::PathBuf;

/// What putting a version from elsewhere into history did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveOutcome {
    /// It is there now.
    New,
    /// It was there.
    Known,
    /// It is live here, and a version is in one place.
    IsLive,
}

/// A version that a change has put into history.
pub(crate) struct Archived {
    /// Its path.
    pub(crate) path: PathBuf,
    /// History did not have it before.
    is_new: bool,
}

impl Archived {
    /// Takes it out of history again: the change failed. Best effort: a version counts in one place, so readers skip a
    /// copy of the live one. It stays if the disk does not confirm that the version is live again.
    pub(crate) fn take_back(self, store: &Store) {
        if store.sync().is_ok() {
            let _ = self.remove(store);
        }
    }

    /// The same for a version with another copy that stays. After an error history may still have it.
    pub(crate) fn remove(self, store: &Store) -> Result<(), StoreError> {
        if !self.is_new {
            return Ok(());
        }
        let gone = store.disk.unlink(&self.path).and_then(|()| store.disk.sync_dir(&store.paths.history));
        gone.map_err(StoreError::disk("cannot take a version out of history"))
    }
}

impl Store {
    /// Puts a version from elsewhere into history, unless exactly that version is live here. Returns whether history
    /// had it.
    pub fn archive_from_elsewhere(
        &self,
        slug: &ClaimSlug,
        version: &Claim,
        exit: ExitReason,
    ) -> Result<ArchiveOutcome, StoreError> {
        let _guard = self.lock(slug)?;
        if let LiveFile::Claim(live) = self.live(slug)
            && live.outdated() == version.outdated()
        {
            return Ok(ArchiveOutcome::IsLive);
        }
        let bytes = version.file.render();
        let known = history::find_copy(
            &*self.disk,
            &self.paths.history,
            slug,
            version.created,
            exit,
            bytes.as_bytes(),
        );
        self.archive(slug, version, exit, bytes.as_bytes())?;
        Ok(if known.is_some() { ArchiveOutcome::Known } else { ArchiveOutcome::New })
    }

    /// Puts a version into history, for a change that may yet be refused.
    pub(crate) fn archive_new(
        &self,
        slug: &ClaimSlug,
        claim: &Claim,
        exit: ExitReason,
        bytes: &[u8],
    ) -> Result<Archived, StoreError> {
        let dir = &self.paths.history;
        let is_new = history::find_copy(&*self.disk, dir, slug, claim.created, exit, bytes).is_none();
        self.archive(slug, claim, exit, bytes).map(|path| Archived { path, is_new })
    }

    pub(crate) fn archive(
        &self,
        slug: &ClaimSlug,
        claim: &Claim,
        exit: ExitReason,
        bytes: &[u8],
    ) -> Result<PathBuf, StoreError> {
        // In history it is under the home, where nothing shows that it came from a repository.
        if self.paths.kept.is_some() {
            self.note_past(std::slice::from_ref(claim), HeaderSource::File)?;
        }
        let (disk, ids, dir) = (&*self.disk, &*self.ids, &self.paths.history);
        let archive = || history::archive(disk, ids, dir, slug, claim.created, exit, bytes);
        let archived = match archive() {
            Err(error) if error.fault() == DiskFault::NotFound => {
                self.prepare()?;
                archive()
            }
            archived => archived,
        };
        archived.map_err(StoreError::disk("cannot keep the version before"))
    }

    /// Removes the copy of a live version that an interrupted change of another kind left behind. If git may remove the
    /// live file, a copy is kept first.
    pub(crate) fn drop_copy(
        &self,
        slug: &ClaimSlug,
        claim: &Claim,
        exit: ExitReason,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        let dir = &self.paths.history;
        if let Some(copy) = history::find_copy(&*self.disk, dir, slug, claim.created, exit, bytes) {
            self.keep_live(slug, &claim.file)?;
            let fault = StoreError::disk("cannot finish an interrupted change");
            self.disk.unlink(&copy).and_then(|()| self.disk.sync_dir(dir)).map_err(fault)?;
        }
        Ok(())
    }

    /// Removes what an interrupted change left in history of the version that is live, before a change puts that version
    /// there: the copy of a move, and the copy of a retraction that no act records.
    ///
    /// A retraction that is on record keeps its copy. Whether the live file is what an interrupted retraction left or
    /// what git or a backup brought back cannot be seen from its text, so no other call completes the retraction: the
    /// claim stays live and is marked, until it is retracted again or written over.
    ///
    /// Returns whether history has the version as a retracted one, and the retraction is on record.
    pub(crate) fn drop_leftovers(&self, slug: &ClaimSlug, live: &Claim) -> Result<bool, StoreError> {
        self.drop_copy(slug, live, ExitReason::Moved, live.file.render().as_bytes())?;
        self.drop_unrecorded_retraction(slug, live)
    }

    /// The same for the copy of a retraction alone.
    pub(crate) fn drop_unrecorded_retraction(
        &self,
        slug: &ClaimSlug,
        live: &Claim,
    ) -> Result<bool, StoreError> {
        let (dir, bytes) = (&self.paths.history, live.file.render());
        let copy =
            history::find_copy(&*self.disk, dir, slug, live.created, ExitReason::Retracted, bytes.as_bytes());
        if copy.is_none() {
            return Ok(false);
        }
        let is_recorded = self.acts().has(&ActId::of_retraction(&VersionRef::of(slug, live)))?;
        if !is_recorded {
            self.drop_copy(slug, live, ExitReason::Retracted, bytes.as_bytes())?;
        }
        Ok(is_recorded)
    }
}
