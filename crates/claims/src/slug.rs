//! Slugs: the file name a label gets.

use crate::Label;
use crate::limits::SLUG_LEN_MAX;
use brainstem_base::hash;
use std::fmt;

/// The file stem of a claim: `<slug>.light.md`.
///
/// Invariant: one safe path component of 1 to 80 bytes out of `a-z`, `0-9` and `-`, neither starting nor ending with
/// `-`, and not a device name. So joining it to a folder is safe, and a `.` after it always starts something else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimSlug(String);

const HASH_DIGITS: usize = 8;
const DEVICES: &[&str] = &["con", "prn", "aux", "nul"];

impl ClaimSlug {
    /// The slug of a label: total, and the same on every machine.
    pub fn of(label: &Label) -> Self {
        let mut plain = String::new();
        for c in label.nfc().chars() {
            if c.is_ascii_alphanumeric() {
                plain.push(c.to_ascii_lowercase());
            } else if !plain.is_empty() && !plain.ends_with('-') {
                plain.push('-');
            }
        }
        let plain = plain.trim_end_matches('-');
        if plain.is_empty() {
            return Self(format!("claim-{}", digest(label)));
        }
        if label.as_str().is_ascii() && plain.len() <= SLUG_LEN_MAX && !names_a_device(plain) {
            return Self(plain.to_owned());
        }
        let room = SLUG_LEN_MAX - HASH_DIGITS - 1;
        let head = plain[..plain.len().min(room)].trim_end_matches('-');
        Self(format!("{head}-{}", digest(label)))
    }

    /// Takes a file stem that is already a slug.
    pub fn parse(stem: &str) -> Option<Self> {
        let plain = stem.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        let whole = !stem.is_empty() && stem.len() <= SLUG_LEN_MAX;
        let trimmed = !stem.starts_with('-') && !stem.ends_with('-');
        (plain && whole && trimmed && !names_a_device(stem)).then(|| Self(stem.to_owned()))
    }

    /// The slug as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn digest(label: &Label) -> String {
    hash::sha256_hex(label.nfc().as_bytes(), HASH_DIGITS)
}

fn names_a_device(stem: &str) -> bool {
    let numbered =
        |prefix: &str| stem.strip_prefix(prefix).is_some_and(|rest| matches!(rest.as_bytes(), [b'0'..=b'9']));
    DEVICES.contains(&stem) || numbered("com") || numbered("lpt")
}

impl fmt::Display for ClaimSlug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slug(label: &str) -> String {
        ClaimSlug::of(&Label::parse(label).expect("valid")).to_string()
    }

    #[test] // spec: MEM-8
    fn slugs_follow_the_rule() {
        assert_eq!(slug("Retry policy"), "retry-policy");
        assert_eq!(slug("A b"), slug("a/B!"), "two labels may meet in one slug");
        assert_eq!(slug("--x--"), "x");
        assert_eq!(slug("../../etc/passwd"), "etc-passwd");
        assert_eq!(slug("con"), format!("con-{}", hash::sha256_hex(b"con", 8)));
        assert_eq!(slug("COM1"), format!("com1-{}", hash::sha256_hex(b"COM1", 8)));
        assert_eq!(slug("console"), "console");
        assert_eq!(slug("!!!"), format!("claim-{}", hash::sha256_hex(b"!!!", 8)));
        assert_eq!(slug("记忆"), format!("claim-{}", hash::sha256_hex("记忆".as_bytes(), 8)));
        assert_eq!(slug("Größe"), format!("gr-e-{}", hash::sha256_hex("Größe".as_bytes(), 8)));
        assert_eq!(slug("cafe\u{301}"), slug("caf\u{e9}"), "one label, one slug, however it is composed");
        assert_eq!(slug("caf\u{e9}"), format!("caf-{}", hash::sha256_hex("café".as_bytes(), 8)));
        assert_eq!(slug(&"x".repeat(80)), "x".repeat(80));
        assert_eq!(
            slug(&"x".repeat(81)),
            format!("{}-{}", "x".repeat(71), hash::sha256_hex("x".repeat(81).as_bytes(), 8))
        );
    }

    proptest! {
        #[test] // spec: MEM-8
        fn every_label_has_a_safe_slug(text in "\\PC{0,200}|[\\x00-\\x7f]{1,200}") {
            if let Ok(label) = Label::parse(&text) {
                let made = ClaimSlug::of(&label);
                prop_assert_eq!(ClaimSlug::parse(made.as_str()), Some(made));
            }
        }
    }
}
