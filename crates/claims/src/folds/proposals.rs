//! The proposals to promote, and how each was settled.

use super::names::NamesOnRecord;
use super::promotions::PromotionAct;
use super::work;
use crate::ClaimSlug;
use crate::act::{Act, Deed, DeedKind, Mention, VersionRef};
use brainstem_base::Timestamp;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The acts that proposals are read from.
pub const PROPOSAL_ACTS: &[DeedKind] =
    &[DeedKind::Propose, DeedKind::Decline, DeedKind::Withdraw, DeedKind::Rename];

/// An agent thinks that a claim is for every project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The agent.
    pub agent: String,
    /// When.
    pub at: Timestamp,
    /// Why.
    pub reason: Option<String>,
    /// On what ground.
    pub ground: Option<String>,
    /// How it was settled; `None` while it waits, and if it was promoted.
    pub settled: Option<SettledProposal>,
    /// Only the repository's log says so: it was not recorded here.
    pub is_foreign: bool,
}

/// How a proposal was settled without a promotion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledProposal {
    /// Declined by an agent that may decide, or withdrawn by the one that proposed it.
    pub how: Settling,
    /// The agent.
    pub agent: String,
    /// When.
    pub at: Timestamp,
    /// Why.
    pub reason: Option<String>,
    /// Only the repository's log says so: it was not recorded here.
    pub is_foreign: bool,
}

/// A way to settle a proposal without a promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settling {
    /// An agent that may decide was against it.
    Declined,
    /// The agent that proposed it took it back.
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

    /// The deed that settles a proposal upon a version in this way.
    pub fn deed(self, upon: Mention, label: &str, reason: &str) -> Deed {
        let (label, reason) = (Some(label.to_owned()), Some(reason.to_owned()));
        match self {
            Self::Declined => Deed::Decline { upon, label, reason },
            Self::Withdrawn => Deed::Withdraw { upon, label, reason },
        }
    }
}

/// Every slug that a version had, with its label if a renaming has it.
pub type CalledNames = Arc<BTreeMap<ClaimSlug, Option<String>>>;

/// A proposal, and the version it is upon.
#[derive(Clone, Debug)]
pub struct Proposed {
    /// The version, as its act names it.
    pub upon: Mention,
    /// Its label then.
    pub label: String,
    /// Every slug that this version had, with its label if a renaming has it.
    pub names: CalledNames,
    /// The proposal itself.
    pub proposal: Proposal,
}

/// What one act says of proposals.
enum ProposalAct<'a> {
    Proposed(Proposed),
    Settled(SettledProposal, &'a VersionRef),
}

impl Proposed {
    /// Folds acts, in whatever order a merge of two logs left them. Oldest first. `is_same` says whether two ids belong
    /// to one agent: an agent withdraws only its own proposals.
    pub fn all(acts: &[Act], is_same: impl Fn(&str, &str) -> bool) -> Vec<Self> {
        let names = NamesOnRecord::of(acts);
        let mut all = Vec::new();
        // By the key of each version: one version costs the same however many others there are.
        let mut settled: HashMap<VersionRef, Vec<SettledProposal>> = HashMap::new();
        for word in acts.iter().filter_map(word) {
            match word {
                ProposalAct::Proposed(proposed) => all.push(proposed),
                ProposalAct::Settled(how, upon) => {
                    settled.entry(names.key(upon).clone()).or_default().push(how);
                }
            }
        }
        let mut called: HashMap<VersionRef, CalledNames> = HashMap::new();
        for Self { upon, names: own, proposal, .. } in &mut all {
            let Some(version) = upon.version() else { continue };
            let key = names.key(version);
            *own = match called.get(key) {
                Some(known) => known.clone(),
                None => {
                    let labelled = |slug: ClaimSlug| (slug.clone(), names.label(&slug).map(str::to_owned));
                    let own = Arc::new(names.of_version(key).into_iter().map(labelled).collect());
                    called.entry(key.clone()).or_insert(own).clone()
                }
            };
            let settles = |settled: &&SettledProposal| {
                work::step();
                settled.at >= proposal.at
                    && (settled.how == Settling::Declined || is_same(&settled.agent, &proposal.agent))
            };
            let first = settled.get(key).into_iter().flatten().filter(settles).min_by_key(|it| it.at);
            proposal.settled = first.cloned();
        }
        all.sort_by(|a, b| (a.proposal.at, &a.proposal.agent).cmp(&(b.proposal.at, &b.proposal.agent)));
        all
    }

