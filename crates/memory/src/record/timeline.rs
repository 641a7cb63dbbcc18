//! The life of a finding: what was done to a claim in its project and in the medulla, in the order it happened.

use crate::record::provenance::{
    Accounts, DECLINE, DEMOTE, DOCTRINE, IMPORT, PROMOTE, PROPOSE, WITHDRAW, brought_by,
};
use crate::record::verdicts::{LEARN, Names, version};
use brainstem_base::Timestamp;
use brainstem_claims::Claim;
use brainstem_claims::fence::value;
use brainstem_claims::promotion::{Ground, Provenance, brain_name, chain, on};
use brainstem_claims::spoken::is_person;
use brainstem_vault::rename::RENAME;
use brainstem_vault::store::RETRACT;
use brainstem_vault::{Act, Source, WrittenHere};
use std::collections::HashSet;

/// One step in the life of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// When; `None` where nothing says it.
    pub at: Option<Timestamp>,
    /// What it was: learned, rewritten, affirmed, doctrine, judged, proposed, declined, withdrawn, promoted,
    /// unshared, retracted, renamed, imported, or unaccounted where nothing but its header tells of it.
    pub what: &'static str,
    /// Who.
    pub agent: Option<String>,
    /// All of it for people, without the day.
    pub sentence: String,
}

impl Step {
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
        let mut step = Self::new(Timestamp::parse_rfc3339(&act.ts), what, Some(&act.agent), told, why);
        if let Some(by) = brought_by(act) {
            step.sentence.push_str(&format!(" (a record that {} imported)", value(by)));
        }
        if act.is_foreign && is_person(&act.agent) {
            step.sentence.push_str(" (only the repository's log says so)");
        }
        step
    }

    /// What the header of a version says that no act bears out: told as what it says, and not as what was done.
    fn hearsay(claim: &Claim, is_copy: bool) -> Self {
        let said = match chain(claim).filter(|_| is_copy) {
            Some(chain) => chain,
            None => {
                let by = claim.source_agent.as_deref().map_or_else(|| "someone unknown".to_owned(), value);
                format!("written by {by} {}", on(claim.created))
            }
        };
        let sentence = format!("no act tells how it came into the medulla; its header says: {said}");
        Self { at: None, what: "unaccounted", agent: None, sentence }
    }
}

/// What a life is told from.
pub(crate) struct Told<'a> {
    /// Every version of the claim in its store, the live one included.
    pub(crate) versions: Vec<&'a Claim>,
    /// The slugs it had.
    pub(crate) slugs: Vec<&'a str>,
    /// The births of the versions of other claims that have or had one of these slugs.
    pub(crate) others: HashSet<i64>,
    /// The acts of its store.
    pub(crate) acts: &'a [Act],
    /// Which of its versions were written through this home.
    pub(crate) written_here: &'a WrittenHere,
    /// Of a project's claim: the project's brain, and the acts of the medulla.
    pub(crate) project: Option<(&'a str, &'a [Act])>,
}

impl Told<'_> {
    /// Whether a version is one of this claim. A label that a claim gave away by a renaming may be another's by now:
    /// then only the versions that are here tell the two apart.
    fn has(&self, (slug, created): (&str, Option<i64>)) -> bool {
        let is_given_away =
            || self.acts.iter().any(|act| act.act == RENAME && version(&act.subject).0 == slug);
        let is_here = || self.versions.iter().any(|claim| claim.created.map(Timestamp::ms) == created);
        let is_of_another = || created.is_some_and(|born| self.others.contains(&born));
        self.slugs.contains(&slug) && (created.is_none() || is_here() || !is_given_away() && !is_of_another())
    }
}

/// Tells a life, the oldest step first.
pub(crate) fn tell(told: &Told<'_>) -> Vec<Step> {
    let mut steps = births(told);
    let is_its = |act: &&Act| told.has(version(&act.subject));
    let its: Vec<&Act> = told.acts.iter().filter(is_its).collect();
    steps.extend(its.iter().filter(|act| !is_told_by(act, &its)).filter_map(|act| upon(act, Side::Own)));
    if let Some((origin, medulla)) = told.project {
        steps.extend(shared(told, origin, medulla));
    }
    // Who is told to be born and promoted in one millisecond was born first.
    steps.sort_by_key(|step| step.at);
    steps.dedup();
    steps
}

