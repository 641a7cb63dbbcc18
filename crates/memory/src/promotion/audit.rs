//! `audit promotions`: everything on record about what crossed into the medulla and out of it, and what is
//! there without a record.

use crate::caller::config::Config;
use crate::caller::identity::is_same_agent;
use crate::error::MemoryError;
use crate::promotion::dispute;
use crate::promotion::propose::{Proposed, Settled, Settling};
use crate::reading::feed::Gap;
use crate::reading::row::{Row, Why, youngest_first};
use crate::reading::shared_rows::Promoted;
use crate::record::provenance::{DECLINE, DEMOTE, PROMOTE, PROPOSE, VIOLATION, WITHDRAW, brought_by};
use crate::record::verdicts::{LEARN, Names, Verdicts, version};
use crate::service::{Caller, Memory};
use brainstem_base::{AgentId, Coded as _, Timestamp};
use brainstem_claims::lifecycle::Place;
use brainstem_claims::{ClaimSlug, Verdict};
use brainstem_hosts::Host;
use brainstem_vault::rename::RENAME;
use brainstem_vault::store::{Live, RETRACT};
use brainstem_vault::{Act, Brain, Store};
use std::collections::{HashMap, HashSet};

/// The acts of a project that are looked at: what was proposed and settled, taken back, and done against etiquette.
const PROJECT_ACTS: &[&str] = &[PROPOSE, DECLINE, WITHDRAW, RETRACT, RENAME, VIOLATION];

/// Which acts to look at.
#[derive(Clone, Copy, Debug)]
pub struct PromotionsRequest {
    /// The proposals of every brain of this home, not only the caller's.
    pub all_brains: bool,
    /// How many entries, at most.
    pub limit: usize,
}

/// What is on record, and what is not.
#[derive(Clone, Debug, Default)]
pub struct Promotions {
    /// Who this home belongs to, where the settings say so.
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

/// One act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// What was done.
    pub what: CrossingKind,
    /// When.
    pub at: Option<Timestamp>,
    /// Who.
    pub agent: String,
    /// The version it was done to, as `<slug>@<ms>`.
    pub version: String,
    /// Its label, where the act says so.
    pub label: Option<String>,
    /// The project's claim: of a promotion its witness, of a proposal the claim itself.
    pub origin_claim: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// On what ground.
    pub ground: Option<String>,
    /// Of a demotion: the verb that did it. Of a violation: the verb it was done with.
    pub by: Option<String>,
    /// The version of the medulla that it took the place of.
    pub replaces: Option<String>,
    /// The version that took its place.
    pub replaced_by: Option<String>,
    /// What became of it.
    pub standing: Option<Became>,
    /// Of a proposal that was declined or withdrawn: by whom, when and why.
    pub settled: Option<String>,
    /// Of a violation: the rule that was passed over.
    pub rule: Option<String>,
    /// The agent that imported the record of it, where it was imported.
    pub brought_by: Option<String>,
    /// Only the repository's log says so: it was not recorded here.
    pub is_foreign: bool,
}

/// What an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrossingKind {
    /// A claim was copied into the medulla.
    Promotion,
    /// Somebody proposed that.
    Proposal,
    /// A claim was taken out of the medulla.
    Demotion,
    /// Somebody who may not take a claim out of the medulla called it wrong.
    Dispute,
    /// Somebody did what is by etiquette for others.
    Violation,
}

impl CrossingKind {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Promotion => "promotion",
            Self::Proposal => "proposal",
            Self::Demotion => "demotion",
            Self::Dispute => "dispute",
            Self::Violation => "violation",
        }
    }
}

/// What became of a promotion or a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// The copy is in the medulla.
    Shared,
    /// What lies under the name of the copy cannot be read.
    Unreadable,
    /// Another promotion took the place of the copy.
    Replaced,
    /// The copy is in the medulla no more.
    Unshared,
    /// Nobody has decided about it.
    Open,
    /// The version was promoted since.
    Promoted,
    /// Somebody decided against it.
    Declined,
    /// Who proposed it took it back.
    Withdrawn,
    /// The project took the claim back.
    Retracted,
    /// The project says something else by now, or the medulla.
    Outdated,
    /// The claim was written here and is not in this checkout.
    Absent,
    /// Somebody who decides about doctrine says that it holds.
    Upheld,
}

