//! What is asked of a promotion or a proposal, and what it answers.

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
    /// Leave it as a candidate, for others to decide.
    pub propose: bool,
    /// Decide against what was proposed.
    pub decline: bool,
    /// Take back one's own proposal.
    pub withdraw: bool,
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
    /// Where it was learned, by whom, who promoted it and why.
    pub chain: String,
    /// It was so before.
    pub unchanged: bool,
    /// The medulla's version before, in history.
    pub history: Option<PathBuf>,
    /// What the caller should know besides.
    pub notes: Vec<Advice>,
}
