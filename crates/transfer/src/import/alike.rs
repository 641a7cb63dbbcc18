//! A version that says what the live claim says, and is another one.

use super::answer::Imported;
use brainstem_claims::claim::Claim;
use brainstem_memory::Gap;

/// The name of the gap about such a version.
const ALIKE: &str = "imported_alike";
/// How many of them are named.
const NAMED_MAX: usize = 20;

impl Imported {
    /// Counts a claim as unchanged. Where the one that is here is another version, the answer says in what.
    pub(super) fn leave(&mut self, live: Option<&Claim>, given: &Claim) {
        self.unchanged += 1;
        let differs = live.map(|live| differing(live, given)).unwrap_or_default();
        let named = self.gaps.iter().filter(|gap| gap.name == ALIKE).count();
        if !differs.is_empty() && named < NAMED_MAX {
            let detail = format!(
                "{:?} says here what the export says, and is another version by its {}: the one that is here stays",
                given.label,
                differs.join(", ")
            );
            self.gaps.push(Gap::new(ALIKE, detail));
        }
    }
}

/// The fields in which two versions differ that say the same.
fn differing(live: &Claim, given: &Claim) -> Vec<&'static str> {
    let fields = [
        ("time of birth", live.created == given.created),
        ("kind", live.kind == given.kind),
        ("confidence", live.confidence == given.confidence),
        ("group", live.group == given.group),
        ("mark absolute", live.absolute == given.absolute),
        ("brain of origin", live.origin_brain == given.origin_brain),
        ("claim of origin", live.origin_claim == given.origin_claim),
        ("recorder", live.recorded_by == given.recorded_by),
    ];
    fields.into_iter().filter(|(_, is_same)| !is_same).map(|(field, _)| field).collect()
}
