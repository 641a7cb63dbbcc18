//! The router: from the hints about a caller's place to the one brain, project and settings that they mean.

use crate::config::Config;
use crate::git_layout::{self, CoveringProject};
use crate::held_folder::HeldFolder;
use crate::place::{self, Caller, CallerPlace, ServedBrain};
use crate::route::{Hint, NeverProjects, RootHints, Route};
use crate::session::Session;
use brainstem_base::DiskFault;
use brainstem_base::disk::{FileKind, NotingDisk};
use brainstem_vault::home::{DisplacedBrain, NotServedReason};
use brainstem_vault::mail::folder_stamp_of;
use brainstem_vault::{Brain, Home, StorePlace};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

/// Finds out what the hints about a place mean, from the folders there and the home.
#[derive(Clone)]
pub struct Router {
    home: Home,
    never: NeverProjects,
}

impl Router {
    /// A router for the brains of a home.
    pub fn new(home: Home, never: NeverProjects) -> Self {
        Self { home, never }
    }

    /// Returns the same router, over the same home on another disk.
    pub fn over(&self, home: Home) -> Self {
        Self { home, never: self.never.clone() }
    }

    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    pub(crate) fn never(&self) -> &NeverProjects {
        &self.never
    }

    /// Returns what the caller's place means.
    pub fn route(&self, caller: &Caller) -> Arc<Route> {
        self.route_of(caller.place())
    }

    /// Returns what this place means.
    pub fn route_of(&self, place: &CallerPlace) -> Arc<Route> {
        let look = |router: &Self| Arc::new(router.kept_to(place.hints(), place.session(), place.served()));
        let found = || self.found_once(place, |found| &mut found.route, look);
        let Some(known) = place.known_route() else { return found() };
        // Readers take no lock: `init` or `eject` may have moved the claims since the call was routed.
        if !known.brain().is_some_and(|brain| self.home.has_moved(brain)) {
            return known;
        }
        place.look_again();
        found()
    }

    /// Returns the root of the project that contains this place. Only reads.
    pub fn project_of(&self, place: &CallerPlace) -> Option<PathBuf> {
        self.found_once(place, |found| &mut found.project, |router| router.project_around(place))
    }

    /// Returns the settings for a caller at this place.
    pub fn config(&self, place: &CallerPlace) -> Arc<Config> {
        let look = |router: &Self| {
            let project = router.project_of(place);
            Arc::new(Config::load(&**router.home.disk(), router.home.path(), project.as_deref()))
        };
        self.found_once(place, |found| &mut found.config, look)
    }

    /// Returns what the call found out before, or looks. If the disk failed, the answer is not kept, and the next question
    /// looks again.
    fn found_once<T: Clone>(
        &self,
        place: &CallerPlace,
        part: impl Fn(&mut place::PlaceFindings) -> &mut Option<T>,
        look: impl FnOnce(&Self) -> T,
    ) -> T {
        let Some(found) = &place.found else { return look(self) };
        let lock = || found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = part(&mut lock()) {
            return known.clone();
        }
        let disk = Arc::new(NotingDisk::new(self.home.disk().clone()));
        let answer = look(&self.over(self.home.through(disk.clone())));
        if disk.unread().into_iter().all(|(_, unread)| unread.fault == DiskFault::NotFound) {
            *part(&mut lock()) = Some(answer.clone());
        }
        answer
    }

    fn project_around(&self, place: &CallerPlace) -> Option<PathBuf> {
        let (_, path) = place.deciding()?;
        let path = git_layout::canonical(&**self.home.disk(), &path);
        git_layout::repository_of(&self.home, &self.never, &path).or_else(|| {
            let mut above = path.ancestors().take_while(|dir| !self.never.stop_at(dir));
            above.find(|dir| self.home.brain_at(dir).is_some()).map(Path::to_owned)
        })
    }

    /// Returns what a folder means that the caller names, wherever the caller is.
    pub fn place_at(&self, path: &Path) -> Route {
        self.resolve(&RootHints { explicit: Some(path.to_owned()), ..RootHints::default() }, None)
    }

