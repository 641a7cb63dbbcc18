//! What recall holds back: a claim whose file has a secret that was written past the floor.
//!
//! What is recalled is put before a model and may leave the machine, so such a claim is named and not served.

use crate::caller::secrets::Floor;
use crate::gap::Gap;
use crate::reading::row::Row;
use brainstem_vault::scan::StoredClaim;

/// The name of the gap.
pub(crate) const HELD_BACK: &str = "secret_held_back";

/// The gap that is shown instead of a claim with a secret; `None` for a claim that may be served.
pub(crate) fn held_back(floor: &Floor, whose: &str, stored: &StoredClaim) -> Option<Gap> {
    let kind = floor.carried(&stored.claim)?.kind;
    let path = stored.path.display().to_string();
    // A label that is the secret is in the name of its file, too.
    let is_named = floor.mask(&stored.claim.label) != stored.claim.label;
    let deed = if is_named {
        "rename the file and change its label"
    } else {
        "take it out of the file, or forget the claim"
    };
    let place = match stored.path.parent().filter(|_| is_named) {
        Some(folder) => format!("a file of `{}`", folder.display()),
        None => format!("`{}`", floor.mask(&path)),
    };
    let detail = format!(
        "{place} of {} carries a secret ({}, rule {}) and is held back: {deed}",
        whose, kind.name, kind.id
    );
    Some(Gap::new(HELD_BACK, detail))
}

/// A row for a reader that lists or shows claims. The code that shows its texts masks them. Left to hide here is a
/// label that is a secret, which the name of its file spells in another way.
pub(crate) fn unnamed(floor: &Floor, row: Row) -> Row {
    let label = floor.mask(&row.label);
    if label == row.label {
        return row;
    }
    let label = label.into_owned();
    let path = row.path.parent().map_or_else(Default::default, ToOwned::to_owned);
    Row { id: label.clone(), path, label, ..row }
}
