//! A proposal to promote: a recorded act in the project, which others decide about, and how it is settled.

use crate::caller::identity::is_same_agent;
use crate::error::MemoryError;
use crate::promotion::promote::{PromoteRequest, Promoted};
use crate::reading::failed_reads::ACTS_UNREADABLE;
use crate::reading::feed::Gap;
use crate::reading::shared_rows;
use crate::record::provenance::{DECLINE, PROPOSE, VIOLATION, WITHDRAW};
use crate::record::verdicts::{Names, Verdicts, version};
use crate::service::Memory;
use crate::writing::outside;
use brainstem_base::next::{VerbId, calls};
use brainstem_base::{Advice, advice};
use brainstem_base::{AgentId, Coded as _, Fault, Timestamp, codes};
use brainstem_claims::promotion::{self, Promotion, copy_named, on};
use brainstem_claims::{Claim, ClaimSlug, Label};
use brainstem_vault::home::MEDULLA_SOFT_CAP;
use brainstem_vault::rename::RENAME;
use brainstem_vault::store::subject;
use brainstem_vault::{Act, Brain, Store, StoreError};
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};

/// The acts that proposals are read from.
pub(crate) const PROPOSAL_ACTS: &[&str] = &[PROPOSE, DECLINE, WITHDRAW, RENAME];

/// Somebody thinks that a claim is for every project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// Who.
    pub agent: String,
    /// When.
    pub at: Timestamp,
    /// Why.
    pub reason: Option<String>,
    /// On what ground.
    pub ground: Option<String>,
    /// How it was settled; `None` while it waits, and where it was promoted.
    pub settled: Option<Settled>,
    /// Only the repository's log says so: it was not recorded here.
    pub is_foreign: bool,
}

/// How a proposal was settled without a promotion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Declined by somebody who decides, or withdrawn by who proposed it.
    pub how: Settling,
    /// Who.
    pub agent: String,
    /// When.
    pub at: Timestamp,
    /// Why.
    pub reason: Option<String>,
    /// Only the repository's log says so: it was not recorded here.
    pub is_foreign: bool,
}

impl Settled {
    /// For people.
    pub fn sentence(&self) -> String {
        let reason = self.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let hearsay = crate::reading::facts::hearsay(self.is_foreign);
        format!("{} {} by {}{reason}{hearsay}", self.how.as_str(), on(Some(self.at)), self.agent)
    }
}

/// A way to settle a proposal without a promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settling {
    /// Somebody decided against it.
    Declined,
    /// Who proposed it took it back.
    Withdrawn,
}

impl Settling {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Declined => "declined",
            Self::Withdrawn => "withdrawn",
        }
    }

    fn act(self) -> &'static str {
        match self {
            Self::Declined => DECLINE,
            Self::Withdrawn => WITHDRAW,
        }
    }
}

/// A proposal, and the version it is upon.
#[derive(Clone, Debug)]
pub(crate) struct Proposed {
    pub(crate) slug: String,
    pub(crate) created: Option<i64>,
    pub(crate) label: String,
    /// Every slug that this version had, with its label where a renaming says it.
    pub(crate) names: BTreeMap<String, Option<String>>,
    pub(crate) proposal: Proposal,
}

impl Proposed {
    /// Folds acts, in whatever order a merge of two logs left them. The oldest first.
    pub(crate) fn all(acts: &[Act]) -> Vec<Self> {
        let settled: Vec<(Settled, &str)> = acts.iter().filter_map(settled).collect();
        let mut all: Vec<Self> = acts.iter().filter_map(Self::of).collect();
        let renamed = Names::of(acts);
        let labels = labels(acts);
        for Self { slug, created, names, proposal, .. } in &mut all {
            let called = renamed.of_version(slug.as_str(), *created).into_iter();
            names.extend(called.map(|name| {
                let label = labels.get(name.as_str()).map(|label| (*label).to_owned());
                (name, label)
            }));
            let settles = |(settled, subject): &&(Settled, &str)| {
                let (slug, born) = version(subject);
                born == *created
                    && names.contains_key(slug)
                    && settled.at >= proposal.at
                    && (settled.how == Settling::Declined || is_same_agent(&settled.agent, &proposal.agent))
            };
            let first = settled.iter().filter(settles).min_by_key(|(settled, _)| settled.at);
            proposal.settled = first.map(|(settled, _)| settled.clone());
        }
        all.sort_by(|a, b| (a.proposal.at, &a.proposal.agent).cmp(&(b.proposal.at, &b.proposal.agent)));
        all
    }

