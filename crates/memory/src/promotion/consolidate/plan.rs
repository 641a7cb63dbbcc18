//! What there is to propose, from the medulla's own claims.

use super::candidate::{Candidate, CandidateKind};
use crate::error::MemoryError;
use crate::gap::Gap;
use crate::limits::CONSOLIDATE_COMPARED_MAX;
use crate::promotion::dispute::all_wrong;
use crate::record::verdicts::Verdicts;
use crate::service::Memory;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_caller::Caller;
use brainstem_claims::conflict::{Repetition, Stance};
use brainstem_claims::{Claim, age};
use brainstem_vault::Store;
use brainstem_vault::scan::StoredClaim;

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
