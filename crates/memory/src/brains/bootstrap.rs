//! `bootstrap`: gives a project its brain.

use crate::brains::error::BrainError;
use crate::brains::take_up::Bootstrapped;
use crate::brains::unserved::Replacement;
use crate::caller::bound::path_of;
use crate::caller::follow::follow_store;
use crate::error::MemoryError;
use crate::service::Memory;
use brainstem_base::advice;
use brainstem_base::disk::FileKind;
use brainstem_base::next::{self, calls};
use brainstem_caller::Caller;
use brainstem_caller::git_layout::{self, CoveringProject};
use brainstem_caller::route::NeverProjects;
use brainstem_vault::home::{AtRoot, BeginAnew, NotServedReason};
use brainstem_vault::{Home, StoreError, StorePlace};
use std::path::{Path, PathBuf};

/// What to bootstrap.
#[derive(Clone, Debug, Default)]
pub struct BootstrapRequest {
    /// The folder; `None` means the caller's own.
    pub path: Option<PathBuf>,
    /// Which folder becomes the root.
    pub root: RootWish,
    /// Which brain the root gets.
    pub brain: BrainWish,
}

/// Which folder becomes the root of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RootWish {
    /// The top of the repository that has the folder; outside of a repository the folder itself.
    #[default]
    Repository,
    /// The folder itself, even inside a repository.
    ExactFolder,
}

impl RootWish {
    /// Returns what the flag `exact` means.
    pub fn of_flag(exact: bool) -> Self {
        if exact { Self::ExactFolder } else { Self::Repository }
    }
}

/// Which brain a root gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BrainWish {
    /// The brain it has, or a new one. Refused if a brain was set aside there, or if the folder is recognised as that of a
    /// brain whose root is gone.
    #[default]
    OfRoot,
    /// The brain that this word names: name@id, an id or a fingerprint. The folder becomes the root of that brain.
    TakeUp(String),
    /// The brain it has, or a new one, in those two cases too.
    Anew,
}

impl BrainWish {
    /// Returns what the fields `take_up` and `anew` mean; both at once are refused.
    pub fn of_fields(take_up: Option<String>, anew: bool) -> Result<Self, MemoryError> {
        match (take_up, anew) {
            (None, false) => Ok(Self::OfRoot),
            (None, true) => Ok(Self::Anew),
            (Some(word), false) => Ok(Self::TakeUp(word)),
            (Some(_), true) => Err(MemoryError::BadValue {
                field: "anew",
                value: "anew".into(),
                what: "option beside take_up",
                takes: advice!["either `", next::field("take_up"), "` or `", next::field("anew"), "`"],
                rule: "MEM-1b",
            }),
        }
    }
}

/// A folder that can become the root of a project.
struct PossibleRoot {
    root: PathBuf,
    /// No repository has it.
    is_plain: bool,
}

impl Memory {
    /// Refuses a folder that can never be a project.
    pub fn check_can_be_project(&self, root: &Path, is_repository: bool) -> Result<(), MemoryError> {
        match never(&self.home, &self.never, root, is_repository) {
            Some(what) => Err(MemoryError::NeverAProject { path: root.to_owned(), what }),
            None => Ok(()),
        }
    }

    /// Returns the brain of a project, and makes it if there is none.
    pub fn bootstrap(
        &self,
        caller: &Caller,
        request: &BootstrapRequest,
    ) -> Result<Bootstrapped, MemoryError> {
        caller.moved_by(|| follow_store(caller, || self.give_brain(caller, request)))
    }

    /// Refuses a folder that can get no brain, as `bootstrap` does before it looks at anything else.
    pub fn check_bootstrap_place(
        &self,
        caller: &Caller,
        path: Option<&Path>,
        wish: RootWish,
    ) -> Result<(), MemoryError> {
        self.possible_root(caller, path, wish)?;
        Ok(self.home.check_writable()?)
    }

