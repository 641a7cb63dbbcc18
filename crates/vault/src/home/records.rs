//! Writing `root.json`: where a brain's root is, and the marks that recognise it.

use super::{Home, LOCK_WAIT};
use crate::brain::{self, Brain, RootRecord};
use crate::layout::{ACTS, KEPT, MANIFEST, REPO_FOLDER};
use crate::sharing::GitSharing;
use crate::store_paths::StorePlace;
use crate::{StoreError, durable, repo};
use brainstem_base::DiskFault;
use std::path::Path;
use std::time::Duration;

/// What is compared with a record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RecordCheck {
    /// The root alone: a write costs the same whatever is in its project.
    Root,
    /// The root, and the marks that recognise it.
    Marks,
}

impl Home {
    /// Remembers the root of a brain that is about to be written to, as it is now: the folder may have been made
    /// anew at its path, and a repository that came with its brain has no record yet.
    pub fn remember_root(&self, brain: &Brain) -> Result<(), StoreError> {
        self.store_of(brain).check_writable()?;
        if brain.place == StorePlace::Repo {
            self.check_sharing(brain)?;
        }
        let is_due = self.is_record_due(brain, RecordCheck::Root)?;
        if is_due {
            self.check_its_folder(brain)?;
        }
        if self.is_sharing_due(brain)? {
            self.record_sharing(brain, brain.sharing)?;
        }
        if is_due {
            self.ensure()?;
            self.update_record(brain, RecordCheck::Root, LOCK_WAIT)?;
        }
        // Last: a refused write must change nothing in the repository.
        if brain.place == StorePlace::Repo && brain.sharing == GitSharing::Private {
            repo::keep_out_of_git(&*self.disk, &*self.ids, &repo::folder(&brain.root))?;
        }
        Ok(())
    }

    /// Makes a brain known to this home that was only looked at, keeps the marks of its root up to date, and restores
    /// the files that keep a private one out of git. If that cannot be written, nothing else fails.
    pub fn notice(&self, brain: &Brain) {
        let may_write = brain.manifest.schema <= brain::SCHEMA && self.check_writable().is_ok();
        if may_write && self.is_sharing_due(brain).unwrap_or(false) {
            let _ = self.record_sharing(brain, brain.sharing);
        }
        if may_write {
            self.keep_private(brain);
        }
        if may_write
            && self.is_record_due(brain, RecordCheck::Marks).unwrap_or(false)
            && self.ensure().is_ok()
        {
            let _ = self.update_record(brain, RecordCheck::Marks, Duration::ZERO);
        }
    }

    /// Whether the home has a record of a brain at its root: a checkout may only carry its manifest, or be recognised as a
    /// copy of a project whose record names another path.
    pub fn is_recorded(&self, brain: &Brain) -> bool {
        self.record(&brain.folder).is_ok_and(|record| self.leads_to(&record, &brain.root))
    }

    /// Whether anything was written through this folder of a brain: a claim, a version, a kept copy or an act. True if that
    /// cannot be looked at.
    pub fn was_written_to(&self, brain: &Brain) -> bool {
        let has_entries = |dir: &Path| match self.disk.list(dir) {
            Ok(entries) => !entries.is_empty(),
            Err(error) => error.fault() != DiskFault::NotFound,
        };
        self.holds_memory(&brain.folder)
            || has_entries(&brain.folder.join("agent-memory").join(KEPT))
            || self.disk.stat(&brain.folder.join(ACTS)).is_ok_and(|stat| stat.len > 0)
    }

    /// Whether the record of a brain differs from what is there. Fails if the brain was routed before its claims moved.
    fn is_record_due(&self, brain: &Brain, look: RecordCheck) -> Result<bool, StoreError> {
        let Some(now) = self.record_without_marks(brain) else { return Ok(false) };
        match self.record(&brain.folder) {
            Ok(record) if record.place() != brain.place && !self.came_with_git(brain) => {
                Err(StoreError::Moved)
            }
            Ok(record) if !record.is_where(&now) => Ok(true),
            Ok(_) if look == RecordCheck::Root => Ok(false),
            Ok(record) => {
                let place = self.place(&brain.root);
                let time = self.clock.now();
                let identity = self.identity(&brain.root);
                Ok(place.is_due(&record.marks, time)
                    && !place.marks(&record.marks, identity, time).says_the_same(&record.marks))
            }
            // A brain under the home is made with its record: it was set aside since it was looked at.
            Err(_) if brain.place == StorePlace::Owner => Err(StoreError::Moved),
            Err(_) => Ok(true),
        }
    }

    fn record_without_marks(&self, brain: &Brain) -> Option<RootRecord> {
        let stat = self.disk.stat(&brain.root).ok()?;
        Some(RootRecord::new(brain.root.to_str()?, stat.identity, brain.place))
    }

    /// Writes the record of a brain, and beside it the manifest of one that is in its repository.
    fn update_record(&self, brain: &Brain, look: RecordCheck, wait: Duration) -> Result<(), StoreError> {
        let _guard = self.lock_records(wait)?;
        // Another process that held the lock may have moved the claims.
        if !self.is_record_due(brain, look)? {
            return Ok(());
        }
        self.check_its_folder(brain)?;
        durable::make_dirs(&*self.disk, &brain.folder)?;
        if brain.place == StorePlace::Repo {
            self.write_manifest(&brain.folder, &brain.manifest)?;
        }
        self.write_record(&brain.folder, &brain.root, brain.place)
    }

