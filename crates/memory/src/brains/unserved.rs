//! Memory that is kept and not served in a folder: what an answer says of it, and the calls that lead on.

use crate::gap::{Gap, ROOT_GONE};
use brainstem_base::next::{NextCall, Shell, calls};
use brainstem_base::{Advice, ErrorCode, advice, codes};
use brainstem_caller::place_checks::repair_line;
use brainstem_vault::Brain;
use brainstem_vault::home::NotServedReason;
use std::path::{Path, PathBuf};

/// A brain whose root is gone, and a folder that may be its project.
#[derive(Clone, Debug)]
pub struct Orphan {
    /// The folder.
    pub(super) root: PathBuf,
    /// The folder is inside a repository, so that `bootstrap` needs `exact` to take this very one.
    pub(super) exact: bool,
    /// The brain: name@id.
    pub brain: String,
    /// The last part of the path that its root had.
    pub(super) was_called: String,
    /// The word that takes it up.
    pub word: String,
    /// The folder has the commits, the origin or the files that are remembered of the project; otherwise its name alone.
    pub is_recognised: bool,
    /// The other brains of which the same is true.
    pub(super) others: Vec<OrphanBrain>,
}

/// One of several brains that a folder may be the project of.
#[derive(Clone, Debug)]
pub(crate) struct OrphanBrain {
    /// The brain: name@id.
    pub(super) brain: String,
    /// The last part of the path that its root had.
    pub(super) was_called: String,
    /// The word that takes it up.
    pub(super) word: String,
}