    /// Returns the folder that a call of `bootstrap` makes the root.
    fn possible_root(
        &self,
        caller: &Caller,
        path: Option<&Path>,
        wish: RootWish,
    ) -> Result<PossibleRoot, MemoryError> {
        let given = match path {
            Some(path) => path_of(caller, "path", path)?,
            None => match caller.place().deciding() {
                Some((_, path)) => path,
                None => {
                    return Err(MemoryError::Missing {
                        field: "path",
                        give: "the project's folder".into(),
                        rule: "MEM-15",
                    });
                }
            },
        };
        let path = git_layout::canonical(&*self.disk, &given);
        if !self.disk.stat(&path).is_ok_and(|stat| stat.kind == FileKind::Dir) {
            return Err(MemoryError::RootMissing(given));
        }
        let repository = git_layout::repository_of(&self.home, &self.never, &path);
        let is_plain = repository.is_none();
        let root = match repository {
            Some(top) if wish == RootWish::Repository => top,
            Some(_) | None => path,
        };
        let is_repository = git_layout::git_dir(&*self.disk, &root).is_some();
        if let Some(what) = never(&self.home, &self.never, &root, is_repository) {
            return Err(MemoryError::NeverAProject { path: root, what });
        }
        utf8(&root)?;
        Ok(PossibleRoot { root, is_plain })
    }

    fn give_brain(&self, caller: &Caller, request: &BootstrapRequest) -> Result<Bootstrapped, MemoryError> {
        let PossibleRoot { root, is_plain } =
            self.possible_root(caller, request.path.as_deref(), request.root)?;
        self.home.check_writable()?;
        let begins_anew = match &request.brain {
            BrainWish::TakeUp(word) => return self.take_up(caller, &root, word),
            BrainWish::Anew => true,
            BrainWish::OfRoot => false,
        };
        let at_root = git_layout::look_at(&self.home, &root);
        // A brain that moved here is the brain of this root.
        if matches!(at_root, AtRoot::Nothing | AtRoot::Replaced(_))
            && let Some(brain) = self.home.rebind_moved(&root)
        {
            return Ok(Bootstrapped { brain, existed: true, taken_up: false, notes: Vec::new() });
        }
        // A claim of this folder belongs to the project around it, as in a repository.
        if is_plain
            && request.root == RootWish::Repository
            && !begins_anew
            && matches!(at_root, AtRoot::Nothing)
            && let CoveringProject::Brain(around) = git_layout::survey(&self.home, &self.never, &root)
            && around.root != root
        {
            let brain = around.origin();
            return Err(BrainError::ServedFromAround { root, around: around.root, brain }.into());
        }
        if let AtRoot::Broken(folder) = &at_root
            && folder.is_not_checked_out()
        {
            return Err(StoreError::from(folder.clone()).into());
        }
        let is_aside = matches!(&at_root, AtRoot::Replaced(before)
            if before.iter().any(|one| matches!(one.apart, NotServedReason::SetAside | NotServedReason::Worktree)));
        if let AtRoot::Replaced(before) = &at_root
            && is_aside
            && !begins_anew
        {
            return Err(self.replaced(&root, before));
        }
        let orphan = match at_root {
            AtRoot::Nothing => self.orphan_of(&root),
            AtRoot::Brain(_) | AtRoot::Replaced(_) | AtRoot::Broken(_) => None,
        };
        if let Some(orphan) = orphan.as_ref().filter(|orphan| orphan.is_recognised && !begins_anew) {
            return Err(BrainError::RootGone(Box::new(orphan.clone())).into());
        }
        // Its mail and its letters are in the repository, with a brain or without.
        let lost = match at_root {
            AtRoot::Nothing => self.router.lost_worktree(&root).filter(|(top, _)| *top == root),
            AtRoot::Brain(_) | AtRoot::Replaced(_) | AtRoot::Broken(_) => None,
        };
        if let Some((top, main)) = lost.as_ref().filter(|_| !begins_anew) {
            return Err(self.router.lost_fault(top, main).field("anew").into());
        }
        let name = root.file_name().and_then(|name| name.to_str()).unwrap_or("root");
        let anew = if begins_anew { BeginAnew::Yes } else { BeginAnew::No };
        let (brain, existed) = self.home.create_brain(utf8(&root)?, name, &caller.principal.agent, anew)?;
        let mut notes = match &at_root {
            AtRoot::Replaced(before) if !existed => {
                let Replacement { kept, apart, .. } = self.replacement(&root, before);
                let what = match apart {
                    NotServedReason::OtherFolder | NotServedReason::Left | NotServedReason::LeftBrainless => {
                        "another folder was remembered at this path before"
                    }
                    NotServedReason::Alike => {
                        "another folder was remembered that had the number and birth of this one"
                    }
                    NotServedReason::SetAside => "the brain that this folder had was set aside",
                    NotServedReason::Worktree => {
                        "this folder is a worktree of a repository that is not where it was"
                    }
                };
                vec![advice!["{what}; its memory is kept apart ({kept}): ", calls::brains(), " lists it"]]
            }
            AtRoot::Nothing | AtRoot::Brain(_) | AtRoot::Replaced(_) | AtRoot::Broken(_) => Vec::new(),
        };
        if begins_anew && !is_aside && orphan.is_none() && lost.is_none() {
            notes.push(advice![
                "no brain of this folder was set aside, so `",
                next::field("anew"),
                "` changed nothing"
            ]);
        }
        if let Some(orphan) = orphan.filter(|_| !existed && !begins_anew) {
            notes.push(advice![
                orphan.sentence(),
                "; if this is that project, set the new brain aside and take its memory up: ",
                calls::set_aside(&brain.root),
                ", then ",
                orphan.take_up()
            ]);
        }
        if brain.place == StorePlace::Owner {
            notes.extend(self.repository_claims_gap(&brain.root).map(|gap| gap.detail));
        }
        Ok(Bootstrapped { brain, existed, taken_up: false, notes })
    }
}

