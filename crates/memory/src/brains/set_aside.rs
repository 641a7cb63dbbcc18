//! `set-aside`: a brain that is in no recall from then on, and of which nothing is deleted.

use crate::brains::brain_words::{has_name, is_called};
use crate::brains::error::BrainError;
use crate::brains::unserved::SetAside;
use crate::caller::bound::path_of;
use crate::caller::follow::follow_store;
use crate::error::MemoryError;
use crate::service::Memory;
use brainstem_caller::Caller;
use brainstem_vault::{Brain, StorePlace};
use std::path::Path;

impl Memory {
    /// Sets a brain aside: it is in no recall from then on, and nothing of it is deleted.
    pub fn set_aside(&self, caller: &Caller, word: &str, reason: &str) -> Result<SetAside, MemoryError> {
        caller.moved_by(|| follow_store(caller, || self.put_aside(caller, word, reason)))
    }

    fn put_aside(&self, caller: &Caller, word: &str, reason: &str) -> Result<SetAside, MemoryError> {
        self.floor().check_text("reason", reason)?;
        let path = match word.contains('/') || word.starts_with('.') {
            true => {
                let path = path_of(caller, "brain", Path::new(word))?;
                // A person that types `../cherry` means the folder that is there.
                let there = self.disk.canonical(&path).unwrap_or(path);
                Some(there.display().to_string())
            }
            false => None,
        };
        let word = path.as_deref().unwrap_or(word);
        let roster = self.home.roster()?;
        let displaced = roster.displaced.iter().find(|displaced| is_called(&displaced.brain, word));
        // By its name alone only if no other brain has that.
        let is_named = |brain: &Brain| has_name(brain, word);
        let served = roster.brains.iter().filter(|brain| is_named(brain)).count();
        let mut of_name = roster.displaced.iter().filter(|displaced| is_named(&displaced.brain));
        let displaced =
            displaced.or_else(|| of_name.next().filter(|_| served == 0 && of_name.next().is_none()));
        let (brain, claims) = match displaced {
            Some(displaced) => (displaced.brain.clone(), self.home.displaced_claims(displaced)),
            None => {
                let brain = self.brain_named(word)?;
                let store = self.store_of(&brain);
                let claims = store.count().and_then(|count| Ok(count + self.copies_of_gone(&brain, &store)?));
                (brain, claims)
            }
        };
        if brain.place == StorePlace::Repo && !self.home.is_gone(&brain.root) {
            return Err(BrainError::LiesInRepository { brain: brain.origin(), root: brain.root }.into());
        }
        let folder = self.home.put_aside(&brain, &caller.principal.agent, reason)?;
        let back = self.call_back(&brain);
        Ok(SetAside { brain, folder, claims: claims.ok(), back })
    }
}
