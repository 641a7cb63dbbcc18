//! The service itself: the parts it works with, and its caller.

use crate::caller::secrets::carries_secret;
use crate::error::{Lost, MemoryError};
use crate::reading::evidence::Hashes;
use crate::reading::missing_from_checkout::Missed;
use crate::record::created_cache::Births;
use crate::record::tombstones::Graveyard;
use crate::record::verdicts;
use brainstem_base::disk::{FileKind, LookOnlyDisk};
use brainstem_base::{Clock, Disk, DiskFault, Ids};
use brainstem_caller::config::{Config, Place};
use brainstem_caller::identity::{self, Register};
use brainstem_caller::{
    Caller, CallerPlace, Declared, NeverProjects, Principal, RootHints, Route, Router, Session, git_layout,
};
use brainstem_index::{Embedder, HomeIndex};
use brainstem_vault::{Brain, Home, Store, StoreError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) const REGISTER_LEN_MAX: u64 = 1024 * 1024;

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
    pub(crate) graveyard: Arc<Graveyard>,
    pub(crate) missed: Arc<Missed>,
    pub(crate) verdicts: verdicts::Read,
    pub(crate) hashes: Arc<Hashes>,
    pub(crate) births: Arc<Births>,
    meanings: Arc<dyn Embedder>,
    only_looks: bool,
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

/// Returns a path that the caller wrote, counted from the caller's folder. A caller without a folder must give whole
/// paths: the folder of this process is the server's, and a door without a folder makes paths whole before it asks.
pub(crate) fn path_of(caller: &Caller, field: &'static str, path: &Path) -> Result<PathBuf, MemoryError> {
    // No word is no place, and not the one where the caller stands.
    if path.is_absolute() || path.as_os_str().is_empty() {
        return Ok(path.to_owned());
    }
    match caller.hints().cwd.as_deref().filter(|place| place.is_absolute()) {
        Some(place) => Ok(place.join(path)),
        None => Err(MemoryError::BadValue {
            field,
            value: path.display().to_string(),
            what: "place that is known here",
            takes: "an absolute path: the caller stands in no folder".into(),
            rule: "MEM-17",
        }),
    }
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
            missed: Arc::default(),
            verdicts: verdicts::Read::default(),
            hashes: Arc::default(),
            births: Arc::default(),
            meanings: parts.meanings,
            only_looks: false,
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

    /// The same service, whose files are reached through another disk. The indexes that are open stay with their own.
    pub(crate) fn through(&self, disk: Arc<dyn Disk>) -> Self {
        let home = self.home.through(disk.clone());
        Self { router: self.router.over(home.clone()), home, disk, ..self.clone() }
    }

    /// Whether this is the service of a caller that may only look.
    pub fn only_looks(&self) -> bool {
        self.only_looks
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

    /// The present instant.
    pub fn now(&self) -> brainstem_base::Timestamp {
        self.clock.now()
    }

    /// Sixty-four hex digits that nobody can guess.
    pub fn secret(&self) -> String {
        let random: Vec<u8> = (0..4).flat_map(|_| self.ids.random()).collect();
        brainstem_base::hash::sha256_hex(&random, 64)
    }

    /// Resolves who is calling from here, for a call that signs something: settings that cannot be read
    /// are refused, because they may name somebody else.
    pub fn identify(&self, declared: &Declared, place: &CallerPlace) -> Result<Principal, MemoryError> {
        let config = self.asked_config(declared, place);
        // A repository's file came with the repository: it stops nobody, and is named in the answer.
        config.sound(|place| place == Place::Home)?;
        self.resolve_caller(declared, &config)
    }

    /// Resolves who is calling from here, for a call that only looks: settings that cannot be read say
    /// nothing.
    pub fn identify_reader(
        &self,
        declared: &Declared,
        place: &CallerPlace,
    ) -> Result<Principal, MemoryError> {
        self.resolve_caller(declared, &self.asked_config(declared, place))
    }

    /// The settings, where the caller has not said more itself.
    fn asked_config(&self, declared: &Declared, place: &CallerPlace) -> Arc<Config> {
        if declared.names_an_id() { Arc::default() } else { self.config(place) }
    }

    fn resolve_caller(&self, declared: &Declared, config: &Config) -> Result<Principal, MemoryError> {
        let register = self
            .disk
            .read(&self.home.path().join("principals.json"), REGISTER_LEN_MAX)
            .map(|bytes| Register::parse(&bytes))
            .unwrap_or_default();
        let declared = Declared { config: config.agent().map(|agent| agent.to_string()), ..declared.clone() };
        self.floor().declared(&declared)?;
        let principal = identity::resolve(&declared, &register)?;
        Ok(Principal {
            unread: config.broken.clone(),
            mail: identity::Correspondent::parse(&declared)?,
            ..principal
        })
    }

    /// Returns where the caller landed.
    pub fn route(&self, caller: &Caller) -> Arc<Route> {
        self.router.route(caller)
    }

    /// Returns what a folder means that somebody names, whatever caller asks.
    pub fn place_at(&self, path: &Path) -> Route {
        self.router.place_at(path)
    }

    /// Returns what the files of settings say for a caller at this place.
    pub fn config(&self, place: &CallerPlace) -> Arc<Config> {
        self.router.config(place)
    }

    /// Returns where a session stands at a place of its own. The brain that it is served from there is the one it keeps to.
    pub fn bind_session(&self, place: &CallerPlace, session: &Session) -> Arc<Route> {
        self.router.bind_session(place, session)
    }

    /// The brain the caller writes into, or the refusal with the call that fixes it.
    pub(crate) fn bound(&self, caller: &Caller) -> Result<Brain, MemoryError> {
        let route = self.route(caller);
        match &*route {
            Route::Bound { brain, .. } => Ok(Brain::clone(brain)),
            Route::Broken { folder, .. } => Err(StoreError::from(folder.clone()).into()),
            Route::Replaced { root, before, .. } => Err(self.replaced(root, before)),
            Route::Brainless { .. } | Route::Unbound { .. } => {
                let near = match &*route {
                    Route::Unbound { path: Some(path) } => self.related(path),
                    _ => None,
                };
                let missing = match &*route {
                    Route::Unbound { path: Some(path) } => !self.is_folder(path),
                    _ => false,
                };
                let orphan = self.orphan_at(&route);
                let route = Route::clone(&route);
                Err(MemoryError::Brainless(Box::new(Lost { route, near, missing, orphan })))
            }
        }
    }

    pub(crate) fn is_folder(&self, path: &Path) -> bool {
        self.disk.stat(path).is_ok_and(|stat| stat.kind == FileKind::Dir)
    }

    /// Refuses a place that somebody named and that is neither a folder nor the root of a brain that lost its folder.
    pub fn check_named(&self, hints: &RootHints) -> Result<(), MemoryError> {
        let named = hints.deciding(None).filter(|_| hints.is_named());
        let Some((_, path)) = named else { return Ok(()) };
        if self.is_folder(&git_layout::canonical(&*self.disk, &path)) {
            return Ok(());
        }
        match self.router.resolve(hints, None) {
            Route::Unbound { path: Some(path) } if !self.is_folder(&path) => {
                Err(MemoryError::RootMissing(path))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn store_of(&self, brain: &Brain) -> Store {
        self.home.store_of(brain)
    }
}
