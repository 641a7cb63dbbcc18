//! A claim file that is not named by its label: copied or moved by hand, or by git.

use crate::caller::secrets::Floor;
use crate::error::MemoryError;
use crate::reading::error::ReadError;
use crate::service::Memory;
use brainstem_base::next::{Shell, shell_word};
use brainstem_base::{Advice, ErrorCode};
use brainstem_claims::{ClaimSlug, Label};
use brainstem_vault::Store;
use brainstem_vault::scan::{CLAIM_SUFFIX, StoredClaim};
use std::path::Path;

/// What is wrong with the name of a file, and what to do.
pub(crate) struct Misnamed {
    pub(crate) detail: String,
    pub(crate) fix: Advice,
}

impl Misnamed {
    /// Looks at one file. `is_taken` says whether a file has the name that this one should have.
    pub(crate) fn of(
        floor: &Floor,
        claims: &Path,
        stored: &StoredClaim,
        is_taken: impl Fn(&ClaimSlug) -> bool,
    ) -> Option<Self> {
        let path = shell_word(&stored.path.display().to_string());
        match Label::parse(&stored.claim.label).map(|label| ClaimSlug::of(&label)) {
            Ok(slug) if slug.as_str() == stored.id => None,
            // The name that the file should have spells the secret in another way.
            Ok(_) if floor.has_secret(&stored.claim.label) => Some(Self {
                detail: "its label carries a secret".to_owned(),
                fix: format!("give it another label in the line Node of {path}").into(),
            }),
            Ok(slug) => {
                let right = format!("{slug}{CLAIM_SUFFIX}");
                let detail =
                    format!("{:?} does not find it: its file should be `{right}`", stored.claim.label);
                let fix = match is_taken(&slug) {
                    true => format!("give it a label of its own in the line Node of {path}").into(),
                    false => {
                        let right = shell_word(&claims.join(right).display().to_string());
                        Shell::line(format!("mv {path} {right}")).into()
                    }
                };
                Some(Self { detail, fix })
            }
            Err(fault) => Some(Self {
                detail: fault.to_string(),
                fix: format!("give it a label in the line Node of {path}").into(),
            }),
        }
    }
}

impl Memory {
    /// The refusal of a name whose file holds a claim of another name, so that a change upon the name would be one
    /// upon that claim. `None` if the file is named by its label, or there is none.
    pub(crate) fn misnamed(&self, store: &Store, slug: &ClaimSlug, code: ErrorCode) -> Option<MemoryError> {
        let stored = store.stored(slug.as_str());
        let has_other_slug = |stored: &StoredClaim| {
            Label::parse(&stored.claim.label).is_ok_and(|label| ClaimSlug::of(&label) != *slug)
        };
        let first = stored.first().filter(|_| stored.iter().all(has_other_slug))?;
        let is_taken = |slug: &ClaimSlug| self.disk.stat(&store.live_path(slug)).is_ok();
        let Misnamed { detail, fix } = Misnamed::of(&self.floor(), &store.paths().claims, first, is_taken)?;
        Some(ReadError::Misnamed { path: first.path.clone(), detail, fix, code }.into())
    }
}
