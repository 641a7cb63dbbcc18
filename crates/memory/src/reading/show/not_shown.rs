//! What a reader has to know of the project's claim if the medulla's is shown instead.

use super::one_store::StoreToShow;
use super::shown::Shown;
use crate::gap::Gap;
use crate::reading::missing_from_checkout::OWNER_SIDE;
use crate::service::Memory;
use crate::writing::retract::local;
use brainstem_base::Coded as _;
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_claims::{ClaimSlug, Label, Lifecycle};
use brainstem_vault::scan::{CLAIM_SUFFIX, UnreadableClaim};
use std::path::Path;

impl Shown {
    /// What to say of a claim of the project that is not live, if the medulla's is shown instead.
    pub(super) fn not_shown(&mut self) -> Vec<Gap> {
        let mut gaps = std::mem::take(&mut self.gaps);
        let retracted = self.history.first().filter(|last| last.lifecycle == Lifecycle::Retracted);
        if let Some(last) = retracted {
            let by = last.retracted.as_ref().map(|act| {
                let reason = act.deed().reason().map(|reason| format!(": {reason}")).unwrap_or_default();
                let at = act.at().as_str();
                format!(" by {} on {}{reason}", act.agent(), at.get(..10).unwrap_or(at))
            });
            let (label, by) = (&last.label, by.unwrap_or_default());
            let detail = advice![
                "the project's own claim {label:?} was retracted{by}; what is shown is the medulla's, and ",
                calls::show_in(label, "project"),
                " shows the project's versions"
            ];
            gaps.push(Gap::new("retracted_in_project", detail));
        }
        gaps
    }
}

/// Says what a store has of a label and cannot be read, if another store's claim is shown.
pub(super) fn damaged_gaps(shelf: &StoreToShow, label: &Label) -> Vec<Gap> {
    let slug = ClaimSlug::of(&local(label, &shelf.name));
    let detail = |path: &Path, why: &str| format!("in {}: `{}`: {why}", shelf.name, path.display());
    match shelf.store.damaged(&slug) {
        Ok(damaged) => {
            let gap = |bad: UnreadableClaim| Gap::new("unreadable_version", detail(&bad.path, &bad.why));
            damaged.into_iter().map(gap).collect()
        }
        Err(error) => vec![Gap::new("kept_unreadable", format!("{error} [{}]", error.code().name()))],
    }
}

impl Memory {
    /// Says that the project has a claim of this label under the home, while its store is in the repository.
    pub(super) fn under_home_gap(&self, shelf: &StoreToShow, label: &Label) -> Option<Gap> {
        // Only a store in a repository has copies; they are in the folder that holds its claims under the home.
        let under_home = shelf.store.paths().kept.as_ref()?.parent()?;
        let slug = ClaimSlug::of(&local(label, &shelf.name));
        self.disk.stat(&under_home.join(format!("{slug}{CLAIM_SUFFIX}"))).ok()?;
        let detail = advice![
            "the project's own claim of this label lies under the home, and what is shown is the medulla's: ",
            calls::init(),
            " brings it into the repository"
        ];
        Some(Gap::new(OWNER_SIDE, detail))
    }
}
