//! One store: live claims, their history, their locks and their acts.

use crate::acts::{Act, ActsLog};
use crate::brain::{RootRecord, StorePlace};
use crate::history::{self, Exit, Version};
use crate::scan::{self, CLAIM_SUFFIX, Scan, Unreadable};
use crate::{StoreError, brain, durable};
use brainstem_base::disk::{FileKind, LockGuard};
use brainstem_base::{Disk, DiskError, DiskFault, Ids, Timestamp, hash};
use brainstem_claims::decide::Decision;
use brainstem_claims::light::keys;
use brainstem_claims::merge::says_the_same;
use brainstem_claims::{Claim, ClaimSlug, LightFile};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How many lock files the labels of a store share.
pub const STRIPES: u8 = 64;
/// How long to wait for another process that writes a label of the same stripe.
pub const LOCK_WAIT: Duration = Duration::from_secs(10);
/// How often a write starts again because something that takes no locks changed the file.
pub(crate) const RACES_MAX: u32 = 20;

/// The largest record of a root that is read.
const RECORD_LEN_MAX: u64 = 64 * 1024;

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
}

/// A store on a disk.
#[derive(Clone)]
pub struct Store {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) paths: StorePaths,
    /// The schema its brain says it has.
    schema: u64,
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

/// What a write did.
#[derive(Clone, Debug)]
pub struct Written {
    /// The live file.
    pub path: PathBuf,
    /// What it now says.
    pub claim: Claim,
    /// The version before, where it lies in history.
    pub history: Option<PathBuf>,
    /// Nothing was written: the live claim said the same.
    pub unchanged: bool,
}

/// Why a write did nothing.
#[derive(Debug)]
pub enum WriteFault<R> {
    /// The decision was to refuse.
    Refused(R),
    /// The file under the live name is no claim, and nothing replaces it unseen.
    Unreadable(Unreadable),
    /// The store failed.
    Store(StoreError),
}

impl<R> From<StoreError> for WriteFault<R> {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
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

/// What taking a claim back did.
#[derive(Clone, Debug)]
pub enum Retracted {
    /// It is in history now.
    Done {
        /// Where.
        history: PathBuf,
        /// What it said.
        claim: Box<Claim>,
    },
    /// There was no live claim of that name.
    Absent,
}

impl Store {
    /// A store at `paths`; its folders are made by the first write.
    pub fn new(disk: Arc<dyn Disk>, ids: Arc<dyn Ids>, paths: StorePaths) -> Self {
        Self { disk, ids, paths, schema: brain::SCHEMA }
    }

    /// The same store of a brain with this schema; one that a newer program wrote is only read.
    pub(crate) fn of_schema(self, schema: u64) -> Self {
        Self { schema, ..self }
    }

    /// Refuses what no write may touch: a store that is not sound, or of a newer program.
    pub fn check_writable(&self) -> Result<(), StoreError> {
        if self.schema > brain::SCHEMA {
            return Err(StoreError::NewerBrain { found: self.schema, known: brain::SCHEMA });
        }
        self.sound()
    }

    /// Where its parts lie.
    pub fn paths(&self) -> &StorePaths {
        &self.paths
    }

