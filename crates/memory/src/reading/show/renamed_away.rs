//! Earlier claims of a label, which have another since.

use brainstem_base::Timestamp;
use brainstem_claims::Label;
use brainstem_claims::act::{Act, ActTime};
use brainstem_claims::fence::value;
use brainstem_claims::folds::names::Relabelling;
use std::collections::{HashMap, HashSet};

/// The most renamings of a label that are named although only the repository's log tells them.
const HEARSAY_AWAY_MAX: usize = 16;

/// An earlier claim of a label, which it left to another when it was renamed.
#[derive(Clone, Debug)]
pub(super) struct RenamedAway {
    /// The renaming.
    act: Act,
    /// When the version was born that was live then.
    born: Option<Timestamp>,
    /// The label that it has now.
    pub(super) now: Label,
}

impl RenamedAway {
    /// Those that had this label and are not the claim with versions of these births.
    pub(super) fn of(label: &Label, births: &HashSet<Timestamp>, acts: &[Act]) -> Vec<Self> {
        let renames: Vec<Relabelling<'_>> = acts.iter().filter_map(Relabelling::by).collect();
        let mut from_label: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, renaming) in renames.iter().enumerate() {
            if let Some(from) = &renaming.from {
                from_label.entry(from.nfc()).or_default().push(at);
            }
        }
        let mut ends = HashMap::new();
        let mut away = Vec::new();
        let mut hearsay = 0;
        for at in from_label.get(&label.nfc()).into_iter().flatten() {
            let Relabelling { act, to, born, .. } = &renames[*at];
            let is_own = born.is_some_and(|born| births.contains(&born));
            let Some(to) = to.as_ref().filter(|_| !is_own) else { continue };
            hearsay += usize::from(act.is_foreign());
            if act.is_foreign() && hearsay > HEARSAY_AWAY_MAX {
                continue;
            }
            let now = end_of(*at, to, &renames, &from_label, &mut ends);
            away.push(Self { act: (*act).clone(), born: *born, now });
        }
        away
    }

    /// Whether it had the label at a time.
    pub(super) fn had_it(&self, at: Timestamp) -> bool {
        self.born.is_some_and(|born| born <= at) && self.act.time().is_some_and(|renamed| at < renamed)
    }

    /// For people.
    pub(super) fn sentence(&self) -> String {
        let hearsay = if self.act.is_foreign() { ", as only the repository's log says" } else { "" };
        format!(
            "renamed to {:?} by {} at {}{hearsay}",
            self.now.as_str(),
            value(self.act.agent()),
            time_words(self.act.at())
        )
    }
}

/// The label that a claim has now which got `to` by the renaming at this place. Each step looks at later acts alone, so
/// that names which went round in a ring come to an end; the end of each step is kept, so that no way is gone twice.
fn end_of(
    at: usize,
    to: &Label,
    renames: &[Relabelling<'_>],
    from_label: &HashMap<String, Vec<usize>>,
    ends: &mut HashMap<usize, Label>,
) -> Label {
    let (mut at, mut now, mut way) = (at, to.clone(), vec![at]);
    loop {
        let places = from_label.get(&now.nfc()).map_or(&[][..], Vec::as_slice);
        let Some(next) = places.get(places.partition_point(|place| *place <= at)) else { break };
        if let Some(end) = ends.get(next) {
            now = end.clone();
            break;
        }
        (at, now) = (*next, renames[*next].to.clone().unwrap_or(now));
        way.push(at);
    }
    ends.extend(way.into_iter().map(|place| (place, now.clone())));
    now
}

/// A time of the record for people.
pub(super) fn time_words(at: &ActTime) -> String {
    at.time().map_or_else(|| at.to_string(), Timestamp::to_words)
}
