//! What recall holds back: a claim into whose file somebody wrote a secret, past the floor.
//!
//! What is recalled is put before a model and may leave the machine, so such a claim is named and not served.

use crate::floor::{self, without_secrets};
use crate::recall::Gap;
use crate::row::Row;
use brainstem_claims::Claim;
use brainstem_vault::scan::Stored;

/// The name of the gap.
pub(crate) const HELD_BACK: &str = "secret_held_back";

/// The gap that stands in the place of a claim with a secret; `None` for a claim that may be served.
pub(crate) fn held_back(whose: &str, stored: &Stored) -> Option<Gap> {
    let kind = floor::carried(&stored.claim)?.kind;
    let path = stored.path.display().to_string();
    // A label that is the secret is in the name of its file, too.
    let is_named = without_secrets(&stored.claim.label) != stored.claim.label;
    let place = match stored.path.parent().filter(|_| is_named) {
        Some(folder) => format!("a file of `{}`", folder.display()),
        None => format!("`{}`", without_secrets(&path)),
    };
    let detail = format!(
        "{place} of {} carries a secret ({}, rule {}) and is held back: take it out of the file, or forget the claim",
        whose, kind.name, kind.id
    );
    Some(Gap::new(HELD_BACK, detail))
}

/// A row for whoever lists or shows claims: it stays, and what is secret in it is masked.
pub(crate) fn masked(row: Row) -> Row {
    if floor::carried(&row.claim).is_none() {
        return row;
    }
    let mask = |texts: Vec<String>| texts.iter().map(|text| without_secrets(text)).collect();
    let label = without_secrets(&row.label);
    let is_named = label != row.label;
    Row {
        id: if is_named { label.clone() } else { row.id },
        path: match row.path.parent().filter(|_| is_named) {
            Some(folder) => folder.to_owned(),
            None => row.path,
        },
        label,
        title: row.title.as_deref().map(without_secrets),
        text: without_secrets(&row.text),
        tags: mask(row.tags),
        depends_on: mask(row.depends_on),
        evidence_changed: mask(row.evidence_changed),
        evidence_moved: row
            .evidence_moved
            .iter()
            .map(|(place, now)| (without_secrets(place), now.clone()))
            .collect(),
        group: row.group.as_deref().map(without_secrets),
        evidence: row
            .evidence
            .into_iter()
            .map(|mut entry| {
                entry.path = without_secrets(&entry.path);
                entry.anchor = entry.anchor.as_deref().map(without_secrets);
                entry
            })
            .collect(),
        ..row
    }
}

/// The text of a version that is no longer live, without its secrets.
pub(crate) fn text_of(claim: &Claim) -> String {
    match floor::carried(claim) {
        Some(_) => without_secrets(&claim.text),
        None => claim.text.clone(),
    }
}
