//! `password = …`, `"token": "…"`, "the passphrase is …", and cells of a table.
//!
//! This is where false alarms come from, so the name, the separator and the value are each judged.

use super::{Span, skip_to_value, value_at};
use crate::bytes::{B62, Scan, Set, find_folded};
use crate::index::Hit;
use crate::value::{Manner, is_secret};

/// What may follow the word inside the name: `SECRET_KEY_BASE`, `password2`, `tokenValue`.
const TAILS: &[&str] = &[
    "",
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
    "b64",
    "raw",
    "env",
    "admin",
    "root",
    "main",
];
/// What before the word makes it no secret.
const HEADS_HARMLESS: &[&str] = &[
    "public",
    "primary",
    "foreign",
    "csrf",
    "xsrf",
    "page",
    "continuation",
    "pagination",
    "cancel",
    "cursor",
    "hash",
    "encrypted",
    "sealed",
    "masked",
    "max",
    "min",
    "num",
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
];

/// `name = value` in any notation.
pub(crate) fn assigned(scan: &Scan<'_>, hit: Hit) -> Span {
    let manner = manner(scan, hit);
    let short = hit.end - hit.start == 4; // `pass`
    let after = name_end(scan, hit)?;
    let mut at = closers_end(scan, after);
    at = scan.skip_blanks(at);
    let separated = match (scan.at(at)?, scan.at(at + 1)) {
        (b':', Some(b':')) => return None,
        // A part of an address with colons: `arn:…:secret:name`.
        (b':', _) if scan.before(hit.start) == Some(b':') => return None,
        (b':' | b'=' | b'!', Some(b'=')) => at + 2,
        (b'=' | b'-', Some(b'>')) => at + 2,
        (b':' | b'=', _) => at + 1,
        (b',', _) if closers_end(scan, after) > after && !short => at + 1,
        _ => return None,
    };
    let separated = separated + usize::from(scan.at(separated) == Some(b'='));
    let mut at = skip_to_value(scan, separated);
    if let Some(typed) = after_type(scan, at) {
        at = typed;
    }
    let value = value_at(scan, at)?;
    (is_secret(value.text(scan), value.next(scan), manner) && !is_published(scan, hit)).then_some(value.span)
}

/// "the password is …", `| password | … |`, `pw: …`.
pub(crate) fn spoken(scan: &Scan<'_>, hit: Hit) -> Span {
    let word = &scan.text[hit.start..hit.end];
    let with_separator = matches!(word.last(), Some(b':' | b'='));
    let mut at = if with_separator || word.eq_ignore_ascii_case(b"pw is") {
        if scan.before(hit.start).is_some_and(|byte| byte.is_ascii_alphanumeric()) {
            return None;
        }
        hit.end
    } else {
        let mut at = name_end(scan, hit)?;
        if scan.has_folded(at, " key") {
            at += 4;
        }
        at = scan.skip_blanks(closers_end(scan, at));
        // A few words may stand between: "password for the build account is", "token (staging):".
        let line = scan.line_from(at, 48);
        if scan.at(at) == Some(b'|') {
            at + 1
        } else if let Some(len) = verb_end(line) {
            at + len
        } else {
            return None;
        }
    };
    at = skip_to_value(scan, at);
    for filler in ["now ", "still ", "currently ", "simply ", "just ", "set to ", "="] {
        if scan.has_folded(at, filler) {
            at = scan.skip_blanks(at + filler.len());
        }
    }
    let value = value_at(scan, at)?;
    (is_secret(value.text(scan), value.next(scan), Manner::Spoken) && !is_published(scan, hit))
        .then_some(value.span)
}

/// Where "is", "was" or a colon ends, at the start of a line's rest or after a few plain words.
fn verb_end(line: &[u8]) -> Option<usize> {
    let mut at = 0;
    for _ in 0..6 {
        let rest = &line[at..];
        for verb in ["is ", "was ", "to ", "= ", ": ", "-> "] {
            if rest.len() > verb.len() && rest[..verb.len()].eq_ignore_ascii_case(verb.as_bytes()) {
                return Some(at + verb.len());
            }
        }
        let word = rest.iter().position(|byte| *byte == b' ')?;
        let plain = rest[..word].iter().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'(' | b')' | b'-' | b'_' | b'.' | b':')
        });
        if !plain {
            return None;
        }
        if word > 0 && rest[word - 1] == b':' {
            return Some(at + word + 1);
        }
        at += word + 1;
    }
    None
}

