//! `promote`: shares a project's claim with every project, or proposes to.

use crate::caller::follow::follow_store;
use crate::caller::secrets::Floor;
use crate::error::MemoryError;
use crate::limits;
use crate::promotion::answer::{PromoteAs, PromoteRequest, Promoted};
use crate::promotion::error::PromotionError;
use crate::promotion::lineage::{CopiesOfWitness, unless_given_way};
use crate::promotion::warnings::fullness;
use crate::service::Memory;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_base::{AgentId, Coded as _, codes};
use brainstem_caller::Caller;
use brainstem_caller::git_layout;
use brainstem_caller::route::RootHints;
use brainstem_claims::act::{Act, ActVerb, Deed, Mention, VersionRef};
use brainstem_claims::decide::Decision;
use brainstem_claims::folds::proposals::Settling;
use brainstem_claims::promotion::{self, CopyNames, Promotion, PromotionBasis, Provenance};
use brainstem_claims::{Claim, ClaimSlug, Label};
use brainstem_vault::acts::ReservedRoom;
use brainstem_vault::home::MEDULLA_SOFT_CAP;
use brainstem_vault::store::{WriteFault, WriteOutcome};
use brainstem_vault::{Brain, HeaderSource, Store, StoreError, Wording};
use std::path::PathBuf;

/// What the acts of one promotion take beside its reason, at most, in bytes.
const ACTS_ROOM: usize = 4096;

impl Memory {
    /// Copies a project's claim into the medulla, stamps the original as its witness, and records the act,
    /// in this order: cut off anywhere, the repeat completes it.
    pub fn promote(&self, caller: &Caller, request: &PromoteRequest) -> Result<Promoted, MemoryError> {
        self.floor().check_text("label", &request.label)?;
        self.floor().check_text("because", request.because.as_deref().unwrap_or_default())?;
        let reason = reason_of(&self.floor(), request)?;
        let label = self.floor().label("label", &request.label)?;
        let mut counted = false;
        follow_store(caller, || {
            let brain = self.promoted_from(caller, request)?;
            let ground = self.ground(caller, &brain, request.because.as_deref())?;
            self.home.ensure()?;
            self.home.remember_root(&brain)?;
            if !counted {
                self.check_write_quota(&caller.principal.agent)?;
                counted = true;
            }
            let promotion = Promotion {
                by: caller.principal.agent.clone(),
                reason: reason.to_owned(),
                ground,
                origin_brain: brain.origin(),
                root: brain.root.display().to_string(),
            };
            let settle = |how| self.settle_proposals(&brain, &label, &promotion.by, &promotion.reason, how);
            match request.how {
                PromoteAs::Share => self.share(&brain, &label, &promotion),
                PromoteAs::Propose => self.propose(&brain, &label, &promotion),
                PromoteAs::Decline => settle(Settling::Declined),
                PromoteAs::Withdraw => settle(Settling::Withdrawn),
            }
        })
    }

