//! Making the brain of a root: a new one, or the one that the home has for it.

use super::{AtRoot, Home, LOCK_WAIT};
use crate::brain::{Brain, BrainManifest};
use crate::store_paths::StorePlace;
use crate::{StoreError, durable};
use brainstem_base::AgentId;
use brainstem_claims::act::{Act, BrainId, Deed};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Whether a new brain may begin where the one before was set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeginAnew {
    /// It may.
    Yes,
    /// It may not.
    No,
}

impl Home {
    /// Makes an owner-side brain for a root, or finds the one that is there. Unless the caller wants it `anew`, fails with
    /// [`StoreError::Moved`] where a person set the brain of this root aside.
    ///
    /// A repeat completes a folder without a manifest, and records the act of a brain that lacks it.
    pub fn create_brain(
        &self,
        root: &str,
        name: &str,
        agent: &AgentId,
        anew: BeginAnew,
    ) -> Result<(Brain, bool), StoreError> {
        self.ensure()?;
        let lock = self.path.join("agent-memory/.locks/brains");
        let _guard =
            durable::lock(&*self.disk, &lock, LOCK_WAIT).map_err(StoreError::disk("cannot lock the home"))?;
        let root_path = Path::new(root);
        if let Some(brain) = self.brain_at(root_path) {
            self.remember_root(&brain)?;
            // A killed run may have made it before its name was durable.
            self.disk.sync_dir(&brain.folder).map_err(StoreError::disk("cannot make the brain"))?;
            self.record_birth(&brain, agent)?;
            return Ok((brain, true));
        }
        if anew == BeginAnew::No && !self.set_aside_at(root_path).is_empty() {
            return Err(StoreError::Moved);
        }
        // Its root was away when a migration set it aside, and is here again.
        if let Some(returning) = self.set_aside_of(root_path) {
            let folder = self.bring_back_swept(&returning, agent, self.clock.now())?;
            let place = self.record(&folder).map_or(StorePlace::Owner, |record| record.place());
            self.write_record(&folder, root_path, place)?;
            if let Some(brain) = self.brain_at(root_path) {
                return Ok((brain, true));
            }
        }
        let (folder, kept) = self.folder_to_take_up(root_path)?;
        durable::make_dirs(&*self.disk, &folder)?;
        self.write_record(&folder, root_path, StorePlace::Owner)?;
        // Before the manifest: a brain without this folder counts as one that lost it.
        durable::make_dirs(&*self.disk, &folder.join("agent-memory"))?;
        let now = self.clock.now();
        let manifest = kept.unwrap_or_else(|| BrainManifest::new(self.ids.uuid_v7(now), name, now));
        let brain = self.brain(manifest, root_path, folder, StorePlace::Owner);
        let state = brain.folder.join("boot_memory_state.json");
        if self.disk.stat(&state).is_err() {
            self.write_small(&state, &json!({}))?;
        }
        self.write_manifest(&brain.folder, &brain.manifest)?;
        self.record_birth(&brain, agent)?;
        Ok((brain, false))
    }

    /// The brain that making one for this root would take up; `None` if it would be a new one. Changes nothing, and
    /// refuses whatever making it would refuse.
    pub fn brain_to_take_up(&self, root: &Path) -> Result<Option<Brain>, StoreError> {
        self.check_writable()?;
        if let Some(brain) = self.brain_at(root) {
            return Ok(Some(brain));
        }
        if self.set_aside_of(root).is_some() {
            return Ok(None);
        }
        let (folder, kept) = self.folder_to_take_up(root)?;
        Ok(kept.map(|manifest| self.brain(manifest, root, folder, StorePlace::Owner)))
    }

    /// The folder for the brain of a root without a working one, and the manifest in it. An id is minted once: a folder
    /// that lost its record keeps its brain, and a folder whose manifest cannot be read gets no new brain.
    fn folder_to_take_up(&self, root: &Path) -> Result<(PathBuf, Option<BrainManifest>), StoreError> {
        let folder = self.folder_of(root)?.unwrap_or_else(|| self.free_folder(root));
        let kept = self.manifest_in(&folder).unwrap_or_default();
        match self.look_at(root) {
            AtRoot::Broken(broken) if kept.is_none() => Err(broken.into()),
            _ => Ok((folder, kept)),
        }
    }

    fn record_birth(&self, brain: &Brain, agent: &AgentId) -> Result<(), StoreError> {
        let store = self.store_of(brain);
        store.prepare()?;
        let name = Some(brain.manifest.name.to_string());
        let deed = Deed::Bootstrap { brain: BrainId::new(brain.manifest.id), name };
        store.acts().record(&Act::new(deed, agent, self.clock.now()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::pretty;
    use super::*;
    use brainstem_base::Disk as _;
    use brainstem_base::clock::ManualClock;
    use brainstem_base::disk::SimDisk;
    use brainstem_base::ids::CountingIds;
    use std::sync::Arc;

    #[test] // spec: MEM-1
    fn a_brain_that_lost_its_record_keeps_its_id_and_its_values() {
        let disk = Arc::new(SimDisk::new());
        let ids = Arc::new(CountingIds::from(1));
        let home = Home::new(disk.clone(), ids, Arc::new(ManualClock::at(5)), "/home".into());
        let agent = AgentId::parse("human:ana").expect("an id");
        let create =
            || home.create_brain("/cherry", "cherry", &agent, BeginAnew::No).expect("a working disk").0;
        disk.make_dir(Path::new("/cherry")).expect("a working disk");

        let made = create();
        let state = made.folder.join("boot_memory_state.json");
        home.write_small(&state, &json!({ "key": "value" })).expect("a working disk");
        disk.unlink(&made.folder.join("root.json")).expect("it is there");
        assert_eq!(home.brain_at(Path::new("/cherry")), None);

        assert_eq!(create(), made);
        assert_eq!(disk.read(&state, 100).expect("it is there"), pretty(&json!({ "key": "value" })));
    }
}
