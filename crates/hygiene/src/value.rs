//! Judging a value by its looks: a secret, or a word, a reference, a placeholder.
//!
//! Popular filters such as "must hold a digit" or "three kinds of characters" reject many random keys, so each test
//! here is chosen by its cost in recall. The thresholds are in `docs/hygiene.md`.

use crate::bytes::entropy;
use crate::harmless::{
    SECRET_WORDS, TECHNICAL_WORDS, is_digest, is_figure, is_number, is_placeholder, is_published,
    is_reference, is_sample, is_stand_in, is_uuid, is_version_or_date,
};
use crate::limits;
use crate::value_traits::{ValueTraits, is_camel, is_name_of_code, is_word, is_wordy};

/// What kind of value its place suggests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// A person may have chosen it: `password`, `passphrase`.
    Password,
    /// The same in a place where only a password can be, as in `<password>…</password>`: weak ones count too.
    Placed,
    /// A program made it: `token`, `secret`, `api_key`.
    Token,
    /// The same in a variable, a header or an option: a UUID counts too.
    Variable,
    /// It is in a sentence, where most values are words.
    Spoken,
    /// It is in a sentence right behind the word, without "is" or a colon.
    Apposed,
}
/// Whether a value beside the name of a secret is one. `next` is the byte after it.
pub(crate) fn is_secret(value: &[u8], next: Option<u8>, manner: Manner) -> bool {
    let len_min = if manner == Manner::Placed { 6 } else { 8 };
    let value = &value[..value.len().min(limits::JUDGED_LEN_MAX)];
    if value.len() < len_min || matches!(next, Some(b'(' | b'[' | b'{')) || value.contains(&b' ') {
        return false;
    }
    let looks = ValueTraits::of(value);
    // `token: Vec<…>` is a type.
    if next == Some(b'<') && looks.digits == 0 {
        return false;
    }
    // Most values are words, and words need no further look.
    let word = looks.digits == 0 && looks.strong == 0 && (looks.upper == 0 || looks.lower == 0);
    if word && !(manner == Manner::Placed && value.contains(&b'-')) || is_placeholder(value) {
        return false;
    }
    if is_uuid(value) {
        return manner == Manner::Variable && !is_stand_in(value);
    }
    if is_reference(value, &looks)
        || is_version_or_date(value)
        || is_number(value)
        || is_digest(value)
        || is_published(value)
    {
        return false;
    }
    // A password with all four kinds of characters may hold one of these words; a name never has all four.
    let everything = looks.digits > 0 && looks.lower > 0 && looks.upper > 0 && looks.strong > 0;
    let by_machine = matches!(manner, Manner::Token | Manner::Variable);
    if (by_machine || !everything) && SECRET_WORDS.any_in(value) {
        return false;
    }
    match manner {
        Manner::Spoken => is_spoken_secret(value, &looks),
        Manner::Apposed => is_apposed_secret(value, &looks),
        Manner::Password => is_password(value, &looks),
        Manner::Placed => {
            value.len() >= 8 && is_password(value, &looks)
                || is_weak_password(value, &looks)
                || is_passphrase(value)
                || is_jumble(value, &looks)
        }
        Manner::Token => is_token(value, &looks, 5),
        Manner::Variable => is_token(value, &looks, 3) || is_numbered_slug(value) || is_jumble(value, &looks),
    }
}

/// Whether a person or a program may have chosen it as a password.
fn is_password(value: &[u8], looks: &ValueTraits) -> bool {
    if value.len() >= 16 {
        return is_random_long(value, looks) && !is_name_of_code(value, looks);
    }
    let woven = value.len() >= 9 && looks.turns >= 2 && looks.digits >= 2 && !TECHNICAL_WORDS.any_in(value);
    let mixed = is_mixed(looks, looks.strong + looks.weak);
    (mixed && !is_name_of_code(value, looks) || woven && !is_wordy(value, looks)) && entropy(value) >= 2.7
}

