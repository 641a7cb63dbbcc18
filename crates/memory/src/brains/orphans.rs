//! Brains whose root is gone and that may be the memory of a folder without a brain: a project that was copied to another
//! disk and deleted, or cloned again elsewhere, is another folder there.
//!
//! An answer names nothing else of another project: only the name@id of a brain that no folder has, and the name its folder had, and
//! only where one of the two or the history of the project matches.

use crate::reading::feed::Gap;
use crate::service::Memory;
use brainstem_base::next::{NextCall, calls};
use brainstem_base::{Advice, Coded as _, advice};
use brainstem_caller::route::Route;
use brainstem_vault::Brain;
use std::path::{Path, PathBuf};

/// A brain whose root is gone, and a folder that may be its project.
#[derive(Clone, Debug)]
pub struct Orphan {
    /// The folder.
    root: PathBuf,
    /// The folder lies inside a repository, so that `bootstrap` must be told to take this very one.
    exact: bool,
    /// The brain: name@id.
    pub brain: String,
    /// The last part of the path that its root had.
    was_called: String,
    /// The word that takes it up.
    pub word: String,
    /// The folder has the commits, the origin or the files that are remembered of the project; otherwise its name alone.
    pub is_recognised: bool,
}

impl Orphan {
    /// What is known, as a sentence without its end.
    pub(crate) fn told(&self) -> String {
        let Self { brain, was_called, .. } = self;
        match self.is_recognised {
            true => format!(
                "the folder of {brain} is gone (it was called {was_called:?}), and this folder has the history or the files of that project"
            ),
            false => format!("the folder of {brain} is gone, and was called {was_called:?} as this one is"),
        }
    }

    /// The call that makes the folder the root of that brain.
    pub fn take_up(&self) -> NextCall {
        calls::take_up(&self.root, self.exact, &self.word)
    }

    /// The call that gives the folder a brain of its own. Plain `bootstrap` is refused where the project is recognised.
    pub fn own_brain(&self) -> NextCall {
        match self.is_recognised {
            true => calls::bootstrap_anew(&self.root, self.exact),
            false => calls::bootstrap_place(&self.root, self.exact),
        }
    }

    /// Both ways on, for a folder without a brain.
    pub(crate) fn fix(&self) -> Advice {
        advice![
            "if this is that project, take its memory up: ",
            self.take_up(),
            "; if it is another one, give it a brain of its own: ",
            self.own_brain()
        ]
    }

    /// The same, for the status.
    pub(crate) fn gap(&self) -> Gap {
        Gap::new(ROOT_GONE, advice![self.told(), "; ", self.fix()])
    }
}

/// The gap that names a brain whose root is gone.
pub(crate) const ROOT_GONE: &str = "root_gone";
/// The gap that names a brain which was made at the path of a worktree and is not served there.
pub(crate) const WORKTREE_BRAIN: &str = "worktree_brain";

impl Memory {
    /// The brain whose root is gone and that may be the memory of this folder: one that is recognised before one that only
    /// had its name, and the youngest of those.
    pub(crate) fn orphan_of(&self, root: &Path) -> Option<Orphan> {
        let brains = self.home.roster().ok()?.brains;
        let gone: Vec<&Brain> = brains.iter().filter(|brain| self.home.is_gone(&brain.root)).collect();
        let is_recognised = |brain: &Brain| self.home.is_project_of(root, brain);
        let is_called_so = |brain: &Brain| brain.root.file_name() == root.file_name();
        let found = gone.iter().map(|brain| (is_recognised(brain), *brain));
        let found = found.filter(|(is_recognised, brain)| *is_recognised || is_called_so(brain));
        let (is_recognised, brain) =
            found.max_by_key(|(is_recognised, brain)| (*is_recognised, brain.manifest.created))?;
        // Two clones have one name and one id.
        let is_alone = gone.iter().filter(|other| other.origin() == brain.origin()).count() == 1;
        let word = if is_alone { brain.origin() } else { brain.fingerprint.clone() };
        let was_called = brain.root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Some(Orphan {
            root: root.to_owned(),
            exact: self.is_inside_a_repository(root),
            brain: brain.origin(),
            was_called,
            word,
            is_recognised,
        })
    }

    /// What is to be said of a brain that was made at the path of a worktree while its repository was away.
    pub(crate) fn worktree_brain_told(&self, own: &Brain) -> Advice {
        let claims = match self.store_of(own).count() {
            Ok(1) => "1 claim".to_owned(),
            Ok(count) => format!("{count} claims"),
            Err(error) => format!("unreadable: {}", error.code().name()),
        };
        advice![
            "`",
            own.root.display().to_string(),
            "` is a worktree and is served from the brain of its repository; a brain of its own, which was made while the \
             repository was away, is not shown here (",
            own.origin(),
            ", {claims}): ",
            calls::seek_in(calls::QUESTION, "all-brains"),
            " finds what it holds, and ",
            calls::set_aside(&own.fingerprint),
            " sets it aside, which deletes nothing"
        ]
    }

    /// The same for where a caller landed, if that has no brain.
    pub(crate) fn orphan_at(&self, route: &Route) -> Option<Orphan> {
        let root: &PathBuf = match route {
            Route::Brainless { root, .. } => root,
            Route::Unbound { path: Some(path) } if self.is_folder(path) => path,
            Route::Unbound { .. } | Route::Bound { .. } | Route::Broken { .. } | Route::Replaced { .. } => {
                return None;
            }
        };
        self.orphan_of(root)
    }
}
