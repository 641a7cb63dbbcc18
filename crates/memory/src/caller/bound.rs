//! The brain that a caller writes into, and the places that a caller names.

use crate::error::{Lost, MemoryError};
use crate::service::Memory;
use brainstem_caller::{Caller, RootHints, Route, git_layout};
use brainstem_vault::{Brain, StoreError};
use std::path::{Path, PathBuf};

impl Memory {
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
                let orphan = self.orphan_at(caller, &route);
                let lost_worktree = match &*route {
                    Route::Brainless { root, .. } => self.lost_worktree_fix(root),
                    _ => None,
                };
                let route = Route::clone(&route);
                Err(MemoryError::Brainless(Box::new(Lost { route, near, missing, orphan, lost_worktree })))
            }
        }
    }

    /// Refuses a place that the caller named and that is neither a folder nor the root of a brain that lost its
    /// folder.
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
}

/// Returns a path that the caller wrote, counted from the caller's folder. A caller without a folder must give whole
/// paths: the folder of this process is the server's, and a door without a folder makes paths whole before it asks.
pub fn path_of(caller: &Caller, field: &'static str, path: &Path) -> Result<PathBuf, MemoryError> {
    // An empty word names no place; it does not mean the caller's own.
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
