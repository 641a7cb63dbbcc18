//! Checks that a place still is the project that its caller means. Mail and letters need no brain, so a brain cannot show here
//! that another folder has the path.

use crate::git_layout;
use crate::place::CallerPlace;
use crate::route::{Hint, Route};
use crate::router::Router;
use brainstem_base::disk::FileKind;
use brainstem_base::next::{Shell, calls, shell_word};
use brainstem_base::{Advice, DiskFault, Fault, advice, codes};
use brainstem_vault::Brain;
use brainstem_vault::home::NotServedReason;
use brainstem_vault::mail::folder_stamp_of;
use std::path::{Path, PathBuf};

impl Router {
    /// Refuses a place whose mail and letters do not belong to the project that the caller means: it does not exist, another
    /// folder took the place of the session's own, or a worktree cannot reach its repository.
    pub fn check_ground(&self, place: &CallerPlace) -> Result<(), Fault> {
        let Some((hint, path)) = place.deciding() else { return Ok(()) };
        let path = git_layout::canonical(&**self.home().disk(), &path);
        self.check_there(place, hint, &path)?;
        self.check_same_folder(place)?;
        self.check_repository(place, &path)
    }

    /// Refuses a named place that does not exist, unless a brain that lost its folder is known there.
    fn check_there(&self, place: &CallerPlace, hint: Hint, path: &Path) -> Result<(), Fault> {
        let is_folder = || self.home().disk().stat(path).is_ok_and(|stat| stat.kind == FileKind::Dir);
        if hint == Hint::WorkingDirectory || path.as_os_str().is_empty() || is_folder() {
            return Ok(());
        }
        match self.route_of(place).root() {
            Some(root) if root == path => Ok(()),
            Some(_) | None => Err(self.missing(place, path)),
        }
    }

    /// Refuses a place whose project, as far as it is in one, is no folder now: it was moved or deleted. Mail is in the
    /// folder, also where the brain that lost it is still served.
    pub fn check_project_there(&self, place: &CallerPlace, project: Option<&Path>) -> Result<(), Fault> {
        let Some((_, path)) = place.deciding().filter(|(_, path)| !path.as_os_str().is_empty()) else {
            return Ok(());
        };
        let disk = &**self.home().disk();
        let root = project.map_or_else(|| git_layout::canonical(disk, &path), Path::to_owned);
        let is_missing = match disk.stat(&root) {
            Ok(stat) => stat.kind != FileKind::Dir,
            // A folder that cannot be looked at is refused by what goes on in it.
            Err(error) => error.fault() == DiskFault::NotFound,
        };
        if is_missing { Err(self.missing(place, &root)) } else { Ok(()) }
    }

    /// The refusal of a place that does not exist. It names the folder in which the brain that the session was served from is
    /// now.
    fn missing(&self, place: &CallerPlace, path: &Path) -> Fault {
        let message = format!("`{}` is not a folder that exists", path.display());
        let fix = match self.moved_to(place, path) {
            Some(root) => {
                let root = shell_word(&root.display().to_string());
                advice!["the project was moved: name it with ", Advice::root(), format!(" as {root}")]
            }
            None => advice!["name a folder that exists with ", Advice::root()],
        };
        Fault::new(codes::MEMORY_ROOT_MISSING, message).fix(fix).field("root").rule("MEM-17")
    }

    /// The folder in which the brain is that the session was served from at this place, if it is known elsewhere now.
    fn moved_to(&self, place: &CallerPlace, path: &Path) -> Option<PathBuf> {
        let served = place.served_brain()?;
        let mut brains = self.home().roster().ok()?.brains.into_iter();
        let is_there =
            |root: &Path| self.home().disk().stat(root).is_ok_and(|stat| stat.kind == FileKind::Dir);
        let is_its = |brain: &Brain| brain.origin() == served.origin() && brain.root != path;
        brains.find(|brain| is_its(brain) && is_there(&brain.root)).map(|brain| brain.root)
    }

