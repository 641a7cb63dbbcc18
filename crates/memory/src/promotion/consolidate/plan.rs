//! What there is to propose, from the medulla's own claims.

use super::{Candidate, CandidateKind};
use crate::error::MemoryError;
use crate::limits::CONSOLIDATE_COMPARED_MAX;
use crate::reading::feed::Gap;
use crate::record::verdicts::Verdicts;
use crate::service::Memory;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_caller::Caller;
use brainstem_claims::conflict::{Repetition, Stance};
use brainstem_claims::trust::Voice;
use brainstem_claims::{Claim, Verdict, age};
use brainstem_vault::Store;
use brainstem_vault::scan::StoredClaim;
use std::collections::HashMap;

impl Candidate {
    /// Something for people to decide.
    pub(super) fn new(kind: CandidateKind, stored: &StoredClaim, reason: String, would: Advice) -> Self {
        Self {
            kind,
            id: stored.id.clone(),
            label: stored.claim.label.clone(),
            path: stored.path.clone(),
            reason,
            would,
            is_safe: false,
            history: None,
            stays: None,
            accusers: 0,
            claim: stored.claim.clone(),
        }
    }

    /// Something that applying takes out.
    pub(super) fn safe(kind: CandidateKind, stored: &StoredClaim, reason: String) -> Self {
        let would = match stored.claim.origin_claim {
            Some(_) if kind == CandidateKind::WitnessRetracted => {
                "take it out of the medulla too, into history, as its project did with its own"
            }
            Some(_) => "take it out of the medulla, into history; its witness stays as it is",
            None => "take it out of the medulla, into history",
        };
        Self { is_safe: true, ..Self::new(kind, stored, reason, would.into()) }
    }
}

impl Memory {
    /// Everything in the medulla that wants a look.
    pub(super) fn candidates(
        &self,
        caller: &Caller,
        medulla: &Store,
        gaps: &mut Vec<Gap>,
    ) -> Result<Vec<Candidate>, MemoryError> {
        let scan = medulla.scan()?;
        gaps.extend(
            scan.unreadable
                .iter()
                .map(|bad| Gap::new("unreadable_claim", format!("`{}`: {}", bad.path.display(), bad.why))),
        );
        // Of two versions that wait for a decision, neither is looked at.
        let claims: Vec<StoredClaim> =
            scan.claims.into_iter().filter(|stored| stored.side.is_none()).collect();
        let verdicts = self.verdicts(medulla)?;
        let now = self.clock.now();
        let mut rows = Vec::new();
        for stored in &claims {
            let claim = &stored.claim;
            let is_explained = verdicts.accounts().explain(&stored.id, claim);
            if let Some(who) = all_wrong(verdicts.voices(&stored.id, claim.created)) {
                let reason = format!("called wrong by {}", who.join(", "));
                let row = Candidate::safe(CandidateKind::WrongMarked, stored, reason);
                rows.push(Candidate { accusers: who.len(), ..row });
            }
            if !is_explained {
                let reason = match claim.origin_claim {
                    Some(_) => "its file says that it was promoted, and no recorded act does",
                    None => "no recorded act says how it came into the medulla",
                };
                let would = advice![
                    "read it; if it is doctrine, memorize it again (",
                    calls::reaffirm_doctrine(&claim.label),
                    "), or move its file aside"
                ];
                rows.push(Candidate::new(CandidateKind::Unaccounted, stored, reason.to_owned(), would));
            }
            if age::of(claim, now).aged_out() {
                let days = age::of(claim, now).ms.unwrap_or_default() / 86_400_000;
                let would = still_holds(claim);
                let reason = format!("it is {days} days old, and nobody has looked at it since");
                rows.push(Candidate::new(CandidateKind::Aged, stored, reason, would));
            }
        }
        repetitions(&claims, &verdicts, &mut rows, gaps);
        self.witnesses(&claims, &mut rows, gaps)?;
        self.restatements(caller, &claims, &mut rows, gaps);
        rows.sort_by(|a, b| a.kind.cmp(&b.kind).then_with(|| a.label.cmp(&b.label)));
        Ok(rows)
    }
}

