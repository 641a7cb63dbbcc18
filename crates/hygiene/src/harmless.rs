//! Harmless values beside the name of a secret: placeholders, references, samples, dates, hashes.

use crate::bytes::{TextScan, distinct, find};
use crate::limits::VALUE_LEN_MAX;
use crate::value_traits::{TrimBytes as _, ValueTraits, is_word, is_wordy};
use crate::words::WordSet;

/// Words that templates have and random values do not. All have five letters or more, or a sign.
const TEMPLATE_WORDS: WordSet<49> = WordSet::new([
    "$(",
    "${",
    "***",
    "-here",
    "...",
    "<",
    ">",
    "_here",
    "abcdefg",
    "cafebabe",
    "change-me",
    "change_me",
    "changeme",
    "deadbeef",
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
/// Words about secrets: a value with one of them is usually a name.
pub(crate) const SECRET_WORDS: WordSet<15> = WordSet::new([
    "12345678",
    "api-key",
    "api_key",
    "apikey",
    "credential",
    "keychain",
    "keyring",
    "p4ssw",
    "pa$$w",
    "pa55w",
    "passphr",
    "passw",
    "secr3t",
    "secret",
    "token",
]);
/// Whole values that mean "put yours here".
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
    "passwort",
    "kennwort",
    "wachtwoord",
    "motdepasse",
    "contrasena",
    "senha",
];
/// Words that tutorials turn into a password by adding a number.
const SAMPLE_WORDS: &[&str] = &[
    "demo", "dummy", "secure", "example", "hello", "letmein", "qwerty", "sample", "temp", "testing",
    "welcome", "changeit", "default", "strong", "super", "some", "new", "old", "version", "item", "name",
    "line", "page", "group", "node", "host", "server", "client", "field", "column", "level", "step", "part",
    "chapter", "section", "figure", "table", "python", "param", "arg",
];
/// Names of algorithms and standards, which put digits into prose.
pub(crate) const TECHNICAL_WORDS: WordSet<34> = WordSet::new([
    "aes-256", "aes256", "argon2", "ascii", "base32", "base58", "base62", "base64", "bcrypt", "ed25519",
    "es256", "hex", "hs256", "http2", "ipv4", "ipv6", "md5", "oauth", "oauth2", "pbkdf2", "rfc", "rs256",
    "scrypt", "sha-1", "sha-256", "sha1", "sha2", "sha256", "sha512", "utf-8", "utf8", "uuid", "x.509",
    "x509",
]);

/// Whether a value belongs to a template, whatever is around it.
pub(crate) fn is_placeholder(value: &[u8]) -> bool {
    let whole = |word: &&str| value.eq_ignore_ascii_case(word.as_bytes());
    value.is_empty()
        || matches!(value[0], b'$' | b'<' | b'{' | b'&' | b'*' | b'[' | b'(' | b'\\')
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
    let looks = ValueTraits::of(value);
    looks.strong == 0 && looks.digits <= 2 && SECRET_WORDS.any_in(value)
}

/// Whether the body behind a known prefix was written by hand: `sk_test_your_key_goes_here`.
pub(crate) fn is_handwritten(body: &[u8]) -> bool {
    is_placeholder(body) || names_secret(body) || is_wordy(body, &ValueTraits::of(body))
}

/// Whether a text that looks like a token is a part of a longer name in code, as `compute_y0_from_initial_conditions`:
/// it is joined to a name by `_`, and its body has no digit or is made of words.
pub(crate) fn is_part_of_name(scan: &TextScan<'_>, start: usize, body: &[u8]) -> bool {
    let short = &body[..body.len().min(VALUE_LEN_MAX)];
    !scan.starts_at(start) && (!short.iter().any(u8::is_ascii_digit) || is_handwritten(short))
}

/// Whether the body of a token is a placeholder: one character, a few, or the alphabet in order.
pub(crate) fn is_stand_in(body: &[u8]) -> bool {
    distinct(body) < 6 || is_sequence(body)
}

/// `test123`, `admin1!`: what tutorials write in the place of a password.
pub(crate) fn is_sample(value: &[u8]) -> bool {
    let letters = value.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let rest_is_plain = !value[letters..].iter().any(u8::is_ascii_alphabetic);
    let word = &value[..letters];
    rest_is_plain
        && (SAMPLE_WORDS
            .iter()
            .chain(TEMPLATE_VALUES)
            .any(|sample| word.eq_ignore_ascii_case(sample.as_bytes())))
}

/// `hits=1821` after a colon is a number, not a password; so is a text with the marks of a manual page.
pub(crate) fn is_figure(value: &[u8]) -> bool {
    let sign = value.iter().position(|byte| *byte == b'=').unwrap_or(value.len());
    let name =
        value[..sign].iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.'));
    let right = &value[(sign + 1).min(value.len())..];
    let shown = right.iter().all(|byte| byte.is_ascii_digit() || b".,%x:-_".contains(byte))
        || is_wordy(right, &ValueTraits::of(right));
    let pair = right.iter().any(|byte| *byte != b'=') && name && shown;
    pair || value.contains(&b'\\') || value[0] == b'-'
}

/// A path, a member, a call, a link: something that says where a value is, not what it is.
pub(crate) fn is_reference(value: &[u8], looks: &ValueTraits) -> bool {
    let has = |needle| find(value, needle).is_some();
    if matches!(value[0], b'/' | b'.' | b'@' | b'~')
        || has("://")
        || has("::")
        || has("](")
        || has("()")
        || has("->")
        || has("(") && value.ends_with(b")")
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
                    && (is_word(part.trim_ascii_end_digits()) || is_wordy(part, &ValueTraits::of(part))))
        })
}