    /// Records that a brain's claims have moved.
    pub(super) fn change_place(&self, brain: &Brain) -> Result<(), StoreError> {
        // The place of a brain without a record cannot be changed: readers would still look in the old place.
        let stat =
            self.disk.stat(&brain.root).map_err(StoreError::disk("cannot look at the project's folder"))?;
        let root = brain.root.to_str().unwrap_or_default();
        let now = RootRecord::new(root, stat.identity, brain.place);
        if self.record(&brain.folder).is_ok_and(|record| record.is_where(&now)) {
            return Ok(());
        }
        self.ensure()?;
        let _guard = self.lock_records(LOCK_WAIT)?;
        self.check_its_folder(brain)?;
        durable::make_dirs(&*self.disk, &brain.folder)?;
        if brain.place == StorePlace::Repo {
            self.write_manifest(&brain.folder, &brain.manifest)?;
        }
        self.write_record(&brain.folder, &brain.root, brain.place)
    }

    /// Refuses a second folder for a root that has one, and a folder that another root has: another process may have made,
    /// found or bound it since this brain was looked at.
    fn check_its_folder(&self, brain: &Brain) -> Result<(), StoreError> {
        let is_its = |record: RootRecord| Path::new(&record.root) == brain.root;
        if self.record(&brain.folder).is_ok_and(is_its) {
            return Ok(());
        }
        let root = &brain.root;
        let held = self.folder_of(root)?.or_else(|| self.moved_here(root));
        match held {
            Some(folder) if folder != brain.folder => Err(StoreError::Moved),
            // The folder belongs to another root meanwhile.
            None if self.record(&brain.folder).is_ok() => Err(StoreError::Moved),
            Some(_) | None => Ok(()),
        }
    }

    /// The brain as it is now, for a call that holds the locks of its store. Fails if its folder has no record any more,
    /// because it was set aside.
    pub fn look_again(&self, brain: &Brain) -> Result<Brain, StoreError> {
        let record = self.record(&brain.folder).map_err(|_| StoreError::Moved)?;
        let place = match self.repo_manifest(&brain.root) {
            Some(_) => StorePlace::Repo,
            None => record.place(),
        };
        Ok(self.brain(brain.manifest.clone(), &brain.root, brain.folder.clone(), place))
    }

    /// Records that a folder is the root of a brain, whatever its record said.
    pub(crate) fn record_root(
        &self,
        folder: &Path,
        root: &Path,
        place: StorePlace,
    ) -> Result<(), StoreError> {
        let _guard = self.lock_records(LOCK_WAIT)?;
        self.write_record(folder, root, place)
    }

    /// Lets one process at a time read a record and write it anew.
    pub(super) fn lock_records(
        &self,
        wait: Duration,
    ) -> Result<Box<dyn brainstem_base::disk::LockGuard>, StoreError> {
        let lock = self.path.join("agent-memory/.locks/roots");
        durable::lock(&*self.disk, &lock, wait).map_err(StoreError::disk("cannot lock the home"))
    }

    /// Writes the record in a folder: this root as it is now, and the other keys of the record.
    pub(super) fn write_record(
        &self,
        folder: &Path,
        root: &Path,
        place: StorePlace,
    ) -> Result<(), StoreError> {
        let before = self.record(folder).ok();
        let before = before.as_ref();
        let identity = self.identity(root);
        // A root was text when it became one.
        let text = root.to_str().unwrap_or_default();
        let marks = before.map(|before| before.marks.clone()).unwrap_or_default();
        let record = RootRecord {
            marks: self.place(root).marks(&marks, identity, self.clock.now()),
            other: before.map(|before| before.other.clone()).unwrap_or_default(),
            ..RootRecord::new(text, identity, place)
        };
        self.write_small(&folder.join("root.json"), &serde_json::to_value(record).expect("plain data"))
    }

    /// Whether `init` or `eject` has moved the claims of a brain since it was looked at.
    pub fn has_moved(&self, brain: &Brain) -> bool {
        let is_other = |record: RootRecord| record.place() != brain.place;
        self.record(&brain.folder).is_ok_and(is_other) && !self.came_with_git(brain)
    }

    fn came_with_git(&self, brain: &Brain) -> bool {
        brain.place == StorePlace::Repo
            && self.manifest(&brain.root.join(REPO_FOLDER).join(MANIFEST)).is_some()
    }

    /// Finds the brain of a folder that was moved here, and remembers the new root.
    pub fn rebind_moved(&self, root: &Path) -> Option<Brain> {
        // Another process may have bound it to its new root meanwhile.
        let folder = self.moved_here(root).or_else(|| self.folder_of(root).ok().flatten())?;
        let manifest = self.manifest(&folder.join(MANIFEST))?;
        let place = self.record(&folder).map_or(StorePlace::Owner, |record| record.place());
        let brain = self.brain(manifest, root, folder, place);
        // Even if nothing can be written, the brain is found, each time anew.
        self.notice(&brain);
        Some(brain)
    }
}
