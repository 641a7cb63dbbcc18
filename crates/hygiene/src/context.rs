//! Values that only their surroundings mark as secrets: addresses, assignments, headers, files.

pub(crate) mod addresses;
pub(crate) mod assignment;
pub(crate) mod calls;
pub(crate) mod commands;
pub(crate) mod environment;
pub(crate) mod files;
pub(crate) mod headers;
mod line_end;
pub(crate) mod names;
pub(crate) mod paired;
pub(crate) mod spoken;
pub(crate) mod tables;
pub(crate) mod vendors;

use crate::bytes::TextScan;
use crate::hit::Span;
use crate::limits::VALUE_LEN_MAX;
use std::ops::Range;

/// What joins the parts of a name.
const NAME_JOINERS: &[u8] = b"_-.";

/// The value that starts at `at`, with or without quotes, before any judgement.
struct RawValue {
    span: Range<usize>,
    quoted: bool,
}

impl RawValue {
    fn text<'a>(&self, scan: &TextScan<'a>) -> &'a [u8] {
        &scan.text[self.span.clone()]
    }

    /// Where the value ends, behind its quote.
    fn end_of_quotes(&self) -> usize {
        self.span.end + usize::from(self.quoted)
    }

    /// The byte after the value, behind its quote.
    fn next(&self, scan: &TextScan<'_>) -> Option<u8> {
        if self.quoted { None } else { scan.at(self.span.end) }
    }
}

/// Reads a value: a quoted one to its quote, another to the first byte that ends words.
fn value_at(scan: &TextScan<'_>, mut at: usize) -> Option<RawValue> {
    let mut escaped = false;
    // `b"…"`, `r'…'` and the escaped quote of JSON inside JSON.
    if matches!(scan.at(at), Some(b'b' | b'r' | b'f' | b'u')) && matches!(scan.at(at + 1), Some(b'"' | b'\''))
    {
        at += 1;
    }
    if scan.at(at) == Some(b'\\') && matches!(scan.at(at + 1), Some(b'"' | b'\'')) {
        (at, escaped) = (at + 1, true);
    }
    for smart in ["\u{201c}", "\u{2018}", "\u{201e}"] {
        if scan.has(at, smart) {
            let start = at + smart.len();
            let len = scan
                .line_from(start, VALUE_LEN_MAX)
                .iter()
                .take_while(|byte| byte.is_ascii_graphic())
                .count();
            return (len > 0).then_some(RawValue { span: start..start + len, quoted: true });
        }
    }
    let quote = scan.at(at).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    if let Some(quote) = quote {
        let rest = scan.up_to(at + 1, VALUE_LEN_MAX);
        let len = rest
            .iter()
            .position(|byte| *byte == quote || matches!(byte, b'\n' | b'\r'))
            .unwrap_or(rest.len());
        scan.count(len + 1);
        if rest.get(len) == Some(&quote) {
            let len = if escaped && len > 0 && rest[len - 1] == b'\\' { len - 1 } else { len };
            return Some(RawValue { span: at + 1..at + 1 + len, quoted: true });
        }
        at += 1;
    }
    let line = scan.up_to(at, VALUE_LEN_MAX);
    let ends = |at: usize, byte: u8| match byte {
        b' ' | b'"' | b'\'' | b'`' | b',' | b';' | b'|' | b'<' | b'>' | b')' | b']' | b'}' | b'(' | b'['
        | b'{' => true,
        b'&' => line.get(at + 1).is_some_and(u8::is_ascii_lowercase),
        b'\\' => matches!(line.get(at + 1), Some(b'n' | b'r' | b't' | b'"')),
        // Control characters, such as the escape before a colour, and what is not ASCII.
        0..=0x1F | 0x7F.. => true,
        _ => false,
    };
    let mut len = line.iter().enumerate().position(|(at, byte)| ends(at, *byte)).unwrap_or(line.len());
    scan.count(len + 1);
    // `$VAR`, `{{x}}` and `<x>` start with one of the bytes above and stay whole, to be seen as placeholders.
    if len == 0 && matches!(line.first(), Some(b'<' | b'{' | b'(' | b'[')) {
        len = 1;
    }
    while len > 0 && matches!(line[len - 1], b'.' | b',' | b':' | b';' | b'?') {
        len -= 1;
    }
    (len > 0).then_some(RawValue { span: at..at + len, quoted: quote.is_some() })
}

/// Where the value after a separator starts: blanks and emphasis are skipped.
fn skip_to_value(scan: &TextScan<'_>, at: usize) -> usize {
    let mut at = scan.skip_blanks(at);
    while scan.at(at) == Some(b'*') && scan.at(at + 1) == Some(b'*') {
        at = scan.skip_blanks(at + 2);
    }
    at
}

/// Quotes, brackets and emphasis that close a name.
fn closers_end(scan: &TextScan<'_>, mut at: usize) -> usize {
    let max = at + 4;
    while at < max && matches!(scan.at(at), Some(b'"' | b'\'' | b'`' | b']' | b'*' | b')' | b'\\')) {
        at += 1;
    }
    at
}

/// Skips a quote that closes a name, and blanks.
fn closing_blanks(scan: &TextScan<'_>, at: usize) -> usize {
    let at = at + usize::from(scan.at(at) == Some(b'\\'));
    scan.skip_blanks(at + usize::from(matches!(scan.at(at), Some(b'"' | b'\'' | b'`'))))
}
