//! The timeline of a finding: what was done to a claim in its project and in the medulla, in order.

use super::names::NamesOnRecord;
use super::provenance::ExplainedVersions;
use crate::act::{Act, ActTime, ActVerb, Deed, VersionRef};
use crate::fence::value;
use crate::promotion::{PromotionBasis, Provenance, brain_name, chain, on};
use crate::unproven_header::is_person;
use crate::{Claim, ClaimSlug};
use brainstem_base::Timestamp;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// One step in the timeline of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineStep {
    /// When; `None` if it is unknown.
    pub at: Option<Timestamp>,
    /// What it was: learned, rewritten, affirmed, doctrine, judged, proposed, declined, withdrawn, promoted, unshared,
    /// retracted, renamed, imported, or unaccounted if only its header mentions it.
    pub what: &'static str,
    /// The agent that did it.
    pub agent: Option<String>,
    /// All of it for people, without the day.
    pub sentence: String,
}

impl TimelineStep {
    fn new(
        at: Option<Timestamp>,
        what: &'static str,
        agent: Option<&str>,
        told: &str,
        why: Option<&str>,
    ) -> Self {
        let by = agent.unwrap_or("someone unknown");
        let why = why.filter(|why| !why.is_empty()).map(|why| format!(": {why}")).unwrap_or_default();
        Self { at, what, agent: agent.map(str::to_owned), sentence: format!("{told} by {by}{why}") }
    }

    fn of_act(act: &Act, what: &'static str, told: &str, why: Option<&str>) -> Self {
        let mut step = Self::new(act.time(), what, Some(act.agent()), told, why);
        if let Some(by) = act.brought_by() {
            step.sentence.push_str(&format!(" (a record that {} imported)", value(by)));
        }
        if act.is_foreign() && is_person(act.agent()) {
            step.sentence.push_str(" (only the repository's log says so)");
        }
        step
    }

    /// The header of a version that no act proves: shown as a statement of the header, not as a fact.
    fn hearsay(claim: &Claim, is_copy: bool) -> Self {
        let said = match chain(claim).filter(|_| is_copy) {
            Some(chain) => chain,
            None => {
                let by = claim.source_agent.as_deref().map_or_else(|| "someone unknown".to_owned(), value);
                format!("written by {by} {}", on(claim.created))
            }
        };
        let sentence = format!("no act says how it came into the medulla; its header says: {said}");
        Self { at: None, what: "unaccounted", agent: None, sentence }
    }
}

/// The input of a timeline.
pub struct TimelineInput<'a> {
    /// Every version of the claim in its store, the live one included.
    pub versions: Vec<&'a Claim>,
    /// The slugs it had.
    pub slugs: &'a [ClaimSlug],
    /// The births of the versions of other claims that have or had one of these slugs.
    pub others: HashSet<Timestamp>,
    /// The acts of its store.
    pub acts: &'a [Act],
    /// Whether only its file says that a version was written so: this home has no record of it.
    pub is_hearsay: &'a dyn Fn(&Claim) -> bool,
    /// Of a project's claim: the project's brain, and the acts of the medulla.
    pub project: Option<(&'a str, &'a [Act])>,
}

/// The versions of the claim that a timeline is of.
struct ItsVersions<'a> {
    slugs: HashSet<&'a ClaimSlug>,
    born: HashSet<Option<Timestamp>>,
    others: &'a HashSet<Timestamp>,
    /// The slugs that some claim lost by a renaming.
    given_away: HashSet<&'a ClaimSlug>,
}

impl<'a> ItsVersions<'a> {
    fn of(told: &'a TimelineInput<'_>) -> Self {
        let from = |act: &'a Act| match act.deed() {
            Deed::Rename { upon, .. } => upon.slug(),
            _ => None,
        };
        Self {
            slugs: told.slugs.iter().collect(),
            born: told.versions.iter().map(|claim| claim.created).collect(),
            others: &told.others,
            given_away: told.acts.iter().filter_map(from).collect(),
        }
    }

    /// Whether a version belongs to this claim. A label that a claim lost by a renaming may belong to another by now:
    /// then only the versions that are here tell the two apart.
    fn has(&self, version: &VersionRef) -> bool {
        let is_given_away = || self.given_away.contains(&version.slug);
        let is_here = || self.born.contains(&version.created);
        let is_of_another = || version.created.is_some_and(|born| self.others.contains(&born));
        self.slugs.contains(&version.slug)
            && (version.created.is_none() || is_here() || !is_given_away() && !is_of_another())
    }
}

/// The one version that an act is upon.
fn version(act: &Act) -> Option<&VersionRef> {
    act.deed().upon()?.version()
}