    /// Refuses a session that was in a project without a brain, if another folder is there now.
    fn check_same_folder(&self, place: &CallerPlace) -> Result<(), Fault> {
        let Some(held) = place.held_folder() else { return Ok(()) };
        let now = self.project_of(place);
        let stamp = now.as_deref().and_then(|root| folder_stamp_of(&**self.home().disk(), root));
        if now.as_ref() == Some(&held.root) && stamp.as_ref() == Some(&held.stamp) {
            return Ok(());
        }
        let root = now.unwrap_or_else(|| held.root.clone());
        let message = format!(
            "`{}` is another folder than the one that this session stood in; its mail and its letters are not served until \
             the session says which project it means",
            root.display()
        );
        let fix = advice![
            "begin another session in the folder where the project is now; or, if you mean the project that is there, give it a brain: ",
            calls::bootstrap_place(&root, false)
        ];
        Err(Fault::new(codes::MEMORY_ROOT_REPLACED, message).fix(fix).rule("MEM-17"))
    }

    /// Refuses a worktree whose repository is not where the worktree says: the mail and the letters are in the repository. A
    /// worktree with a brain of its own is a project of its own.
    fn check_repository(&self, place: &CallerPlace, path: &Path) -> Result<(), Fault> {
        // In a call the route is found out once, and for most callers it shows that nothing is lost. A place that outlives its
        // call would be routed again, which costs more than the walk upwards.
        if place.is_of_one_call() && !self.may_be_lost(place) {
            return Ok(());
        }
        let Some((top, main)) = self.lost_worktree(path).filter(|_| self.may_be_lost(place)) else {
            return Ok(());
        };
        Err(self.lost_fault(&top, &main))
    }

    /// The refusal of what would split a worktree at `top` from the repository that it names and that is not there.
    pub fn lost_fault(&self, top: &Path, main: &Path) -> Fault {
        let is_gone = self.home().is_gone(main);
        let what = if is_gone {
            "which is not there now"
        } else {
            "and one of the two was moved, so that they do not find each other"
        };
        let message = format!(
            "`{}` is a worktree of the repository at `{}`, {what}: its mail and its letters are kept there and not shown here",
            top.display(),
            main.display()
        );
        Fault::new(codes::MEMORY_ROOT_GONE, message).fix(lost_fix(top, main)).rule("MAIL-1")
    }

    /// Returns whether a worktree at this place may have lost its repository: no brain is served there.
    fn may_be_lost(&self, place: &CallerPlace) -> bool {
        match &*self.route_of(place) {
            Route::Bound { .. } | Route::Broken { .. } | Route::Unbound { .. } => false,
            Route::Replaced { before, .. } => before.iter().any(|one| one.apart == NotServedReason::Worktree),
            Route::Brainless { .. } => true,
        }
    }

    /// Returns the top of the worktree that contains a path and the repository that it names, if the two do not name each
    /// other.
    pub fn lost_worktree(&self, path: &Path) -> Option<(PathBuf, PathBuf)> {
        let disk = &**self.home().disk();
        let mut dirs = path.ancestors().take_while(|dir| !self.never().stop_at(dir));
        let top = dirs.find(|dir| disk.stat(&dir.join(".git")).is_ok())?;
        Some((top.to_owned(), git_layout::lost_repository(disk, top)?))
    }
}

/// The ways on in a worktree at `top` that does not find its repository at `main`. Plain `bootstrap` is refused there.
pub fn lost_fix(top: &Path, main: &Path) -> Advice {
    advice![
        "move the repository back to `",
        main.display().to_string(),
        "`, or run ",
        repair_line(top),
        " in the folder where it is now; if this is to be a project of its own: ",
        calls::bootstrap_anew(top, false)
    ]
}

/// The line that joins a repository and its worktree at `top` again, run in the repository.
pub fn repair_line(top: &Path) -> Shell {
    Shell::line(format!("git worktree repair {}", shell_word(&top.display().to_string())))
}
