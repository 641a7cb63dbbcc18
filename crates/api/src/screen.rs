//! What people see: text for a terminal, with or without colour.
//!
//! Everything that reaches a terminal goes through [`Screen`], which knows the width and whether
//! colours are wanted, and takes control characters out of every text: a recalled claim is data and
//! must not move the cursor, hide a word or ring the bell.

use crate::limits::WIDTH_MAX;
use crate::wire::Exit;
use brainstem_base::next::{NextCall, TypedOption};
use brainstem_base::{Fault, Timestamp};
use brainstem_claims::invisible_chars::is_invisible;
use brainstem_memory::Floor;
use std::fmt::Write as _;
use unicode_width::UnicodeWidthStr as _;

/// How an answer looks to a person.
pub trait Present {
    /// Writes the answer.
    fn present(&self, out: &mut Screen);

    /// Returns how the command line ends after it; an answer about trouble may end like a refusal.
    fn exit(&self) -> Exit {
        Exit::Done
    }

    /// Returns the answer as a page that a model reads; `None` if the verb writes none.
    fn page(&self) -> Option<String> {
        None
    }

    /// The lines of an answer that the command line gives as JSON lines, with `--json` and without.
    fn lines(&self) -> Option<Vec<serde_json::Value>> {
        None
    }
}

/// Text with a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    text: String,
    look: Look,
}

/// A look of text. Each is readable when colour is off and the look is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// As it is.
    Plain,
    /// What the eye should find first.
    Bold,
    /// What may be skipped.
    Dim,
    /// Good news.
    Good,
    /// What to look at.
    Warn,
    /// What went wrong.
    Bad,
    /// A name that can be typed.
    Name,
}

impl Look {
    fn sgr(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Bold => "1",
            Self::Dim => "2",
            Self::Good => "32",
            Self::Warn => "33",
            Self::Bad => "1;31",
            Self::Name => "36",
        }
    }
}

/// Returns emphasised text.
pub fn bold(text: impl Into<String>) -> Span {
    styled(Look::Bold, text)
}

/// Text that may be skipped.
pub fn dim(text: impl Into<String>) -> Span {
    styled(Look::Dim, text)
}

/// A name that can be typed: a label, a command, a path.
pub fn name(text: impl Into<String>) -> Span {
    styled(Look::Name, text)
}

/// Text with a look of its own.
pub fn styled(look: Look, text: impl Into<String>) -> Span {
    Span { text: text.into(), look }
}

impl From<&str> for Span {
    fn from(text: &str) -> Self {
        styled(Look::Plain, text)
    }
}

impl From<String> for Span {
    fn from(text: String) -> Self {
        styled(Look::Plain, text)
    }
}

impl From<&Span> for Span {
    fn from(span: &Span) -> Self {
        span.clone()
    }
}

/// A page being written.
#[derive(Debug)]
pub struct Screen {
    width: Option<usize>,
    colour: bool,
    text: String,
    /// What masks the texts that are written now.
    floor: Option<Floor>,
    /// The global options that every command on the page repeats.
    typed: &'static [TypedOption],
}

/// The column in which the values of [`Screen::field`] start.
const FIELD_COLUMN: usize = 14;

impl Screen {
    /// A page `width` columns wide; without a width, as in a pipe, nothing is wrapped.
    pub fn new(width: Option<usize>, colour: bool) -> Self {
        Self {
            width: width.map(|width| width.clamp(20, WIDTH_MAX)),
            colour,
            text: String::new(),
            floor: None,
            typed: &[],
        }
    }

    /// The same page for a command line that was typed with these global options.
    #[must_use]
    pub fn typed(self, typed: &'static [TypedOption]) -> Self {
        Self { typed, ..self }
    }

    /// A call as the command that the reader can type.
    pub(crate) fn command(&self, call: &NextCall) -> String {
        call.line_with(self.typed)
    }

    /// A page without colour and without wrapping.
    pub fn plain() -> Self {
        Self::new(None, false)
    }

    /// Writes a part of the page in which every secret is masked, each text for itself.
    pub(crate) fn gated(&mut self, floor: &Floor, write: impl FnOnce(&mut Self)) {
        let outer = self.floor.replace(floor.clone());
        write(self);
        self.floor = outer;
    }

    /// A text without secrets. One that is cut before it is written passes here first.
    pub(crate) fn masked(&self, text: &str) -> String {
        match &self.floor {
            Some(floor) => floor.mask(text).into_owned(),
            None => text.to_owned(),
        }
    }

    /// A text as it is shown: without secrets, and without what could steer a terminal.
    fn shown(&self, text: &str) -> String {
        match &self.floor {
            Some(floor) => clean(&floor.mask(text)),
            None => clean(text),
        }
    }

    /// One line, never wrapped: `out.line([bold(label), dim(" 3 d")])`, `out.line(["done"])`.
    pub fn line<S: Into<Span>>(&mut self, spans: impl IntoIterator<Item = S>) {
        for span in spans {
            let span = span.into();
            let text = self.shown(&span.text).replace('\n', " ");
            self.push(span.look, &text);
        }
        self.text.push('\n');
    }

