//! The home: the medulla's store and the owner-side folders of every brain.

mod create;
mod noted_roots;
mod place;
mod recognise;
mod records;
mod roots;
mod sharing;
mod write_counts;

pub use create::BeginAnew;
pub use recognise::{DisplacedBrain, NotServedReason};
pub use roots::{AtRoot, BrokenFolder, Roster};

use crate::brain::{Brain, BrainManifest};
use crate::layout::{ACTS, BRAINS, MANIFEST, REPO_FOLDER};
use crate::real_folder::real_folder;
use crate::store::Store;
use crate::store_paths::{StorePaths, StorePlace};
use crate::{StoreError, durable};
use brainstem_base::disk::FileKind;
use brainstem_base::{Clock, Disk, DiskFault, Ids, Timestamp};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The newest home schema this program writes.
pub const SCHEMA: u64 = 1;
/// The medulla warns from this many live claims.
pub const MEDULLA_SOFT_CAP: usize = 200;

const SMALL_FILE_MAX: u64 = 64 * 1024;
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// The home folder of one person on one machine.
#[derive(Clone)]
pub struct Home {
    disk: Arc<dyn Disk>,
    ids: Arc<dyn Ids>,
    clock: Arc<dyn Clock>,
    path: PathBuf,
    user_home: Option<PathBuf>,
}

impl Home {
    /// A home at `path`; the first write makes it.
    pub fn new(disk: Arc<dyn Disk>, ids: Arc<dyn Ids>, clock: Arc<dyn Clock>, path: PathBuf) -> Self {
        Self { disk, ids, clock, path, user_home: None }
    }

    /// The same home, with the person's own folder: a repository there is not a project.
    pub fn of_person(self, user_home: Option<PathBuf>) -> Self {
        Self { user_home, ..self }
    }

    /// The same home, reached through another disk.
    pub fn through(&self, disk: Arc<dyn Disk>) -> Self {
        Self { disk, ..self.clone() }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The disk it is on.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
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
            acts: self.path.join(ACTS),
            kept: None,
            placed: None,
            claims,
        })
    }

    /// A brain's store.
    pub fn store_of(&self, brain: &Brain) -> Store {
        self.store(brain.store_paths()).of_brain(&brain.manifest)
    }

    /// The store of a brain as a linked worktree has it checked out; `None` if the memory is not in the repository, or the
    /// worktree has none checked out.
    pub fn linked_store(&self, brain: &Brain, checkout: &Path) -> Option<Store> {
        let paths = brain.linked_paths(checkout)?;
        let is_there = self.disk.stat(&paths.claims).is_ok_and(|stat| stat.kind == FileKind::Dir);
        is_there.then(|| self.store(paths).of_brain(&brain.manifest))
    }

    fn store(&self, paths: StorePaths) -> Store {
        Store::new(self.disk.clone(), self.ids.clone(), paths)
    }

    /// Refuses if a newer program wrote this home. Every write calls this first.
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

    /// When this home was made, in ms; `None` before it is, and where its file does not say so.
    pub fn created(&self) -> Option<i64> {
        let bytes = self.disk.read(&self.path.join("home.json"), SMALL_FILE_MAX).ok()?;
        serde_json::from_slice::<Value>(&bytes).ok()?["created"].as_i64()
    }

    /// Refuses a medulla whose folders are not real ones, or whose claims are gone: they are made with the home, so what
    /// was in them is lost, and not none.
    pub fn check_medulla(&self) -> Result<(), StoreError> {
        let medulla = self.medulla();
        medulla.check_real_folders()?;
        let claims = &medulla.paths().claims;
        let is_made = self.disk.stat(&self.path.join("home.json")).is_ok();
        match is_made && self.is_gone(claims) {
            true => Err(StoreError::ClaimsGone { folder: claims.display().to_string() }),
            false => Ok(()),
        }
    }

    /// Makes the home if it is missing.
    pub fn ensure(&self) -> Result<(), StoreError> {
        self.check_writable()?;
        real_folder(&*self.disk, &self.path).map_err(|error| StoreError::HomeUnusable {
            home: self.path.display().to_string(),
            source: Box::new(error),
        })?;
        self.check_medulla()?;
        let path = self.path.join("home.json");
        if self.disk.stat(&path).is_ok() {
            // A killed run may have made it before its name was durable.
            let synced = self.disk.sync_dir(&self.path);
            return synced.map_err(StoreError::before_a_change("cannot write to the home"));
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

    /// The same brain with the other place of its claims.
    pub fn store_at(&self, brain: &Brain, place: StorePlace) -> Store {
        self.store_of(&Brain { place, ..brain.clone() })
    }

    /// The error names the home if its folder cannot exist; a full or read-only disk keeps its own error.
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

    fn write_small(&self, path: &Path, value: &Value) -> Result<(), StoreError> {
        durable::replace(&*self.disk, &*self.ids, path, &pretty(value))
            .map_err(StoreError::disk("cannot write a file of the home"))
    }

    /// Whether the folder at a path is gone.
    pub fn is_gone(&self, root: &Path) -> bool {
        self.disk.stat(root).is_err_and(|error| error.fault() == DiskFault::NotFound)
    }

    pub(crate) fn brains_dir(&self) -> PathBuf {
        self.path.join(BRAINS)
    }

    /// The manifest in a repository. A manifest behind a link does not count.
    fn repo_manifest(&self, root: &Path) -> Option<BrainManifest> {
        let folder = root.join(REPO_FOLDER);
        let is_real = self.disk.stat(&folder).is_ok_and(|stat| stat.kind == FileKind::Dir);
        is_real.then(|| self.manifest(&folder.join(MANIFEST))).flatten()
    }

    pub(crate) fn manifest(&self, path: &Path) -> Option<BrainManifest> {
        BrainManifest::parse(&self.disk.read(path, SMALL_FILE_MAX).ok()?)
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

    #[test] // spec: MEM-1, MEM-3c
    fn the_samples_of_the_format_page_are_read() {
        let page = include_str!("../../../docs/formats/home.md");
        let mut samples = page.split("```json\n").skip(1).map(|rest| rest.split("```").next().expect("text"));
        let manifest = samples.next().and_then(|text| BrainManifest::parse(text.as_bytes()));
        let manifest = manifest.expect("a manifest");
        assert_eq!(serde_json::to_value(&manifest).expect("plain data")["schema"], crate::brain::SCHEMA);
        let sample = samples.next().expect("an act").trim_end();
        let act = crate::acts::codec::read(sample.as_bytes()).expect("an act");
        assert_eq!(*act.id(), act.deed().id());
    }
}
