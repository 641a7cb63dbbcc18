//! Memory that is kept and not served at its path, because another folder was made there or a person set it aside:
//! what is said there, and the two ways on.

use crate::brains::bootstrap::Bootstrapped;
use crate::brains::orphans::ROOT_GONE;
use crate::error::MemoryError;
use crate::reading::feed::Gap;
use crate::service::{Memory, path_of};
use brainstem_base::next::{NextCall, Shell, calls, shell_word};
use brainstem_base::{Advice, advice};
use brainstem_base::{Coded as _, ErrorCode, Fault, codes};
use brainstem_caller::Caller;
use brainstem_caller::git_layout;
use brainstem_caller::route::Route;
use brainstem_vault::home::{AtRoot, DisplacedBrain, NotServedReason, Roster};
use brainstem_vault::set_aside_brains::{ASIDE, SWEPT};
use brainstem_vault::{Brain, Store, StoreError, StorePlace};
use std::path::{Path, PathBuf};

/// How often a caller looks for the memory to take up.
const TRIES_MAX: u32 = 3;

/// A brain that was set aside.
#[derive(Clone, Debug)]
pub struct SetAside {
    /// The brain, as it was.
    pub brain: Brain,
    /// Where it lies now.
    pub folder: PathBuf,
    /// How many claims it holds; `None` where that cannot be told.
    pub claims: Option<usize>,
    /// The call that brings it back. `PATH` stands in it for the folder where the brain's own root is gone.
    pub back: NextCall,
}

/// Whether a word names a brain: its fingerprint, also that of one which was set aside, name@id, or its id.
fn is_called(brain: &Brain, word: &str) -> bool {
    let plain = [SWEPT, ASIDE].iter().find_map(|prefix| brain.fingerprint.strip_prefix(prefix));
    let names = [brain.fingerprint.clone(), brain.origin(), brain.manifest.id.to_string()];
    names.iter().any(|name| name == word) || plain == Some(word)
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
    /// The folder lies inside a repository and was a project of its own.
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
    pub(crate) fn told(&self) -> String {
        let root = self.root.display();
        match self.apart {
            NotServedReason::OtherFolder
            | NotServedReason::Alike
            | NotServedReason::Worktree
            | NotServedReason::Left
            | NotServedReason::LeftBrainless => {
                format!("`{root}` {}", self.predicate())
            }
            NotServedReason::SetAside => format!("the brain of `{root}` {}", self.predicate()),
        }
    }

    /// The same, as words that follow "you are".
    pub(crate) fn place_words(&self) -> String {
        let root = self.root.display();
        match self.apart {
            NotServedReason::OtherFolder
            | NotServedReason::Alike
            | NotServedReason::Worktree
            | NotServedReason::Left
            | NotServedReason::LeftBrainless => {
                format!("in `{root}`, which {}", self.predicate())
            }
            NotServedReason::SetAside => format!("in `{root}`, whose brain {}", self.predicate()),
        }
    }

    /// What is said of the folder, or of its brain where that was set aside.
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
        Shell::line(format!("git worktree repair {}", shell_word(&self.root.display().to_string())))
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
}