    fn of(act: &Act) -> Option<Self> {
        let word = |key: &str| act.data[key].as_str().map(str::to_owned);
        let at = Timestamp::parse_rfc3339(&act.ts).filter(|_| act.act == PROPOSE)?;
        let (slug, created) = version(&act.subject);
        let (agent, reason, ground) = (act.agent.clone(), word("reason"), word("ground"));
        Some(Self {
            slug: slug.to_owned(),
            created,
            label: word("label").unwrap_or_else(|| slug.to_owned()),
            names: BTreeMap::new(),
            proposal: Proposal { agent, at, reason, ground, settled: None, is_foreign: act.is_foreign },
        })
    }
}

impl Proposed {
    /// Whether a promotion of this very version answered it, and nobody had settled it before: a copy is born when
    /// it is promoted.
    pub(crate) fn is_promoted(&self, origin: &str, promotions: &[shared_rows::Promoted]) -> bool {
        let is_own = |of: &str| {
            of.rsplit_once('#').is_some_and(|(brain, slug)| brain == origin && self.names.contains_key(slug))
        };
        let settled = self.proposal.settled.as_ref().map(|settled| settled.at.ms());
        promotions.iter().any(|promotion| {
            let answers =
                |at: i64| at >= self.proposal.at.ms() && settled.is_none_or(|settled| at <= settled);
            promotion.origin_created == self.created
                && promotion.created.is_some_and(answers)
                && is_own(&promotion.origin_claim)
        })
    }
}

/// The labels that renamings gave, by their slugs.
fn labels(acts: &[Act]) -> HashMap<&str, &str> {
    let given = acts.iter().filter(|act| act.act == RENAME);
    given.filter_map(|act| Some((act.data["to_slug"].as_str()?, act.data["to"].as_str()?))).collect()
}

fn settled(act: &Act) -> Option<(Settled, &str)> {
    let how = match act.act.as_str() {
        DECLINE => Settling::Declined,
        WITHDRAW => Settling::Withdrawn,
        _ => return None,
    };
    let at = Timestamp::parse_rfc3339(&act.ts)?;
    let reason = act.data["reason"].as_str().map(str::to_owned);
    Some((Settled { how, agent: act.agent.clone(), at, reason, is_foreign: act.is_foreign }, &act.subject))
}

/// The proposals upon a version, oldest first.
pub(crate) fn upon(acts: &[Act], slug: &ClaimSlug, created: Option<Timestamp>) -> Vec<Proposal> {
    let is_upon = |found: &Proposed| {
        found.created == created.map(Timestamp::ms) && found.names.contains_key(slug.as_str())
    };
    Proposed::all(acts).into_iter().filter(is_upon).map(|found| found.proposal).collect()
}

/// The labels of a project that were proposed and wait for a decision, each once: the version is live, and
/// nobody promoted, declined or withdrew it.
pub(crate) fn waiting(
    origin: &str,
    project: &Verdicts,
    medulla: &Verdicts,
    born: impl Fn(&str) -> Option<i64>,
) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    let open = project.proposals().iter().filter_map(|found| {
        // Anybody can write one into a repository's log: the audit names it, and nothing is advised about it.
        let waits = !found.proposal.is_foreign
            && found.proposal.settled.is_none()
            && found.created.is_some()
            && !found.is_promoted(origin, medulla.promotions());
        // Under the name it has by now.
        let mut names = found.names.iter().filter(|_| waits);
        let (name, label) = names.find(|(name, _)| born(name) == found.created)?;
        Some(if *name == found.slug { &found.label } else { label.as_ref().unwrap_or(name) })
    });
    for label in open {
        if !labels.contains(label) {
            labels.push(label.clone());
        }
    }
    labels
}

/// One line about what waits, with what to do for who decides.
pub(crate) fn waiting_line(labels: &[String], reader: &AgentId) -> Option<Advice> {
    let first = labels.first()?;
    if !reader.may_write_doctrine() {
        let more = match labels.len() - 1 {
            0 => "is proposed for every project, and waits".to_owned(),
            more => format!("and {more} more are proposed for every project, and wait"),
        };
        return Some(advice![
            VerbId::Promote,
            ": {first:?} {more} for an orchestrator or a person to decide"
        ]);
    }
    Some(match labels.len() {
        1 => advice![
            VerbId::Promote,
            ": {first:?} is proposed for every project and waits: promote it with a reason, or decline it"
        ],
        count => advice![
            VerbId::Promote,
            ": {count} proposals wait, {first:?} first: promote each with a reason, or decline it; ",
            calls::audit_promotions(),
            " shows them"
        ],
    })
}