impl Became {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Unreadable => "unreadable",
            Self::Replaced => "replaced",
            Self::Unshared => "unshared",
            Self::Open => "open",
            Self::Promoted => "promoted",
            Self::Declined => "declined",
            Self::Withdrawn => "withdrawn",
            Self::Retracted => "retracted",
            Self::Outdated => "outdated",
            Self::Absent => "absent",
            Self::Upheld => "upheld",
        }
    }
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
        let names = Names::of(&acts);
        // A folder that is not there says nothing about the copies that were in it.
        let is_there = match self.home.check_medulla() {
            Ok(()) => true,
            Err(error) => {
                audit.gaps.push(Gap::new("medulla_unreadable", format!("{error} [{}]", error.code().name())));
                false
            }
        };
        // Its copy, whatever it is called by now.
        let copy = |subject: &str| {
            let (slug, created) = version(subject);
            let names = names.of_version(slug, created).into_iter();
            let unseen = if is_there { Copied::Absent } else { Copied::Unreadable };
            let looked = names.map(|name| look(&medulla, &name, created)).max_by_key(Copied::sureness);
            looked.filter(|_| is_there).unwrap_or(unseen)
        };
        let replaced = |subject: &str| replaced_by(&acts, &names, subject);
        let left = |subject: &str| {
            let (slug, created) = version(subject);
            let called = names.of_version(slug, created);
            acts.iter().any(|act| {
                let (slug, born) = version(&act.subject);
                [RETRACT, DEMOTE].contains(&act.act.as_str()) && born == created && called.contains(slug)
            })
        };
        let crossings = acts.iter().filter(|act| !is_repeated(act, &acts, &names));
        audit.entries.extend(crossings.filter_map(|act| crossing(act, &copy, &replaced, &left)));
        let verdicts = Verdicts::of(&acts);
        audit.entries.extend(disputes(&acts, &verdicts, &copy, &left));
        call_by_label(&mut audit.entries, &medulla);
        for brain in self.asked_brains(caller, request.all_brains, &mut audit.gaps)? {
            let store = self.store_of(&brain);
            match store.acts().named(PROJECT_ACTS) {
                Ok(own) => {
                    let violations = own.iter().filter(|act| act.act == VIOLATION);
                    audit.entries.extend(violations.filter_map(|act| crossing(act, &copy, &replaced, &left)));
                    let proposals = Proposed::all(&own).into_iter();
                    audit.entries.extend(proposals.map(|found| proposal(found, &brain, &store, &own, &acts)))
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
        all_brains: bool,
        gaps: &mut Vec<Gap>,
    ) -> Result<Vec<Brain>, MemoryError> {
        if !all_brains {
            return match self.bound(caller) {
                Ok(brain) => Ok(vec![brain]),
                Err(MemoryError::Brainless(_)) => Ok(Vec::new()),
                Err(MemoryError::Replaced(kept)) => {
                    gaps.push(Self::replaced_gap(&kept));
                    Ok(Vec::new())
                }
                Err(broken) => Err(broken),
            };
        }
        let roster = self.home.roster()?;
        gaps.extend(roster.broken.iter().map(|broken| {
            Gap::new("unreadable_brain", format!("`{}`: {}", broken.path.display(), broken.why))
        }));
        // Of a brain that is displaced the home has the log, unless that lay in its repository.
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
            let mut row = Row::new(stored, Place::Medulla, now, Why::Asked);
            verdicts.mark(Place::Medulla, &mut row);
            row
        };
        Ok(claims.iter().map(row).collect())
    }
}

/// What a look for a version under one of its names found.
enum Copied {
    Absent,
    Unreadable,
    /// It is there, with this label.
    Live(String),
}

impl Copied {
    fn sureness(&self) -> u8 {
        match self {
            Self::Absent => 0,
            Self::Unreadable => 1,
            Self::Live(_) => 2,
        }
    }
}

fn look(store: &Store, name: &str, created: Option<i64>) -> Copied {
    let Some(slug) = ClaimSlug::parse(name) else { return Copied::Absent };
    match store.live(&slug) {
        Live::Claim(claim) if claim.created.map(Timestamp::ms) == created => Copied::Live(claim.label),
        Live::Claim(_) | Live::Absent => Copied::Absent,
        Live::Unreadable(_) => Copied::Unreadable,
    }
}

