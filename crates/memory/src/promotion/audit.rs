//! `audit promotions`: everything on record about what crossed into the medulla and out of it, and what is
//! there without a record.

use crate::brains::scope::BrainScope;
use crate::error::MemoryError;
use crate::gap::Gap;
use crate::promotion::dispute;
use crate::promotion::propose::settled_sentence;
use crate::reading::row::{Row, Why, youngest_first};
use crate::record::verdicts::Verdicts;
use crate::service::Memory;
use brainstem_base::{AgentId, Coded as _};
use brainstem_caller::Caller;
use brainstem_caller::config::Config;
use brainstem_caller::identity::is_same_agent;
use brainstem_claims::Verdict;
use brainstem_claims::act::{Act, ActVerb, ClaimRef, Deed, DeedKind, Judgement, Mention, VersionRef};
use brainstem_claims::folds::crossings::{CopySearch, Crossing, CrossingKind, CrossingOutcome};
use brainstem_claims::folds::names::NamesOnRecord;
use brainstem_claims::folds::promotions::{MedullaCopies, PromotionAct};
use brainstem_claims::folds::proposals::{Proposed, Settling};
use brainstem_claims::lifecycle::FilePlace;
use brainstem_hosts::Host;
use brainstem_vault::store::LiveFile;
use brainstem_vault::{Brain, Store};
use std::collections::{HashMap, HashSet};

/// The acts of a project that are looked at: what was proposed and settled, taken back, and done against etiquette.
const PROJECT_ACTS: &[DeedKind] = &[
    DeedKind::Propose,
    DeedKind::Decline,
    DeedKind::Withdraw,
    DeedKind::Retract,
    DeedKind::Rename,
    DeedKind::Violation,
];

/// Which acts to look at.
#[derive(Clone, Copy, Debug)]
pub struct PromotionsRequest {
    /// Whose proposals.
    pub brains: BrainScope,
    /// How many entries, at most.
    pub limit: usize,
}

/// What is on record, and what is not.
#[derive(Clone, Debug, Default)]
pub struct Promotions {
    /// The owner of this home, if the settings name one.
    pub owner: Option<String>,
    /// The acts, youngest first.
    pub entries: Vec<Crossing>,
    /// How many more there are.
    pub left_out: usize,
    /// Live claims of the medulla that no act explains.
    pub unaccounted: Vec<Row>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

impl Memory {
    /// Everything on record about promotions, proposals, demotions and breaches of etiquette.
    pub fn promotions(
        &self,
        caller: &Caller,
        request: &PromotionsRequest,
    ) -> Result<Promotions, MemoryError> {
        self.read_whole(
            |audit: &mut Promotions| &mut audit.gaps,
            |memory| memory.look_over_promotions(caller, request),
        )
    }

