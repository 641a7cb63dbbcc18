//! A name in one field and its value in another: `name: DB_PASSWORD` and `value: …`, `<password>…</password>`,
//! `variable "db_password" { default = … }`, a form that is filled in.

use super::names::{self, Name};
use super::{RawValue, Span, value_at};
use crate::bytes::{TextScan, find, find_folded};
use crate::hit::LiteralHit;
use crate::value::{Manner, is_secret};
use std::ops::Range;

/// How far a value may be from its name.
const REACH: usize = 160;
/// Names of the field that holds the value. A longer one comes before its own ending.
const VALUE_FIELDS: &[&str] = &[
    "parametervalue",
    "defaultvalue",
    "default_value",
    "default",
    "value",
    "content",
    "--value",
    "--body",
    "stringvalue",
];
/// Calls that fill in a field of a form.
const FILLING_CALLS: &[&str] = &[
    "send_keys(",
    "sendkeys(",
    ".type(",
    ".fill(",
    "setvalue(",
    "set_value(",
    ".val(",
    "input_text(",
    "fill_in(",
];

/// A value in another field than its name.
pub(crate) fn paired(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    // In a sentence a blank follows, and no sign of a structure.
    let next = names::next_byte(scan, hit);
    if matches!(next, Some(b' '))
        && !matches!(scan.at(hit.end + 1), Some(b'-'))
        && scan.before(hit.start) != Some(b'<')
        || !matches!(next, None | Some(b'>' | b'<' | b'"' | b'\'' | b'\n' | b'\r' | b':' | b' '))
    {
        return None;
    }
    let name = names::at(scan, hit)?;
    match scan.at(name.end).unwrap_or(b'\n') {
        b'>' | b'<' => element(scan, &name),
        b'"' | b'\'' => element(scan, &name)
            .or_else(|| field(scan, &name))
            .or_else(|| filled(scan, &name))
            .or_else(|| field_before(scan, &name)),
        b'\n' | b'\r' => field(scan, &name).or_else(|| field_before(scan, &name)),
        // The fields of the name are below it.
        b':' if matches!(scan.at(scan.skip_blanks(name.end + 1)), Some(b'\n' | b'\r')) => field(scan, &name),
        b' ' if scan.at(name.end + 1) == Some(b'-') => field(scan, &name),
        b' ' => attribute(scan, &name),
        _ => None,
    }
}

fn judged(scan: &TextScan<'_>, name: &Name, value: RawValue) -> Span {
    let manner = if name.by_hand { Manner::Placed } else { Manner::Variable };
    let text = value.text(scan);
    is_secret(text, value.next(scan), manner).then_some(value.span)
}

/// `<password>…</password>`, `<property name="password"><value>…</value>`, `<key>Password</key><string>…</string>`.
fn element(scan: &TextScan<'_>, name: &Name) -> Span {
    let mut at = name.end + usize::from(matches!(scan.at(name.end), Some(b'"' | b'\'')));
    if scan.at(at) == Some(b'>') {
        at += 1;
    } else if scan.at(at) != Some(b'<') {
        return None;
    }
    text_of_element(scan, at).and_then(|span| judged(scan, name, RawValue { span, quoted: true }))
}

/// `<Pass encoding="base64">…</Pass>`: an element with attributes.
fn attribute(scan: &TextScan<'_>, name: &Name) -> Span {
    if scan.before(name.start) != Some(b'<') {
        return None;
    }
    let line = scan.line_from(name.end, 60);
    let close = line.iter().position(|byte| *byte == b'>')?;
    (line[close - 1] != b'/').then_some(())?;
    text_of_element(scan, name.end + close + 1)
        .and_then(|span| judged(scan, name, RawValue { span, quoted: true }))
}

/// The first text behind tags, if a tag follows it.
fn text_of_element(scan: &TextScan<'_>, mut at: usize) -> Option<Range<usize>> {
    for _ in 0..3 {
        at = skip_white(scan, at);
        if scan.at(at) != Some(b'<') {
            break;
        }
        if scan.has(at, "<![CDATA[") {
            at += 9;
            break;
        }
        let tag = scan.line_from(at, 60);
        at += tag.iter().position(|byte| *byte == b'>')? + 1;
    }
    let line = scan.line_from(at, 200);
    let len = line.iter().position(|byte| *byte == b'<')?;
    let text = line[..len].trim_ascii_end();
    let text = text.strip_suffix(b"]]>").unwrap_or(text);
    // A blank that does not break is a blank.
    (!text.is_empty() && find(text, "\u{a0}").is_none()).then(|| at..at + text.len())
}

