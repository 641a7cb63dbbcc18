//! Which acts and which names belong to a claim that was renamed, and from when until when.

use brainstem_claims::act::{Act, ActTime};
use brainstem_claims::folds::names::Relabelling;
use brainstem_claims::{ClaimSlug, Label};
use brainstem_vault::traces::SlugSpan;
use std::collections::{HashMap, HashSet};

/// Which acts are upon a claim: those upon its slug since another claim was renamed away from it, and
/// those upon each slug it had before, until it was renamed.
pub(crate) fn spans_of(slug: &ClaimSlug, names: &[Label], acts: &[Act]) -> Vec<SlugSpan> {
    let ours: HashSet<String> = names.iter().map(Label::nfc).collect();
    let is_of = |label: Option<&Label>| label.is_some_and(|label| ours.contains(&label.nfc()));
    let mut after: Option<ActTime> = None;
    let mut left: HashMap<String, ActTime> = HashMap::new();
    for renamed in acts.iter().filter_map(Relabelling::by) {
        let (Some(from), at) = (&renamed.from, renamed.act.at()) else { continue };
        if is_of(renamed.to.as_ref()) {
            let last = left.entry(from.nfc()).or_insert_with(|| at.clone());
            *last = last.clone().max(at.clone());
        } else if ClaimSlug::of(from) == *slug && is_of(Some(from)) {
            // A claim of another label with this slug leaves no acts behind that would be taken for these.
            after = after.max(Some(at.clone()));
        }
    }
    let mut spans = vec![SlugSpan { slug: slug.clone(), after, until: None }];
    for before in names.iter().filter(|name| ClaimSlug::of(name) != *slug) {
        // Without a renaming the name is that of another claim, of which a copy has this slug.
        if let Some(until) = left.get(&before.nfc()) {
            spans.push(SlugSpan { slug: ClaimSlug::of(before), after: None, until: Some(until.clone()) });
        }
    }
    spans
}

/// The slugs that claims of these names have been renamed to since.
pub(crate) fn later_of(names: &[Label], acts: &[Act]) -> Vec<ClaimSlug> {
    let mut to: HashMap<ClaimSlug, Vec<ClaimSlug>> = HashMap::new();
    for renamed in acts.iter().filter_map(Relabelling::by) {
        if let (Some(from), Some(now)) = (&renamed.from, renamed.to_slug) {
            to.entry(ClaimSlug::of(from)).or_default().push(now.clone());
        }
    }
    let mut slugs: Vec<ClaimSlug> = names.iter().map(ClaimSlug::of).collect();
    let mut known: HashSet<ClaimSlug> = slugs.iter().cloned().collect();
    let mut at = 0;
    while let Some(later) = slugs.get(at).map(|slug| to.get(slug).cloned().unwrap_or_default()) {
        at += 1;
        slugs.extend(later.into_iter().filter(|slug| known.insert(slug.clone())));
    }
    slugs.split_off(names.len())
}
