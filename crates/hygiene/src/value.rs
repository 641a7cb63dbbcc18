//! Judging a value by its looks: a secret, or a word, a reference, a placeholder.
//!
//! Popular filters such as "must hold a digit" or "three kinds of characters" turn away many random keys,
//! so each test here is chosen by what it costs in recall. The thresholds are in `docs/hygiene.md`.

use crate::bytes::{distinct, entropy, find};
use crate::words::Words;

/// What the name beside a value makes us expect.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// A person may have chosen it: `password`, `passphrase`.
    Password,
    /// A program made it: `token`, `secret`, `api_key`.
    Token,
    /// It stands in a sentence, where most values are words.
    Spoken,
}

/// Words that no random value holds and every template does. All have five letters or more, or a sign.
const TEMPLATE_WORDS: Words<47> = Words::new([
    "$(",
    "${",
    "***",
    "-here",
    "...",
    "<",
    ">",
    "_here",
    "abcdefg",
    "change-me",
    "change_me",
    "changeme",
    "default",
    "dummy",
    "env.",
    "example",
    "filtered",
    "fixme",
    "generated",
    "goes-here",
    "hidden",
    "insert",
    "masked",
    "not-set",
    "not_set",
    "notset",
    "optional",
    "os.environ",
    "placeholder",
    "process.env",
    "redacted",
    "removed",
    "replace",
    "required",
    "sample",
    "todo-",
    "undefined",
    "xxxxx",
    "your-",
    "your_",
    "youra",
    "yourk",
    "yourp",
    "yours",
    "yourt",
    "{{",
    "}}",
]);
/// Words about secrets: in a value they usually make a name of it.
const SECRET_WORDS: Words<10> = Words::new([
    "12345678",
    "api-key",
    "api_key",
    "apikey",
    "credential",
    "keychain",
    "keyring",
    "passw",
    "secret",
    "token",
]);
/// Whole values that stand for "put yours here".
const TEMPLATE_VALUES: &[&str] = &[
    "password",
    "passwd",
    "pass",
    "pwd",
    "pw",
    "secret",
    "token",
    "user",
    "username",
    "xxx",
    "xxxx",
    "test",
    "none",
    "null",
    "nil",
    "true",
    "false",
    "string",
    "str",
    "admin",
    "root",
    "guest",
    "foo",
    "bar",
    "key",
    "apikey",
    "api_key",
    "mypassword",
    "mypass",
    "mysecret",
    "auth",
    "oauth2",
    "x-oauth-basic",
    "basic",
    "value",
    "abc",
    "foobar",
    "pat",
    "access_token",
];
/// Names of algorithms and standards, which put digits into prose.
const TECHNICAL_WORDS: Words<34> = Words::new([
    "aes-256", "aes256", "argon2", "ascii", "base32", "base58", "base62", "base64", "bcrypt", "ed25519",
    "es256", "hex", "hs256", "http2", "ipv4", "ipv6", "md5", "oauth", "oauth2", "pbkdf2", "rfc", "rs256",
    "scrypt", "sha-1", "sha-256", "sha1", "sha2", "sha256", "sha512", "utf-8", "utf8", "uuid", "x.509",
    "x509",
]);

/// Whether a value is a template's, whatever stands around it.
pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    let whole = |word: &&str| value.eq_ignore_ascii_case(word.as_bytes());
    value.is_empty()
        || matches!(value[0], b'$' | b'<' | b'{' | b'&' | b'*' | b'[' | b'(')
        || value.starts_with(b"#{")
        || value[0] == b'%' && (value.ends_with(b"%") || value.len() < 4)
        || distinct(value) < 3
        || TEMPLATE_VALUES.iter().any(whole)
        || TEMPLATE_WORDS.any_in(value)
        || is_shouted_name(value)
        || is_sequence(value)
}

/// Whether a value names a secret instead of being one: `MYTOKEN1`, `db_password`.
pub(crate) fn names_secret(value: &[u8]) -> bool {
    let looks = Looks::of(value);
    looks.strong == 0 && looks.digits <= 2 && SECRET_WORDS.any_in(value)
}

/// Whether the body behind a telling prefix was written by hand: `sk_test_your_key_goes_here`.
pub(crate) fn is_handwritten(body: &[u8]) -> bool {
    is_placeholder(body) || names_secret(body) || is_wordy(body, &Looks::of(body))
}

/// Whether the body of a token is a stand-in: one character, a few, or the alphabet in order.
pub(crate) fn is_stand_in(body: &[u8]) -> bool {
    distinct(body) < 6 || is_sequence(body)
}

