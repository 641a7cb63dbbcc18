//! One store: live claims, their history, their locks and their acts.

mod archive;
mod locks;
mod retract;
mod stored;
mod write;

pub use archive::ArchiveOutcome;
pub use locks::{AllLocks, LOCK_WAIT, STRIPES};
pub use retract::Retracted;
pub(crate) use write::RACES_MAX;
pub use write::{WriteFault, WriteOutcome};

use crate::acts::{ActsLog, ReservedRoom};
use crate::brain::BrainManifest;
use crate::history::{self, ExitReason};
use crate::layout::{ACTS, BRAINS, SHARING};
use crate::real_folder::real_folder;
use crate::repo;
use crate::scan::{self, CLAIM_SUFFIX, StoreScan, UnreadableClaim};
use crate::sharing::GitSharing;
use crate::store_paths::{Placed, StorePaths, StorePlace};
use crate::{StoreError, brain, durable};
use brainstem_base::{Disk, DiskError, DiskFault, Ids, Timestamp};
use brainstem_claims::act::VersionRef;
use brainstem_claims::{Claim, ClaimSlug};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use uuid::Uuid;

/// A store on a disk.
#[derive(Clone)]
pub struct Store {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) paths: StorePaths,
    /// The schema its brain says it has.
    schema: u64,
    /// The id of its brain; nil for the medulla.
    brain_id: Uuid,
}

/// The file under a live name.
#[derive(Clone, Debug)]
pub enum LiveFile {
    /// Nothing.
    Absent,
    /// A claim.
    Claim(Box<Claim>),
    /// A file that cannot be read as a claim.
    Unreadable(UnreadableClaim),
}

impl Store {
    /// A store at `paths`; its folders are made by the first write.
    pub fn new(disk: Arc<dyn Disk>, ids: Arc<dyn Ids>, paths: StorePaths) -> Self {
        Self { disk, ids, paths, schema: brain::SCHEMA, brain_id: Uuid::nil() }
    }

    /// The same store with the schema and the id of this manifest; a store that a newer program wrote can only be read.
    pub(crate) fn of_brain(self, manifest: &BrainManifest) -> Self {
        Self { schema: manifest.schema, brain_id: manifest.id, ..self }
    }

    pub(crate) fn brain_id(&self) -> Uuid {
        self.brain_id
    }

    /// Refuses a store that no write may touch: its folders are not real ones, or a newer program wrote it.
    pub fn check_writable(&self) -> Result<(), StoreError> {
        if self.schema > brain::SCHEMA {
            return Err(StoreError::NewerBrain { found: self.schema, known: brain::SCHEMA });
        }
        self.check_real_folders()
    }

    /// Refuses a write into the repository of a private project while git can commit what is there.
    pub fn check_not_exposed(&self) -> Result<(), StoreError> {
        let private =
            |placed: &&Placed| (placed.place, placed.sharing) == (StorePlace::Repo, GitSharing::Private);
        let folder = self.paths.placed.as_ref().filter(private).and(self.paths.claims.parent());
        match folder {
            // A folder that is missing is kept out of git when it is made.
            Some(folder) if self.disk.stat(folder).is_ok() => repo::check_not_exposed(&*self.disk, folder),
            Some(_) | None => Ok(()),
        }
    }

    /// The folder under the home of this store's brain; `None` for the medulla.
    pub(crate) fn brain_folder(&self) -> Option<&Path> {
        let mut above = self.paths.history.ancestors().skip(2);
        let (folder, brains) = (above.next()?, above.next()?);
        brains.ends_with(BRAINS).then_some(folder)
    }

    /// Where its parts are.
    pub fn paths(&self) -> &StorePaths {
        &self.paths
    }

    /// The same store with its live claims in a folder under the home.
    pub(crate) fn under_home(&self, claims: PathBuf) -> Self {
        Self { paths: StorePaths { claims, kept: None, ..self.paths.clone() }, ..self.clone() }
    }

