//! A text in which no secret can be read any more.

use crate::finding::{Family, Finding};
use crate::inspect::inspect_all;
use crate::limits::MASK_PASS_COUNT_MAX;
use std::borrow::Cow;

/// What stands in the place of a secret.
pub const MASK: &str = "[secret]";

/// The text with every secret masked; the text itself where there is none.
///
/// One look reports a bounded number of findings, so that a text with more is looked at again. A text that still
/// has some after a few looks is masked as a whole.
///
/// ```
/// let pasted = format!("use {}{} for it", "ghp_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro");
/// assert_eq!(brainstem_hygiene::mask(&pasted), "use [secret] for it");
/// ```
pub fn mask(text: &str) -> Cow<'_, str> {
    let mut shown = Cow::Borrowed(text);
    for _ in 0..MASK_PASS_COUNT_MAX {
        let found = secrets(&shown);
        if found.is_empty() {
            return shown;
        }
        let text = shown.to_mut();
        for Finding { span, .. } in found.into_iter().rev() {
            text.replace_range(span, MASK);
        }
    }
    if secrets(&shown).is_empty() { shown } else { Cow::Borrowed(MASK) }
}

/// What is secret in a text, in order; conflict markers are not.
pub fn secrets(text: &str) -> Vec<Finding> {
    let mut found = inspect_all(text);
    found.retain(|finding| finding.kind.family != Family::Merge);
    found
}

/// Runs of exactly 64 hexadecimal digits: the form of the token that a home gives to its own daemon. By itself
/// such a run is a hash more often than not, so that only its holder can tell.
pub fn runs_of_64_digits(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let len = bytes[at..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
            let span = at..at + len;
            at += len + 1;
            if span.len() == 64 {
                return Some(span);
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MEM-14
    fn a_text_with_more_secrets_than_one_look_reports_is_masked_to_the_last() {
        let token = |number: usize| format!("{}{}{number:04}", "ghp_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaU");
        let text: String = (0..200).map(|number| token(number) + "\n").collect();
        let shown = mask(&text);
        assert_eq!(shown.matches(MASK).count(), 200);
        assert!(!shown.contains("q7Zt1LmX"));
        let endless: String = (0..5000).map(|number| token(number) + "\n").collect();
        assert_eq!(mask(&endless), MASK, "what cannot be masked piece by piece is not shown at all");
    }

    #[test] // spec: MEM-14
    fn a_harmless_text_is_not_copied() {
        assert!(matches!(mask("The password lives in the keychain."), Cow::Borrowed(_)));
        assert!(matches!(mask("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n"), Cow::Borrowed(_)));
    }

    #[test] // spec: MEM-14
    fn runs_of_64_digits_are_found_whole_and_alone() {
        let token = "0123456789abcdef".repeat(4);
        let text = format!("a {token} and {token}0, {}x", &token[1..]);
        let found: Vec<_> = runs_of_64_digits(&text).collect();
        assert_eq!((found.len(), found[0].clone()), (1, 2..66));
    }
}
