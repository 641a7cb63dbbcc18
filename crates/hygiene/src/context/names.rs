//! Names that say that a secret is beside them: `DB_PASSWORD`, `clientSecret`, `auth-token`.

use super::NAME_JOINERS;
use crate::bytes::{B62, TextScan};
use crate::hit::LiteralHit;

/// A name that says "secret".
#[derive(Clone, Copy)]
pub(crate) struct Name {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether a person chooses the value: a password rather than a token. The words for one start with `p`, but for `_pw` and
    /// `REDISCLI_AUTH`.
    pub(crate) by_hand: bool,
    /// Whether it is written as variables of the environment are.
    pub(crate) shouted: bool,
}

/// What may follow the word inside the name: `SECRET_KEY_BASE`, `password2`, `tokenValue`.
const TAILS: &[&str] = &[
    "s",
    "key",
    "value",
    "val",
    "base",
    "key_base",
    "keybase",
    "prod",
    "dev",
    "test",
    "staging",
    "live",
    "production",
    "string",
    "text",
    "plain",
    "plaintext",
    "b64",
    "base64",
    "raw",
    "env",
    "admin",
    "root",
    "main",
    "private",
    "default",
    "new",
    "old",
];
/// Words before it that make it harmless. Each is a whole part of the name.
const HEADS_HARMLESS: &[&str] =
    &["hash", "hashed", "encrypted", "sealed", "masked", "max", "min", "num", "total", "allow"];
/// The same before a token or a key: most of these name a place in a list or a text.
const HEADS_OF_OTHER_TOKENS: &[&str] = &[
    "public",
    "pub",
    "publishable",
    "primary",
    "foreign",
    "csrf",
    "xsrf",
    "page",
    "nextpage",
    "prevpage",
    "continuation",
    "pagination",
    "cancel",
    "cancellation",
    "cursor",
    "sync",
    "tokenizer",
    "pad",
    "eos",
    "bos",
    "unk",
    "mask",
    "vocab",
    "special",
    "sep",
    "cache",
    "idempotency",
    "request",
    "correlation",
    "partition",
    "sort",
    "verify",
    "verifying",
    "anon",
    "lookup",
    "index",
    "row",
    "object",
    "group",
    "map",
    "dedup",
    "routing",
    "resume",
    "next",
    "prev",
    "start",
    "end",
    "stop",
    "input",
    "output",
    "first",
    "last",
];
/// Words that are joined to a short word for a secret without a sign between: `storepass`, `dbpass`.
const JOINED: &[&str] = &[
    "access",
    "admin",
    "api",
    "app",
    "auth",
    "bind",
    "bot",
    "client",
    "db",
    "ftp",
    "key",
    "keystore",
    "my",
    "mysql",
    "pg",
    "proxy",
    "refresh",
    "require",
    "root",
    "session",
    "smtp",
    "ssh",
    "store",
    "trust",
    "truststore",
    "user",
    "webhook",
    "bearer",
    "id",
    "master",
];
/// How far a name reaches to either side of its word.
const HEAD_LEN_MAX: usize = 40;
const TAIL_LEN_MAX: usize = 24;

/// The byte behind the name that the word at `hit` is part of.
pub(crate) fn next_byte(scan: &TextScan<'_>, hit: LiteralHit) -> Option<u8> {
    let tail =
        scan.up_to(hit.end, TAIL_LEN_MAX).iter().take_while(|byte| B62.has(**byte) || **byte == b'_').count();
    scan.count(tail + 1);
    scan.at(hit.end + tail)
}

/// The name that the word at `hit` is part of, if it is the name of a secret.
pub(crate) fn at(scan: &TextScan<'_>, hit: LiteralHit) -> Option<Name> {
    let word = &scan.text[hit.start..hit.end];
    if !word_starts(scan, hit, word) {
        return None;
    }
    let mut start = hit.start;
    while hit.start - start < HEAD_LEN_MAX
        && scan.before(start).is_some_and(|byte| B62.has(byte) || NAME_JOINERS.contains(&byte))
    {
        start -= 1;
    }
    scan.count(hit.start - start);
    // The letter of an escape belongs to the escape: `\nDB_PASSWORD`.
    if start < hit.start
        && scan.before(start) == Some(b'\\')
        && matches!(scan.text[start], b'n' | b'r' | b't')
    {
        start += 1;
    }
    // So do the number and the letter of a colour: `[32mDB_PASSWORD`.
    if scan.before(start) == Some(b'[') {
        let digits = scan.text[start..hit.start].iter().take_while(|byte| byte.is_ascii_digit()).count();
        start += if digits > 0 && scan.at(start + digits) == Some(b'm') { digits + 1 } else { 0 };
    }
    let by_hand =
        matches!(word[0], b'p' | b'P' | b'_' | b'r' | b'R') && !scan.has_folded(hit.start, "private");
    let head = &scan.text[start..hit.start];
    let harmless =
        |part: &[u8]| is_one_of(part, HEADS_HARMLESS) || !by_hand && is_one_of(part, HEADS_OF_OTHER_TOKENS);
    if !head.is_empty() && head.split(|byte| NAME_JOINERS.contains(byte)).any(harmless) {
        return None;
    }
    let mut end = hit.end;
    while end - hit.end < TAIL_LEN_MAX && scan.at(end).is_some_and(|byte| B62.has(byte) || byte == b'_') {
        end += 1;
    }
    scan.count(end - hit.end);
    let tail = &scan.text[hit.end..end];
    let tail = tail.strip_prefix(b"_").unwrap_or(tail);
    let known = tail.is_empty() || TAILS.iter().any(|word| tail.eq_ignore_ascii_case(word.as_bytes()));
    let numbered = tail.len() <= 2 && tail.iter().all(u8::is_ascii_digit);
    if !known && !numbered {
        return None;
    }
    let name = &scan.text[start..end];
    let shouted = name.len() >= 4 && !name.iter().any(u8::is_ascii_lowercase);
    Some(Name { start, end, by_hand, shouted })
}

/// Whether the word starts a part of a name, and not in the middle of another word.
fn word_starts(scan: &TextScan<'_>, hit: LiteralHit, word: &[u8]) -> bool {
    let Some(before) = scan.before(hit.start) else { return true };
    if !before.is_ascii_alphabetic() {
        return true;
    }
    if word[0] == b'_' {
        return true; // the joint of a name: `DB_PW`
    }
    let hump = before.is_ascii_lowercase() && word[0].is_ascii_uppercase();
    let long = word.len() >= 6 && (word[0] | 0x20) == b'p';
    hump || long
        || scan.starts_at(hit.start)
        || JOINED.iter().any(|head| {
            hit.start >= head.len()
                && scan.has_folded(hit.start - head.len(), head)
                && !scan.before(hit.start - head.len()).is_some_and(|byte| byte.is_ascii_alphabetic())
        })
}

/// Whether a part of a name is one of these words, alone or before a hump.
fn is_one_of(part: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| {
        part.len() >= word.len()
            && part[..word.len()].eq_ignore_ascii_case(word.as_bytes())
            && part
                .get(word.len())
                .is_none_or(|next| next.is_ascii_uppercase() && part[0].is_ascii_lowercase())
    })
}
