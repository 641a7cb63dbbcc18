//! The service itself: the parts it works with, and its caller.

use crate::caller::config::{Config, Place};
use crate::caller::git_layout::{self, Found};
use crate::caller::identity::{self, Declared, Principal, Register};
use crate::caller::place::CallerPlace;
use crate::caller::route::{Hint, NeverProjects, RootHints, Route};
use crate::caller::secrets::carries_secret;
use crate::error::{Lost, MemoryError};
use crate::reading::evidence::Hashes;
use crate::reading::missing_from_checkout::Missed;
use crate::record::created_cache::Births;
use crate::record::tombstones::Graveyard;
use crate::record::verdicts;
use brainstem_base::disk::{FileKind, LookOnlyDisk};
use brainstem_base::{AgentId, Clock, Disk, DiskFault, Ids};
use brainstem_index::{Index, Meanings};
use brainstem_mail::limits::NAME_LEN_MAX;
use brainstem_mail::name::MailboxName;
use brainstem_vault::home::Apart;
use brainstem_vault::{Brain, Home, Store, StoreError};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

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
    pub meanings: Arc<dyn Meanings>,
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
    pub(crate) index: Arc<Index>,
    pub(crate) graveyard: Arc<Graveyard>,
    pub(crate) missed: Arc<Missed>,
    pub(crate) verdicts: verdicts::Read,
    pub(crate) hashes: Arc<Hashes>,
    pub(crate) births: Arc<Births>,
    meanings: Arc<dyn Meanings>,
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

/// One caller: which agent, and where it stands.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The agent.
    pub principal: Principal,
    pub(crate) place: CallerPlace,
}

/// The brain that a session was served from at a place. From then on that place stands for this brain alone, until the
/// session is bound anew: another project may take the path meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    /// The place.
    pub(crate) at: PathBuf,
    /// The brain.
    pub(crate) brain: Brain,
}

/// An MCP session: its binding, empty until a bootstrap or a handshake sets it, and the brains it was
/// counted in.
#[derive(Debug, Default)]
pub struct Session {
    root: Mutex<Option<PathBuf>>,
    /// The brains that it was served from, by the places it stood in.
    held: Mutex<HashMap<PathBuf, Brain>>,
    counted: Mutex<HashSet<String>>,
    introduced: Mutex<Introduced>,
    /// The name that it was given for each agent that called, by agent id.
    named: Mutex<BTreeMap<String, MailboxName>>,
    /// As whom and from where it called.
    callers: Mutex<Vec<Caller>>,
}

/// Of what a call is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstCall {
    /// Of its session.
    OfSession,
    /// Of its session at this place; it made others elsewhere.
    Here,
}

/// What calls of a session gave it: a name and tags for mail.
#[derive(Clone, Debug, Default)]
struct Introduced {
    /// Its name, and the agent that gave it.
    name: Option<(MailboxName, AgentId)>,
    /// The names that it was given before.
    earlier: Vec<MailboxName>,
    tags: Option<Vec<MailboxName>>,
}

/// For how many agents a session is given a name; those beyond go by their own.
const NAMED_MAX: usize = 64;
/// For how many places a session keeps the brain that it was served from.
const HELD_MAX: usize = 256;
/// How long the part of such a name is that tells sessions apart.
const SUFFIX_LEN: usize = 6;