impl Memory {
    /// The labels of one project that wait for a decision, how many of its delegations are open, and a gap for each log
    /// that could not be read. Where the project's own log could not be, nobody knows how many there are.
    pub(crate) fn open_in(&self, brain: &Brain) -> ((Vec<String>, Option<usize>), Vec<Gap>) {
        let store = self.store_of(brain);
        let mut gaps = Vec::new();
        let mut read = |whose: &str, store: &Store| {
            let told = |error: StoreError| {
                let detail =
                    format!("the delegations and proposals in {whose}: {error} [{}]", error.code().name());
                gaps.push(Gap::new(ACTS_UNREADABLE, detail));
            };
            self.verdicts(store).map_err(told).ok()
        };
        let (project, medulla) = (read(&brain.origin(), &store), read("the medulla", &self.home.medulla()));
        let born = |slug: &str| {
            let stored = store.stored(slug).into_iter().find(|stored| stored.side.is_none())?;
            stored.claim.created.map(Timestamp::ms)
        };
        let open = project.as_ref().map(|project| project.open_delegations(self.clock.now()));
        let labels = match (&project, &medulla) {
            (Some(project), Some(medulla)) => waiting(&brain.origin(), project, medulla, born),
            (Some(_) | None, _) => Vec::new(),
        };
        ((labels, open), gaps)
    }

    /// Records a proposal upon the live version, unless this agent's own waits already.
    pub(crate) fn propose(
        &self,
        brain: &Brain,
        label: &Label,
        promotion: &Promotion,
    ) -> Result<Promoted, MemoryError> {
        let (project, medulla) = (self.store_of(brain), self.home.medulla());
        let slug = self.witness_named(&project, label, brain)?;
        let Promotion { by, reason, ground, .. } = promotion;
        let ground = ground.as_ref().map(ToString::to_string);
        let (unchanged, at) = (Cell::new(false), Cell::new(self.clock.now()));
        let (said, notes) = (RefCell::new(reason.clone()), RefCell::new(Vec::new()));
        let remarked = project.remark(&slug, |claim: &Claim| {
            let before = upon(&project.acts().named(PROPOSAL_ACTS)?, &slug, claim.created);
            // What only the repository's log says in the agent's name is no proposal of it.
            let own = |one: &&Proposal| !one.is_foreign && is_same_agent(&one.agent, by.as_str());
            let last = before.iter().rfind(own);
            // One voice, one proposal: what waits is not opened again, in whatever words.
            let promoted = copy_named(claim).map(|(_, since)| since);
            let waits = |last: &&Proposal| last.settled.is_none() && promoted.is_none_or(|at| at < last.at);
            if let Some(last) = last.filter(waits) {
                unchanged.set(true);
                at.set(last.at);
                let other = last.reason.as_ref() != Some(reason) || last.ground != ground;
                *said.borrow_mut() = last.reason.clone().unwrap_or_default();
                notes.borrow_mut().extend(other.then(|| {
                    "your proposal waits already, with the words above; to change them, withdraw it first"
                        .into()
                }));
                return Ok(Vec::new());
            }
            let settled = before.iter().rev().find_map(|proposal| proposal.settled.as_ref());
            notes.borrow_mut().extend(settled.map(|settled| advice!["it was ", settled.sentence()]));
            // An agent's words are stamped in their order, whatever its clock does.
            let after = before.iter().flat_map(|one| [Some(one.at), one.settled.as_ref().map(|s| s.at)]);
            at.set(after.flatten().fold(at.get(), |now, before| now.max(before.next())));
            let version = format!("{} by:{by}:{}", subject(&slug, claim), at.get().ms());
            let mut data = json!({ "label": claim.label, "reason": reason });
            if let Some(ground) = &ground {
                data["ground"] = json!(ground);
            }
            Ok(vec![Act::once(PROPOSE, &version, by, at.get(), data)])
        })?;
        let Some(claim) = remarked else {
            return Err(self.not_found(&project, label, &brain.origin()));
        };
        let mut notes = notes.into_inner();
        if self.sharing(&claim).is_some_and(|sharing| sharing.is_shared()) {
            notes.push("every project sees this version already".into());
        }
        notes.extend(self.told_of(&claim, ground.is_some(), &medulla));
        notes.extend(self.cautions(brain, &project, &slug, &claim).into_iter().map(Advice::from));
        if !unchanged.get() {
            let moved = ground.as_deref().and_then(|ground| outside::ground_note(&project, ground));
            notes.extend(moved.map(Advice::from));
            notes.extend(outside::paths_note(&project, [reason.as_str()]));
        }
        let chain = format!("proposed by {by} {}: {}", on(Some(at.get())), said.into_inner());
        Ok(self.settled_answer(&project, slug, &claim, &chain, unchanged.get(), notes))
    }