/// Whether a program made it. `turns_min` is how often letters and digits alternate in a short one.
fn is_token(value: &[u8], looks: &ValueTraits, turns_min: usize) -> bool {
    let signed = looks.digits >= 2 && value.last().is_some_and(|byte| matches!(byte, b'_' | b'-'));
    if is_wordy(value, looks) && !signed {
        return false;
    }
    if value.len() >= 16 {
        return is_random_long(value, looks);
    }
    let woven = value.len() >= 10 && looks.turns >= turns_min && looks.digits >= 2
        || value.len() >= 10
            && looks.digits > 0
            && looks.weak == 0
            && looks.strong == 0
            && looks.upper == 0
            && turns_min < 5;
    (is_mixed(looks, looks.strong) && (signed || !is_name_of_code(value, looks)) || woven)
        && entropy(value) >= 2.7
}

fn is_mixed(looks: &ValueTraits, signs: usize) -> bool {
    let kinds = usize::from(looks.lower > 0) + usize::from(looks.upper > 0);
    if looks.digits > 0 { kinds + usize::from(signs > 0) >= 2 } else { kinds == 2 && looks.strong > 0 }
}

/// Whether it has letters of both cases in an order that no name has.
fn is_jumble(value: &[u8], looks: &ValueTraits) -> bool {
    let is_long = value.len() >= 12 && looks.flips >= 2 && entropy(value) >= 3.0;
    // The case of a shorter one must change more often than in any name.
    let is_short = (8..12).contains(&value.len()) && looks.flips >= 4 && entropy(value) >= 2.7;
    (is_long || is_short)
        && value.iter().all(u8::is_ascii_alphabetic)
        && !is_camel(value)
        && !is_wordy(value, looks)
}

/// A word and a number behind "is", where the sentence ends: `the password is falcon77`.
pub(crate) fn is_weak_and_spoken(value: &[u8]) -> bool {
    let looks = ValueTraits::of(value);
    looks.digits >= 1
        && (6..=16).contains(&value.len())
        && value[0].is_ascii_alphabetic()
        && value.iter().all(u8::is_ascii_alphanumeric)
        && value.last().is_some_and(u8::is_ascii_digit)
        && !is_placeholder(value)
        && !SECRET_WORDS.any_in(value)
        && is_weak_password(value, &looks)
}

/// A word and a number, `falcon77`: only its place shows that it is a password.
fn is_weak_password(value: &[u8], looks: &ValueTraits) -> bool {
    let plain = value
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'!' | b'@' | b'#' | b'*' | b'?'));
    plain
        && value.len() <= 24
        && looks.letters() >= 3
        && looks.digits > 0
        && !TECHNICAL_WORDS.any_in(value)
        && !is_sample(value)
}

/// Three or more words in a row, joined by hyphens.
fn is_passphrase(value: &[u8]) -> bool {
    value.len() >= 14
        && value.split(|byte| *byte == b'-').count() >= 3
        && value
            .split(|byte| *byte == b'-')
            .all(|word| word.len() >= 3 && word.iter().all(u8::is_ascii_lowercase) && is_word(word))
}

/// Words joined by hyphens and a number of two or more digits at the end: `falcon-harbor-42`.
fn is_numbered_slug(value: &[u8]) -> bool {
    let Some(at) = value.iter().rposition(|byte| *byte == b'-') else { return false };
    let number = &value[at + 1..];
    (2..=4).contains(&number.len())
        && number.iter().all(u8::is_ascii_digit)
        && value[..at].contains(&b'-')
        && value[..at]
            .split(|byte| *byte == b'-')
            .all(|word| word.len() >= 4 && word.iter().all(u8::is_ascii_lowercase) && is_word(word))
}

fn is_random_long(value: &[u8], looks: &ValueTraits) -> bool {
    if looks.digits > 0 {
        return looks.letters() > 0 && entropy(value) >= 2.9;
    }
    let n = value.len();
    entropy(value) >= 3.2
        && looks.flips * 100 >= 28 * n
        && (looks.strong + looks.weak) * 5 <= n
        && !is_camel(value)
}

