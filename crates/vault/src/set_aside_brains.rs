//! Brains whose root is gone and that hold nothing live: set aside whole, and brought back whole.
//!
//! A root may only have been away: a bootstrap in that folder finds its brain again.

pub use crate::layout::{ASIDE, SWEPT};

use crate::StoreError;
use crate::brain::Brain;
use crate::home::Home;
use crate::layout::MANIFEST;
use crate::real_folder::real_folder;
use crate::store_paths::StorePlace;
use brainstem_base::DiskFault;
use brainstem_base::disk::LockGuard;
use brainstem_base::{AgentId, Timestamp};
use brainstem_claims::act::{Act, BrainId, Deed, DeedKind};
use std::path::{Path, PathBuf};

/// The folder of a brain that was set aside and whose root is here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturningBrain {
    /// Its folder.
    pub folder: PathBuf,
    /// The root it is found at.
    pub root: PathBuf,
}

/// The place of a folder that may have been set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// Among the brains.
    Here(PathBuf),
    /// Set aside.
    Aside(PathBuf),
    /// In both places: another brain has taken its name.
    Both,
    /// In neither.
    Gone,
}

impl Home {
    /// A free name for the folder of a brain that is set aside.
    pub fn free_set_aside_name(&self, brain: &Brain) -> String {
        let dir = self.brains_dir();
        let name = |n: u32| {
            let nth = if n < 2 { String::new() } else { format!("-{n}") };
            format!("{SWEPT}{}{nth}", brain.fingerprint)
        };
        (1..).map(name).find(|name| self.disk().stat(&dir.join(name)).is_err()).expect("one of them is free")
    }

    /// Where the folder of a brain is that was to be set aside under a name.
    pub fn find_set_aside(&self, fingerprint: &str, aside: &str) -> Whereabouts {
        let here = self.brains_dir().join(fingerprint);
        let there = self.brains_dir().join(aside);
        let has = |path: &Path| self.disk().stat(path).is_ok();
        match (has(&here), has(&there)) {
            (true, true) => Whereabouts::Both,
            (true, false) => Whereabouts::Here(here),
            (false, true) => Whereabouts::Aside(there),
            (false, false) => Whereabouts::Gone,
        }
    }

    /// The brain in a folder that was set aside, as it would be read among the others.
    pub fn brain_aside(&self, folder: &Path) -> Option<Brain> {
        let record = self.record(folder).ok()?;
        let manifest = self.manifest(&folder.join(MANIFEST))?;
        Some(self.brain(manifest, Path::new(&record.root), folder.to_owned(), record.place()))
    }

    /// Sets the folder of a brain aside, with its history and acts. Only its name changes.
    pub fn set_aside(&self, fingerprint: &str, aside: &str) -> Result<(), StoreError> {
        let _guard = self.brains_lock()?;
        let dir = self.brains_dir();
        self.change_folder(&dir.join(fingerprint), &dir.join(aside))
    }

    /// Brings a folder back among the brains, and returns its name: its own, or another one if that is taken.
    pub fn bring_back(&self, fingerprint: &str, aside: &str) -> Result<String, StoreError> {
        let _guard = self.brains_lock()?;
        let dir = self.brains_dir();
        let name = self.free_name(fingerprint, aside);
        self.change_folder(&dir.join(aside), &dir.join(&name))?;
        Ok(name)
    }

    fn free_name(&self, fingerprint: &str, aside: &str) -> String {
        let is_aside = self.disk().stat(&self.brains_dir().join(aside)).is_ok();
        let is_free = |name: &String| !is_aside || self.disk().stat(&self.brains_dir().join(name)).is_err();
        let others = (2..).map(|n| format!("{fingerprint}-{n}"));
        let mut names = std::iter::once(fingerprint.to_owned()).chain(others);
        names.find(is_free).expect("one of them is free")
    }

    /// The brain that was set aside and belongs to this root: it has the folder's identity, wherever the folder is now;
    /// or its path, if the project is recognised or the file system has no identity.
    pub fn set_aside_of(&self, root: &Path) -> Option<ReturningBrain> {
        if !self.is_real_folder(root) {
            return None;
        }
        let mut aside = self.aside(SWEPT);
        let at = aside
            .iter()
            .position(|(folder, record)| self.is_folder_of(root, folder, record))
            .or_else(|| aside.iter().position(|(folder, record)| self.is_at_path(root, folder, record)))?;
        Some(ReturningBrain { folder: aside.swap_remove(at).0, root: root.to_owned() })
    }

