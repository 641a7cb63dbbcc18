//! Changing the place of a brain's claims: its repository, or the home.

use super::Home;
use crate::brain::Brain;
use crate::sharing::GitSharing;
use crate::store_paths::StorePlace;
use crate::{StoreError, repo};
use std::path::{Path, PathBuf};

impl Home {
    /// Makes the repository the place of a brain's claims: manifest there, a copy of it here. From then on claims are
    /// written there; claims that are still here are moved by [`crate::relocate`].
    pub fn place_in_repo(
        &self,
        brain: &Brain,
        sharing: GitSharing,
    ) -> Result<(Brain, Vec<PathBuf>), StoreError> {
        self.ensure()?;
        self.store_at(brain, StorePlace::Repo).check_writable()?;
        self.check_sharing(brain)?;
        // "Private" is on record before anything is in the repository, and until everything there may be committed.
        if sharing == GitSharing::Private {
            self.record_sharing(brain, sharing)?;
        }
        let kept = repo::write_files(&*self.disk, &*self.ids, &brain.root, sharing)?;
        match sharing {
            GitSharing::Private => repo::set_permissions(&*self.disk, &brain.root, &brain.folder)?,
            GitSharing::Committed if brain.sharing == GitSharing::Private => {
                repo::set_permissions(&*self.disk, &brain.root, &brain.root)?;
            }
            GitSharing::Committed | GitSharing::Unread => {}
        }
        self.record_sharing(brain, sharing)?;
        let brain = Brain { place: StorePlace::Repo, sharing, ..brain.clone() };
        self.change_place(&brain)?;
        self.write_repo_manifest(&brain, sharing)?;
        Ok((brain, kept))
    }

    /// Makes the home the place of a brain's claims again.
    pub fn place_at_home(&self, brain: &Brain) -> Result<Brain, StoreError> {
        self.store_of(brain).check_writable()?;
        let brain = Brain { place: StorePlace::Owner, ..brain.clone() };
        self.write_manifest(&brain.folder, &brain.manifest)?;
        repo::remove_manifest(&*self.disk, &brain.root)?;
        self.change_place(&brain)?;
        Ok(brain)
    }

    /// Makes the folder of a project's repository ready for writes: the files that keep a private one out of git come
    /// first. Everything that makes a file there calls this before.
    pub fn ready_repo_folder(&self, root: &Path) -> Result<(), StoreError> {
        let Some(brain) = self.brain_at(root) else { return Ok(()) };
        self.check_sharing(&brain)?;
        match brain.sharing {
            GitSharing::Private => {
                self.store_of(&brain).check_not_exposed()?;
                repo::keep_out_of_git(&*self.disk, &*self.ids, &repo::folder(root))
            }
            GitSharing::Committed | GitSharing::Unread => Ok(()),
        }
    }
}
