//! Sentences and labels that say a password: "the password is …", "mit dem Passwort …", `密码：…`.
//!
//! Between the word and the value there may be a few plain words and one that joins them, such as "is". Without it the
//! value must follow at once, and must look like a secret.

use super::assignment::is_published;
use super::line_end::ends_line;
use super::names;
use super::{RawValue, Span, closers_end, skip_to_value, value_at};
use crate::bytes::{TextScan, find_folded};
use crate::hit::LiteralHit;
use crate::value::{Manner, is_secret, is_weak_and_spoken};
use crate::value_traits::is_word;

/// How far a value may be from its word.
const REACH: usize = 96;
/// How many plain words may be between.
const WORD_COUNT_MAX: usize = 7;

/// Words that join a name and its value, in the languages of the table.
const JOINING: &[&str] = &[
    "is",
    "was",
    "are",
    "to",
    "ist",
    "lautet",
    "lauten",
    "war",
    "sind",
    "est",
    "sera",
    "sont",
    "es",
    "son",
    "será",
    "é",
    "são",
    "è",
    "sono",
    "luidt",
    "zijn",
    "jest",
    "je",
    "jsou",
    "este",
    "är",
    "er",
    "on",
    "это",
    "є",
    "itu",
    "adalah",
    "là",
    "είναι",
    "है",
    "هي",
    "هو",
    "equals",
    "reads",
    "now",
    "becomes",
    "became",
    "-",
];
/// Signs that do the same behind a label.
const SIGNS: &[&str] = &[":", "=", "->", "→", "—", "–", "：", "＝"];
/// The same in scripts without blanks: directly behind the word.
const JOINING_TIGHT: &[&str] =
    &["は", "が", "を", "：", "是", "为", "為", "：", "は、", "는", "은", "이", "가", "は「", "是「", "＝"];
/// Words between them without a meaning of their own.
const FILLERS: &[&str] = &[
    "now ",
    "still ",
    "currently ",
    "simply ",
    "just ",
    "set to ",
    "=",
    "als ",
    "aber ",
    "jetzt ",
    "changed to ",
];

/// Words that begin another clause: the text before them is complete.
const CLAUSES: &[&str] = &[
    " and ",
    " but ",
    " so ",
    " while ",
    " whereas ",
    " und ",
    " aber ",
    " et ",
    " mais ",
    " y ",
    " pero ",
    " e ",
    " mas ",
    " ma ",
    " maar ",
];

/// A password, by a word for it.
pub(crate) fn password(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let end = word_end(scan, hit)?;
    let span = forward(scan, end, SpokenKind::Password).or_else(|| backward(scan, hit))?;
    (!is_published(scan, hit)).then_some(span)
}

/// A key or a token, by a word for it.
pub(crate) fn key(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let end = word_end(scan, hit)?;
    let span = forward(scan, end, SpokenKind::Token)?;
    (!is_published(scan, hit)).then_some(span)
}

/// A user and a password behind a word such as "credentials".
pub(crate) fn login(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    if scan.before(hit.start).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return None;
    }
    let mut at = closers_end(scan, hit.end);
    for joining in [" are ", " is ", ":", " =", " with ", " as ", "s:"] {
        if scan.has_folded(at, joining) {
            at += joining.len();
            break;
        }
    }
    at = skip_to_value(scan, at);
    let line = scan.line_from(at, REACH);
    let user =
        line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"._-@\\`".contains(byte)).count();
    if !(2..=40).contains(&user) {
        return None;
    }
    let rest = &line[user..];
    let sign = [" / ", "/", " : ", ":", ", ", " | ", " and ", " und ", " et ", " y "]
        .iter()
        .find(|sign| rest.starts_with(sign.as_bytes()))?;
    let value = value_at(scan, scan.skip_blanks(at + user + sign.len()))?;
    judged(scan, value, Manner::Apposed)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SpokenKind {
    Password,
    Token,
}

/// Where the word ends, if it is a whole word: a name may have parts before it, a word of a language endings behind it.
fn word_end(scan: &TextScan<'_>, hit: LiteralHit) -> Option<usize> {
    let word = &scan.text[hit.start..hit.end];
    if matches!(word.last(), Some(b':' | b'=')) || word.ends_with(b" is") {
        let free = !scan.before(hit.start).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let joining = if word.ends_with(b"is") { 2 } else { 1 };
        return free.then_some(hit.end - joining);
    }
    if word.ends_with(b" ") {
        return pass_end(scan, hit);
    }
    // An assignment, which has a row of its own, or a part of an address with colons: `arn:…:secret:name`.
    let in_address = scan.before(hit.start) == Some(b':') && scan.at(hit.end) == Some(b':');
    if word.is_ascii() && (scan.at(hit.end) == Some(b'=') || in_address) {
        return None;
    }
    if word.is_ascii()
        && let Some(name) = names::at(scan, hit)
    {
        return Some(if scan.has_folded(name.end, " key") { name.end + 4 } else { name.end });
    }
    if is_tight(scan, hit.end) {
        return Some(hit.end);
    }
    // "Lösenordet", "hasłem", "hesla": an ending of a few letters.
    let free = !scan.before(hit.start).is_some_and(|byte| byte.is_ascii_alphabetic());
    let english = matches!(word[0] | 0x20, b'p' | b't' | b's' | b'a')
        && word.is_ascii()
        && !scan.has_folded(hit.start, "pa");
    let ending =
        scan.up_to(hit.end, 7).iter().take_while(|byte| byte.is_ascii_lowercase() || **byte >= 0x80).count();
    (free && !english && ending < 7).then_some(hit.end + ending)
}