/// Returns why a folder can never be a project; `None` if it can.
pub(crate) fn never(
    home: &Home,
    never: &NeverProjects,
    root: &Path,
    is_repository: bool,
) -> Option<&'static str> {
    never_a_project(home, never.user_home.as_deref(), root).or_else(|| systems(root, is_repository))
}

fn never_a_project(home: &Home, user_home: Option<&Path>, root: &Path) -> Option<&'static str> {
    if root.parent().is_none() {
        Some("the root of the file system")
    } else if Some(root) == user_home {
        Some("a person's home folder")
    } else if root.starts_with(home.path()) {
        Some("inside the home of brainstem")
    } else {
        None
    }
}

/// The file systems that a kernel makes up: nothing in them is kept, and nothing in them is a project. Shared memory
/// is the exception: programs keep files there.
const KERNELS: &[&str] = &["/dev", "/proc", "/sys"];
const SHARED_MEMORY: &str = "/dev/shm";
/// Folders of a system that hold the files of every user: a brain for one of them would be the brain of all that is
/// below. A person that keeps one under git has said that it is a project.
const SYSTEMS: &[&str] = &[
    "/Applications",
    "/Library",
    "/System",
    "/Users",
    "/Volumes",
    "/bin",
    "/boot",
    "/dev/shm",
    "/etc",
    "/home",
    "/lib",
    "/lib32",
    "/lib64",
    "/lost+found",
    "/media",
    "/mnt",
    "/opt",
    "/private",
    "/private/etc",
    "/private/tmp",
    "/private/var",
    "/run",
    "/sbin",
    "/srv",
    "/tmp",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/usr/local",
    "/usr/share",
    "/var",
    "/var/lib",
    "/var/log",
    "/var/tmp",
];

fn systems(root: &Path, is_repository: bool) -> Option<&'static str> {
    let is_kernels = KERNELS.iter().any(|dir| root.starts_with(dir)) && !root.starts_with(SHARED_MEMORY);
    if is_kernels {
        Some("a folder the kernel makes up")
    } else if SYSTEMS.iter().any(|dir| root == Path::new(dir)) && !is_repository {
        Some("a folder of the system, and no repository")
    } else {
        None
    }
}

fn utf8(root: &Path) -> Result<&str, MemoryError> {
    root.to_str().ok_or_else(|| BrainError::PathNotUtf8(root.to_owned()).into())
}