    /// An empty line, unless the page is empty or ends with one.
    pub fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// A title, after an empty line.
    pub fn heading(&mut self, text: &str) {
        self.blank();
        self.line([bold(text)]);
    }

    /// A name and its value, in two columns.
    pub fn field(&mut self, field: &str, value: impl Into<Span>) {
        let gap = " ".repeat(FIELD_COLUMN.saturating_sub(field.width()).max(1));
        self.flow(0, FIELD_COLUMN, [dim(field), Span::from(gap), value.into()]);
    }

    /// A text of several lines, each wrapped, all moved in by `indent` columns.
    pub fn wrap(&mut self, indent: usize, text: &str) {
        for line in self.shown(text).lines() {
            let inner = line.len() - line.trim_start_matches(' ').len();
            let indent = (indent + inner).min(FIELD_COLUMN * 3);
            self.flow(indent, indent, [line.trim_start_matches(' ')]);
        }
    }

    /// One paragraph, wrapped: the first line moved in by `first` columns, the others by `rest`.
    pub fn flow<S: Into<Span>>(&mut self, first: usize, rest: usize, spans: impl IntoIterator<Item = S>) {
        let mut column = first;
        let mut line = vec![(Look::Plain, " ".repeat(first))];
        for span in spans {
            let span = span.into();
            let text = self.shown(&span.text).replace('\n', " ");
            for word in text.split_inclusive(' ') {
                let wide = word.trim_end_matches(' ').width();
                let full = self.width.is_some_and(|width| column + wide > width);
                if full && column > rest.max(first) {
                    self.push_line(std::mem::replace(&mut line, vec![(Look::Plain, " ".repeat(rest))]));
                    column = rest;
                    if wide == 0 {
                        continue;
                    }
                }
                match line.last_mut() {
                    Some((look, before)) if *look == span.look => before.push_str(word),
                    _ => line.push((span.look, word.to_owned())),
                }
                column += word.width();
            }
        }
        self.push_line(line);
    }

    /// A note beside the answer, moved in as by [`Screen::flow`].
    pub fn note(&mut self, first: usize, rest: usize, text: impl AsRef<str>) {
        self.flow(first, rest, [styled(Look::Warn, "note:"), " ".into(), text.as_ref().into()]);
    }

    /// The notes below an answer.
    pub fn notes(&mut self, notes: &[String]) {
        for note in notes {
            self.note(0, 2, note);
        }
    }

    /// A point of a list.
    pub fn bullet(&mut self, text: impl Into<Span>) {
        self.flow(2, 4, [Span::from("- "), text.into()]);
    }

    /// The page so far.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The page.
    pub fn into_string(self) -> String {
        self.text
    }

    fn push(&mut self, look: Look, text: &str) {
        if self.colour && look != Look::Plain && !text.is_empty() {
            let _ = write!(self.text, "\x1b[{}m{text}\x1b[0m", look.sgr());
        } else {
            self.text.push_str(text);
        }
    }

    /// Writes the parts of a line, without blanks at its end: with one in the last column, a terminal would show an
    /// empty line below.
    fn push_line(&mut self, mut line: Vec<(Look, String)>) {
        while let Some((_, last)) = line.last_mut() {
            last.truncate(last.trim_end_matches(' ').len());
            if !last.is_empty() {
                break;
            }
            line.pop();
        }
        for (look, text) in line {
            self.push(look, &text);
        }
        self.text.push('\n');
    }
}

/// A time of an answer for people, to the minute; what is no time stays as it is.
pub fn when(rfc3339: &str) -> String {
    Timestamp::parse_rfc3339(rfc3339).map_or_else(|| rfc3339.to_owned(), Timestamp::to_words)
}

impl Present for Fault {
    fn present(&self, out: &mut Screen) {
        out.flow(0, 7, [styled(Look::Bad, "error:"), " ".into(), self.message.as_str().into()]);
        if let Some(fix) = &self.fix {
            out.flow(2, 7, [styled(Look::Good, "fix:"), " ".into(), fix.to_string().into()]);
        }
        out.line([dim(format!("  [{}]", self.code.name()))]);
    }
}

/// Replaces what could steer a terminal, reorder the text or hide in it; a tab becomes a space. Inside
/// an emoji the joiner and the selectors of its look stay.
fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    // The last character that takes room: what a selector or a joiner belongs to.
    let mut base = None;
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        let kept = match c {
            '\u{FE0E}' | '\u{FE0F}' if next == Some('\u{20E3}') => base.is_some_and(is_key),
            '\u{FE0E}' | '\u{FE0F}' => base.is_some_and(is_emoji) && out.ends_with(is_emoji),
            '\u{200D}' => base.is_some_and(is_emoji) && next.is_some_and(is_emoji),
            c => !is_invisible(c),
        };
        match c {
            '\t' => out.push(' '),
            c if kept => out.push(c),
            _ => out.push('\u{FFFD}'),
        }
        if !kept || !is_invisible(c) {
            base = Some(c);
        }
    }
    out
}

