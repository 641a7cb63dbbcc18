//! Acts upon a claim that was forgotten: git's union merge puts lines back that another clone still had.

use super::finding::{Findings, Trouble};
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_claims::act::{Act, ActTime, Deed, VersionRef, tombstone_name};
use brainstem_claims::{Claim, ClaimSlug};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// Names the acts in a log that are upon a version which was forgotten through this home, with the call that takes them
/// out. `versions` are those that the store has: an act upon one of them is of a claim that is there.
pub(super) fn examine_forgotten_acts<'a>(
    log: &Path,
    acts: &[Act],
    versions: impl IntoIterator<Item = (&'a str, &'a Claim)>,
    found: &mut Findings,
) {
    let mut forgotten: HashMap<&str, &ActTime> = HashMap::new();
    for act in acts.iter().filter(|act| !act.is_foreign()) {
        let Deed::Forget { tombstone, names, .. } = act.deed() else { continue };
        for name in names.iter().map(String::as_str).chain([tombstone.name()]) {
            let last = forgotten.entry(name).or_insert(act.at());
            *last = act.at().max(*last);
        }
    }
    if forgotten.is_empty() {
        return;
    }
    let there: HashSet<VersionRef> = versions
        .into_iter()
        .filter_map(|(id, claim)| Some(VersionRef::of(&ClaimSlug::parse(id)?, claim)))
        .collect();
    let mut back: BTreeMap<&ClaimSlug, usize> = BTreeMap::new();
    for act in acts {
        let Some(version) = act.deed().upon().and_then(|upon| upon.version()) else { continue };
        let until = forgotten.get(tombstone_name(&version.slug).as_str());
        if until.is_some_and(|until| act.at() <= *until) && !there.contains(version) {
            *back.entry(&version.slug).or_default() += 1;
        }
    }
    for (slug, count) in back {
        let acts = if count == 1 { "1 act".to_owned() } else { format!("{count} acts") };
        let detail = format!(
            "{acts} upon {slug:?}, which was forgotten here, came back into the log, with their words",
            slug = slug.as_str()
        );
        let fix = advice![
            calls::forget_for_good(slug.as_str(), None::<&str>),
            " takes them out again; then commit that where git has the log"
        ];
        found.add(Trouble::ClaimForgotten, log, detail, fix);
    }
}
