//! Private keys in armour and out of it, and hashed passwords.

use super::{Span, json_value, stands_alone};
use crate::bytes::{B64, B64_ANY, B64_PAD, B64U, HEX_ANY, TextScan, distinct, find};
use crate::harmless::is_stand_in;
use crate::hit::LiteralHit;
use crate::limits::LOOK_AHEAD_MAX;
use crate::value::{Manner, is_secret};

/// How much base64 makes the body of a key; documentation quotes the header alone.
const KEY_BODY_LEN_MIN: usize = 40;

/// `-----BEGIN … PRIVATE KEY-----` and at least the start of a body. A cut-off body counts.
pub(crate) fn pem_key(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let begin = armour_begin(scan, hit.start)?;
    key_body(scan, hit.end).map(|end| begin..end)
}

/// The same for OpenSSH, and its body without a header.
pub(crate) fn openssh_key(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if scan.at(hit.start) == Some(b'O') {
        return pem_key(scan, hit);
    }
    if !stands_alone(scan, hit.start) {
        return None;
    }
    let len = scan.run(hit.start, B64, LOOK_AHEAD_MAX);
    (len >= 60).then_some(hit.start..hit.start + len)
}

/// Where the armour line of a key starts, if `at` is in one.
fn armour_begin(scan: &TextScan<'_>, at: usize) -> Option<usize> {
    let from = at.saturating_sub(48);
    let head = &scan.text[from..at];
    scan.count(head.len());
    let begin = (0..head.len().saturating_sub(5)).rev().find(|at| head[*at..].starts_with(b"BEGIN "))?;
    let words = &head[begin + 6..];
    let plain = words.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ');
    let dashes = head[..begin].trim_ascii_end().ends_with(b"----");
    (plain && dashes).then_some(from + begin)
}

/// Where the base64 after an armour line ends, if there is enough of it: at the line that closes the armour, or with the
/// last line of base64.
fn key_body(scan: &TextScan<'_>, after: usize) -> Option<usize> {
    let (mut at, mut base64_len, mut other_words) = (after, 0, 0);
    let end = (after + 1024).min(scan.text.len());
    while at < end && other_words <= 12 {
        let len = scan.run(at, B64_PAD, end - at);
        if len == 0 {
            if scan.has(at, "-----END") {
                break;
            }
            at += 1;
            continue;
        }
        // A literal `\n` between the lines leaves its letter at the head of the next run.
        let clean = !scan.at(at + len).is_some_and(|next| matches!(next, b'.' | b':' | b',' | b'\'' | b'?'));
        if len >= 20 && clean && distinct(&scan.text[at..at + len]) >= 6 {
            base64_len += len;
        } else {
            other_words += 1;
        }
        at += len;
        if base64_len >= KEY_BODY_LEN_MIN {
            return Some(body_end(scan, at));
        }
    }
    None
}

/// Where the body of a known secret ends.
fn body_end(scan: &TextScan<'_>, mut at: usize) -> usize {
    let rest = scan.up_to(at, LOOK_AHEAD_MAX);
    let closed = find(rest, "-----END").or_else(|| find(rest, "----END"));
    scan.count(closed.unwrap_or(rest.len()));
    if let Some(len) = closed {
        return at + len;
    }
    // The key was cut off: lines of base64 as long as they follow each other.
    loop {
        let between = scan
            .up_to(at, 8)
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace() || b"\\nr>|\"".contains(byte))
            .count();
        let len = scan.run(at + between, B64_PAD, LOOK_AHEAD_MAX);
        if len < 16 {
            return at;
        }
        at += between + len;
    }
}

/// `"private_key": "-----BEGIN …"`, as in the file of a service account.
pub(crate) fn service_account(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let at = json_value(scan, hit.end - 1)?;
    let begin = find(scan.line_from(at, 16), "-----BEGIN")? + at;
    key_body(scan, begin + 10).map(|end| begin..end)
}

/// `Private-Lines: 8` and base64 below it.
pub(crate) fn putty_key(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let count = scan.line_from(hit.end, 8);
    let number = count.trim_ascii();
    if number.is_empty() || !number.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let end = key_body(scan, hit.end + count.len())?;
    // The sum that seals it is below.
    let rest = scan.up_to(end, 400);
    let sealed = find(rest, "Private-MAC:").map(|at| end + at + scan.line_from(end + at, 120).len());
    Some(hit.start..sealed.unwrap_or(end))
}