impl Orphan {
    /// What is known, as a sentence without its end.
    pub(crate) fn sentence(&self) -> String {
        let Self { brain, was_called, .. } = self;
        match self.is_recognised {
            true if !self.others.is_empty() => {
                let others =
                    self.others.iter().map(|other| format!("{} ({:?})", other.brain, other.was_called));
                let others: Vec<String> = others.collect();
                format!(
                    "the folders of {brain} ({was_called:?}) and {} are gone, and this folder has the history or the files of \
                     each of these projects",
                    others.join(", ")
                )
            }
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

    /// The call that gives the folder a brain of its own. Plain `bootstrap` is refused if the project is recognised.
    pub fn own_brain(&self) -> NextCall {
        match self.is_recognised {
            true => calls::bootstrap_anew(&self.root, self.exact),
            false => calls::bootstrap_place(&self.root, self.exact),
        }
    }

    /// The ways on, for a folder without a brain.
    pub(crate) fn fix(&self) -> Advice {
        advice![
            match self.others.is_empty() {
                true => advice!["if this is that project, take its memory up: ", self.take_up()],
                false => self.take_up_one(),
            },
            "; if it is another one, give it a brain of its own: ",
            self.own_brain()
        ]
    }

    /// Each brain that this may be the project of, with the call that takes its memory up.
    pub(crate) fn take_ups(&self) -> Vec<(&str, NextCall)> {
        let take_up = |other: &'_ OrphanBrain| calls::take_up(&self.root, self.exact, &other.word);
        let others = self.others.iter().map(|other| (other.brain.as_str(), take_up(other)));
        std::iter::once((self.brain.as_str(), self.take_up())).chain(others).collect()
    }

    /// The same as one advice: of several brains none is advised alone.
    fn take_up_one(&self) -> Advice {
        let mut advice = advice!["take up the memory of the one that it is: "];
        for (at, (_, call)) in self.take_ups().into_iter().enumerate() {
            advice.push(advice![if at == 0 { "" } else { " or " }, call]);
        }
        advice
    }

    /// The same, for the status.
    pub(crate) fn gap(&self) -> Gap {
        Gap::new(ROOT_GONE, advice![self.sentence(), "; ", self.fix()])
    }
}

/// A folder, and the memory that is kept and not served there.
#[derive(Clone, Debug)]
pub struct Replacement {
    /// The folder.
    pub root: PathBuf,
    /// Why the memory is not served there.
    pub apart: NotServedReason,
    /// Where the root of the youngest of it was, or is.
    pub was_at: PathBuf,
    /// The folder is inside a repository and was a project of its own.
    pub exact: bool,
    /// What is kept, with how much it is: `cherry@1a2b3c4d, 3 claims`.
    pub kept: String,
    /// The word that takes the youngest of it up.
    pub word: String,
    /// The root of the youngest of it is gone.
    pub is_gone: bool,
}

impl Replacement {
    /// What happened, as a sentence without its end.
    pub(crate) fn sentence(&self) -> String {
        let (root, predicate) = (self.root.display(), self.predicate());
        match self.is_about_brain() {
            true => format!("the brain of `{root}` {predicate}"),
            false => format!("`{root}` {predicate}"),
        }
    }

    /// The same, as words that follow "you are".
    pub(crate) fn place_words(&self) -> String {
        let (root, predicate) = (self.root.display(), self.predicate());
        match self.is_about_brain() {
            true => format!("in `{root}`, whose brain {predicate}"),
            false => format!("in `{root}`, which {predicate}"),
        }
    }

    /// Whether the predicate is about the brain of the folder, which was set aside, and not about the folder.
    fn is_about_brain(&self) -> bool {
        match self.apart {
            NotServedReason::SetAside => true,
            NotServedReason::OtherFolder
            | NotServedReason::Alike
            | NotServedReason::Worktree
            | NotServedReason::Left
            | NotServedReason::LeftBrainless => false,
        }
    }

    /// What to say of the folder, or of its brain if that was set aside.
    fn predicate(&self) -> String {
        let (kept, was_at) = (&self.kept, self.was_at.display());
        match self.apart {
            NotServedReason::OtherFolder => format!(
                "is another folder than the one that was remembered at this path; the memory of that one is kept and not shown here ({kept})"
            ),
            NotServedReason::Alike => format!(
                "has the number and birth of the folder that was remembered at `{was_at}`, and its device, its commits or its origin speak against it; the memory of that one is kept and not shown here ({kept})"
            ),
            NotServedReason::Worktree if self.is_gone => format!(
                "is a worktree of the repository at `{was_at}`, which is not there now; its memory is kept and not shown here ({kept})"
            ),
            NotServedReason::Worktree => format!(
                "is a worktree of the repository at `{was_at}`, and one of the two was moved, so that they do not find each other; its memory is kept and not shown here ({kept})"
            ),
            NotServedReason::SetAside => {
                format!("was set aside; its memory is kept and not shown here ({kept})")
            }
            NotServedReason::Left => format!(
                "has another brain now than the one that this session was served from ({kept}); neither is served until the session says which it means"
            ),
            NotServedReason::LeftBrainless => format!(
                "is no longer the folder of the brain that this session was served from ({kept}), and has no brain of its own; the memory, the mail and the letters of this folder are not served until the session says which project it means"
            ),
        }
    }

    /// The call that goes back to the memory that is kept; `None` if no folder is known for it.
    pub(crate) fn go_back(&self) -> Option<NextCall> {
        match self.apart {
            NotServedReason::Worktree if !self.is_gone => Some(expecting(&self.was_at)),
            NotServedReason::OtherFolder
            | NotServedReason::Alike
            | NotServedReason::Worktree
            | NotServedReason::SetAside => Some(calls::take_up(&self.root, self.exact, &self.word)),
            NotServedReason::Left | NotServedReason::LeftBrainless if self.was_at == self.root => None,
            NotServedReason::Left | NotServedReason::LeftBrainless => Some(expecting(&self.was_at)),
        }
    }

    /// The call that goes on without it: a new brain for the folder, or the one that it has now.
    pub(crate) fn go_on(&self) -> NextCall {
        match self.apart {
            NotServedReason::OtherFolder | NotServedReason::Alike | NotServedReason::LeftBrainless => {
                calls::bootstrap_place(&self.root, self.exact)
            }
            NotServedReason::Worktree | NotServedReason::SetAside => {
                calls::bootstrap_anew(&self.root, self.exact)
            }
            NotServedReason::Left => expecting(&self.root),
        }
    }

    /// The two ways on.
    pub(crate) fn fix(&self) -> Advice {
        let back = match self.go_back() {
            Some(call) => call.into(),
            None => advice![calls::handshake(calls::PATH), ", with the folder where it is now"],
        };
        let on = self.go_on();
        match self.apart {
            NotServedReason::OtherFolder | NotServedReason::Alike => advice![
                "if this is the same project, take its memory up: ",
                back,
                "; if it is another one, give it a brain of its own: ",
                on
            ],
            NotServedReason::Worktree if self.is_gone => advice![
                "move the repository back to `",
                self.was_at.display().to_string(),
                "`, or run ",
                self.repair(),
                " in the folder where it is now; if it is gone for good, make this folder the root of its memory: ",
                back,
                "; if this is to be a project of its own: ",
                on
            ],
            NotServedReason::Worktree => advice![
                "run ",
                self.repair(),
                " in `",
                self.was_at.display().to_string(),
                "`; or work from there: ",
                back,
                "; if this is to be a project of its own: ",
                on
            ],
            NotServedReason::SetAside => {
                advice!["take its memory up again: ", back, "; or begin anew with an empty brain: ", on]
            }
            NotServedReason::LeftBrainless => advice![
                "go back to the brain of before: ",
                back,
                "; or, if you mean the project that is there now, give it a brain of its own: ",
                on
            ],
            NotServedReason::Left => advice![
                "go on with the brain that is there now: ",
                on,
                "; or go back to the one before: ",
                back
            ],
        }
    }

    /// The line that joins a repository and its worktree again, run in the repository.
    fn repair(&self) -> Shell {
        repair_line(&self.root)
    }

    /// The code of the refusal.
    pub(crate) fn code(&self) -> ErrorCode {
        match self.apart {
            NotServedReason::OtherFolder
            | NotServedReason::Alike
            | NotServedReason::Left
            | NotServedReason::LeftBrainless => codes::MEMORY_ROOT_REPLACED,
            NotServedReason::Worktree => codes::MEMORY_ROOT_GONE,
            NotServedReason::SetAside => codes::MEMORY_SET_ASIDE,
        }
    }

    /// The rule it follows from.
    pub(crate) fn rule(&self) -> &'static str {
        match self.apart {
            NotServedReason::OtherFolder | NotServedReason::Alike => "MEM-1",
            NotServedReason::Worktree | NotServedReason::Left | NotServedReason::LeftBrainless => "MEM-17",
            NotServedReason::SetAside => "MEM-1b",
        }
    }

    /// Says that nothing is served here, and what is kept.
    pub(crate) fn gap(&self) -> Gap {
        let name = match self.apart {
            NotServedReason::OtherFolder
            | NotServedReason::Alike
            | NotServedReason::Left
            | NotServedReason::LeftBrainless => "root_replaced",
            NotServedReason::Worktree => ROOT_GONE,
            NotServedReason::SetAside => "set_aside",
        };
        Gap::new(name, advice![self.sentence(), "; ", self.fix()])
    }
}

/// A brain that was set aside.
#[derive(Clone, Debug)]
pub struct SetAside {
    /// The brain, as it was.
    pub brain: Brain,
    /// Its folder now.
    pub folder: PathBuf,
    /// How many claims it holds; `None` if they cannot be counted.
    pub claims: Option<usize>,
    /// The call that brings it back. If the brain's own root is gone, it has `PATH` in the place of the folder.
    pub back: NextCall,
}

/// The call that moves a session to a folder.
fn expecting(root: &Path) -> NextCall {
    calls::handshake(root)
}
