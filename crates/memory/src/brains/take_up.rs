//! Memory that no folder shows becomes the memory of a folder again.

use crate::brains::brain_words::{has_name, is_called, keep_meant};
use crate::brains::error::BrainError;
use crate::brains::list::{did_you_mean, have_one_origin};
use crate::error::MemoryError;
use crate::service::Memory;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_caller::{Caller, git_layout};
use brainstem_vault::home::AtRoot;
use brainstem_vault::{Brain, StorePlace};
use std::path::Path;

/// The brain of a root.
#[derive(Clone, Debug)]
pub struct Bootstrapped {
    /// The brain.
    pub brain: Brain,
    /// It was there already; nothing was changed.
    pub existed: bool,
    /// Memory that no folder had is the memory of this root now.
    pub taken_up: bool,
    /// What the caller should know besides.
    pub notes: Vec<Advice>,
}

impl Memory {
    /// Makes a folder the root of a brain that has no folder of its own any more. Only a caller can say that the
    /// folder is that project; the word is recorded. Fails with [`StoreError::Moved`](brainstem_vault::StoreError::Moved) if
    /// another caller took it up meanwhile, or gave the folder a brain: `bootstrap` then looks again.
    pub(crate) fn take_up(
        &self,
        caller: &Caller,
        root: &Path,
        word: &str,
    ) -> Result<Bootstrapped, MemoryError> {
        let shown = || word.chars().take(80).collect();
        let own = match git_layout::look_at(&self.home, root) {
            AtRoot::Brain(brain) => Some(*brain),
            AtRoot::Nothing | AtRoot::Replaced(_) | AtRoot::Broken(_) => None,
        };
        let without_a_folder = self.without_a_folder()?;
        let mut meant = without_a_folder.clone();
        keep_meant(&mut meant, |(brain, _)| brain, word);
        let is_own = |brain: &&Brain| is_called(brain, word) || has_name(brain, word);
        if let Some(brain) = own.as_ref().filter(|brain| meant.is_empty() && is_own(brain)) {
            self.home.remember_root(brain)?;
            let brain = brain.clone();
            return Ok(Bootstrapped { brain, existed: true, taken_up: false, notes: Vec::new() });
        }
        let (brain, place) = match meant.len() {
            1 => meant.remove(0),
            0 => {
                let near = did_you_mean(without_a_folder.iter().map(|(brain, _)| brain), word);
                return Err(BrainError::NoneToTakeUp { word: shown(), near }.into());
            }
            _ => {
                let brains: Vec<&Brain> = meant.iter().map(|(brain, _)| brain).collect();
                // Clones of one repository have one name@id; their roots tell a reader which is which.
                let are_clones = have_one_origin(&brains);
                let of = |brain: &&Brain| match are_clones {
                    true => format!("{} (`{}`)", brain.fingerprint, brain.root.display()),
                    false => brain.origin(),
                };
                let words = brains.iter().map(of).collect();
                return Err(BrainError::SeveralToTakeUp { word: shown(), words }.into());
            }
        };
        // Only now: nothing is to be set aside for memory that cannot be taken up.
        if let Some(own) = own {
            let is_clone = own.manifest.id == brain.manifest.id && own.place == StorePlace::Repo;
            if !is_clone {
                return Err(BrainError::HasOwnBrain { root: root.to_owned(), brain: own.origin() }.into());
            }
            if self.has_words_of_its_own(&own) {
                return Err(self.to_carry_over(root, &brain).into());
            }
            // The repository carries this very brain, and nothing was written here yet.
            if self.home.is_recorded(&own) {
                self.home.put_aside(&own, &caller.principal.agent, "an empty one made way for its brain")?;
            }
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
}
