//! Where a caller stands: the words about the place (an option, a variable, a folder, a session's binding), and what they
//! lead to. A call finds that out once, and everything in the call reads the same answer.

use crate::caller::config::Config;
use crate::caller::git_layout;
use crate::caller::route::{Hint, RootHints, Route};
use crate::service::{Caller, Held, Memory, Session};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Where a caller stands.
///
/// Invariant: the words of a value never change. A caller at another place has another value, which is looked up anew.
#[derive(Clone, Debug)]
pub struct CallerPlace {
    hints: RootHints,
    session: Option<PathBuf>,
    held: Option<Held>,
    /// What was found out in this call; clones share it. `None` for a caller that outlives its call.
    found: Option<Arc<Mutex<Found>>>,
}

/// What was found out about a place so far.
#[derive(Debug, Default)]
struct Found {
    route: Option<Arc<Route>>,
    project: Option<Option<PathBuf>>,
    config: Option<Arc<Config>>,
}

impl CallerPlace {
    /// Returns the place of one call. What it means is found out at the first question and kept for the others.
    pub fn of_call(hints: RootHints, session: Option<&Session>) -> Self {
        let root = session.and_then(Session::root);
        let held = session.and_then(|session| session.held(&hints));
        Self { hints, session: root, held, found: Some(Arc::default()) }
    }

    /// Returns a place that outlives one call, without a session. Each question looks at the disk.
    pub fn lasting(hints: RootHints) -> Self {
        Self { hints, session: None, held: None, found: None }
    }

    /// Returns the same place for a session that leaves it later, whatever brain is there then.
    fn without_brain(&self) -> Self {
        Self { held: None, found: None, ..self.clone() }
    }

    /// Returns another place, of the same call.
    fn elsewhere(&self, hints: RootHints, session: Option<PathBuf>) -> Self {
        let found = self.found.as_ref().map(|_| Arc::default());
        Self { hints, session, held: self.held.clone(), found }
    }

    /// The option, the variable and the folder that name it.
    pub fn hints(&self) -> &RootHints {
        &self.hints
    }

    /// The one folder that counts, and which word names it.
    pub fn deciding(&self) -> Option<(Hint, PathBuf)> {
        self.hints.deciding(self.session.as_deref())
    }

    /// The root the MCP session is bound to.
    pub fn session(&self) -> Option<&Path> {
        self.session.as_deref()
    }

    /// The brain that the MCP session was served from, and where it stood then.
    pub(crate) fn held(&self) -> Option<&Held> {
        self.held.as_ref()
    }

    /// Whether both are named by the same words.
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.hints, &self.session, &self.held) == (&other.hints, &other.session, &other.held)
    }

    /// Forgets what was found out, so that the next question looks at the disk: what lies there has changed, or could not
    /// be read.
    pub fn look_again(&self) {
        if let Some(found) = &self.found {
            *found.lock().unwrap_or_else(PoisonError::into_inner) = Found::default();
        }
    }
}

impl Caller {
    /// A caller at a place.
    pub fn new(principal: crate::Principal, place: CallerPlace) -> Self {
        Self { principal, place }
    }

    /// Where it stands.
    pub fn place(&self) -> &CallerPlace {
        &self.place
    }

    /// The words about where it stands.
    pub fn hints(&self) -> &RootHints {
        &self.place.hints
    }

    /// The root its MCP session is bound to.
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
    pub(crate) fn look_again(&self) {
        self.place.look_again();
    }

    /// Does work that may change where the words of this caller lead. Whether it is done or refused, the next question looks
    /// at the disk again.
    pub(crate) fn moved_by<T>(&self, work: impl FnOnce() -> T) -> T {
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

impl Memory {
    /// Returns where the caller landed.
    pub fn route(&self, caller: &Caller) -> Arc<Route> {
        self.route_of(&caller.place)
    }

    /// Returns where a caller at this place landed.
    pub fn route_of(&self, place: &CallerPlace) -> Arc<Route> {
        let look = |memory: &Self| Arc::new(memory.kept_to(&place.hints, place.session(), place.held()));
        let found = || self.found_once(place, |found| &mut found.route, look);
        let route = found();
        // Readers take no lock: `init` or `eject` may have taken the claims elsewhere since the call was routed.
        let has_moved = || route.brain().is_some_and(|brain| self.home.has_moved(brain));
        if place.found.is_none() || !has_moved() {
            return route;
        }
        place.look_again();
        found()
    }

    /// Returns the root of the project that a caller at this place stands in, found by reading alone.
    pub(crate) fn project_of(&self, place: &CallerPlace) -> Option<PathBuf> {
        self.found_once(place, |found| &mut found.project, |memory| memory.project_around(place))
    }

    /// Returns what the files of settings say for a caller at this place.
    pub fn config(&self, place: &CallerPlace) -> Arc<Config> {
        let look = |memory: &Self| {
            let project = memory.project_of(place);
            Arc::new(Config::load(&*memory.disk, memory.home.path(), project.as_deref()))
        };
        self.found_once(place, |found| &mut found.config, look)
    }

    /// Returns what was found out before, or looks. An answer for which the disk failed is not kept, so that the next
    /// question looks again.
    fn found_once<T: Clone>(
        &self,
        place: &CallerPlace,
        part: impl Fn(&mut Found) -> &mut Option<T>,
        look: impl FnOnce(&Self) -> T,
    ) -> T {
        let Some(found) = &place.found else { return look(self) };
        let lock = || found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = part(&mut lock()) {
            return known.clone();
        }
        let (memory, reads) = self.noting_reads();
        let answer = look(&memory);
        if reads.is_none() {
            *part(&mut lock()) = Some(answer.clone());
        }
        answer
    }

    fn project_around(&self, place: &CallerPlace) -> Option<PathBuf> {
        let (_, path) = place.deciding()?;
        let path = git_layout::canonical(&*self.disk, &path);
        git_layout::repository_of(&self.home, &self.never, &path).or_else(|| {
            let mut above = path.ancestors().take_while(|dir| !self.never.stop_at(dir));
            above.find(|dir| self.home.brain_at(dir).is_some()).map(Path::to_owned)
        })
    }
}