/// Keys that are meant to be published: those in a browser.
pub(crate) fn is_published(value: &[u8]) -> bool {
    [&b"pk.eyJ"[..], b"pk_live_", b"pk_test_", b"phc_", b"6L"]
        .iter()
        .any(|head| value.starts_with(head) && (head.len() > 2 || value.len() == 40))
}

/// `MY_API_TOKEN`: the name of a variable instead of its value.
fn is_shouted_name(value: &[u8]) -> bool {
    value.iter().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'-'))
        && (value.contains(&b'_') || value.len() < 16 && is_word(value))
}

pub(crate) fn is_sequence(value: &[u8]) -> bool {
    let steps = value.windows(2).filter(|pair| pair[1] == pair[0].wrapping_add(1) || pair == b"90").count();
    value.len() >= 6 && steps * 10 >= (value.len() - 1) * 8
}

pub(crate) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

pub(crate) fn is_number(value: &[u8]) -> bool {
    let hexadecimal = value.strip_prefix(b"0x").or_else(|| value.strip_prefix(b"0X"));
    let digits = hexadecimal.unwrap_or(value);
    let is_digit = if hexadecimal.is_some() { u8::is_ascii_hexdigit } else { u8::is_ascii_digit };
    let len = digits.iter().take_while(|byte| is_digit(byte)).count();
    let suffix = &digits[len..];
    (1..=16).contains(&len)
        && suffix.len() <= 4
        && (suffix.is_empty() || matches!(suffix[0], b'_' | b'u' | b'i' | b'U' | b'L'))
}

pub(crate) fn is_version_or_date(value: &[u8]) -> bool {
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

pub(crate) fn is_digest(value: &[u8]) -> bool {
    const HEADS: &[&str] = &["sha1", "sha224", "sha256", "sha384", "sha512", "md5", "blake3", "h1"];
    HEADS.iter().any(|head| {
        value.len() > head.len()
            && value[..head.len()].eq_ignore_ascii_case(head.as_bytes())
            && matches!(value[head.len()], b':' | b'-' | b'=')
    })
}
