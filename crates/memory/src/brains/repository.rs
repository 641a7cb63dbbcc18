//! The repository of a project, as a place for its memory.

use crate::brains::error::BrainError;
use crate::error::MemoryError;
use crate::service::Memory;
use crate::writing::resolve::doubtful;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_caller::{Caller, git_layout};
use brainstem_claims::ClaimSlug;
use brainstem_vault::home::{AtRoot, NotServedReason};
use brainstem_vault::missing_from_checkout::BroughtBack;
use brainstem_vault::relocate::{RelocationOutcome, RelocationStep};
use brainstem_vault::{Store, StoreError};
use std::path::{Path, PathBuf};

/// How much room a move wants in each folder under the home before it moves anything.
pub(super) const ROOM_LEN: usize = 4096;

/// Whether a call moves claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moving {
    /// It does.
    #[default]
    Real,
    /// The answer names what would happen, and nothing changes.
    DryRun,
}

impl Moving {
    /// What the flag `dry_run` says.
    pub fn of_flag(dry_run: bool) -> Self {
        match dry_run {
            true => Self::DryRun,
            false => Self::Real,
        }
    }
}

impl Memory {
    /// Refuses a folder that is another one than before: the caller first says whether its memory is taken up or set
    /// apart. A worktree that lost a repository without a brain is refused too, because its mail and its letters are
    /// in the repository.
    pub fn check_not_replaced(&self, root: &Path) -> Result<(), MemoryError> {
        match git_layout::look_at(&self.home, root) {
            AtRoot::Replaced(before) => Err(self.replaced(root, &before)),
            AtRoot::Nothing => match self.router.lost_worktree(root).filter(|(top, _)| top == root) {
                Some((top, main)) => Err(self.router.lost_fault(&top, &main).into()),
                None => Ok(()),
            },
            // A brain that is made or moved there would hide the one that git has.
            AtRoot::Broken(folder) if folder.is_not_checked_out() => Err(StoreError::from(folder).into()),
            AtRoot::Brain(_) | AtRoot::Broken(_) => Ok(()),
        }
    }

    /// Returns the root of the repository that is meant, or of the project if there is no repository.
    pub(super) fn repository_root(
        &self,
        caller: &Caller,
        path: Option<&Path>,
    ) -> Result<PathBuf, MemoryError> {
        let (repository, stood) = self.meant_root(caller, path)?;
        let below = stood.ancestors().take_while(|dir| *dir != repository && dir.starts_with(&repository));
        // A package whose own brain was set aside belongs to the repository again.
        let is_apart = |dir: &&Path| match self.home.look_at(dir) {
            AtRoot::Nothing => false,
            AtRoot::Brain(_) | AtRoot::Broken(_) => true,
            AtRoot::Replaced(before) => before.iter().any(|one| one.apart != NotServedReason::SetAside),
        };
        match below.into_iter().find(is_apart) {
            Some(package) => {
                Err(BrainError::PartOfRepository { package: package.to_owned(), repository }.into())
            }
            None => Ok(repository),
        }
    }

    /// Returns the repository around the folder that the caller means, or the folder if there is no repository; and
    /// the folder itself.
    pub fn meant_root(
        &self,
        caller: &Caller,
        path: Option<&Path>,
    ) -> Result<(PathBuf, PathBuf), MemoryError> {
        let given = match (path, caller.place().deciding()) {
            (Some(path), _) => {
                caller.hints().cwd.as_ref().map_or_else(|| path.to_owned(), |cwd| cwd.join(path))
            }
            (None, Some((_, path))) => {
                self.check_not_left(caller)?;
                path
            }
            (None, None) => {
                return Err(MemoryError::Missing {
                    field: "path",
                    give: "the project's folder".into(),
                    rule: "MEM-2",
                });
            }
        };
        let path = git_layout::canonical(&*self.disk, &given);
        if self.disk.stat(&path).is_err() {
            return Err(MemoryError::RootMissing(given));
        }
        Ok((git_layout::repository_of(&self.home, &self.never, &path).unwrap_or_else(|| path.clone()), path))
    }
}

/// Returns the plan of a move if every claim can move, or else the refusal that names the first one that cannot.
pub(super) fn whole(planned: Vec<RelocationStep>) -> Result<Vec<RelocationStep>, MemoryError> {
    let Some(left) = planned.iter().find(|moving| moving.outcome == RelocationOutcome::Left) else {
        return Ok(planned);
    };
    Err(BrainError::CannotMove { label: left.label.clone() }.into())
}

/// Brings back what git took away, if nothing has to be decided. Returns the labels of which a version is live again,
/// and those of which versions grew apart.
pub(super) fn bring_back(
    store: &Store,
    bring: impl Fn(&ClaimSlug) -> Result<BroughtBack, StoreError>,
) -> Result<(Vec<String>, Vec<String>), MemoryError> {
    let (mut restored, mut apart) = (Vec::new(), Vec::new());
    for label in doubtful(store, &store.scan()?)? {
        match bring(&label.slug)? {
            BroughtBack::Live { label } => restored.push(label),
            BroughtBack::Apart => {
                let missing = store.missing_of(&label.slug)?;
                apart.extend(missing.map(|missing| missing.youngest().label.clone()));
            }
            BroughtBack::Nothing => {}
        }
    }
    Ok((restored, apart))
}

/// What a person has to decide, because git put another version in the place of one that was written here.
pub(super) fn apart_note(labels: &[String]) -> Option<Advice> {
    let note = advice![
        "git put other versions in the place of some that were written here (",
        quoted(labels),
        "): ",
        calls::resolve(),
        " lists them, ",
        calls::resolve_take(calls::LABEL, calls::SIDE),
        " decides"
    ];
    (!labels.is_empty()).then_some(note)
}

/// The first of these labels, for a sentence.
pub(super) fn quoted(labels: &[String]) -> String {
    let first: Vec<String> = labels.iter().take(3).map(|label| format!("{label:?}")).collect();
    let more = if labels.len() > first.len() { ", …" } else { "" };
    format!("{}{more}", first.join(", "))
}
