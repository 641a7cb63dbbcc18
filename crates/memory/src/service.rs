//! The service itself: the parts it works with, and its caller.

use crate::caller::secrets::{Floor, carries_secret};
use crate::kept::KeptBetweenCalls;
use crate::reading::freshness::Hashes;
use crate::reading::missing_cache::MissingCache;
use crate::record::created_cache::Births;
use crate::record::tombstones::Graveyard;
use crate::record::verdicts::{VerdictCache, Verdicts};
use brainstem_base::disk::{FileKind, LookOnlyDisk};
use brainstem_base::{Clock, Disk, DiskFault, Ids};
use brainstem_caller::config::Config;
use brainstem_caller::{Caller, CallerPlace, NeverProjects, Route, Router, Session, git_layout};
use brainstem_index::{Embedder, HomeIndex};
use brainstem_vault::daemon_files::DaemonFiles;
use brainstem_vault::tombstones::Tombstones;
use brainstem_vault::{Brain, Home, Store, StoreError};
use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the service is made of; the binary chooses the real ones.
#[derive(Clone)]
pub struct Parts {
    /// The disk.
    pub disk: Arc<dyn Disk>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of ids.
    pub ids: Arc<dyn Ids>,
    /// The home folder of this program.
    pub home: PathBuf,
    /// The home folder of the person, which is never a project.
    pub user_home: Option<PathBuf>,
    /// What texts mean.
    pub meanings: Arc<dyn Embedder>,
}

/// The memory service. Holds no state of its own that matters: every call reads the files, the indexes
/// that are open are derived from them.
#[derive(Clone)]
pub struct Memory {
    pub(crate) home: Home,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) never: NeverProjects,
    pub(crate) router: Router,
    pub(crate) index: Arc<HomeIndex>,
    graveyard: Arc<Graveyard>,
    pub(crate) missing_cache: Arc<MissingCache>,
    verdicts: VerdictCache,
    pub(crate) hashes: Arc<Hashes>,
    pub(crate) births: Arc<Births>,
    meanings: Arc<dyn Embedder>,
    kept: Arc<KeptBetweenCalls>,
    only_looks: bool,
    /// The folder of the caller whose call is answered, where that matters: its checkout has the files that evidence names.
    standing: Option<Arc<PathBuf>>,
}

/// What has the name of the home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HomeState {
    /// A folder.
    Folder,
    /// Nothing.
    Missing,
    /// Something else.
    NotAFolder,
}

impl Memory {
    /// A service over these parts.
    pub fn new(parts: Parts) -> Self {
        let home = git_layout::canonical(&*parts.disk, &parts.home);
        let user_home = parts.user_home.map(|path| git_layout::canonical(&*parts.disk, &path));
        let index = HomeIndex::new(brainstem_index::IndexParts {
            disk: parts.disk.clone(),
            clock: parts.clock.clone(),
            ids: parts.ids.clone(),
            embedder: parts.meanings.clone(),
            carries_secret: carries_secret(parts.disk.clone(), &home),
            folder: home.join(brainstem_index::FOLDER),
        });
        let kept = Home::new(parts.disk.clone(), parts.ids.clone(), parts.clock.clone(), home.clone())
            .of_person(user_home.clone());
        let never = NeverProjects { user_home, home };
        Self {
            index: Arc::new(index),
            graveyard: Arc::default(),
            missing_cache: Arc::default(),
            verdicts: VerdictCache::default(),
            hashes: Arc::default(),
            births: Arc::default(),
            meanings: parts.meanings,
            kept: Arc::default(),
            only_looks: false,
            standing: None,
            router: Router::new(kept.clone(), never.clone()),
            home: kept,
            disk: parts.disk,
            ids: parts.ids,
            clock: parts.clock,
            never,
        }
    }

    /// The same service for a caller that may only look. What a use case notes beside its answer, a count, a session, a
    /// lease that is over, is left out, and the disk refuses whatever would change a file all the same.
    pub fn looking(&self) -> Self {
        let disk: Arc<dyn Disk> = Arc::new(LookOnlyDisk::new(self.disk.clone()));
        Self { only_looks: true, ..self.through(disk) }
    }

    /// The same service for the call of a caller: evidence is looked for in the checkout that the caller has.
    pub(crate) fn at(&self, caller: &Caller) -> Self {
        let standing = caller.place().deciding().map(|(_, path)| Arc::new(path));
        Self { standing, ..self.clone() }
    }

    /// Whether the caller whose call is answered is in exactly this folder; `true` if no caller is known.
    pub(crate) fn stands_at(&self, root: &Path) -> bool {
        self.standing.as_ref().is_none_or(|path| git_layout::canonical(&*self.disk, path) == root)
    }