    fn share(&self, brain: &Brain, label: &Label, promotion: &Promotion) -> Result<Promoted, MemoryError> {
        let (project, medulla) = (self.store_of(brain), self.home.medulla());
        let slug = self.witness_named(&project, label, brain)?;
        self.floor().check_adopted(&*self.disk, &project, &slug)?;
        let mut copied: Option<(WriteOutcome, Option<ReservedRoom>, CopyNames)> = None;
        let (mut replaced, mut unstamped): (Option<Claim>, Option<Claim>) = (None, None);
        let mut gave_way = Vec::new();
        // Both labels' locks are held at once, the project's first: the copy is of the version that is stamped, and no
        // other code takes them in the other order.
        let witness = project.write(&slug, |live| {
            // Git or an editor changed the witness after it was copied. The copy goes, and what it replaced is live
            // again, before the new witness is looked at. Copies that gave way cannot come back; then the copy stays.
            if gave_way.is_empty()
                && let Some((copy, room, shelf)) = copied.take()
            {
                drop(room);
                medulla.undo(&shelf.copy, &copy, replaced.take().as_ref())?;
            }
            let Some(witness) = live else {
                return Err(self.not_found(&project, label, &brain.origin()));
            };
            self.floor().check_claim(witness)?;
            unstamped = Some(witness.clone());
            // What the stamp needs (the stamped file, the version before, a kept copy) is made sure of before
            // anything is shared.
            let _room = project.reserve(witness.file.render().len() + ACTS_ROOM)?;
            // No copy gets another name, and no clone makes another, from the look at them to the last.
            let _names = self.medulla_names_lock()?;
            let lineage = self.lineage(&project, &medulla, &slug, witness, &promotion.origin_brain)?;
            let source = project.source_of(witness)?;
            let (copy, room) = self.copy(&medulla, witness, source, &lineage, promotion, &mut replaced)?;
            let stays = copy.claim.clone();
            let shelf = lineage.shelf.clone();
            copied = Some((copy, room, shelf));
            self.give_way(&medulla, &lineage, &stays, &promotion.by, &mut gave_way)?;
            let stamp = self.stamp(&medulla, witness, &lineage.shelf, &stays);
            Ok::<Decision, MemoryError>(stamp.map_err(|error| unless_given_way(error, &gave_way))?)
        });
        let witness = match witness {
            Ok(witness) => witness,
            Err(WriteFault::Store(error)) if error.is_left_in_place() => return Err(error.into()),
            Err(error) => {
                // What is not stamped in its project is not shared: nothing on record would explain the copy.
                if let Some((copy, room, shelf)) = copied.filter(|_| gave_way.is_empty()) {
                    drop(room);
                    medulla.undo(&shelf.copy, &copy, replaced.as_ref())?;
                }
                return Err(match error {
                    WriteFault::Store(error) => unless_given_way(error, &gave_way).into(),
                    other => other.into(),
                });
            }
        };
        let (copy, room, shelf) = copied.expect("a witness is written only after its copy");
        drop(room);
        let agent = &promotion.by;
        let has_ground = Provenance::of(&copy.claim).is_some_and(|copy| copy.ground.is_some());
        let mut notes = match self.record_promotion(&medulla, &shelf.copy, &copy, agent) {
            Ok(notes) => notes,
            Err(error) => {
                if gave_way.is_empty() && !error.is_left_in_place() {
                    // The copy goes even if the stamp stays: a stamp alone shares nothing.
                    let unstamped = project.undo(&slug, &witness, unstamped.as_ref());
                    unstamped.and(medulla.undo(&shelf.copy, &copy, replaced.as_ref()))?;
                }
                return Err(unless_given_way(error, &gave_way).into());
            }
        };
        if shelf.copy != slug {
            notes.push(format!("the medulla calls it {:?}", shelf.label).into());
        }
        let said = Provenance::of(&copy.claim).and_then(|copy| copy.reason);
        if copy.unchanged && said.as_deref() != Some(promotion.reason.as_str()) {
            notes.push("it was shared before, with the words above; your reason is not on record".into());
        }
        let ground = Provenance::of(&copy.claim).and_then(|copy| copy.ground);
        let given = promotion.ground.as_ref().map(ToString::to_string);
        if copy.unchanged && given.is_some() && given != ground {
            let stands = match &ground {
                Some(ground) => format!("on another ground ({ground})"),
                None => "without a ground".to_owned(),
            };
            notes.push(advice![
                "it was shared before {stands}, and no ground can be added to a promotion that stands; to promote it on yours, \
                 take it out first: ",
                calls::learn_wrong(&shelf.label),
                ", then repeat this call"
            ]);
        }
        let unchanged = copy.unchanged && witness.unchanged && gave_way.is_empty();
        notes.extend(gave_way);
        let mut promoted = Promoted {
            label: copy.claim.label.clone(),
            proposed: false,
            settled: None,
            chain: promotion::chain(&copy.claim).expect("a copy has a chain"),
            unchanged,
            medulla_path: Some(copy.path),
            witness_path: witness.path,
            medulla_count: medulla.count().ok(),
            soft_cap: MEDULLA_SOFT_CAP,
            history: copy.history,
            notes,
            slug,
        };
        if let Some(history) = &promoted.history {
            promoted.notes.push(
                format!(
                    "it takes the place of what the medulla said under this label, which is kept: {}",
                    history.display()
                )
                .into(),
            );
        }
        let has_ground = has_ground || promotion.ground.is_some();
        promoted.notes.extend(self.promotion_warnings(&witness.claim, has_ground, &medulla));
        promoted.notes.extend(
            self.cautions(brain, &project, &promoted.slug, &witness.claim).into_iter().map(Advice::from),
        );
        promoted.notes.extend(promoted.medulla_count.and_then(fullness).map(Advice::from));
        Ok(promoted)
    }

    /// Writes the copy, and keeps room for its acts.
    fn copy(
        &self,
        medulla: &Store,
        witness: &Claim,
        source: HeaderSource,
        lineage: &CopiesOfWitness,
        promotion: &Promotion,
        replaced: &mut Option<Claim>,
    ) -> Result<(WriteOutcome, Option<ReservedRoom>), MemoryError> {
        let mut room = None;
        let written = medulla.write_as(Wording::Of(source), &lineage.shelf.copy, |live| {
            *replaced = live.cloned();
            let decision = promotion::promote(live, witness, &lineage.shelf, promotion, self.clock.now())?;
            // Another name is no way around the strength of a copy.
            lineage.others.iter().try_for_each(|(_, copy)| promotion::not_weaker(witness, copy))?;
            if decision != Decision::Unchanged {
                room = Some(medulla.acts().reserve(promotion.reason.len() + ACTS_ROOM)?);
            }
            Ok::<Decision, MemoryError>(decision)
        });
        // The claim of the medulla is in the way, not the one that the caller named.
        let written = written.map_err(MemoryError::from).map_err(|error| match error.code() {
            codes::CLAIM_WOULD_DOWNGRADE => {
                let (weaker, label) = (error.to_string(), witness.label.clone());
                PromotionError::MedullaIsStronger { weaker, label }.into()
            }
            _ => error,
        })?;
        Ok((written, room))
    }