    /// The same store with its live claims elsewhere.
    pub(crate) fn with_claims(&self, claims: PathBuf) -> Self {
        Self { paths: StorePaths { claims, ..self.paths.clone() }, ..self.clone() }
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
    fn live_under_lock(&self, slug: &ClaimSlug) -> Live {
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
        log.in_folders(self.folders().into_iter().map(Path::to_owned).collect())
    }

    /// The versions of a label that are no longer live, youngest first.
    ///
    /// A copy that an interrupted change left of the version that is still live is not among them:
    /// a version is in one place.
    pub fn history(&self, slug: &ClaimSlug) -> Result<(Vec<Version>, Vec<Unreadable>), StoreError> {
        self.sound()?;
        let (mut versions, unreadable) = history::versions(&*self.disk, &self.paths.history, slug)?;
        let known: Vec<_> = versions.iter().map(|version| version.claim.outdated()).collect();
        for (path, claim) in self.retracted_copies(slug) {
            if !known.contains(&claim.outdated()) {
                versions.push(Version { path, exit: Exit::Retracted, claim });
            }
        }
        versions.sort_by(|a, b| b.claim.created.cmp(&a.claim.created).then_with(|| b.path.cmp(&a.path)));
        if let Live::Claim(live) = self.live(slug) {
            let outdated = live.outdated();
            versions.retain(|version| version.claim.outdated() != outdated);
        }
        Ok((versions, unreadable))
    }

    /// The version that a claim took the place of, where history has it.
    pub fn predecessor(&self, slug: &ClaimSlug, claim: &Claim) -> Option<Claim> {
        let (named, ms) = claim.supersedes.as_deref()?.rsplit_once('@')?;
        let created = Timestamp::from_ms(ms.parse().ok()?);
        let name = history::version_name(slug, Some(created), 0, Exit::Superseded);
        let read = scan::read_claim(&*self.disk, &self.paths.history.join(name));
        read.and_then(Result::ok).filter(|_| named == slug.as_str())
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
        for dir in
            [&self.paths.claims, &self.paths.history, &self.paths.locks].into_iter().chain(&self.paths.kept)
        {
            durable::make_dirs(&*self.disk, dir)?;
        }
        self.acts().prepare()
    }

    /// Writes what `decide` says, with the label's lock held from its look at the live claim to the
    /// last sync: check and write are one step. `decide` may be asked again when a program that
    /// takes no locks (an editor, git) changed the file meanwhile.
    pub fn write<R>(
        &self,
        slug: &ClaimSlug,
        mut decide: impl FnMut(Option<&Claim>) -> Result<Decision, R>,
    ) -> Result<Written, WriteFault<R>> {
        let _guard = self.lock(slug)?;
        self.gather(slug)?;
        let path = self.live_path(slug);
        let fault = || StoreError::disk("cannot store the claim");
        for _ in 0..RACES_MAX {
            let live = match self.settled(slug)? {
                Live::Absent => None,
                Live::Claim(claim) => Some(*claim),
                Live::Unreadable(bad) => return Err(WriteFault::Unreadable(bad)),
            };
            match decide(live.as_ref()).map_err(WriteFault::Refused)? {
                Decision::Unchanged => {
                    let claim = live.expect("only a live claim can be unchanged");
                    // Perhaps written by a run that was killed before its name was certain.
                    self.disk.sync_dir(&self.paths.claims).map_err(fault())?;
                    return Ok(Written { path, claim, history: None, unchanged: true });
                }
                Decision::Birth(file) => {
                    let file = self.with_own_stamp(slug, file);
                    self.keep_copy(slug, &file)?;
                    match durable::create(&*self.disk, &*self.ids, &path, file.render().as_bytes()) {
                        Ok(durable::Named::New) => {
                            return Ok(Written { path, claim: file.into(), history: None, unchanged: false });
                        }
                        Ok(durable::Named::Taken) => {}
                        // A checkout of a branch without claims takes the folder away.
                        Err(error) if error.fault() == DiskFault::NotFound => self.prepare()?,
                        Err(error) => return Err(fault()(error).into()),
                    }
                }
                Decision::Supersede { outdated, new } => {
                    let live = live.expect("only a live claim can be superseded");
                    let new = self.with_own_stamp(slug, new);
                    if let Some(written) = self.replace(slug, &live, &outdated, new)? {
                        return Ok(written);
                    }
                }
                Decision::Stamp { outdated, new } => {
                    let live = live.expect("only a live claim can be stamped");
                    if let Some(written) = self.replace(slug, &live, &outdated, new)? {
                        return Ok(written);
                    }
                }
            }
        }
        Err(WriteFault::Unreadable(self.keeps_changing(slug)))
    }

    /// Puts the live version into history, then the new file under the live name; `None` when another
    /// program changed the file meanwhile.
    fn replace(
        &self,
        slug: &ClaimSlug,
        live: &Claim,
        outdated: &LightFile,
        new: LightFile,
    ) -> Result<Option<Written>, StoreError> {
        let path = self.live_path(slug);
        let fault = || StoreError::disk("cannot store the claim");
        self.keep_copy(slug, &new)?;
        let staged =
            durable::Staged::new(&*self.disk, &*self.ids, &path, new.render().as_bytes()).map_err(fault())?;
        let history = self.archive(slug, live, Exit::Superseded, outdated.render().as_bytes())?;
        let Some(kept) = self.keep(&path, live).map_err(fault())? else { return Ok(None) };
        staged.put().map_err(fault())?;
        self.release(slug, &kept, live, Exit::Superseded)?;
        let history = Some(history);
        Ok(Some(Written { path, claim: new.into(), history, unchanged: false }))
    }

    pub(crate) fn keeps_changing(&self, slug: &ClaimSlug) -> Unreadable {
        Unreadable { path: self.live_path(slug), why: "another program keeps changing it".into() }
    }

    /// Takes the live claim back: a copy in history, the acts in the log, then the live name goes.
    ///
    /// The last of the acts is the retraction itself: once it is in the log, an interrupted retraction
    /// is finished by whoever writes the label next.
    pub fn retract(
        &self,
        slug: &ClaimSlug,
        acts: impl Fn(&Claim) -> Vec<Act>,
    ) -> Result<Retracted, WriteFault<std::convert::Infallible>> {
        self.retract_if(slug, |_| true, acts)
    }

    /// The same, of a version that `is_it` says is the one that is meant; any other is absent.
    pub fn retract_if(
        &self,
        slug: &ClaimSlug,
        is_it: impl Fn(&Claim) -> bool,
        acts: impl Fn(&Claim) -> Vec<Act>,
    ) -> Result<Retracted, WriteFault<std::convert::Infallible>> {
        let _guard = self.lock(slug)?;
        for _ in 0..RACES_MAX {
            let live = match scan::read_claim(&*self.disk, &self.live_path(slug)) {
                None => return Ok(Retracted::Absent),
                Some(Ok(claim)) if !is_it(&claim) => return Ok(Retracted::Absent),
                Some(Ok(claim)) => claim,
                Some(Err(bad)) => return Err(WriteFault::Unreadable(bad)),
            };
            let bytes = live.file.render();
            self.drop_copy(slug, &live, Exit::Superseded, live.outdated().render().as_bytes())?;
            self.drop_copy(slug, &live, Exit::Moved, bytes.as_bytes())?;
            let history = self.archive(slug, &live, Exit::Retracted, bytes.as_bytes())?;
            if let Err(error) = self.acts().record_all(&acts(&live)) {
                // Nothing was taken back, so nothing is in history; the repeat would see to it too.
                let _ = self.drop_copy(slug, &live, Exit::Retracted, bytes.as_bytes());
                return Err(error.into());
            }
            if self.remove_live(slug, &live)? {
                return Ok(Retracted::Done { history, claim: Box::new(live) });
            }
        }
        Err(WriteFault::Unreadable(self.keeps_changing(slug)))
    }

    /// Records acts upon the live claim, with the label's lock held: they are upon the version that is
    /// live when they are recorded, in the store where it then lies. `None` where nothing is live.
    pub fn remark(
        &self,
        slug: &ClaimSlug,
        acts: impl FnOnce(&Claim) -> Result<Vec<Act>, StoreError>,
    ) -> Result<Option<Claim>, WriteFault<std::convert::Infallible>> {
        let _guard = self.lock(slug)?;
        match self.settled(slug)? {
            Live::Absent => Ok(None),
            Live::Unreadable(bad) => Err(WriteFault::Unreadable(bad)),
            Live::Claim(live) => {
                self.acts().record_all(&acts(&live)?)?;
                Ok(Some(*live))
            }
        }
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

    /// Moves a birth stamp on until no version in history has it: `<slug>@<ms>` names one version, and
    /// an act upon it is an act upon no other. Stamps meet when a claim is born again in the millisecond
    /// of one that was taken back, or after a clock went back. A version that is in history as it was before
    /// the stamp of a promotion is the same one.
    fn with_own_stamp(&self, slug: &ClaimSlug, mut file: LightFile) -> LightFile {
        let born = Claim::from(file.clone());
        let is_unstamped = |path: &Path| {
            let Some(Ok(before)) = scan::read_claim(&*self.disk, path) else { return false };
            let before = Claim { state: born.state, ..before };
            before.created == born.created
                && before.promoted_to != born.promoted_to
                && says_the_same(&before, &born)
        };
        let is_taken = |created| {
            Exit::ALL.into_iter().any(|exit| {
                let name = history::version_name(slug, Some(created), 0, exit);
                let path = self.paths.history.join(name);
                self.disk.stat(&path).is_ok() && !(exit == Exit::Superseded && is_unstamped(&path))
            })
        };
        let Some(first) = born.created else { return file };
        let mut created = first;
        while created < Timestamp::MAX && is_taken(created) {
            created = created.next();
        }
        if created != first {
            file.set(keys::CREATED, &created.ms().to_string());
        }
        file
    }

    /// The live claim, after finishing or undoing a retraction or a move that was cut off.
    pub(crate) fn settled(&self, slug: &ClaimSlug) -> Result<Live, StoreError> {
        let live = self.live_under_lock(slug);
        let Live::Claim(claim) = &live else { return Ok(live) };
        let bytes = claim.file.render();
        // A move there or back that was cut off: what is live here is here.
        self.drop_copy(slug, claim, Exit::Moved, bytes.as_bytes())?;
        let found = history::find_copy(
            &*self.disk,
            &self.paths.history,
            slug,
            claim.created,
            Exit::Retracted,
            bytes.as_bytes(),
        );
        if found.is_none() {
            return Ok(live);
        }
        let subject = subject(slug, claim);
        if self.acts().has(&Act::id_of(RETRACT, &subject))? {
            return Ok(if self.remove_live(slug, claim)? {
                Live::Absent
            } else {
                self.live_under_lock(slug)
            });
        }
        self.drop_copy(slug, claim, Exit::Retracted, bytes.as_bytes())?;
        Ok(live)
    }

    pub(crate) fn archive(
        &self,
        slug: &ClaimSlug,
        claim: &Claim,
        exit: Exit,
        bytes: &[u8],
    ) -> Result<PathBuf, StoreError> {
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

    /// Removes the copy of a live version that an interrupted change of another kind left behind.
    pub(crate) fn drop_copy(
        &self,
        slug: &ClaimSlug,
        claim: &Claim,
        exit: Exit,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        let dir = &self.paths.history;
        if let Some(copy) = history::find_copy(&*self.disk, dir, slug, claim.created, exit, bytes) {
            let fault = StoreError::disk("cannot finish an interrupted change");
            self.disk.unlink(&copy).and_then(|()| self.disk.sync_dir(dir)).map_err(fault)?;
        }
        Ok(())
    }

    /// Removes the live name, unless another program has changed the file.
    pub(crate) fn remove_live(&self, slug: &ClaimSlug, live: &Claim) -> Result<bool, StoreError> {
        let fault = || StoreError::disk("cannot take the claim back");
        let path = self.live_path(slug);
        if !self.is_still(&path, live) {
            return Ok(false);
        }
        // Renamed and not unlinked: whatever another program has put there meanwhile is not lost.
        let kept = durable::temp_in(&self.paths.claims, &*self.ids);
        let removed = self.disk.rename(&path, &kept).and_then(|()| self.disk.sync_dir(&self.paths.claims));
        removed.map_err(fault())?;
        self.release(slug, &kept, live, Exit::Retracted)?;
        Ok(true)
    }

    /// Gives the live file a second name, so that its bytes outlive the name that is about to go;
    /// `None` when it no longer says what was decided over.
    fn keep(&self, path: &Path, live: &Claim) -> Result<Option<PathBuf>, DiskError> {
        let kept = durable::temp_in(&self.paths.claims, &*self.ids);
        match self.disk.link(path, &kept) {
            Ok(()) if self.is_still(path, live) => Ok(Some(kept)),
            Ok(()) => self.disk.unlink(&kept).map(|()| None),
            Err(error) if error.fault() == DiskFault::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Gives the second name up. What an editor wrote into the file at the last moment, after it was
    /// decided over, goes to history as a version of its own.
    fn release(&self, slug: &ClaimSlug, kept: &Path, live: &Claim, exit: Exit) -> Result<(), StoreError> {
        if !self.is_still(kept, live) {
            let fault = StoreError::disk("cannot keep what another program wrote");
            let bytes = self.disk.read(kept, u64::MAX).map_err(fault)?;
            let bytes = match (exit, Claim::parse(&bytes)) {
                (Exit::Superseded, Ok(edited)) => edited.outdated().render().into_bytes(),
                (Exit::Superseded | Exit::Retracted | Exit::Moved, _) => bytes,
            };
            self.archive(slug, live, exit, &bytes)?;
        }
        // A leftover temporary name is harmless, so its removal decides nothing.
        let _ = self.disk.unlink(kept);
        Ok(())
    }

    /// Whether the file still has the bytes that were decided over.
    pub(crate) fn is_still(&self, path: &Path, live: &Claim) -> bool {
        let bytes = live.file.render();
        self.disk.read(path, bytes.len() as u64).is_ok_and(|there| there == bytes.as_bytes())
    }

    /// Takes the label's lock, and makes sure that the store has not moved meanwhile.
    pub(crate) fn lock(&self, slug: &ClaimSlug) -> Result<Box<dyn LockGuard>, StoreError> {
        self.check_writable()?;
        let guard = self.lock_stripe(stripe(slug))?;
        if let Some(placed) = &self.paths.placed {
            let record = self.disk.read(&placed.record, RECORD_LEN_MAX).ok();
            let now = record.and_then(|bytes| serde_json::from_slice::<RootRecord>(&bytes).ok());
            if now.is_some_and(|now| now.place() != placed.place) {
                return Err(StoreError::Moved);
            }
        }
        Ok(guard)
    }

    /// Takes every lock of the store: nobody writes while its claims move.
    pub fn lock_all(&self) -> Result<AllLocks, StoreError> {
        self.sound()?;
        let guards = (0..STRIPES).map(|stripe| self.lock_stripe(stripe)).collect::<Result<_, _>>()?;
        Ok(AllLocks { _guards: guards })
    }

    fn lock_stripe(&self, stripe: u8) -> Result<Box<dyn LockGuard>, StoreError> {
        let path = self.paths.locks.join(format!("{stripe:02}"));
        let fault = || StoreError::disk("cannot lock the store");
        match self.disk.lock(&path, LOCK_WAIT) {
            Ok(guard) => Ok(guard),
            Err(error) if error.fault() == DiskFault::NotFound => {
                self.prepare()?;
                self.disk.lock(&path, LOCK_WAIT).map_err(fault())
            }
            Err(error) => Err(fault()(error)),
        }
    }
}

/// Refuses what has the name of a folder and is none; a name nobody has is refused by nobody.
pub(crate) fn real_folder(disk: &dyn Disk, dir: &Path) -> Result<(), StoreError> {
    let not = |what| Err(StoreError::NotAFolder { path: dir.display().to_string(), what });
    match disk.stat(dir).map(|stat| stat.kind) {
        Ok(FileKind::Link) => not("a link"),
        Ok(FileKind::File | FileKind::Other) => not("no folder"),
        // What cannot be looked at is named by whoever needs it.
        Ok(FileKind::Dir) | Err(_) => Ok(()),
    }
}

/// Every lock of a store, until dropped.
pub struct AllLocks {
    _guards: Vec<Box<dyn LockGuard>>,
}

/// Which lock file guards a slug.
pub(crate) fn stripe(slug: &ClaimSlug) -> u8 {
    hash::sha256(slug.as_str().as_bytes())[0] % STRIPES
}

/// The name of the act that takes a claim back.
pub const RETRACT: &str = "retract";

/// A version as acts and headers name it: `<slug>@<ms>`.
pub fn subject(slug: &ClaimSlug, claim: &Claim) -> String {
    version(slug, claim.created)
}

pub(crate) fn version(slug: &ClaimSlug, created: Option<Timestamp>) -> String {
    match created {
        Some(created) => format!("{slug}@{}", created.ms()),
        None => slug.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::AgentId;
    use brainstem_base::disk::SimDisk;
    use brainstem_base::ids::CountingIds;
    use brainstem_claims::Label;
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
                vec![Act::once(RETRACT, &subject(&slug, claim), &agent, now, serde_json::Value::Null)]
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