/// The promotions that acts left, each by the act of its first recording: an older program wrote another after
/// the copy was renamed.
fn is_repeated(act: &Act, acts: &[Act], names: &Names<'_>) -> bool {
    let (slug, created) = version(&act.subject);
    let called = names.of_version(slug, created);
    let is_it = |other: &&Act| {
        let (slug, born) = version(&other.subject);
        other.act == PROMOTE && born == created && called.contains(slug)
    };
    act.act == PROMOTE && acts.iter().find(is_it).is_some_and(|first| first.id != act.id)
}

/// Whether a project took a version back; a label that something else was written under since counts as taken back
/// all the same.
fn is_taken_back(acts: &[Act], slug: &str, created: Option<i64>) -> bool {
    acts.iter().any(|act| act.act == RETRACT && version(&act.subject) == (slug, created))
}

/// The promotion that took the place of a copy, under the same name or another.
fn replaced_by(acts: &[Act], names: &Names<'_>, copy: &str) -> Option<String> {
    let (slug, created) = version(copy);
    let called = names.of_version(slug, created);
    let is_it = |subject: &str| {
        let (slug, born) = version(subject);
        born == created && called.contains(slug)
    };
    acts.iter().find_map(|act| match act.act.as_str() {
        PROMOTE if act.data["replaces"].as_str().is_some_and(is_it) => Some(act.subject.clone()),
        RETRACT if act.data["by"] == PROMOTE && is_it(&act.subject) => {
            act.data["successor"].as_str().map(str::to_owned)
        }
        _ => None,
    })
}

/// Reads an act of the medulla's log; others than these are no crossing.
fn crossing(
    act: &Act,
    copy: &dyn Fn(&str) -> Copied,
    replaced: &dyn Fn(&str) -> Option<String>,
    left: &dyn Fn(&str) -> bool,
) -> Option<Crossing> {
    let word = |key: &str| act.data[key].as_str().map(str::to_owned);
    let mut entry = Crossing {
        what: CrossingKind::Promotion,
        at: Timestamp::parse_rfc3339(&act.ts),
        agent: act.agent.clone(),
        version: act.subject.clone(),
        label: word("label"),
        origin_claim: word("origin_claim"),
        reason: word("reason"),
        ground: word("ground"),
        by: None,
        replaces: word("replaces"),
        replaced_by: None,
        standing: None,
        settled: None,
        rule: None,
        brought_by: brought_by(act).map(str::to_owned),
        is_foreign: act.is_foreign,
    };
    match act.act.as_str() {
        PROMOTE => {
            let copy = copy(&act.subject);
            entry.replaced_by = replaced(&act.subject).filter(|_| !matches!(copy, Copied::Live(_)));
            entry.standing = Some(match (copy, &entry.replaced_by) {
                (Copied::Live(label), _) => {
                    entry.label = Some(label);
                    Became::Shared
                }
                (_, Some(_)) => Became::Replaced,
                (Copied::Unreadable, None) if !left(&act.subject) => Became::Unreadable,
                (Copied::Unreadable | Copied::Absent, None) => Became::Unshared,
            });
        }
        RETRACT | DEMOTE => {
            entry.what = CrossingKind::Demotion;
            entry.by = Some(word("by").unwrap_or_else(|| RETRACT.to_owned()));
        }
        VIOLATION => {
            entry.what = CrossingKind::Violation;
            // `learn <version>`, or a version alone for what was memorized.
            let (verb, subject) = act.subject.split_once(' ').unwrap_or(("memorize", &act.subject));
            entry.by = Some(verb.to_owned());
            entry.reason = Some("by etiquette that is for orchestrators and people".into());
            entry.rule = word("rule");
            // What is done to proposals names who did it, too.
            entry.version = subject.split(' ').next().unwrap_or(subject).to_owned();
        }
        _ => return None,
    }
    Some(entry)
}

