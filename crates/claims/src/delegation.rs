//! Work that is handed to another agent: its id, how it ended, and the claims its findings become.

use crate::{Label, repo_dependence};
use brainstem_base::hash;
use std::fmt;

/// The id of a delegation: `dlg_` and 20 hex digits.
///
/// Invariant: it is one plain word, so it can be in a header line, a report and a command as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DelegationId(String);

const PREFIX: &str = "dlg_";
const DIGITS: usize = 20;
/// The longest part of a finding's first line that its label repeats, in characters.
const HEAD_CHARS: usize = 72;
/// The shortest part that still says what a finding is about, in characters.
const HEAD_CHARS_MIN: usize = 20;
/// The hex digits that tell two findings with one first line apart.
const MARK_DIGITS: usize = 8;

impl DelegationId {
    /// An id from random bytes.
    pub fn new(random: [u8; 10]) -> Self {
        Self(format!("{PREFIX}{}", hash::hex(&random)))
    }

    /// Parses an id.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?;
        let fits = digits.len() == DIGITS
            && digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        fits.then(|| Self(text.to_owned()))
    }

    /// The id as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The label under which a finding is remembered: its first words, and a mark made of the delegation and the whole
    /// text. So one finding has one label however often it is reported, and replaces no claim but itself.
    pub fn label_of(&self, finding: &str) -> Label {
        let mark = hash::sha256_hex(format!("{self}\n{}", finding.trim()).as_bytes(), MARK_DIGITS);
        Label::parse(&format!("{} ({mark})", head(finding))).expect("a head is short and not empty")
    }
}

impl fmt::Display for DelegationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The first words of a text, on one line.
fn head(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().collect();
    let line = words.join(" ");
    let line = without_proof(line.trim_end_matches(['.', ':', ';', ',']));
    let head = match line.char_indices().nth(HEAD_CHARS) {
        None => line.to_owned(),
        Some((end, _)) => phrase(&line[..end]),
    };
    if head.is_empty() { "Finding".to_owned() } else { head }
}

/// A line without the path that proves it at its end: `… (src/retry.rs:3)`.
fn without_proof(line: &str) -> &str {
    match line.rsplit_once(" (") {
        Some((said, proof)) if proof.ends_with(')') && !repo_dependence::paths(proof).is_empty() => said,
        Some(_) | None => line,
    }
}

/// As much of a longer text as makes sense alone: its sentence, or else a part between two marks; otherwise it is cut
/// between two words, with `...`.
fn phrase(cut: &str) -> String {
    let is_long = |at: &usize| cut[..*at].chars().count() >= HEAD_CHARS_MIN;
    let ends = |marks: &[&str]| -> Vec<usize> {
        marks.iter().flat_map(|mark| cut.match_indices(mark)).map(|(at, _)| at).filter(is_long).collect()
    };
    let sentence = ends(&[". ", "! ", "? "]).into_iter().min();
    let part = || ends(&["; ", ": ", ", ", " (", " - ", " – ", " — "]).into_iter().max();
    if let Some(at) = sentence.or_else(part) {
        return cut[..at].to_owned();
    }
    // Between two words, unless the first one is endless.
    cut.rfind(' ').map_or_else(|| cut.to_owned(), |at| format!("{} ...", &cut[..at]))
}

/// How a delegation ended, in the judgement of the agent that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelegationOutcome {
    /// It did what was asked.
    Success,
    /// It did not.
    Failure,
    /// It did some of it.
    Partial,
}

impl DelegationOutcome {
    /// Every outcome.
    pub const ALL: [Self; 3] = [Self::Success, Self::Failure, Self::Partial];

    /// Parses the word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.as_str() == text)
    }

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Partial => "partial",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClaimSlug;
    use proptest::prelude::*;

    fn id(n: u8) -> DelegationId {
        DelegationId::new([n; 10])
    }

    #[test] // spec: MEM-39
    fn an_id_is_one_plain_word() {
        assert_eq!(id(0xab).as_str(), "dlg_abababababababababab");
        assert_eq!(DelegationId::parse(id(7).as_str()), Some(id(7)));
        let bad = [
            "",
            "dlg_",
            "dlg_abc",
            "DLG_abababababababababab",
            "dlg_ABABABABABABABABABAB",
            "dlg_ababababababababab/.",
            "dlg_abababababababababab\n",
        ];
        for text in bad {
            assert_eq!(DelegationId::parse(text), None, "{text:?}");
        }
    }

    #[test] // spec: MEM-41
    fn a_finding_is_called_by_its_first_words() {
        let label = |text: &str| id(1).label_of(text).to_string();
        let check = |text: &str, head: &str| {
            let label = label(text);
            let (found, mark) = label.rsplit_once(" (").expect("a mark");
            assert_eq!((found, mark.len()), (head, MARK_DIGITS + 1), "{text:?}");
        };
        check("The retry loop is bounded.", "The retry loop is bounded");
        check("  One:\n\nmore below", "One");
        check("a\tb   c", "a b c");
        check("...", "Finding");
        check("The loop ends after five tries (src/retry.rs:3).", "The loop ends after five tries");
        check("The loop ends (always)", "The loop ends (always)");
        check(&"word ".repeat(40), &format!("{} ...", ["word"; 14].join(" ")));
        check(&"x".repeat(100), &"x".repeat(72));
        let more = "which nobody noticed before because the tests never run it in the evening";
        check(&format!("The retry loop has no bound. It runs on, {more}"), "The retry loop has no bound");
        check(
            &format!("The retry loop in src/retry.rs has no bound, {more}"),
            "The retry loop in src/retry.rs has no bound",
        );
        check(
            &format!("Well, the retry loop has no bound when the other side never answers {more}"),
            "Well, the retry loop has no bound when the other side never answers ...",
        );
        check("größe 日本", "größe 日本");
        assert_eq!(label("same"), label(" same\n"), "told again");
        assert_ne!(label("same\nfirst line, one"), label("same\nfirst line, two"));
        assert_ne!(id(1).label_of("same"), id(2).label_of("same"), "two delegations, two claims");
    }

    proptest! {
        #[test] // spec: MEM-41, MEM-7
        fn every_text_has_a_label_and_different_texts_have_different_files(a in any::<String>(), b in any::<String>()) {
            let slug = |text: &str| ClaimSlug::of(&id(3).label_of(text));
            prop_assert_eq!(slug(&a) == slug(&b), a.trim() == b.trim());
        }
    }
}
