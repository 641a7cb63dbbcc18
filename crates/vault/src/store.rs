//! One store: live claims, their history, their locks and their acts.

mod locks;
mod retract;
mod write;

pub(crate) use locks::stripe;
pub use locks::{AllLocks, LOCK_WAIT, STRIPES};
pub use retract::Retracted;
pub(crate) use write::RACES_MAX;
pub use write::{WriteFault, Written};

use crate::acts::{ActsLog, Room};
use crate::brain::{BrainManifest, StorePlace};
use crate::history::{self, Exit, Version};
use crate::home::SHARING;
use crate::missing::{Look, is_same_under_its_label};
use crate::repo::{self, Sharing};
use crate::scan::{self, CLAIM_SUFFIX, Scan, Unreadable};
use crate::{Source, StoreError, brain, durable};
use brainstem_base::disk::FileKind;
use brainstem_base::{Disk, DiskFault, Ids, Timestamp};
use brainstem_claims::act::VersionRef;
use brainstem_claims::{Claim, ClaimSlug, LightFile};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use uuid::Uuid;

/// Where the parts of a store lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorePaths {
    /// Live claims.
    pub claims: PathBuf,
    /// Versions that are no longer live.
    pub history: PathBuf,
    /// Lock files.
    pub locks: PathBuf,
    /// The acts log.
    pub acts: PathBuf,
    /// For claims that lie in a repository: copies of every version under the home, where no checkout
    /// and no clean reaches them.
    pub kept: Option<PathBuf>,
    /// For a brain's store: how to see that its claims still lie there.
    pub placed: Option<Placed>,
}

/// Which of its two places a brain's store is in, and the record that says so. A writer that waited for a
/// lock while `init` or `eject` ran looks at it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The brain's `root.json`.
    pub record: PathBuf,
    /// The place this store is for.
    pub place: StorePlace,
    /// For a store in a repository: where claims lay before.
    pub owner: Option<PathBuf>,
    /// Whether what lies in the repository may be committed.
    pub sharing: Sharing,
}

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

/// What lies under a live name.
#[derive(Clone, Debug)]
pub enum Live {
    /// Nothing.
    Absent,
    /// A claim.
    Claim(Box<Claim>),
    /// A file that is no readable claim.
    Unreadable(Unreadable),
}

/// What putting a version from elsewhere into history did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It is there now.
    New,
    /// It was there.
    Known,
    /// It is live here, and a version is in one place.
    IsLive,
}

impl Store {
    /// A store at `paths`; its folders are made by the first write.
    pub fn new(disk: Arc<dyn Disk>, ids: Arc<dyn Ids>, paths: StorePaths) -> Self {
        Self { disk, ids, paths, schema: brain::SCHEMA, brain_id: Uuid::nil() }
    }

    /// The same store of the brain with this manifest; one that a newer program wrote is only read.
    pub(crate) fn of_brain(self, manifest: &BrainManifest) -> Self {
        Self { schema: manifest.schema, brain_id: manifest.id, ..self }
    }

    pub(crate) fn brain_id(&self) -> Uuid {
        self.brain_id
    }

    /// Refuses what no write may touch: a store that is not sound, or of a newer program.
    pub fn check_writable(&self) -> Result<(), StoreError> {
        if self.schema > brain::SCHEMA {
            return Err(StoreError::NewerBrain { found: self.schema, known: brain::SCHEMA });
        }
        self.sound()
    }

    /// Refuses a write into the repository of a private project while git can take what lies there.
    pub fn check_not_exposed(&self) -> Result<(), StoreError> {
        let private =
            |placed: &&Placed| (placed.place, placed.sharing) == (StorePlace::Repo, Sharing::Private);
        let folder = self.paths.placed.as_ref().filter(private).and(self.paths.claims.parent());
        match folder {
            // What is not there yet is kept out of git when it is made.
            Some(folder) if self.disk.stat(folder).is_ok() => repo::check_not_exposed(&*self.disk, folder),
            Some(_) | None => Ok(()),
        }
    }

    /// Where its parts lie.
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

