//! Values in frontmatter: the part of YAML that flat frontmatter uses, read and written.

/// A value: one text, or a list of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HeadValue {
    Text(String),
    List(Vec<String>),
}

/// Reads the value of a key: the text behind the colon, and the indented lines below it.
pub(crate) fn read(first: &str, below: &[&str]) -> Result<HeadValue, String> {
    let first = first.trim();
    match first.as_bytes().first() {
        Some(b'|' | b'>') => block(first, below).map(HeadValue::Text),
        Some(b'[') => flow(&joined(first, below)).map(HeadValue::List),
        Some(b'"' | b'\'') => {
            let whole = joined(first, below);
            let (text, rest) = quoted(&whole)?;
            if is_comment(rest) {
                Ok(HeadValue::Text(text))
            } else {
                Err("there is text behind a closing quote".into())
            }
        }
        Some(b'&' | b'*' | b'!' | b'{' | b'%' | b'@' | b'`' | b',' | b']' | b'}') => {
            Err(format!("a value starts with `{}`, which needs quotes", &first[..1]))
        }
        Some(b'#') | None => match below.iter().find(|line| !is_comment(line)) {
            None => Ok(HeadValue::Text(String::new())),
            Some(line) if line.trim_start().starts_with("- ") || line.trim() == "-" => {
                items(below).map(HeadValue::List)
            }
            Some(_) => plain(&joined("", below)).map(HeadValue::Text),
        },
        Some(b'-' | b'?' | b':') if first.len() == 1 || first.as_bytes()[1] == b' ' => {
            Err(format!("a value starts with `{}`, which needs quotes", &first[..1]))
        }
        Some(_) => plain(&joined(first, below)).map(HeadValue::Text),
    }
}

/// Writes a text as a value that every YAML reader reads as that text.
pub(crate) fn write(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quote(text) }
}

/// Writes a list on one line.
pub(crate) fn write_list(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| write(item)).collect();
    format!("[{}]", items.join(", "))
}

/// Whether a text needs no quotes. Cautious: a text that might be read as a number, a date, a boolean or null is
/// quoted.
fn is_plain(text: &str) -> bool {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b"_-./@+~".contains(&b);
    let mut bytes = text.bytes();
    let starts = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    let lower = text.to_ascii_lowercase();
    let retyped = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"].contains(&lower.as_str());
    starts && bytes.all(is_word) && !retyped
}

fn quote(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                out.push_str(&format!("\\u{:04x}", c as u32));
            }
            c if c.is_control() => out.push_str(&format!("\\x{:02x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A value over several lines, folded as YAML folds it: a line break is a blank, an empty line a break.
fn joined(first: &str, below: &[&str]) -> String {
    let mut text = first.to_owned();
    let mut breaks = 0;
    for line in below.iter().map(|line| line.trim()) {
        if line.is_empty() {
            breaks += 1;
            continue;
        }
        match breaks {
            0 if text.is_empty() => {}
            0 => text.push(' '),
            n => text.push_str(&"\n".repeat(n)),
        }
        breaks = 0;
        text.push_str(line);
    }
    text
}

fn plain(text: &str) -> Result<String, String> {
    let end = text.find(" #").unwrap_or(text.len());
    let text = text[..end].trim();
    if text.contains(": ") || text.ends_with(':') {
        return Err("a value with `: ` in it needs quotes".into());
    }
    Ok(if matches!(text, "~" | "null" | "Null" | "NULL") { String::new() } else { text.to_owned() })
}

/// A text in quotes at the start, and the text behind it.
fn quoted(text: &str) -> Result<(String, &str), String> {
    let mut out = String::new();
    let mut chars = text.char_indices();
    let Some((_, mark)) = chars.next() else { return Err("a quote is missing".into()) };
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' if mark == '\'' && text[at + 1..].starts_with('\'') => {
                chars.next();
                out.push('\'');
            }
            c if c == mark => return Ok((out, &text[at + 1..])),
            '\\' if mark == '"' => out.push(escaped(&mut chars)?),
            c => out.push(c),
        }
    }
    Err("a quote is not closed".into())
}

fn escaped(chars: &mut std::str::CharIndices<'_>) -> Result<char, String> {
    let Some((_, c)) = chars.next() else { return Err("a quote is not closed".into()) };
    let width = match c {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        other => {
            return Ok(match other {
                '0' => '\0',
                'a' => '\x07',
                'b' => '\x08',
                't' => '\t',
                'n' => '\n',
                'v' => '\x0b',
                'f' => '\x0c',
                'r' => '\r',
                'e' => '\x1b',
                'N' => '\u{85}',
                '_' => '\u{a0}',
                'L' => '\u{2028}',
                'P' => '\u{2029}',
                '"' | '/' | '\\' | ' ' => other,
                _ => return Err(format!("`\\{other}` is no escape")),
            });
        }
    };
    let digits: String = chars.by_ref().take(width).map(|(_, c)| c).collect();
    let code = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == width);
    code.and_then(char::from_u32).ok_or_else(|| format!("`\\{c}{digits}` is no character"))
}

/// `[a, "b, c"]`.
fn flow(text: &str) -> Result<Vec<String>, String> {
    let mut items = Vec::new();
    let mut rest = text.trim_start_matches('[').trim_start();
    loop {
        if let Some(after) = rest.strip_prefix(']') {
            return if is_comment(after) { Ok(items) } else { Err("there is text behind a list".into()) };
        }
        let (item, after) = match rest.as_bytes().first() {
            None => return Err("a list is not closed".into()),
            Some(b'"' | b'\'') => quoted(rest)?,
            Some(b'[' | b'{' | b'&' | b'*' | b'!') => return Err("a list holds more than plain texts".into()),
            Some(_) => {
                let end = rest.find([',', ']']).ok_or("a list is not closed")?;
                (plain(&rest[..end])?, &rest[end..])
            }
        };
        items.push(item);
        rest = after.trim_start();
        match rest.strip_prefix(',') {
            Some(after) => rest = after.trim_start(),
            None if rest.starts_with(']') => {}
            None => return Err("a comma is missing in a list".into()),
        }
    }
}

