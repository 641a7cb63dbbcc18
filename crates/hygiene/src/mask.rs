//! Masking: a text without readable secrets.

use crate::finding::{Family, MASK, SecretFinding, SecretKind};
use crate::inspect::inspect_all;
use crate::limits::MASK_PASS_COUNT_MAX;
use std::borrow::Cow;

/// The text with every secret masked; unchanged if there is none.
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
        for SecretFinding { span, .. } in found.into_iter().rev() {
            text.replace_range(span, MASK);
        }
    }
    if secrets(&shown).is_empty() { shown } else { Cow::Borrowed(MASK) }
}

/// The token that a home gives to its own daemon. Its text looks like a hash: only the home knows it.
pub static OWN_TOKEN: SecretKind = SecretKind {
    id: "own_token",
    name: "token of this home's daemon",
    family: Family::Operations,
    advice: "leave it out: a program that calls the daemon reads it from daemon/token of the home; if others saw it, \
             start the daemon with a new token",
};

/// The secrets of a text, in order, without conflict markers.
pub fn secrets(text: &str) -> Vec<SecretFinding> {
    let mut found = inspect_all(text);
    found.retain(|finding| finding.kind.family != Family::Merge);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MEM-14a
    fn a_hash_beside_a_secret_stays_and_a_masked_text_is_masked_no_further() {
        let token = ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat();
        let hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b";
        for between in [" ", ", ", ": ", " and "] {
            let shown = mask(&format!("{token}{between}{hash}")).into_owned();
            assert_eq!(shown, format!("[secret]{between}{hash}"));
            assert!(matches!(mask(&shown), Cow::Borrowed(_)));
        }
        assert!(
            !mask(&format!("app[secret]={hash}")).contains(hash),
            "a key of the text's own names its value"
        );
    }

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
}
