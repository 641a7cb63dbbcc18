//! Claims of several labels that wait in one file, because their labels give one file name.

use brainstem_base::next::{calls, field};
use brainstem_base::{Advice, advice};
use brainstem_claims::act::Act;
use brainstem_claims::{Claim, ClaimSlug};
use brainstem_vault::one_claim::is_one_claim;
use std::collections::BTreeSet;

/// Says that claims of several labels wait in one file, and how both are kept; `None` if one claim alone waits.
pub(crate) fn several_claims(id: &str, sides: &[&Claim], acts: &[Act]) -> Option<Advice> {
    let slug = ClaimSlug::parse(id)?;
    let first = sides.first()?;
    let other = sides.iter().find(|side| !is_one_claim(first, side, &slug, acts))?;
    let labels = labels_of(sides.iter().copied()).join(" and ");
    Some(advice![
        "{labels} are claims of their own, whose labels give one file name: ",
        calls::rename(other.label.as_str(), calls::NEW),
        " keeps both; `",
        field("take"),
        "` makes one of them live, and the other goes to history under its own label"
    ])
}

/// The labels of these versions, each once.
pub(crate) fn labels_of<'c>(versions: impl Iterator<Item = &'c Claim>) -> Vec<String> {
    let labels: BTreeSet<&str> = versions.map(|claim| claim.label.as_str()).collect();
    labels.into_iter().map(|label| format!("{label:?}")).collect()
}