    /// Records that what was proposed upon the live version is declined, or withdrawn by who proposed it.
    pub(crate) fn settle_proposals(
        &self,
        brain: &Brain,
        label: &Label,
        by: &AgentId,
        reason: &str,
        how: Settling,
    ) -> Result<Promoted, MemoryError> {
        let project = self.store_of(brain);
        let slug = self.witness_named(&project, label, brain)?;
        let (unchanged, promoted, found) = (Cell::new(false), Cell::new(None), RefCell::new(None));
        let remarked = project.remark(&slug, |claim: &Claim| {
            let mut before = upon(&project.acts().named(PROPOSAL_ACTS)?, &slug, claim.created);
            if how == Settling::Withdrawn {
                before.retain(|proposal| is_same_agent(&proposal.agent, by.as_str()));
            }
            let Some(last) = before.last() else { return Ok(Vec::new()) };
            // A promotion decided about what was proposed before it.
            if let Some((_, since)) = copy_named(claim)
                && before.iter().all(|proposal| proposal.at <= since)
                && before.iter().any(|proposal| proposal.settled.is_none())
            {
                promoted.set(Some(since));
                return Ok(Vec::new());
            }
            if before.iter().all(|proposal| proposal.settled.is_some()) {
                unchanged.set(true);
                *found.borrow_mut() = last.settled.clone();
                return Ok(Vec::new());
            }
            let at = before.iter().fold(self.clock.now(), |now, proposal| now.max(proposal.at.next()));
            let why = Some(reason.to_owned());
            let settled = Settled { how, agent: by.to_string(), at, reason: why, is_foreign: false };
            *found.borrow_mut() = Some(settled);
            let version = format!("{} by:{by}:{}", subject(&slug, claim), at.ms());
            let data = json!({ "label": claim.label, "reason": reason });
            let breach = (how == Settling::Declined && !by.may_write_doctrine()).then(|| {
                let data = json!({ "rule": "MEM-35", "label": claim.label });
                Act::once(VIOLATION, &format!("{DECLINE} {version}"), by, at, data)
            });
            let settling = Act::once(how.act(), &version, by, at, data);
            Ok(breach.into_iter().chain([settling]).collect())
        })?;
        let Some(claim) = remarked else {
            return Err(self.not_found(&project, label, &brain.origin()));
        };
        if promoted.get().is_some() {
            let message = format!(
                "{:?} was promoted {}: nothing waits to be {}",
                claim.label,
                on(promoted.get()),
                how.as_str()
            );
            let fix = advice![calls::learn_wrong(&claim.label), " takes it out of the medulla"];
            let fault = Fault::new(codes::INPUT_BAD_VALUE, message).fix(fix);
            return Err(fault.field("label").rule("MEM-35").into());
        }
        let Some(settled) = found.into_inner() else {
            let who = if how == Settling::Withdrawn { by.as_str() } else { "nobody" };
            let has = if how == Settling::Withdrawn { "has not proposed" } else { "has proposed" };
            let message = format!("{who} {has} to promote {:?} as it stands", claim.label);
            let fault = Fault::new(codes::INPUT_BAD_VALUE, message);
            return Err(fault
                .fix(advice!["`", calls::audit_promotions(), "` shows what waits"])
                .field("label")
                .rule("MEM-35")
                .into());
        };
        let mut notes = Vec::new();
        notes.extend(outside::paths_note(&project, [reason]).filter(|_| !unchanged.get()));
        if how == Settling::Declined && !by.may_write_doctrine() && !unchanged.get() {
            notes.push(
                format!(
                    "etiquette: orchestrators and people decide about proposals; {by} is on record for this"
                )
                .into(),
            );
        }
        let mut answer =
            self.settled_answer(&project, slug, &claim, &settled.sentence(), unchanged.get(), notes);
        answer.settled = Some(settled.how);
        Ok(answer)
    }

    fn settled_answer(
        &self,
        project: &Store,
        slug: ClaimSlug,
        claim: &Claim,
        told: &str,
        unchanged: bool,
        notes: Vec<Advice>,
    ) -> Promoted {
        let (brain, agent) = (claim.origin_brain.as_deref(), claim.source_agent.as_deref());
        Promoted {
            label: claim.label.clone(),
            proposed: true,
            settled: None,
            medulla_path: None,
            witness_path: project.live_path(&slug),
            medulla_count: self.home.medulla().count().ok(),
            soft_cap: MEDULLA_SOFT_CAP,
            chain: format!("{}; {told}", promotion::learned(brain, agent, claim.created)),
            unchanged,
            history: None,
            notes,
            slug,
        }
    }
}

/// Which of the four a request asks for: to promote, to propose, or to settle what was proposed.
pub(crate) fn settling(request: &PromoteRequest) -> Result<Option<Settling>, MemoryError> {
    match (request.decline, request.withdraw, request.propose) {
        (false, false, _) => Ok(None),
        (true, false, false) => Ok(Some(Settling::Declined)),
        (false, true, false) => Ok(Some(Settling::Withdrawn)),
        _ => {
            Err(Fault::new(codes::INPUT_BAD_VALUE, "propose, decline and withdraw are three different acts")
                .fix("give one of them")
                .field(if request.decline { "decline" } else { "withdraw" })
                .rule("MEM-35")
                .into())
        }
    }
}