/// Returns the timeline, oldest step first.
pub fn timeline(told: &TimelineInput<'_>) -> Vec<TimelineStep> {
    let mut steps = births(told);
    let versions = ItsVersions::of(told);
    let is_its = |act: &&Act| version(act).is_some_and(|version| versions.has(version));
    let its: Vec<&Act> = told.acts.iter().filter(is_its).collect();
    let by_verdict = ByVerdict::of(&its);
    let not_told = its.iter().filter(|act| !by_verdict.tells(act));
    steps.extend(not_told.filter_map(|act| upon(act, TimelineStore::Own)));
    if let Some((origin, medulla)) = told.project {
        steps.extend(shared(&versions, origin, medulla));
    }
    // A claim that was born and promoted in one millisecond was born first.
    steps.sort_by_key(|step| step.at);
    steps.dedup();
    steps
}

/// The birth of each version. A stamp makes no new version, so their birth distinguishes versions.
fn births(told: &TimelineInput<'_>) -> Vec<TimelineStep> {
    let mut versions = told.versions.clone();
    versions.sort_by_key(|claim| claim.created);
    versions.dedup_by_key(|claim| claim.created);
    // For an act that only the repository's log has, this home knows neither the agent nor whether it was done.
    let affirmed = |act: &Act| match act.deed() {
        Deed::Affirm { upon, .. } if !act.is_foreign() => upon.version().cloned(),
        _ => None,
    };
    let affirmed: HashSet<VersionRef> = told.acts.iter().filter_map(affirmed).collect();
    let is_affirmed = |claim: &Claim| {
        let of = |slug: &ClaimSlug| affirmed.contains(&VersionRef::of(slug, claim));
        claim.created.is_some() && told.slugs.iter().any(of)
    };
    let accounts = ExplainedVersions::of(told.acts, &Arc::new(NamesOnRecord::of(told.acts)));
    let is_explained = |claim: &Claim| told.slugs.iter().any(|slug| accounts.explain(slug.as_str(), claim));
    let mut steps = Vec::new();
    let mut is_first = true;
    for claim in versions {
        let before = steps.len();
        let agent = claim.source_agent.as_deref();
        if told.project.is_none() && !is_explained(claim) {
            steps.push(TimelineStep::hearsay(claim, claim.origin_claim.is_some()));
        } else if let Some(copy) = Provenance::of(claim).filter(|_| told.project.is_none()) {
            let place = brain_name(claim.origin_brain.as_deref());
            let learned = TimelineStep::new(
                copy.origin_created,
                "learned",
                agent,
                &format!("learned in {place}"),
                None,
            );
            if !steps.contains(&learned) {
                steps.push(learned);
            }
            let why = reasoned(copy.reason.as_deref(), copy.ground.as_deref());
            steps.push(TimelineStep::new(
                claim.created,
                "promoted",
                copy.by.as_deref(),
                "promoted",
                why.as_deref(),
            ));
        } else if told.project.is_none() {
            let written = if is_first { "written" } else { "rewritten" };
            steps.push(TimelineStep::new(
                claim.created,
                "doctrine",
                agent,
                &format!("{written} for every project"),
                None,
            ));
        } else if is_affirmed(claim) {
            steps.push(TimelineStep::new(claim.created, "affirmed", agent, "affirmed", None));
        } else if is_first {
            // A claim that does not say where it was learned counts as learned where it is; its copy says the same.
            let here = told.project.map(|(origin, _)| origin);
            let place = brain_name(claim.origin_brain.as_deref().or(here));
            steps.push(TimelineStep::new(
                claim.created,
                "learned",
                agent,
                &format!("learned in {place}"),
                None,
            ));
        } else {
            steps.push(TimelineStep::new(claim.created, "rewritten", agent, "said anew", None));
        }
        if (told.is_hearsay)(claim)
            && let Some(written) = steps.get_mut(before)
        {
            written.sentence.push_str(" (says the file; this home has no record of it)");
        }
        is_first = false;
    }
    steps
}

/// The store in which an act upon the finding was done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TimelineStore {
    /// The store of the claim that is shown.
    Own,
    /// The medulla, upon its copy.
    Copy,
}

/// The verdicts that took a claim out of the medulla: the retraction's step mentions both.
struct ByVerdict<'a>(BTreeSet<(&'a str, &'a ActTime, Option<&'a VersionRef>)>);

