//! Promotion: how a project's claim becomes a copy in the medulla, how its original is stamped as the
//! witness, and how the chain from one to the other reads.

use crate::act::{ClaimRef, VersionRef};
use crate::decide::{self, Decision, DecisionRefusal, is_label_of};
use crate::evidence::Evidence;
use crate::fence::value;
use crate::light::{BodyMarker, keys};
use crate::lineage::follow;
use crate::merge::says_the_same;
use crate::{Claim, ClaimSlug, Label, LightFile};
use brainstem_base::{AgentId, Timestamp};
use std::fmt;

/// Why a claim is for every project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromotionBasis {
    /// It was seen to hold in another project, too: its brain, or its folder.
    ObservedIn(String),
    /// It is how we work.
    Doctrine,
    /// Reports from the field say so.
    Telemetry,
}

impl PromotionBasis {
    const OBSERVED_IN: &str = "observed-in:";

    /// Parses `observed-in:<project>`, `doctrine` or `telemetry`.
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "doctrine" => Some(Self::Doctrine),
            "telemetry" => Some(Self::Telemetry),
            text => {
                let project = text.strip_prefix(Self::OBSERVED_IN)?.trim();
                (!project.is_empty()).then(|| Self::ObservedIn(project.to_owned()))
            }
        }
    }
}

impl fmt::Display for PromotionBasis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ObservedIn(project) => write!(f, "{}{project}", Self::OBSERVED_IN),
            Self::Doctrine => f.write_str("doctrine"),
            Self::Telemetry => f.write_str("telemetry"),
        }
    }
}

/// A promotion that is about to happen.
#[derive(Clone, Debug)]
pub struct Promotion {
    /// The agent that promotes it.
    pub by: AgentId,
    /// Why.
    pub reason: String,
    /// The basis it qualifies on, if one was given.
    pub ground: Option<PromotionBasis>,
    /// `<name>@<8 hex>` of the brain it comes from.
    pub origin_brain: String,
    /// The root of that brain's project.
    pub root: String,
}

/// The names of a claim on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyNames {
    /// The witness's slug in its project.
    pub witness: ClaimSlug,
    /// The copy's slug in the medulla: another one if it was renamed there.
    pub copy: ClaimSlug,
    /// The copy's label.
    pub label: String,
}

impl CopyNames {
    /// The names of a claim with the same name on both sides.
    pub fn of(witness: &Claim, slug: &ClaimSlug) -> Self {
        Self { witness: slug.clone(), copy: slug.clone(), label: witness.label.clone() }
    }
}

/// Where a medulla copy came from, according to its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// The witness.
    pub origin_claim: ClaimRef,
    /// When the witness was born.
    pub origin_created: Option<Timestamp>,
    /// The agent that promoted it.
    pub by: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// On what ground.
    pub ground: Option<String>,
}

impl Provenance {
    /// Of a medulla copy; `None` for other claims.
    pub fn of(claim: &Claim) -> Option<Self> {
        let file = &claim.file;
        let created = file.get(keys::ORIGIN_CREATED).and_then(|ms| ms.parse().ok());
        Some(Self {
            origin_claim: ClaimRef::read(claim.origin_claim.as_deref()?),
            origin_created: created.map(Timestamp::from_ms),
            by: file.get(keys::PROMOTED_BY).filter(|by| !by.is_empty()),
            reason: file.get(keys::PROMOTION_REASON).filter(|reason| !reason.is_empty()),
            ground: file.get(keys::PROMOTION_GROUND).filter(|ground| !ground.is_empty()),
        })
    }

    /// The agent that promoted the copy, and the day.
    fn promoted(&self, copy: &Claim) -> String {
        let by = self.by.as_deref().map_or_else(|| "someone unknown".to_owned(), value);
        format!("promoted by {by} {}", on(copy.created))
    }

    /// The brain and the slug of the witness.
    pub fn witness(&self) -> Option<(&str, ClaimSlug)> {
        self.origin_claim.parts()
    }
}