    /// Refuses a store of which a folder is a link or no folder: what lies behind a link may belong to
    /// another project. Everything that reads or writes asks first.
    pub fn sound(&self) -> Result<(), StoreError> {
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
        let brains = history.ancestors().nth(3).filter(|dir| dir.ends_with(crate::home::BRAINS));
        let inner = [claims, history, locks].into_iter().chain(kept).map(PathBuf::as_path);
        let mut folders: Vec<&Path> = above.chain(brains).chain(acts.parent()).chain(inner).collect();
        folders.sort();
        folders.dedup();
        folders
    }

    /// What lies under a slug now.
    pub fn live(&self, slug: &ClaimSlug) -> Live {
        if let Err(error) = self.sound() {
            return Live::Unreadable(Unreadable { path: self.live_path(slug), why: error.to_string() });
        }
        self.live_under_lock(slug)
    }

    /// The same with the lock held, which was taken in real folders.
    pub(crate) fn live_under_lock(&self, slug: &ClaimSlug) -> Live {
        match scan::read_claim(&*self.disk, &self.live_path(slug)) {
            None => Live::Absent,
            Some(Ok(claim)) => Live::Claim(Box::new(claim)),
            Some(Err(bad)) => Live::Unreadable(bad),
        }
    }

    /// How many claim files there are, counted from the folder.
    pub fn count(&self) -> Result<usize, StoreError> {
        self.sound()?;
        scan::count(&*self.disk, &self.paths.claims)
    }

    /// Reads every live claim.
    pub fn scan(&self) -> Result<Scan, StoreError> {
        self.sound()?;
        scan::scan(&*self.disk, &self.paths.claims)
    }

    /// The acts upon this store.
    pub fn acts(&self) -> ActsLog {
        let lock = self.paths.locks.join("acts");
        let log = ActsLog::new(self.disk.clone(), self.ids.clone(), self.paths.acts.clone(), lock);
        let owner = self.paths.placed.as_ref().and_then(|placed| placed.owner.as_deref());
        let kept = owner.and_then(Path::parent).map(|folder| folder.join(crate::acts::ACTS));
        let log = log.kept_at(kept).committed_in(self.committed_root().map(Path::to_owned));
        log.in_folders(self.folders().into_iter().map(Path::to_owned).collect())
    }

    /// The root of the project in which what is written here can be committed; `None` where nothing of it can be.
    pub fn committed_root(&self) -> Option<&Path> {
        let placed = self.paths.placed.as_ref()?;
        let is_committed = (placed.place, placed.sharing) == (StorePlace::Repo, Sharing::Committed);
        self.paths.acts.parent().filter(|_| is_committed).and_then(Path::parent)
    }

    /// The versions of a label that are no longer live, youngest first: those in history, and those that lie elsewhere
    /// under the home because git took them away. Those of a claim that another clone renamed from this label are with
    /// that claim.
    ///
    /// A copy that an interrupted change left of the version that is still live is not among them:
    /// a version is in one place.
    pub fn history(&self, slug: &ClaimSlug) -> Result<(Vec<Version>, Vec<Unreadable>), StoreError> {
        self.sound()?;
        let (mut versions, unreadable) = history::versions(&*self.disk, &self.paths.history, slug)?;
        let look = Look::at(self);
        let of_others = self.renamed_away(slug, &look)?;
        versions.retain(|version| !of_others.is_gone(&version.path));
        // What a renaming left under this slug is with the claim that was renamed.
        let left = self.left_in_history(Some(slug))?;
        versions.retain(|version| !left.iter().any(|it| it.from == *slug && it.path == version.path));
        let live = self.versions_at(&self.live_path(slug))?;
        for version in self.versions_elsewhere(slug, &look)? {
            let is_live = live.iter().any(|live| is_same_under_its_label(&version.claim, live));
            // What was done to it under an earlier label was done to the same version.
            let is_known = |known: &Version| {
                known.claim.is_version_kept(&version.claim)
                    || known.exit == version.exit && is_same_under_its_label(&version.claim, &known.claim)
            };
            if !is_live && !versions.iter().any(is_known) {
                versions.push(version);
            }
        }
        versions.sort_by(|a, b| b.claim.created.cmp(&a.claim.created).then_with(|| b.path.cmp(&a.path)));
        let live: Vec<LightFile> = live.iter().map(Claim::outdated).collect();
        let left: Vec<LightFile> =
            versions.iter().filter(|it| it.exit != Exit::Superseded).map(|it| it.claim.outdated()).collect();
        versions.retain(|version| {
            let outdated = version.claim.outdated();
            !live.contains(&outdated) && (version.exit != Exit::Superseded || !left.contains(&outdated))
        });
        Ok((versions, unreadable))
    }

