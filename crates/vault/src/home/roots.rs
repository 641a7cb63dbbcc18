//! Which brain belongs to which root, and which roots the home knows.

use super::recognise::{DisplacedBrain, NotServedReason, RecordRead, RecordedFolder};
use super::{Home, SMALL_FILE_MAX};
use crate::brain::{self, Brain, BrainManifest, RootRecord};
use crate::error::{CLAIMS_GONE, MANIFEST_CLOSED};
use crate::layout::{BRAINS, KEPT, MANIFEST, SWEPT};
use crate::not_checked_out::NotCheckedOut;
use crate::real_folder::real_folder;
use crate::store::Store;
use crate::store_paths::{StorePaths, StorePlace};
use crate::tracked_memory::not_checked_out;
use crate::{StoreError, repo, scan};
use brainstem_base::DiskFault;
use brainstem_base::disk::FileKind;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A folder of the home that should hold a brain and could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenFolder {
    /// The folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

impl BrokenFolder {
    /// Whether git has its memory, and the working tree does not.
    pub fn is_not_checked_out(&self) -> bool {
        [NotCheckedOut::Sparse, NotCheckedOut::Deleted].iter().any(|away| self.why == away.why())
    }
}

impl From<BrokenFolder> for StoreError {
    fn from(broken: BrokenFolder) -> Self {
        // If the folder of all brains is broken, the error is about the home.
        if let Some(home) = broken.path.parent().filter(|_| broken.path.ends_with(BRAINS)) {
            return Self::HomeUnreadable { home: home.display().to_string(), why: broken.why };
        }
        Self::BrokenBrain { folder: broken.path.display().to_string(), why: broken.why }
    }
}

/// What the home knows about one folder.
#[derive(Clone, Debug)]
pub enum AtRoot {
    /// Nothing.
    Nothing,
    /// It is the root of this brain.
    Brain(Box<Brain>),
    /// The memory of these brains is kept and not served here, all for the same reason.
    Replaced(Vec<DisplacedBrain>),
    /// It is the root of a brain that cannot be read.
    Broken(BrokenFolder),
}

/// Every brain of the home.
#[derive(Clone, Debug, Default)]
pub struct Roster {
    /// The brains, by folder name: those whose root is there, and those whose root is gone.
    pub brains: Vec<Brain>,
    /// Brains whose root is another folder now.
    pub displaced: Vec<DisplacedBrain>,
    /// Folders that could not be read as a brain.
    pub broken: Vec<BrokenFolder>,
}

/// The folders whose records name one root.
#[derive(Default)]
struct Claimants {
    /// The one that it belongs to.
    holder: Option<PathBuf>,
    /// The holder's record, if it is known already.
    record: Option<RootRecord>,
    /// Those whose root was at this path, as far as is known; a brain whose root is now beside this path has only
    /// moved.
    others: Vec<RecordedFolder>,
    /// Those whose root was elsewhere and is no longer there, and had the number and birth of this folder; a mark
    /// contradicts that this folder is it.
    alike: Vec<RecordedFolder>,
}

impl Home {
    /// The brain whose root is exactly this folder, in the repository or under the home.
    pub fn brain_at(&self, root: &Path) -> Option<Brain> {
        match self.look_at(root) {
            AtRoot::Brain(brain) => Some(*brain),
            AtRoot::Nothing | AtRoot::Replaced(_) | AtRoot::Broken(_) => None,
        }
    }

    /// What the home knows about this folder. A folder of the home with memory of it that cannot be read as its brain
    /// is broken, not missing.
    pub fn look_at(&self, root: &Path) -> AtRoot {
        let (Claimants { holder, record, others, alike }, unlisted) = match self.claimants(root) {
            Ok(claimants) => (claimants, None),
            Err(error) => (Claimants::default(), Some(with_cause(&error))),
        };
        let moved = || self.moved_here(root);
        if let Some(manifest) = self.repo_manifest(root) {
            let folder = holder.or_else(moved).unwrap_or_else(|| {
                let free = self.free_folder(root);
                // Another process may have made the folder, or bound the one that moved here, since the first look.
                self.folder_of(root).ok().flatten().unwrap_or(free)
            });
            return AtRoot::Brain(Box::new(self.brain(manifest, root, folder, StorePlace::Repo)));
        }
        let is_known = holder.is_some();
        let folder = holder.unwrap_or_else(|| self.free_folder(root));
        let broken = |path: &Path, why: &str| {
            AtRoot::Broken(BrokenFolder { path: path.to_owned(), why: why.to_owned() })
        };
        match self.manifest_in(&folder) {
            // A branch from before `init` has no manifest; the brain is the same.
            Ok(Some(manifest)) if is_known => {
                let record = record.or_else(|| self.record(&folder).ok());
                let place = record.map_or(StorePlace::Owner, |record| record.place());
                if place == StorePlace::Owner && self.is_gone(&folder.join("agent-memory")) {
                    return broken(&folder, CLAIMS_GONE);
                }
                // A claim that is written beside the ones that are left out would be another claim of its label, and git
                // would not take it.
                if place == StorePlace::Repo
                    && not_checked_out(&*self.disk, root) == Some(NotCheckedOut::Sparse)
                {
                    return broken(&repo::folder(root), NotCheckedOut::Sparse.why());
                }
                return AtRoot::Brain(Box::new(self.brain(manifest, root, folder, place)));
            }
            Ok(Some(_)) => {
                return broken(&folder, self.record(&folder).err().unwrap_or("its root.json is damaged"));
            }
            Err(why) => return broken(&folder, why),
            Ok(None) if self.holds_memory(&folder) => return broken(&folder, "its brain.json is missing"),
            // If the folders cannot be listed, one of them may still be this root's.
            Ok(None) => {
                if let Some(why) = unlisted {
                    return broken(&self.brains_dir(), &why);
                }
            }
        }
        let in_repo = repo::folder(root);
        let is_real = self.disk.stat(&in_repo).is_ok_and(|stat| stat.kind == FileKind::Dir);
        if let Err(why) = self.manifest_in(&in_repo)
            && is_real
            && self.holds_memory(&in_repo)
        {
            return broken(&in_repo, why);
        }
        // A brain of its own would get another id than the one that is committed.
        if let Some(away) = not_checked_out(&*self.disk, root) {
            return broken(&in_repo, away.why());
        }
        let kept_apart = |records: &[RecordedFolder], apart| -> Vec<DisplacedBrain> {
            records.iter().filter_map(|record| self.kept_apart(record, apart)).collect()
        };
        let mut displaced = kept_apart(&others, NotServedReason::OtherFolder);
        if displaced.is_empty() {
            displaced = kept_apart(&alike, NotServedReason::Alike);
        }
        // A brain of exactly this folder that was set aside comes before a brain that an earlier folder had here.
        let aside = self.set_aside_at(root);
        if displaced.is_empty() {
            return if aside.is_empty() { AtRoot::Nothing } else { AtRoot::Replaced(aside) };
        }
        // The folder here may be a project that moved here.
        match moved().and_then(|folder| Some((self.manifest(&folder.join(MANIFEST))?, folder))) {
            Some((manifest, folder)) => {
                let place = self.record(&folder).map_or(StorePlace::Owner, |record| record.place());
                AtRoot::Brain(Box::new(self.brain(manifest, root, folder, place)))
            }
            None => AtRoot::Replaced(if aside.is_empty() { displaced } else { aside }),
        }
    }

    /// How many claims are in the folder of a brain, whatever else is wrong with it.
    pub fn claims_in(&self, folder: &Path) -> Result<usize, StoreError> {
        let claims = folder.join("agent-memory");
        for dir in [folder, &claims] {
            real_folder(&*self.disk, dir)?;
        }
        if self.is_gone(&claims) {
            return Err(StoreError::ClaimsGone { folder: claims.display().to_string() });
        }
        scan::count(&*self.disk, &claims)
    }

    /// Whether a folder has claims, versions of them or copies; true if it cannot be looked at.
    pub fn holds_memory(&self, folder: &Path) -> bool {
        // Another kind of file in its place hides what was there.
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

    /// The manifest in a folder; `None` if there is none, and the reason if it cannot be parsed.
    pub(super) fn manifest_in(&self, folder: &Path) -> Result<Option<BrainManifest>, &'static str> {
        match self.disk.read(&folder.join(MANIFEST), SMALL_FILE_MAX) {
            Ok(bytes) => {
                let manifest = BrainManifest::parse(&bytes);
                manifest.map(Some).ok_or("its brain.json is damaged, or not of a project")
            }
            Err(error) if error.fault() == DiskFault::NotFound => Ok(None),
            Err(error) if error.fault() == DiskFault::ReadOnly => Err(MANIFEST_CLOSED),
            Err(_) => Err("its brain.json cannot be read"),
        }
    }

    /// Every brain of the home, also those whose root is gone. If the root is another folder now, nothing in it is
    /// read.
    pub fn roster(&self) -> Result<Roster, StoreError> {
        let mut roster = Roster::default();
        let mut named: BTreeMap<PathBuf, Vec<RecordedFolder>> = BTreeMap::new();
        let broken = |path: &Path, why: &str| BrokenFolder { path: path.to_owned(), why: why.to_owned() };
        for (folder, record) in self.folders()? {
            match record {
                Ok(record) => named.entry(PathBuf::from(&record.root)).or_default().push((folder, record)),
                Err(why) => roster.broken.push(broken(&folder, why)),
            }
        }
        for (root, named) in named {
            let holder = self.holder(&root, &named).map(Path::to_owned);
            for recorded in named {
                let (folder, record) = &recorded;
                // Two records of one folder both count; `doctor` names them.
                let is_here = holder.as_ref() == Some(folder) || !self.is_of_another(&root, folder, record);
                let in_repo = is_here.then(|| self.repo_manifest(&root)).flatten();
                let place = if in_repo.is_some() { StorePlace::Repo } else { record.place() };
                match in_repo.or_else(|| self.manifest(&folder.join(MANIFEST))) {
                    // The folder was made with the brain, so if it is missing, claims were lost.
                    Some(_)
                        if record.place() == StorePlace::Owner
                            && place == StorePlace::Owner
                            && self.is_gone(&folder.join("agent-memory")) =>
                    {
                        roster.broken.push(broken(folder, CLAIMS_GONE));
                    }
                    Some(manifest) if is_here => {
                        roster.brains.push(self.brain(manifest, &root, folder.clone(), place));
                    }
                    Some(_) => {
                        roster.displaced.extend(self.kept_apart(&recorded, NotServedReason::OtherFolder))
                    }
                    None => {
                        let why = "its brain.json is missing or damaged, or cannot be read";
                        roster.broken.push(broken(folder, why));
                    }
                }
            }
        }
        roster.brains.sort_by(|a, b| a.fingerprint.cmp(&b.fingerprint));
        roster.displaced.sort_by(|a, b| a.brain.fingerprint.cmp(&b.brain.fingerprint));
        roster.broken.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(roster)
    }

    /// The store of a displaced brain: what the home has of it. Claims from its repository are there as copies.
    pub fn displaced_store(&self, displaced: &DisplacedBrain) -> Store {
        let paths = displaced.brain.store_paths();
        let kept = (displaced.lay_in == StorePlace::Repo).then(|| paths.claims.join(KEPT));
        self.store(StorePaths { kept, ..paths }).of_brain(&displaced.brain.manifest)
    }

    /// The store of a brain that was set aside: what the home has of it, with the copies of claims from its repository.
    pub fn aside_store(&self, brain: &Brain) -> Store {
        let paths = Brain { place: StorePlace::Owner, ..brain.clone() }.store_paths();
        let kept = Some(paths.claims.join(KEPT));
        self.store(StorePaths { kept, ..paths }).of_brain(&brain.manifest)
    }

    /// How many claims of a displaced brain the home has.
    pub fn displaced_claims(&self, displaced: &DisplacedBrain) -> Result<usize, StoreError> {
        let store = self.displaced_store(displaced);
        Ok(store.count()? + store.labels_absent()?.len())
    }

    /// The folder of a brain whose root was moved here: its record is of this folder, and its old root is no longer
    /// that folder.
    pub(super) fn moved_here(&self, root: &Path) -> Option<PathBuf> {
        self.folders().ok()?.into_iter().find_map(|(folder, record)| {
            let record = record.ok()?;
            let is_here = self.is_folder_of(root, &folder, &record) && self.is_away(root, &folder, &record);
            is_here.then_some(folder)
        })
    }

    /// The folder whose brain belongs to a root.
    pub(super) fn folder_of(&self, root: &Path) -> Result<Option<PathBuf>, StoreError> {
        Ok(self.claimants(root)?.holder)
    }

    /// The folders that name a root: the one of its fingerprint in nearly every case, or a later one if a brain moved
    /// away from this path or to it.
    fn claimants(&self, root: &Path) -> Result<Claimants, StoreError> {
        let is_its = |record: &RootRecord| self.leads_to(record, root);
        let first = self.brains_dir().join(brain::fingerprint(root));
        let is_this = |record: &RootRecord| self.is_folder_of(root, &first, record);
        if let Some(record) = self.record(&first).ok().filter(|record| is_its(record) && is_this(record)) {
            return Ok(Claimants { holder: Some(first), record: Some(record), ..Claimants::default() });
        }
        let records = self.folders()?.into_iter().filter_map(|(folder, record)| Some((folder, record.ok()?)));
        let (named, elsewhere): (Vec<RecordedFolder>, Vec<RecordedFolder>) =
            records.partition(|(_, record)| is_its(record));
        let is_this = |(folder, record): &RecordedFolder| self.is_folder_of(root, folder, record);
        let holder = self.holder(root, &named).map(Path::to_owned);
        // A folder that is recognised here by its history may be another clone, which moved here with a brain of its own.
        let holder = match holder {
            Some(_) if !named.iter().any(is_this) => self.moved_here(root).or(holder),
            holder => holder,
        };
        let is_other = |(folder, record): &RecordedFolder| {
            holder.as_ref() != Some(folder)
                && self.is_of_another(root, folder, record)
                && !self.is_found_beside(root, folder, record)
        };
        let now = self.identity(root);
        let is_alike = |(folder, record): &RecordedFolder| {
            now.is_some_and(|now| record.is_of(now))
                && !self.is_folder_of(root, folder, record)
                && self.is_away(root, folder, record)
        };
        let others = named.into_iter().filter(is_other).collect();
        let alike = elsewhere.into_iter().filter(is_alike).collect();
        Ok(Claimants { holder, record: None, others, alike })
    }

    /// Of the folders whose records name a root, the one that it belongs to. If the file system says that the folder
    /// there is another one than the record's, the project must be recognised.
    fn holder<'r>(&self, root: &Path, named: &'r [RecordedFolder]) -> Option<&'r Path> {
        let now = self.identity(root);
        let youngest = |(folder, record): &&RecordedFolder| (record.marks.taken, Reverse(folder.clone()));
        let of_this_folder = |(folder, record): &&RecordedFolder| self.is_folder_of(root, folder, record);
        let cannot_tell = |(folder, record): &&RecordedFolder| {
            (now.is_none() || record.inode.is_none()) && !self.is_of_another(root, folder, record)
        };
        let is_recognised = |(folder, record): &&RecordedFolder| {
            !self.is_found_beside(root, folder, record) && self.recognises(root, folder, record)
        };
        let named = || named.iter();
        let found = named().filter(of_this_folder).max_by_key(youngest);
        let found = found.or_else(|| named().filter(cannot_tell).max_by_key(youngest));
        let found = found.or_else(|| named().filter(is_recognised).max_by_key(youngest));
        found.map(|(folder, _)| folder.as_path())
    }

    /// A folder name that no other root uses.
    pub(super) fn free_folder(&self, root: &Path) -> PathBuf {
        let fingerprint = brain::fingerprint(root);
        let dir = self.brains_dir();
        let mut folder = dir.join(&fingerprint);
        for n in 2.. {
            // A folder without a readable record was left by an interrupted bootstrap of this root. The name of a
            // folder that was set aside stays reserved for it.
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
                // A folder below something that is not a folder is out of reach, not missing.
                real_folder(&*self.disk, &self.path)?;
                return Ok(Vec::new());
            }
            Err(error) => return Err(StoreError::disk("cannot list the brains")(error)),
        };
        let mut folders: Vec<_> = entries
            .into_iter()
            .filter(|entry| match entry.kind {
                FileKind::Dir => !entry.name.as_encoded_bytes().starts_with(b"."),
                // A file with the name of a brain's folder counts as a broken brain.
                FileKind::File | FileKind::Link | FileKind::Other => brain::is_fingerprint(&entry.name),
            })
            .map(|entry| (dir.join(entry.name), entry.kind))
            .collect();
        folders.sort();
        let record = |folder: &Path, kind| match kind {
            FileKind::Dir => self.record(folder),
            // A link is never followed.
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

/// An error with its cause.
fn with_cause(error: &StoreError) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
