//! Identifiers become words: `parseHTTPHeader_fast` is read as `parse HTTP Header fast`.
//!
//! The model was trained on text treated in this way, so every text goes through here first.

/// Splits camel case and snake case, and leaves the rest of a text unchanged.
///
/// A space goes between a small letter or digit and a capital, and before the last capital of a run that a small
/// letter follows. An underscore becomes a space. Only ASCII letters count.
///
/// ```
/// use brainstem_recall_model::normalise;
///
/// assert_eq!(normalise("parseHTTPHeader of mail_send"), "parse HTTP Header of mail send");
/// ```
pub fn normalise(text: &str) -> String {
    Split::new(text).collect()
}

/// The characters of a text with its identifiers split, one by one, so that a long text need not be read to its end.
pub(crate) struct Split<'a> {
    rest: std::str::Chars<'a>,
    before: char,
    /// A character that was held back because a space went first.
    held: Option<char>,
}

impl<'a> Split<'a> {
    /// Starts at the beginning of a text.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { rest: text.chars(), before: ' ', held: None }
    }

    /// Whether a word begins at `c`, given its neighbours.
    fn begins(&self, c: char) -> bool {
        if !c.is_ascii_uppercase() {
            return false;
        }
        if self.before.is_ascii_lowercase() || self.before.is_ascii_digit() {
            return true;
        }
        let next = self.rest.as_str().bytes().next();
        self.before.is_ascii_uppercase() && next.is_some_and(|next| next.is_ascii_lowercase())
    }
}

impl Iterator for Split<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        if let Some(held) = self.held.take() {
            return Some(held);
        }
        let c = self.rest.next()?;
        let begins = self.begins(c);
        self.before = c;
        if begins {
            self.held = Some(c);
            return Some(' ');
        }
        Some(if c == '_' { ' ' } else { c })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_split_and_prose_is_not() {
        let cases = [
            ("", ""),
            ("Plain words, and ACRONYMS.", "Plain words, and ACRONYMS."),
            ("camelCase", "camel Case"),
            ("HTTPServer", "HTTP Server"),
            ("sha256Sum", "sha256 Sum"),
            ("parse_HTTPHeader", "parse HTTP Header"),
            ("macOS", "mac OS"),
            ("ABc", "A Bc"),
            ("éCole ÀB", "éCole ÀB"),
        ];
        for (text, expected) in cases {
            assert_eq!(normalise(text), expected, "{text:?}");
        }
    }
}
