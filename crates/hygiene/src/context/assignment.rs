//! `password = …`, `"token": "…"`, `ENV DB_PASSWORD …`, `--client-secret …`: a value right behind its name.
//!
//! Most false alarms come from here, so the name, the separator and the value are each judged.

use super::environment::{is_word_of_directive, is_word_of_variable};
use super::line_end::ends_line;
use super::names::{self, Name};
use super::{NAME_JOINERS, RawValue, Span, closers_end, skip_to_value, value_at};
use crate::bytes::{B62, B64_ANY, HEX_ANY, TextScan, find_folded};
use crate::harmless::{is_placeholder, is_stand_in, is_uuid};
use crate::hit::LiteralHit;
use crate::limits::VALUE_LEN_MAX;
use crate::value::{Manner, is_secret};
use crate::value_traits::{ValueTraits, is_wordy};

/// Words before a name, after which a blank alone separates it from its value.
const DIRECTIVES: &[&str] = &[
    "setenv",
    "set -gx",
    "set -x",
    "set -ux",
    "set -xg",
    "set -lx",
    "setx",
    "env",
    "arg",
    "config set",
    "#define",
    "secret put",
    "secrets set",
    "variable set",
    "config:set",
    "--secret",
];

/// `name = value` in any notation.
pub(crate) fn assigned(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let name = names::at(scan, hit)?;
    let closed = closers_end(scan, name.end);
    let at = scan.skip_blanks(closed);
    let Some(separated) = separator_end(scan, hit, &name, closed, at) else {
        return directive(scan, hit, &name).or_else(|| option(scan, &name)).or_else(|| setting(scan, &name));
    };
    let mut at = skip_to_value(scan, separated);
    at = after_type(scan, at).unwrap_or(at);
    at = after_yaml_marks(scan, at);
    let (value, below) = match value_at(scan, at) {
        Some(value) if !continues_below(scan, at) => (value, false),
        _ if matches!(scan.before(separated), Some(b':' | b'=' | b'>')) => (value_below(scan, at)?, true),
        _ => return None,
    };
    let manner = if below { strict(&name) } else { manner(scan, hit, &name, closed, separated, &value) };
    let found = is_secret(value.text(scan), value.next(scan), manner)
        || !below && is_word_of_variable(scan, hit, &name, separated, &value);
    (found && !is_published(scan, hit)).then_some(value.span)
}

/// Where the separator behind a name ends.
fn separator_end(
    scan: &TextScan<'_>,
    hit: LiteralHit,
    name: &Name,
    closed: usize,
    at: usize,
) -> Option<usize> {
    let word = &scan.text[hit.start..hit.end];
    let bare_pass = word.len() == 4 && name.start == hit.start;
    let end = match (scan.at(at)?, scan.at(at + 1)) {
        // `Password:: value` of AsciiDoc; a path of code has no blank behind it.
        (b':', Some(b':')) if scan.at(at + 2) == Some(b' ') && starts_line(scan, name.start) => at + 2,
        (b':', Some(b':')) => return None,
        // A part of an address with colons: `arn:…:secret:name`.
        (b':', _)
            if scan.before(hit.start) == Some(b':')
                && !starts_line(scan, name.start - 1)
                && !is_module(scan, hit.start, at) =>
        {
            return None;
        }
        // `PASS: name of a test`.
        (b':', _) if bare_pass && word == b"PASS" => return None,
        (b':' | b'=' | b'!' | b'?' | b'+', Some(b'=')) => at + 2,
        (b'=' | b'-', Some(b'>')) => at + 2,
        // The value that is used if the variable is not set.
        (b'|', Some(b'|')) | (b'?', Some(b'?'))
            if matches!(scan.at(scan.skip_blanks(at + 2)), Some(b'"' | b'\'' | b'`')) =>
        {
            at + 2
        }
        (b':' | b'=', _) => at + 1,
        (b',', _) if closed > name.end && !bare_pass => at + 1,
        (b'.', Some(b'.')) if scan.has(at, "...") => {
            at + scan.text[at..].iter().take(40).take_while(|byte| **byte == b'.').count()
        }
        _ => return None,
    };
    Some(end + usize::from(scan.at(end) == Some(b'=')))
}

/// `profile::db::password: …`: the colons join parts of a name, and a blank follows the one that ends it.
fn is_module(scan: &TextScan<'_>, start: usize, at: usize) -> bool {
    start >= 2 && scan.has(start - 2, "::") && matches!(scan.at(at + 1), Some(b' '))
}

/// How a value behind a name is judged: a variable, a line of a file and a pair of JSON leave little doubt.
fn manner(
    scan: &TextScan<'_>,
    hit: LiteralHit,
    name: &Name,
    closed: usize,
    separated: usize,
    value: &RawValue,
) -> Manner {
    let quoted_pair =
        closed > name.end && value.quoted && matches!(scan.before(separated), Some(b':' | b'>'));
    let literal = value.quoted && matches!(scan.before(separated), Some(b'=' | b':' | b'>' | b','));
    let sure = name.shouted || literal || is_option(scan, name) || is_config_line(scan, name, value);
    let bare_pass = hit.end - hit.start == 4 && name.start == hit.start;
    match (name.by_hand, sure) {
        (true, true) if !bare_pass => Manner::Placed,
        (true, _) => Manner::Password,
        (false, _)
            if name.shouted
                || quoted_pair
                || is_option(scan, name)
                || is_header(scan, name)
                || scan.has_folded(hit.start, "api") =>
        {
            Manner::Variable
        }
        (false, _) => Manner::Token,
    }
}

