//! Whether a project's memory stays out of git. The home records it (`sharing.json`), where no git command reaches: the
//! file in the repository that keeps the memory out can be removed by git.

use super::Home;
use crate::brain::Brain;
use crate::layout::{MANIFEST, SHARING};
use crate::sharing::{Exposed, GitSharing};
use crate::store_paths::StorePlace;
use crate::{StoreError, durable, git, repo};
use brainstem_base::DiskFault;
use brainstem_base::disk::FileKind;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// The key in `sharing.json`, and in the manifest that a private project has in its repository.
const KEY: &str = "sharing";
const PRIVATE: &str = "private";
const COMMITTED: &str = "committed";

impl Home {
    /// Whether the memory of the brain in this folder is shared.
    pub(super) fn sharing(&self, folder: &Path, root: &Path, place: StorePlace, id: Uuid) -> GitSharing {
        self.read_sharing(folder, root, place, id).unwrap_or(GitSharing::Unread)
    }

    fn read_sharing(
        &self,
        folder: &Path,
        root: &Path,
        place: StorePlace,
        id: Uuid,
    ) -> Result<GitSharing, StoreError> {
        let recorded = self.recorded_sharing(folder)?;
        let in_repo = repo::folder(root);
        let is_private = match (recorded, place) {
            (Some(GitSharing::Private), _) => true,
            (_, StorePlace::Owner) => false,
            // A store of an earlier version records it in its repository only.
            (_, StorePlace::Repo) if repo::is_kept_out(&*self.disk, &in_repo)? => true,
            (Some(_), StorePlace::Repo) => false,
            (None, StorePlace::Repo) => self.is_private_copy(folder, &in_repo, id)?,
        };
        Ok(if is_private { GitSharing::Private } else { GitSharing::Committed })
    }

