//! The home: the medulla's store and the owner-side folders of every brain.

use crate::acts::Act;
use crate::aside::SWEPT;
use crate::brain::{self, Brain, BrainManifest, MANIFEST, REPO_FOLDER, RootRecord, StorePlace};
use crate::repo::{self, Sharing};
use crate::store::{Store, StorePaths, real_folder};
use crate::{StoreError, durable, scan};
use brainstem_base::disk::{FileKind, Identity};
use brainstem_base::{AgentId, Clock, Disk, DiskFault, Ids};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The newest home schema this program writes.
pub const SCHEMA: u64 = 1;
/// The medulla warns from this many live claims.
pub const MEDULLA_SOFT_CAP: usize = 200;

/// The folder of the home that holds the folders of the brains.
pub(crate) const BRAINS: &str = "project-brains";
const SMALL_FILE_MAX: u64 = 64 * 1024;
const LOCK_WAIT: Duration = Duration::from_secs(10);
/// How many folders beside a root are looked at for one that was renamed.
const BESIDE_MAX: usize = 10_000;

/// The home folder of one person on one machine.
#[derive(Clone)]
pub struct Home {
    disk: Arc<dyn Disk>,
    ids: Arc<dyn Ids>,
    clock: Arc<dyn Clock>,
    path: PathBuf,
}

/// The record of a folder, or what is wrong with it.
type RecordRead = Result<RootRecord, &'static str>;

/// A folder of the home that should hold a brain and could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenFolder {
    /// The folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

impl From<BrokenFolder> for StoreError {
    fn from(broken: BrokenFolder) -> Self {
        Self::BrokenBrain { folder: broken.path.display().to_string(), why: broken.why }
    }
}

/// Every brain of the home.
#[derive(Clone, Debug, Default)]
pub struct Roster {
    /// The brains, by folder name.
    pub brains: Vec<Brain>,
    /// Folders that could not be read as one.
    pub broken: Vec<BrokenFolder>,
}