    /// The brains that were set aside and whose root is at its path again.
    pub fn returned(&self) -> Vec<ReturningBrain> {
        let roots = self.aside(SWEPT).into_iter().map(|(_, record)| PathBuf::from(record.root));
        let mut found: Vec<ReturningBrain> = Vec::new();
        for returning in roots.filter_map(|root| self.set_aside_of(&root)) {
            if !found.contains(&returning) && self.brain_at(&returning.root).is_none() {
                found.push(returning);
            }
        }
        found
    }

    /// Every brain that was set aside, by a migration or by a person.
    pub fn all_set_aside(&self) -> Vec<Brain> {
        let folders =
            [SWEPT, ASIDE].into_iter().flat_map(|prefix| self.aside(prefix)).map(|(folder, _)| folder);
        folders.filter_map(|folder| self.brain_aside(&folder)).collect()
    }

    /// Sets a brain aside for a person, with its history and acts; only its name changes. The act comes first.
    pub fn put_aside(&self, brain: &Brain, agent: &AgentId, reason: &str) -> Result<PathBuf, StoreError> {
        self.ensure()?;
        let _guard = self.brains_lock()?;
        // Every write that has begun ends before the folder gets its other name, and a later one does not find it.
        let store = self.store_at(brain, StorePlace::Owner);
        self.record(&brain.folder).map_err(|_| StoreError::Moved)?;
        // Nothing is written to a store whose folders are not real ones.
        let _held = store.check_writable().is_ok().then(|| store.lock_all()).transpose()?;
        // `init` may have taken the claims into the repository since this brain was looked at.
        let is_moved = |now: Brain| now.folder == brain.folder && now.place != brain.place;
        if self.brain_at(&brain.root).is_some_and(is_moved) {
            return Err(StoreError::Moved);
        }
        let dir = self.brains_dir();
        let name = |n: u32| {
            let nth = if n < 2 { String::new() } else { format!("-{n}") };
            format!("{ASIDE}{}{nth}", brain.fingerprint)
        };
        let name = (1..).map(name).find(|name| self.disk().stat(&dir.join(name)).is_err());
        let name = name.expect("one of them is free");
        let now = self.now();
        let deed = Deed::SetAside {
            brain: BrainId::new(brain.manifest.id),
            at_ms: now.ms(),
            called: Some(brain.origin()),
            folder: Some(brain.fingerprint.clone()),
            aside: Some(name.clone()),
            reason: Some(reason.to_owned()),
        };
        let act = Act::new(deed, agent, now);
        let aside = dir.join(name);
        self.medulla().acts().record_for(&[act], || self.change_folder(&brain.folder, &aside))?;
        Ok(aside)
    }

    /// Makes a folder the root of a brain whose own root is gone, is another folder now, or was set aside. The act
    /// comes first, so that it is on record whenever it is done. Fails if another process was first: the brain has a
    /// root again, or the folder has another brain.
    pub fn take_up(
        &self,
        brain: &Brain,
        place: StorePlace,
        root: &Path,
        agent: &AgentId,
    ) -> Result<Brain, StoreError> {
        self.ensure()?;
        let _guard = self.brains_lock()?;
        let record = self.record(&brain.folder).map_err(|_| StoreError::Moved)?;
        let is_aside = [SWEPT, ASIDE].iter().any(|prefix| brain.fingerprint.starts_with(prefix));
        let has_root = !self.is_gone(&brain.root) && !self.is_of_another(&brain.root, &brain.folder, &record);
        let is_taken = Path::new(&record.root) != brain.root || !is_aside && has_root;
        // A checkout may carry a brain that this home has no record of, as a worktree does whose repository is gone.
        let is_other = |own: Brain| own.folder != brain.folder && self.record(&own.folder).is_ok();
        if is_taken || self.brain_at(root).is_some_and(is_other) {
            return Err(StoreError::Moved);
        }
        let now = self.now();
        let deed = Deed::TakeUp {
            brain: BrainId::new(brain.manifest.id),
            at_ms: now.ms(),
            called: Some(brain.origin()),
            folder: Some(brain.fingerprint.clone()),
        };
        let act = Act::new(deed, agent, now);
        let folder = self.medulla().acts().record_for(&[act], || {
            let names = (brain.fingerprint.strip_prefix(SWEPT), brain.fingerprint.strip_prefix(ASIDE));
            let folder = match names {
                (Some(_), _) => {
                    let returning = ReturningBrain { folder: brain.folder.clone(), root: root.to_owned() };
                    self.bring_back_swept(&returning, agent, now)?
                }
                (None, Some(fingerprint)) => {
                    let folder = self.brains_dir().join(self.free_name(fingerprint, &brain.fingerprint));
                    self.change_folder(&brain.folder, &folder)?;
                    folder
                }
                (None, None) => brain.folder.clone(),
            };
            match self.record_root(&folder, root, place) {
                Ok(_) => Ok(folder),
                Err(error) if folder == brain.folder => Err(error),
                // The folder has its new name, and a repeat completes the change.
                Err(error) => Err(error.left_in_place()),
            }
        })?;
        Ok(self.brain(brain.manifest.clone(), root, folder, place))
    }

