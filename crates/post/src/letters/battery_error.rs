//! Why a case is not kept, or cannot be tried.

use brainstem_base::agent::AgentIdFault;
use brainstem_base::next::{calls, field};
use brainstem_base::{Refusal, advice, coded_by_refusal, codes};
use brainstem_hygiene::HygieneFault;
use brainstem_letters::LetterId;
use brainstem_letters::battery::NotACase;
use brainstem_memory::MemoryError;
use brainstem_vault::StoreError;
use std::path::PathBuf;

/// Why a case is not kept, or cannot be tried.
#[derive(Debug, thiserror::Error)]
pub enum BatteryError {
    /// A case of this name exists.
    #[error("`{}` is there already", .0.display())]
    CaseTaken(PathBuf),
    /// The existing case cannot be read.
    #[error("`{}` cannot be read: {why}", path.display())]
    CaseUnreadable {
        /// Its file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// An agent says that a case cannot be seen to fail.
    #[error("only a person can say that a case cannot be seen to fail")]
    NotAPerson,
    /// A person says so without a reason.
    #[error("the reason why the case cannot be seen to fail is missing")]
    NoReason,
    /// The letter makes no case.
    #[error("letter {id} makes no case: {why}")]
    NoCase {
        /// The letter.
        id: LetterId,
        /// Why.
        why: NotACase,
    },
    /// The case carries what must not be committed.
    #[error(transparent)]
    Hygiene(#[from] HygieneFault),
    /// The case names no agent.
    #[error(transparent)]
    Agent(#[from] AgentIdFault),
    /// The disk refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Memory refused.
    #[error(transparent)]
    Memory(Box<MemoryError>),
}

impl BatteryError {
    fn refusal(&self) -> Refusal {
        match self {
            Self::CaseTaken(_) => {
                Refusal::new(codes::BATTERY_TAKEN, "edit that file, or remove it and repeat").rule("LTR-17")
            }
            Self::CaseUnreadable { path, .. } => {
                let fix = format!("mend `{}`, or remove it, then repeat", path.display());
                Refusal::new(codes::STORE_UNREADABLE, fix).rule("LTR-17")
            }
            Self::NotAPerson => Refusal::new(
                codes::BATTERY_NOT_VOUCHED,
                advice![
                    "edit the case until ",
                    calls::battery_run(),
                    " fails without the mend, or ask a person"
                ],
            )
            .field("cannot_fail")
            .rule("LTR-16a"),
            Self::NoReason => {
                Refusal::new(codes::BATTERY_NOT_VOUCHED, advice!["give the reason in ", field("cannot_fail")])
                    .field("cannot_fail")
                    .rule("LTR-16a")
            }
            Self::NoCase { .. } => Refusal::new(
                codes::LETTER_NO_CASE,
                advice![
                    "choose a letter of class memory_misdelivery: ",
                    calls::letter_all_class("memory_misdelivery")
                ],
            )
            .field("from_letter")
            .rule("LTR-17"),
            Self::Hygiene(fault) => Refusal::of(fault),
            Self::Agent(fault) => Refusal::of(fault),
            Self::Store(error) => Refusal::of(error),
            Self::Memory(error) => Refusal::of(&**error),
        }
    }
}

coded_by_refusal!(BatteryError);

impl From<MemoryError> for BatteryError {
    fn from(error: MemoryError) -> Self {
        Self::Memory(Box::new(error))
    }
}
