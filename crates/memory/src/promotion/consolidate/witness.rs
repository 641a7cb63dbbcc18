//! The witnesses behind the medulla's copies: whether their projects still say what is shared.

use super::candidate::{Candidate, CandidateKind};
use crate::error::MemoryError;
use crate::gap::Gap;
use crate::promotion::dispute::all_wrong;
use crate::reading::facts::hearsay;
use crate::reading::missing_from_checkout::ABSENT_HERE;
use crate::record::verdicts::Verdicts;
use crate::service::Memory;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_base::{Coded as _, Timestamp};
use brainstem_claims::act::{Act, ClaimRef, Deed, DeedKind, VersionRef};
use brainstem_claims::folds::names::NamesOnRecord;
use brainstem_claims::promotion::{Provenance, on};
use brainstem_claims::trust::Voice;
use brainstem_claims::{Claim, ClaimSlug, Label};
use brainstem_vault::scan::StoredClaim;
use brainstem_vault::store::LiveFile;
use brainstem_vault::{Brain, Store, StoreError};
use std::collections::HashMap;

/// What became of a witness in one clone of its project.
enum Witness {
    /// It is live; its label now, and the agents that call it wrong, if all that judged it do.
    Live { label: String, wrong: Option<Accused> },
    /// It was taken back; `is_foreign` if only the repository's log says so.
    Retracted { by: String, at: Option<Timestamp>, reason: Option<String>, is_foreign: bool },
    /// Another version is live.
    Superseded { since: Option<Timestamp> },
    /// Nothing of that name is live.
    Gone,
    /// It cannot be read; the gap that says so.
    Unknown(Gap),
}

/// The agents that call a witness wrong.
struct Accused {
    by: Vec<String>,
    /// Only the repository's log has a verdict of theirs. Such an act takes nothing out of the medulla.
    is_foreign: bool,
}

/// What to do about a copy of which only a repository's log says that it should go.
fn look_first(label: &str) -> Advice {
    advice!["ask there whether that is so; if it is wrong, take it out: ", calls::learn_wrong(label)]
}

impl Memory {
    /// Looks at the witness of every copy. A brain that is not in this home cannot be asked, and is named.
    pub(super) fn witnesses(
        &self,
        claims: &[StoredClaim],
        rows: &mut Vec<Candidate>,
        gaps: &mut Vec<Gap>,
    ) -> Result<(), MemoryError> {
        let roster = self.home.roster()?;
        let (stores, broken) = (self.stores_in(&roster), roster.broken);
        let mut logs: HashMap<String, Vec<Act>> = HashMap::new();
        let aside: Vec<String> = self.home.all_set_aside().iter().map(Brain::origin).collect();
        let (mut absent, mut set_aside) = (0, 0);
        for stored in claims {
            let Some(provenance) = Provenance::of(&stored.claim) else { continue };
            let Some((origin, _)) = provenance.witness() else { continue };
            match witness_in(&stores, &mut logs, &provenance, &stored.claim) {
                None if aside.iter().any(|brain| brain == origin) => set_aside += 1,
                None => absent += 1,
                // Nothing is advised about what was not seen.
                Some(Witness::Unknown(gap)) => gaps.push(gap),
                Some(witness) => rows.extend(candidate(stored, origin, witness)),
            }
        }
        if set_aside > 0 {
            let copies = if set_aside == 1 { "1 copy".into() } else { format!("{set_aside} copies") };
            let detail = format!(
                "the brains that {copies} came from were set aside in this home, so their witnesses were not looked at"
            );
            gaps.push(Gap::new("set_aside", detail));
        }
        if absent > 0 {
            let copies = if absent == 1 { "1 copy".into() } else { format!("{absent} copies") };
            let place = if broken.is_empty() {
                "not in this home"
            } else {
                "not among the brains of this home that can be read"
            };
            let detail = format!(
                "the brains that {copies} came from are {place}, so their witnesses were not looked at"
            );
            gaps.push(Gap::new("no_such_brain", detail));
            // One of these may be the brain that is missed.
            gaps.extend(broken.iter().map(|broken| {
                Gap::new("unreadable_brain", format!("`{}`: {}", broken.path.display(), broken.why))
            }));
        }
        Ok(())
    }