/// Whether a joining word of a script without blanks is here.
fn is_tight(scan: &TextScan<'_>, at: usize) -> bool {
    JOINING_TIGHT.iter().any(|joining| scan.has(at, joining))
}

/// Where "pass" ends, if it is not a verb: alone at the start of a line, or behind a user.
fn pass_end(scan: &TextScan<'_>, hit: LiteralHit) -> Option<usize> {
    let from = hit.start.saturating_sub(48);
    let before = &scan.text[from..hit.start];
    scan.count(before.len());
    let line = before.iter().rposition(|byte| *byte == b'\n').map_or(before, |at| &before[at + 1..]);
    let alone = line.trim_ascii().is_empty()
        && ends_line(
            scan,
            hit.end + scan.line_from(hit.end, 40).iter().take_while(|byte| **byte != b' ').count(),
        );
    let behind_user = ["user ", "user: ", "username ", "login ", "login: ", "usr "]
        .iter()
        .any(|word| find_folded(line, word).is_some());
    (scan.at(hit.start) == Some(b'p') && (alone || behind_user)).then_some(hit.end - 1)
}

/// The value behind the word.
fn forward(scan: &TextScan<'_>, end: usize, kind: SpokenKind) -> Span {
    let mut at = closers_end(scan, end);
    for joining in JOINING_TIGHT {
        if scan.has(at, joining) {
            return said(scan, at + joining.len(), kind, matches!(*joining, "：" | "＝"));
        }
    }
    at = scan.skip_blanks(at);
    match scan.at(at) {
        Some(b'|') => return said(scan, at + 1, kind, false),
        Some(b'\n' | b'\r') => return below_heading(scan, end, at, kind),
        _ => {}
    }
    let line = scan.line_from(at, REACH);
    if at > end
        && let Some(span) = apposed(scan, at, kind)
    {
        return Some(span);
    }
    let mut here = 0;
    for _ in 0..WORD_COUNT_MAX {
        let rest = &line[here..];
        let len = rest.iter().position(|byte| *byte == b' ').unwrap_or(rest.len());
        let word = &rest[..len];
        if let Some((joining, label)) = joining_len(word) {
            let from = at + here + joining;
            return said(scan, from, kind, label)
                .or_else(|| (here == 0).then(|| weak(scan, from, kind)).flatten());
        }
        // A sentence ends: what follows is about something else.
        if len == rest.len() || !is_plain(word) || word.ends_with(b".") {
            return None;
        }
        here += len + 1;
        if word.ends_with(b":") || word.ends_with("：".as_bytes()) {
            return said(scan, at + here, kind, true);
        }
    }
    None
}

/// How long the joining word is that `word` is or starts with, and whether it is a sign as behind a label.
fn joining_len(word: &[u8]) -> Option<(usize, bool)> {
    if let Some(sign) = SIGNS.iter().find(|sign| word.starts_with(sign.as_bytes())) {
        return Some((sign.len(), true));
    }
    let plain = word.strip_suffix(b":").unwrap_or(word);
    JOINING
        .iter()
        .any(|known| plain.len() == known.len() && plain.eq_ignore_ascii_case(known.as_bytes()))
        .then_some((word.len(), plain.len() < word.len()))
}

/// Letters of any language, and the signs inside words.
fn is_plain(word: &[u8]) -> bool {
    word.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80 || b"()-_.:,/'".contains(byte))
}

/// The value behind a joining word.
fn said(scan: &TextScan<'_>, at: usize, kind: SpokenKind, label: bool) -> Span {
    let mut at = skip_to_value(scan, at + usize::from(scan.at(at) == Some(b':')));
    for filler in FILLERS {
        if scan.has_folded(at, filler) {
            at = scan.skip_blanks(at + filler.len());
        }
    }
    for open in ["「", "『", "«", "‹"] {
        if scan.has(at, open) {
            at = scan.skip_blanks(at + open.len());
        }
    }
    if label
        && kind == SpokenKind::Password
        && let Some(span) = grouped(scan, at)
    {
        return Some(span);
    }
    let value = value_at(scan, at)?;
    if label && kind == SpokenKind::Password {
        let alone = ends_line(scan, value.end_of_quotes());
        let manner = if alone { Manner::Placed } else { Manner::Password };
        if is_secret(value.text(scan), value.next(scan), manner) {
            return Some(value.span);
        }
    }
    judged(scan, value, Manner::Spoken)
}

