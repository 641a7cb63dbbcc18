//! `show`: one claim whole, with every version before it.

mod at_a_time;
mod not_shown;
mod one_store;
mod renamed_away;
mod shown;

pub use shown::{FoundIn, Shown, ShownVersion};

use crate::error::MemoryError;
use crate::gap::Gap;
use crate::limits::RETRIES;
use crate::reading::tier::Tier;
use crate::service::Memory;
use brainstem_base::{Advice, advice};
use brainstem_base::{Coded as _, Timestamp, codes};
use brainstem_caller::Caller;
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::{ClaimSlug, Label};
use brainstem_vault::StorePlace;
use not_shown::damaged_gaps;
use one_store::StoreToShow;
use renamed_away::time_words;

/// What to show.
#[derive(Clone, Debug)]
pub struct ShowRequest {
    /// The label, or the id of a row.
    pub label: String,
    /// Which store; both by default, the project's first.
    pub tier: Tier,
    /// The version that was live then; absent means now.
    pub at: Option<Timestamp>,
}

impl Memory {
    /// Shows one claim with its history.
    pub fn show(&self, caller: &Caller, request: &ShowRequest) -> Result<Shown, MemoryError> {
        let label = self.floor().label("label", &request.label)?;
        self.at(caller).read_whole(
            |shown: &mut Shown| &mut shown.gaps,
            |memory| {
                for _ in 1..RETRIES {
                    match memory.show_once(caller, request, &label) {
                        Err(error)
                            if error.code() == codes::CLAIM_NOT_FOUND && memory.is_there(caller, &label) =>
                        {
                            caller.look_again();
                        }
                        answer => return answer,
                    }
                }
                memory.show_once(caller, request, &label)
            },
        )
    }

    /// Whether the caller's project has a claim of this label by now, in one of the two places or as a copy of what git took
    /// away: `init`, `eject` or git may have moved it while it was looked for. Readers take no lock.
    fn is_there(&self, caller: &Caller, label: &Label) -> bool {
        let Ok(brain) = self.bound(caller) else { return false };
        let slug = ClaimSlug::of(label);
        [StorePlace::Repo, StorePlace::Owner].into_iter().any(|place| {
            let store = self.home.store_at(&brain, place);
            let is_missing = || store.missing_of(&slug).is_ok_and(|missing| missing.is_some());
            self.disk.stat(&store.live_path(&slug)).is_ok() || is_missing()
        })
    }

    fn show_once(&self, caller: &Caller, request: &ShowRequest, label: &Label) -> Result<Shown, MemoryError> {
        let mut replaced = None;
        let project = match request.tier {
            Tier::Medulla => None,
            Tier::Project => Some(self.bound(caller)?),
            Tier::Both => match self.bound(caller) {
                Ok(brain) => Some(brain),
                Err(MemoryError::Brainless(_)) => None,
                Err(MemoryError::Replaced(kept)) => {
                    replaced = Some(kept);
                    None
                }
                // Not found is said only of what was looked at.
                Err(broken) => return Err(broken),
            },
            Tier::AllBrains => {
                return Err(MemoryError::BadValue {
                    field: "tier",
                    value: "all-brains".into(),
                    what: "tier a claim can be shown from",
                    takes: advice![
                        "project or medulla; to show another project's claim, name it with ",
                        Advice::root()
                    ],
                    rule: "MEM-22",
                });
            }
        };
        let medulla = (request.tier != Tier::Project).then(|| self.home.medulla());
        let mut places = Vec::new();
        let mut found: Option<Shown> = None;
        let project = project.map(|brain| StoreToShow {
            store: self.store_of(&brain),
            place: FilePlace::Project,
            name: brain.origin(),
            root: Some(brain.root),
        });
        let medulla = medulla.map(|store| StoreToShow {
            store,
            place: FilePlace::Medulla,
            name: "the medulla".to_owned(),
            root: None,
        });
        for shelf in project.into_iter().chain(medulla) {
            let name = &shelf.name;
            let shown = match (self.show_in(&shelf, label, request.at), &mut found) {
                // What is live in the project is shown, whatever the medulla has.
                (Err(MemoryError::Unreadable(bad)), Some(first)) if first.is_live() => {
                    let detail = format!("in {name}: `{}`: {}", bad.path.display(), bad.why);
                    first.gaps.push(Gap::new("unreadable_claim", detail));
                    None
                }
                (shown, _) => shown?,
            };
            places.push(shelf);
            match (&mut found, shown) {
                (None, shown) => found = shown,
                // A claim that is live is shown before one of which only history is left.
                // What the project did with it is said all the same.
                (Some(first), Some(mut second)) if !first.is_live() && second.is_live() => {
                    second.gaps.extend(first.not_shown());
                    *first = second;
                }
                (Some(first), Some(second)) if second.is_live() => first.also_in = Some(second.tier),
                (Some(_), _) => {}
            }
        }
        if let Some(shown) = &mut found
            && let Some(shelf) = places.first().filter(|shelf| shelf.place == FilePlace::Project)
            && shown.tier == "medulla"
        {
            shown.gaps.extend(damaged_gaps(shelf, label));
            shown.gaps.extend(self.under_home_gap(shelf, label));
        }
        if let Err(error) = self.home.check_medulla() {
            match &mut found {
                // What became of its copy is not known, and its medulla's claim is not shown.
                Some(shown) if request.tier != Tier::Project || shown.sharing.is_some() => {
                    let detail = format!("{error} [{}]", error.code().name());
                    shown.gaps.push(Gap::new("medulla_unreadable", detail));
                }
                None if request.tier != Tier::Project => return Err(error.into()),
                Some(_) | None => {}
            }
        }
        if let (Some(at), Some(shown)) = (request.at, &found)
            && !shown.is_live()
        {
            return Err(not_live_at(shown, label, at));
        }
        found.ok_or_else(|| {
            // It may be in the memory that is kept apart.
            if let Some(kept) = replaced {
                return MemoryError::Replaced(kept);
            }
            let names: Vec<&str> = places.iter().map(|shelf| shelf.name.as_str()).collect();
            let place = names.join(" or ");
            let near = places.iter().map(|shelf| self.not_found(&shelf.store, label, &place));
            near.max_by_key(|error| match error {
                MemoryError::NotFound { renamed: None, near, .. } => near.len(),
                // It is there, and elsewhere.
                _ => usize::MAX,
            })
            .expect("at least the medulla or the project was asked")
        })
    }
}

fn not_live_at(shown: &Shown, label: &Label, at: Timestamp) -> MemoryError {
    let why = match (shown.renamed_away.iter().find(|away| away.had_it(at)), shown.history.first()) {
        (Some(away), _) => format!("the claim that had the label then was {}", away.sentence()),
        (None, None) => "it was not yet born".to_owned(),
        (None, Some(version)) => match &version.retracted {
            Some(act) => format!("it was taken back at {}", time_words(act.at())),
            None => "it was taken back".to_owned(),
        },
    };
    MemoryError::NotLiveAt { label: label.to_string(), at: at.to_words(), why }
}