impl Home {
    /// A home at `path`; it is made by the first write.
    pub fn new(disk: Arc<dyn Disk>, ids: Arc<dyn Ids>, clock: Arc<dyn Clock>, path: PathBuf) -> Self {
        Self { disk, ids, clock, path }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The disk it is on.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    pub(crate) fn ids(&self) -> &Arc<dyn Ids> {
        &self.ids
    }

    /// The medulla's store.
    pub fn medulla(&self) -> Store {
        let claims = self.path.join("agent-memory");
        self.store(StorePaths {
            history: claims.join(".history"),
            locks: claims.join(".locks"),
            acts: self.path.join(crate::acts::ACTS),
            kept: None,
            placed: None,
            claims,
        })
    }

    /// A brain's store.
    pub fn store_of(&self, brain: &Brain) -> Store {
        self.store(brain.store_paths()).of_schema(brain.manifest.schema)
    }

    fn store(&self, paths: StorePaths) -> Store {
        Store::new(self.disk.clone(), self.ids.clone(), paths)
    }

    /// Refuses when a newer program wrote this home. Every write asks first.
    pub fn check_writable(&self) -> Result<(), StoreError> {
        let path = self.path.join("home.json");
        let found = match self.disk.read(&path, SMALL_FILE_MAX) {
            Ok(bytes) => {
                serde_json::from_slice::<Value>(&bytes).ok().and_then(|home| home["schema"].as_u64())
            }
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(()),
            Err(error) => return Err(StoreError::disk("cannot read the home")(error)),
        };
        match found {
            Some(found) if found > SCHEMA => Err(StoreError::NewerSchema { found, known: SCHEMA }),
            Some(_) => Ok(()),
            None => Err(StoreError::Damaged {
                file: path.display().to_string(),
                why: "it does not say its schema".into(),
            }),
        }
    }

    /// Makes the home if it is not there.
    pub fn ensure(&self) -> Result<(), StoreError> {
        self.check_writable()?;
        real_folder(&*self.disk, &self.path).map_err(|error| StoreError::HomeUnusable {
            home: self.path.display().to_string(),
            source: Box::new(error),
        })?;
        self.medulla().sound()?;
        let path = self.path.join("home.json");
        if self.disk.stat(&path).is_ok() {
            // Perhaps made by a run that was killed before its name was certain.
            return self.disk.sync_dir(&self.path).map_err(StoreError::disk("cannot make the home"));
        }
        for dir in [&self.path, &self.brains_dir()] {
            durable::make_dirs(&*self.disk, dir).map_err(|error| self.unusable(error))?;
        }
        self.medulla().prepare()?;
        let bytes = pretty(&json!({ "schema": SCHEMA, "created": self.clock.now().ms() }));
        durable::create(&*self.disk, &*self.ids, &path, &bytes)
            .map_err(StoreError::disk("cannot make the home"))?;
        Ok(())
    }

    /// The brain whose root is exactly this folder, in the repository or under the home.
    pub fn brain_at(&self, root: &Path) -> Option<Brain> {
        self.look_at(root).ok().flatten()
    }

    /// The same, with what could not be read told apart from what is not there: a folder that holds
    /// memory of this root and does not read as its brain is broken, not absent.
    pub fn look_at(&self, root: &Path) -> Result<Option<Brain>, BrokenFolder> {
        let (folder, unlisted) = match self.folder_of(root) {
            Ok(folder) => (folder, false),
            Err(_) => (None, true),
        };
        if let Some(manifest) = self.repo_manifest(root) {
            let moved = || self.moved_here(root).map(|(folder, _)| folder);
            let folder = folder.or_else(moved).unwrap_or_else(|| self.free_folder(root));
            return Ok(Some(self.brain(manifest, root, folder, StorePlace::Repo)));
        }
        let is_known = folder.is_some();
        let folder = folder.unwrap_or_else(|| self.free_folder(root));
        let broken =
            |path: &Path, why: &str| Err(BrokenFolder { path: path.to_owned(), why: why.to_owned() });
        match self.manifest_in(&folder) {
            // A branch from before `init` has no manifest checked out; the brain is the same.
            Ok(Some(manifest)) if is_known => {
                let place = self.record(&folder).map_or(StorePlace::Owner, |record| record.place());
                Ok(Some(self.brain(manifest, root, folder, place)))
            }
            Ok(Some(_)) => broken(&folder, self.record(&folder).err().unwrap_or("its root.json is damaged")),
            Err(why) => broken(&folder, why),
            Ok(None) if self.holds_memory(&folder) => broken(&folder, "its brain.json is missing"),
            // Whoever cannot list the brains does not know that none of them is this one.
            Ok(None) if unlisted => broken(&self.brains_dir(), "it cannot be listed"),
            Ok(None) => {
                let in_repo = repo::folder(root);
                let is_real = self.disk.stat(&in_repo).is_ok_and(|stat| stat.kind == FileKind::Dir);
                match self.manifest_in(&in_repo) {
                    Err(why) if is_real && self.holds_memory(&in_repo) => broken(&in_repo, why),
                    Ok(_) | Err(_) => Ok(None),
                }
            }
        }
    }

    /// How many claims lie in the folder of a brain, whatever else is wrong with it.
    pub fn claims_in(&self, folder: &Path) -> Result<usize, StoreError> {
        let claims = folder.join("agent-memory");
        for dir in [folder, &claims] {
            real_folder(&*self.disk, dir)?;
        }
        scan::count(&*self.disk, &claims)
    }

    /// Whether a folder has claims, versions of them or copies; one that cannot be looked at may.
    fn holds_memory(&self, folder: &Path) -> bool {
        // Something else in its place hides what was there.
        if real_folder(&*self.disk, folder).is_err() {
            return true;
        }
        let claims = folder.join("agent-memory");
        [claims.join(".history"), claims.join(".kept"), claims].iter().any(|dir| {
            real_folder(&*self.disk, dir)
                .and_then(|()| scan::count(&*self.disk, dir))
                .map_or(true, |count| count > 0)
        })
    }

    /// The manifest in a folder; `None` when none is there, and why when it does not read as one.
    fn manifest_in(&self, folder: &Path) -> Result<Option<BrainManifest>, &'static str> {
        match self.disk.read(&folder.join(MANIFEST), SMALL_FILE_MAX) {
            Ok(bytes) => {
                let manifest = BrainManifest::parse(&bytes);
                manifest.map(Some).ok_or("its brain.json is damaged, or not of a project")
            }
            Err(error) if error.fault() == DiskFault::NotFound => Ok(None),
            Err(_) => Err("its brain.json cannot be read"),
        }
    }

