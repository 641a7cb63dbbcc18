//! `retract`: takes a claim back, with a reason.

use crate::error::{MemoryError, Renamed};
use crate::limits::REASON_LEN_MAX;
use crate::service::Memory;
use crate::writing::error::WriteError;
use crate::writing::outside;
use crate::writing::target::WriteTier;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_base::{AgentId, Timestamp, codes};
use brainstem_caller::Caller;
use brainstem_claims::act::{Act, ActVerb, Deed, DeedKind, VersionRef, last_retraction};
use brainstem_claims::decide::is_label_of;
use brainstem_claims::folds::names::Relabelling;
use brainstem_claims::{Claim, ClaimSlug, Label};
use brainstem_vault::Store;
use brainstem_vault::history::ExitReason;
use brainstem_vault::store::{LiveFile, Retracted};
use std::path::PathBuf;

/// What to take back.
#[derive(Clone, Debug)]
pub struct RetractRequest {
    /// The label, or the id of a row.
    pub label: String,
    /// Why.
    pub reason: String,
    /// `medulla`, or the caller's own brain.
    pub tier: Option<WriteTier>,
}

/// What was taken back.
#[derive(Clone, Debug)]
pub struct Retraction {
    /// Its slug.
    pub slug: ClaimSlug,
    /// Its label.
    pub label: String,
    /// `project` or `medulla`.
    pub tier: &'static str,
    /// Its file in history.
    pub history: PathBuf,
    /// What the caller should know besides.
    pub notes: Vec<Advice>,
}

impl Memory {
    /// Moves the live claim to history as a recorded act, so that a weaker truth may be written.
    pub fn retract(&self, caller: &Caller, request: &RetractRequest) -> Result<Retraction, MemoryError> {
        self.floor().check_text("label", &request.label)?;
        let reason = request.reason.trim();
        self.floor().check_text("reason", reason)?;
        if reason.is_empty() {
            return Err(MemoryError::Missing {
                field: "reason",
                give: "a reason that others can follow".into(),
                rule: "MEM-12",
            });
        }
        if reason.len() > REASON_LEN_MAX {
            return Err(MemoryError::BadValue {
                field: "reason",
                value: format!("{}…", reason.chars().take(20).collect::<String>()),
                what: "reason of at most 4096 bytes",
                takes: "a shorter reason".into(),
                rule: "MEM-12",
            });
        }
        let label = self.floor().label("label", &request.label)?;
        let target = self.target_there(caller, request.tier)?;
        let (tier, place, store) = (target.tier(), target.name(), target.store);
        self.check_write_quota(&caller.principal.agent)?;
        let slug = match self.slug_named(&store, &label, &place) {
            // Perhaps taken back by a run that was killed: then it stays so.
            Err(absent @ MemoryError::NotFound { .. }) => {
                return store.sync().map_err(Into::into).and(Err(absent));
            }
            named => named?,
        };
        let agent = &caller.principal.agent;
        let now = self.clock.now();
        let breach = tier == "medulla" && !agent.may_write_doctrine();
        let done = store.retract(&slug, |claim| {
            let version = VersionRef::of(&slug, claim);
            let violation = || {
                let deed = Deed::violation(ActVerb::Retract, version.clone(), "MEM-33");
                Act::new(deed, agent, now)
            };
            let deed = Deed::retract(version.clone(), reason);
            let retraction = retraction(&store, (&slug, claim), agent, now, deed);
            breach.then(violation).into_iter().chain([retraction]).collect()
        })?;
        let Retracted::Done { history, claim } = done else {
            return Err(self.not_found(&store, &label, &place));
        };
        let note = advice![
            "etiquette: doctrine is taken back by orchestrators and people; {agent} is on record for it"
        ];
        let shared = if tier == "project" { self.still_shared(&claim) } else { None };
        let paths = outside::paths_note(&store, [reason]);
        let notes = breach.then_some(note).into_iter().chain(shared).chain(paths).collect();
        Ok(Retraction { slug, label: claim.label, tier, history, notes })
    }

    /// The slug a caller means by a label or by the id of a row.
    pub(crate) fn slug_named(
        &self,
        store: &Store,
        label: &Label,
        place: &str,
    ) -> Result<ClaimSlug, MemoryError> {
        let (asked, label) = (label, &local(label, place));
        let slug = ClaimSlug::of(label);
        let is_misnamed =
            |claim: &Claim| Label::parse(&claim.label).is_ok_and(|label| ClaimSlug::of(&label) != slug);
        match store.live(&slug) {
            LiveFile::Claim(claim) if is_misnamed(&claim) => Err(self.not_found(store, label, place)),
            LiveFile::Claim(claim) if label.is_read_as(&claim.label) => Ok(slug),
            LiveFile::Claim(_) if store.label_of_live(label)?.is_some() || is_id(store, asked, place)? => {
                Ok(slug)
            }
            LiveFile::Claim(_) | LiveFile::Absent => Err(self.not_found(store, label, place)),
            LiveFile::Unreadable(bad) => Err(MemoryError::Unreadable(bad)),
        }
    }

