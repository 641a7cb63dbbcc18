//! What is asked of a promotion or a proposal, and what it answers.

use crate::error::MemoryError;
use crate::promotion::error::PromotionError;
use brainstem_base::Advice;
use brainstem_claims::ClaimSlug;
use brainstem_claims::folds::proposals::Settling;
use std::path::PathBuf;

/// What to promote.
#[derive(Clone, Debug, Default)]
pub struct PromoteRequest {
    /// The label, or the id of a row.
    pub label: String,
    /// Why it is for every project.
    pub reason: String,
    /// The root of the project it is in; absent means the caller's own.
    pub brain: Option<PathBuf>,
    /// `observed-in:<root or brain>`, `doctrine` or `telemetry`.
    pub because: Option<String>,
    /// What to do with it.
    pub how: PromoteAs,
}

/// What a promotion does with a claim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PromoteAs {
    /// Share it with every project.
    #[default]
    Share,
    /// Leave it as a candidate, for others to decide.
    Propose,
    /// Decide against what was proposed.
    Decline,
    /// Take back one's own proposal.
    Withdraw,
}

impl PromoteAs {
    /// What the flags `propose`, `decline` and `withdraw` say; at most one of them can be set.
    pub fn of_flags(propose: bool, decline: bool, withdraw: bool) -> Result<Self, MemoryError> {
        match (propose, decline, withdraw) {
            (false, false, false) => Ok(Self::Share),
            (true, false, false) => Ok(Self::Propose),
            (false, true, false) => Ok(Self::Decline),
            (false, false, true) => Ok(Self::Withdraw),
            _ => {
                let flag = if decline { "decline" } else { "withdraw" };
                Err(PromotionError::SeveralActs { flag }.into())
            }
        }
    }
}

/// What a promotion, or a proposal, did.
#[derive(Clone, Debug)]
pub struct Promoted {
    /// The claim's slug.
    pub slug: ClaimSlug,
    /// Its label.
    pub label: String,
    /// It was proposed, or what was proposed was settled; it is in the project alone.
    pub proposed: bool,
    /// The proposals upon it were declined or withdrawn.
    pub settled: Option<Settling>,
    /// The copy in the medulla; `None` for a proposal.
    pub medulla_path: Option<PathBuf>,
    /// The project's original.
    pub witness_path: PathBuf,
    /// How many claims the medulla holds; `None` when they cannot be counted.
    pub medulla_count: Option<usize>,
    /// The count it should stay below.
    pub soft_cap: usize,
    /// Where it was learned, the agent that learned it, the one that promoted it, and why.
    pub chain: String,
    /// It was so before.
    pub unchanged: bool,
    /// The medulla's version before, in history.
    pub history: Option<PathBuf>,
    /// What the caller should know besides.
    pub notes: Vec<Advice>,
}
