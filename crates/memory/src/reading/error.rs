//! Why a claim cannot be read under its name, or at the time that was given.

use brainstem_base::{Advice, ErrorCode, Refusal, Timestamp, coded_by_refusal, codes};
use std::path::PathBuf;

/// A refusal of a use case that reads.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file of this name holds a claim of another label.
    #[error("`{}` is not named by its label: {detail}", path.display())]
    Misnamed {
        /// The file.
        path: PathBuf,
        /// What is wrong with the name.
        detail: String,
        /// What to do about it.
        fix: Advice,
        /// What that means for the call.
        code: ErrorCode,
    },
    /// A time to come was asked for, and this one is past.
    #[error("{given:?} is past: it means {}, and now is {}", at.to_words(), now.to_words())]
    Past {
        /// The field.
        field: &'static str,
        /// What was given, shortened.
        given: String,
        /// The time that it means.
        at: Timestamp,
        /// The time of the call.
        now: Timestamp,
        /// What the field takes.
        takes: &'static str,
    },
}

impl ReadError {
    fn refusal(&self) -> Refusal {
        match self {
            Self::Misnamed { fix, code, .. } => Refusal::new(*code, fix.clone()).field("label").rule("MEM-8"),
            Self::Past { field, takes, .. } => {
                Refusal::new(codes::INPUT_BAD_VALUE, format!("give {takes}")).field(*field).rule("MEM-48")
            }
        }
    }
}

coded_by_refusal!(ReadError);