    /// The rename that took a label away, and the label of the claim now; `None` unless that label shows the claim.
    fn renamed_since(store: &Store, label: &Label) -> Option<Renamed> {
        let acts = store.acts().of_kinds(&[DeedKind::Rename]).ok()?;
        let renames: Vec<Relabelling<'_>> = acts.iter().filter_map(Relabelling::by).collect();
        let (mut at, mut now) = (0, label.clone());
        let mut first = None;
        // Each step looks at later acts alone, so that names which went round in a ring come to an end.
        while let Some(step) = renames[at..].iter().position(|renaming| {
            let is_from =
                |from: &Label| now.is_read_as(from.as_str()) || ClaimSlug::of(from).as_str() == now.as_str();
            renaming.from.as_ref().is_some_and(is_from)
        }) {
            let renaming = &renames[at + step];
            now = renaming.to.clone()?;
            first.get_or_insert(renaming);
            at += step + 1;
        }
        let Relabelling { act, from, born, .. } = first?;
        // A later claim of that label was taken back: what became of that one is the answer.
        if store.has_lived_since(from.as_ref()?, *born).ok()? {
            return None;
        }
        let slug = ClaimSlug::of(&now);
        let is_live = matches!(store.live(&slug), LiveFile::Claim(claim) if is_label_of(&now, &claim));
        // Taken back, or not in this checkout: that label shows it.
        let is_shown =
            || store.history(&slug).is_ok_and(|(past, _)| past.iter().any(|it| is_label_of(&now, &it.claim)));
        let (by, day) = (act.agent().to_owned(), act.at().day().to_owned());
        (is_live || is_shown()).then(|| Renamed { to: now.to_string(), by, day })
    }

    /// What took a claim away that was live under a label, if history has it.
    fn left_before(&self, store: &Store, slug: &ClaimSlug, label: &Label) -> Option<String> {
        let by_id = store.is_id(label).ok()?;
        let is_its = |claim: &Claim| by_id || label.is_read_as(&claim.label);
        match store.live(slug) {
            LiveFile::Absent => {}
            // Another claim lives there.
            LiveFile::Claim(claim) if !is_its(&claim) => {}
            LiveFile::Claim(_) | LiveFile::Unreadable(_) => return None,
        }
        let (versions, _) = store.history(slug).ok()?;
        let last = versions.into_iter().find(|version| is_its(&version.claim))?;
        let named = format!("{:?}", last.claim.label);
        match last.exit {
            ExitReason::Superseded => None,
            ExitReason::Moved => Some(format!("{named} went to another store of this home")),
            ExitReason::Retracted => {
                let acts = store.acts().of_kinds(&[DeedKind::Retract]).unwrap_or_default();
                let act = last_retraction(&acts, &[VersionRef::of(slug, &last.claim)]);
                let by = act.map(|act| format!(" by {} on {}", act.agent(), act.at().day()));
                Some(format!("{named} was taken back{}", by.unwrap_or_default()))
            }
        }
    }

    /// The label of a claim that was written here and that this checkout does not have, with what brings it here.
    fn away(&self, store: &Store, label: &Label, slug: &ClaimSlug) -> Option<(String, Advice)> {
        let by_id = store.is_id(label).ok()?;
        let is_it = |claim: &&Claim| by_id || is_label_of(label, claim);
        let missing = store.missing_of(slug).ok().flatten();
        // Another claim may have a label of the same slug.
        let its = missing.iter().flat_map(|missing| &missing.versions).map(|copy| &copy.claim).find(is_it);
        if let (Some(claim), LiveFile::Claim(live)) = (its, store.live(slug)) {
            if is_it(&&*live) || self.floor().has_secret(&live.label) {
                return None;
            }
            let holder = &live.label;
            let fix = advice![
                "{holder:?} has its place, because both labels give one file name: ",
                calls::rename(holder, calls::NEW),
                " makes room, then ",
                calls::init(),
                " brings it back"
            ];
            return Some((claim.label.clone(), fix));
        }
        let is_absent = missing.as_ref().is_some_and(|missing| !missing.is_live);
        if let Some(claim) = its.filter(|_| is_absent) {
            let fix = advice![
                "it is on another branch, or was cleaned away: ",
                calls::init(),
                " brings back what is gone"
            ];
            return Some((claim.label.clone(), fix));
        }
        let LiveFile::Absent = store.live(slug) else { return None };
        let under_home = store.youngest_elsewhere(slug).ok().flatten();
        let label = under_home.as_ref().filter(is_it)?.label.clone();
        let fix = advice![
            "it lies under the home since an eject: ",
            calls::init(),
            " brings it into the repository"
        ];
        Some((label, fix))
    }