    pub(crate) fn disk(&self) -> &dyn Disk {
        &*self.disk
    }

    pub(crate) fn ids(&self) -> &dyn Ids {
        &*self.ids
    }

    /// The live file of a slug.
    pub fn live_path(&self, slug: &ClaimSlug) -> PathBuf {
        self.paths.claims.join(format!("{slug}{CLAIM_SUFFIX}"))
    }

    /// Refuses a store with a folder that is a link or not a folder: files behind a link may belong to another project.
    /// Everything that reads or writes calls this first.
    pub fn check_real_folders(&self) -> Result<(), StoreError> {
        for dir in self.folders() {
            real_folder(&*self.disk, dir)?;
        }
        Ok(())
    }

    /// The folders of the store, and those above them that this program made.
    fn folders(&self) -> Vec<&Path> {
        let StorePaths { claims, history, locks, acts, kept, placed: _ } = &self.paths;
        // The store under the home, the folder of its brain, and the folder of all brains.
        let above = history.ancestors().skip(1).take(2);
        let brains = history.ancestors().nth(3).filter(|dir| dir.ends_with(BRAINS));
        let inner = [claims, history, locks].into_iter().chain(kept).map(PathBuf::as_path);
        let mut folders: Vec<&Path> = above.chain(brains).chain(acts.parent()).chain(inner).collect();
        folders.sort();
        folders.dedup();
        folders
    }

    /// The file under a slug now.
    pub fn live(&self, slug: &ClaimSlug) -> LiveFile {
        if let Err(error) = self.check_real_folders() {
            return LiveFile::Unreadable(UnreadableClaim {
                path: self.live_path(slug),
                why: error.to_string(),
            });
        }
        self.live_under_lock(slug)
    }

    /// The same with the lock held, which was taken in real folders.
    pub(crate) fn live_under_lock(&self, slug: &ClaimSlug) -> LiveFile {
        match scan::read_claim(&*self.disk, &self.live_path(slug)) {
            None => LiveFile::Absent,
            Some(Ok(claim)) => LiveFile::Claim(Box::new(claim)),
            Some(Err(bad)) => LiveFile::Unreadable(bad),
        }
    }

    /// Whether the file still has the bytes that the decision was made on. A file that cannot be read now is an error,
    /// not a changed file.
    pub(crate) fn is_still(&self, path: &Path, live: &Claim) -> Result<bool, DiskError> {
        let bytes = live.file.render();
        match self.disk.read(path, bytes.len() as u64) {
            Ok(there) => Ok(there == bytes.as_bytes()),
            Err(error) => match error.fault() {
                DiskFault::NotFound | DiskFault::NotAFile | DiskFault::TooLarge { .. } => Ok(false),
                DiskFault::Exists
                | DiskFault::ReadOnly
                | DiskFault::NoSpace
                | DiskFault::Busy
                | DiskFault::CrossesDevices
                | DiskFault::PowerLost
                | DiskFault::Other => Err(error),
            },
        }
    }

    /// The reason for a live file that changed at every attempt.
    pub(crate) fn keeps_changing(&self, slug: &ClaimSlug) -> UnreadableClaim {
        UnreadableClaim { path: self.live_path(slug), why: "another program keeps changing it".into() }
    }

    /// How many claim files there are, counted from the folder.
    pub fn count(&self) -> Result<usize, StoreError> {
        self.check_real_folders()?;
        scan::count(&*self.disk, &self.paths.claims)
    }

    /// Reads every live claim.
    pub fn scan(&self) -> Result<StoreScan, StoreError> {
        self.check_real_folders()?;
        scan::scan(&*self.disk, &self.paths.claims)
    }

    /// The acts upon this store.
    pub fn acts(&self) -> ActsLog {
        let lock = self.paths.locks.join("acts");
        let log = ActsLog::new(self.disk.clone(), self.ids.clone(), self.paths.acts.clone(), lock);
        let owner = self.paths.placed.as_ref().and_then(|placed| placed.owner.as_deref());
        let kept = owner.and_then(Path::parent).map(|folder| folder.join(ACTS));
        let log = log.kept_at(kept).committed_in(self.committed_root().map(Path::to_owned));
        log.in_folders(self.folders().into_iter().map(Path::to_owned).collect())
    }

