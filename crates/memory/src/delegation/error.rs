//! Why a use case about delegations is refused.

use brainstem_base::next::calls;
use brainstem_base::{Advice, Refusal, Timestamp, advice, coded_by_refusal, codes};
use brainstem_claims::delegation::DelegationId;
use std::path::PathBuf;

/// A refusal of a use case about delegations.
#[derive(Debug, thiserror::Error)]
pub enum DelegationError {
    /// Another brain of this home gave it out.
    #[error("{id} was given out in {brain}, and you are in {here}")]
    OtherBrain {
        /// The delegation.
        id: DelegationId,
        /// The brain that gave it out: name@id.
        brain: String,
        /// The root of that brain.
        root: PathBuf,
        /// Where the caller is.
        here: String,
    },
    /// No brain of this home gave it out.
    #[error("{here} has given out no delegation {id}")]
    Unknown {
        /// The delegation.
        id: DelegationId,
        /// Where the caller is.
        here: String,
    },
    /// It ran out.
    #[error("{id} ran out at {}", at.to_words())]
    Expired {
        /// The delegation.
        id: DelegationId,
        /// When.
        at: Timestamp,
    },
    /// It was debriefed with another report.
    #[error("{id} was debriefed by {by} at {} with another report", at.to_words())]
    Closed {
        /// The delegation.
        id: DelegationId,
        /// The agent that debriefed it.
        by: String,
        /// When.
        at: Timestamp,
    },
    /// A debrief with another report was begun.
    #[error("a debrief of {id} by {by}, begun at {}, is not finished, and says something else", at.to_words())]
    Unfinished {
        /// The delegation.
        id: DelegationId,
        /// The agent that began it.
        by: String,
        /// When.
        at: Timestamp,
    },
    /// The log lacks what was just recorded.
    #[error("the debrief was recorded and is not in the log")]
    NotInLog,
}

impl DelegationError {
    fn refusal(&self) -> Refusal {
        let (code, fix) = match self {
            Self::OtherBrain { id, root, .. } => (
                codes::DELEGATION_OTHER_BRAIN,
                advice![
                    "debrief {id} there: name its project with ",
                    Advice::root_at(root.display().to_string()),
                    ", and repeat"
                ],
            ),
            Self::Unknown { .. } => (
                codes::DELEGATION_UNKNOWN,
                advice![
                    "see `",
                    calls::audit_delegations(),
                    "` for those that exist; what was found can be memorized as it is"
                ],
            ),
            Self::Expired { .. } => (
                codes::DELEGATION_EXPIRED,
                "delegate the task anew and debrief that one; what was found can also be memorized as it is"
                    .into(),
            ),
            Self::Closed { .. } => (
                codes::DELEGATION_CLOSED,
                "memorize what is new under labels of its own, or delegate again".into(),
            ),
            Self::Unfinished { .. } => (
                codes::DELEGATION_CLOSED,
                "if nobody is at it, repeat that one with the same words; memorize what is new under labels of its own"
                    .into(),
            ),
            Self::NotInLog => {
                return Refusal { code: codes::INTERNAL_BUG, fix: None, field: None, rule: None };
            }
        };
        Refusal::new(code, fix).field("delegation_id").rule("MEM-41")
    }
}

coded_by_refusal!(DelegationError);
