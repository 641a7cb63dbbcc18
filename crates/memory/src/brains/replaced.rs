//! Memory that is kept and not served at its path, because another folder was made there or a person set it aside:
//! what is said there, and the two ways on.

use crate::brains::bootstrap::Bootstrapped;
use crate::brains::unserved::{Replacement, SetAside};
use crate::error::MemoryError;
use crate::service::{Memory, path_of};
use brainstem_base::next::{NextCall, calls, shell_word};
use brainstem_base::{Advice, advice};
use brainstem_base::{Coded as _, Fault, codes};
use brainstem_caller::Caller;
use brainstem_caller::git_layout;
use brainstem_caller::route::Route;
use brainstem_vault::aside::{ASIDE, SWEPT};
use brainstem_vault::home::{Apart, AtRoot, Displaced, Roster};
use brainstem_vault::{Brain, Store, StorePlace};
use std::path::Path;

/// Whether a word names a brain: its fingerprint, also that of one which was set aside, name@id, or its id.
fn is_called(brain: &Brain, word: &str) -> bool {
    let plain = [SWEPT, ASIDE].iter().find_map(|prefix| brain.fingerprint.strip_prefix(prefix));
    let names = [brain.fingerprint.clone(), brain.origin(), brain.manifest.id.to_string()];
    names.iter().any(|name| name == word) || plain == Some(word)
}

impl Memory {
    /// Whether `bootstrap` would take the repository around a folder for the project.
    pub(crate) fn is_inside_a_repository(&self, root: &Path) -> bool {
        git_layout::repository_of(&self.home, &self.never, root).is_some_and(|top| top != root)
    }

    /// What is to be said about a folder whose memory is kept apart.
    pub(crate) fn replacement(&self, root: &Path, before: &[Displaced]) -> Replacement {
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
        let apart = before.first().map_or(Apart::OtherFolder, |displaced| displaced.apart);
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
            Route::Replaced { root, before, .. } if before.iter().any(|one| one.apart != Apart::SetAside) => {
                Err(self.replaced(root, before))
            }
            _ => Ok(()),
        }
    }

    /// The refusal of what needs a brain.
    pub(crate) fn replaced(&self, root: &Path, before: &[Displaced]) -> MemoryError {
        MemoryError::Replaced(Box::new(self.replacement(root, before)))
    }

    /// The memory of this home that no folder shows, found by a word: name@id, an id, or a fingerprint.
    fn without_a_folder(&self, word: &str) -> Result<Vec<(Brain, StorePlace)>, MemoryError> {
        let roster = self.home.roster()?;
        let gone = roster.brains.into_iter().filter(|brain| self.home.is_gone(&brain.root));
        let gone = gone.map(|brain| (brain.clone(), brain.place));
        let displaced = roster.displaced.into_iter().map(|displaced| (displaced.brain, displaced.lay_in));
        let aside = self.home.all_aside().into_iter().map(|brain| (brain.clone(), brain.place));
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
        let brains = self.home.all_aside().into_iter();
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
}