impl<'a> ByVerdict<'a> {
    fn of(acts: &[&'a Act]) -> Self {
        let took_out = acts.iter().filter(|act| is_by_verdict(act.deed()));
        Self(took_out.map(|act| (act.agent(), act.at(), version(act))).collect())
    }

    /// Whether an act is such a verdict.
    fn tells(&self, act: &Act) -> bool {
        matches!(act.deed(), Deed::Learn { .. }) && self.0.contains(&(act.agent(), act.at(), version(act)))
    }
}

fn is_by_verdict(deed: &Deed) -> bool {
    matches!(deed, Deed::Retract { by: Some(ActVerb::Learn), .. })
}

/// Returns the step of an act upon the finding; `None` if the versions themselves show it, or it makes no step.
fn upon(act: &Act, side: TimelineStore) -> Option<TimelineStep> {
    let step = |what, told: &str, why: Option<&str>| Some(TimelineStep::of_act(act, what, told, why));
    match (act.deed(), side) {
        (Deed::Learn { verdict, note, .. }, _) => {
            let place = if side == TimelineStore::Copy { " in the medulla" } else { "" };
            step("judged", &format!("found {}{place}", verdict.as_ref()?), note.as_deref())
        }
        (Deed::Propose { reason, ground, .. }, TimelineStore::Own) => {
            let why = reasoned(reason.as_deref(), ground.as_deref());
            step("proposed", "proposed for every project", why.as_deref())
        }
        (Deed::Decline { reason, .. }, TimelineStore::Own) => {
            step("declined", "proposal declined", reason.as_deref())
        }
        (Deed::Withdraw { reason, .. }, TimelineStore::Own) => {
            step("withdrawn", "proposal withdrawn", reason.as_deref())
        }
        (Deed::Import { .. }, TimelineStore::Own) => step("imported", "imported", None),
        (Deed::Rename { from, to, .. }, side) => {
            let what = match side {
                TimelineStore::Own => "renamed",
                TimelineStore::Copy => "the copy in the medulla renamed",
            };
            step("renamed", &format!("{what} from {:?} to {:?}", from.as_ref()?, to.as_ref()?), None)
        }
        (deed @ Deed::Retract { reason, .. }, side) => {
            let (what, told) = match (is_by_verdict(deed), side) {
                (true, TimelineStore::Own) => ("unshared", "found wrong and taken out of the medulla"),
                (true, TimelineStore::Copy) => ("unshared", "found wrong in the medulla and un-shared"),
                (false, TimelineStore::Own) => ("retracted", "taken back"),
                (false, TimelineStore::Copy) => ("unshared", "un-shared"),
            };
            step(what, told, reason.as_deref())
        }
        (Deed::Demote { reason, .. }, _) => step("unshared", "un-shared", reason.as_deref()),
        (
            Deed::Propose { .. } | Deed::Decline { .. } | Deed::Withdraw { .. } | Deed::Import { .. },
            TimelineStore::Copy,
        )
        | (
            Deed::Bootstrap { .. }
            | Deed::Affirm { .. }
            | Deed::Doctrine { .. }
            | Deed::Promote { .. }
            | Deed::Forget { .. }
            | Deed::Resolve { .. }
            | Deed::MigrateBegin { .. }
            | Deed::MigrateEnd { .. }
            | Deed::MigrateRollback { .. }
            | Deed::Migrate { .. }
            | Deed::MigrateIn { .. }
            | Deed::MigrateBack { .. }
            | Deed::SweepRoot { .. }
            | Deed::UnsweepRoot { .. }
            | Deed::TakeUp { .. }
            | Deed::SetAside { .. }
            | Deed::BootSet { .. }
            | Deed::BootDelete { .. }
            | Deed::Delegate { .. }
            | Deed::Debrief { .. }
            | Deed::Debriefed { .. }
            | Deed::Violation { .. }
            | Deed::Unknown { .. },
            _,
        ) => None,
    }
}

/// What was done with the copies of a project's claim.
fn shared(its: &ItsVersions<'_>, origin: &str, medulla: &[Act]) -> Vec<TimelineStep> {
    let is_own = |act: &Act| match act.deed() {
        Deed::Promote { origin: Some(of), origin_created, .. } => of.parts().is_some_and(|(brain, slug)| {
            brain == origin && its.has(&VersionRef::new(&slug, *origin_created))
        }),
        _ => false,
    };
    let copies: HashSet<&VersionRef> = medulla.iter().filter(|act| is_own(act)).filter_map(version).collect();
    let is_upon_copy = |act: &Act| version(act).is_some_and(|version| copies.contains(version));
    let upon_copies: Vec<&Act> = medulla.iter().filter(|act| is_upon_copy(act)).collect();
    let mut steps = Vec::new();
    let by_verdict = ByVerdict::of(&upon_copies);
    for act in medulla.iter().filter(|act| !by_verdict.tells(act)) {
        match act.deed() {
            Deed::Promote { reason, ground, .. } if is_own(act) => {
                let why = reasoned(reason.as_deref(), ground.as_deref());
                steps.push(TimelineStep::of_act(act, "promoted", "promoted", why.as_deref()));
            }
            Deed::Promote { origin, replaces: Some(replaces), .. }
                if replaces.version().is_some_and(|replaced| copies.contains(replaced)) =>
            {
                let of = brain_name(origin.as_ref().map(|origin| origin.as_str()));
                let why = format!("a promotion from {of} took its place");
                steps.push(TimelineStep::of_act(act, "unshared", "un-shared", Some(&why)));
            }
            _ if is_upon_copy(act) => steps.extend(upon(act, TimelineStore::Copy)),
            _ => {}
        }
    }
    steps
}

/// A reason with its ground, for people.
fn reasoned(reason: Option<&str>, ground: Option<&str>) -> Option<String> {
    let ground = ground.map(ground_words);
    match (reason.filter(|reason| !reason.is_empty()), ground) {
        (Some(reason), Some(ground)) => Some(format!("{reason} ({ground})")),
        (Some(reason), None) => Some(reason.to_owned()),
        (None, ground) => ground,
    }
}

/// A ground for people: `observed in plum`.
pub fn ground_words(ground: &str) -> String {
    match PromotionBasis::parse(ground) {
        Some(PromotionBasis::ObservedIn(place)) => format!("observed in {}", brain_name(Some(&place))),
        Some(PromotionBasis::Doctrine) => "it is doctrine".into(),
        Some(PromotionBasis::Telemetry) => "reports from the field say so".into(),
        None => ground.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::tests::{act, renamed};
    use super::*;
    use crate::act::{ClaimRef, Judgement, Mention};

    fn promoted(copy: &str, origin: &str, replaces: Option<&str>) -> Deed {
        Deed::Promote {
            upon: Mention::read(copy),
            label: None,
            origin: Some(ClaimRef::read(origin)),
            origin_created: Some(Timestamp::from_ms(1)),
            reason: Some("all need it".into()),
            ground: Some("doctrine".into()),
            replaces: replaces.map(Mention::read),
        }
    }

    fn learned(upon: &str, verdict: &str) -> Deed {
        Deed::Learn { upon: Mention::read(upon), verdict: Some(Judgement::read(verdict)), note: None }
    }

    fn retracted(upon: &str, by: Option<ActVerb>) -> Deed {
        let (upon, reason) = (Mention::read(upon), Some("no".into()));
        Deed::Retract { upon, reason, by, kind: None, successor: None, covers: None }
    }

    #[test] // spec: MEM-36, MEM-33
    fn the_acts_upon_a_claim_and_its_copies_are_told_in_the_order_they_happened() {
        let text = b"---\nProtocol: L1GHT/1.0\nNode: A\nState: authored\nSource-Agent: codex:maker\nCreated: 1\n---\n\nText.\n";
        let claim = Claim::parse(text).unwrap();
        let propose = Deed::Propose { upon: Mention::read("a@1"), label: None, reason: None, ground: None };
        let acts = [
            act(3, propose),
            act(2, learned("a@1 by:human:ana:2", "partial")),
            act(4, Deed::Unknown { name: "levitate".into(), subject: "a@1".into() }),
            act(9, learned("other@1 by:human:ana:9", "wrong")),
            act(9, learned("a@6 by:human:ana:9", "wrong")),
        ];
        let medulla = [
            act(5, promoted("a@5", "cherry@0a1b2c3d#a", None)),
            renamed("a@5", "b", 6),
            act(7, promoted("a@7", "plum@0a1b2c3d#z", Some("a@5"))),
            act(8, learned("a@5 by:human:ana:8", "wrong")),
            act(8, retracted("a@5", Some(ActVerb::Learn))),
            act(9, retracted("a@9", None)),
        ];
        let slugs = [ClaimSlug::parse("a").unwrap()];
        let told = TimelineInput {
            versions: vec![&claim],
            slugs: &slugs,
            others: HashSet::from([Timestamp::from_ms(6)]),
            acts: &acts,
            is_hearsay: &|_| false,
            project: Some(("cherry@0a1b2c3d", &medulla)),
        };
        let told: Vec<(&str, String)> =
            timeline(&told).into_iter().map(|step| (step.what, step.sentence)).collect();
        let told: Vec<(&str, &str)> =
            told.iter().map(|(what, sentence)| (*what, sentence.as_str())).collect();
        assert_eq!(
            told,
            [
                ("learned", "learned in cherry by codex:maker"),
                ("judged", "found partial by human:ana"),
                ("proposed", "proposed for every project by human:ana"),
                ("promoted", "promoted by human:ana: all need it (it is doctrine)"),
                ("renamed", "the copy in the medulla renamed from \"a\" to \"B\" by human:ana"),
                ("unshared", "un-shared by human:ana: a promotion from plum took its place"),
                ("unshared", "found wrong in the medulla and un-shared by human:ana: no"),
            ]
        );
    }
}