/// Whether a value beside a telling name is a secret. `next` is the byte after it.
pub(crate) fn is_secret(value: &[u8], next: Option<u8>, manner: Manner) -> bool {
    let n = value.len();
    if n < 8
        || is_placeholder(value)
        || matches!(next, Some(b'(' | b'[' | b'{' | b'<'))
        || value.contains(&b' ')
    {
        return false;
    }
    let looks = Looks::of(value);
    if is_reference(value, &looks)
        || is_uuid(value)
        || is_version_or_date(value)
        || is_number(value)
        || is_digest(value)
    {
        return false;
    }
    // A password with all four kinds of characters may hold one of these words; a name never has all four.
    let everything = looks.digits > 0 && looks.lower > 0 && looks.upper > 0 && looks.strong > 0;
    if !(everything && manner != Manner::Token) && SECRET_WORDS.any_in(value) {
        return false;
    }
    if manner == Manner::Spoken {
        return is_spoken_secret(value, &looks);
    }
    if manner == Manner::Token && is_wordy(value, &looks) {
        return false;
    }
    if n >= 16 {
        return is_random_long(value, &looks)
            && !(manner == Manner::Password && is_name_of_code(value, &looks));
    }
    let kinds = usize::from(looks.lower > 0) + usize::from(looks.upper > 0);
    let signs = match manner {
        Manner::Password => looks.strong + looks.weak,
        Manner::Token | Manner::Spoken => looks.strong,
    };
    let mixed =
        if looks.digits > 0 { kinds + usize::from(signs > 0) >= 2 } else { kinds == 2 && looks.strong > 0 };
    let woven = n >= 10 && looks.turns >= 5 && looks.digits >= 2;
    (mixed && !is_name_of_code(value, &looks) || woven) && entropy(value) >= 2.7
}

/// What a value is made of.
struct Looks {
    digits: usize,
    lower: usize,
    upper: usize,
    /// Signs that names and words never carry.
    strong: usize,
    /// Signs that join words: `-`, `_`, `.`, `/`, `:`.
    weak: usize,
    /// Changes between digit and letter.
    turns: usize,
    /// Changes of case between two letters.
    flips: usize,
}

impl Looks {
    fn of(value: &[u8]) -> Self {
        let mut looks = Self { digits: 0, lower: 0, upper: 0, strong: 0, weak: 0, turns: 0, flips: 0 };
        let mut before = b' ';
        for &byte in value {
            match byte {
                b'0'..=b'9' => looks.digits += 1,
                // Letters with accents are letters.
                b'a'..=b'z' | 0x80.. => looks.lower += 1,
                b'A'..=b'Z' => looks.upper += 1,
                b'-' | b'_' | b'.' | b'/' | b':' => looks.weak += 1,
                _ => looks.strong += 1,
            }
            if byte.is_ascii_digit() && before.is_ascii_alphabetic()
                || byte.is_ascii_alphabetic() && before.is_ascii_digit()
            {
                looks.turns += 1;
            }
            if byte.is_ascii_alphabetic()
                && before.is_ascii_alphabetic()
                && byte.is_ascii_lowercase() != before.is_ascii_lowercase()
            {
                looks.flips += 1;
            }
            before = byte;
        }
        looks
    }

    fn letters(&self) -> usize {
        self.lower + self.upper
    }
}

fn is_random_long(value: &[u8], looks: &Looks) -> bool {
    if looks.digits > 0 {
        return looks.letters() > 0 && entropy(value) >= 2.9;
    }
    let n = value.len();
    entropy(value) >= 3.2
        && looks.flips * 100 >= 28 * n
        && (looks.strong + looks.weak) * 5 <= n
        && !is_camel(value)
}

fn is_spoken_secret(value: &[u8], looks: &Looks) -> bool {
    // `hits=1821` after a colon is a figure, not a password.
    let pair = value.iter().take(value.len() - 2).any(|byte| *byte == b'=');
    if pair || TECHNICAL_WORDS.any_in(value) || is_wordy(value, looks) {
        return false;
    }
    if value.len() >= 16 {
        return is_random_long(value, looks) && (looks.digits > 0 || looks.upper > 0);
    }
    let signed = looks.strong > 0 && looks.digits > 0 && looks.letters() > 0;
    // With three digits it is no name of a type, and an underscore may stand in a password.
    let many = looks.digits >= 3 && value.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let cased = looks.digits > 0
        && looks.lower > 0
        && looks.upper > 0
        && (many || looks.weak == 0 && looks.strong == 0 && !is_camel(value));
    (signed || cased) && entropy(value) >= 2.7
}

/// A path, a member, a call, a link: something that says where a value is, not what it is.
fn is_reference(value: &[u8], looks: &Looks) -> bool {
    let has = |needle| find(value, needle).is_some();
    if matches!(value[0], b'/' | b'.' | b'@' | b'~')
        || has("://")
        || has("::")
        || has("](")
        || has("()")
        || has("->")
    {
        return true;
    }
    if has("@") && has(".") && looks.strong == 1 && looks.digits < 3 {
        return true; // an e-mail address
    }
    // Dotted names and paths: every part is a word.
    let joined = value.iter().any(|byte| matches!(byte, b'.' | b'/' | b':'));
    joined
        && looks.strong == 0
        && value.split(|byte| matches!(byte, b'.' | b'/' | b':' | b'-' | b'_')).all(|part| {
            part.len() < 3
                || part.iter().all(u8::is_ascii_digit)
                || (part.len() <= 24
                    && (is_word(part.trim_ascii_end_digits()) || is_wordy(part, &Looks::of(part))))
        })
}

