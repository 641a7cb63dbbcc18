//! Tables with a column of passwords: Markdown, comma-separated and tab-separated.

use super::Span;
use super::names;
use crate::bytes::TextScan;
use crate::hit::LiteralHit;
use crate::value::{Manner, is_secret};
use std::ops::Range;

/// How much of a table is read for one column.
const TABLE_LEN_MAX: usize = 4096;

/// The cells below a heading that says "password", from the first secret to the last.
pub(crate) fn column(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    // A heading is the last word of its cell: `| API key |`, `,password\n`.
    if names::next_byte(scan, hit)
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'=' | b'(' | b'.' | b'-'))
    {
        return None;
    }
    let end = names::at(scan, hit).map_or(hit.end, |name| name.end);
    let closed = scan.skip_blanks(super::closers_end(scan, end));
    let sign = match scan.at(closed) {
        Some(sign @ (b'|' | b',' | b'\t')) => Some(sign),
        None | Some(b'\n' | b'\r') => None,
        _ => return None,
    };
    let start = line_start(scan, hit.start)?;
    let heading = scan.line_from(start, 400);
    let bar = scan.at(scan.skip_blanks(start)) == Some(b'|') || sign == Some(b'|');
    let sign = if bar {
        b'|'
    } else {
        sign.or_else(|| [b',', b'\t'].into_iter().find(|sign| heading.contains(sign)))?
    };
    let place = scan.text[start..hit.start].iter().filter(|byte| **byte == sign).count();
    let below = start + heading.len();
    if bar { markdown(scan, start, below, place) } else { separated(scan, start, below, place, sign) }
}

/// Where the line of `at` starts, if that is near.
fn line_start(scan: &TextScan<'_>, at: usize) -> Option<usize> {
    let from = at.saturating_sub(256);
    let before = &scan.text[from..at];
    let line = before.iter().rposition(|byte| *byte == b'\n');
    scan.count(before.len() - line.unwrap_or(0));
    match line {
        Some(line) => Some(from + line + 1),
        None => (from == 0).then_some(0),
    }
}

fn markdown(scan: &TextScan<'_>, start: usize, below: usize, place: usize) -> Span {
    // Only the first line of a table is its heading, and a rule follows it.
    let rule_at = next_line(scan, below)?;
    let rule = scan.line_from(rule_at, 400);
    let ruled =
        rule.contains(&b'-') && rule.contains(&b'|') && rule.iter().all(|byte| b"|-: \t".contains(byte));
    if !ruled
        || start > 1 && scan.line_from(line_start(scan, start - 1)?, 8).trim_ascii_start().starts_with(b"|")
    {
        return None;
    }
    rows(scan, rule_at + rule.len(), b'|', place, |line| line.contains(&b'|'))
}

fn separated(scan: &TextScan<'_>, start: usize, below: usize, place: usize, sign: u8) -> Span {
    let heading = &scan.text[start..below];
    let columns = heading.iter().filter(|byte| **byte == sign).count();
    let named = heading.split(|byte| *byte == sign).all(|cell| {
        let cell = cell.trim_ascii();
        !cell.is_empty()
            && cell.len() <= 32
            && cell.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_- \"'".contains(byte))
            && cell.iter().filter(|byte| **byte == b' ').count() <= 2
    });
    if columns == 0 || !named {
        return None;
    }
    // Only the first line of a table is its heading.
    if let Some(above) = start.checked_sub(1).and_then(|end| line_start(scan, end))
        && scan.line_from(above, 400).iter().filter(|byte| **byte == sign).count() == columns
    {
        return None;
    }
    rows(scan, below, sign, place, |line| line.iter().filter(|byte| **byte == sign).count() == columns)
}

/// The secrets of one column, as one span.
fn rows(scan: &TextScan<'_>, mut at: usize, sign: u8, place: usize, is_row: impl Fn(&[u8]) -> bool) -> Span {
    let end = at + TABLE_LEN_MAX;
    let mut found: Option<Range<usize>> = None;
    while at < end {
        let Some(line_at) = next_line(scan, at) else { break };
        let line = scan.line_from(line_at, 1000);
        if !is_row(line) {
            break;
        }
        let cells = cell(line, sign, place);
        if let Some(cell) = cells {
            let span = line_at + cell.start..line_at + cell.end;
            if is_secret(&scan.text[span.clone()], None, Manner::Spoken)
                || is_weak_cell(&scan.text[span.clone()])
            {
                found = Some(found.map_or(span.clone(), |first| first.start..span.end));
            }
        }
        at = line_at + line.len();
    }
    found
}

/// A password that would not be recognised in a sentence, in a cell of its own.
fn is_weak_cell(cell: &[u8]) -> bool {
    is_secret(cell, None, Manner::Password)
}

/// The text of a cell without its blanks, quotes and marks.
fn cell(line: &[u8], sign: u8, place: usize) -> Option<Range<usize>> {
    let mut start = 0;
    for _ in 0..place {
        start += line[start..].iter().position(|byte| *byte == sign)? + 1;
    }
    let end = line[start..].iter().position(|byte| *byte == sign).map_or(line.len(), |len| start + len);
    let is_mark = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'*');
    let first = line[start..end].iter().position(|byte| !is_mark(byte))? + start;
    let last = line[start..end].iter().rposition(|byte| !is_mark(byte))? + start;
    Some(first..last + 1)
}

fn next_line(scan: &TextScan<'_>, at: usize) -> Option<usize> {
    match scan.at(at)? {
        b'\r' => Some(at + 1 + usize::from(scan.at(at + 1) == Some(b'\n'))),
        b'\n' => Some(at + 1),
        _ => None,
    }
}
