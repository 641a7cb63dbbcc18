//! `status`: which brain the caller is in, and what it has.

use crate::brains::list::Brains;
use crate::brains::unserved::Orphan;
use crate::error::MemoryError;
use crate::gap::Gap;
use crate::service::Memory;
use brainstem_base::next::calls;
use brainstem_base::{Advice, Coded as _, advice};
use brainstem_caller::Caller;
use brainstem_caller::route::Route;
use brainstem_claims::folds::delegations::OpenDelegations;
use brainstem_vault::repo::GitSharing;
use brainstem_vault::{Brain, Store, StoreError, StorePlace};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// How many labels are named that wait for a decision.
const LABELS_NAMED_MAX: usize = 3;

/// The caller's brain and home.
#[derive(Clone, Debug)]
pub struct Status {
    /// The home folder.
    pub home: PathBuf,
    /// Whether it exists.
    pub home_exists: bool,
    /// The route of the caller.
    pub route: Route,
    /// Every brain, and the medulla. What could not be read of other projects is left out.
    pub brains: Brains,
    /// The caller's folder is another one than before: what is kept, and the two ways on.
    pub replaced_gap: Option<Gap>,
    /// The caller's brain cannot be read: its folder, why, and what to do.
    pub broken: Option<Advice>,
    /// The caller's place has no brain, and one whose root is gone may be its memory.
    pub orphan: Option<Orphan>,
    /// What is not in the project's store and should be: claims on another branch, under the home, in the repository
    /// without a manifest, or deleted. Files of settings that cannot be read are named here too.
    pub project_gaps: Vec<Gap>,
    /// Labels of this project that were proposed for every project and wait for a decision.
    pub waiting: Vec<String>,
    /// How many delegations of this project wait for a debrief; `None` if its log cannot be read.
    pub open_delegations: Option<OpenDelegations>,
}

impl Memory {
    /// What a count of a project's claims leaves out.
    fn project_gaps(&self, brain: &Brain) -> Vec<Gap> {
        let store = self.store_of(brain);
        let mut gaps = self.repository_gaps(brain, &store, None).gaps;
        // A store that cannot be counted is named with the brains.
        let gone = store.count().ok().and_then(|count| self.gone_gap(&brain.origin(), &store, count));
        gaps.extend(gone);
        if brain.place == StorePlace::Repo {
            gaps.extend(self.undecided_gap(&store));
        }
        if brain.place == StorePlace::Repo && brain.sharing == GitSharing::Committed {
            gaps.extend(self.left_out_of_git(&brain.root).map(|detail| Gap::new("shared_ignored", detail)));
        }
        gaps
    }

    /// Returns which brain the caller is in, and what there is.
    pub fn status(&self, caller: &Caller) -> Result<Status, MemoryError> {
        self.read_whole(|status: &mut Status| &mut status.project_gaps, |memory| memory.stand(caller))
    }

    fn stand(&self, caller: &Caller) -> Result<Status, MemoryError> {
        let route = self.route(caller);
        let opened = route.brain().map(|brain| self.open_in(brain));
        let ((waiting, open_delegations), unread) =
            opened.unwrap_or_else(|| ((Vec::new(), Some(OpenDelegations::default())), Vec::new()));
        let replaced_gap = match &*route {
            Route::Replaced { root, before, .. } => Some(self.replacement(root, before).gap()),
            _ => None,
        };
        let broken = match &*route {
            Route::Broken { folder, .. } => {
                let place = format!("`{}`: {}; ", folder.path.display(), folder.why);
                Some(advice![place, StoreError::from(folder.clone()).fix().unwrap_or_default()])
            }
            _ => None,
        };
        let mut project_gaps = match &*route {
            Route::Bound { brain, .. } => {
                let mut gaps = self.project_gaps(brain);
                gaps.extend(self.worktree_gap(caller));
                gaps
            }
            Route::Brainless { root, .. } => self.repository_claims_gap(root).into_iter().collect(),
            Route::Unbound { path: Some(path) } if caller.hints().is_named() && !self.is_folder(path) => {
                let detail =
                    format!("`{}` is no folder, so that the memory of no project is shown", path.display());
                vec![Gap::new("root_missing", detail)]
            }
            Route::Broken { .. } | Route::Replaced { .. } | Route::Unbound { .. } => Vec::new(),
        };
        project_gaps.extend(caller.principal.unread.iter().map(|unread| {
            let detail = format!(
                "{unread}: the agent that is set in it is not known, so that you are named without it"
            );
            Gap::new("config_unreadable", detail)
        }));
        let orphan = self.orphan_at(caller, &route);
        project_gaps.extend(orphan.as_ref().map(Orphan::gap));
        project_gaps.extend(route.brain().and_then(|brain| self.orphan_package_gap(caller, brain)));
        project_gaps.extend(route.brain().and_then(|brain| self.kept_by_deleted_clones(brain)));
        project_gaps.extend(unread);
        Ok(Status {
            replaced_gap,
            broken,
            orphan,
            project_gaps,
            open_delegations,
            waiting,
            home: self.home.path().to_owned(),
            home_exists: self.disk.stat(self.home.path()).is_ok(),
            route: Route::clone(&route),
            brains: self.brains_apart(caller)?.0,
        })
    }

    /// Names the labels that have several versions in one file after a merge. The index knows these files, so that not
    /// every claim is read.
    fn undecided_gap(&self, store: &Store) -> Option<Gap> {
        // A store that cannot be read is named with the brains.
        store.check_real_folders().ok()?;
        let snapshot = self.index.of(&store.paths().claims).refresh().ok()?;
        let ids: BTreeSet<&str> = snapshot.undecided().iter().map(String::as_str).collect();
        let label = |id: &str| store.stored(id).into_iter().next().map(|stored| stored.claim.label);
        let named: Vec<String> = ids
            .iter()
            .filter_map(|id| label(id))
            .take(LABELS_NAMED_MAX)
            .map(|label| format!("{label:?}"))
            .collect();
        let more = if ids.len() > named.len() { ", …" } else { "" };
        let waits = match ids.len() {
            0 => return None,
            1 => "1 claim waits".to_owned(),
            count => format!("{count} claims wait"),
        };
        let detail = advice![
            "{waits} for a decision between versions (",
            named.join(", "),
            "{more}): ",
            calls::resolve(),
            " lists them, ",
            calls::resolve_take(calls::LABEL, calls::SIDE),
            " decides"
        ];
        Some(Gap::new("undecided", detail))
    }
}