fn manner(scan: &Scan<'_>, hit: Hit) -> Manner {
    let people_choose =
        matches!(scan.at(hit.start), Some(b'p' | b'P')) && !scan.has_folded(hit.start, "private");
    if people_choose { Manner::Password } else { Manner::Token }
}

/// Where the name ends that the word at `hit` is part of, if it is the name of a secret.
fn name_end(scan: &Scan<'_>, hit: Hit) -> Option<usize> {
    const NAME: Set = B62;
    let word = &scan.text[hit.start..hit.end];
    if let Some(before) = scan.before(hit.start)
        && before.is_ascii_alphabetic()
    {
        let hump = before.is_ascii_lowercase() && word[0].is_ascii_uppercase();
        let joined = word.len() >= 6 && (word[0] | 0x20) == b'p'
            || preceded(scan, hit.start, &["access", "auth", "api", "client", "refresh", "bot", "app"]);
        if !hump && !joined && !scan.starts_at(hit.start) {
            return None;
        }
    }
    let mut head = hit.start;
    while hit.start - head < 40
        && scan.before(head).is_some_and(|byte| NAME.has(byte) || matches!(byte, b'_' | b'-' | b'.'))
    {
        head -= 1;
    }
    scan.count(hit.start - head);
    let head = &scan.text[head..hit.start];
    if head
        .split(|byte| matches!(byte, b'_' | b'-' | b'.'))
        .any(|part| HEADS_HARMLESS.iter().any(|word| part.len() < 16 && find_folded(part, word) == Some(0)))
    {
        return None;
    }
    let mut end = hit.end;
    while end - hit.end < 24 && scan.at(end).is_some_and(|byte| NAME.has(byte) || byte == b'_') {
        end += 1;
    }
    scan.count(end - hit.end);
    let tail = &scan.text[hit.end..end];
    let tail = tail.strip_prefix(b"_").unwrap_or(tail);
    let known = TAILS.iter().any(|word| tail.eq_ignore_ascii_case(word.as_bytes()));
    (known || tail.len() <= 2 && tail.iter().all(u8::is_ascii_digit)).then_some(end)
}

fn preceded(scan: &Scan<'_>, at: usize, words: &[&str]) -> bool {
    words.iter().any(|word| at >= word.len() && scan.has_folded(at - word.len(), word))
}

/// Quotes, brackets and emphasis that close the name.
fn closers_end(scan: &Scan<'_>, mut at: usize) -> usize {
    let max = at + 4;
    while at < max && matches!(scan.at(at), Some(b'"' | b'\'' | b'`' | b']' | b'*' | b')' | b'\\')) {
        at += 1;
    }
    at
}

/// `token: String = …`: where the value starts behind a type.
fn after_type(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let line = scan.line_from(at, 40);
    let sign = line.windows(3).position(|three| three == b" = ")?;
    let is_type = line[..sign].iter().all(|byte| {
        byte.is_ascii_alphabetic()
            || matches!(
                byte,
                b'&' | b'\'' | b'<' | b'>' | b'[' | b']' | b'|' | b'?' | b' ' | b'.' | b':' | b'_'
            )
    });
    is_type.then(|| scan.skip_blanks(at + sign + 3))
}

/// The token of a badge's image is published on purpose, and so is what a sealed secret holds.
fn is_published(scan: &Scan<'_>, hit: Hit) -> bool {
    let from = hit.start.saturating_sub(120);
    scan.count(hit.start - from);
    let before = &scan.text[from..hit.start];
    let any = |words: &[&str]| words.iter().any(|word| find_folded(before, word).is_some());
    let in_query = matches!(scan.before(hit.start), Some(b'?' | b'&' | b';'));
    in_query && any(&["badge", ".svg", "shields.io"]) || any(&["encrypteddata:"])
}