/// The call that moves a session to a folder.
fn expecting(root: &Path) -> NextCall {
    calls::handshake(root)
}

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
            Some(brain) if is_alone(&brain) => shell_word(&brain.origin()),
            Some(brain) => shell_word(&brain.fingerprint),
            None => String::new(),
        };
        let was_at = youngest.map_or_else(|| root.to_owned(), |brain| brain.root.clone());
        let apart = before.first().map_or(NotServedReason::OtherFolder, |displaced| displaced.apart);
        let exact = self.is_inside_a_repository(root);
        let is_gone = self.home.is_gone(&was_at);
        Replacement { root: root.to_owned(), apart, was_at, exact, kept: kept.join("; "), word, is_gone }
    }

    /// Refuses a caller whose session was served from a brain where it stands, if the folder there is another one now or
    /// has another brain or none: its mail and its letters are of another project. A brain that was set aside leaves the
    /// folder as it was.
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

    /// The refusal of what needs a brain.
    pub(crate) fn replaced(&self, root: &Path, before: &[DisplacedBrain]) -> MemoryError {
        MemoryError::Replaced(Box::new(self.replacement(root, before)))
    }

    /// The memory of this home that no folder shows, found by a word: name@id, an id, or a fingerprint.
    fn without_a_folder(&self, word: &str) -> Result<Vec<(Brain, StorePlace)>, MemoryError> {
        let roster = self.home.roster()?;
        let gone = roster.brains.into_iter().filter(|brain| self.home.is_gone(&brain.root));
        let gone = gone.map(|brain| (brain.clone(), brain.place));
        let displaced = roster.displaced.into_iter().map(|displaced| (displaced.brain, displaced.lay_in));
        let aside = self.home.all_set_aside().into_iter().map(|brain| (brain.clone(), brain.place));
        Ok(gone.chain(displaced).chain(aside).filter(|(brain, _)| is_called(brain, word)).collect())
    }

    /// Sets a brain aside: it is in no recall from then on, and nothing of it is deleted.
    pub fn set_aside(&self, caller: &Caller, word: &str, reason: &str) -> Result<SetAside, MemoryError> {
        caller.moved_by(|| self.put_aside(caller, word, reason))
    }

    fn put_aside(&self, caller: &Caller, word: &str, reason: &str) -> Result<SetAside, MemoryError> {
        self.floor().text("reason", reason)?;
        let path = match word.contains('/') || word.starts_with('.') {
            true => {
                let path = path_of(caller, "brain", Path::new(word))?;
                // A person who types `../cherry` means the folder that is there.
                let there = self.disk.canonical(&path).unwrap_or(path);
                Some(there.display().to_string())
            }
            false => None,
        };
        let word = path.as_deref().unwrap_or(word);
        let roster = self.home.roster()?;
        let displaced = roster.displaced.iter().find(|displaced| is_called(&displaced.brain, word));
        let (brain, claims) = match displaced {
            Some(displaced) => (displaced.brain.clone(), self.home.displaced_claims(displaced)),
            None => {
                let brain = self.brain_named(word)?;
                let claims = self.store_of(&brain).count();
                (brain, claims)
            }
        };
        if brain.place == StorePlace::Repo && !self.home.is_gone(&brain.root) {
            let message =
                format!("the memory of {} lies in its repository `{}`", brain.origin(), brain.root.display());
            let fix = advice!["bring it under the home first: ", calls::eject_at(&brain.root)];
            let fault = Fault::new(codes::INPUT_BAD_VALUE, message).fix(fix);
            return Err(fault.field("brain").rule("MEM-1b").into());
        }
        let folder = self.home.put_aside(&brain, &caller.principal.agent, reason)?;
        let back = self.call_back(&brain);
        Ok(SetAside { brain, folder, claims: claims.ok(), back })
    }

    /// The brains that were set aside, each with its claims.
    pub(crate) fn aside(&self) -> Vec<SetAside> {
        let brains = self.home.all_set_aside().into_iter();
        brains
            .map(|brain| {
                let store = self.home.store_at(&brain, StorePlace::Owner);
                let back = self.call_back(&brain);
                SetAside { folder: brain.folder.clone(), claims: store.count().ok(), back, brain }
            })
            .collect()
    }

    /// The brain that was set aside and that a word names, if there is one.
    pub(crate) fn aside_named(&self, word: &str) -> Option<SetAside> {
        self.aside().into_iter().find(|aside| is_called(&aside.brain, word))
    }

    /// The call that brings a brain back that is set aside.
    fn call_back(&self, brain: &Brain) -> NextCall {
        match self.home.is_gone(&brain.root) {
            true => calls::take_up(calls::PATH, false, brain.origin()),
            false => {
                let exact = self.is_inside_a_repository(&brain.root);
                calls::take_up(&brain.root, exact, brain.origin())
            }
        }
    }

    /// Makes a folder the root of a brain that has no folder of its own any more. Only a caller can say that the
    /// folder is that project; the word is recorded.
    pub(crate) fn take_up(
        &self,
        caller: &Caller,
        root: &Path,
        word: &str,
    ) -> Result<Bootstrapped, MemoryError> {
        for _ in 0..TRIES_MAX {
            match self.take_up_once(caller, root, word) {
                // Another caller took it up, or gave the folder a brain: what there is now is looked at again.
                Err(error) if error.code() == codes::STORE_MOVED => {}
                done => return done,
            }
        }
        Err(StoreError::Moved.into())
    }

    fn take_up_once(&self, caller: &Caller, root: &Path, word: &str) -> Result<Bootstrapped, MemoryError> {
        let refused = |message: String, fix: Advice| -> MemoryError {
            Fault::new(codes::MEMORY_UNKNOWN_BRAIN, message).fix(fix).field("take_up").rule("MEM-1").into()
        };
        let shown: String = word.chars().take(80).collect();
        let own = match git_layout::look_at(&self.home, root) {
            AtRoot::Brain(brain) => Some(*brain),
            AtRoot::Nothing | AtRoot::Replaced(_) | AtRoot::Broken(_) => None,
        };
        if let Some(brain) = own.as_ref().filter(|brain| is_called(brain, word)) {
            self.home.remember_root(brain)?;
            let brain = brain.clone();
            return Ok(Bootstrapped { brain, existed: true, taken_up: false, notes: Vec::new() });
        }
        let mut meant = self.without_a_folder(word)?;
        let (brain, place) = match meant.len() {
            1 => meant.remove(0),
            0 => {
                let message = format!("no memory without a folder is {shown:?}");
                let fix = advice![
                    "see `",
                    calls::brains(),
                    "`: only a brain whose folder is gone or was made anew, or that was set aside, can be taken up"
                ];
                return Err(refused(message, fix));
            }
            _ => {
                let message = format!("more than one memory without a folder is {shown:?}");
                let fingerprints: Vec<&str> =
                    meant.iter().map(|(brain, _)| brain.fingerprint.as_str()).collect();
                let fix = format!("give the fingerprint of one: {}", fingerprints.join(", "));
                return Err(refused(message, fix.into()));
            }
        };
        // Only now: nothing is to be set aside for memory that cannot be taken up.
        if let Some(own) = own {
            let message = format!("`{}` has a brain of its own, {}", root.display(), own.origin());
            let fix = advice![
                "set that one aside first, which deletes nothing: ",
                calls::set_aside(root),
                "; then repeat this call"
            ];
            let fault = Fault::new(codes::MEMORY_HAS_BRAIN, message).fix(fix);
            return Err(fault.field("take_up").rule("MEM-1b").into());
        }
        let brain = self.home.take_up(&brain, place, root, &caller.principal.agent)?;
        let claims = self.home.store_of(&brain).count().unwrap_or(0);
        let mut notes = Vec::new();
        if place == StorePlace::Repo && claims == 0 {
            notes.push(advice![
                "its claims lay in the repository: ",
                calls::init(),
                " brings them back from their copies"
            ]);
        }
        Ok(Bootstrapped { brain, existed: true, taken_up: true, notes })
    }

    /// The store of every brain of a roster: at its place, or what the home has of one whose root is another folder.
    pub(crate) fn stores_in(&self, roster: &Roster) -> Vec<(Brain, Store)> {
        let here = roster.brains.iter().map(|brain| (brain.clone(), self.store_of(brain)));
        let displaced = roster.displaced.iter();
        let displaced =
            displaced.map(|displaced| (displaced.brain.clone(), self.home.displaced_store(displaced)));
        here.chain(displaced).collect()
    }

    /// Says that nothing is served here, and what is kept.
    pub(crate) fn replaced_gap(replacement: &Replacement) -> Gap {
        let name = match replacement.apart {
            NotServedReason::OtherFolder
            | NotServedReason::Alike
            | NotServedReason::Left
            | NotServedReason::LeftBrainless => "root_replaced",
            NotServedReason::Worktree => ROOT_GONE,
            NotServedReason::SetAside => "set_aside",
        };
        Gap::new(name, advice![replacement.told(), "; ", replacement.fix()])
    }
}