/// Roughly the characters that emoji are made of.
fn is_emoji(c: char) -> bool {
    matches!(c as u32, 0xA9 | 0xAE | 0x203C | 0x2049 | 0x2122 | 0x2139 | 0x2190..=0x21FF | 0x2300..=0x23FF)
        || matches!(c as u32, 0x24C2 | 0x25A0..=0x27BF | 0x2934..=0x2935 | 0x2B00..=0x2BFF | 0x3030 | 0x303D)
        || matches!(c as u32, 0x3297 | 0x3299 | 0x1F000..=0x1FAFF)
}

fn is_key(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '#' | '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::codes;

    fn on(width: usize, write: impl FnOnce(&mut Screen)) -> String {
        let mut out = Screen::new(Some(width), false);
        write(&mut out);
        out.into_string()
    }

    #[test] // spec: IF-4
    fn a_coloured_line_ends_without_a_blank_and_changes_its_colour_once() {
        let mut out = Screen::new(Some(20), true);
        out.flow(0, 2, [dim("project, by claude:maker just now"), " ".into(), bold("x ")]);
        assert_eq!(
            out.as_str(),
            "\u{1b}[2mproject, by\u{1b}[0m\n  \u{1b}[2mclaude:maker just\u{1b}[0m\n  \u{1b}[2mnow\u{1b}[0m \u{1b}[1mx\u{1b}[0m\n"
        );
    }

    #[test]
    fn text_wraps_at_words_and_keeps_its_own_lines() {
        let text = on(24, |out| out.wrap(2, "one two three four five six\n\n  - a point"));
        assert_eq!(text, "  one two three four\n  five six\n\n    - a point\n");
    }

    #[test]
    fn a_character_takes_the_columns_that_a_terminal_gives_it() {
        // A family is one sign of two columns, an accent that follows its letter takes none, a Han sign takes two.
        let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}";
        let words = |word: &str| on(20, |out| out.wrap(0, &[word; 7].join(" "))).lines().next().map(str::len);
        assert_eq!(words(family), Some([family; 7].join(" ").len()), "seven of two columns fit");
        assert_eq!(words("e\u{0301}\u{1AB0}"), Some(["e\u{0301}\u{1AB0}"; 7].join(" ").len()));
        assert_eq!(
            words("\u{6F22}\u{5B57}"),
            Some(["\u{6F22}\u{5B57}"; 4].join(" ").len()),
            "four of four do"
        );
    }

    #[test]
    fn nothing_is_wrapped_in_a_pipe() {
        let mut out = Screen::plain();
        out.wrap(0, &"word ".repeat(60));
        assert_eq!(out.as_str().lines().count(), 1);
    }

    #[test]
    fn a_word_longer_than_the_line_stays_whole() {
        let long = "x".repeat(40);
        assert_eq!(on(20, |out| out.wrap(0, &format!("a {long} b"))), format!("a\n{long}\nb\n"));
    }

    #[test]
    fn values_of_fields_stand_in_one_column() {
        let text = on(40, |out| {
            out.field("agent", "codex:maker");
            out.field("a_rather_long_name", "x");
        });
        assert_eq!(text, "agent         codex:maker\na_rather_long_name x\n");
    }

    #[test]
    fn text_cannot_steer_the_terminal() {
        let mut out = Screen::new(Some(80), true);
        out.line([bold("a\x1b[2Jb\u{202E}c\r\nd")]);
        assert_eq!(out.as_str(), "\x1b[1ma\u{FFFD}[2Jb\u{FFFD}c\u{FFFD} d\x1b[0m\n");
    }

    #[test] // spec: MEM-51
    fn text_cannot_hide_on_the_terminal() {
        let hidden =
            [0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x180E, 0x200B, 0x200D, 0x200F, 0x2028, 0x202E]
                .into_iter()
                .chain([
                    0x2060, 0x2064, 0x2066, 0x206F, 0x2800, 0xFE00, 0xFE0F, 0xFEFF, 0xFFF0, 0xFFF9, 0x1BCA0,
                    0x1D173, 0xE0041, 0xE0100,
                ]);
        for c in hidden.filter_map(char::from_u32) {
            assert_eq!(clean(&format!("a{c}b")), "a\u{FFFD}b", "{c:?}");
        }
        for kept in
            ["👩\u{200D}👩\u{200D}👧", "✔\u{FE0F} ❤\u{FE0F}\u{200D}🔥", "5\u{FE0F}\u{20E3}", "Größe 日本"]
        {
            assert_eq!(clean(kept), kept);
        }
        assert_eq!(clean("✔\u{FE0F}\u{FE0F}🔥\u{200D}x"), "✔\u{FE0F}\u{FFFD}🔥\u{FFFD}x");
    }

    #[test] // spec: IF-4, IF-6
    fn a_refusal_takes_three_lines() {
        let fault =
            Fault::new(codes::CLAIM_NOT_FOUND, "no claim \"x\"").fix(brainstem_base::next::calls::list());
        let text = on(80, |out| fault.present(out));
        assert_eq!(text, "error: no claim \"x\"\n  fix: brainstem list\n  [claim.not_found]\n");
    }
}