    /// Every brain the home knows, those whose root is gone included.
    pub fn roster(&self) -> Result<Roster, StoreError> {
        let mut roster = Roster::default();
        for (folder, record) in self.folders()? {
            let read = record.and_then(|record| {
                let root = PathBuf::from(&record.root);
                if let Some(manifest) = self.repo_manifest(&root) {
                    return Ok(self.brain(manifest, &root, folder.clone(), StorePlace::Repo));
                }
                let manifest = self
                    .manifest(&folder.join(MANIFEST))
                    .ok_or("its brain.json is missing or damaged, or cannot be read")?;
                Ok(self.brain(manifest, &root, folder.clone(), record.place()))
            });
            match read {
                Ok(brain) => roster.brains.push(brain),
                Err(why) => roster.broken.push(BrokenFolder { path: folder, why: why.to_owned() }),
            }
        }
        roster.brains.sort_by(|a, b| a.fingerprint.cmp(&b.fingerprint));
        Ok(roster)
    }

    /// Finds the brain of a folder that was moved here: the record of its old root has the same
    /// device, number and birth, and the old root is no longer that folder. Remembers the new root.
    pub fn rebind_moved(&self, root: &Path) -> Option<Brain> {
        let (folder, identity) = self.moved_here(root)?;
        let manifest = self.manifest(&folder.join(MANIFEST))?;
        let place = self.record(&folder).map_or(StorePlace::Owner, |record| record.place());
        let record = RootRecord::new(root.to_str()?, Some(identity), place);
        // Where nothing can be written the brain is still found, each time anew.
        let is_known = manifest.schema <= brain::SCHEMA;
        let brain = self.brain(manifest, root, folder, place);
        if is_known {
            let _ = self.check_writable().and_then(|()| self.write_record(&brain.folder, &record));
        }
        Some(brain)
    }

    /// The folder of a brain whose root was moved here, and what recognised it.
    fn moved_here(&self, root: &Path) -> Option<(PathBuf, Identity)> {
        let identity = self.disk.stat(root).ok()?.identity?;
        let there = |path: &str| self.disk.stat(Path::new(path)).ok().and_then(|stat| stat.identity);
        self.folders().ok()?.into_iter().find_map(|(folder, record)| {
            let record = record.ok().filter(|record| record.is_of(identity))?;
            let moved = Path::new(&record.root) != root && there(&record.root) != Some(identity);
            moved.then_some((folder, identity))
        })
    }

    /// Remembers the root of a brain that is about to be written to, as it is now: the folder may have
    /// been made anew at its path, and a repository that came with its brain has no record yet.
    pub fn remember_root(&self, brain: &Brain) -> Result<(), StoreError> {
        self.store_of(brain).check_writable()?;
        let Some(now) = self.root_record(brain) else { return Ok(()) };
        match self.record(&brain.folder) {
            Ok(record) if record == now => Ok(()),
            // Only init and eject change the place: a caller that was routed before is behind. A manifest
            // that came with a pull makes the repository the place.
            Ok(record) if record.place() != brain.place && !self.came_with_git(brain) => {
                Err(StoreError::Moved)
            }
            Ok(_) | Err(_) => self.write_root(brain, &now),
        }
    }

    /// Whether `init` or `eject` has made another place hold the claims of a brain since it was looked at.
    pub fn has_moved(&self, brain: &Brain) -> bool {
        let is_other = |record: RootRecord| record.place() != brain.place;
        self.record(&brain.folder).is_ok_and(is_other) && !self.came_with_git(brain)
    }

    fn root_record(&self, brain: &Brain) -> Option<RootRecord> {
        let stat = self.disk.stat(&brain.root).ok()?;
        Some(RootRecord::new(brain.root.to_str()?, stat.identity, brain.place))
    }

    fn write_root(&self, brain: &Brain, record: &RootRecord) -> Result<(), StoreError> {
        self.ensure()?;
        durable::make_dirs(&*self.disk, &brain.folder)?;
        if brain.place == StorePlace::Repo {
            self.write_manifest(&brain.folder, &brain.manifest)?;
        }
        self.write_record(&brain.folder, record)
    }