    /// What became of the original of a copy, as a sentence without its end; `None` for a claim that is no copy.
    pub(crate) fn original_words(&self, copy: &Claim) -> Option<String> {
        let origin = copy.origin_claim.as_ref()?;
        let witness = || {
            let stores = self.stores_in(&self.home.roster().ok()?);
            witness_in(&stores, &mut HashMap::new(), &Provenance::of(copy)?, copy)
        };
        Some(match witness() {
            Some(Witness::Live { label, .. }) => {
                let slug = Label::parse(&label).map(|label| ClaimSlug::of(&label));
                let now = match (slug, ClaimRef::read(origin).parts()) {
                    (Ok(slug), Some((brain, _))) => ClaimRef::new(brain, &slug).to_string(),
                    _ => origin.clone(),
                };
                format!("the original, {now}, stays as it is in its project")
            }
            Some(Witness::Retracted { by, at, is_foreign, .. }) => {
                let hearsay = hearsay(is_foreign);
                format!("the original, {origin}, was retracted in its project {} by {by}{hearsay}", on(at))
            }
            Some(Witness::Superseded { .. }) => {
                format!(
                    "the original, {origin}, was superseded in its project, which says something else now"
                )
            }
            Some(Witness::Gone) => format!("the original, {origin}, is no longer in its project"),
            Some(Witness::Unknown(_)) | None => {
                format!("the original is {origin}, and whether its project still has it could not be read")
            }
        })
    }
}

impl Witness {
    fn unknown(copy: &Claim, code: &'static str, why: &str) -> Self {
        Self::Unknown(Gap::new(code, format!("the witness of {:?}: {why}", copy.label)))
    }
}

/// What became of the witness of a copy among these stores; `None` if its brain is not among them.
fn witness_in(
    stores: &[(Brain, Store)],
    logs: &mut HashMap<String, Vec<Act>>,
    provenance: &Provenance,
    copy: &Claim,
) -> Option<Witness> {
    let (origin, slug) = provenance.witness()?;
    let mut found: Vec<Witness> = Vec::new();
    // Two clones are two brains with one id: a witness that lives in one of them lives.
    for (brain, store) in stores.iter().filter(|(brain, _)| brain.origin() == origin) {
        match log_of(logs, brain, store) {
            Ok(acts) => found.push(look(store, acts, &slug, provenance.origin_created, copy)),
            Err(error) => {
                let why = format!("{error} [{}]", error.code().name());
                found.push(Witness::unknown(copy, "acts_unreadable", &why));
            }
        }
    }
    best(found)
}

fn log_of<'a>(
    logs: &'a mut HashMap<String, Vec<Act>>,
    brain: &Brain,
    store: &Store,
) -> Result<&'a [Act], StoreError> {
    if !logs.contains_key(&brain.fingerprint) {
        store.check_real_folders()?;
        logs.insert(
            brain.fingerprint.clone(),
            store.acts().of_kinds(&[DeedKind::Retract, DeedKind::Rename, DeedKind::Learn])?,
        );
    }
    Ok(&logs[&brain.fingerprint])
}