    /// The root of the project in which this store's files can be committed; `None` if they cannot.
    pub fn committed_root(&self) -> Option<&Path> {
        let placed = self.paths.placed.as_ref()?;
        let is_committed = (placed.place, placed.sharing) == (StorePlace::Repo, GitSharing::Committed);
        self.paths.acts.parent().filter(|_| is_committed).and_then(Path::parent)
    }

    /// Whether this is the memory of a linked worktree ([`crate::Brain::linked_paths`]).
    pub fn is_linked(&self) -> bool {
        let placed = self.paths.placed.as_ref();
        self.paths.kept.is_none() && placed.is_some_and(|placed| placed.place == StorePlace::Repo)
    }

    /// The version that a claim took the place of, where history has it.
    pub fn predecessor(&self, slug: &ClaimSlug, claim: &Claim) -> Option<Claim> {
        let before = VersionRef::parse(claim.supersedes.as_deref()?)?;
        let created = before.created.filter(|_| before.slug == *slug)?;
        let name = history::version_name(slug, Some(created), 0, ExitReason::Superseded);
        scan::read_claim(&*self.disk, &self.paths.history.join(name)).and_then(Result::ok)
    }

    /// Whether history has a version with this birth stamp that `is_it` accepts.
    pub fn in_history(
        &self,
        slug: &ClaimSlug,
        created: Option<Timestamp>,
        is_it: impl Fn(&Claim) -> bool,
    ) -> bool {
        ExitReason::ALL.into_iter().any(|exit| {
            // A disk that fails for one name fails for all.
            let names = (0..history::SAME_STAMP_MAX).map(|n| history::version_name(slug, created, n, exit));
            let read = names.map(|name| scan::read_claim(&*self.disk, &self.paths.history.join(name)));
            read.map_while(|read| read).any(|read| read.is_ok_and(|claim| is_it(&claim)))
        })
    }

    /// Makes the folders of the store.
    pub fn prepare(&self) -> Result<(), StoreError> {
        self.check_writable()?;
        let in_repo = self.paths.placed.as_ref().filter(|placed| placed.place == StorePlace::Repo);
        if let Some((placed, folder)) = in_repo.zip(self.paths.claims.parent()) {
            // A repository that was moved while this call waited is not made anew at its old path.
            let root = folder.parent().unwrap_or(folder);
            if self.disk.stat(root).is_err_and(|error| error.fault() == DiskFault::NotFound) {
                return Err(StoreError::Moved);
            }
            match placed.sharing {
                GitSharing::Committed => {}
                GitSharing::Private => repo::keep_out_of_git(&*self.disk, &*self.ids, folder)?,
                GitSharing::Unread => {
                    return Err(StoreError::sharing_unknown(&placed.record.with_file_name(SHARING)));
                }
            }
        }
        self.make_claims_folder()?;
        for dir in [&self.paths.history, &self.paths.locks].into_iter().chain(&self.paths.kept) {
            durable::make_dirs(&*self.disk, dir)?;
        }
        self.acts().prepare()
    }

    /// Makes the folder of the claims if it is missing: in a repository for all users of the checkout, unless the project is
    /// private, and under the home for its owner alone.
    pub(crate) fn make_claims_folder(&self) -> Result<(), StoreError> {
        let placed = self.paths.placed.as_ref().filter(|placed| placed.place == StorePlace::Repo);
        match placed {
            Some(placed) => {
                let root = self.paths.claims.ancestors().nth(2).unwrap_or(&self.paths.claims);
                repo::make_folder(&*self.disk, root, &self.paths.claims, placed.sharing)
            }
            None => durable::make_dirs(&*self.disk, &self.paths.claims),
        }
    }

