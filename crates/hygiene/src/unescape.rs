//! Texts that hide a token behind an escape: `ghp\_…`, `%3D`, `\u003d`, a character of no width.
//!
//! The text is inspected as it is, and once more without escapes when it has any.

use std::ops::Range;

/// A text without its escapes, and where each byte came from.
pub(crate) struct Unescaped {
    pub(crate) text: Vec<u8>,
    origin: Vec<u32>,
}

impl Unescaped {
    /// The span in the original text.
    pub(crate) fn origin(&self, span: Range<usize>) -> Range<usize> {
        let last = span.end.checked_sub(1).and_then(|at| self.origin.get(at));
        let start = self.origin.get(span.start).or(last).map_or(0, |at| *at as usize);
        start..last.map_or(start, |at| *at as usize + 1).max(start)
    }
}

/// The text without escapes; `None` if it has none.
pub(crate) fn unescape(text: &str) -> Option<Unescaped> {
    let bytes = text.as_bytes();
    let candidate =
        !text.is_ascii() || bytes.contains(&b'\\') || bytes.contains(&b'%') || bytes.contains(&b'&');
    if !candidate || !(0..bytes.len()).any(|at| escape(bytes, at).is_some()) {
        return None;
    }
    let mut plain =
        Unescaped { text: Vec::with_capacity(bytes.len()), origin: Vec::with_capacity(bytes.len()) };
    let mut at = 0;
    while at < bytes.len() {
        let (byte, len) = escape(bytes, at).unwrap_or((Some(bytes[at]), 1));
        if let Some(byte) = byte {
            plain.text.push(byte);
            plain.origin.push(at as u32);
        }
        at += len;
    }
    Some(plain)
}

/// The byte of an escape at `at`, and the length of the escape.
fn escape(bytes: &[u8], at: usize) -> Option<(Option<u8>, usize)> {
    let rest = &bytes[at..];
    match rest[0] {
        b'\\' => match rest.get(1)? {
            sign @ (b'_' | b'-' | b'.' | b'=' | b'~' | b'+' | b'/' | b':' | b'@') => Some((Some(*sign), 2)),
            // A sign that some writers of JSON escape: `\u003d`, `\u0026`, `\u003c`.
            b'u' => {
                let digits = std::str::from_utf8(rest.get(2..6)?).ok()?;
                let value = u8::from_str_radix(digits.strip_prefix("00")?, 16).ok()?;
                let is_plain = value.is_ascii_graphic() || value.is_ascii_whitespace();
                is_plain.then_some((Some(value), 6))
            }
            _ => None,
        },
        b'%' => {
            let value = u8::try_from(
                char::from(*rest.get(1)?).to_digit(16)? * 16 + char::from(*rest.get(2)?).to_digit(16)?,
            )
            .ok()?;
            value.is_ascii_graphic().then_some((Some(value), 3))
        }
        b'&' if rest.starts_with(b"&amp;") => Some((Some(b'&'), 5)),
        0xE2 if matches!(rest, [_, 0x80, 0x8B..=0x8D, ..] | [_, 0x81, 0xA0, ..]) => Some((None, 3)),
        0xEF if rest.starts_with(&[0xEF, 0xBB, 0xBF]) => Some((None, 3)),
        0xC2 if rest.get(1) == Some(&0xAD) => Some((None, 2)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MEM-14
    fn signs_that_writers_of_json_escape_are_undone() {
        let plain = unescape(r"a\u003db\u0026c\u003Cd\u000ae").expect("escapes");
        assert_eq!(plain.text, b"a=b&c<d\ne");
        assert_eq!(plain.origin(2..3), 7..8);
        assert!(unescape(r"caf\u00e9 \u4e2d \u+12 \u00").is_none());
    }

    #[test] // spec: MEM-14
    fn escapes_are_undone_and_positions_kept() {
        assert!(unescape("plain text, 100% of it & more\\n").is_none());
        let plain = unescape("a\\_b%3Dc\u{200b}d").expect("escapes");
        assert_eq!(plain.text, b"a_b=cd");
        assert_eq!([plain.origin(0..3), plain.origin(1..5), plain.origin(5..6)], [0..4, 1..8, 11..12]);
    }
}