/// The versions of the medulla that somebody who may not take them out called wrong: each agent's first word on one.
fn disputes(
    acts: &[Act],
    verdicts: &Verdicts,
    copy: &dyn Fn(&str) -> Copied,
    left: &dyn Fn(&str) -> bool,
) -> Vec<Crossing> {
    let decides = |agent: &str| AgentId::parse(agent).is_ok_and(|agent| agent.may_write_doctrine());
    let is_wrong = |act: &&Act| act.act == LEARN && act.data["verdict"] == Verdict::Wrong.as_str();
    let mut seen: HashSet<(String, Option<i64>, String)> = HashSet::new();
    let mut found = Vec::new();
    for act in acts.iter().filter(is_wrong).filter(|act| !decides(&act.agent)) {
        let (slug, created) = version(&act.subject);
        if !seen.insert((slug.to_owned(), created, Host::agent_called(&act.agent).to_owned())) {
            continue;
        }
        let of_version = act.subject.split(' ').next().unwrap_or(slug);
        let voices = verdicts.voices(slug, created.map(Timestamp::from_ms));
        let is_open = dispute::upon(voices)
            .is_some_and(|dispute| dispute.wrong.iter().any(|voice| is_same_agent(&voice.agent, &act.agent)));
        let last = voices.iter().rfind(|voice| is_same_agent(&voice.agent, &act.agent));
        let copied = copy(of_version);
        let standing = match &copied {
            Copied::Live(_) if is_open => Became::Open,
            Copied::Live(_) if last.is_some_and(|last| last.verdict != Verdict::Wrong) => Became::Withdrawn,
            Copied::Live(_) => Became::Upheld,
            Copied::Unreadable => Became::Unreadable,
            Copied::Absent if left(of_version) => Became::Unshared,
            Copied::Absent => Became::Outdated,
        };
        found.push(Crossing {
            what: CrossingKind::Dispute,
            at: Timestamp::parse_rfc3339(&act.ts),
            agent: act.agent.clone(),
            version: of_version.to_owned(),
            label: match copied {
                Copied::Live(label) => Some(label),
                Copied::Absent | Copied::Unreadable => None,
            },
            origin_claim: None,
            reason: act.data["note"].as_str().map(str::to_owned),
            ground: None,
            by: Some(LEARN.to_owned()),
            replaces: None,
            replaced_by: None,
            standing: Some(standing),
            settled: None,
            rule: None,
            brought_by: brought_by(act).map(str::to_owned),
            is_foreign: act.is_foreign,
        });
    }
    found
}

fn proposal(found: Proposed, brain: &Brain, store: &Store, own: &[Act], medulla: &[Act]) -> Crossing {
    let is_promoted = found.is_promoted(&brain.origin(), &Promoted::all(medulla));
    let live = found.names.keys().find_map(|name| match look(store, name, found.created) {
        Copied::Live(label) => Some((name.clone(), label)),
        Copied::Absent | Copied::Unreadable => None,
    });
    let is_live = live.is_some();
    let is_gone = found.names.keys().any(|name| is_taken_back(own, name, found.created));
    let names: Vec<ClaimSlug> = found.names.keys().filter_map(|name| ClaimSlug::parse(name)).collect();
    let Proposed { slug, created, label, proposal, .. } = found;
    let is_absent = || {
        let missing = names.iter().filter_map(|name| store.missing_of(name).ok().flatten());
        let mut versions = missing.flat_map(|missing| missing.versions);
        versions.any(|copy| copy.claim.created.map(Timestamp::ms) == created)
    };
    let (slug, label) = live.unwrap_or((slug, label));
    let origin_claim = format!("{}#{slug}", brain.origin());
    let settled = proposal.settled.as_ref();
    let standing = match settled.map(|settled| settled.how) {
        _ if is_promoted => Became::Promoted,
        Some(Settling::Declined) => Became::Declined,
        Some(Settling::Withdrawn) => Became::Withdrawn,
        None if is_live => Became::Open,
        None if is_gone => Became::Retracted,
        None if is_absent() => Became::Absent,
        None => Became::Outdated,
    };
    let is_closed = matches!(standing, Became::Declined | Became::Withdrawn);
    Crossing {
        what: CrossingKind::Proposal,
        at: Some(proposal.at),
        agent: proposal.agent.clone(),
        version: created.map_or_else(|| slug.clone(), |ms| format!("{slug}@{ms}")),
        label: Some(label),
        origin_claim: Some(origin_claim),
        reason: proposal.reason.clone(),
        ground: proposal.ground.clone(),
        by: None,
        replaces: None,
        replaced_by: None,
        standing: Some(standing),
        settled: settled.filter(|_| is_closed).map(Settled::sentence),
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

fn label_of(subject: &str, medulla: &Store) -> Option<String> {
    let (slug, created) = version(subject);
    let slug = ClaimSlug::parse(slug)?;
    if let Live::Claim(live) = medulla.live(&slug)
        && live.created.map(Timestamp::ms) == created
    {
        return Some(live.label.clone());
    }
    let (versions, _) = medulla.history(&slug).ok()?;
    let found = versions.into_iter().find(|found| found.claim.created.map(Timestamp::ms) == created);
    found.map(|found| found.claim.label)
}