fn look(store: &Store, acts: &[Act], slug: &ClaimSlug, born: Option<Timestamp>, copy: &Claim) -> Witness {
    // A witness that was affirmed since is another version, and says the same.
    let says_it = |claim: &Claim| claim.title == copy.title && claim.text == copy.text;
    let names = NamesOnRecord::of(acts).of_version(&VersionRef::new(slug, born));
    let mut other = None;
    let mut unread = None;
    for name in &names {
        match store.live(name) {
            LiveFile::Claim(claim) if claim.created == born || says_it(&claim) => {
                let verdicts = Verdicts::of(acts);
                let voices = verdicts.voices(name.as_str(), claim.created);
                let recorded: Vec<Voice> = voices.iter().filter(|voice| !voice.is_foreign).cloned().collect();
                let accused = |by| match all_wrong(&recorded) {
                    Some(by) => Accused { by, is_foreign: false },
                    None => Accused { by, is_foreign: true },
                };
                return Witness::Live { label: claim.label.clone(), wrong: all_wrong(voices).map(accused) };
            }
            LiveFile::Claim(claim) => other = Some(claim.created),
            LiveFile::Absent => {}
            LiveFile::Unreadable(bad) => {
                let why = format!("`{}`: {}", bad.path.display(), bad.why);
                unread = Some(Witness::unknown(copy, "unreadable_claim", &why));
            }
        }
    }
    if let Some(unknown) = unread {
        return unknown;
    }
    // A claim that was written anew and then retracted was retracted whole, unless another version is live since.
    let is_fitting = |created: Option<Timestamp>| created == born || other.is_none() && created > born;
    let is_it = |act: &&Act| match act.deed() {
        Deed::Retract { upon, .. } => {
            upon.version().is_some_and(|version| is_fitting(version.created) && names.contains(&version.slug))
        }
        _ => false,
    };
    let taken_back = acts.iter().filter(is_it).min_by_key(|act| act.is_foreign());
    match (taken_back, other) {
        (Some(act), _) => Witness::Retracted {
            by: act.agent().to_owned(),
            at: act.time(),
            reason: act.deed().reason().map(str::to_owned),
            is_foreign: act.is_foreign(),
        },
        (None, Some(since)) => Witness::Superseded { since },
        (None, None) if names.iter().any(|name| is_away(store, name)) => Witness::unknown(
            copy,
            ABSENT_HERE,
            "it was written in its project and is not in that checkout now",
        ),
        (None, None) => Witness::Gone,
    }
}

/// Whether a claim of this name was written in the project and is not in its checkout: another branch may have it.
fn is_away(store: &Store, name: &ClaimSlug) -> bool {
    store.missing_of(name).map_or(true, |missing| missing.is_some())
}

/// Of several clones, the one in which the witness is in the best state.
fn best(found: Vec<Witness>) -> Option<Witness> {
    let rank = |witness: &Witness| match witness {
        Witness::Live { wrong: None, .. } => 0,
        // It may live there.
        Witness::Unknown(_) => 1,
        Witness::Live { wrong: Some(_), .. } => 2,
        Witness::Superseded { .. } => 3,
        Witness::Gone => 4,
        Witness::Retracted { .. } => 5,
    };
    found.into_iter().min_by_key(rank)
}

fn candidate(stored: &StoredClaim, origin: &str, witness: Witness) -> Option<Candidate> {
    let label = stored.claim.label.as_str();
    let again = advice![
        "promote it again if what its project says now is for every project (",
        calls::promote(label, calls::R),
        ", there), or ",
        calls::learn_wrong(label)
    ];
    match witness {
        Witness::Live { wrong: None, .. } | Witness::Unknown(_) => None,
        Witness::Live { wrong: Some(Accused { by, is_foreign }), .. } => {
            let told = hearsay(is_foreign);
            let reason = format!("its witness in {origin} is called wrong by {}{told}", by.join(", "));
            let kind = CandidateKind::WrongMarked;
            Some(match is_foreign {
                true => Candidate::new(kind, stored, reason, look_first(label)),
                false => Candidate { accusers: by.len(), ..Candidate::safe(kind, stored, reason) },
            })
        }
        Witness::Retracted { by, at, reason, is_foreign } => {
            let why = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
            let told = hearsay(is_foreign);
            let reason = format!("its witness in {origin} was taken back by {by} {}{why}{told}", on(at));
            let kind = CandidateKind::WitnessRetracted;
            Some(match is_foreign {
                true => Candidate::new(kind, stored, reason, look_first(label)),
                false => Candidate::safe(kind, stored, reason),
            })
        }
        Witness::Superseded { since } => {
            let reason = format!("{origin} says something else since {}", &on(since)[3..]);
            Some(Candidate::new(CandidateKind::WitnessSuperseded, stored, reason, again))
        }
        Witness::Gone => {
            let reason = format!("{origin} has its witness no more");
            let fix = advice![
                "if it is wrong, take it out: ",
                calls::learn_wrong(label),
                "; if its text must not exist, delete it: ",
                calls::forget_for_good(label, "medulla"),
                "; if it still holds, write it down in its project (",
                calls::memorize(label, calls::TEXT),
                ", there) and promote that (",
                calls::promote(label, calls::R),
                ", there)"
            ];
            Some(Candidate::new(CandidateKind::WitnessGone, stored, reason, fix))
        }
    }
}
