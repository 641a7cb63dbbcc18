//! How a refusal travels: one document on every door, and the exit status of the command line.

use brainstem_base::Fault;
use brainstem_memory::masked;
use serde_json::{Map, Value, json};

/// `{"error":{"code","message","fix","field","rule"}}`, without what does not apply and without secrets.
pub fn error_document(fault: &Fault) -> Value {
    let fault = masked(fault);
    let mut error = Map::new();
    error.insert("code".into(), fault.code.name().into());
    error.insert("message".into(), fault.message.clone().into());
    if let Some(fix) = &fault.fix {
        error.insert("fix".into(), fix.clone().into());
    }
    if let Some(field) = &fault.field {
        error.insert("field".into(), field.clone().into());
    }
    if let Some(rule) = fault.rule {
        error.insert("rule".into(), rule.into());
    }
    json!({ "error": error })
}

/// How a command line ended (IF-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It did what was asked.
    Done,
    /// It refused or failed.
    Refused,
    /// It could not be parsed.
    Unparsable,
}

impl Exit {
    /// Every status, for the reference.
    pub const ALL: &[Self] = &[Self::Done, Self::Refused, Self::Unparsable];

    /// The number the shell sees.
    pub fn status(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refused => 1,
            Self::Unparsable => 2,
        }
    }

    /// What it means, for the reference.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => {
                "refused or failed, and the error says why and what to do; or doctor found a problem"
            }
            Self::Unparsable => "the command line could not be parsed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::codes;

    #[test] // spec: IF-4
    fn an_error_carries_only_what_applies() {
        let bare = Fault::new(codes::INTERNAL_BUG, "oh");
        assert_eq!(error_document(&bare), json!({"error": {"code": "internal.bug", "message": "oh"}}));
        let full = bare.fix("report it").field("label").rule("IF-4");
        assert_eq!(
            error_document(&full).to_string(),
            r#"{"error":{"code":"internal.bug","message":"oh","fix":"report it","field":"label","rule":"IF-4"}}"#
        );
    }
}