    /// Makes a worktree the root of the brain that its bare repository has, because a checkout alone can hold memory. Fails if
    /// another process was first: the brain has another root, or the worktree has another brain.
    pub fn root_in_worktree(&self, brain: &Brain, root: &Path, agent: &AgentId) -> Result<(), StoreError> {
        self.ensure()?;
        let _guard = self.brains_lock()?;
        let record = self.record(&brain.folder).map_err(|_| StoreError::Moved)?;
        if Path::new(&record.root) != brain.root || self.brain_at(root).is_some() {
            return Err(StoreError::Moved);
        }
        let now = self.now();
        let deed = Deed::TakeUp {
            brain: BrainId::new(brain.manifest.id),
            at_ms: now.ms(),
            called: Some(brain.origin()),
            folder: Some(brain.fingerprint.clone()),
        };
        let record = || self.record_root(&brain.folder, root, brain.place).map(drop);
        self.medulla().acts().record_for(&[Act::new(deed, agent, now)], record)
    }

    /// Brings a brain back whose root is here again, with the brains' lock held. The act comes first, so that it is on
    /// record if the brain is back.
    pub(crate) fn bring_back_swept(
        &self,
        returning: &ReturningBrain,
        agent: &AgentId,
        now: Timestamp,
    ) -> Result<PathBuf, StoreError> {
        let aside = returning.folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let aside = aside.unwrap_or_default();
        let swept = self.medulla().acts().of_kinds(&[DeedKind::SweepRoot])?;
        let sweeping = |act: &Act| match act.deed() {
            Deed::SweepRoot { brain, by, migration, folder, aside: Some(name) } if *name == aside => {
                Some((brain.clone(), *by, *migration, folder.clone()))
            }
            _ => None,
        };
        let last = swept.iter().rev().find_map(sweeping);
        let fingerprint = last.as_ref().and_then(|(.., folder)| folder.clone());
        let fingerprint = fingerprint.unwrap_or_else(|| aside.trim_start_matches(SWEPT).to_owned());
        let name = self.free_name(&fingerprint, &aside);
        let folder = self.brains_dir().join(&name);
        let act = last.map(|(brain, by, migration, _)| {
            let deed = Deed::UnsweepRoot { brain, by, migration, folder: Some(name) };
            Act::new(deed, agent, now)
        });
        let log = self.medulla().acts();
        log.record_for(act.as_slice(), || self.change_folder(&returning.folder, &folder))?;
        Ok(folder)
    }

    /// Makes the names of the brains durable, also those that a killed run has changed.
    pub fn sync_brains(&self) -> Result<(), StoreError> {
        match self.disk().sync_dir(&self.brains_dir()) {
            Err(error) if error.fault() != DiskFault::NotFound => {
                Err(StoreError::disk("cannot make the brains certain")(error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn brains_lock(&self) -> Result<Box<dyn LockGuard>, StoreError> {
        let lock = self.path().join("agent-memory/.locks/brains");
        crate::durable::lock(&**self.disk(), &lock, crate::store::LOCK_WAIT)
            .map_err(StoreError::disk("cannot lock the home"))
    }

    /// Gives the folder of a brain another name. After an error that is left in place it has the new name; after any
    /// other error, the old one.
    fn change_folder(&self, from: &Path, to: &Path) -> Result<(), StoreError> {
        let fault = || StoreError::disk("cannot set the brain aside");
        real_folder(&**self.disk(), from)?;
        match self.disk().stat(to) {
            Err(error) if error.fault() == DiskFault::NotFound => {
                self.disk().rename(from, to).map_err(fault())?;
            }
            Err(error) => return Err(fault()(error)),
            // An interrupted run moved it, perhaps before its name was durable.
            Ok(_) if self.disk().stat(from).is_err() => {}
            Ok(_) => {
                let taken = brainstem_base::DiskError::new("rename", to, DiskFault::Exists);
                return Err(fault()(taken));
            }
        }
        self.disk().sync_dir(&self.brains_dir()).map_err(fault()).map_err(StoreError::left_in_place)
    }
}