    /// Records what the copy's header says: a repeat of a promotion that was cut off completes it as it was begun,
    /// whichever agent repeats it.
    fn record_promotion(
        &self,
        medulla: &Store,
        slug: &ClaimSlug,
        copy: &WriteOutcome,
        caller: &AgentId,
    ) -> Result<Vec<Advice>, StoreError> {
        let claim = &copy.claim;
        let provenance = Provenance::of(claim).expect("a copy says where it came from");
        let by = provenance.by.as_deref().and_then(|by| AgentId::parse(by).ok());
        let by = by.unwrap_or_else(|| caller.clone());
        let at = claim.created.unwrap_or_else(|| self.clock.now());
        let version = VersionRef::of(slug, claim);
        let mut notes = Vec::new();
        let mut acts = Vec::new();
        if !by.may_write_doctrine() {
            let breach = Deed::violation(ActVerb::Promote, version.clone(), "MEM-35");
            acts.push(Act::new(breach, &by, at));
            notes.push(format!(
                "etiquette: promotion is for orchestrators and people, makers propose; {by} is on record for it"
            ).into());
        }
        // Last: a promotion that is on record is whole, under whatever name.
        if self.verdicts(medulla)?.accounts().has_copy(&version) {
            return Ok(notes);
        }
        let deed = Deed::Promote {
            upon: version.into(),
            label: Some(claim.label.clone()),
            origin: Some(provenance.origin_claim),
            origin_created: provenance.origin_created,
            reason: provenance.reason,
            ground: provenance.ground,
            replaces: claim.supersedes.as_deref().map(Mention::read),
        };
        acts.push(Act::new(deed, &by, at));
        medulla.acts().record_all(&acts)?;
        Ok(notes)
    }

    /// The brain that a claim is promoted from.
    fn promoted_from(&self, caller: &Caller, request: &PromoteRequest) -> Result<Brain, MemoryError> {
        let Some(root) = &request.brain else { return self.bound(caller) };
        let named = |brain: &Brain| root.to_str() == Some(brain.origin().as_str());
        if let Some(brain) = self.home.roster()?.brains.into_iter().find(named) {
            return Ok(brain);
        }
        let hints = RootHints { explicit: Some(root.clone()), ..caller.hints().clone() };
        self.bound(&caller.at(hints, None))
    }

    /// Reads the ground. The place of the observation is named by its brain, or by its folder if it has none; it is
    /// another project than the one it comes from.
    fn ground(
        &self,
        caller: &Caller,
        from: &Brain,
        text: Option<&str>,
    ) -> Result<Option<PromotionBasis>, MemoryError> {
        let Some(text) = text else { return Ok(None) };
        let bad = || MemoryError::BadValue {
            field: "because",
            value: text.chars().take(80).collect(),
            what: "ground of a promotion",
            takes: "observed-in:ROOT with the folder of another project, doctrine or telemetry".into(),
            rule: "IF-26",
        };
        let PromotionBasis::ObservedIn(place) = PromotionBasis::parse(text).ok_or_else(bad)? else {
            return Ok(PromotionBasis::parse(text));
        };
        let named = self.home.roster()?.brains.into_iter().find(|brain| brain.origin() == place);
        let observed = match named {
            Some(brain) => brain.origin(),
            None => {
                let hints = RootHints { explicit: Some(PathBuf::from(&place)), ..caller.hints().clone() };
                let (_, path) = hints.deciding(None).ok_or_else(bad)?;
                let path = git_layout::canonical(&*self.disk, &path);
                if self.disk.stat(&path).is_err() {
                    return Err(PromotionError::ObservedNowhere(path).into());
                }
                self.route(&caller.at(hints, None))
                    .brain()
                    .map_or_else(|| path.display().to_string(), Brain::origin)
            }
        };
        if observed == from.origin() || observed == from.root.display().to_string() {
            return Err(bad());
        }
        Ok(Some(PromotionBasis::ObservedIn(observed)))
    }
}

fn reason_of<'r>(floor: &Floor, request: &'r PromoteRequest) -> Result<&'r str, MemoryError> {
    let reason = request.reason.trim();
    floor.check_text("reason", reason)?;
    if reason.is_empty() {
        return Err(MemoryError::Missing {
            field: "reason",
            give: "why it is for every project, so that others can follow".into(),
            rule: "MEM-34",
        });
    }
    if reason.len() > limits::REASON_LEN_MAX {
        return Err(MemoryError::BadValue {
            field: "reason",
            value: format!("{}…", reason.chars().take(20).collect::<String>()),
            what: "reason of at most 4096 bytes",
            takes: "a shorter reason".into(),
            rule: "MEM-34",
        });
    }
    Ok(reason)
}