    /// The version that a claim took the place of, where history has it.
    pub fn predecessor(&self, slug: &ClaimSlug, claim: &Claim) -> Option<Claim> {
        let before = VersionRef::parse(claim.supersedes.as_deref()?)?;
        let created = before.created.filter(|_| before.slug == *slug)?;
        let name = history::version_name(slug, Some(created), 0, Exit::Superseded);
        scan::read_claim(&*self.disk, &self.paths.history.join(name)).and_then(Result::ok)
    }

    /// Whether history has a version with this birth stamp of which `is_it` holds.
    pub fn in_history(
        &self,
        slug: &ClaimSlug,
        created: Option<Timestamp>,
        is_it: impl Fn(&Claim) -> bool,
    ) -> bool {
        Exit::ALL.into_iter().any(|exit| {
            // A disk that fails says the same of every name.
            let names = (0..history::SAME_STAMP_MAX).map(|n| history::version_name(slug, created, n, exit));
            let read = names.map(|name| scan::read_claim(&*self.disk, &self.paths.history.join(name)));
            read.map_while(|read| read).any(|read| read.is_ok_and(|claim| is_it(&claim)))
        })
    }

    /// Puts a version that came from elsewhere into history, unless that very version is live here.
    /// Says whether history did not have it yet.
    pub fn keep_version(&self, slug: &ClaimSlug, version: &Claim, exit: Exit) -> Result<Kept, StoreError> {
        let _guard = self.lock(slug)?;
        if let Live::Claim(live) = self.live(slug)
            && live.outdated() == version.outdated()
        {
            return Ok(Kept::IsLive);
        }
        let bytes = version.file.render();
        let known = history::find_copy(
            &*self.disk,
            &self.paths.history,
            slug,
            version.created,
            exit,
            bytes.as_bytes(),
        );
        self.archive(slug, version, exit, bytes.as_bytes())?;
        Ok(if known.is_some() { Kept::Known } else { Kept::New })
    }

    /// Makes the folders of the store.
    pub fn prepare(&self) -> Result<(), StoreError> {
        self.check_writable()?;
        let in_repo = self.paths.placed.as_ref().filter(|placed| placed.place == StorePlace::Repo);
        if let Some((placed, folder)) = in_repo.zip(self.paths.claims.parent()) {
            match placed.sharing {
                Sharing::Committed => {}
                Sharing::Private => repo::keep_out_of_git(&*self.disk, &*self.ids, folder)?,
                Sharing::Unread => {
                    return Err(StoreError::sharing_unknown(&placed.record.with_file_name(SHARING)));
                }
            }
        }
        for dir in
            [&self.paths.claims, &self.paths.history, &self.paths.locks].into_iter().chain(&self.paths.kept)
        {
            durable::make_dirs(&*self.disk, dir)?;
        }
        self.acts().prepare()
    }

