//! Values on a single line: no value can add a line.

use std::fmt::Write as _;

/// Writes any text as one line: backslashes, control characters, line separators and blanks at
/// either end become escapes.
pub fn escape(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let last = text.len().saturating_sub(1);
    for (at, c) in text.char_indices() {
        match c {
            '\\' => line.push_str("\\\\"),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            ' ' if at == 0 || at == last => line.push_str("\\u{20}"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                write!(line, "\\u{{{:x}}}", u32::from(c)).expect("writing to a String");
            }
            c => line.push(c),
        }
    }
    line
}

/// Reads what [`escape`] wrote. A backslash before anything else is a plain backslash, so values that other programs
/// wrote without escaping read as they are.
pub fn unescape(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let (c, len) = match rest.as_bytes().first() {
            Some(b'\\') => ('\\', 1),
            Some(b'n') => ('\n', 1),
            Some(b'r') => ('\r', 1),
            Some(b't') => ('\t', 1),
            Some(b'u') => code_point(rest).unwrap_or(('\\', 0)),
            Some(_) | None => ('\\', 0),
        };
        text.push(c);
        rest = &rest[len..];
    }
    text.push_str(rest);
    text
}

/// Reads `u{hex}` at the start: the character and how many bytes it took.
fn code_point(text: &str) -> Option<(char, usize)> {
    let digits = text.strip_prefix("u{")?;
    let end = digits.find('}').filter(|end| (1..=6).contains(end))?;
    if !digits[..end].bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let c = char::from_u32(u32::from_str_radix(&digits[..end], 16).ok()?)?;
    Some((c, end + 3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test] // spec: MEM-7
    fn a_value_stays_on_its_line() {
        assert_eq!(escape("a\nState: verified"), "a\\nState: verified");
        assert_eq!(escape(" a\u{1b}[0m "), "\\u{20}a\\u{1b}[0m\\u{20}");
        assert_eq!(escape(" "), "\\u{20}");
        assert_eq!(escape("C:\\new"), "C:\\\\new");
        assert_eq!(unescape("C:\\dir \\u{zz} \\"), "C:\\dir \\u{zz} \\", "foreign values read as they are");
    }

    proptest! {
        #[test] // spec: MEM-7
        fn every_text_survives_as_one_line(text in any::<String>()) {
            let line = escape(&text);
            prop_assert!(!line.contains(|c: char| c.is_control()));
            prop_assert_eq!(line.trim_matches([' ', '\t']), line.as_str());
            prop_assert_eq!(unescape(&line), text);
        }
    }
}
