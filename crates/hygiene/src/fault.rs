//! The refusal, as the doors show it.

use crate::finding::{Family, SecretFinding, SecretKind};
use crate::inspect::inspect;
use brainstem_base::{Advice, Coded, ErrorCode, codes};

/// A field carries something that must not be written.
///
/// Invariant: it holds no byte of the field's text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` carries {} {} (rule {}{}); nothing was written", article(kind.name), kind.name, kind.id, place(*at))]
pub struct HygieneFault {
    /// The field of the request.
    pub field: &'static str,
    /// The rule that refused.
    pub kind: &'static SecretKind,
    /// Where in the field it starts, in bytes; `None` if it is not in one field alone.
    pub at: Option<usize>,
}

/// Refuses a text that carries a credential or conflict markers.
pub fn check(field: &'static str, text: &str) -> Result<(), HygieneFault> {
    match inspect(text) {
        None => Ok(()),
        Some(SecretFinding { kind, span }) => Err(HygieneFault { field, kind, at: Some(span.start) }),
    }
}

impl Coded for HygieneFault {
    fn code(&self) -> ErrorCode {
        match self.kind.family {
            Family::Merge => codes::CLAIM_CONFLICT_MARKERS,
            Family::PrivateKey
            | Family::Cloud
            | Family::Forge
            | Family::Model
            | Family::Service
            | Family::Operations
            | Family::Context => codes::HYGIENE_SECRET,
        }
    }

    fn fix(&self) -> Option<Advice> {
        Some(self.kind.advice.into())
    }

    fn field(&self) -> Option<String> {
        Some(self.field.into())
    }

    fn rule(&self) -> Option<&'static str> {
        Some("MEM-14")
    }
}

fn place(at: Option<usize>) -> String {
    at.map(|at| format!(", at byte {at}")).unwrap_or_default()
}

fn article(name: &str) -> &'static str {
    match name.as_bytes().first() {
        Some(b'A' | b'E' | b'I' | b'O' | b'a' | b'e' | b'i' | b'o') => "an",
        _ => "a",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MEM-14
    fn the_refusal_names_the_field_and_the_rule_and_says_what_to_do() {
        let secret = ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat();
        let fault = check("title", &format!("use {secret} for the release")).expect_err("a token");
        assert_eq!((fault.code().name(), fault.rule()), ("hygiene.secret", Some("MEM-14")));
        assert_eq!(Coded::field(&fault).as_deref(), Some("title"));
        let shown = format!("{fault} {fault:?} {:?}", fault.fix());
        assert!(
            shown.contains("github_token") && shown.contains("title") && shown.contains("keychain"),
            "{shown}"
        );
        assert!(!shown.contains(&secret[4..9]), "{shown}");
    }

    #[test] // spec: MEM-14, LTR-8
    fn conflict_markers_keep_the_code_they_had() {
        let fault = check("text", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n").expect_err("markers");
        assert_eq!(fault.code().name(), "claim.conflict_markers");
    }
}