/// The only word of the line below a heading: `### Password`, and under it the value.
fn below_heading(scan: &TextScan<'_>, end: usize, at: usize, kind: SpokenKind) -> Span {
    let from = end.saturating_sub(60);
    let before = &scan.text[from..end];
    let line = before.iter().rposition(|byte| *byte == b'\n').map_or(before, |at| &before[at + 1..]);
    scan.count(line.len());
    if !matches!(line.trim_ascii_start().first(), Some(b'#' | b'*')) || kind != SpokenKind::Password {
        return None;
    }
    let next = at + scan.up_to(at, 6).iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let value = value_at(scan, next)?;
    let alone = ends_line(scan, value.end_of_quotes());
    (alone && is_secret(value.text(scan), value.next(scan), Manner::Password)).then_some(value.span)
}

/// Groups of four, as services hand out passwords for one program: `abcd-efgh-ijkl-mnop`, `Ab1c dE2f …`.
fn grouped(scan: &TextScan<'_>, at: usize) -> Span {
    let text = scan.up_to(at, 40);
    let sign = *text.get(4)?;
    if !matches!(sign, b' ' | b'-') {
        return None;
    }
    let groups = text
        .chunks(5)
        .take_while(|group| group.len() >= 4 && group[..4].iter().all(u8::is_ascii_alphanumeric))
        .enumerate();
    let count = { groups }.take_while(|(number, _)| *number == 0 || text[number * 5 - 1] == sign).count();
    let len = count * 5 - usize::from(count > 0);
    let shown = &text[..len.min(text.len())];
    let words = shown.split(|byte| *byte == sign).filter(|group| is_word(group)).count();
    let mixed =
        sign == b'-' || shown.iter().any(u8::is_ascii_digit) && shown.iter().any(u8::is_ascii_alphabetic);
    let ends = !scan.at(at + len).is_some_and(|byte| byte.is_ascii_alphanumeric());
    (matches!(count, 4..=8)
        && words * 2 <= count
        && mixed
        && ends
        && shown.iter().any(u8::is_ascii_alphabetic))
    .then_some(at..at + len)
}

/// A weak password that ends its sentence or its clause, right behind "password is".
fn weak(scan: &TextScan<'_>, at: usize, kind: SpokenKind) -> Span {
    let value = value_at(scan, skip_to_value(scan, at))?;
    let end = value.end_of_quotes();
    let ends = ends_line(scan, end)
        || matches!(scan.at(end), Some(b'.' | b',' | b';' | b'!' | b')'))
            && matches!(scan.at(end + 1), None | Some(b' ' | b'\n' | b'\r' | b'.' | b','))
        || CLAUSES.iter().any(|word| scan.has_folded(end, word));
    (kind == SpokenKind::Password && ends && is_weak_and_spoken(value.text(scan))).then_some(value.span)
}

/// The value right behind the word: "with password …", "(token …)".
fn apposed(scan: &TextScan<'_>, at: usize, kind: SpokenKind) -> Span {
    let value = value_at(scan, at)?;
    let len_min = if kind == SpokenKind::Password { 8 } else { 20 };
    (value.text(scan).len() >= len_min).then(|| judged(scan, value, Manner::Apposed)).flatten()
}

fn judged(scan: &TextScan<'_>, value: RawValue, manner: Manner) -> Span {
    is_secret(value.text(scan), value.next(scan), manner).then_some(value.span)
}

/// The value before the word: "use … as the password".
fn backward(scan: &TextScan<'_>, hit: LiteralHit) -> Span {
    let from = hit.start.saturating_sub(64);
    let before = &scan.text[from..hit.start];
    scan.count(before.len());
    let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut end = before.len();
    let mut joined = false;
    for _ in 0..4 {
        let text = before[line..end].trim_ascii_end();
        let word = text.iter().rposition(|byte| *byte == b' ').map_or(0, |at| at + 1);
        let last = &text[word..];
        let is = |words: &[&str]| words.iter().any(|known| last.eq_ignore_ascii_case(known.as_bytes()));
        if is(&["as", "is", "als", "comme", "como", "come", "jako", "как", "como"]) {
            joined = true;
        } else if joined {
            let start = line + word;
            let value = value_at(scan, from + start)?;
            return judged(scan, value, Manner::Apposed);
        } else if !is(&[
            "the", "a", "your", "our", "its", "new", "das", "le", "la", "el", "o", "a", "il", "het", "root",
            "admin", "database",
        ]) {
            return None;
        }
        end = line + word;
        if word == 0 {
            return None;
        }
    }
    None
}