fn strict(name: &Name) -> Manner {
    if name.by_hand { Manner::Password } else { Manner::Token }
}

/// Whether a line has only a name and its value.
fn is_config_line(scan: &TextScan<'_>, name: &Name, value: &RawValue) -> bool {
    starts_line(scan, name.start) && ends_line(scan, value.end_of_quotes())
}

/// Whether only indentation, a list mark or a word such as `export` is before `at` on its line.
fn starts_line(scan: &TextScan<'_>, at: usize) -> bool {
    let from = at.saturating_sub(32);
    let before = &scan.text[from..at];
    scan.count(before.len());
    let head = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(before, |line| &before[line + 1..])
        .trim_ascii();
    const HEADS: &[&str] = &[
        "", "-", "*", "+", "#", "//", "export", "set", "\"", "'", "- \"", "`", "**", "- **", "* **", "ARG",
        "ENV", "- `",
    ];
    HEADS.iter().any(|known| head == known.as_bytes())
}

/// `setenv NAME value`, `ENV NAME value`: a directive is before the name.
fn directive(scan: &TextScan<'_>, hit: LiteralHit, name: &Name) -> Span {
    if !matches!(scan.at(name.end), Some(b' ' | b'\t')) {
        return None;
    }
    let from = name.start.saturating_sub(24);
    let before = scan.text[from..name.start].trim_ascii_end();
    scan.count(24);
    DIRECTIVES.iter().find(|word| {
        before.len() >= word.len()
            && before[before.len() - word.len()..].eq_ignore_ascii_case(word.as_bytes())
            && before.len().checked_sub(word.len() + 1).is_none_or(|at| !before[at].is_ascii_alphanumeric())
    })?;
    let value = value_at(scan, scan.skip_blanks(name.end))?;
    let manner = if name.by_hand { Manner::Placed } else { Manner::Variable };
    let found = is_secret(value.text(scan), value.next(scan), manner)
        || is_word_of_directive(scan, hit, name, &value);
    found.then_some(value.span)
}

/// `--client-secret value`, `-storepass value`.
fn option(scan: &TextScan<'_>, name: &Name) -> Span {
    if scan.at(name.end) != Some(b' ') || !is_option(scan, name) {
        return None;
    }
    let value = value_at(scan, scan.skip_blanks(name.end))?;
    let text = value.text(scan);
    let elsewhere = ["-", "file:", "env:"].iter().any(|head| text.starts_with(head.as_bytes()));
    let manner = if name.by_hand { Manner::Placed } else { Manner::Variable };
    (!elsewhere && is_secret(text, value.next(scan), manner)).then_some(value.span)
}

/// `fs.s3a.secret.key value`: a line of settings without a sign between.
fn setting(scan: &TextScan<'_>, name: &Name) -> Span {
    let dotted = scan.text[name.start..name.end].iter().filter(|byte| **byte == b'.').count() >= 2;
    if !dotted || !matches!(scan.at(name.end), Some(b' ' | b'\t')) || !starts_line(scan, name.start) {
        return None;
    }
    let value = value_at(scan, scan.skip_blanks(name.end))?;
    (ends_line(scan, value.end_of_quotes()) && is_secret(value.text(scan), value.next(scan), strict(name)))
        .then_some(value.span)
}

/// Whether a name is an option of a command: its first byte is a hyphen behind a blank.
fn is_option(scan: &TextScan<'_>, name: &Name) -> bool {
    scan.at(name.start) == Some(b'-')
        && matches!(scan.before(name.start), None | Some(b' ' | b'\n' | b'\t' | b'`' | b'"' | b'\''))
}

/// Whether a name is that of a header: `X-Consul-Token`.
fn is_header(scan: &TextScan<'_>, name: &Name) -> bool {
    scan.has_folded(name.start, "x-")
}

/// `token: String = …`: where the value starts behind a type.
fn after_type(scan: &TextScan<'_>, at: usize) -> Option<usize> {
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

/// Skips the anchor and the tag of a YAML value: `&name`, `!!str`.
fn after_yaml_marks(scan: &TextScan<'_>, mut at: usize) -> usize {
    for _ in 0..2 {
        if !matches!(scan.at(at), Some(b'&' | b'!')) {
            break;
        }
        let word = scan
            .line_from(at, 24)
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"&!_-".contains(byte))
            .count();
        if scan.at(at + word) != Some(b' ') {
            break;
        }
        at = scan.skip_blanks(at + word);
    }
    at
}