/// Decides what promoting a witness does to the medulla's live claim of its copy's slug.
///
/// A copy of exactly this version is left as it is, whatever the reason of its promotion was: a repeated promotion
/// changes nothing.
pub fn promote(
    live: Option<&Claim>,
    witness: &Claim,
    shelf: &CopyNames,
    promotion: &Promotion,
    now: Timestamp,
) -> Result<Decision, DecisionRefusal> {
    let fresh = |created, supersedes: Option<String>| {
        decide::sized(copy_of(witness, shelf, promotion, created, supersedes))
    };
    let Some(live) = live else { return fresh(now, None).map(Decision::Birth) };
    let slug = &shelf.copy;
    // A copy of this claim may have the label that the claim had before a change of its spelling.
    let origin = Provenance::of(live);
    let is_its_copy = origin
        .as_ref()
        .and_then(Provenance::witness)
        .is_some_and(|(brain, witness)| brain == promotion.origin_brain && witness == shelf.witness);
    if !is_its_copy && !Label::parse(&shelf.label).is_ok_and(|label| is_label_of(&label, live)) {
        let (label, holder) = (shelf.label.clone(), live.label.clone());
        return Err(DecisionRefusal::SlugTaken { label, slug: slug.clone(), holder });
    }
    let created = decide::born_after(now, [live.created]);
    let before = VersionRef::of(slug, live).to_string();
    let mut new = fresh(created, Some(before))?;
    follow(&mut new, &[live]);
    let new = decide::sized(new)?;
    if is_copy_of(live, &Claim::from(new.clone())) {
        return Ok(Decision::Unchanged);
    }
    not_weaker(witness, live)?;
    Ok(Decision::Supersede { outdated: live.outdated(), new })
}

/// Refuses to replace a stronger claim in the medulla.
pub fn not_weaker(witness: &Claim, live: &Claim) -> Result<(), DecisionRefusal> {
    if witness.strength() < live.strength() {
        let (live, given) = (live.strength(), witness.strength());
        return Err(DecisionRefusal::WouldDowngrade { label: witness.label.clone(), live, given });
    }
    Ok(())
}

/// Whether both are copies of one version, which may have been renamed in its project since.
fn is_copy_of(live: &Claim, new: &Claim) -> bool {
    let origin = |claim: &Claim| {
        let provenance = Provenance::of(claim)?;
        let brain = provenance.witness()?.0.to_owned();
        Some((brain, provenance.origin_created))
    };
    origin(live) == origin(new) && says_the_same(live, new)
}

/// The medulla's copy: the content of the witness, byte for byte, with its origin; evidence is anchored to the root it
/// was found in.
fn copy_of(
    witness: &Claim,
    shelf: &CopyNames,
    promotion: &Promotion,
    created: Timestamp,
    supersedes: Option<String>,
) -> LightFile {
    let Promotion { by, reason, ground, origin_brain, root } = promotion;
    let mut file = witness.file.clone();
    if shelf.label != witness.label {
        file.relabel(&shelf.label);
    }
    // The versions that it followed in its project are not versions of the medulla.
    for key in
        [keys::SUPERSEDES, keys::FOLLOWS, keys::PROMOTED_TO, keys::ORIGIN_CREATED, keys::PROMOTION_GROUND]
    {
        file.remove(key);
    }
    // Only the medulla's own claims are absolute, whatever a project's file says.
    file.remove(keys::DOCTRINE);
    file.set(keys::CREATED, &created.ms().to_string());
    // The place where it was learned stays, also if it came to this project from another one.
    if !witness.origin_brain.as_deref().is_some_and(is_brain) {
        file.set(keys::ORIGIN_BRAIN, origin_brain);
    }
    if let Some(before) = supersedes {
        file.set(keys::SUPERSEDES, &before);
    }
    file.set(keys::ORIGIN_CLAIM, ClaimRef::new(origin_brain, &shelf.witness).as_str());
    if let Some(born) = witness.created {
        file.set(keys::ORIGIN_CREATED, &born.ms().to_string());
    }
    file.set(keys::PROMOTED_BY, by.as_str());
    file.set(keys::PROMOTION_REASON, reason);
    if let Some(ground) = ground {
        file.set(keys::PROMOTION_GROUND, &ground.to_string());
    }
    file.change_markers(|marker| match marker {
        BodyMarker::Evidence(text) => Some(BodyMarker::Evidence(anchored(text, root)?)),
        BodyMarker::Kind(..)
        | BodyMarker::Confidence(_)
        | BodyMarker::Ambiguity(_)
        | BodyMarker::DependsOn(_) => None,
    });
    file
}