    /// Writes down that a brain has changed its place.
    fn change_place(&self, brain: &Brain) -> Result<(), StoreError> {
        match self.root_record(brain) {
            Some(now) if self.record(&brain.folder).is_ok_and(|record| record == now) => Ok(()),
            Some(now) => self.write_root(brain, &now),
            None => Ok(()),
        }
    }

    fn came_with_git(&self, brain: &Brain) -> bool {
        brain.place == StorePlace::Repo
            && self.manifest(&brain.root.join(REPO_FOLDER).join(MANIFEST)).is_some()
    }

    /// Makes the repository the place of a brain's claims: manifest there, a copy of it here. From then
    /// on claims are written there; those that still lie here are moved by [`crate::relocate`].
    pub fn settle_in_repo(
        &self,
        brain: &Brain,
        sharing: Sharing,
    ) -> Result<(Brain, Vec<PathBuf>), StoreError> {
        self.ensure()?;
        self.store_at(brain, StorePlace::Repo).check_writable()?;
        let kept = repo::write_files(&*self.disk, &*self.ids, &brain.root, sharing)?;
        let brain = Brain { place: StorePlace::Repo, ..brain.clone() };
        self.change_place(&brain)?;
        self.write_manifest(&repo::folder(&brain.root), &brain.manifest)?;
        Ok((brain, kept))
    }

    /// Makes the home the place of a brain's claims again.
    pub fn settle_at_home(&self, brain: &Brain) -> Result<Brain, StoreError> {
        self.store_of(brain).check_writable()?;
        let brain = Brain { place: StorePlace::Owner, ..brain.clone() };
        self.write_manifest(&brain.folder, &brain.manifest)?;
        repo::remove_manifest(&*self.disk, &brain.root)?;
        self.change_place(&brain)?;
        Ok(brain)
    }

    /// The same brain with its claims looked for in the other place.
    pub fn store_at(&self, brain: &Brain, place: StorePlace) -> Store {
        self.store_of(&Brain { place, ..brain.clone() })
    }

    /// Makes an owner-side brain for a root, or finds the one that is there.
    ///
    /// A folder without a manifest is no brain yet, and the repeat completes it; a brain without its
    /// act is given it by the repeat.
    pub fn create_brain(&self, root: &str, name: &str, agent: &AgentId) -> Result<(Brain, bool), StoreError> {
        self.ensure()?;
        let lock = self.path.join("agent-memory/.locks/brains");
        let _guard = self.disk.lock(&lock, LOCK_WAIT).map_err(StoreError::disk("cannot lock the home"))?;
        let root_path = Path::new(root);
        if let Some(brain) = self.brain_at(root_path) {
            self.remember_root(&brain)?;
            // Perhaps made by a run that was killed before its name was certain.
            self.disk.sync_dir(&brain.folder).map_err(StoreError::disk("cannot make the brain"))?;
            self.record_birth(&brain, agent)?;
            return Ok((brain, true));
        }
        // Its root was away when a migration set it aside, and is here again.
        if let Some(returning) = self.aside_of(root_path) {
            let folder = self.unsweep(&returning, agent, self.clock.now())?;
            let place = self.record(&folder).map_or(StorePlace::Owner, |record| record.place());
            let identity = self.disk.stat(root_path).ok().and_then(|stat| stat.identity);
            self.write_record(&folder, &RootRecord::new(root, identity, place))?;
            if let Some(brain) = self.brain_at(root_path) {
                return Ok((brain, true));
            }
        }
        let folder = self.folder_of(root_path)?.unwrap_or_else(|| self.free_folder(root_path));
        // An id is minted once: a folder that lost its record keeps the brain it has, and one whose
        // manifest cannot be read gets no other.
        let kept = self.manifest_in(&folder).unwrap_or_default();
        if kept.is_none()
            && let Err(broken) = self.look_at(root_path)
        {
            return Err(broken.into());
        }
        durable::make_dirs(&*self.disk, &folder)?;
        let identity = self.disk.stat(root_path).ok().and_then(|stat| stat.identity);
        self.write_record(&folder, &RootRecord::new(root, identity, StorePlace::Owner))?;
        let now = self.clock.now();
        let manifest =
            kept.unwrap_or_else(|| BrainManifest::new(self.ids.uuid_v7(now), name.to_owned(), now));
        let brain = self.brain(manifest, root_path, folder, StorePlace::Owner);
        let state = brain.folder.join("boot_memory_state.json");
        if self.disk.stat(&state).is_err() {
            self.write_small(&state, &json!({}))?;
        }
        self.write_manifest(&brain.folder, &brain.manifest)?;
        self.record_birth(&brain, agent)?;
        Ok((brain, false))
    }

