//! A folder that was made where the root of another brain was: what is said there, and the two ways on.

use crate::bootstrap::Bootstrapped;
use crate::recall::Gap;
use crate::refusal::{MemoryError, shell_word};
use crate::service::{Caller, Memory};
use brainstem_base::{Coded as _, Fault, codes};
use brainstem_vault::aside::{ASIDE, SWEPT};
use brainstem_vault::home::{AtRoot, Displaced, Roster};
use brainstem_vault::{Brain, Store, StorePlace};
use std::path::{Path, PathBuf};

/// A brain that was set aside.
#[derive(Clone, Debug)]
pub struct SetAside {
    /// The brain, as it was.
    pub brain: Brain,
    /// Where it lies now.
    pub folder: PathBuf,
    /// How many claims it holds; `None` where that cannot be told.
    pub claims: Option<usize>,
}

/// Whether a word names a brain: its fingerprint, also that of one which was set aside, name@id, or its id.
fn is_called(brain: &Brain, word: &str) -> bool {
    let plain = [SWEPT, ASIDE].iter().find_map(|prefix| brain.fingerprint.strip_prefix(prefix));
    let names = [brain.fingerprint.clone(), brain.origin(), brain.manifest.id.to_string()];
    names.iter().any(|name| name == word) || plain == Some(word)
}

/// A folder, and the memory of the one before it, which is kept and not served there.
#[derive(Clone, Debug)]
pub struct Replacement {
    /// The folder.
    pub root: PathBuf,
    /// What is kept, with how much it is: `cherry@1a2b3c4d, 3 claims`.
    pub kept: String,
    /// The word that takes the youngest of it up.
    pub word: String,
}

impl Replacement {
    /// What happened, as a sentence without its end.
    pub(crate) fn told(&self) -> String {
        let Self { root, kept, .. } = self;
        format!(
            "`{}` is another folder than the one that was remembered at this path; the memory of that one is kept and not shown here ({kept})",
            root.display()
        )
    }

    /// The call for who means the same project.
    pub(crate) fn take_up(&self) -> String {
        format!("brainstem bootstrap {} --take-up {}", self.path(), self.word)
    }

    /// The call for who means another project.
    pub(crate) fn set_apart(&self) -> String {
        format!("brainstem bootstrap {}", self.path())
    }

    /// The two ways on.
    pub(crate) fn fix(&self) -> String {
        format!(
            "if this is the same project, take its memory up: {}; if it is another one, give it a brain of its own: {}",
            self.take_up(),
            self.set_apart()
        )
    }

    fn path(&self) -> String {
        shell_word(&self.root.display().to_string())
    }
}

impl Memory {
    /// What is to be said about a folder that is another one than before.
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
            Some(brain) => brain.fingerprint.clone(),
            None => String::new(),
        };
        Replacement { root: root.to_owned(), kept: kept.join("; "), word }
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
        self.floor().text("reason", reason)?;
        let path = match word.contains('/') || word.starts_with('.') {
            true => Some(caller.path("brain", Path::new(word))?.display().to_string()),
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
            let root = shell_word(&brain.root.display().to_string());
            let fix = format!("bring it under the home first: brainstem eject {root}");
            let fault = Fault::new(codes::INPUT_BAD_VALUE, message).fix(fix);
            return Err(fault.field("brain").rule("MEM-1b").into());
        }
        let folder = self.home.put_aside(&brain, &caller.principal.agent, reason)?;
        Ok(SetAside { brain, folder, claims: claims.ok() })
    }

    /// The brains that were set aside, each with its claims.
    pub(crate) fn aside(&self) -> Vec<SetAside> {
        let brains = self.home.all_aside().into_iter();
        brains
            .map(|brain| {
                let store = self.home.store_at(&brain, StorePlace::Owner);
                SetAside { folder: brain.folder.clone(), claims: store.count().ok(), brain }
            })
            .collect()
    }

    /// Makes a folder the root of a brain that has no folder of its own any more. Only a caller can say that the
    /// folder is that project; the word is recorded.
    pub(crate) fn take_up(
        &self,
        caller: &Caller,
        root: &Path,
        word: &str,
    ) -> Result<Bootstrapped, MemoryError> {
        let refused = |message: String, fix: &str| -> MemoryError {
            Fault::new(codes::MEMORY_UNKNOWN_BRAIN, message).fix(fix).field("take_up").rule("MEM-1").into()
        };
        let shown: String = word.chars().take(80).collect();
        if let AtRoot::Brain(brain) = self.home.look_at(root) {
            if is_called(&brain, word) {
                self.home.remember_root(&brain)?;
                return Ok(Bootstrapped { brain: *brain, existed: true, notes: Vec::new() });
            }
            let message = format!("`{}` has a brain of its own, {}", root.display(), brain.origin());
            let fix = "brainstem set-aside takes that one out of the way first; nothing of it is lost";
            return Err(refused(message, fix));
        }
        let mut meant = self.without_a_folder(word)?;
        let (brain, place) = match meant.len() {
            1 => meant.remove(0),
            0 => {
                let message = format!("no memory without a folder is {shown:?}");
                let fix = "see `brainstem brains`: only a brain whose folder is gone or was made anew, or that was set aside, can be taken up";
                return Err(refused(message, fix));
            }
            _ => {
                let message = format!("more than one memory without a folder is {shown:?}");
                return Err(refused(message, "give the fingerprint of one that `brainstem brains` lists"));
            }
        };
        let brain = self.home.take_up(&brain, place, root, &caller.principal.agent)?;
        let claims = self.home.store_of(&brain).count().unwrap_or(0);
        let mut notes = Vec::new();
        if place == StorePlace::Repo && claims == 0 {
            notes.push(
                "its claims lay in the repository: brainstem init brings them back from their copies".into(),
            );
        }
        Ok(Bootstrapped { brain, existed: true, notes })
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
        Gap::new("root_replaced", format!("{}; {}", replacement.told(), replacement.fix()))
    }
}