    fn look_over_promotions(
        &self,
        caller: &Caller,
        request: &PromotionsRequest,
    ) -> Result<Promotions, MemoryError> {
        let mut audit = Promotions {
            owner: Config::load(&*self.disk, self.home.path(), None).owner().map(|owner| owner.to_string()),
            ..Promotions::default()
        };
        let medulla = self.home.medulla();
        let acts = medulla.acts().read()?.acts;
        let names = NamesOnRecord::of(&acts);
        // A folder that is not there says nothing about the copies that were in it.
        let is_there = match self.home.check_medulla() {
            Ok(()) => true,
            Err(error) => {
                audit.gaps.push(Gap::new("medulla_unreadable", format!("{error} [{}]", error.code().name())));
                false
            }
        };
        let copies = MedullaCopies::of(&acts, &names);
        // Its copy, whatever it is called by now.
        let copy = |upon: &Mention| {
            let unseen = if is_there { CopySearch::Absent } else { CopySearch::Unreadable };
            let Some(version) = upon.version() else { return unseen };
            let looked = names.versions(version).map(|version| look(&medulla, &version));
            looked.max_by_key(CopySearch::sureness).filter(|_| is_there).unwrap_or(unseen)
        };
        let crossings = acts.iter().filter(|act| !copies.is_repeated(act));
        audit.entries.extend(crossings.filter_map(|act| Crossing::of(act, &copy, &copies)));
        let verdicts = Verdicts::of(&acts);
        audit.entries.extend(disputes(&acts, &verdicts, &copy, &copies));
        call_by_label(&mut audit.entries, &medulla);
        for brain in self.asked_brains(caller, request.brains, &mut audit.gaps)? {
            let store = self.store_of(&brain);
            match store.acts().of_kinds(PROJECT_ACTS) {
                Ok(own) => {
                    let violations = own.iter().filter(|act| act.kind() == Some(DeedKind::Violation));
                    audit.entries.extend(violations.filter_map(|act| Crossing::of(act, &copy, &copies)));
                    let proposals = Proposed::all(&own, is_same_agent).into_iter();
                    let promotions = verdicts.promotions();
                    audit
                        .entries
                        .extend(proposals.map(|found| proposal(found, &brain, &store, &own, promotions)))
                }
                Err(error) => {
                    let detail =
                        format!("the proposals in {}: {error} [{}]", brain.origin(), error.code().name());
                    audit.gaps.push(Gap::new("acts_unreadable", detail));
                }
            }
        }
        audit.entries.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.version.cmp(&b.version)));
        audit.left_out = audit.entries.len().saturating_sub(request.limit);
        audit.entries.truncate(request.limit);
        audit.unaccounted = self.unaccounted(&medulla, &verdicts, &mut audit.gaps)?;
        Ok(audit)
    }

    /// The brains whose proposals are asked for.
    fn asked_brains(
        &self,
        caller: &Caller,
        brains: BrainScope,
        gaps: &mut Vec<Gap>,
    ) -> Result<Vec<Brain>, MemoryError> {
        if brains == BrainScope::Own {
            return match self.bound(caller) {
                Ok(brain) => Ok(vec![brain]),
                Err(MemoryError::Brainless(_)) => Ok(Vec::new()),
                Err(MemoryError::Replaced(kept)) => {
                    gaps.push(kept.gap());
                    Ok(Vec::new())
                }
                Err(broken) => Err(broken),
            };
        }
        let roster = self.home.roster()?;
        gaps.extend(roster.broken.iter().map(|broken| {
            Gap::new("unreadable_brain", format!("`{}`: {}", broken.path.display(), broken.why))
        }));
        // Of a brain that is displaced the home has the log, unless that was in its repository.
        let displaced = roster.displaced.into_iter().map(|displaced| displaced.brain);
        Ok(roster.brains.into_iter().chain(displaced).collect())
    }

    /// The live claims of the medulla that no act explains.
    pub(crate) fn unaccounted(
        &self,
        medulla: &Store,
        verdicts: &Verdicts,
        gaps: &mut Vec<Gap>,
    ) -> Result<Vec<Row>, MemoryError> {
        let scan = medulla.scan()?;
        gaps.extend(
            scan.unreadable
                .iter()
                .map(|bad| Gap::new("unreadable_claim", format!("`{}`: {}", bad.path.display(), bad.why))),
        );
        let mut claims = scan.claims;
        claims.retain(|stored| !verdicts.accounts().explain(&stored.id, &stored.claim));
        claims.sort_by(|a, b| youngest_first(&a.claim, &b.claim));
        let now = self.clock.now();
        let row = |stored| {
            let mut row = Row::new(stored, FilePlace::Medulla, now, Why::Asked);
            verdicts.mark(FilePlace::Medulla, &mut row);
            row
        };
        Ok(claims.iter().map(row).collect())
    }
}

fn look(store: &Store, version: &VersionRef) -> CopySearch {
    match store.live(&version.slug) {
        LiveFile::Claim(claim) if claim.created == version.created => CopySearch::Live(claim.label),
        LiveFile::Claim(_) | LiveFile::Absent => CopySearch::Absent,
        LiveFile::Unreadable(_) => CopySearch::Unreadable,
    }
}

/// Whether a project took a version back; a label that something else was written under since counts as taken back
/// all the same.
fn is_taken_back(acts: &[Act], version: &VersionRef) -> bool {
    acts.iter().any(|act| match act.deed() {
        Deed::Retract { upon, .. } => upon.version() == Some(version),
        _ => false,
    })
}

/// The versions of the medulla that an agent which may not take them out called wrong: each agent's first word on one.
fn disputes(
    acts: &[Act],
    verdicts: &Verdicts,
    copy: &dyn Fn(&Mention) -> CopySearch,
    copies: &MedullaCopies<'_>,
) -> Vec<Crossing> {
    let decides = |agent: &str| AgentId::parse(agent).is_ok_and(|agent| agent.may_write_doctrine());
    let mut seen: HashSet<(&str, String)> = HashSet::new();
    let mut found = Vec::new();
    for act in acts.iter().filter(|act| !decides(act.agent())) {
        let Deed::Learn { upon, verdict, note } = act.deed() else { continue };
        let is_wrong = verdict.as_ref().and_then(Judgement::verdict) == Some(Verdict::Wrong);
        if !is_wrong || !seen.insert((upon.first_word(), Host::agent_called(act.agent()).to_owned())) {
            continue;
        }
        let voices =
            upon.version().map_or(&[][..], |version| verdicts.voices(version.slug.as_str(), version.created));
        let is_open = dispute::upon(voices).is_some_and(|dispute| {
            dispute.wrong.iter().any(|voice| is_same_agent(&voice.agent, act.agent()))
        });
        let last = voices.iter().rfind(|voice| is_same_agent(&voice.agent, act.agent()));
        let copied = copy(upon);
        let has_left = || upon.version().is_some_and(|version| copies.has_left(version));
        let standing = match &copied {
            CopySearch::Live(_) if is_open => CrossingOutcome::Open,
            CopySearch::Live(_) if last.is_some_and(|last| last.verdict != Verdict::Wrong) => {
                CrossingOutcome::Withdrawn
            }
            CopySearch::Live(_) => CrossingOutcome::Upheld,
            CopySearch::Unreadable => CrossingOutcome::Unreadable,
            CopySearch::Absent if has_left() => CrossingOutcome::Unshared,
            CopySearch::Absent => CrossingOutcome::Outdated,
        };
        found.push(Crossing {
            what: CrossingKind::Dispute,
            at: act.time(),
            agent: act.agent().to_owned(),
            version: upon.first_word().to_owned(),
            label: match copied {
                CopySearch::Live(label) => Some(label),
                CopySearch::Absent | CopySearch::Unreadable => None,
            },
            origin_claim: None,
            reason: note.clone(),
            ground: None,
            by: Some(ActVerb::Learn.as_str().to_owned()),
            replaces: None,
            replaced_by: None,
            standing: Some(standing),
            settled: None,
            rule: None,
            brought_by: act.brought_by().map(str::to_owned),
            is_foreign: act.is_foreign(),
        });
    }
    found
}

