//! Whether git may commit the memory of a project.

use crate::brains::error::BrainError;
use crate::error::MemoryError;
use crate::service::Memory;
use brainstem_base::next::{self, Shell, calls, shell_word};
use brainstem_base::{Advice, advice};
use brainstem_caller::git_layout;
use brainstem_vault::mail::IgnoringRule;
use brainstem_vault::memory_ignored::ignoring_rule;
use brainstem_vault::repo::{self, Exposed, GitSharing};
use brainstem_vault::{Brain, StoreError, StorePlace};
use std::collections::BTreeSet;
use std::path::Path;

/// What a caller wants of git.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GitWish {
    /// It stays as it is; the memory of a new project can be committed.
    #[default]
    AsItIs,
    /// The memory stays out of git.
    Private,
    /// The memory can be committed, even if it was private.
    Shared,
}

impl GitWish {
    /// Returns what the flags `private` and `shared` mean; both at once are refused.
    pub fn of_flags(private: bool, shared: bool) -> Result<Self, MemoryError> {
        match (private, shared) {
            (true, true) => Err(BrainError::PrivateAndShared.into()),
            (true, false) => Ok(Self::Private),
            (false, true) => Ok(Self::Shared),
            (false, false) => Ok(Self::AsItIs),
        }
    }
}

/// How many labels are named of what can be committed from now on.
pub(super) const LABELS_NAMED_MAX: usize = 20;

impl Memory {
    /// Whether the memory at a root is kept out of git from now on. If the caller says nothing, a file that keeps the
    /// folder out of git, as `init --private` writes it, decides: a copy of a private project may have lost everything
    /// else.
    pub(super) fn sharing_wanted(
        &self,
        asked: GitWish,
        brain: Option<&Brain>,
        root: &Path,
    ) -> Result<GitSharing, MemoryError> {
        let sharing = brain.map_or_else(|| asked.without_brain(), |brain| asked.sharing(brain));
        let is_open = asked == GitWish::AsItIs && sharing == GitSharing::Committed;
        let is_kept_out = || repo::is_kept_out(&*self.disk, &repo::folder(root));
        Ok(if is_open && is_kept_out()? { GitSharing::Private } else { sharing })
    }

    /// What can be committed once a private project is private no more: the claims in the repository, and those that are
    /// still to come there, each by its id and its label.
    pub(super) fn committable(
        &self,
        brain: &Brain,
        to_come: Vec<(String, String)>,
    ) -> Result<String, MemoryError> {
        let scan = self.home.store_at(brain, StorePlace::Repo).scan()?;
        let there = scan.claims.into_iter().map(|stored| (stored.id, stored.claim.label));
        let claims: BTreeSet<(String, String)> = there.chain(to_come).collect();
        let labels: Vec<String> =
            claims.iter().take(LABELS_NAMED_MAX).map(|(_, label)| format!("{label:?}")).collect();
        let more = if claims.len() > labels.len() { ", …" } else { "" };
        let claims = match claims.len() {
            0 => "no claim".to_owned(),
            1 => format!("1 claim ({})", labels.join("")),
            count => format!("{count} claims ({}{more})", labels.join(", ")),
        };
        let was = match self.is_tracked(&brain.root) {
            true => "it was to be private, and git tracks .brainstem all the same",
            false => "it was private",
        };
        Ok(format!(
            "{was}: {claims}, the acts upon them, letters and cases in .brainstem can be committed from now on"
        ))
    }

    /// Whether git tracks a file in the repository's folder of memory.
    pub(super) fn is_tracked(&self, root: &Path) -> bool {
        repo::exposed(&*self.disk, &repo::folder(root)) == Some(Exposed::Tracked)
    }

    /// Lets this clone exclude memory that is private and that git still tracks, so that it stays out once git tracks it no
    /// more. The folder of memory of a project that is shared is not excluded. What the worktrees of a bare repository
    /// share stays as it is: the line would be a rule for the memory of each of them.
    pub(super) fn exclude(&self, sharing: GitSharing, root: &Path, git_dir: &Path) -> Result<(), StoreError> {
        match sharing {
            _ if self.shares_exclude(root) => Ok(()),
            GitSharing::Private if self.is_tracked(root) => {
                repo::set_exclude(&*self.disk, &*self.ids, git_dir)
            }
            GitSharing::Private | GitSharing::Unread => Ok(()),
            GitSharing::Committed => repo::unset_exclude(&*self.disk, &*self.ids, git_dir),
        }
    }