    /// Returns what a session's own place means. The session keeps to the brain that it is served from there or, without one,
    /// to the folder.
    pub fn bind_session(&self, place: &CallerPlace, session: &Session) -> Arc<Route> {
        let route = self.route_of(place);
        if let (Some(brain), Some((_, at))) = (route.brain(), place.deciding()) {
            session.hold(at, brain);
        }
        if let Some(folder) = self.folder_to_hold(place, &route) {
            session.hold_folder(folder);
        }
        route
    }

    /// Returns the project without a brain that contains this place, as a session keeps it.
    fn folder_to_hold(&self, place: &CallerPlace, route: &Route) -> Option<HeldFolder> {
        if route.brain().is_some() {
            return None;
        }
        let (_, at) = place.deciding()?;
        let root = self.project_of(place)?;
        let stamp = folder_stamp_of(&**self.home.disk(), &root)?;
        Some(HeldFolder { at, root, stamp })
    }

    /// Resolves a place of a session that was served from a brain there. If it has another brain now, or none, nothing is
    /// served.
    fn kept_to(&self, hints: &RootHints, session: Option<&Path>, served: Option<&ServedBrain>) -> Route {
        let route = self.resolve(hints, session);
        let is_there = |served: &&ServedBrain| hints.deciding(session).is_some_and(|(_, at)| at == served.at);
        match (route, served.filter(is_there)) {
            (Route::Bound { brain, by }, Some(ServedBrain { brain: served, .. }))
                if (&brain.fingerprint, brain.manifest.id) != (&served.fingerprint, served.manifest.id) =>
            {
                Route::Replaced {
                    root: brain.root,
                    before: vec![self.left(served, NotServedReason::Left)],
                    by,
                }
            }
            (Route::Brainless { root, by }, Some(ServedBrain { brain: served, .. })) => {
                Route::Replaced { root, before: vec![self.left(served, NotServedReason::LeftBrainless)], by }
            }
            (route, _) => route,
        }
    }

    /// Resolves what the hints about a place mean.
    pub fn resolve(&self, hints: &RootHints, session: Option<&Path>) -> Route {
        let Some((by, path)) = hints.deciding(session) else {
            return Route::Unbound { path: None };
        };
        let path = git_layout::canonical(&**self.home.disk(), &path);
        let found = git_layout::survey(&self.home, &self.never, &path);
        // A named place that does not exist is the root of a brain that lost its folder, or nothing: the caller
        // did not name the project around it. A blank hint counts as not given.
        let is_named = matches!(by, Hint::Explicit | Hint::Environment);
        let is_folder = || self.home.disk().stat(&path).is_ok_and(|stat| stat.kind == FileKind::Dir);
        let is_root = || match &found {
            CoveringProject::Brain(brain) => brain.root == path,
            CoveringProject::Broken(root, _)
            | CoveringProject::Replaced(root, _)
            | CoveringProject::Project(root) => *root == path,
            CoveringProject::Nowhere => false,
        };
        if is_named && (hints.is_blank(by) || !(is_folder() || is_root())) {
            return Route::Unbound { path: Some(path) };
        }
        match found {
            CoveringProject::Brain(brain) => Route::Bound { brain, by },
            CoveringProject::Broken(root, folder) => Route::Broken { root, folder, by },
            CoveringProject::Replaced(root, before) => Route::Replaced { root, before, by },
            CoveringProject::Project(root) => Route::Brainless { root, by },
            CoveringProject::Nowhere => Route::Unbound { path: Some(path) },
        }
    }

    /// A brain that a session was served from, as the home knows it now: its folder may have moved.
    fn left(&self, served: &Brain, apart: NotServedReason) -> DisplacedBrain {
        let is_it = |brain: &Brain| brain.fingerprint == served.fingerprint;
        let roster = self.home.roster().unwrap_or_default();
        let now = roster.brains.into_iter().find(is_it).unwrap_or_else(|| served.clone());
        DisplacedBrain { lay_in: now.place, brain: Brain { place: StorePlace::Owner, ..now }, apart }
    }
}
