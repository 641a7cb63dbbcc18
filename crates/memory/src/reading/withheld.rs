//! What recall holds back: a claim into whose file somebody wrote a secret, past the floor.
//!
//! What is recalled is put before a model and may leave the machine, so such a claim is named and not served.

use crate::caller::secrets::Floor;
use crate::limits::UNREADABLE_NAMED_MAX;
use crate::reading::feed::{Feed, Gap};
use crate::reading::row::Row;
use brainstem_vault::scan::StoredClaim;

/// The name of the gap.
pub(crate) const HELD_BACK: &str = "secret_held_back";

/// The gap that stands in the place of a claim with a secret; `None` for a claim that may be served.
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

impl Feed {
    /// The gaps that name the claims which are held back, the same for every question: a gap that came with some
    /// questions alone would confirm a guess at the secret.
    pub(crate) fn held_back(&self) -> Vec<Gap> {
        let ids = self.secret_ids();
        let named = ids.iter().take(UNREADABLE_NAMED_MAX).map(|id| {
            let carried = self.live(id).iter().find_map(|stored| held_back(&self.floor, self.name(), stored));
            carried.unwrap_or_else(|| {
                let detail =
                    format!("a file of {} carried a secret when it was read last; ask again", self.name());
                Gap::new(HELD_BACK, detail)
            })
        });
        let mut gaps: Vec<Gap> = named.collect();
        let more = ids.len().saturating_sub(UNREADABLE_NAMED_MAX);
        if more > 0 {
            let detail = format!("and {more} more files of {} carry a secret and are held back", self.name());
            gaps.push(Gap::new(HELD_BACK, detail));
        }
        gaps
    }
}

/// A row for a reader who lists or shows claims. Its texts are masked where they are shown; what is left to hide here is a
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
