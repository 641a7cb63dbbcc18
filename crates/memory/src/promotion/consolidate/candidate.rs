//! A claim of the medulla that wants a look, and why.

use brainstem_base::Advice;
use brainstem_claims::Claim;
use brainstem_vault::scan::StoredClaim;
use std::path::PathBuf;

/// One claim of the medulla that wants a look.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Why.
    pub kind: CandidateKind,
    /// The name of its file, without the ending.
    pub id: String,
    /// Its label.
    pub label: String,
    /// Its file.
    pub path: PathBuf,
    /// What was seen.
    pub reason: String,
    /// What applying would do, or what a person should.
    pub would: Advice,
    /// Applying does it.
    pub is_safe: bool,
    /// Its file in history, if it was taken out.
    pub history: Option<PathBuf>,
    /// For what says the same or nearly so: the claim that stays.
    pub(super) stays: Option<String>,
    /// How many agents call it wrong.
    pub(super) accusers: usize,
    /// The claim, as it was looked at.
    pub(super) claim: Claim,
}

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

/// Why a claim wants a look; in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CandidateKind {
    /// Every agent that judged it calls it wrong.
    WrongMarked,
    /// Its project has taken the witness back.
    WitnessRetracted,
    /// Another claim of the medulla says the same, word for word.
    Duplicate,
    /// Its project says something else by now.
    WitnessSuperseded,
    /// Its project has the witness no more.
    WitnessGone,
    /// Another claim of the medulla says nearly the same.
    NearDuplicate,
    /// A file of the host says it already.
    RestatesHost,
    /// No act explains it.
    Unaccounted,
    /// It is too old to be trusted without a new look.
    Aged,
}

impl CandidateKind {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WrongMarked => "wrong_marked",
            Self::WitnessRetracted => "witness_retracted",
            Self::Duplicate => "duplicate",
            Self::WitnessSuperseded => "witness_superseded",
            Self::WitnessGone => "witness_gone",
            Self::NearDuplicate => "near_duplicate",
            Self::RestatesHost => "restates_host",
            Self::Unaccounted => "unaccounted",
            Self::Aged => "aged",
        }
    }
}