    /// Makes the folders of the store where that of its log is not there: git takes it away with a branch that has no
    /// memory.
    pub fn prepare_absent(&self) -> Result<(), StoreError> {
        let folder = self.paths.acts.parent().expect("a log lies in a folder");
        match self.disk.stat(folder) {
            Err(error) if error.fault() == DiskFault::NotFound => self.prepare(),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Keeps room in every folder that a write of a claim changes: a disk that is full, or a folder that cannot be written,
    /// refuses before a change in another store and not after it. Drop it just before the write.
    pub fn reserve(&self, len: usize) -> Result<Vec<Room>, StoreError> {
        let folders = [&self.paths.claims, &self.paths.history].into_iter().chain(&self.paths.kept);
        let mut rooms = vec![self.acts().reserve(len)?];
        for folder in folders {
            durable::make_dirs(&*self.disk, folder)?;
            rooms.push(Room::in_folder(&self.disk, &*self.ids, folder, len)?);
        }
        Ok(rooms)
    }

    /// Makes the names of the live claims certain, those that a killed run has removed included.
    pub fn sync(&self) -> Result<(), StoreError> {
        match self.disk.sync_dir(&self.paths.claims) {
            Err(error) if error.fault() != DiskFault::NotFound => {
                Err(StoreError::disk("cannot make the store certain")(error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Puts a version into history, for a change that may yet be refused.
    pub(crate) fn archive_new(
        &self,
        slug: &ClaimSlug,
        claim: &Claim,
        exit: Exit,
        bytes: &[u8],
    ) -> Result<Archived, StoreError> {
        let dir = &self.paths.history;
        let is_new = history::find_copy(&*self.disk, dir, slug, claim.created, exit, bytes).is_none();
        self.archive(slug, claim, exit, bytes).map(|path| Archived { path, is_new })
    }

    pub(crate) fn archive(
        &self,
        slug: &ClaimSlug,
        claim: &Claim,
        exit: Exit,
        bytes: &[u8],
    ) -> Result<PathBuf, StoreError> {
        // In history it lies under the home, where nothing tells any more that it came from a repository.
        if self.paths.kept.is_some() {
            self.note_past(std::slice::from_ref(claim), Source::File)?;
        }
        let (disk, ids, dir) = (&*self.disk, &*self.ids, &self.paths.history);
        let archive = || history::archive(disk, ids, dir, slug, claim.created, exit, bytes);
        let archived = match archive() {
            Err(error) if error.fault() == DiskFault::NotFound => {
                self.prepare()?;
                archive()
            }
            archived => archived,
        };
        archived.map_err(StoreError::disk("cannot keep the version before"))
    }

    /// Removes the copy of a live version that an interrupted change of another kind left behind. Where git may take the
    /// live file away, a copy is kept first.
    pub(crate) fn drop_copy(
        &self,
        slug: &ClaimSlug,
        claim: &Claim,
        exit: Exit,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        let dir = &self.paths.history;
        if let Some(copy) = history::find_copy(&*self.disk, dir, slug, claim.created, exit, bytes) {
            self.keep_live(slug, &claim.file)?;
            let fault = StoreError::disk("cannot finish an interrupted change");
            self.disk.unlink(&copy).and_then(|()| self.disk.sync_dir(dir)).map_err(fault)?;
        }
        Ok(())
    }
}

/// A version that a change has put into history.
pub(crate) struct Archived {
    /// Where it lies.
    pub(crate) path: PathBuf,
    /// History did not have it before.
    is_new: bool,
}

impl Archived {
    /// Takes it out of history again: the change failed. Best effort: a version is in one place, so that a copy of the
    /// live one is passed over. It stays while the disk does not confirm that the version is live again.
    pub(crate) fn take_back(self, store: &Store) {
        if store.sync().is_ok() {
            let _ = self.remove(store);
        }
    }

    /// The same for a version of which another copy stays where it was. An error says that history may have it still.
    pub(crate) fn remove(self, store: &Store) -> Result<(), StoreError> {
        if !self.is_new {
            return Ok(());
        }
        let gone = store.disk.unlink(&self.path).and_then(|()| store.disk.sync_dir(&store.paths.history));
        gone.map_err(StoreError::disk("cannot take a version out of history"))
    }
}

/// Refuses a path that exists and is not a real directory. A missing path is fine.
pub(crate) fn real_folder(disk: &dyn Disk, dir: &Path) -> Result<(), StoreError> {
    let not = |what| Err(StoreError::NotAFolder { path: dir.display().to_string(), what });
    match disk.stat(dir).map(|stat| stat.kind) {
        Ok(FileKind::Link) => not("a link"),
        Ok(FileKind::File | FileKind::Other) => not("no folder"),
        // What cannot be looked at is named by whoever needs it.
        Ok(FileKind::Dir) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::AgentId;
    use brainstem_base::disk::SimDisk;
    use brainstem_base::ids::CountingIds;
    use brainstem_claims::Label;
    use brainstem_claims::act::{Act, Deed, VersionRef};
    use brainstem_claims::decide::Decision;
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