/// Whether a line ends here and its value is below: nothing, a backslash, or the mark of a block of YAML.
fn continues_below(scan: &TextScan<'_>, at: usize) -> bool {
    matches!(scan.line_from(at, 4).trim_ascii(), b"" | b"\\" | b"|" | b"|-" | b"|+" | b">" | b">-" | b">+")
}

/// The value on the next line, if it is indented and alone.
fn value_below(scan: &TextScan<'_>, at: usize) -> Option<RawValue> {
    if !continues_below(scan, at) {
        return None;
    }
    let line = at + scan.line_from(at, 4).len();
    let next = line + 1 + usize::from(scan.has(line, "\r\n"));
    let start = scan.skip_blanks(next);
    if start == next || !matches!(scan.at(line), Some(b'\n' | b'\r')) {
        return None;
    }
    let value = value_at(scan, start)?;
    ends_line(scan, value.end_of_quotes()).then_some(value)
}

/// `STRIPE_KEY=…`, `hmac-key: …`: a key of any name, if the value can only be random.
pub(crate) fn named_key(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    const HARMLESS: &[&str] = &[
        "public",
        "pub",
        "publishable",
        "primary",
        "foreign",
        "cache",
        "partition",
        "sort",
        "idempotency",
        "verify",
        "verifying",
        "object",
        "host",
        "known",
        "routing",
        "row",
        "group",
        "lookup",
        "index",
        "map",
        "dedup",
        "site",
        "anon",
        "file",
        "restore",
        "translation",
        "i18n",
        "license",
        "registry",
        "hash",
        "unique",
        "natural",
        "composite",
        "range",
        "search",
        "storage",
        "ssh",
        "fingerprint",
        "gpg",
        "pgp",
        "signed",
        "trusted",
        "maven",
        "install",
        "product",
        "issue",
        "project",
        "jira",
        "shard",
        "bucket",
        "config",
        "setting",
        "feature",
        "flag",
        "env",
        "hot",
        "short",
        "arrow",
        "hkey",
        "registry",
        "recaptcha",
        "app",
    ];
    let start = hit.start - {
        let back = &scan.text[hit.start.saturating_sub(40)..hit.start];
        scan.count(back.len());
        back.iter().rev().take_while(|byte| B62.has(**byte) || NAME_JOINERS.contains(byte)).count()
    };
    let head = &scan.text[start..hit.start];
    let app_key = head.eq_ignore_ascii_case(b"app") && scan.has(start, "APP_KEY");
    if head.is_empty() && scan.at(hit.start) != Some(b'S')
        || !app_key
            && head
                .split(|byte| NAME_JOINERS.contains(byte))
                .any(|part| HARMLESS.iter().any(|word| part.eq_ignore_ascii_case(word.as_bytes())))
    {
        return None;
    }
    let at = if scan.before(hit.end) == Some(b'=') {
        hit.end - 1
    } else {
        scan.skip_blanks(closers_end(scan, hit.end))
    };
    if !matches!(scan.at(at), Some(b'=' | b':')) || scan.at(at + 1) == Some(b':') {
        return None;
    }
    let value = value_at(scan, skip_to_value(scan, at + 1))?;
    let text = value.text(scan);
    let text = text.strip_prefix(b"base64:").unwrap_or(text);
    // `FAL_KEY=id:secret`: the part behind the colon is the key.
    let text = text.iter().position(|byte| *byte == b':').map_or(text, |colon| &text[colon + 1..]);
    let secret_id = scan.has(hit.start, "SECRET_ID") && is_uuid(text) && !is_stand_in(text);
    (secret_id || is_key_material(text, value.next(scan))).then_some(value.span)
}

/// Whether a value is random beyond doubt: a long row of hexadecimal, or of base64 with everything in it.
fn is_key_material(text: &[u8], next: Option<u8>) -> bool {
    if text.len() < 20
        || text.len() > VALUE_LEN_MAX
        || is_placeholder(text)
        || is_stand_in(text)
        || matches!(next, Some(b'(' | b'[' | b'{'))
    {
        return false;
    }
    if text.iter().all(|byte| HEX_ANY.has(*byte)) {
        return text.len() >= 32;
    }
    let looks = ValueTraits::of(text);
    let plain = text.iter().all(|byte| B64_ANY.has(*byte));
    let everything = (looks.digits >= 1 || looks.flips >= 6) && looks.lower >= 3 && looks.upper >= 3;
    !is_uuid(text) && plain && everything && !is_wordy(text, &looks) && is_secret(text, next, Manner::Token)
}

/// The token of a badge's image is published on purpose, and so is what a sealed secret holds.
pub(super) fn is_published(scan: &TextScan<'_>, hit: LiteralHit) -> bool {
    let from = hit.start.saturating_sub(120);
    scan.count(hit.start - from);
    let before = &scan.text[from..hit.start];
    let any = |words: &[&str]| words.iter().any(|word| find_folded(before, word).is_some());
    let in_query = matches!(scan.before(hit.start), Some(b'?' | b'&' | b';'));
    in_query && any(&["badge", ".svg", "shields.io"]) || any(&["encrypteddata:"])
}