fn skip_white(scan: &TextScan<'_>, mut at: usize) -> usize {
    let max = at + 40;
    while at < max && scan.at(at).is_some_and(|byte| byte.is_ascii_whitespace()) {
        at += 1;
    }
    scan.count(1);
    at
}

/// The field that holds the value, behind the name.
fn field(scan: &TextScan<'_>, name: &Name) -> Span {
    let from = name.end;
    let window = &scan.text[from..(from + REACH).min(scan.text.len())];
    scan.count(window.len());
    let window = &window[..object_end(window)];
    value_field(window)
        .and_then(|at| value_at(scan, scan.skip_blanks(from + at)))
        .and_then(|value| judged(scan, name, value))
}

/// The field that holds the value, before the name: `{"value": …, "name": "DB_PASSWORD"}`.
fn field_before(scan: &TextScan<'_>, name: &Name) -> Span {
    let from = name.start.saturating_sub(REACH);
    let window = &scan.text[from..name.start];
    scan.count(window.len());
    let label = window.trim_ascii_end();
    let label =
        label.strip_suffix(b"\"").or_else(|| label.strip_suffix(b"'")).unwrap_or(label).trim_ascii_end();
    let label = label.strip_suffix(b":").or_else(|| label.strip_suffix(b"="))?;
    let label = label.strip_suffix(b"\"").unwrap_or(label);
    if !label.to_ascii_lowercase().ends_with(b"name") && !label.to_ascii_lowercase().ends_with(b"key") {
        return None;
    }
    let start = window.iter().rposition(|byte| matches!(byte, b'{' | b'}' | b'<')).map_or(0, |at| at + 1);
    let at = value_field(&window[start..])? + start;
    let value = value_at(scan, scan.skip_blanks(from + at))?;
    (value.span.end < name.start).then(|| judged(scan, name, value)).flatten()
}

/// Where the object of a name ends: at its brace, at an empty line, or where the next one is named.
fn object_end(window: &[u8]) -> usize {
    let end = |at: usize| {
        let rest = &window[at..];
        rest[0] == b'}'
            || rest[0] == b']' && at > 1
            || rest.starts_with(b"/>") && at > 0
            || rest.starts_with(b"\n\n")
            || rest.starts_with(b"\n\r\n")
            || at > 0 && rest.starts_with(b"- name")
            || rest.starts_with(b"\nvariable")
            || rest.starts_with(b"\"name\"")
    };
    (0..window.len()).find(|at| end(*at)).unwrap_or(window.len())
}

/// Behind the separator of the first field that holds a value.
fn value_field(window: &[u8]) -> Option<usize> {
    VALUE_FIELDS
        .iter()
        .filter_map(|field| {
            let at = find_folded(window, field)?;
            let starts = at == 0
                || !(window[at - 1].is_ascii_alphanumeric() || matches!(window[at - 1], b'_' | b'-' | b'.'));
            let mut end = at + field.len();
            end += usize::from(matches!(window.get(end), Some(b'"' | b'\'')));
            let blanks = window[end..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let option = field.starts_with("--") && blanks > 0;
            let separated = matches!(window.get(end + blanks), Some(b':' | b'='));
            (starts && (separated || option)).then(|| end + blanks + usize::from(separated))
        })
        .min()
}

/// `field("password").send_keys("…")`: a form that is filled in.
fn filled(scan: &TextScan<'_>, name: &Name) -> Span {
    let line = scan.line_from(name.end, 60);
    let call = FILLING_CALLS.iter().filter_map(|call| Some(find_folded(line, call)? + call.len())).min();
    // `fill('#password', '…')`: the next argument.
    let argument = || line.windows(2).position(|pair| matches!(pair, b", ")).map(|at| at + 2);
    let at = call.or_else(argument)?;
    let value = value_at(scan, scan.skip_blanks(name.end + at))?;
    (value.quoted).then(|| judged(scan, name, value)).flatten()
}