fn proposal(
    found: Proposed,
    brain: &Brain,
    store: &Store,
    own: &[Act],
    promotions: &[PromotionAct],
) -> Crossing {
    let is_promoted = found.is_promoted(&brain.origin(), promotions);
    let created = found.created();
    let versions: Vec<VersionRef> = found.names.keys().map(|name| VersionRef::new(name, created)).collect();
    let live = versions.iter().find_map(|version| match look(store, version) {
        CopySearch::Live(label) => Some((version.slug.clone(), label)),
        CopySearch::Absent | CopySearch::Unreadable => None,
    });
    let is_live = live.is_some();
    let is_gone = versions.iter().any(|version| is_taken_back(own, version));
    let Proposed { upon, label, proposal, .. } = found;
    let is_absent = || {
        let missing = versions.iter().filter_map(|version| store.missing_of(&version.slug).ok().flatten());
        missing.flat_map(|missing| missing.versions).any(|copy| copy.claim.created == created)
    };
    let (slug, label) = match live {
        Some((slug, label)) => (Some(slug), label),
        None => (upon.slug().cloned(), label),
    };
    let version = match &slug {
        Some(slug) => VersionRef::new(slug, created).to_string(),
        None => upon.first_word().to_owned(),
    };
    let origin_claim = match &slug {
        Some(slug) => ClaimRef::new(&brain.origin(), slug).to_string(),
        None => format!("{}#{version}", brain.origin()),
    };
    let settled = proposal.settled.as_ref();
    let standing = match settled.map(|settled| settled.how) {
        _ if is_promoted => CrossingOutcome::Promoted,
        Some(Settling::Declined) => CrossingOutcome::Declined,
        Some(Settling::Withdrawn) => CrossingOutcome::Withdrawn,
        None if is_live => CrossingOutcome::Open,
        None if is_gone => CrossingOutcome::Retracted,
        None if is_absent() => CrossingOutcome::Absent,
        None => CrossingOutcome::Outdated,
    };
    let is_closed = matches!(standing, CrossingOutcome::Declined | CrossingOutcome::Withdrawn);
    Crossing {
        what: CrossingKind::Proposal,
        at: Some(proposal.at),
        agent: proposal.agent.clone(),
        version,
        label: Some(label),
        origin_claim: Some(origin_claim),
        reason: proposal.reason.clone(),
        ground: proposal.ground.clone(),
        by: None,
        replaces: None,
        replaced_by: None,
        standing: Some(standing),
        settled: settled.filter(|_| is_closed).map(settled_sentence),
        rule: None,
        brought_by: None,
        is_foreign: proposal.is_foreign,
    }
}

/// Gives entries whose act does not say it the label of their version: from another act upon it, or from its
/// file, live or in history.
fn call_by_label(entries: &mut [Crossing], medulla: &Store) {
    let mut labels: HashMap<String, String> =
        entries.iter().filter_map(|entry| Some((entry.version.clone(), entry.label.clone()?))).collect();
    for entry in entries.iter_mut().filter(|entry| entry.label.is_none()) {
        if !labels.contains_key(&entry.version)
            && let Some(label) = label_of(&entry.version, medulla)
        {
            labels.insert(entry.version.clone(), label);
        }
        entry.label = labels.get(&entry.version).cloned();
    }
}

fn label_of(named: &str, medulla: &Store) -> Option<String> {
    let version = VersionRef::parse(named)?;
    if let LiveFile::Claim(live) = medulla.live(&version.slug)
        && live.created == version.created
    {
        return Some(live.label.clone());
    }
    let (versions, _) = medulla.history(&version.slug).ok()?;
    let found = versions.into_iter().find(|found| found.claim.created == version.created);
    found.map(|found| found.claim.label)
}