/// The armour of an OpenVPN static key and hexadecimal lines below it.
pub(crate) fn openvpn_key(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let rest = scan.text.get(hit.end..)?;
    let rest = &rest[..rest.len().min(160)];
    scan.count(rest.len());
    let digits = rest.iter().skip(12).filter(|byte| byte.is_ascii_hexdigit()).count();
    let first = rest.iter().position(|byte| *byte == b'\n')? + 1;
    (digits >= 32 && scan.run(hit.end + first, HEX_ANY, 32) >= 16)
        .then(|| hit.start..body_end(scan, hit.end + rest.len()))
}

/// Base64 of an armour line that says PRIVATE KEY, in any of the three phases.
pub(crate) fn wrapped_key(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let len = scan.run(hit.start, B64_ANY, 120);
    let head = &scan.text[hit.start..hit.start + len];
    const PHASES: [&str; 3] = ["UFJJVkFURSBLRVkt", "QUklWQVRFIEtFWS0t", "FBSSVZBVEUgS0VZ"];
    (len >= 60 && PHASES.iter().any(|phase| find(head, phase).is_some()))
        .then(|| hit.start..hit.start + scan.run(hit.start, B64_ANY, LOOK_AHEAD_MAX))
}

/// `PrivateKey = ` and 32 bytes in base64.
pub(crate) fn wireguard_key(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let mut at = scan.skip_blanks(hit.end);
    if !matches!(scan.at(at), Some(b'=' | b':')) {
        return None;
    }
    at = scan.skip_blanks(at + 1);
    at += usize::from(matches!(scan.at(at), Some(b'"' | b'\'' | b'`')));
    let len = scan.run(at, B64, 44);
    (len == 43 && scan.at(at + len) == Some(b'=') && !is_stand_in(&scan.text[at..at + len]))
        .then_some(at..at + len + 1)
}

/// The private member of a JSON web key, with `kty` near it.
pub(crate) fn jwk(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let at = json_value(scan, hit.end - 1)?;
    let len = scan.run(at, B64U, LOOK_AHEAD_MAX);
    if len < 22 || scan.at(at + len) != Some(b'"') {
        return None;
    }
    let around = scan.around(&(at..at + len), 1500);
    let symmetric = scan.at(hit.start + 1) == Some(b'k');
    let telling = find(around, "\"kty\"").is_some() && (!symmetric || find(around, "\"oct\"").is_some());
    telling.then_some(at..at + len)
}

/// A hashed password: `$2b$12$…`, `$6$salt$…`, `$argon2id$…`. A reader that has it can test guesses.
pub(crate) fn password_hash(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let line = scan.line_from(hit.end, 260);
    let len =
        line.iter().take_while(|byte| B64_ANY.has(**byte) || matches!(byte, b'.' | b'$' | b',')).count();
    let tail = line[..len].rsplit(|byte| *byte == b'$').next()?;
    let tail = &tail[..tail.len() - tail.iter().rev().take_while(|byte| matches!(byte, b'.' | b',')).count()];
    (tail.len() >= 22 && distinct(tail) >= 10).then_some(hit.start..hit.end + len)
}

/// `{SSHA}…`: a hashed password of a directory.
pub(crate) fn directory_hash(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let len = scan.run(hit.end, B64_PAD, 100);
    (len >= 24 && !is_stand_in(&scan.text[hit.end..hit.end + len])).then_some(hit.start..hit.end + len)
}

/// `{PLAIN}…`: a password of a directory that is not hashed at all.
pub(crate) fn directory_plain(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let line = scan.line_from(hit.end, 80);
    let len =
        line.iter().take_while(|byte| byte.is_ascii_graphic() && !matches!(byte, b'`' | b'"' | b':')).count();
    (len >= 6 && is_secret(&line[..len], None, Manner::Placed)).then_some(hit.end..hit.end + len)
}

/// A secret key of minisign or signify, below its comment.
pub(crate) fn minisign_key(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let at = hit.end + scan.line_from(hit.end, 80).len() + 1;
    let len = scan.run(at, B64_PAD, 300);
    (len >= 60 && !is_stand_in(&scan.text[at..at + len])).then_some(at..at + len)
}