    /// Fails if the folder of the store's brain has no record: the brain was set aside, and a write would make its folder
    /// anew.
    pub(crate) fn check_not_aside(&self) -> Result<(), StoreError> {
        let Some(placed) = &self.paths.placed else { return Ok(()) };
        match self.disk.stat(&placed.record) {
            Err(error) if error.fault() == DiskFault::NotFound => Err(StoreError::Moved),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Makes the folders of the store if the folder of its log is missing: git removes it in a branch that has no
    /// memory.
    pub fn prepare_absent(&self) -> Result<(), StoreError> {
        let folder = self.paths.acts.parent().expect("a log lies in a folder");
        match self.disk.stat(folder) {
            Err(error) if error.fault() == DiskFault::NotFound => {
                self.check_not_aside()?;
                self.prepare()
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Reserves room in every folder that a write of a claim changes: a full disk, or a folder that cannot be written,
    /// refuses before a change in another store and not after it. Drop it just before the write.
    pub fn reserve(&self, len: usize) -> Result<Vec<ReservedRoom>, StoreError> {
        let folders = [&self.paths.claims, &self.paths.history].into_iter().chain(&self.paths.kept);
        let mut rooms = vec![self.acts().reserve(len)?];
        self.make_claims_folder()?;
        for folder in folders {
            durable::make_dirs(&*self.disk, folder)?;
            rooms.push(ReservedRoom::in_folder(&self.disk, &*self.ids, folder, len)?);
        }
        Ok(rooms)
    }

    /// Makes the names of the live claims durable, also those that a killed run has removed.
    pub fn sync(&self) -> Result<(), StoreError> {
        match self.disk.sync_dir(&self.paths.claims) {
            Err(error) if error.fault() != DiskFault::NotFound => {
                Err(StoreError::disk("cannot make the store certain")(error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::AgentId;
    use brainstem_base::disk::SimDisk;
    use brainstem_base::ids::CountingIds;
    use brainstem_claims::act::{Act, Deed, VersionRef};
    use brainstem_claims::decide::Decision;
    use brainstem_claims::{Label, LightFile};
    use std::convert::Infallible;

    #[test] // spec: MEM-5, MEM-12
    fn a_claim_born_again_in_the_same_millisecond_is_a_version_of_its_own() {
        let paths = StorePaths {
            claims: "/s".into(),
            history: "/s/.history".into(),
            locks: "/s/.locks".into(),
            acts: "/acts.jsonl".into(),
            kept: None,
            placed: None,
        };
        let store = Store::new(Arc::new(SimDisk::new()), Arc::new(CountingIds::from(1)), paths);
        let slug = ClaimSlug::of(&Label::parse("cache").expect("a label"));
        let text = b"---\nProtocol: L1GHT/1.0\nNode: cache\nState: authored\nCreated: 5\n---\n";
        let birth = || {
            let decide = |live: Option<&Claim>| -> Result<_, Infallible> {
                let born = || Decision::Birth(LightFile::parse(text).expect("a claim"));
                Ok(live.map_or_else(born, |_| Decision::Unchanged))
            };
            store.write(&slug, decide).expect("a working disk")
        };
        let retract = || {
            let agent = AgentId::parse("human:ana").expect("an id");
            let act = |claim: &Claim| {
                let now = Timestamp::from_ms(5);
                vec![Act::new(Deed::retract(VersionRef::of(&slug, claim), "it was wrong"), &agent, now)]
            };
            store.retract(&slug, act).expect("a working disk");
        };

        assert_eq!(birth().claim.created, Some(Timestamp::from_ms(5)));
        retract();
        assert_eq!(birth().claim.created, Some(Timestamp::from_ms(6)));
        assert!(birth().unchanged, "what was taken back before takes nothing with it");
        retract();
        assert_eq!(store.acts().read().expect("a log").acts.len(), 2, "each is on record");
        assert_eq!(store.history(&slug).expect("a history").0.len(), 2);
    }
}
