//! `verify`: whether the evidence of claims still says what it said when they were written.

use crate::error::MemoryError;
use crate::gap::Gap;
use crate::reading::evidence::{EvidenceRoots, HASHED_LEN_MAX};
use crate::reading::recall_store::RecallStore;
use crate::reading::row::tier_of;
use crate::reading::tier::Tier;
use crate::service::Memory;
use brainstem_base::Timestamp;
use brainstem_base::{Advice, advice};
use brainstem_caller::Caller;
use brainstem_claims::evidence::Freshness;
use brainstem_claims::{Label, age};
use brainstem_vault::scan::StoredClaim;

/// What to verify.
#[derive(Clone, Debug)]
pub struct VerifyRequest {
    /// The label, or the id of a row; absent means every live claim.
    pub label: Option<String>,
    /// Which stores; all brains at once cannot be verified.
    pub tier: Tier,
    /// How many rows, at most.
    pub limit: usize,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// The rows, those that most want a look first.
    pub rows: Vec<VerifiedRow>,
    /// How many claims the limit left out.
    pub left_out: usize,
    /// How many of all claims have evidence that changed or is gone.
    pub broken: usize,
    /// How many of all claims are aged out.
    pub aged_out: usize,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// One claim and its evidence.
#[derive(Clone, Debug)]
pub struct VerifiedRow {
    /// The file's stem.
    pub id: String,
    /// The label.
    pub label: String,
    /// `project` or `medulla`.
    pub tier: &'static str,
    /// Each piece of evidence, as the claim has it, and what became of it.
    pub evidence: Vec<(String, Freshness)>,
    /// Older than 720 hours.
    pub aged_out: bool,
    /// How old it is.
    pub age_ms: Option<i64>,
}

impl VerifiedRow {
    fn worst(&self) -> Option<Freshness> {
        self.evidence.iter().map(|(_, freshness)| *freshness).max()
    }

    /// Whether evidence changed or is gone.
    pub fn is_broken(&self) -> bool {
        self.worst().is_some_and(Freshness::is_broken)
    }
}

impl Memory {
    /// Compares the evidence of one claim, or of all, with the files of the project.
    pub fn verify(&self, caller: &Caller, request: &VerifyRequest) -> Result<Verified, MemoryError> {
        if request.tier == Tier::AllBrains {
            return Err(MemoryError::BadValue {
                field: "tier",
                value: "all-brains".into(),
                what: "tier whose evidence can be verified",
                takes: advice![
                    "project or medulla; to verify another project's claims, name it with ",
                    Advice::root()
                ],
                rule: "MEM-22",
            });
        }
        let label = request.label.as_deref().map(|label| self.floor().label("label", label)).transpose()?;
        self.at(caller).read_whole(
            |verified: &mut Verified| &mut verified.gaps,
            |memory| memory.verify_once(caller, request, label.as_ref()),
        )
    }

    fn verify_once(
        &self,
        caller: &Caller,
        request: &VerifyRequest,
        label: Option<&Label>,
    ) -> Result<Verified, MemoryError> {
        let now = self.clock.now();
        let mut verified = Verified::default();
        let feeds = self.feeds(caller, request.tier)?;
        let roots = EvidenceRoots::of(self);
        for feed in &feeds {
            // A store that could not be read has said so.
            let scan = if feed.failed { Default::default() } else { feed.store.scan()? };
            // A store that cannot be read is named as such.
            let is_id = label.is_some_and(|label| feed.store.is_id(label).unwrap_or(false));
            let asked = scan.claims.iter().filter(|stored| is_asked(label, is_id, stored));
            verified.rows.extend(asked.map(|stored| look(&roots, feed, stored, now)));
            verified.gaps.extend(feed.gaps.iter().cloned());
        }
        verified.gaps.extend(self.unbound_gaps(caller, request.tier));
        if let (Some(label), true) = (label, verified.rows.is_empty())
            && let Some(feed) = feeds.first().filter(|feed| !feed.failed)
        {
            let names: Vec<&str> = feeds.iter().map(|feed| place_of(feed)).collect();
            return Err(self.not_found(&feed.store, label, &names.join(" or ")));
        }
        verified.broken = verified.rows.iter().filter(|row| row.is_broken()).count();
        verified.aged_out = verified.rows.iter().filter(|row| row.aged_out).count();
        // What is gone or changed first, then what is old, then what cannot be checked.
        verified.rows.sort_by_key(|row| {
            let worst = row.worst().unwrap_or(Freshness::Unverifiable);
            let broken = Some(worst).filter(|worst| worst.is_broken());
            std::cmp::Reverse((broken, row.aged_out, worst, row.age_ms))
        });
        verified.left_out = verified.rows.len().saturating_sub(request.limit);
        verified.rows.truncate(request.limit);
        Ok(verified)
    }
}

fn look(roots: &EvidenceRoots<'_>, feed: &RecallStore, stored: &StoredClaim, now: Timestamp) -> VerifiedRow {
    let age = age::of(&stored.claim, now);
    let root = feed.root.as_deref();
    // What the header of a file that no act accounts for says of its origin is hearsay.
    let is_known = root.is_some() || feed.verdicts().accounts().explain(&stored.id, &stored.claim);
    let evidence = stored.claim.evidence.iter().map(|evidence| {
        let found = match is_known {
            true => roots.freshness(root, &stored.claim, evidence, HASHED_LEN_MAX),
            false => Freshness::Unverifiable,
        };
        (evidence.place(), found)
    });
    VerifiedRow {
        id: stored.id.clone(),
        label: stored.claim.label.clone(),
        tier: tier_of(feed.place),
        evidence: evidence.collect(),
        aged_out: age.aged_out(),
        age_ms: age.ms,
    }
}

fn is_asked(label: Option<&Label>, is_id: bool, stored: &StoredClaim) -> bool {
    label.is_none_or(|label| is_id && stored.id == label.as_str() || label.is_read_as(&stored.claim.label))
}

fn place_of(feed: &RecallStore) -> &'static str {
    match tier_of(feed.place) {
        "medulla" => "the medulla",
        _ => "your project",
    }
}