    /// The proposals upon a version, oldest first.
    pub fn upon(acts: &[Act], version: &VersionRef, is_same: impl Fn(&str, &str) -> bool) -> Vec<Proposal> {
        let all = Self::all(acts, is_same).into_iter();
        all.filter(|found| found.is_upon(version)).map(|found| found.proposal).collect()
    }

    /// Whether it is upon a version, under whichever of its names.
    pub fn is_upon(&self, version: &VersionRef) -> bool {
        self.upon.version().is_some_and(|upon| upon.created == version.created)
            && self.names.contains_key(&version.slug)
    }

    /// When the version was born.
    pub fn created(&self) -> Option<Timestamp> {
        self.upon.version().and_then(|version| version.created)
    }

    /// Whether a promotion of exactly this version answered it before it was settled otherwise: a copy is born when it
    /// is promoted. `origin` is the brain in which it was proposed.
    pub fn is_promoted(&self, origin: &str, promotions: &[PromotionAct]) -> bool {
        let settled = self.proposal.settled.as_ref().map(|settled| settled.at);
        let answers = |at: Timestamp| at >= self.proposal.at && settled.is_none_or(|settled| at <= settled);
        let is_own = |promotion: &PromotionAct| {
            promotion.origin.parts().is_some_and(|(brain, slug)| {
                brain == origin && self.is_upon(&VersionRef::new(&slug, promotion.origin_created))
            })
        };
        promotions.iter().any(|promotion| promotion.copy.created.is_some_and(answers) && is_own(promotion))
    }
}