    fn record_birth(&self, brain: &Brain, agent: &AgentId) -> Result<(), StoreError> {
        let store = self.store_of(brain);
        store.prepare()?;
        let data = json!({ "name": brain.manifest.name });
        let id = brain.manifest.id.to_string();
        store.acts().record(&Act::once("bootstrap", &id, agent, self.clock.now(), data))
    }

    /// Names the home where its folder cannot exist; a full or read-only disk is named as such.
    fn unusable(&self, error: StoreError) -> StoreError {
        match error.disk_fault() {
            Some(DiskFault::NotFound | DiskFault::NotAFile | DiskFault::Other) => {
                StoreError::HomeUnusable { home: self.path.display().to_string(), source: Box::new(error) }
            }
            Some(_) | None => error,
        }
    }

    fn write_manifest(&self, dir: &Path, manifest: &BrainManifest) -> Result<(), StoreError> {
        self.write_small(&dir.join(MANIFEST), &serde_json::to_value(manifest).expect("plain data"))
    }

    fn write_record(&self, folder: &Path, record: &RootRecord) -> Result<(), StoreError> {
        self.write_small(&folder.join("root.json"), &serde_json::to_value(record).expect("plain data"))
    }

    fn write_small(&self, path: &Path, value: &Value) -> Result<(), StoreError> {
        durable::replace(&*self.disk, &*self.ids, path, &pretty(value))
            .map_err(StoreError::disk("cannot write a file of the home"))
    }

    pub(crate) fn brain(
        &self,
        manifest: BrainManifest,
        root: &Path,
        folder: PathBuf,
        place: StorePlace,
    ) -> Brain {
        let fingerprint =
            folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Brain { manifest, root: root.to_owned(), fingerprint, folder, place }
    }

    pub(crate) fn brains_dir(&self) -> PathBuf {
        self.path.join(BRAINS)
    }

    /// The manifest a repository carries. What lies behind a link is not carried by it.
    fn repo_manifest(&self, root: &Path) -> Option<BrainManifest> {
        let folder = root.join(REPO_FOLDER);
        let is_real = self.disk.stat(&folder).is_ok_and(|stat| stat.kind == FileKind::Dir);
        is_real.then(|| self.manifest(&folder.join(MANIFEST))).flatten()
    }

    pub(crate) fn manifest(&self, path: &Path) -> Option<BrainManifest> {
        BrainManifest::parse(&self.disk.read(path, SMALL_FILE_MAX).ok()?)
    }

    pub(crate) fn record(&self, folder: &Path) -> RecordRead {
        let bytes = self.disk.read(&folder.join("root.json"), SMALL_FILE_MAX).map_err(|error| match error
            .fault()
        {
            DiskFault::NotFound => "its root.json is missing",
            _ => "its root.json cannot be read",
        })?;
        serde_json::from_slice(&bytes).map_err(|_| "its root.json is damaged")
    }

    /// The folder that says it belongs to a root: the one of its fingerprint in nearly every case,
    /// a later one where a brain moved away from this path or to it.
    ///
    /// A root that was made anew at its path (cloned again, restored) is still that root, unless the
    /// folder it was lies beside it under another name: then what is here now is something else.
    fn folder_of(&self, root: &Path) -> Result<Option<PathBuf>, StoreError> {
        let now = self.disk.stat(root).ok().and_then(|stat| stat.identity);
        let is_certain = |record: &RootRecord| match now {
            Some(identity) => record.inode.is_none() || record.is_of(identity),
            None => true,
        };
        let first = self.brains_dir().join(brain::fingerprint(root));
        let is_its = |record: &RootRecord| Path::new(&record.root) == root;
        if self.record(&first).is_ok_and(|record| is_its(&record) && is_certain(&record)) {
            return Ok(Some(first));
        }
        let mut named: Vec<(PathBuf, RootRecord)> = self
            .folders()?
            .into_iter()
            .filter_map(|(folder, record)| Some((folder, record.ok().filter(is_its)?)))
            .collect();
        let certain = named.iter().position(|(_, record)| is_certain(record));
        if let Some(at) = certain {
            return Ok(Some(named.swap_remove(at).0));
        }
        Ok(named.into_iter().find(|(_, record)| !self.lies_beside(root, record)).map(|(folder, _)| folder))
    }

