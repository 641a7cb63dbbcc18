//! A proposal to promote: a recorded act in the project, which others decide about.

use crate::account::PROPOSE;
use crate::promote::Promoted;
use crate::refusal::MemoryError;
use crate::service::Memory;
use crate::verdicts::version;
use brainstem_base::Timestamp;
use brainstem_claims::promotion::{self, Promotion};
use brainstem_claims::{Claim, ClaimSlug, Label};
use brainstem_vault::home::MEDULLA_SOFT_CAP;
use brainstem_vault::store::subject;
use brainstem_vault::{Act, Brain};
use serde_json::json;
use std::cell::Cell;

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
}

impl Proposal {
    /// Reads an act.
    pub(crate) fn of(act: &Act) -> Option<Self> {
        let word = |key: &str| act.data[key].as_str().map(str::to_owned);
        let at = Timestamp::parse_rfc3339(&act.ts).filter(|_| act.act == PROPOSE)?;
        Some(Self { agent: act.agent.clone(), at, reason: word("reason"), ground: word("ground") })
    }
}

/// The proposals upon a version, oldest first.
pub(crate) fn upon(acts: &[Act], slug: &ClaimSlug, created: Option<Timestamp>) -> Vec<Proposal> {
    let is_upon = |act: &&Act| version(&act.subject) == (slug.as_str(), created.map(Timestamp::ms));
    let mut proposals: Vec<Proposal> = acts.iter().filter(is_upon).filter_map(Proposal::of).collect();
    proposals.sort_by(|a, b| (a.at, &a.agent).cmp(&(b.at, &b.agent)));
    proposals
}

impl Memory {
    /// Records a proposal upon the live version, unless this agent has just said so.
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
        let remarked = project.remark(&slug, |claim: &Claim| {
            let before = upon(&project.acts().named(&[PROPOSE])?, &slug, claim.created);
            let last = before.iter().rfind(|proposal| proposal.agent == by.as_str());
            let is_same = |last: &Proposal| last.reason.as_ref() == Some(reason) && last.ground == ground;
            if let Some(last) = last.filter(|last| is_same(last)) {
                unchanged.set(true);
                at.set(last.at);
                return Ok(Vec::new());
            }
            // An agent's words are stamped in their order, whatever its clock does.
            at.set(last.map_or(at.get(), |last| at.get().max(last.at.next())));
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
        let learned =
            promotion::learned(claim.origin_brain.as_deref(), claim.source_agent.as_deref(), claim.created);
        let notes = self.told_of(&claim, ground.is_some(), &medulla);
        Ok(Promoted {
            label: claim.label,
            proposed: true,
            medulla_path: None,
            witness_path: project.live_path(&slug),
            medulla_count: medulla.count().ok(),
            soft_cap: MEDULLA_SOFT_CAP,
            chain: format!("{learned}; proposed by {by} {}: {reason}", promotion::on(Some(at.get()))),
            unchanged: unchanged.get(),
            history: None,
            notes,
            slug,
        })
    }
}