    /// Returns the refusal for a label that no claim has, with the labels that come near.
    pub(crate) fn not_found(&self, store: &Store, label: &Label, place: &str) -> MemoryError {
        let asked = ClaimSlug::of(label);
        if let Some(misnamed) = self.misnamed(store, &asked, codes::CLAIM_NOT_FOUND) {
            return misnamed;
        }
        if let Some((label, fix)) = self.away(store, label, &asked) {
            return WriteError::NotInCheckout { label, place: place.to_owned(), fix }.into();
        }
        let floor = self.floor();
        let mut near: Vec<(usize, String)> = store
            .scan()
            .map(|scan| scan.claims)
            .unwrap_or_default()
            .into_iter()
            // A label that is a secret is near to nothing: a hint at it would confirm a guess.
            .filter(|stored| !floor.has_secret(&stored.claim.label))
            .map(|stored| {
                let is_same = folded(&stored.claim.label) == folded(label.as_str());
                let distance = if is_same { 0 } else { strsim::levenshtein(asked.as_str(), &stored.id) };
                (distance, stored.claim.label)
            })
            .filter(|(distance, _)| *distance <= asked.as_str().len().div_ceil(3))
            .collect();
        near.sort();
        near.truncate(3);
        let near = near.into_iter().map(|(_, label)| label).collect();
        let medulla = self.home.medulla();
        let in_medulla = store.paths() != medulla.paths()
            && matches!(medulla.live(&asked), LiveFile::Claim(claim) if is_label_of(label, &claim));
        let left = self.left_before(store, &asked, label);
        let renamed = Self::renamed_since(store, label).map(Box::new);
        // What is there and damaged is never reported absent.
        let is_unread = || store.history(&asked).is_ok_and(|(versions, _)| versions.is_empty());
        if renamed.is_none()
            && let Some(bad) = store.damaged(&asked).ok().and_then(|damaged| damaged.into_iter().next())
            && is_unread()
        {
            return MemoryError::Unreadable(bad);
        }
        let (label, place) = (label.to_string(), place.to_owned());
        MemoryError::NotFound { label, place, near, in_medulla, left, renamed }
    }
}

/// The act that takes a version back. A version that git or a backup brought back was taken back before: a new word on it is an act of
/// its own, and the same word of the same agent is the act that is on record.
pub(crate) fn retraction(
    store: &Store,
    (slug, claim): (&ClaimSlug, &Claim),
    agent: &AgentId,
    now: Timestamp,
    deed: Deed,
) -> Act {
    let act = Act::new(deed, agent, now);
    // Under the home the log need not be read for a version that history does not have as retracted.
    if store.paths().kept.is_none() && !store.was_taken_back(slug, claim) {
        return act;
    }
    let acts = store.acts().of_kinds(&[DeedKind::Retract]).unwrap_or_default();
    // What only the repository's log says is no retraction of this home: its own is the first here.
    let before = last_retraction(&acts, &[VersionRef::of(slug, claim)]);
    let Some(before) = before.filter(|before| !before.is_foreign()) else { return act };
    let is_same = (before.agent(), before.deed().reason()) == (act.agent(), act.deed().reason());
    let id = if is_same { before.id().clone() } else { act.deed().id_again(now) };
    act.under(id)
}

/// The label that a caller means in a store. A claim may be named as answers name it, `cherry@1a2b3c4d#retry-policy`;
/// and a live claim is meant by its label in other letter case or spacing, because no second claim can have that slug, and by
/// a spelling that it had before.
pub(crate) fn meant(store: &Store, label: &Label, place: &str) -> Result<Label, MemoryError> {
    let label = local(label, place);
    Ok(store.label_of_live(&label)?.unwrap_or(label))
}

/// Whether a caller means a claim by the id of a row. The name that answers give a claim, `cherry@1a2b3c4d#retry-policy`, has
/// an id in it and no label.
pub(crate) fn is_id(store: &Store, asked: &Label, place: &str) -> Result<bool, MemoryError> {
    let label = local(asked, place);
    let is_spelled_so = label.as_str() == ClaimSlug::of(&label).as_str();
    Ok(is_spelled_so && (label != *asked || store.is_id(&label)?))
}

/// A label without the name of the store before it: `retry-policy` for `cherry@1a2b3c4d#retry-policy` in that brain.
pub(crate) fn local(label: &Label, place: &str) -> Label {
    let origin = if place == "the medulla" { "medulla" } else { place };
    let id = label.as_str().strip_prefix(origin).and_then(|rest| rest.strip_prefix('#'));
    let id = id.filter(|_| !origin.is_empty()).and_then(|id| Label::parse(id).ok());
    id.unwrap_or_else(|| label.clone())
}

/// A label without the difference between small and capital letters.
fn folded(label: &str) -> String {
    label.trim().to_lowercase()
}
