//! Why a caller's settings or words are refused.

use brainstem_base::next::field;
use brainstem_base::{Advice, Refusal, advice, coded_by_refusal, codes};
use brainstem_hygiene::SecretKind;

/// A refusal of what a caller sets or says.
#[derive(Debug, thiserror::Error)]
pub enum CallerError {
    /// A setting, or this value of it, is for the home alone.
    #[error("`{setting}` cannot be set in a repository: {why}")]
    SettingOfHome {
        /// The setting.
        setting: String,
        /// Why.
        why: &'static str,
    },
    /// The caller is in no project, so that no repository's file can be set.
    #[error("you stand in no project, so no repository's file can be set")]
    InNoProject,
    /// The refusal of a call would repeat a secret that the call carries.
    #[error("`{field}` carries a secret: {} (rule {})", kind.name, kind.id)]
    WouldRepeatSecret {
        /// The field that carries it.
        field: String,
        /// The secret's kind.
        kind: &'static SecretKind,
    },
}

impl CallerError {
    fn refusal(&self) -> Refusal {
        let bad = |fix: Advice| Refusal::new(codes::INPUT_BAD_VALUE, fix).field("repo").rule("IF-27");
        match self {
            Self::SettingOfHome { .. } => bad(advice!["set it without ", field("repo")]),
            Self::InNoProject => {
                bad(advice!["name the project with ", Advice::root(), ", or leave out ", field("repo")])
            }
            Self::WouldRepeatSecret { field, kind } => {
                Refusal::new(codes::HYGIENE_SECRET, kind.advice).field(field.as_str()).rule("MEM-14")
            }
        }
    }
}

coded_by_refusal!(CallerError);