impl Session {
    /// The root this session is bound to.
    pub fn root(&self) -> Option<PathBuf> {
        self.root.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Binds the session. What it was served from before counts no more.
    pub fn bind(&self, root: PathBuf) {
        *self.root.lock().unwrap_or_else(PoisonError::into_inner) = Some(root);
        self.held.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The brain that this session was served from where it stands.
    pub(crate) fn held(&self, hints: &RootHints) -> Option<Held> {
        let (_, at) = hints.deciding(self.root().as_deref())?;
        let brain = self.held.lock().unwrap_or_else(PoisonError::into_inner).get(&at).cloned()?;
        Some(Held { at, brain })
    }

    /// Keeps the brain that it was served from, if it is the first there.
    fn hold(&self, at: PathBuf, brain: &Brain) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.len() < HELD_MAX {
            held.entry(at).or_insert_with(|| brain.clone());
        }
    }

    /// Gives the session tags and perhaps a name, which hold for the calls that follow, whichever agent they name.
    /// Without a name it keeps the one that it was given.
    pub fn introduce(&self, name: Option<(MailboxName, AgentId)>, tags: Vec<MailboxName>) {
        let mut introduced = self.introduced.lock().unwrap_or_else(PoisonError::into_inner);
        introduced.tags = Some(tags);
        let Some(given) = name else { return };
        let before = introduced.name.replace(given.clone()).map(|(name, _)| name);
        introduced.earlier.extend(before);
        introduced.earlier.retain(|name| *name != given.0);
        if introduced.earlier.len() > NAMED_MAX {
            introduced.earlier.remove(0);
        }
    }

    /// Fills in what the session was introduced as. One that has no name of its own is given one at its first call, for
    /// each agent: two sessions of one agent must not hold one message (IF-25a).
    pub fn fill_in(&self, principal: &mut Principal, ids: &dyn Ids) {
        let mail = &mut principal.mail;
        let introduced = self.introduced.lock().unwrap_or_else(PoisonError::into_inner).clone();
        mail.earlier = introduced.earlier;
        if let Some(tags) = introduced.tags {
            mail.tags = tags;
        }
        if let Some((name, named_by)) = introduced.name {
            // One that the process was started with is a name it had, too.
            mail.earlier.extend(mail.session.take().filter(|before| *before != name));
            (mail.session, mail.named_by) = (Some(name), Some(named_by));
            mail.connection = mail.connection.take().or_else(|| self.named_before(&principal.agent));
        } else if mail.session.is_none() && mail.connection.is_none() {
            mail.connection = self.name_for(&principal.agent, ids);
        }
    }

    /// The name that it was given for an agent, where it was given one.
    fn named_before(&self, agent: &AgentId) -> Option<MailboxName> {
        self.named.lock().unwrap_or_else(PoisonError::into_inner).get(agent.as_str()).cloned()
    }

    fn name_for(&self, agent: &AgentId, ids: &dyn Ids) -> Option<MailboxName> {
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = named.get(agent.as_str()) {
            return Some(name.clone());
        }
        if named.len() >= NAMED_MAX {
            return None;
        }
        let mut base = MailboxName::of_agent(agent).to_string();
        base.truncate(NAME_LEN_MAX - SUFFIX_LEN - 1);
        let suffix = brainstem_base::hash::sha256_hex(&ids.random(), SUFFIX_LEN);
        let name = MailboxName::parse(&format!("{base}-{suffix}")).ok()?;
        named.insert(agent.to_string(), name.clone());
        Some(name)
    }

    /// Notes as whom and from where the session calls.
    pub fn note_caller(&self, caller: &Caller) {
        // A session leaves the mail root that it came to, whatever brain is there.
        let caller = caller.kept_by_session();
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() < NAMED_MAX && !callers.contains(&caller) {
            callers.push(caller);
        }
    }

    /// As whom and from where the session has called, each of them also under the name that it was introduced with.
    pub fn callers(&self) -> Vec<Caller> {
        let noted = self.callers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let introduced = self.introduced.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some((name, named_by)) = introduced.name else { return noted };
        let named = noted.iter().cloned().map(|mut caller| {
            let mail = &mut caller.principal.mail;
            (mail.session, mail.named_by) = (Some(name.clone()), Some(named_by.clone()));
            caller
        });
        let named: Vec<Caller> = named.collect();
        noted.into_iter().chain(named).collect()
    }

    /// Notes a call at a place; `None` where the session made one there before.
    pub(crate) fn first_at(&self, place: &str) -> Option<FirstCall> {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let first = if counted.is_empty() { FirstCall::OfSession } else { FirstCall::Here };
        counted.insert(place.to_owned()).then_some(first)
    }
}

impl Caller {
    /// A path as the caller wrote it, from where it stands. Whoever stands nowhere writes whole paths: where this
    /// process happens to stand is nobody's place, and doors without one make paths whole before they ask.
    pub(crate) fn path(&self, field: &'static str, path: &Path) -> Result<PathBuf, MemoryError> {
        // No word is no place, and not the one where the caller stands.
        if path.is_absolute() || path.as_os_str().is_empty() {
            return Ok(path.to_owned());
        }
        match self.hints().cwd.as_deref().filter(|place| place.is_absolute()) {
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
}

impl Memory {
    /// A service over these parts.
    pub fn new(parts: Parts) -> Self {
        let home = git_layout::canonical(&*parts.disk, &parts.home);
        let user_home = parts.user_home.map(|path| git_layout::canonical(&*parts.disk, &path));
        let index = Index::new(brainstem_index::Parts {
            disk: parts.disk.clone(),
            clock: parts.clock.clone(),
            ids: parts.ids.clone(),
            meanings: parts.meanings.clone(),
            carries_secret: carries_secret(parts.disk.clone(), &home),
            folder: home.join(brainstem_index::FOLDER),
        });
        Self {
            index: Arc::new(index),
            graveyard: Arc::default(),
            missed: Arc::default(),
            verdicts: verdicts::Read::default(),
            hashes: Arc::default(),
            births: Arc::default(),
            meanings: parts.meanings,
            only_looks: false,
            home: Home::new(parts.disk.clone(), parts.ids.clone(), parts.clock.clone(), home.clone())
                .of_person(user_home.clone()),
            disk: parts.disk,
            ids: parts.ids,
            clock: parts.clock,
            never: NeverProjects { user_home, home },
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
        Self { home: self.home.through(disk.clone()), disk, ..self.clone() }
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

    /// Returns where a session stands at a place of its own. The brain that it is served from there is the one it keeps to.
    pub fn bind_session(&self, place: &CallerPlace, session: &Session) -> Arc<Route> {
        let route = self.route_of(place);
        if let (Some(brain), Some((_, at))) = (route.brain(), place.deciding()) {
            session.hold(at, brain);
        }
        route
    }

    /// Resolves what a place means to a session that was served from a brain there: what is there now is not served if it has
    /// another brain, or none.
    pub(crate) fn kept_to(&self, hints: &RootHints, session: Option<&Path>, held: Option<&Held>) -> Route {
        let route = self.routed(hints, session);
        let is_there = |held: &&Held| hints.deciding(session).is_some_and(|(_, at)| at == held.at);
        match (route, held.filter(is_there)) {
            (Route::Bound { brain, by }, Some(Held { brain: held, .. }))
                if (&brain.fingerprint, brain.manifest.id) != (&held.fingerprint, held.manifest.id) =>
            {
                Route::Replaced { root: brain.root, before: vec![self.left(held, Apart::Left)], by }
            }
            (Route::Brainless { root, by }, Some(Held { brain: held, .. })) => {
                Route::Replaced { root, before: vec![self.left(held, Apart::LeftBrainless)], by }
            }
            (route, _) => route,
        }
    }

    /// Returns what a folder means that somebody names, whatever caller asks.
    pub fn place_at(&self, path: &Path) -> Route {
        self.routed(&RootHints { explicit: Some(path.to_owned()), ..RootHints::default() }, None)
    }

    /// Resolves what the words about a place mean.
    pub(crate) fn routed(&self, hints: &RootHints, session: Option<&Path>) -> Route {
        let Some((by, path)) = hints.deciding(session) else {
            return Route::Unbound { path: None };
        };
        let path = git_layout::canonical(&*self.disk, &path);
        let found = git_layout::survey(&self.home, &self.never, &path);
        // A place that somebody named and that is not there is the root of a brain that lost its folder, or
        // nothing: the project around it was not named. An empty word was not meant.
        let is_named = matches!(by, Hint::Explicit | Hint::Environment);
        let is_folder = || self.disk.stat(&path).is_ok_and(|stat| stat.kind == FileKind::Dir);
        let is_root = || match &found {
            Found::Brain(brain) => brain.root == path,
            Found::Broken(root, _) | Found::Replaced(root, _) | Found::Project(root) => *root == path,
            Found::Nowhere => false,
        };
        if is_named && (hints.is_blank(by) || !(is_folder() || is_root())) {
            return Route::Unbound { path: Some(path) };
        }
        match found {
            Found::Brain(brain) => Route::Bound { brain, by },
            Found::Broken(root, folder) => Route::Broken { root, folder, by },
            Found::Replaced(root, before) => Route::Replaced { root, before, by },
            Found::Project(root) => Route::Brainless { root, by },
            Found::Nowhere => Route::Unbound { path: Some(path) },
        }
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
        match self.routed(hints, None) {
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
