//! Why a use case of letters is refused.

use super::battery_error::BatteryError;
use brainstem_base::agent::AgentIdFault;
use brainstem_base::next::calls;
use brainstem_base::{Refusal, advice, coded_by_refusal, codes};
use brainstem_letters::draft::LetterDraftFault;
use brainstem_memory::MemoryError;
use brainstem_vault::StoreError;
use std::path::PathBuf;

/// A refusal of a use case of letters.
#[derive(Debug, thiserror::Error)]
pub enum LetterError {
    /// A word or a number that a filter does not take.
    #[error("{given:?} is not a {field}")]
    NoFilter {
        /// The field.
        field: &'static str,
        /// What was given.
        given: String,
        /// What it takes.
        takes: &'static str,
    },
    /// No letter has an id that begins like this.
    #[error("no letter has the id {given:?}")]
    NotFound {
        /// What was given.
        given: String,
    },
    /// Several letters have an id that begins like this.
    #[error("several letters have the id {given:?}")]
    Several {
        /// What was given.
        given: String,
    },
    /// No registered project is called so.
    #[error("no registered project has the root {given:?}")]
    UnknownProject {
        /// What was given, without secrets.
        given: String,
    },
    /// The spool that letters are distributed from cannot be read.
    #[error("`{}` cannot be read: {why}", path.display())]
    SpoolUnreadable {
        /// The spool.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The box that is to be shown cannot be read.
    #[error("`{}` cannot be read: {why}", path.display())]
    BoxUnreadable {
        /// The box.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// `projects.toml` cannot be read.
    #[error("`{}`{} cannot be read: {why}", path.display(), line.map(|line| format!(", line {line},")).unwrap_or_default())]
    ProjectsBroken {
        /// The file.
        path: PathBuf,
        /// The line.
        line: Option<usize>,
        /// What is wrong, without secrets.
        why: String,
    },
    /// What is to be written is no letter.
    #[error(transparent)]
    Draft(#[from] LetterDraftFault),
    /// A text that is no agent id.
    #[error(transparent)]
    Agent(#[from] AgentIdFault),
    /// The battery refused.
    #[error(transparent)]
    Battery(#[from] BatteryError),
    /// The disk refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Memory refused.
    #[error(transparent)]
    Memory(Box<MemoryError>),
}

impl LetterError {
    fn refusal(&self) -> Refusal {
        match self {
            Self::NoFilter { field, takes, .. } => {
                Refusal::new(codes::INPUT_BAD_VALUE, format!("give {takes}")).field(*field).rule("LTR-12")
            }
            Self::NotFound { .. } | Self::Several { .. } => {
                Refusal::new(codes::LETTER_NOT_FOUND, advice!["see the ids with ", calls::letter_all()])
                    .field("id")
                    .rule("LTR-3")
            }
            Self::UnknownProject { .. } => Refusal::new(
                codes::MAILBOX_UNKNOWN_BRAIN,
                advice![
                    "see the roots with ",
                    calls::brains(),
                    "; ",
                    calls::letter_all(),
                    " shows boxes of projects without a brain"
                ],
            )
            .field("brain")
            .rule("LTR-13"),
            Self::SpoolUnreadable { path, .. } => {
                let fix = format!("look at `{}`, then repeat", path.display());
                Refusal::new(codes::STORE_UNREADABLE, fix).rule("LTR-1")
            }
            Self::BoxUnreadable { path, .. } => {
                let fix = format!("look at `{}`, then repeat", path.display());
                Refusal::new(codes::STORE_UNREADABLE, fix).rule("LTR-13")
            }
            Self::ProjectsBroken { path, .. } => {
                let fix = format!("mend `{}`, or move it aside", path.display());
                Refusal::new(codes::PROJECTS_BROKEN, fix).rule("LTR-5")
            }
            Self::Draft(fault) => Refusal::of(fault),
            Self::Agent(fault) => Refusal::of(fault),
            Self::Battery(error) => Refusal::of(error),
            Self::Store(error) => Refusal::of(error),
            Self::Memory(error) => Refusal::of(&**error),
        }
    }
}

coded_by_refusal!(LetterError);

impl From<MemoryError> for LetterError {
    fn from(error: MemoryError) -> Self {
        Self::Memory(Box::new(error))
    }
}
