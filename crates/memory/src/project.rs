//! The project that a folder belongs to, found by looking alone.

use crate::bootstrap::never;
use crate::service::Memory;
use crate::survey;
use brainstem_base::disk::FileKind;
use std::path::{Path, PathBuf};

/// What a folder belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectAt {
    /// The project of this root: the nearest that has a brain or is a repository, or else the folder itself.
    Root(PathBuf),
    /// A folder that can never be a project, with what it is.
    Never(&'static str),
    /// There is no such folder.
    Missing,
}

impl Memory {
    /// The project that a folder belongs to. A worktree stands for its repository; a brain is not needed.
    /// Nothing is bound or written down by asking.
    pub fn project_at(&self, path: &Path) -> ProjectAt {
        let path = survey::canonical(&*self.disk, path);
        if !self.disk.stat(&path).is_ok_and(|stat| stat.kind == FileKind::Dir) {
            return ProjectAt::Missing;
        }
        let root = survey::project_of(&self.home, &self.never, &path).unwrap_or(path);
        let is_repository = survey::git_dir(&*self.disk, &root).is_some();
        match never(&self.home, &self.never, &root, is_repository) {
            Some(what) => ProjectAt::Never(what),
            None => ProjectAt::Root(root),
        }
    }
}
