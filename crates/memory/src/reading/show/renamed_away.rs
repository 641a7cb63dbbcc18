//! Earlier claims of a label, which have another since.

use brainstem_base::Timestamp;
use brainstem_claims::Label;
use brainstem_claims::act::{Act, ActTime};
use brainstem_claims::fence::value;
use brainstem_claims::folds::names::Relabelling;
use std::collections::HashSet;

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
        let mut away = Vec::new();
        for (at, Relabelling { act, from, to, born, .. }) in renames.iter().enumerate() {
            let is_own = born.is_some_and(|born| births.contains(&born));
            let Some(mut now) = to.clone().filter(|_| from.as_ref() == Some(label) && !is_own) else {
                continue;
            };
            // Each step looks at later acts alone, so that names which went round in a ring come to an end.
            for later in &renames[at + 1..] {
                if later.from.as_ref() == Some(&now) {
                    now = later.to.clone().unwrap_or(now);
                }
            }
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

/// A time of the record for people.
pub(super) fn time_words(at: &ActTime) -> String {
    at.time().map_or_else(|| at.to_string(), Timestamp::to_words)
}