/// Lines that each begin with `- `.
fn items(below: &[&str]) -> Result<Vec<String>, String> {
    let item = |line: &&str| {
        let text = line.trim().strip_prefix('-').ok_or("a list holds more than plain texts")?;
        match read(text, &[])? {
            HeadValue::Text(text) => Ok(text),
            HeadValue::List(_) => Err("a list holds more than plain texts".to_owned()),
        }
    };
    below.iter().filter(|line| !is_comment(line)).map(item).collect()
}

/// `|` keeps line breaks, `>` folds them.
fn block(first: &str, below: &[&str]) -> Result<String, String> {
    let (mark, signs) = first.split_at(1);
    let signs = signs.split(" #").next().unwrap_or_default().trim();
    if !signs.chars().all(|c| "+-".contains(c) || c.is_ascii_digit()) {
        return Err("there is text behind the sign of a block".into());
    }
    let indent = |line: &&&str| line.len() - line.trim_start_matches(' ').len();
    let depth =
        below.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(&line)).min().unwrap_or(0);
    let lines: Vec<&str> = below.iter().map(|line| line.get(depth..).unwrap_or("")).collect();
    let text = if mark == "|" { lines.join("\n") } else { joined("", &lines) };
    Ok(text.trim_end().to_owned())
}

fn is_comment(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || text.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(first: &str, below: &[&str]) -> Result<String, String> {
        read(first, below).map(|value| match value {
            HeadValue::Text(text) => text,
            HeadValue::List(items) => format!("list {items:?}"),
        })
    }

    #[test] // spec: MAIL-5
    fn values_read_as_yaml_has_them() {
        let check =
            |first: &str, expected: &str| assert_eq!(text(first, &[]).as_deref(), Ok(expected), "{first}");
        check(" worker-1 ", "worker-1");
        check("a value # and why", "a value");
        check("c#sharp", "c#sharp");
        check("2026-01-28T15:30:00Z", "2026-01-28T15:30:00Z");
        check("'it''s: here' # x", "it's: here");
        check("\"a\\tb\\u00e9\\x41\"", "a\tbéA");
        check("[]", "list []");
        check("[BUG-069, \"a, b\", 'c']", "list [\"BUG-069\", \"a, b\", \"c\"]");
        check("[a,b,] # x", "list [\"a\", \"b\"]");
        check("~", "");
        check("", "");
        check("-1", "-1");
    }

    #[test] // spec: MAIL-5
    fn values_go_on_below_their_key() {
        assert_eq!(text("", &["  - a", "  # no", "  - 'b c'"]).as_deref(), Ok("list [\"a\", \"b c\"]"));
        assert_eq!(text("", &["- a"]).as_deref(), Ok("list [\"a\"]"));
        assert_eq!(text("one", &["  two", "", "  three"]).as_deref(), Ok("one two\nthree"));
        assert_eq!(text("|", &["  one", "    two"]).as_deref(), Ok("one\n  two"));
        assert_eq!(text(">-", &["  one", "  two"]).as_deref(), Ok("one two"));
        assert_eq!(text("[a,", &["  b]"]).as_deref(), Ok("list [\"a\", \"b\"]"));
    }

    #[test] // spec: MAIL-9
    fn what_is_no_plain_value_is_refused() {
        for bad in [
            "\"open",
            "'open",
            "[a",
            "[a b",
            "&anchor x",
            "*alias",
            "!!str x",
            "{a: b}",
            "a: b",
            "\"x\" y",
            "[a] b",
            "\"\\q\"",
            "\"\\ud800\"",
            "- a",
            "[[a]]",
            "@x",
        ] {
            assert!(text(bad, &[]).is_err(), "{bad:?} gave {:?}", text(bad, &[]));
        }
    }

    #[test] // spec: MAIL-7a
    fn what_yaml_would_retype_is_quoted() {
        for plain in ["worker-1", "BUG-069", "a_b.c", "codex.maker", "nope"] {
            assert_eq!(write(plain), plain);
        }
        for quoted in [
            "",
            "no",
            "NULL",
            "12",
            "1e3",
            "2026-01-28",
            "20260128T153000Z_a_task.md",
            "a b",
            "- x",
            "#x",
            "a: b",
            "~",
            "é",
        ] {
            assert!(write(quoted).starts_with('"'), "{quoted}");
        }
    }

    proptest::proptest! {
        #[test] // spec: MAIL-7a
        fn a_written_value_reads_as_it_was(given in "\\PC{0,40}|[\\x00-\\x7f\u{85}\u{2028}\u{feff}\u{ffff}]{0,20}") {
            proptest::prop_assert_eq!(text(&write(&given), &[]), Ok(given.clone()));
            let list = vec![given.clone(), "b".to_owned(), given.clone()];
            proptest::prop_assert_eq!(read(&write_list(&list), &[]), Ok(HeadValue::List(list)));
        }

        #[test] // spec: MAIL-9
        fn no_value_stops_the_reader(first in "\\PC{0,60}", below in proptest::collection::vec("\\PC{0,30}", 0..4)) {
            let below: Vec<&str> = below.iter().map(String::as_str).collect();
            let _ = read(&first, &below);
        }
    }
}
