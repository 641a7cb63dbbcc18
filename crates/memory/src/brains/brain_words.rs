//! Which brain a caller's word names.

use brainstem_vault::Brain;
use brainstem_vault::set_aside_brains::{ASIDE, SWEPT};

/// Whether a word names a brain: its fingerprint, also that of one which was set aside, name@id, or its id.
pub(super) fn is_called(brain: &Brain, word: &str) -> bool {
    let plain = [SWEPT, ASIDE].iter().find_map(|prefix| brain.fingerprint.strip_prefix(prefix));
    let names = [brain.fingerprint.clone(), brain.origin(), brain.manifest.id.to_string()];
    names.iter().any(|name| name == word) || plain == Some(word)
}

/// Whether a word is a brain's name, without its id.
pub(super) fn has_name(brain: &Brain, word: &str) -> bool {
    brain.manifest.name.as_str() == word
}

/// Keeps what a word names: those it is an address of, or else those of this name.
pub(super) fn keep_meant<T>(all: &mut Vec<T>, brain: impl Fn(&T) -> &Brain, word: &str) {
    match all.iter().any(|one| is_called(brain(one), word)) {
        true => all.retain(|one| is_called(brain(one), word)),
        false => all.retain(|one| has_name(brain(one), word)),
    }
}