/// The birth of each version. A stamp makes no new one, so versions are told apart by their birth.
fn births(told: &Told<'_>) -> Vec<Step> {
    let mut versions = told.versions.clone();
    versions.sort_by_key(|claim| claim.created);
    versions.dedup_by_key(|claim| claim.created);
    // Of an act that only the repository's log has, this home knows neither the agent nor that it was done.
    let affirmed: Vec<(&str, Option<i64>)> = told
        .acts
        .iter()
        .filter(|act| act.act == "affirm" && !act.is_foreign)
        .map(|act| version(&act.subject))
        .collect();
    let is_affirmed = |claim: &Claim| {
        let stamp = claim.created.map(Timestamp::ms);
        let is_it =
            |(slug, created): &(&str, _)| told.slugs.contains(slug) && stamp.is_some() && *created == stamp;
        affirmed.iter().any(is_it)
    };
    let accounts = Accounts::of(told.acts, &Names::of(told.acts));
    let is_explained = |claim: &Claim| told.slugs.iter().any(|slug| accounts.explain(slug, claim));
    let mut steps = Vec::new();
    let mut is_first = true;
    for claim in versions {
        let before = steps.len();
        let agent = claim.source_agent.as_deref();
        if told.project.is_none() && !is_explained(claim) {
            steps.push(Step::hearsay(claim, claim.origin_claim.is_some()));
        } else if let Some(copy) = Provenance::of(claim).filter(|_| told.project.is_none()) {
            let place = brain_name(claim.origin_brain.as_deref());
            let learned =
                Step::new(copy.origin_created, "learned", agent, &format!("learned in {place}"), None);
            if !steps.contains(&learned) {
                steps.push(learned);
            }
            let why = reasoned(copy.reason.as_deref(), copy.ground.as_deref());
            steps.push(Step::new(claim.created, "promoted", copy.by.as_deref(), "promoted", why.as_deref()));
        } else if told.project.is_none() {
            let written = if is_first { "written" } else { "rewritten" };
            steps.push(Step::new(
                claim.created,
                DOCTRINE,
                agent,
                &format!("{written} for every project"),
                None,
            ));
        } else if is_affirmed(claim) {
            steps.push(Step::new(claim.created, "affirmed", agent, "affirmed", None));
        } else if is_first {
            // One that does not say where it was learned is told as learned where it lies, as its copy says of it.
            let here = told.project.map(|(origin, _)| origin);
            let place = brain_name(claim.origin_brain.as_deref().or(here));
            steps.push(Step::new(claim.created, "learned", agent, &format!("learned in {place}"), None));
        } else {
            steps.push(Step::new(claim.created, "rewritten", agent, "said anew", None));
        }
        if told.written_here.source_of_past(claim) == Source::File
            && let Some(written) = steps.get_mut(before)
        {
            written.sentence.push_str(" (says the file; this home has no record of it)");
        }
        is_first = false;
    }
    steps
}

/// In which store an act upon the finding was done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// In that of the claim that is shown.
    Own,
    /// In the medulla, upon its copy.
    Copy,
}

/// Whether a verdict took the claim out of the medulla: then that act tells of both.
fn is_told_by(act: &Act, acts: &[&Act]) -> bool {
    let took_out = |other: &&Act| {
        is_by_verdict(other)
            && (&other.agent, &other.ts) == (&act.agent, &act.ts)
            && version(&other.subject) == version(&act.subject)
    };
    act.act == LEARN && acts.iter().any(took_out)
}

fn is_by_verdict(act: &Act) -> bool {
    act.act == RETRACT && act.data["by"].as_str() == Some(LEARN)
}

fn upon(act: &Act, side: Side) -> Option<Step> {
    let word = |key: &str| act.data[key].as_str();
    let reason = reasoned(word("reason"), word("ground"));
    Some(match (act.act.as_str(), side) {
        (LEARN, _) => {
            let place = if side == Side::Copy { " in the medulla" } else { "" };
            Step::of_act(act, "judged", &format!("found {}{place}", word("verdict")?), word("note"))
        }
        (PROPOSE, Side::Own) => {
            Step::of_act(act, "proposed", "proposed for every project", reason.as_deref())
        }
        (DECLINE, Side::Own) => Step::of_act(act, "declined", "proposal declined", word("reason")),
        (WITHDRAW, Side::Own) => Step::of_act(act, "withdrawn", "proposal withdrawn", word("reason")),
        (IMPORT, Side::Own) => Step::of_act(act, "imported", "imported", None),
        (RENAME, side) => {
            let what = match side {
                Side::Own => "renamed",
                Side::Copy => "the copy in the medulla renamed",
            };
            let told = format!("{what} from {:?} to {:?}", word("from")?, word("to")?);
            Step::of_act(act, "renamed", &told, None)
        }
        (RETRACT, Side::Own) if is_by_verdict(act) => {
            Step::of_act(act, "unshared", "found wrong and taken out of the medulla", word("reason"))
        }
        (RETRACT, Side::Copy) if is_by_verdict(act) => {
            Step::of_act(act, "unshared", "found wrong in the medulla and un-shared", word("reason"))
        }
        (RETRACT, Side::Own) => Step::of_act(act, "retracted", "taken back", word("reason")),
        (DEMOTE, _) | (RETRACT, Side::Copy) => Step::of_act(act, "unshared", "un-shared", word("reason")),
        _ => return None,
    })
}

/// What was done with the copies of a project's claim.
fn shared(told: &Told<'_>, origin: &str, medulla: &[Act]) -> Vec<Step> {
    let is_own = |act: &Act| {
        let of = act.data["origin_claim"].as_str().and_then(|of| of.rsplit_once('#'));
        let created = act.data["origin_created"].as_i64();
        act.act == PROMOTE && of.is_some_and(|(brain, slug)| brain == origin && told.has((slug, created)))
    };
    let copies: HashSet<(&str, Option<i64>)> =
        medulla.iter().filter(|act| is_own(act)).map(|act| version(&act.subject)).collect();
    let upon_copies: Vec<&Act> =
        medulla.iter().filter(|act| copies.contains(&version(&act.subject))).collect();
    let mut steps = Vec::new();
    for act in medulla.iter().filter(|act| !is_told_by(act, &upon_copies)) {
        let word = |key: &str| act.data[key].as_str();
        if is_own(act) {
            let why = reasoned(word("reason"), word("ground"));
            steps.push(Step::of_act(act, "promoted", "promoted", why.as_deref()));
        } else if act.act == PROMOTE && word("replaces").is_some_and(|of| copies.contains(&version(of))) {
            let of = brain_name(word("origin_claim"));
            let why = format!("a promotion from {of} took its place");
            steps.push(Step::of_act(act, "unshared", "un-shared", Some(&why)));
        } else if copies.contains(&version(&act.subject)) {
            steps.extend(upon(act, Side::Copy));
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
    match Ground::parse(ground) {
        Some(Ground::ObservedIn(place)) => format!("observed in {}", brain_name(Some(&place))),
        Some(Ground::Doctrine) => "it is doctrine".into(),
        Some(Ground::Telemetry) => "reports from the field say so".into(),
        None => ground.to_owned(),
    }
}
