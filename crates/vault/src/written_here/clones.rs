//! The other folders of a project under this home, and the copies of versions that they and its own folder hold.
//!
//! Two clones of one repository have one brain id and a folder each. A repository that only carries the id does not
//! count: it must have a remembered commit of the other clone, or its origin.

use crate::brain::{BrainManifest, RootRecord};
use crate::layout::{ACTS, ASIDE, KEPT, MANIFEST, SWEPT};
use crate::project_marks::CandidateFolder;
use crate::store::Store;
use crate::store_paths::{StorePaths, StorePlace};
use brainstem_base::Disk;
use brainstem_base::disk::FileKind;
use brainstem_claims::{Claim, ClaimSlug, Label};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The longest manifest or record that is read.
const SMALL_FILE_MAX: u64 = 64 * 1024;

/// The other folders, each looked at once and only when a line needs it.
#[derive(Clone)]
pub(super) struct Clones {
    store: Store,
    known: Arc<Mutex<HashMap<String, bool>>>,
    /// The stores of the other folders of this project.
    all: OnceLock<Vec<Store>>,
}

impl Clones {
    pub(super) fn of(store: Store) -> Self {
        Self { store, known: Arc::default(), all: OnceLock::new() }
    }

    /// Whether the folder of this name, which wrote lines with the id of this brain, belongs to the same project. A
    /// folder that is gone, or has another brain since, cannot be compared: then the id decides.
    pub(super) fn is_clone(&self, name: &str) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(is_clone) = known.get(name) {
            return *is_clone;
        }
        let names = ["", SWEPT, ASIDE].map(|prefix| format!("{prefix}{name}"));
        let mut found = names.iter().filter_map(|name| self.shares_history(&self.brains()?.join(name)));
        let is_clone = found.next().unwrap_or(true);
        known.insert(name.to_owned(), is_clone);
        is_clone
    }

    /// Whether this project holds a copy of the version under the home: in this folder, or in that of another clone.
    pub(super) fn hold_copy(&self, claim: &Claim) -> bool {
        let Ok(label) = Label::parse(&claim.label) else { return false };
        let slug = ClaimSlug::of(&label);
        holds_copy(&self.store, &slug, claim)
            || self.all().iter().any(|store| holds_copy(store, &slug, claim))
    }

    fn all(&self) -> &[Store] {
        self.all.get_or_init(|| {
            let Some(brains) = self.brains() else { return Vec::new() };
            let entries = self.store.disk().list(brains).unwrap_or_default();
            let folders = entries.into_iter().filter(|entry| entry.kind == FileKind::Dir);
            let folders = folders.map(|entry| brains.join(entry.name));
            let clones = folders.filter(|folder| self.shares_history(folder) == Some(true));
            clones.map(|folder| self.store_in(&folder)).collect()
        })
    }

    /// Whether the project of another folder with this brain's id shares its history with this one; `None` where the
    /// folder is of another brain.
    fn shares_history(&self, folder: &Path) -> Option<bool> {
        if Some(folder) == self.store.brain_folder() {
            return None;
        }
        let disk = self.store.disk();
        let manifest = BrainManifest::parse(&disk.read(&folder.join(MANIFEST), SMALL_FILE_MAX).ok()?)?;
        if manifest.id != self.store.brain_id() {
            return None;
        }
        // A record that cannot be read shows nothing in common.
        let record = disk.read(&folder.join("root.json"), SMALL_FILE_MAX).unwrap_or_default();
        let Ok(record) = serde_json::from_slice::<RootRecord>(&record) else { return Some(false) };
        let root = &self.root()?;
        Some(CandidateFolder { disk, root, user_home: None }.shares_history(&record.marks))
    }

    /// The root of this clone.
    fn root(&self) -> Option<PathBuf> {
        let paths = self.store.paths();
        match paths.placed.as_ref().map(|placed| placed.place) {
            Some(StorePlace::Owner) => recorded_root(self.store.disk(), self.store.brain_folder()?),
            // The claims are in `<root>/.brainstem/agent-memory`.
            Some(StorePlace::Repo) | None => paths.claims.ancestors().nth(2).map(Path::to_owned),
        }
    }

    /// The folder of all brains.
    fn brains(&self) -> Option<&Path> {
        self.store.brain_folder()?.parent()
    }

    fn store_in(&self, folder: &Path) -> Store {
        let claims: PathBuf = folder.join("agent-memory");
        let paths = StorePaths {
            history: claims.join(".history"),
            locks: claims.join(".locks"),
            acts: folder.join(ACTS),
            kept: Some(claims.join(KEPT)),
            placed: None,
            claims,
        };
        Store::new(self.store.disk.clone(), self.store.ids.clone(), paths)
    }
}

/// Another clone of a project under this home, and what it keeps there.
pub(crate) struct OtherClone {
    /// Its copies and its history.
    pub(crate) store: Store,
    /// The root of its checkout, as its record says.
    pub(crate) root: PathBuf,
}

impl Store {
    /// The other clones under this home of the project that this store is of.
    pub(crate) fn other_clones(&self) -> Vec<OtherClone> {
        let root = |store: &Store| recorded_root(self.disk(), store.paths().acts.parent()?);
        let clones = Clones::of(self.clone());
        let stores = clones.all().iter();
        stores.filter_map(|store| Some(OtherClone { root: root(store)?, store: store.clone() })).collect()
    }
}

/// The root that the record in the folder of a brain names.
fn recorded_root(disk: &dyn Disk, folder: &Path) -> Option<PathBuf> {
    let record = disk.read(&folder.join("root.json"), SMALL_FILE_MAX).ok()?;
    serde_json::from_slice::<RootRecord>(&record).ok().map(|record| PathBuf::from(record.root))
}

/// Whether a store holds a copy of a version under the home.
fn holds_copy(store: &Store, slug: &ClaimSlug, claim: &Claim) -> bool {
    let hash = claim.content_hash();
    let is_it = |copy: &Claim| copy.content_hash() == hash;
    let is_kept = store.kept_copies(slug).is_ok_and(|copies| copies.iter().any(|copy| is_it(&copy.claim)));
    is_kept || store.in_history(slug, claim.created, is_it)
}
