//! A proposal to promote: a recorded act in the project, which others decide about, and how it is settled.

use crate::error::MemoryError;
use crate::gap::Gap;
use crate::promotion::answer::Promoted;
use crate::promotion::error::PromotionError;
use crate::reading::failed_reads::ACTS_UNREADABLE;
use crate::record::verdicts::Verdicts;
use crate::service::Memory;
use crate::writing::outside;
use brainstem_base::next::{VerbId, calls};
use brainstem_base::{Advice, advice};
use brainstem_base::{AgentId, Coded as _, Timestamp};
use brainstem_caller::identity::is_same_agent;
use brainstem_claims::act::{Act, ActVerb, Deed, Mention, VersionRef};
use brainstem_claims::folds::delegations::OpenDelegations;
use brainstem_claims::folds::proposals::{PROPOSAL_ACTS, Proposal, Proposed, SettledProposal, Settling};
use brainstem_claims::promotion::{self, Promotion, copy_named, on};
use brainstem_claims::{Claim, ClaimSlug, Label};
use brainstem_vault::home::MEDULLA_SOFT_CAP;
use brainstem_vault::{Brain, Store, StoreError};
use std::cell::{Cell, RefCell};

/// How a proposal was settled, for people.
pub fn settled_sentence(settled: &SettledProposal) -> String {
    let reason = settled.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    let hearsay = crate::reading::facts::hearsay(settled.is_foreign);
    format!("{} {} by {}{reason}{hearsay}", settled.how.as_str(), on(Some(settled.at)), settled.agent)
}

/// The labels of a project that were proposed and wait for a decision, each once: the version is live, and it was not
/// promoted, declined or withdrawn.
pub(crate) fn waiting(
    origin: &str,
    project: &Verdicts,
    medulla: &Verdicts,
    born: impl Fn(&str) -> Option<Timestamp>,
) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    let open = project.proposals().iter().filter_map(|found| {
        // Any clone can write one into a repository's log: the audit names it, and no advice is given about it.
        let waits = !found.proposal.is_foreign
            && found.proposal.settled.is_none()
            && found.created().is_some()
            && !found.is_promoted(origin, medulla.promotions());
        // Under the name it has by now.
        let mut names = found.names.iter().filter(|_| waits);
        let (name, label) = names.find(|(name, _)| born(name.as_str()) == found.created())?;
        Some(match label {
            _ if found.upon.slug() == Some(name) => found.label.clone(),
            Some(label) => label.clone(),
            None => name.to_string(),
        })
    });
    for label in open {
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    labels
}

/// One line about what waits, with what the agent that decides can do.
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
    /// The labels of one project that wait for a decision, how many of its delegations are open, and a gap for each
    /// log that could not be read. If that is the project's own log, their number is not known.
    pub(crate) fn open_in(&self, brain: &Brain) -> ((Vec<String>, Option<OpenDelegations>), Vec<Gap>) {
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
            stored.claim.created
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
        let remarked = project.record_on_live(&slug, |claim: &Claim| {
            let version = VersionRef::of(&slug, claim);
            let before = Proposed::upon(&project.acts().of_kinds(PROPOSAL_ACTS)?, &version, is_same_agent);
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
            notes.borrow_mut().extend(settled.map(|settled| advice!["it was ", settled_sentence(settled)]));
            // An agent's words are stamped in their order, whatever its clock does.
            let after = before.iter().flat_map(|one| [Some(one.at), one.settled.as_ref().map(|s| s.at)]);
            at.set(after.flatten().fold(at.get(), |now, before| now.max(before.next())));
            let deed = Deed::Propose {
                upon: Mention::said(version, by, at.get()),
                label: Some(claim.label.clone()),
                reason: Some(reason.clone()),
                ground: ground.clone(),
            };
            Ok(vec![Act::new(deed, by, at.get())])
        })?;
        let Some(claim) = remarked else {
            return Err(self.not_found(&project, label, &brain.origin()));
        };
        let mut notes = notes.into_inner();
        if self.sharing(&claim).is_some_and(|sharing| sharing.is_shared()) {
            notes.push("every project sees this version already".into());
        }
        notes.extend(self.promotion_warnings(&claim, ground.is_some(), &medulla));
        notes.extend(self.cautions(brain, &project, &slug, &claim).into_iter().map(Advice::from));
        if !unchanged.get() {
            let moved = ground.as_deref().and_then(|ground| outside::ground_note(&project, ground));
            notes.extend(moved.map(Advice::from));
            notes.extend(outside::paths_note(&project, [reason.as_str()]));
        }
        let chain = format!("proposed by {by} {}: {}", on(Some(at.get())), said.into_inner());
        Ok(self.settled_answer(&project, slug, &claim, &chain, unchanged.get(), notes))
    }

    /// Records that what was proposed upon the live version is declined, or withdrawn by the agent that proposed it.
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
        let remarked = project.record_on_live(&slug, |claim: &Claim| {
            let version = VersionRef::of(&slug, claim);
            let acts = project.acts().of_kinds(PROPOSAL_ACTS)?;
            let mut before = Proposed::upon(&acts, &version, is_same_agent);
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
            let settled = SettledProposal { how, agent: by.to_string(), at, reason: why, is_foreign: false };
            *found.borrow_mut() = Some(settled);
            let upon = Mention::said(version, by, at);
            let breach = (how == Settling::Declined && !by.may_write_doctrine()).then(|| {
                let deed = Deed::Violation {
                    verb: Some(ActVerb::Decline),
                    upon: upon.clone(),
                    rule: Some("MEM-35".into()),
                    label: Some(claim.label.clone()),
                    said_by: None,
                };
                Act::new(deed, by, at)
            });
            let settling = Act::new(how.deed(upon.clone(), &claim.label, reason), by, at);
            Ok(breach.into_iter().chain([settling]).collect())
        })?;
        let Some(claim) = remarked else {
            return Err(self.not_found(&project, label, &brain.origin()));
        };
        if let Some(at) = promoted.get() {
            return Err(PromotionError::PromotedAlready { label: claim.label, at, how }.into());
        }
        let Some(settled) = found.into_inner() else {
            let label = claim.label;
            return Err(match how {
                Settling::Withdrawn => PromotionError::NotProposedBy { label, by: by.to_string() }.into(),
                Settling::Declined => PromotionError::NotProposed { label }.into(),
            });
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
            self.settled_answer(&project, slug, &claim, &settled_sentence(&settled), unchanged.get(), notes);
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

impl Memory {
    /// The slug of the claim that is to be promoted; one that is in the medulla alone needs no promotion.
    pub(crate) fn witness_named(
        &self,
        project: &Store,
        label: &Label,
        brain: &Brain,
    ) -> Result<ClaimSlug, MemoryError> {
        self.slug_named(project, label, &brain.origin()).map_err(|error| match error {
            MemoryError::NotFound { in_medulla: true, renamed: None, .. } => {
                PromotionError::SharedAlready { not_found: error.to_string() }.into()
            }
            error => error,
        })
    }
}