    /// Whether a root is a worktree that has its rules of git in common with others.
    fn shares_exclude(&self, root: &Path) -> bool {
        let own = git_layout::git_dir(&*self.disk, root);
        own.is_some_and(|own| git_layout::common_dir(&*self.disk, &own) != own)
    }

    /// A line of git for a repository that works as it is typed where the caller is: in a linked worktree, or in a folder
    /// below, the same line would be for another folder.
    fn git_line(&self, root: &Path, rest: &str) -> String {
        match self.stands_at(root) {
            true => format!("git {rest}"),
            false => format!("git -C {} {rest}", shell_word(&root.display().to_string())),
        }
    }

    /// What the memory of a repository becomes: private, committed, or not private yet because git tracks it.
    pub(super) fn sharing_notes(&self, sharing: GitSharing, asked: GitWish, root: &Path) -> Vec<Advice> {
        if sharing == GitSharing::Private && self.is_tracked(root) {
            let untrack = Shell::line(self.git_line(root, "rm -r --cached .brainstem"));
            let steps = match repo::overruled_exclude(&*self.disk, root) {
                // In a worktree of a bare repository, the file in the folder keeps it out once git does not track that file.
                None if self.shares_exclude(root) => advice![
                    "so it is not private yet: ",
                    untrack,
                    ", then ",
                    calls::init(),
                    " once more, then commit"
                ],
                None => advice!["so it is not private yet: ", untrack, ", then commit"],
                Some(rules) => advice![
                    "and a rule in `",
                    rules.display().to_string(),
                    "` would take it in again, so it is not private yet: ",
                    untrack,
                    ", then ",
                    calls::init(),
                    ", which keeps the folder out, then commit"
                ],
            };
            return vec![advice![
                "git tracks .brainstem already, ",
                steps,
                "; from then on it stays out of git, and what was committed before stays in its history; \
                 where everyone who pulls is to keep it, ",
                calls::init_shared(),
                " instead"
            ]];
        }
        sharing_notes(sharing, asked, root, self.left_out_of_git(root))
    }

    /// Says which rule of git leaves the memory out that a project shares; `None` if git takes it.
    pub(crate) fn left_out_of_git(&self, root: &Path) -> Option<String> {
        let IgnoringRule { file, rule } = ignoring_rule(&*self.disk, root, self.user_home())?;
        Some(format!(
            "`{}` keeps .brainstem out of git, all or a part of it, by the rule `{rule}`: what is memorized here reaches no other \
             clone; remove that rule if it should travel",
            file.display()
        ))
    }
}

impl GitWish {
    /// Returns how the memory of this brain is shared from now on.
    pub(super) fn sharing(self, brain: &Brain) -> GitSharing {
        if self == Self::AsItIs { brain.sharing } else { self.without_brain() }
    }

    /// Returns how the memory of a project is shared that has no brain yet.
    pub(super) fn without_brain(self) -> GitSharing {
        match self {
            Self::Private => GitSharing::Private,
            Self::Shared | Self::AsItIs => GitSharing::Committed,
        }
    }
}

pub(super) fn sharing_notes(
    sharing: GitSharing,
    asked: GitWish,
    root: &Path,
    left_out: Option<String>,
) -> Vec<Advice> {
    let folder = repo::folder(root);
    if let Some(left_out) = left_out.filter(|_| sharing == GitSharing::Committed) {
        return vec![left_out.into()];
    }
    match sharing {
        GitSharing::Private if asked == GitWish::AsItIs => vec![advice![
            "this project is private, as it was: `",
            folder.display().to_string(),
            "` stays out of git; ",
            calls::init_shared(),
            " lets it be committed"
        ]],
        GitSharing::Private => {
            vec![format!("private: `{}` stays out of git", folder.display()).into()]
        }
        // Refused before.
        GitSharing::Unread => Vec::new(),
        GitSharing::Committed => vec![
            advice![
                "MEMORY AND LETTERS ARE COMMITTED BY DEFAULT: what lies in .brainstem is for everyone who can read the \
                 repository, and stays in its history once it is committed (",
                next::field("private").set(),
                " keeps it out of git)"
            ],
            advice!["to share it: ", Shell::line("git add .brainstem && git commit")],
        ],
    }
}
