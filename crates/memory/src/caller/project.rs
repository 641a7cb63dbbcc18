//! The project that a folder belongs to, found by looking alone.

use crate::brains::bootstrap::never;
use crate::service::Memory;
use brainstem_base::disk::FileKind;
use brainstem_caller::{Caller, Route, git_layout};
use std::path::{Path, PathBuf};

/// What a folder belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectAt {
    /// The project of this root: the nearest that has a brain or is a repository, or else the folder itself if it has
    /// a box of letters.
    Root(PathBuf),
    /// A folder that is no project yet: in no repository, without a brain and without a box. Naming it in a call does
    /// not make it a project.
    Folder(PathBuf),
    /// A folder that can never be a project, with what it is.
    Never(&'static str),
    /// There is no such folder.
    Missing,
}

impl Memory {
    /// The folder of the caller's project that its worktrees share; `None` if the caller is in no project.
    pub fn project_root(&self, caller: &Caller) -> Option<PathBuf> {
        match &*self.route(caller) {
            Route::Unbound { .. } => None,
            Route::Bound { .. } | Route::Broken { .. } | Route::Replaced { .. } | Route::Brainless { .. } => {
                self.router.project_of(caller.place())
            }
        }
    }

    /// What the folder is, if it can never be a project.
    pub fn never_a_project(&self, root: &Path) -> Option<&'static str> {
        never(&self.home, &self.never, root, false)
    }

    /// The project that a folder belongs to. A worktree belongs to its repository; a brain is not needed. Nothing is
    /// bound or written down by asking.
    pub fn project_at(&self, path: &Path) -> ProjectAt {
        let path = git_layout::canonical(&*self.disk, path);
        if !self.disk.stat(&path).is_ok_and(|stat| stat.kind == FileKind::Dir) {
            return ProjectAt::Missing;
        }
        let found = git_layout::project_of(&self.home, &self.never, &path);
        let is_project = found.is_some() || self.home.letter_box(Some(&path)).exists();
        let root = found.unwrap_or(path);
        let is_repository = git_layout::git_dir(&*self.disk, &root).is_some();
        match never(&self.home, &self.never, &root, is_repository) {
            Some(what) => ProjectAt::Never(what),
            None if is_project => ProjectAt::Root(root),
            None => ProjectAt::Folder(root),
        }
    }
}
