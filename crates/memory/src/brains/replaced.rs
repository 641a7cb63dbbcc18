//! Memory that is kept and not served at its path, because another folder was made there or a person set it aside:
//! what is said there, and the two ways on.

use crate::brains::unserved::Replacement;
use crate::error::MemoryError;
use crate::service::Memory;
use brainstem_base::{Advice, Coded as _, Fault, advice};
use brainstem_caller::Caller;
use brainstem_caller::git_layout;
use brainstem_caller::place_checks::{lost_fix, repair_line};
use brainstem_caller::route::Route;
use brainstem_vault::home::{DisplacedBrain, NotServedReason, Roster};
use brainstem_vault::{Brain, Store};
use std::path::{Path, PathBuf};

impl Memory {
    /// Whether `bootstrap` would take the repository around a folder for the project.
    pub(crate) fn is_inside_a_repository(&self, root: &Path) -> bool {
        git_layout::repository_of(&self.home, &self.never, root).is_some_and(|top| top != root)
    }

    /// What is to be said about a folder whose memory is kept apart.
    pub(crate) fn replacement(&self, root: &Path, before: &[DisplacedBrain]) -> Replacement {
        let kept = before.iter().map(|displaced| {
            let claims = match self.home.displaced_claims(displaced) {
                Ok(1) => "1 claim".to_owned(),
                Ok(count) => format!("{count} claims"),
                Err(error) => format!("unreadable: {}", error.code().name()),
            };
            format!("{}, {claims}", displaced.brain.origin())
        });
        let kept: Vec<String> = kept.collect();
        let youngest =
            before.iter().map(|displaced| &displaced.brain).max_by_key(|brain| brain.manifest.created);
        // Two clones have one name and one id.
        let is_alone =
            |brain: &&Brain| before.iter().filter(|d| d.brain.origin() == brain.origin()).count() == 1;
        let word = match youngest {
            Some(brain) if is_alone(&brain) => brain.origin(),
            Some(brain) => brain.fingerprint.clone(),
            None => String::new(),
        };
        let was_at = youngest.map_or_else(|| root.to_owned(), |brain| brain.root.clone());
        let apart = before.first().map_or(NotServedReason::OtherFolder, |displaced| displaced.apart);
        let exact = self.is_inside_a_repository(root);
        let is_gone = self.home.is_gone(&was_at);
        Replacement { root: root.to_owned(), apart, was_at, exact, kept: kept.join("; "), word, is_gone }
    }

    /// Refuses a caller whose session was served from the brain of its folder, if the folder is another one now, or
    /// has another brain or none: its mail and its letters are of another project. A brain that was set aside leaves
    /// the folder as it was.
    pub fn check_not_left(&self, caller: &Caller) -> Result<(), MemoryError> {
        if !caller.place().was_served_here() {
            return Ok(());
        }
        match &*self.route(caller) {
            Route::Replaced { root, before, .. }
                if before.iter().any(|one| one.apart != NotServedReason::SetAside) =>
            {
                Err(self.replaced(root, before))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a caller whose mail and letters are not in its folder: what [`Memory::check_not_left`] refuses, and a
    /// place that does not exist, that another folder took, or that is a worktree without its repository.
    pub fn check_ground(&self, caller: &Caller) -> Result<(), MemoryError> {
        self.check_not_left(caller)?;
        Ok(self.router.check_ground(caller.place())?)
    }

    /// Refuses a caller whose project has lost its brain to another folder: what [`Memory::check_ground`] refuses, and a folder at
    /// the path of a project that is remembered. A name that belongs to a project would mean none there.
    pub fn check_own_project(&self, caller: &Caller) -> Result<(), MemoryError> {
        self.check_ground(caller)?;
        match &*self.route(caller) {
            Route::Replaced { root, before, .. }
                if before.iter().any(|one| one.apart != NotServedReason::SetAside) =>
            {
                Err(self.replaced(root, before))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a caller whose mail is not in its folder: what [`Memory::check_ground`] refuses, and a project whose folder
    /// is not there, also if its brain is still served. Returns the folder of the project.
    pub fn check_mail_ground(&self, caller: &Caller) -> Result<Option<PathBuf>, MemoryError> {
        self.check_ground(caller)?;
        let project = match &*self.route(caller) {
            // It was found by the files in it.
            Route::Brainless { .. } => return Ok(self.router.project_of(caller.place())),
            Route::Unbound { .. } => None,
            Route::Bound { .. } | Route::Broken { .. } | Route::Replaced { .. } => {
                self.router.project_of(caller.place())
            }
        };
        self.router.check_project_there(caller.place(), project.as_deref())?;
        Ok(project)
    }

    /// Returns the repository that the caller's worktree names and does not find.
    pub fn lost_repository(&self, caller: &Caller) -> Option<PathBuf> {
        let (_, at) = caller.place().deciding()?;
        let (_, main) = self.router.lost_worktree(&git_layout::canonical(&*self.disk, &at))?;
        Some(main)
    }

    /// What to do first in a worktree at this root that does not find its repository: plain `bootstrap` is refused
    /// there, because mail and letters are in the repository. `None` for every other folder.
    pub fn lost_worktree_advice(&self, root: &Path) -> Option<Advice> {
        let (top, main) = self.router.lost_worktree(root)?;
        Some(advice![
            repair_line(&top),
            ": run it in the repository, which is not found at `",
            main.display().to_string(),
            "`, so that this worktree has its mail and its letters again"
        ])
    }

    /// The ways on in a worktree at this root that does not find its repository. `None` for every other folder.
    pub(crate) fn lost_worktree_fix(&self, root: &Path) -> Option<Advice> {
        let (top, main) = self.router.lost_worktree(root)?;
        Some(lost_fix(&top, &main))
    }

    /// The refusal of what would give a worktree at this path mail or letters of its own, if it does not find its
    /// repository and has no brain. `None` for every other folder.
    pub fn lost_worktree_fault(&self, path: &Path) -> Option<Fault> {
        let path = git_layout::canonical(&*self.disk, path);
        let (top, main) = self.router.lost_worktree(&path)?;
        match self.router.place_at(&path) {
            Route::Bound { .. } | Route::Broken { .. } | Route::Unbound { .. } => None,
            Route::Replaced { .. } | Route::Brainless { .. } => Some(self.router.lost_fault(&top, &main)),
        }
    }

    /// The refusal of what needs a brain.
    pub(crate) fn replaced(&self, root: &Path, before: &[DisplacedBrain]) -> MemoryError {
        MemoryError::Replaced(Box::new(self.replacement(root, before)))
    }

    /// The store of every brain of a roster: at its place, or what the home has of one whose root is another folder.
    pub(crate) fn stores_in(&self, roster: &Roster) -> Vec<(Brain, Store)> {
        let here = roster.brains.iter().map(|brain| (brain.clone(), self.store_of(brain)));
        let displaced = roster.displaced.iter();
        let displaced =
            displaced.map(|displaced| (displaced.brain.clone(), self.home.displaced_store(displaced)));
        here.chain(displaced).collect()
    }
}