    /// Whether the memory in a repository belongs to a private project although this home has no record of it: a copy
    /// of the project may have lost the file that keeps it out of git. Its manifest says it. The manifest of an older
    /// program does not, so a project of the same id that is recorded as private here counts too, unless the repository
    /// has a `.gitignore`.
    fn is_private_copy(&self, folder: &Path, in_repo: &Path, id: Uuid) -> Result<bool, StoreError> {
        let manifest = self.disk.read(&in_repo.join(MANIFEST), super::SMALL_FILE_MAX).unwrap_or_default();
        let manifest = serde_json::from_slice::<Value>(&manifest).unwrap_or_default();
        // A manifest that git tracks came from a clone that shared its memory after all.
        if manifest[KEY] == PRIVATE && !repo::is_tracked(&*self.disk, in_repo, MANIFEST) {
            return Ok(true);
        }
        if manifest.is_null() || repo::has_gitignore(&*self.disk, in_repo) {
            return Ok(false);
        }
        for other in self.brain_folders() {
            let is_same = || self.manifest(&other.join(MANIFEST)).is_some_and(|manifest| manifest.id == id);
            if other != folder && is_same() && self.recorded_sharing(&other)? == Some(GitSharing::Private) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Every folder of the home that may hold a brain; empty if they cannot be listed.
    fn brain_folders(&self) -> Vec<PathBuf> {
        let dir = self.brains_dir();
        let entries = self.disk.list(&dir).unwrap_or_default();
        let folders = entries.into_iter().filter(|entry| entry.kind == FileKind::Dir);
        folders.map(|entry| dir.join(entry.name)).collect()
    }

    /// Writes the manifest in a repository: the brain, and whether the project is private. One that git tracks is not made
    /// private, because a commit of it would reach every clone.
    pub(super) fn write_repo_manifest(&self, brain: &Brain, sharing: GitSharing) -> Result<(), StoreError> {
        let folder = repo::folder(&brain.root);
        let path = folder.join(MANIFEST);
        let mut manifest = serde_json::to_value(&brain.manifest).expect("plain data");
        if sharing == GitSharing::Private {
            if self.disk.stat(&path).is_ok() && repo::is_tracked(&*self.disk, &folder, MANIFEST) {
                return Ok(());
            }
            manifest[KEY] = PRIVATE.into();
        }
        self.write_small(&path, &manifest)
    }

    /// Whether the manifest in the repository of a private project does not say that it is private.
    fn is_manifest_plain(&self, folder: &Path) -> bool {
        let bytes = self.disk.read(&folder.join(MANIFEST), super::SMALL_FILE_MAX).unwrap_or_default();
        serde_json::from_slice::<Value>(&bytes).is_ok_and(|manifest| manifest[KEY] != PRIVATE)
    }

    /// Refuses a write into a repository while it is unknown whether git may commit it: a guess could make a private
    /// project public, or a shared one private for everyone that pulls.
    pub fn check_sharing(&self, brain: &Brain) -> Result<(), StoreError> {
        if brain.sharing != GitSharing::Unread {
            return Ok(());
        }
        self.read_sharing(&brain.folder, &brain.root, brain.place, brain.manifest.id)?;
        Err(StoreError::sharing_unknown(&brain.folder.join(SHARING)))
    }

    /// Refuses to bring the claims of a private project into a repository whose git tracks files in that folder.
    pub fn check_untracked(&self, root: &Path) -> Result<(), StoreError> {
        let folder = repo::folder(root);
        match repo::exposed(&*self.disk, &folder) {
            Some(Exposed::Tracked) => Err(StoreError::TrackedYet { folder: folder.display().to_string() }),
            Some(Exposed::NotIgnored) | None => Ok(()),
        }
    }

    /// Whether the repository's own file keeps its memory out of git.
    pub fn is_out_of_git(&self, root: &Path) -> bool {
        repo::is_kept_out(&*self.disk, &repo::folder(root)).unwrap_or(false)
    }

    /// What the home has on record about the brain in this folder; `None` where it has no record.
    fn recorded_sharing(&self, folder: &Path) -> Result<Option<GitSharing>, StoreError> {
        let file = folder.join(SHARING);
        let bytes = match self.disk.read(&file, super::SMALL_FILE_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::disk("cannot read whether the memory is private")(error)),
        };
        let said = serde_json::from_slice::<Value>(&bytes).ok();
        match said.as_ref().and_then(|said| said[KEY].as_str()) {
            Some(PRIVATE) => Ok(Some(GitSharing::Private)),
            Some(COMMITTED) => Ok(Some(GitSharing::Committed)),
            Some(_) | None => Err(StoreError::sharing_unknown(&file)),
        }
    }

    /// Whether a private brain must be put on record as such.
    pub(super) fn is_sharing_due(&self, brain: &Brain) -> Result<bool, StoreError> {
        Ok(brain.sharing == GitSharing::Private
            && self.recorded_sharing(&brain.folder)? != Some(GitSharing::Private))
    }

    /// Records whether a brain is private from now on; one that never was private needs no record.
    pub(super) fn record_sharing(&self, brain: &Brain, sharing: GitSharing) -> Result<(), StoreError> {
        let file = brain.folder.join(SHARING);
        let word = match (sharing, self.recorded_sharing(&brain.folder)?) {
            (GitSharing::Private, Some(GitSharing::Private))
            | (GitSharing::Committed, Some(GitSharing::Committed)) => {
                return Ok(());
            }
            (GitSharing::Committed, None) if brain.sharing == GitSharing::Committed => return Ok(()),
            (GitSharing::Private, _) => PRIVATE,
            (GitSharing::Committed, _) => COMMITTED,
            (GitSharing::Unread, _) => return Err(StoreError::sharing_unknown(&file)),
        };
        durable::make_dirs(&*self.disk, &brain.folder)?;
        self.write_small(&file, &json!({ KEY: word }))
    }

    /// Restores the files that keep a private project out of git, if its folder exists without them. If that cannot be
    /// written, nothing else fails: `doctor` names it.
    pub(super) fn keep_private(&self, brain: &Brain) {
        let folder = repo::folder(&brain.root);
        let is_due = brain.place == StorePlace::Repo && brain.sharing == GitSharing::Private;
        if is_due && self.disk.stat(&folder).is_ok() {
            let _ = repo::keep_out_of_git(&*self.disk, &*self.ids, &folder);
            // A pull may have brought a file there that git tracks: what a person untracks then must not be added again.
            if !repo::keeps_all_out(&*self.disk, &folder)
                && let Some(git_dir) = git::git_dir(&*self.disk, &brain.root)
            {
                let common = git::common_dir(&*self.disk, &git_dir);
                let _ = repo::set_exclude(&*self.disk, &*self.ids, &common);
            }
            // Git may track it no longer.
            if self.is_manifest_plain(&folder) {
                let _ = self.write_repo_manifest(brain, GitSharing::Private);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::AgentId;
    use brainstem_base::Disk as _;
    use brainstem_base::clock::ManualClock;
    use brainstem_base::disk::SimDisk;
    use brainstem_base::ids::CountingIds;
    use std::sync::Arc;

    #[test] // spec: MEM-2
    fn a_record_of_sharing_that_could_not_be_read_refuses_a_write_and_changes_nothing() {
        for is_damaged in [true, false] {
            let disk = Arc::new(SimDisk::new());
            let (ids, clock) = (Arc::new(CountingIds::from(1)), Arc::new(ManualClock::at(5)));
            let home = Home::new(disk.clone(), ids, clock, "/home".into());
            disk.make_dirs("/cherry");
            let agent = AgentId::parse("human:ana").expect("an id");
            let (brain, _) = home
                .create_brain("/cherry", "cherry", &agent, crate::home::BeginAnew::No)
                .expect("a working disk");
            home.place_in_repo(&brain, GitSharing::Committed).expect("a working disk");
            let record = brain.folder.join(SHARING);
            match is_damaged {
                true => disk.write_raw(&record, b"\0\0"),
                // The same as a file that cannot be opened.
                false => disk.make_dirs(&record),
            }
            let before = disk.dump();
            let brain = home.brain_at(Path::new("/cherry")).expect("it is read all the same");
            assert_eq!(brain.sharing, GitSharing::Unread);
            assert!(home.remember_root(&brain).is_err());
            assert!(home.store_of(&brain).prepare().is_err());
            assert!(home.ready_repo_folder(Path::new("/cherry")).is_err());
            assert!(home.place_in_repo(&brain, brain.sharing).is_err());
            home.notice(&brain);
            assert_eq!(disk.dump(), before);

            // A sharing that was read before the record was readable again is not written with either.
            match is_damaged {
                true => disk.unlink(&record).expect("it is there"),
                false => disk.remove_dir(&record).expect("it is there"),
            }
            let before = disk.dump();
            assert!(home.remember_root(&brain).is_err() && home.store_of(&brain).prepare().is_err());
            home.notice(&brain);
            assert_eq!(disk.dump(), before);
            let brain = home.brain_at(Path::new("/cherry")).expect("a brain");
            assert_eq!(brain.sharing, GitSharing::Committed);
            home.remember_root(&brain).expect("a working disk");
        }
    }
}
