//! Keys of clouds.

use super::{Span, has_head};
use crate::bytes::{B62, B64, B64_PAD, B64U, OPAQUE, Set, TextScan, distinct, find};
use crate::harmless::{is_placeholder, is_stand_in};
use crate::hit::LiteralHit;

/// Forty characters of base64 after the name of an AWS secret.
pub(crate) fn aws_secret(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let mut at = hit.end;
    while at < hit.end + 12
        && matches!(
            scan.at(at),
            Some(b'"' | b'\'' | b'`' | b'*' | b' ' | b'\t' | b'=' | b':' | b'|' | b'>' | b'\\')
        )
    {
        at += 1;
    }
    if scan.has(at, "is ") {
        at += 3;
    }
    at += usize::from(matches!(scan.at(at), Some(b'"' | b'\'' | b'`')));
    let len = scan.run(at, B64, 41);
    let body = &scan.text[at..at + len];
    (len == 40 && distinct(body) >= 10 && !is_placeholder_key(body)).then_some(at..at + len)
}

/// A documented sample is refused like a real one; a row of x or a name is not.
fn is_placeholder_key(body: &[u8]) -> bool {
    is_stand_in(body) || body.iter().all(|byte| byte.is_ascii_uppercase())
}

/// `"type": "authorized_user"` with a refresh token beside it.
pub(crate) fn google_user(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let from = hit.start.saturating_sub(600);
    let around = scan.around(&(hit.start..hit.end), 600);
    let at = find(around, "\"refresh_token\"")?;
    let value = &around[at + 15..];
    let open = value.iter().take(8).position(|byte| *byte == b'"')? + 1;
    let len = value[open..].iter().take(200).take_while(|byte| **byte != b'"').count();
    let start = from + at + 15 + open;
    (len >= 20 && !is_placeholder(&value[open..open + len])).then_some(start..start + len)
}

/// 64 bytes in base64 after `AccountKey=`.
pub(crate) fn azure_account(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let mut at = hit.end;
    while at < hit.end + 6 && matches!(scan.at(at), Some(b'"' | b'\'' | b' ' | b':')) {
        at += 1;
    }
    let len = scan.run(at, B64, 90);
    (len >= 80 && !is_stand_in(&scan.text[at..at + len])).then_some(at..at + len)
}

/// 32 bytes in base64 after `SharedAccessKey=`.
pub(crate) fn azure_shared(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let len = scan.run(hit.end, B64, 90);
    (len >= 40 && !is_stand_in(&scan.text[hit.end..hit.end + len])).then_some(hit.end..hit.end + len)
}

/// 64-byte keys: a mark after 76 characters, two padding signs at the end.
pub(crate) fn azure_64(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let (back, ahead) = around_mark(scan, hit, B64, 76, 6)?;
    (ahead >= 5 && scan.has(hit.end + ahead, "==")).then_some(back..hit.end + ahead + 2)
}

/// 32-byte keys: a mark after 33 characters, one padding sign at the end.
pub(crate) fn azure_32(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let (back, ahead) = around_mark(scan, hit, B64, 33, 6)?;
    let version = scan.at(hit.end).is_some_and(|byte| (b'A'..=b'P').contains(&byte));
    (ahead == 6 && version && scan.at(hit.end + ahead) == Some(b'=')).then_some(back..hit.end + ahead + 1)
}

/// Registry, search and functions keys: a mark after 42 or 44 characters.
pub(crate) fn azure_other(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let head = if scan.has(hit.start, "AzFu") { 44 } else { 42 };
    let set = if scan.at(hit.start) == Some(b'+') { B64 } else { B64U };
    let (back, ahead) = around_mark(scan, hit, set, head, 12)?;
    (5..=12).contains(&ahead).then_some(back..hit.end + ahead)
}

/// The common annotated form: a mark after 52 characters, 84 in all.
pub(crate) fn azure_annotated(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let (back, ahead) = around_mark(scan, hit, B62, 52, 40)?;
    (24..=34).contains(&ahead).then_some(back..hit.end + ahead)
}

/// Where a token with its mark at a fixed place starts, and how many characters follow the mark.
fn around_mark(
    scan: &TextScan<'_>,
    hit: LiteralHit,
    set: Set,
    head: usize,
    tail_max: usize,
) -> Option<(usize, usize)> {
    if !has_head(scan, hit.start, set, head) || distinct(&scan.text[hit.start - head..hit.start]) < 6 {
        return None;
    }
    let tail = scan.run(hit.end, set, tail_max + 1);
    (tail <= tail_max).then_some((hit.start - head, tail))
}

/// An Azure client secret: three characters, `7Q~` or `8Q~`, thirty-odd more.
pub(crate) fn azure_client(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let start = hit.start.checked_sub(3)?;
    if !scan.starts_at(start) || !scan.text[start..hit.start].iter().all(|byte| OPAQUE.has(*byte)) {
        return None;
    }
    let mut len = scan.run(hit.end, OPAQUE, 40);
    while len > 31 && matches!(scan.at(hit.end + len - 1), Some(b'.' | b'-')) {
        len -= 1;
    }
    ((31..=36).contains(&len) && !is_stand_in(&scan.text[hit.end..hit.end + len]))
        .then_some(start..hit.end + len)
}

/// `sig=` with 32 bytes in base64, beside two other parameters of a shared access signature.
pub(crate) fn azure_sas(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if !matches!(scan.before(hit.start), None | Some(b'?' | b'&' | b';' | b' ' | b'"' | b'\'')) {
        return None;
    }
    let rest = scan.line_from(hit.end, 90);
    let len = rest.iter().take_while(|byte| B64_PAD.has(**byte) || **byte == b'%').count();
    if len < 43 {
        return None;
    }
    let around = scan.around(&(hit.start..hit.end + len), 300);
    let telling =
        ["se=", "sv=", "sp=", "sr=", "st="].iter().filter(|name| find(around, name).is_some()).count();
    (telling >= 2 && !is_stand_in(&rest[..len])).then_some(hit.end..hit.end + len)
}

/// Firebase: eleven characters, the mark, a hundred and more.
pub(crate) fn firebase(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let head = scan.run_back(hit.start, B64U, 12);
    let len = scan.run(hit.end, B64U, 400);
    (head >= 11 && len >= 100 && !is_stand_in(&scan.text[hit.end..hit.end + len]))
        .then(|| hit.start - 11..hit.end + len)
}