fn is_spoken_secret(value: &[u8], looks: &ValueTraits) -> bool {
    if is_figure(value) || TECHNICAL_WORDS.any_in(value) {
        return false;
    }
    if is_numbered_slug(value) {
        return true;
    }
    let signed_at_end = looks.digits >= 3 && value.last().is_some_and(|byte| matches!(byte, b'_' | b'-'));
    if is_wordy(value, looks) && !signed_at_end {
        return false;
    }
    if value.len() >= 16 {
        return is_random_long(value, looks) && (looks.digits > 0 || looks.upper > 0);
    }
    let signed = looks.strong > 0 && looks.digits > 0 && looks.letters() > 0;
    // With three digits it is not the name of a type, and a hyphen or an underscore may be in a password.
    let many = looks.digits >= 3
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let cased = looks.digits > 0
        && looks.lower > 0
        && looks.upper > 0
        && (many || looks.weak == 0 && looks.strong == 0 && !is_camel(value));
    let woven = value.len() >= 9 && looks.weak == 0 && looks.digits >= 2 && looks.turns >= 3;
    (signed || cased || woven || is_broken(looks)) && entropy(value) >= 2.7
}

fn is_apposed_secret(value: &[u8], looks: &ValueTraits) -> bool {
    let signed_at_end = looks.digits >= 3 && value.last().is_some_and(|byte| matches!(byte, b'_' | b'-'));
    if is_figure(value) || TECHNICAL_WORDS.any_in(value) || is_wordy(value, looks) && !signed_at_end {
        return false;
    }
    if value.len() >= 16 {
        let hex = value.iter().all(u8::is_ascii_hexdigit);
        let cased = looks.upper > 0 && looks.lower > 0;
        return is_random_long(value, looks)
            && (cased || hex && value.len() >= 24 || looks.strong > 0 || looks.turns >= 6);
    }
    let signed = looks.strong > 0
        && looks.digits > 0
        && looks.letters() >= 3
        && !value.ends_with(b"+1")
        && !value.ends_with(b"*");
    let cased = looks.digits >= 2
        && looks.lower > 0
        && looks.upper > 0
        && (looks.weak == 0 && !is_camel(value) || signed_at_end);
    let woven = value.len() >= 9 && looks.weak == 0 && looks.digits >= 2 && looks.turns >= 3;
    (signed || cased || woven || is_broken(looks)) && entropy(value) >= 2.7
}

/// Both cases and digits that alternate all the time: no name is like that.
fn is_broken(looks: &ValueTraits) -> bool {
    looks.digits >= 2 && looks.upper >= 2 && looks.lower >= 2 && looks.flips + looks.turns >= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(manner: Manner, secrets: &[&str], harmless: &[&str]) {
        for value in secrets {
            assert!(is_secret(value.as_bytes(), None, manner), "{value} should be a secret");
        }
        for value in harmless {
            assert!(!is_secret(value.as_bytes(), None, manner), "{value} should pass");
        }
    }

    #[test] // spec: MEM-14
    fn passwords_are_told_from_placeholders_and_names() {
        check(
            Manner::Password,
            &[
                "Harbour2024!",
                "grape-lantern-77",
                "kR7$wQz!pL",
                "Tr0ub4dor&3x",
                "9f8e7d6c5b4a39281706f5e4d3c2b1a0",
            ],
            &[
                "changeme",
                "<YOUR_PASSWORD>",
                "${DB_PASSWORD}",
                "xxxxxxxx",
                "user_input_field",
                "DB_PASSWORD",
                "hunter",
                "12345678",
            ],
        );
    }

    #[test] // spec: MEM-14
    fn tokens_are_told_from_names_and_references() {
        check(
            Manner::Token,
            &["k3Jd82LmPq0ZxVb7", "a8f3k2m9q1z7", "qWeRtYzXcVbNmLkJhGfD", "0b1c2d3e4f5a69788796a5b4c3d2e1f0"],
            &[
                "cl100k_base",
                "RefreshTokenProvider",
                "retry-policy-v2",
                "config.services.auth2",
                "crate::auth::Bearer",
                "sha256:0b1c2d3e4f5a69788796a5b4c3d2e1f0",
                "AsyncRequestHandlerFactory",
                "tls-prod-certs-2024",
            ],
        );
    }

    #[test] // spec: MEM-14
    fn words_in_a_sentence_pass() {
        check(
            Manner::Spoken,
            &["Harbour2024!", "kR7wQz9pLm", "k3Jd82LmPq0ZxVb7"],
            &[
                "base64-encoded",
                "RS256-signed",
                "OAuth2-based",
                "case-sensitive",
                "required.",
                "SHA256-hashed",
                "8-16-chars",
            ],
        );
    }
}