    /// Whether the folder that a record was made of is found beside its path, under another name.
    pub(crate) fn lies_beside(&self, root: &Path, record: &RootRecord) -> bool {
        let Some(dir) = root.parent() else { return false };
        let entries = self.disk.list(dir).unwrap_or_default();
        entries.into_iter().filter(|entry| entry.kind == FileKind::Dir).take(BESIDE_MAX).any(|entry| {
            let identity = self.disk.stat(&dir.join(entry.name)).ok().and_then(|stat| stat.identity);
            identity.is_some_and(|identity| record.is_of(identity))
        })
    }

    /// A folder name no other root uses.
    fn free_folder(&self, root: &Path) -> PathBuf {
        let fingerprint = brain::fingerprint(root);
        let dir = self.brains_dir();
        let mut folder = dir.join(&fingerprint);
        for n in 2.. {
            // A folder without a readable record is what an interrupted bootstrap of this root left. The name
            // of one that was set aside is kept for it.
            let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let is_kept = self.disk.stat(&dir.join(format!("{SWEPT}{name}"))).is_ok();
            if self.record(&folder).is_err() && !is_kept {
                break;
            }
            folder = dir.join(format!("{fingerprint}-{n}"));
        }
        folder
    }

    fn folders(&self) -> Result<Vec<(PathBuf, RecordRead)>, StoreError> {
        let dir = self.brains_dir();
        let entries = match self.disk.list(&dir) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => {
                // What lies below something that is no folder is not absent, but out of reach.
                real_folder(&*self.disk, &self.path)?;
                return Ok(Vec::new());
            }
            Err(error) => return Err(StoreError::disk("cannot list the brains")(error)),
        };
        let mut folders: Vec<_> = entries
            .into_iter()
            .filter(|entry| match entry.kind {
                FileKind::Dir => !entry.name.as_encoded_bytes().starts_with(b"."),
                // Something else under the name of a brain stands where one should be.
                FileKind::File | FileKind::Link | FileKind::Other => brain::is_fingerprint(&entry.name),
            })
            .map(|entry| (dir.join(entry.name), entry.kind))
            .collect();
        folders.sort();
        let record = |folder: &Path, kind| match kind {
            FileKind::Dir => self.record(folder),
            // Nothing is read through it.
            FileKind::Link => Err("it is a link, and not the folder of a brain"),
            FileKind::File | FileKind::Other => Err("it is no folder"),
        };
        Ok(folders
            .into_iter()
            .map(|(folder, kind)| (record(&folder, kind), folder))
            .map(|(r, f)| (f, r))
            .collect())
    }
}

fn pretty(value: &Value) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("plain data");
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::clock::ManualClock;
    use brainstem_base::disk::SimDisk;
    use brainstem_base::ids::CountingIds;

    #[test] // spec: MEM-1, MEM-3c
    fn the_samples_of_the_format_page_are_read() {
        let page = include_str!("../../../docs/formats/home.md");
        let mut samples = page.split("```json\n").skip(1).map(|rest| rest.split("```").next().expect("text"));
        let manifest = samples.next().and_then(|text| BrainManifest::parse(text.as_bytes()));
        let manifest = manifest.expect("a manifest");
        assert_eq!(serde_json::to_value(&manifest).expect("plain data")["schema"], brain::SCHEMA);
        let act: Act = serde_json::from_str(samples.next().expect("an act")).expect("an act");
        assert_eq!(act.id, Act::id_of(&act.act, &act.subject));
    }

    #[test] // spec: MEM-1
    fn a_brain_that_lost_its_record_keeps_its_id_and_its_values() {
        let disk = Arc::new(SimDisk::new());
        let ids = Arc::new(CountingIds::from(1));
        let home = Home::new(disk.clone(), ids, Arc::new(ManualClock::at(5)), "/home".into());
        let agent = AgentId::parse("human:ana").expect("an id");
        let create = || home.create_brain("/cherry", "cherry", &agent).expect("a working disk").0;
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