fn word(act: &Act) -> Option<ProposalAct<'_>> {
    let at = act.time()?;
    let settled = |how, reason: &Option<String>| SettledProposal {
        how,
        agent: act.agent().to_owned(),
        at,
        reason: reason.clone(),
        is_foreign: act.is_foreign(),
    };
    match act.deed() {
        Deed::Propose { upon, label, reason, ground } => Some(ProposalAct::Proposed(Proposed {
            upon: upon.clone(),
            label: label.clone().unwrap_or_else(|| {
                upon.slug().map_or_else(|| upon.first_word().to_owned(), ToString::to_string)
            }),
            names: CalledNames::default(),
            proposal: Proposal {
                agent: act.agent().to_owned(),
                at,
                reason: reason.clone(),
                ground: ground.clone(),
                settled: None,
                is_foreign: act.is_foreign(),
            },
        })),
        Deed::Decline { upon, reason, .. } => {
            Some(ProposalAct::Settled(settled(Settling::Declined, reason), upon.version()?))
        }
        Deed::Withdraw { upon, reason, .. } => {
            Some(ProposalAct::Settled(settled(Settling::Withdrawn, reason), upon.version()?))
        }
        Deed::Bootstrap { .. }
        | Deed::Affirm { .. }
        | Deed::Doctrine { .. }
        | Deed::Retract { .. }
        | Deed::Learn { .. }
        | Deed::Promote { .. }
        | Deed::Demote { .. }
        | Deed::Import { .. }
        | Deed::Rename { .. }
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
        | Deed::Unknown { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::tests::{renamed, version};
    use super::*;
    use crate::act::ClaimRef;
    use brainstem_base::AgentId;

    fn by(agent: &str, at_ms: i64, text: &str, deed: impl Fn(Mention) -> Deed) -> Act {
        let (agent, at) = (AgentId::parse(agent).unwrap(), Timestamp::from_ms(at_ms));
        Act::new(deed(Mention::said(version(text), &agent, at)), &agent, at)
    }

    fn proposed(upon: Mention) -> Deed {
        Deed::Propose { upon, label: Some("Cache".into()), reason: Some("all need it".into()), ground: None }
    }

    #[test] // spec: MEM-35
    fn a_proposal_is_settled_by_the_first_word_that_may_settle_it() {
        let settle = |how: Settling| move |upon| how.deed(upon, "Cache", "no");
        let (declined, withdrawn) = (settle(Settling::Declined), settle(Settling::Withdrawn));
        let one = || by("codex:maker", 10, "cache@5", proposed);
        // What follows the proposal, and how that settles it: the agent and the time.
        let table = [
            (vec![], None),
            (vec![by("human:ana", 9, "cache@5", declined)], None),
            (vec![by("human:ana", 11, "cache@5", declined)], Some((Settling::Declined, 11))),
            (vec![by("human:ana", 11, "cache@6", declined)], None),
            (vec![by("human:ana", 11, "cache@5", withdrawn)], None),
            (vec![by("codex:maker", 12, "cache@5", withdrawn)], Some((Settling::Withdrawn, 12))),
            (
                vec![by("human:ana", 13, "cache@5", declined), by("codex:maker", 12, "cache@5", withdrawn)],
                Some((Settling::Withdrawn, 12)),
            ),
            (
                vec![renamed("cache@5", "store", 11), by("human:ana", 12, "store@5", declined)],
                Some((Settling::Declined, 12)),
            ),
        ];
        for (rest, expected) in table {
            let mut acts = [vec![one()], rest].concat();
            for _ in 0..acts.len() {
                acts.rotate_left(1);
                let all = Proposed::all(&acts, |a, b| a == b);
                let settled = all[0].proposal.settled.as_ref();
                assert_eq!(settled.map(|settled| (settled.how, settled.at.ms())), expected, "{acts:?}");
            }
        }
    }

    #[test] // spec: MEM-35
    fn a_promotion_answers_the_proposals_upon_its_witness_that_came_before_it() {
        let promoted = |copy: &str, origin: &str, born_ms| PromotionAct {
            copy: version(copy),
            origin: ClaimRef::read(origin),
            origin_created: Some(Timestamp::from_ms(born_ms)),
        };
        let acts = [by("codex:maker", 10, "cache@5", proposed), renamed("cache@5", "store", 11)];
        let found = Proposed::all(&acts, |a, b| a == b).remove(0);
        let table = [
            (promoted("cache@20", "cherry@0a1b2c3d#cache", 5), true),
            (promoted("store@20", "cherry@0a1b2c3d#store", 5), true),
            (promoted("cache@9", "cherry@0a1b2c3d#cache", 5), false),
            (promoted("cache@20", "plum@0a1b2c3d#cache", 5), false),
            (promoted("cache@20", "cherry@0a1b2c3d#cache", 6), false),
            (promoted("cache@20", "cherry@0a1b2c3d#other", 5), false),
            (promoted("cache@20", "cherry", 5), false),
        ];
        for (promotion, expected) in table {
            let is_promoted = found.is_promoted("cherry@0a1b2c3d", std::slice::from_ref(&promotion));
            assert_eq!(is_promoted, expected, "{promotion:?}");
        }
        assert_eq!(found.names.values().flatten().collect::<Vec<_>>(), ["STORE"]);
    }

    #[test] // spec: MEM-35, MEM-3c
    fn a_proposal_upon_something_that_is_no_version_is_there_all_the_same() {
        let odd = |text: &str| {
            let upon = Mention::read(text);
            let deed = Deed::Propose { upon, label: None, reason: None, ground: None };
            Act::new(deed, &AgentId::parse("human:ana").unwrap(), Timestamp::from_ms(1))
        };
        let all = Proposed::all(&[odd("What is this?")], |a, b| a == b);
        assert_eq!((all[0].label.as_str(), all[0].names.is_empty()), ("What", true));
    }
}
