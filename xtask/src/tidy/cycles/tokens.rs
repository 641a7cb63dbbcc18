//! Cuts Rust text into the few tokens that tell which names a file defines and uses.
//!
//! Comments, numbers, lifetimes and characters are left out. A string is one token, because `#[path = "…"]` has one.

/// A piece of a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    /// The line it begins in, counted from 1.
    pub(super) line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or a keyword.
    Word,
    /// What a string says, without its quotes.
    Text,
    /// `::`, or one character.
    Sign,
}

impl Token<'_> {
    /// Whether it is this sign.
    pub(super) fn is_sign(&self, sign: &str) -> bool {
        self.kind == Kind::Sign && self.text == sign
    }

    /// Whether it is this name or keyword.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }
}

/// Returns the tokens of `text` in their order.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut cutter = Cutter { text, at: 0, line: 1 };
    let mut found = Vec::new();
    while let Some(first) = cutter.rest().chars().next() {
        let line = cutter.line;
        if let Some((kind, text)) = cutter.next(first) {
            found.push(Token { kind, text, line });
        }
    }
    found
}

struct Cutter<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Cutter<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Goes on by `len` bytes and returns them.
    fn take(&mut self, len: usize) -> &'a str {
        let taken = &self.rest()[..len];
        self.line += taken.matches('\n').count();
        self.at += len;
        taken
    }

    /// Takes what begins with `first`; nothing if it is of no interest.
    fn next(&mut self, first: char) -> Option<(Kind, &'a str)> {
        let rest = self.rest();
        if rest.starts_with("//") {
            self.take(rest.find('\n').unwrap_or(rest.len()));
            return None;
        }
        if rest.starts_with("/*") {
            self.take(comment_len(rest));
            return None;
        }
        if let Some((open, close_len, len)) = string(rest) {
            let whole = self.take(len);
            let said = whole.get(open..whole.len().saturating_sub(close_len)).unwrap_or("");
            return Some((Kind::Text, said));
        }
        if first == '\'' || rest.starts_with("b'") {
            self.take(character_len(rest));
            return None;
        }
        if first.is_ascii_digit() {
            self.take(word_len(rest));
            return None;
        }
        if is_in_word(first) {
            let raw_len = if rest.starts_with("r#") { 2 } else { 0 };
            self.take(raw_len);
            let len = word_len(self.rest());
            return Some((Kind::Word, self.take(len)));
        }
        let len = if rest.starts_with("::") { 2 } else { first.len_utf8() };
        let sign = self.take(len);
        (!first.is_whitespace()).then_some((Kind::Sign, sign))
    }
}

/// The length of a block comment, with those inside it.
fn comment_len(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// The string that the text begins with: the lengths of its opening, of its end and of all of it.
fn string(text: &str) -> Option<(usize, usize, usize)> {
    let after_prefix = text.trim_start_matches(['b', 'c']);
    let prefix_len = text.len() - after_prefix.len();
    if prefix_len > 1 {
        return None;
    }
    if let Some(after_r) = after_prefix.strip_prefix('r') {
        let hash_count = after_r.len() - after_r.trim_start_matches('#').len();
        let inside = after_r[hash_count..].strip_prefix('"')?;
        let end = format!("\"{}", "#".repeat(hash_count));
        let open_len = prefix_len + 1 + hash_count + 1;
        let len = inside.find(&end).map_or(text.len(), |at| open_len + at + end.len());
        return Some((open_len, end.len(), len));
    }
    let inside = after_prefix.strip_prefix('"')?;
    let mut is_escaped = false;
    let end = inside.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    let open_len = prefix_len + 1;
    Some((open_len, 1, end.map_or(text.len(), |at| open_len + at + 1)))
}

/// The length of the character or the lifetime that the text begins with.
fn character_len(text: &str) -> usize {
    let open_len = if text.starts_with('b') { 2 } else { 1 };
    let inside = &text[open_len..];
    let mut chars = inside.chars();
    match (chars.next(), chars.next()) {
        (Some('\\'), Some(escaped)) => {
            let begin = open_len + 1 + escaped.len_utf8();
            text[begin..].find('\'').map_or(text.len(), |at| begin + at + 1)
        }
        (Some(only), Some('\'')) => open_len + only.len_utf8() + 1,
        _ => open_len + word_len(inside),
    }
}

fn word_len(text: &str) -> usize {
    text.find(|c: char| !is_in_word(c)).unwrap_or(text.len())
}

fn is_in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = tokens(text).iter().map(|token| token.text).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn comments_numbers_and_characters_are_left_out() {
        check("a // b\n/* c /* d */ e */ f", &["a", "f"]);
        check("1_000u64 0..=9 'x' '\\'' '\\u{1F}' b'\"' x", &[".", ".", "=", "x"]);
        check("fn f<'a>(x: &'a str)", &["fn", "f", "<", ">", "(", "x", ":", "&", "str", ")"]);
    }

    #[test]
    fn a_string_is_one_token() {
        check(r#"a("b\"c // d") e"#, &["a", "(", "b\\\"c // d", ")", "e"]);
        check(r##"r#"a"b"# b"c" br"d\" x"##, &["a\"b", "c", "d\\", "x"]);
        check("a \"never ends", &["a", "never end"]);
    }

    #[test]
    fn a_path_is_words_and_signs_with_their_lines() {
        check("crate::a::r#type", &["crate", "::", "a", "::", "type"]);
        let lines: Vec<usize> = tokens("a\n\"b\n\"\nc").iter().map(|token| token.line).collect();
        assert_eq!(lines, [1, 2, 4]);
    }
}
