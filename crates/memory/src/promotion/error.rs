//! Why a promotion, a proposal or its settling is refused.

use brainstem_base::next::calls;
use brainstem_base::{Advice, Refusal, Timestamp, advice, coded_by_refusal, codes};
use brainstem_claims::folds::proposals::Settling;
use brainstem_claims::promotion::on;
use std::path::PathBuf;

/// A refusal of a promotion, of a proposal or of its settling.
#[derive(Debug, thiserror::Error)]
pub enum PromotionError {
    /// A call has one meaning.
    #[error("propose, decline and withdraw are three different acts")]
    SeveralActs {
        /// The flag that is too much.
        flag: &'static str,
    },
    /// The claim was promoted, so its proposals are settled.
    #[error("{label:?} was promoted {}: nothing waits to be {}", on(Some(*at)), how.as_str())]
    PromotedAlready {
        /// The claim's label.
        label: String,
        /// When.
        at: Timestamp,
        /// What the caller wanted.
        how: Settling,
    },
    /// The live version was proposed by no agent.
    #[error("nobody has proposed to promote {label:?} as it stands")]
    NotProposed {
        /// The claim's label.
        label: String,
    },
    /// The live version was not proposed by the caller.
    #[error("{by} has not proposed to promote {label:?} as it stands")]
    NotProposedBy {
        /// The claim's label.
        label: String,
        /// The caller.
        by: String,
    },
    /// The project lacks a claim that the medulla has.
    #[error("{not_found}")]
    SharedAlready {
        /// That no claim of the project has the label.
        not_found: String,
    },
    /// The medulla's claim is stronger.
    #[error("in the medulla, {weaker}")]
    MedullaIsStronger {
        /// Which of the two is weaker, and by what.
        weaker: String,
        /// The claim's label.
        label: String,
    },
    /// The project in which the claim was seen to hold is missing.
    #[error("`{}` is not a folder that exists", .0.display())]
    ObservedNowhere(PathBuf),
}

impl PromotionError {
    fn refusal(&self) -> Refusal {
        let bad = |fix: Advice| Refusal::new(codes::INPUT_BAD_VALUE, fix);
        match self {
            Self::SeveralActs { flag } => bad("give one of them".into()).field(*flag).rule("MEM-35"),
            Self::PromotedAlready { label, .. } => {
                bad(advice![calls::learn_wrong(label), " takes it out of the medulla"])
                    .field("label")
                    .rule("MEM-35")
            }
            Self::NotProposed { .. } | Self::NotProposedBy { .. } => {
                bad(advice!["`", calls::audit_promotions(), "` shows what waits"])
                    .field("label")
                    .rule("MEM-35")
            }
            Self::SharedAlready { .. } => Refusal::new(
                codes::CLAIM_NOT_FOUND,
                "the medulla has it, so every project sees it already; promote a claim of this project",
            )
            .field("label")
            .rule("MEM-34"),
            Self::MedullaIsStronger { label, .. } => Refusal::new(
                codes::CLAIM_WOULD_DOWNGRADE,
                advice![
                    "make this project's claim at least as strong, or take the medulla's back first: ",
                    calls::retract_doctrine(label, calls::REASON)
                ],
            )
            .field("label")
            .rule("MEM-34"),
            Self::ObservedNowhere(_) => Refusal::new(
                codes::MEMORY_ROOT_MISSING,
                "name the folder of the project in which it was seen to hold",
            )
            .field("because")
            .rule("IF-26"),
        }
    }
}

coded_by_refusal!(PromotionError);