/// Whether a text names a brain as `<name>@<8 hex>`; a path of a machine does not.
pub fn is_brain(text: &str) -> bool {
    let is_id = |id: &str| id.len() == 8 && id.bytes().all(|b| b.is_ascii_hexdigit());
    text.rsplit_once('@').is_some_and(|(name, id)| !name.is_empty() && !name.contains('/') && is_id(id))
}

/// Evidence in a form that reads from anywhere; `None` if it does already.
fn anchored(text: &str, root: &str) -> Option<String> {
    let mut evidence = Evidence::parse(text);
    let is_anchored = evidence.path.contains("://") || evidence.path.starts_with(['/', '~']);
    if is_anchored || evidence.path.is_empty() {
        return None;
    }
    evidence.path = format!("{}/{}", root.trim_end_matches('/'), evidence.path);
    Some(evidence.to_string())
}

/// How a witness names its copy.
pub fn promoted_to(slug: &ClaimSlug, copy: Option<Timestamp>) -> String {
    format!("medulla@{}", VersionRef::new(slug, copy.or(Some(Timestamp::MIN))))
}

/// The copy that a witness names.
pub fn copy_named(witness: &Claim) -> Option<(ClaimSlug, Timestamp)> {
    let copy = copy_in(witness.promoted_to.as_deref()?)?;
    Some((copy.slug, copy.created?))
}

/// Reads what [`promoted_to`] writes; `None` for every other text.
pub fn copy_in(text: &str) -> Option<VersionRef> {
    VersionRef::parse(text.strip_prefix("medulla@")?)
}

/// Stamps the witness with its copy. Birth and author stay.
pub fn stamp(witness: &Claim, slug: &ClaimSlug, copy: Option<Timestamp>) -> Decision {
    let stamp = promoted_to(slug, copy);
    if witness.promoted_to.as_ref() == Some(&stamp) {
        return Decision::Unchanged;
    }
    let mut new = witness.file.clone();
    new.set(keys::PROMOTED_TO, &stamp);
    Decision::Stamp { outdated: witness.outdated(), new }
}

/// The chain of a medulla copy as a sentence: where and by which agent it was learned, and by which agent and why it
/// was promoted.
pub fn chain(claim: &Claim) -> Option<String> {
    let provenance = Provenance::of(claim)?;
    let learned =
        learned(claim.origin_brain.as_deref(), claim.source_agent.as_deref(), provenance.origin_created);
    let reason = provenance.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
    Some(format!("{learned}; {}{reason}", provenance.promoted(claim)))
}

/// The second link of a chain as a fact in the head of a fence: `promoted by human:ana on 2026-07-04: "the reason"`.
pub fn promoted_fact(claim: &Claim) -> Option<String> {
    let provenance = Provenance::of(claim)?;
    let reason = provenance.reason.as_ref().map(|reason| format!(": {reason:?}")).unwrap_or_default();
    Some(format!("{}{reason}", provenance.promoted(claim)))
}

/// The first link of a chain.
pub fn learned(brain: Option<&str>, agent: Option<&str>, born: Option<Timestamp>) -> String {
    let place = brain.map_or_else(|| brain_name(None).to_owned(), |brain| value(brain_name(Some(brain))));
    let agent = agent.map_or_else(|| "someone unknown".to_owned(), value);
    format!("learned in {place} by {agent} {}", on(born))
}

/// The name of a brain out of `<name>@<8 hex>`, or of one of its claims (`…#<slug>`); anything else as it is.
pub fn brain_name(origin: Option<&str>) -> &str {
    let Some(origin) = origin else { return "an unknown brain" };
    let brain = match origin.rsplit_once('#') {
        Some((brain, _)) if is_brain(brain) => brain,
        Some(_) | None => origin,
    };
    brain.rsplit_once('@').map_or(brain, |(name, _)| name)
}

/// `on 2026-07-04`.
pub fn on(at: Option<Timestamp>) -> String {
    let day = |at: Timestamp| at.to_rfc3339().chars().take_while(|c| *c != 'T').collect::<String>();
    at.map_or_else(|| "on an unknown day".into(), |at| format!("on {}", day(at)))
}

#[cfg(test)]
#[path = "promotion_tests.rs"]
mod tests;