/// Text helpers on byte slices.
trait Trim {
    fn trim_ascii_end_digits(&self) -> &[u8];
}

impl Trim for [u8] {
    fn trim_ascii_end_digits(&self) -> &[u8] {
        let end = self.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
        &self[..end]
    }
}

/// Words in a row, as in `my-app-prod-2` or `RetryPolicyV3`: nearly all letters stand in pronounceable parts.
fn is_wordy(value: &[u8], looks: &Looks) -> bool {
    if looks.digits > 5 || looks.strong > 0 || looks.turns > 4 {
        return false;
    }
    let in_words: usize =
        pieces(value).filter(|piece| piece.len() >= 3 && is_word(piece)).map(<[u8]>::len).sum();
    in_words * 4 >= looks.letters() * 3 && looks.letters() * 2 > value.len()
}

/// A name in code: words joined by underscores or humps, with at most a number at the end.
fn is_name_of_code(value: &[u8], looks: &Looks) -> bool {
    let snake = value.contains(&b'_') && !value.contains(&b'-');
    (snake || is_camel(value.trim_ascii_end_digits()) && looks.digits <= 1) && is_wordy(value, looks)
}

/// Letters in humps, as in `SslOpenKeyFn`: a capital and small letters, or a short acronym, mostly words.
fn is_camel(value: &[u8]) -> bool {
    if !value.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    let (mut in_words, mut letters) = (0, 0);
    for hump in pieces(value) {
        let acronym = hump.len() <= 5 && hump.iter().all(u8::is_ascii_uppercase);
        if !acronym && (hump.len() < 2 || !hump[1..].iter().all(u8::is_ascii_lowercase)) {
            return false;
        }
        letters += hump.len();
        in_words += if hump.len() >= 3 && is_word(hump) { hump.len() } else { 0 };
    }
    in_words * 10 >= letters * 6
}

/// Splits at signs, at digits, and where a capital starts a hump. An acronym keeps its letters together.
fn pieces(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = value;
    std::iter::from_fn(move || {
        let start = rest.iter().position(u8::is_ascii_alphabetic)?;
        rest = &rest[start..];
        let mut len = 1;
        while len < rest.len() && rest[len].is_ascii_alphabetic() {
            let (before, here) = (rest[len - 1], rest[len]);
            let hump = before.is_ascii_lowercase() && here.is_ascii_uppercase();
            let after_acronym = len >= 2
                && here.is_ascii_lowercase()
                && before.is_ascii_uppercase()
                && rest[len - 2].is_ascii_uppercase();
            if hump {
                break;
            }
            if after_acronym {
                len -= 1;
                break;
            }
            len += 1;
        }
        let (piece, after) = rest.split_at(len);
        rest = after;
        Some(piece)
    })
}

/// Something that can be said aloud: a vowel, and never more than four consonants in a row.
fn is_word(piece: &[u8]) -> bool {
    let mut consonants = 0;
    let mut vowels = 0;
    for byte in piece {
        match byte.to_ascii_lowercase() {
            b'a' | b'e' | b'i' | b'o' | b'u' | b'y' => {
                vowels += 1;
                consonants = 0;
            }
            b'a'..=b'z' => {
                consonants += 1;
                if consonants > 4 {
                    return false;
                }
            }
            _ => return false,
        }
    }
    vowels * 5 >= piece.len()
}

/// `MY_API_TOKEN`: the name of a variable instead of its value.
fn is_shouted_name(value: &[u8]) -> bool {
    value.iter().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'-'))
        && (value.contains(&b'_') || value.len() < 16 && is_word(value))
}

fn is_sequence(value: &[u8]) -> bool {
    let steps = value.windows(2).filter(|pair| pair[1] == pair[0].wrapping_add(1) || pair == b"90").count();
    value.len() >= 6 && steps * 10 >= (value.len() - 1) * 8
}

fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn is_number(value: &[u8]) -> bool {
    let digits = value.strip_prefix(b"0x").or_else(|| value.strip_prefix(b"0X")).unwrap_or(b"");
    let len = digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let suffix = &digits[len..];
    (1..=16).contains(&len)
        && suffix.len() <= 4
        && (suffix.is_empty() || matches!(suffix[0], b'_' | b'u' | b'i' | b'U' | b'L'))
}

fn is_version_or_date(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"v").unwrap_or(value);
    let numbers =
        |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b':' | b'/' | b'T' | b'Z' | b'+');
    value.iter().all(numbers) || {
        let core = value.iter().position(|byte| matches!(byte, b'-' | b'+')).unwrap_or(value.len());
        core >= 5
            && value[..core].split(|byte| *byte == b'.').count() == 3
            && value[..core].iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
    }
}

fn is_digest(value: &[u8]) -> bool {
    const HEADS: &[&str] = &["sha1", "sha224", "sha256", "sha384", "sha512", "md5", "blake3", "h1"];
    HEADS.iter().any(|head| {
        value.len() > head.len()
            && value[..head.len()].eq_ignore_ascii_case(head.as_bytes())
            && matches!(value[head.len()], b':' | b'-' | b'=')
    })
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