    /// The folder that the caller has of the project with this root ([`git_layout::checkout_of`]); the root itself if no
    /// caller is known.
    pub(crate) fn checkout(&self, root: &Path) -> PathBuf {
        match &self.standing {
            Some(path) => git_layout::checkout_of(&self.home, &self.never, path, root),
            None => root.to_owned(),
        }
    }

    /// The same service, whose files are reached through another disk. The indexes that are open stay with their own.
    pub(crate) fn through(&self, disk: Arc<dyn Disk>) -> Self {
        let home = self.home.through(disk.clone());
        Self { router: self.router.over(home.clone()), home, disk, ..self.clone() }
    }

    /// What a service above this one keeps between the calls of this process, made at its first use. Every clone shares it,
    /// whichever disk it works through.
    pub fn kept<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        self.kept.value()
    }

    /// Whether this is the service of a caller that may only look.
    pub fn only_looks(&self) -> bool {
        self.only_looks
    }

    /// A count makes no home, a home of a newer program is not written, and a reader leaves no trace.
    pub(crate) fn may_count(&self) -> bool {
        !self.only_looks() && self.disk.stat(self.home.path()).is_ok() && self.home.check_writable().is_ok()
    }

    /// The home folder.
    pub fn home_path(&self) -> &Path {
        self.home.path()
    }

    /// What has the name of the home.
    pub fn home_state(&self) -> HomeState {
        match self.disk.stat(self.home.path()) {
            Ok(stat) if stat.kind != FileKind::Dir => HomeState::NotAFolder,
            Err(error) if error.fault() == DiskFault::NotFound => HomeState::Missing,
            // What cannot be looked at is named by every call that needs it.
            Ok(_) | Err(_) => HomeState::Folder,
        }
    }

    /// The home, for the services beside memory.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The home folder of the person.
    pub fn user_home(&self) -> Option<&Path> {
        self.never.user_home.as_deref()
    }

    /// A service over another home, with the same disk, clock and meanings: as another process would have it.
    pub fn beside(&self, home: PathBuf, user_home: PathBuf) -> Self {
        Self::new(Parts {
            disk: self.disk.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            home,
            user_home: Some(user_home),
            meanings: self.meanings.clone(),
        })
    }

    /// The disk, for the services beside memory.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    /// The clock, for the services beside memory.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// The source of ids, for the services beside memory.
    pub fn ids(&self) -> &Arc<dyn Ids> {
        &self.ids
    }

    /// The files of this home's daemon.
    pub fn daemon_files(&self) -> DaemonFiles {
        DaemonFiles::of(self.home.path())
    }

    /// The floor of this home.
    pub fn floor(&self) -> Floor {
        Floor::of(self.disk.clone(), self.daemon_files())
    }

    /// The present instant.
    pub fn now(&self) -> brainstem_base::Timestamp {
        self.clock.now()
    }

    /// Returns sixty-four random hex digits.
    pub fn secret(&self) -> String {
        let random: Vec<u8> = (0..4).flat_map(|_| self.ids.random()).collect();
        brainstem_base::hash::sha256_hex(&random, 64)
    }

    /// Returns the route of the caller.
    pub fn route(&self, caller: &Caller) -> Arc<Route> {
        self.router.route(caller)
    }

    /// Returns what the name of a folder means, which is the same for every caller.
    pub fn place_at(&self, path: &Path) -> Route {
        self.router.place_at(path)
    }

    /// Returns what the files of settings say for a caller at this place.
    pub fn config(&self, place: &CallerPlace) -> Arc<Config> {
        self.router.config(place)
    }

    /// Returns the place of a session that has one of its own. The brain that it is served from there is the one it
    /// keeps to.
    pub fn bind_session(&self, place: &CallerPlace, session: &Session) -> Arc<Route> {
        self.router.bind_session(place, session)
    }

    pub(crate) fn is_folder(&self, path: &Path) -> bool {
        self.disk.stat(path).is_ok_and(|stat| stat.kind == FileKind::Dir)
    }

    /// Returns what was said of the claims of a store.
    pub(crate) fn verdicts(&self, store: &Store) -> Result<Arc<Verdicts>, StoreError> {
        self.verdicts.of(store)
    }

    /// Returns what was forgotten in a store.
    pub(crate) fn tombstones(&self, store: &Store) -> Arc<Tombstones> {
        self.graveyard.of(store)
    }

    pub(crate) fn store_of(&self, brain: &Brain) -> Store {
        self.home.store_of(brain)
    }
}
