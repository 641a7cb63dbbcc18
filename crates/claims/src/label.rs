//! Labels: the names people and agents give to claims.

use crate::limits::LABEL_LEN_MAX;
use brainstem_base::{Advice, Coded, ErrorCode, codes};
use std::fmt;
use unicode_normalization::UnicodeNormalization as _;

/// The name of a claim, as its author spelled it.
///
/// Invariant: not empty, at most [`LABEL_LEN_MAX`] bytes, no white space at either end. Any other
/// character may be in it, control characters included; the grammar escapes them.
#[derive(Clone, Debug)]
pub struct Label(String);

/// Why a text cannot be a label.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LabelFault {
    /// Only white space.
    #[error("the label is empty")]
    Empty,
    /// Longer than the limit.
    #[error("the label has {len} bytes; at most {LABEL_LEN_MAX} are allowed")]
    TooLong {
        /// Its length in bytes.
        len: usize,
    },
}

impl Coded for LabelFault {
    fn code(&self) -> ErrorCode {
        codes::CLAIM_BAD_LABEL
    }
    fn fix(&self) -> Option<Advice> {
        Some(
            "give a short name for the claim, such as \"retry policy\", and put the rest into the text"
                .into(),
        )
    }
    fn field(&self) -> Option<String> {
        Some("label".into())
    }
    fn rule(&self) -> Option<&'static str> {
        Some("MEM-8")
    }
}

impl Label {
    /// Parses a label, dropping white space at both ends.
    pub fn parse(text: &str) -> Result<Self, LabelFault> {
        let text = text.trim();
        match text.len() {
            0 => Err(LabelFault::Empty),
            len if len > LABEL_LEN_MAX => Err(LabelFault::TooLong { len }),
            _ => Ok(Self(text.to_owned())),
        }
    }

    /// The label as spelled.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The label in Unicode's composed form, under which labels are compared.
    pub fn nfc(&self) -> String {
        nfc(&self.0)
    }
}

impl Label {
    /// Whether a reader that asks for this label means a claim's `label`: letter case and blanks do not count. Two
    /// labels that differ only in these have one slug, so at most one of them is live.
    pub fn is_read_as(&self, label: &str) -> bool {
        let folded = |text: &str| {
            let lower = nfc(text).to_lowercase();
            lower
                .split(|c: char| c.is_whitespace() || c.is_control())
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        };
        folded(&self.0) == folded(label)
    }
}

/// Unicode's composed form of a text.
pub(crate) fn nfc(text: &str) -> String {
    text.nfc().collect()
}

/// Two spellings of the same characters are one label; a different letter case is not.
impl PartialEq for Label {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || self.nfc() == other.nfc()
    }
}

impl Eq for Label {}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MEM-8
    fn a_reader_means_a_label_however_it_is_capitalised_and_spaced() {
        let label = |text: &str| Label::parse(text).expect("a label");
        for text in ["refund window", "REFUND  WINDOW", "Refund\nwindow", "Refund Window"] {
            assert!(label(text).is_read_as("Refund window"), "{text:?}");
        }
        for text in ["refund-window", "Refundwindow", "Refund window 2"] {
            assert!(!label(text).is_read_as("Refund window"), "{text:?}");
        }
        assert!(label("GRO\u{0308}SSE").is_read_as("grösse"));
    }

    #[test] // spec: MEM-7, MEM-8
    fn a_label_may_hold_anything_but_nothing() {
        assert_eq!(Label::parse("  retry policy\n").expect("valid").as_str(), "retry policy");
        assert_eq!(Label::parse("a\u{1b}[31m\nb").expect("valid").as_str(), "a\u{1b}[31m\nb");
        assert_eq!(Label::parse(" \t\n"), Err(LabelFault::Empty));
        assert_eq!(Label::parse(&"x".repeat(513)), Err(LabelFault::TooLong { len: 513 }));
    }

    #[test]
    fn composed_and_decomposed_spellings_are_one_label() {
        assert_eq!(Label::parse("caf\u{e9}"), Label::parse("cafe\u{301}"));
        assert_ne!(Label::parse("Foo"), Label::parse("foo"));
    }
}
