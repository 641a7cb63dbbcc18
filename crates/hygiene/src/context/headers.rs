//! Headers of requests.

use super::{Span, closing_blanks, value_at};
use crate::bytes::{B64_ANY, BEARER, TextScan, find_folded};
use crate::decode::base64;
use crate::harmless::{is_placeholder, is_stand_in};
use crate::hit::LiteralHit;
use crate::value::{Manner, is_secret};

/// `Authorization: Bearer …`.
pub(crate) fn bearer(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if scan.before(hit.start).is_some_and(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let at = scan.skip_blanks(hit.end);
    let mut len = scan.run(at, BEARER, 4096);
    while len > 0 && scan.at(at + len - 1) == Some(b'.') {
        len -= 1;
    }
    let value = &scan.text[at..at + len.min(200)];
    if len < 16 || is_stand_in(value) || is_placeholder(value) {
        return None;
    }
    (len > 200 || is_secret(value, scan.at(at + len), Manner::Variable)).then_some(at..at + len)
}

/// `Authorization: …` with any scheme, or none: `token …`, `ApiKey …`, `Splunk …`, a bare key.
pub(crate) fn authorization(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let mut at = closing_blanks(scan, hit.end);
    // `Authorization: …`, `"Authorization": "…"`, `Authorization "…"` of a server's configuration.
    let quoted = matches!(scan.at(at), Some(b'"' | b'\''));
    if !quoted && !matches!(scan.at(at), Some(b':' | b'=' | b',')) {
        return None;
    }
    at = scan.skip_blanks(at + 1);
    at += usize::from(matches!(scan.at(at), Some(b'"' | b'\'' | b'`')));
    // These two have rows of their own.
    if scan.has_folded(at, "bearer ") || scan.has_folded(at, "basic ") {
        return None;
    }
    for _ in 0..2 {
        let scheme = scan
            .line_from(at, 24)
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
            .count();
        match scan.at(at + scheme) {
            Some(b' ') if scheme >= 2 => at = scan.skip_blanks(at + scheme + 1),
            // `Token token=…`.
            Some(b'=') if scan.has_folded(at, "token=") => at += scheme + 1,
            _ => break,
        }
    }
    at += usize::from(matches!(scan.at(at), Some(b'"' | b'\'')));
    let mut len = scan.run(at, BEARER, 400);
    if scan.at(at + len) == Some(b':') {
        len += 1 + scan.run(at + len + 1, BEARER, 400);
    }
    let value = &scan.text[at..at + len.min(200)];
    if len < 16 || is_stand_in(value) || is_placeholder(value) {
        return None;
    }
    (len > 200 || is_secret(value, scan.at(at + len), Manner::Variable)).then_some(at..at + len)
}

/// `Authorization: Basic …`, where the base64 is `user:password`.
pub(crate) fn basic(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let at = scan.skip_blanks(hit.end);
    let len = scan.run(at, B64_ANY, 400);
    (len >= 8 && is_login(&scan.text[at..at + len])).then_some(at..at + len)
}

/// Whether base64 hides `user:password`.
pub(super) fn is_login(text: &[u8]) -> bool {
    let plain = base64(text, 256);
    let Some(colon) = plain.iter().position(|byte| *byte == b':') else { return false };
    let (user, password) = (&plain[..colon], &plain[colon + 1..]);
    let readable = plain.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ');
    readable && !user.is_empty() && password.len() >= 3 && password != user && !is_placeholder(password)
}

/// `X-API-Key: …` and its relatives.
pub(crate) fn api_key(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let at = closing_blanks(scan, hit.end);
    if !matches!(scan.at(at), Some(b':' | b'=' | b',')) {
        return None;
    }
    let value = value_at(scan, scan.skip_blanks(at + 1))?;
    let text = value.text(scan);
    let plain = text.iter().all(|byte| BEARER.has(*byte));
    let named = find_folded(text, "key").is_some() && text.iter().all(|byte| !byte.is_ascii_digit());
    (plain && !named && is_secret(text, value.next(scan), Manner::Variable)).then_some(value.span)
}

/// `Cookie: name=…`: every cookie whose value is random.
pub(crate) fn cookies(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let line = scan.line_from(hit.end, 400);
    let mut at = 0;
    for pair in line.split(|byte| *byte == b';') {
        let sign = pair.iter().position(|byte| *byte == b'=');
        if let Some(sign) = sign {
            let value = pair[sign + 1..].trim_ascii();
            let value = &value
                [..value.iter().position(|byte| matches!(byte, b'"' | b'\'' | b' ')).unwrap_or(value.len())];
            let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
            if value.len() >= 16
                && digits >= 2
                && !is_stand_in(value)
                && is_secret(value, None, Manner::Variable)
            {
                let start = hit.end + at + sign + 1;
                return Some(start..start + value.len());
            }
        }
        at += pair.len() + 1;
    }
    None
}
