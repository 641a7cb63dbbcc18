//! Keys without a shape of their own, beside the name of the service they belong to.

use super::Span;
use crate::bytes::{B36, B64U, DIGIT, HEX, HEX_ANY, Set, TextScan, find_folded};
use crate::harmless::is_stand_in;
use crate::hit::LiteralHit;
use std::ops::Range;

const REACH: usize = 96;

pub(crate) fn datadog(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    beside(scan, hit, |scan, at| run_of(scan, at, HEX, &[32, 40]))
}

pub(crate) fn hex32(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    beside(scan, hit, |scan, at| run_of(scan, at, HEX, &[32]))
}

pub(crate) fn hex40(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    beside(scan, hit, |scan, at| run_of(scan, at, HEX, &[40]))
}

pub(crate) fn cloudflare(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    beside(scan, hit, |scan, at| {
        let digits = |end: &usize| scan.text[at..*end].iter().any(|byte| DIGIT.has(*byte));
        run_of(scan, at, HEX, &[37]).or_else(|| run_of(scan, at, B64U, &[40]).filter(digits))
    })
}

pub(crate) fn uuid(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    beside(scan, hit, |scan, mut at| {
        for (part, len) in [8, 4, 4, 4, 12].into_iter().enumerate() {
            if part > 0 {
                at = (scan.at(at) == Some(b'-')).then_some(at + 1)?;
            }
            at = (scan.run(at, HEX_ANY, len + 1) == len).then_some(at + len)?;
        }
        Some(at)
    })
}

pub(crate) fn azure_devops(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    beside(scan, hit, |scan, at| {
        let plain =
            |end: &usize| !scan.text[at..*end].iter().any(|byte| matches!(byte, b'0' | b'1' | b'8' | b'9'));
        run_of(scan, at, B36, &[52]).filter(plain)
    })
}

pub(crate) fn okta(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    beside(scan, hit, |scan, at| if scan.has(at, "00") { run_of(scan, at, B64U, &[42]) } else { None })
}

pub(crate) fn vault(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    beside(scan, hit, |scan, at| {
        if !scan.has(at, "s.") {
            return None;
        }
        let len = scan.run(at + 2, B64U, 27);
        let mixed = scan.text[at..at + 2 + len].iter().any(u8::is_ascii_uppercase);
        ((24..=26).contains(&len) && mixed).then_some(at + 2 + len)
    })
}

/// Finds a value of a shape on the rest of the line, provided a word for "key" is between or before.
fn beside(
    scan: &TextScan<'_>,
    hit: LiteralHit,
    shape: impl Fn(&TextScan<'_>, usize) -> Option<usize>,
) -> Option<Range<usize>> {
    let line = scan.line_from(hit.start, REACH);
    let own = hit.end - hit.start;
    let key = ["key", "token", "secret", "auth", "pat", "login", "ssws"]
        .iter()
        .filter_map(|word| find_folded(line, word))
        .min()?;
    let mut at = own.min(key + 2);
    while at < line.len() {
        let here = line[at];
        let opens = at > key
            && matches!(line[at - 1], b' ' | b'=' | b':' | b'"' | b'\'' | b'`' | b'|' | b'\t' | b'(');
        if opens
            && here.is_ascii_alphanumeric()
            && let Some(end) = shape(scan, hit.start + at)
        {
            let span = hit.start + at..end;
            let free = scan.ends_at(end) && !matches!(scan.at(end), Some(b'_'));
            return (free && !is_stand_in(&scan.text[span.clone()])).then_some(span);
        }
        at += 1;
    }
    None
}

fn run_of(scan: &TextScan<'_>, at: usize, set: Set, lens: &[usize]) -> Option<usize> {
    let len = scan.run(at, set, lens.iter().max().map_or(0, |max| max + 1));
    lens.contains(&len).then_some(at + len)
}
