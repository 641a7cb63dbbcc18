//! Brains whose root is gone and that may be the memory of a folder without a brain: a project that was copied to another
//! disk and deleted, or cloned again elsewhere, is another folder there.
//!
//! Of another project an answer names only the name@id of a brain that no folder has, and the name that its folder
//! had. It does so only if one of the two or the history of the project matches.

use crate::brains::unserved::{Orphan, OrphanBrain};
use crate::gap::Gap;
use crate::service::Memory;
use brainstem_base::next::calls;
use brainstem_base::{Advice, Coded as _, advice};
use brainstem_caller::route::Route;
use brainstem_caller::{Caller, git_layout};
use brainstem_vault::Brain;
use std::path::Path;

impl Memory {
    /// The brain whose root is gone and that may be the memory of this folder: one that is recognised before one that only
    /// had its name, and the youngest of those.
    pub(crate) fn orphan_of(&self, root: &Path) -> Option<Orphan> {
        self.orphan_among(&self.home.roster().ok()?.brains, root)
    }

    fn orphan_among(&self, brains: &[Brain], root: &Path) -> Option<Orphan> {
        let mut gone: Vec<&Brain> = brains.iter().filter(|brain| self.home.is_gone(&brain.root)).collect();
        if gone.is_empty() {
            return None;
        }
        // The memory of a folder inside a repository that is gone too is not that of the repository.
        let roots: Vec<&Path> = gone.iter().map(|brain| brain.root.as_path()).collect();
        if !self.is_inside_a_repository(root) {
            gone.retain(|brain| {
                !roots.iter().any(|root| brain.root != *root && brain.root.starts_with(root))
            });
        }
        let is_recognised = |brain: &Brain| self.home.is_project_of(root, brain);
        let is_called_so = |brain: &Brain| brain.root.file_name() == root.file_name();
        let found = gone.iter().map(|brain| (is_recognised(brain), *brain));
        let found = found.filter(|(is_recognised, brain)| *is_recognised || is_called_so(brain));
        let mut found: Vec<(bool, &Brain)> = found.collect();
        let rank = |(is_recognised, brain): &(bool, &Brain)| {
            std::cmp::Reverse((*is_recognised, is_called_so(brain), brain.manifest.created))
        };
        found.sort_by_key(rank);
        let is_recognised = found.first()?.0;
        // Two projects that began as copies of one folder have one history: which of them this is, the files do not show.
        let alike = found.iter().filter(|(is_so, _)| is_recognised && *is_so).skip(1);
        let memory_of = |brain: &Brain| OrphanBrain {
            brain: brain.origin(),
            was_called: brain.root.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            // Two clones have one name and one id.
            word: match gone.iter().filter(|other| other.origin() == brain.origin()).count() {
                1 => brain.origin(),
                _ => brain.fingerprint.clone(),
            },
        };
        let others: Vec<OrphanBrain> = alike.map(|(_, brain)| memory_of(brain)).collect();
        let OrphanBrain { brain, was_called, word } = memory_of(found.first()?.1);
        let exact = self.is_inside_a_repository(root);
        Some(Orphan { root: root.to_owned(), exact, brain, was_called, word, is_recognised, others })
    }

    /// What is to be said of a brain that was made at the path of a worktree while its repository was away.
    pub(crate) fn worktree_brain_note(&self, own: &Brain) -> Advice {
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

    /// The same for the folder that a caller is in, if that has no brain. A folder inside a repository comes before the
    /// repository around it if it is recognised: it may have had a brain of its own.
    pub(crate) fn orphan_at(&self, caller: &Caller, route: &Route) -> Option<Orphan> {
        match route {
            Route::Brainless { root, .. } => {
                self.orphan_inside(caller, root).or_else(|| self.orphan_of(root))
            }
            Route::Unbound { path: Some(path) } if self.is_folder(path) => self.orphan_of(path),
            Route::Unbound { .. } | Route::Bound { .. } | Route::Broken { .. } | Route::Replaced { .. } => {
                None
            }
        }
    }

    /// The brain whose root is gone and that is recognised in the caller's folder, or in one between that and its root.
    fn orphan_inside(&self, caller: &Caller, root: &Path) -> Option<Orphan> {
        let (_, at) = caller.place().deciding()?;
        let at = git_layout::canonical(&*self.disk, &at);
        let mut inside = at.ancestors().take_while(|dir| dir.starts_with(root) && *dir != root).peekable();
        inside.peek()?;
        let brains = self.home.roster().ok()?.brains;
        inside.filter_map(|dir| self.orphan_among(&brains, dir)).find(|orphan| orphan.is_recognised)
    }

    /// Names the memory of a folder inside a repository that has a brain of its own: that folder may have had one too.
    pub(crate) fn orphan_package_gap(&self, caller: &Caller, around: &Brain) -> Option<Gap> {
        let Gap { name, detail, .. } = self.orphan_inside(caller, &around.root)?.gap();
        let until_then = format!("; until then what is memorized here goes to {}", around.origin());
        Some(Gap::new(name, advice![detail, until_then]))
    }
}
