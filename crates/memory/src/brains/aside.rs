//! The brains that were set aside, and the calls that bring them back.

use crate::brains::brain_words::{is_called, keep_meant};
use crate::brains::unserved::SetAside;
use crate::service::Memory;
use brainstem_base::next::{NextCall, calls};
use brainstem_base::{Advice, advice};
use brainstem_vault::{Brain, StorePlace};

impl Memory {
    /// The brains that were set aside, each with its claims.
    pub(crate) fn aside(&self) -> Vec<SetAside> {
        let brains = self.home.all_set_aside().into_iter();
        brains
            .map(|brain| {
                let store = self.home.aside_store(&brain);
                let claims = store.count().and_then(|count| Ok(count + store.labels_absent()?.len()));
                let back = self.call_back(&brain);
                SetAside { folder: brain.folder.clone(), claims: claims.ok(), back, brain }
            })
            .collect()
    }

    /// The brain that was set aside and that a word names, if there is one; by its name alone if no other has that.
    pub(crate) fn aside_named(&self, word: &str) -> Option<SetAside> {
        let mut aside = self.aside();
        keep_meant(&mut aside, |aside| &aside.brain, word);
        let is_alone = aside.len() == 1 || aside.first().is_some_and(|first| is_called(&first.brain, word));
        aside.into_iter().next().filter(|_| is_alone)
    }

    /// The call that brings a brain back that is set aside.
    pub(crate) fn call_back(&self, brain: &Brain) -> NextCall {
        let word = self.word_to_take_up(brain);
        match self.home.is_gone(&brain.root) {
            true => calls::take_up(calls::PATH, self.home.was_inside_repository(brain), word),
            false => {
                let exact = self.is_inside_a_repository(&brain.root);
                calls::take_up(&brain.root, exact, word)
            }
        }
    }

    /// What to do about the memory of a brain whose folder is gone.
    pub(crate) fn take_up_elsewhere(&self, brain: &Brain) -> Advice {
        let word = self.word_to_take_up(brain);
        advice![
            "if the project lies elsewhere now, take its memory up there: ",
            calls::take_up(calls::PATH, self.home.was_inside_repository(brain), word)
        ]
    }

    /// The word that names this memory alone when it is taken up: its name@id, or its fingerprint if another memory without a
    /// folder is of a clone of the same repository.
    pub(crate) fn word_to_take_up(&self, brain: &Brain) -> String {
        let others = self.without_a_folder().unwrap_or_default();
        let is_clone =
            |(other, _): &(Brain, StorePlace)| other.origin() == brain.origin() && other.root != brain.root;
        if others.iter().any(is_clone) { brain.fingerprint.clone() } else { brain.origin() }
    }
}