/// How a claim gets younger, or goes.
fn still_holds(claim: &Claim) -> Advice {
    let affirm = match &claim.origin_claim {
        Some(origin) => advice![
            "affirm {origin} in its project (",
            calls::reaffirm(calls::LABEL),
            ") and promote it again"
        ],
        None => advice!["memorize it again: ", calls::reaffirm_doctrine(&claim.label)],
    };
    advice!["if it still holds, ", affirm, "; if not, ", calls::learn_wrong(&claim.label)]
}

/// Who calls a version wrong, where everybody who judged it does so by now.
pub(super) fn all_wrong(voices: &[Voice]) -> Option<Vec<String>> {
    let mut last: HashMap<&str, Verdict> = HashMap::new();
    for voice in voices {
        last.insert(&voice.agent, voice.verdict);
    }
    let mut agents: Vec<String> = last.keys().map(|agent| (*agent).to_owned()).collect();
    agents.sort_unstable();
    let is_wrong = !last.is_empty() && last.values().all(|verdict| *verdict == Verdict::Wrong);
    is_wrong.then_some(agents)
}

/// Claims that say the same under two labels. The one that an act explains stays, then the stronger, then
/// the older.
fn repetitions(claims: &[StoredClaim], verdicts: &Verdicts, rows: &mut Vec<Candidate>, gaps: &mut Vec<Gap>) {
    let mut order: Vec<&StoredClaim> = claims.iter().collect();
    let is_explained = |stored: &StoredClaim| verdicts.accounts().explain(&stored.id, &stored.claim);
    order.sort_by(|a, b| {
        let strength = b.claim.strength().cmp(&a.claim.strength());
        let by_record = is_explained(b).cmp(&is_explained(a));
        by_record.then(strength).then(a.claim.created.cmp(&b.claim.created)).then(a.id.cmp(&b.id))
    });
    if order.len() > CONSOLIDATE_COMPARED_MAX {
        let detail = format!(
            "{} claims were not compared with the others: {CONSOLIDATE_COMPARED_MAX} at a time are",
            order.len() - CONSOLIDATE_COMPARED_MAX
        );
        gaps.push(Gap::new("not_compared", detail));
        order.truncate(CONSOLIDATE_COMPARED_MAX);
    }
    let stances: Vec<Stance> = order.iter().map(|stored| Stance::of(&stored.claim)).collect();
    for (at, stored) in order.iter().enumerate() {
        let twin = (0..at).find_map(|before| Some((order[before], stances[before].repeats(&stances[at])?)));
        let Some((stays, repetition)) = twin else { continue };
        let label = &stays.claim.label;
        match repetition {
            Repetition::Same if adds_nothing(&stored.claim, &stays.claim) => {
                let reason = format!("{label:?} says the same, word for word");
                let row = Candidate::safe(CandidateKind::Duplicate, stored, reason);
                rows.push(Candidate { stays: Some(stays.id.clone()), ..row });
            }
            Repetition::Same => {
                let reason =
                    format!("{label:?} says the same, and has another title, other tags or other evidence");
                let would = "keep the better of the two, and retract the other".into();
                let row = Candidate::new(CandidateKind::Duplicate, stored, reason, would);
                rows.push(Candidate { stays: Some(stays.id.clone()), ..row });
            }
            Repetition::Near => {
                let reason = format!("{label:?} says nearly the same");
                let would = "say it once, and retract the other".into();
                let row = Candidate::new(CandidateKind::NearDuplicate, stored, reason, would);
                rows.push(Candidate { stays: Some(stays.id.clone()), ..row });
            }
        }
    }
}

/// Whether nothing goes with a claim that the other does not have.
fn adds_nothing(goes: &Claim, stays: &Claim) -> bool {
    goes.title == stays.title
        && goes.tags.iter().all(|tag| stays.tags.contains(tag))
        && goes.evidence.iter().all(|evidence| stays.evidence.contains(evidence))
        && goes.depends_on.iter().all(|label| stays.depends_on.contains(label))
}
