//! What the deleted folders of a repository kept under the home.

use crate::brains::error::BrainError;
use crate::gap::{Gap, ROOT_GONE};
use crate::service::Memory;
use brainstem_base::next::calls;
use brainstem_base::{Advice, Coded as _, advice};
use brainstem_vault::boot::BootFile;
use brainstem_vault::{Brain, StorePlace};
use std::path::Path;

impl Memory {
    /// The gap about what each of the deleted clones of a repository kept under the home, with the call that takes it up here. A clone
    /// whose folder only moved, or whose disk is away, may be the one: the caller decides.
    pub(crate) fn kept_by_deleted_clones(&self, own: &Brain) -> Option<Gap> {
        if own.place != StorePlace::Repo {
            return None;
        }
        let brains = self.home.roster().ok()?.brains;
        let is_kept = |other: &&Brain| {
            other.manifest.id == own.manifest.id
                && other.folder != own.folder
                && self.home.is_gone(&other.root)
                && (self.home.was_written_to(other) || self.has_boot_keys(other))
                && self.home.is_project_of(&own.root, other)
        };
        let is_empty = !self.has_words_of_its_own(own);
        let told = |kept: &Brain| {
            let was_at = kept.root.display().to_string();
            let way = match is_empty {
                true => advice![calls::take_up(&own.root, false, &kept.fingerprint), " takes them up"],
                false => self.to_carry_over(&own.root, kept).fix().unwrap_or_default(),
            };
            advice![
                "another folder of this repository was at `{was_at}`, which is gone; its history, its uncommitted versions and its \
                 boot keys are kept and not shown here; if it is this project, ",
                way
            ]
        };
        let kept: Vec<Advice> = brains.iter().filter(is_kept).map(told).collect();
        (!kept.is_empty()).then(|| Gap::new(ROOT_GONE, Advice::joined(kept, "; ")))
    }

    /// Whether anything was written in this clone, so that it cannot take up what another one kept.
    pub(super) fn has_words_of_its_own(&self, own: &Brain) -> bool {
        self.home.was_written_to(own) || self.has_boot_keys(own)
    }

    /// The refusal to take up what a deleted clone kept in one that was written to, with the way to carry it over.
    pub(super) fn to_carry_over(&self, root: &Path, kept: &Brain) -> BrainError {
        let file = self.home.path().join(format!("taken-up-{}.jsonl", kept.fingerprint));
        BrainError::HasOwnHistory {
            root: root.to_owned(),
            brain: kept.origin(),
            kept_for: kept.root.clone(),
            kept_as: kept.fingerprint.clone(),
            file,
        }
    }

    /// Whether a brain has boot keys of its own; one whose keys cannot be read may.
    pub(crate) fn has_boot_keys(&self, brain: &Brain) -> bool {
        let path = brain.folder.join("boot_memory_state.json");
        BootFile::new(self.store_of(brain), path).read().map_or(true, |values| !values.is_empty())
    }
}
