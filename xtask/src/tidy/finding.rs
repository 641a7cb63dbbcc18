//! What a rule answers: where something is wrong, and what to do about it.

use std::fmt;

/// Something a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    rule: &'static str,
    pub(super) weight: Weight,
    pub(super) place: String,
    pub(super) what: String,
    fix: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    Error,
    Note,
}

impl Finding {
    pub(super) fn error(
        rule: &'static str,
        place: impl Into<String>,
        what: String,
        fix: impl Into<String>,
    ) -> Self {
        Self { rule, weight: Weight::Error, place: place.into(), what, fix: fix.into() }
    }

    pub(super) fn note(
        rule: &'static str,
        place: impl Into<String>,
        what: String,
        fix: impl Into<String>,
    ) -> Self {
        Self { weight: Weight::Note, ..Self::error(rule, place, what, fix) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weight = match self.weight {
            Weight::Error => "error",
            Weight::Note => "note",
        };
        write!(f, "{weight}[{}] {}: {}\n  fix: {}", self.rule, self.place, self.what, self.fix)
    }
}
