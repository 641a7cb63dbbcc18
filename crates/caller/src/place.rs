//! The place of a caller: the hints that name it (an option, a variable, a folder, a session's binding), and what they lead to.
//! A call finds that out once, and every part of the call reads the same answer.

use crate::config::Config;
use crate::held_folder::HeldFolder;
use crate::identity::Principal;
use crate::route::{Hint, RootHints, Route};
use brainstem_vault::Brain;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The place of a caller.
///
/// Invariant: the hints of a value never change. A caller at another place has another value, which is looked up anew.
#[derive(Clone, Debug)]
pub struct CallerPlace {
    hints: RootHints,
    session: Option<PathBuf>,
    served: Option<ServedBrain>,
    held_folder: Option<HeldFolder>,
    /// What this call found out; clones share it. `None` for a caller that outlives its call.
    pub(crate) found: Option<Arc<Mutex<PlaceFindings>>>,
}

/// The brain that a session was served from at a place. Until the session is bound anew, this place means that brain alone:
/// another project may take the path meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServedBrain {
    /// The place.
    pub(crate) at: PathBuf,
    /// The brain.
    pub(crate) brain: Brain,
}

/// What a call found out about its place so far.
#[derive(Debug, Default)]
pub(crate) struct PlaceFindings {
    pub(crate) route: Option<Arc<Route>>,
    pub(crate) project: Option<Option<PathBuf>>,
    pub(crate) config: Option<Arc<Config>>,
}

impl CallerPlace {
    /// Returns the place of one call of a session that is bound to a root, and was served from a brain there.
    pub(crate) fn bound(hints: RootHints, session: Option<PathBuf>, served: Option<ServedBrain>) -> Self {
        Self { hints, session, served, held_folder: None, found: Some(Arc::default()) }
    }

    /// Returns the same place for a session that was in a project without a brain there.
    pub(crate) fn in_folder(self, held_folder: Option<HeldFolder>) -> Self {
        Self { held_folder, ..self }
    }

    /// Returns a place that outlives one call, without a session. Each question looks at the disk.
    pub fn lasting(hints: RootHints) -> Self {
        Self { hints, session: None, served: None, held_folder: None, found: None }
    }

    /// Returns the same place without the brain, for a session that leaves it later, when another brain may be there.
    fn without_brain(&self) -> Self {
        Self { served: None, held_folder: None, found: None, ..self.clone() }
    }

    /// Returns another place in the same call.
    fn elsewhere(&self, hints: RootHints, session: Option<PathBuf>) -> Self {
        let found = self.found.as_ref().map(|_| Arc::default());
        let (served, held_folder) = (self.served.clone(), self.held_folder.clone());
        Self { hints, session, served, held_folder, found }
    }

    /// The option, the variable and the folder that name the place.
    pub fn hints(&self) -> &RootHints {
        &self.hints
    }

    /// The folder that counts, and the hint that names it.
    pub fn deciding(&self) -> Option<(Hint, PathBuf)> {
        self.hints.deciding(self.session.as_deref())
    }

    /// The root that the MCP session is bound to.
    pub fn session(&self) -> Option<&Path> {
        self.session.as_deref()
    }

    /// Whether the place belongs to one call, which keeps what it finds out.
    pub(crate) fn is_of_one_call(&self) -> bool {
        self.found.is_some()
    }

    /// The brain that the MCP session was served from, and its place then.
    pub(crate) fn served(&self) -> Option<&ServedBrain> {
        self.served.as_ref()
    }

    /// The project without a brain that the MCP session was in here before.
    pub(crate) fn held_folder(&self) -> Option<&HeldFolder> {
        let at = self.deciding().map(|(_, at)| at);
        self.held_folder.as_ref().filter(|served| Some(&served.at) == at.as_ref())
    }

    /// Whether the MCP session was served from a brain at this place.
    pub fn was_served_here(&self) -> bool {
        let at = self.deciding().map(|(_, at)| at);
        self.served.as_ref().is_some_and(|served| Some(&served.at) == at.as_ref())
    }

    /// The brain that the MCP session was served from at this place.
    pub(crate) fn served_brain(&self) -> Option<&Brain> {
        self.served.as_ref().filter(|_| self.was_served_here()).map(|served| &served.brain)
    }

    /// Whether the same hints name both places.
    pub fn is_same(&self, other: &Self) -> bool {
        let words = |place: &Self| (place.hints.clone(), place.session.clone());
        words(self) == words(other) && self.served == other.served && self.held_folder == other.held_folder
    }

    /// Returns the route that this call found out before; `None` if it has not looked yet.
    pub(crate) fn known_route(&self) -> Option<Arc<Route>> {
        let found = self.found.as_ref()?;
        found.lock().unwrap_or_else(PoisonError::into_inner).route.clone()
    }

    /// Forgets what was found out, so that the next question looks at the disk: the files there have changed, or could not be
    /// read.
    pub fn look_again(&self) {
        if let Some(found) = &self.found {
            *found.lock().unwrap_or_else(PoisonError::into_inner) = PlaceFindings::default();
        }
    }
}

/// A caller: its agent and its place.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The agent.
    pub principal: Principal,
    place: CallerPlace,
}

impl Caller {
    /// A caller at a place.
    pub fn new(principal: Principal, place: CallerPlace) -> Self {
        Self { principal, place }
    }

    /// Its place.
    pub fn place(&self) -> &CallerPlace {
        &self.place
    }

    /// The hints that name its place.
    pub fn hints(&self) -> &RootHints {
        &self.place.hints
    }

    /// The root that its MCP session is bound to.
    pub fn session(&self) -> Option<&Path> {
        self.place.session()
    }

    /// The same caller at another place.
    pub fn at(&self, hints: RootHints, session: Option<PathBuf>) -> Self {
        Self { principal: self.principal.clone(), place: self.place.elsewhere(hints, session) }
    }

    /// The same caller, to be kept until its session ends.
    pub(crate) fn kept_by_session(&self) -> Self {
        Self { principal: self.principal.clone(), place: self.place.without_brain() }
    }

    /// As [`CallerPlace::look_again`].
    pub fn look_again(&self) {
        self.place.look_again();
    }

    /// Runs work that may change what the caller's hints lead to. The next question looks at the disk again, whether the work
    /// succeeded or not.
    pub fn moved_by<T>(&self, work: impl FnOnce() -> T) -> T {
        let done = work();
        self.look_again();
        done
    }
}

impl PartialEq for Caller {
    fn eq(&self, other: &Self) -> bool {
        self.principal == other.principal && self.place.is_same(&other.place)
    }
}

impl Eq for Caller {}
