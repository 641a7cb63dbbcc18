//! The brains that were set aside, and the calls that bring them back.

use crate::brains::unserved::SetAside;
use crate::service::Memory;
use brainstem_base::next::{NextCall, calls};
use brainstem_vault::set_aside_brains::{ASIDE, SWEPT};
use brainstem_vault::{Brain, StorePlace};

impl Memory {
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
    pub(super) fn call_back(&self, brain: &Brain) -> NextCall {
        match self.home.is_gone(&brain.root) {
            true => calls::take_up(calls::PATH, self.home.was_inside_repository(brain), brain.origin()),
            false => {
                let exact = self.is_inside_a_repository(&brain.root);
                calls::take_up(&brain.root, exact, brain.origin())
            }
        }
    }
}

/// Whether a word names a brain: its fingerprint, also that of one which was set aside, name@id, or its id.
pub(super) fn is_called(brain: &Brain, word: &str) -> bool {
    let plain = [SWEPT, ASIDE].iter().find_map(|prefix| brain.fingerprint.strip_prefix(prefix));
    let names = [brain.fingerprint.clone(), brain.origin(), brain.manifest.id.to_string()];
    names.iter().any(|name| name == word) || plain == Some(word)
}
