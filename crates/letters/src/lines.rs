//! The lines of a spool or a box.

use crate::{Letter, LetterId, LineFault, draft};
use std::collections::HashSet;

/// How a last line without its newline is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// A program may still be writing it: it waits. A spool is read like this.
    Waits,
    /// It counts if it is a letter. A box is read like this: an editor or a merge may have left it so.
    Counts,
}

/// The content of a file of letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LetterLines {
    /// Its letters in order, each once.
    pub letters: Vec<LetterWithLine>,
    /// Lines that are not letters.
    pub unreadable: Vec<UnreadableLine>,
    /// The last line has no newline, and waits.
    pub waiting: bool,
}

/// A letter and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterWithLine {
    /// The number of the line, from 1.
    pub number: usize,
    /// The line, without its newline.
    pub line: Vec<u8>,
    /// The letter.
    pub letter: Letter,
}

/// A line that is not a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnreadableLine {
    /// The number of the line, from 1.
    pub number: usize,
    /// Why.
    pub why: LineFault,
}

impl LetterLines {
    /// Reads a file of letters. Blank lines are skipped.
    pub fn read(bytes: &[u8], tail: Tail) -> Self {
        let mut read = Self::default();
        let mut known: HashSet<LetterId> = HashSet::new();
        for (at, raw) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let number = at + 1;
            let (line, whole) = match raw.strip_suffix(b"\n") {
                Some(line) => (line, true),
                None => (raw, false),
            };
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            if !whole && tail == Tail::Waits {
                read.waiting = true;
                continue;
            }
            let mut keep = |line: &[u8], letter: Letter| {
                if known.insert(letter.of_whole_line().clone()) {
                    read.letters.push(LetterWithLine { number, line: line.to_vec(), letter });
                }
            };
            match (Letter::parse(line), written_at_the_end(line)) {
                (Ok(letter), _) => keep(line, letter),
                (Err(_), Some((before, own, letter))) => {
                    match Letter::parse(before) {
                        Ok(letter) => keep(before, letter),
                        Err(_) => {
                            read.unreadable.push(UnreadableLine { number, why: LineFault::BeforeALetter })
                        }
                    }
                    keep(own, letter);
                }
                (Err(why), None) => read.unreadable.push(UnreadableLine { number, why }),
            }
        }
        read
    }
}

/// The letter that `letter write` wrote behind a line which another program left without its newline, with the text
/// before it and its own bytes. `None` for any other line: an object at the end of a torn line may be a part of that
/// line.
fn written_at_the_end(line: &[u8]) -> Option<(&[u8], &[u8], Letter)> {
    // Inside a text the quotes would be escaped, so this is not the end of a text.
    let at = line.windows(draft::START.len()).rposition(|part| part == draft::START)?;
    let (before, own) = line.split_at(at);
    let letter = Letter::parse(own).ok().filter(|_| !before.is_empty())?;
    let is_whole = letter.at().is_some() && letter.agent.is_some() && letter.class.is_some();
    (is_whole && letter.what.is_some()).then_some((before, own, letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &[u8], tail: Tail, letters: &[usize], unreadable: &[usize], waiting: bool) {
        let read = LetterLines::read(text, tail);
        assert_eq!(read.letters.iter().map(|l| l.number).collect::<Vec<_>>(), letters);
        assert_eq!(read.unreadable.iter().map(|l| l.number).collect::<Vec<_>>(), unreadable);
        assert_eq!(read.waiting, waiting);
    }

    #[test] // spec: LTR-1, LTR-2
    fn bad_lines_block_nothing_and_a_last_line_without_newline_waits() {
        check(b"", Tail::Waits, &[], &[], false);
        check(b"{\"a\":1}\n{\"a\":2}\n", Tail::Waits, &[1, 2], &[], false);
        check(b"{\"a\":1}\nnot json\n\n  \r\n[1]\n{\"a\":2}\r\n", Tail::Waits, &[1, 6], &[2, 5], false);
        check(b"{\"a\":1}\n{\"a\":2}", Tail::Waits, &[1], &[], true);
        check(b"{\"a\":1}\n{\"a\":2", Tail::Waits, &[1], &[], true);
        check(b"{\"a\":1}\n{\"a\":2}", Tail::Counts, &[1, 2], &[], false);
        check(b"{\"a\":1}\n{\"a\":2", Tail::Counts, &[1], &[2], false);
        check(b"{\"a\":1}\n\xff\xfe\n{\"a\":1}\n", Tail::Waits, &[1], &[2], false);
    }

    #[test] // spec: LTR-1
    fn a_letter_behind_half_a_line_counts_and_the_half_line_is_named() {
        let own = br#"{"ts":"2026-01-28T15:30:00Z","agent":"codex:maker","class":"bug","what":"a {\"ts\":\"","exact":{"repo":"folder"}}"#;
        let glued = |before: &[u8]| [before, own, b"\n{\"a\":2}\n"].concat();
        let read = LetterLines::read(&glued(br#"{"class":"bug","wh"#), Tail::Waits);
        assert_eq!(read.letters.iter().map(|l| l.number).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(
            (read.letters[0].line.as_slice(), &read.letters[0].letter.id),
            (&own[..], &LetterId::of_line(own))
        );
        assert_eq!(read.unreadable, [UnreadableLine { number: 1, why: LineFault::BeforeALetter }]);
        // The part before it is a whole letter: both count.
        let read = LetterLines::read(&glued(br#"{"a":1}"#), Tail::Waits);
        assert_eq!((read.letters.len(), read.unreadable.len()), (3, 0));
        // Written once more on a line of its own, it counts once.
        let twice = [&glued(b"{\"a\":")[..], own, b"\n"].concat();
        assert_eq!(LetterLines::read(&twice, Tail::Waits).letters.len(), 2);
        // An object at the end of a torn line may be a part of it.
        check(b"{\"class\":\"bug\",\"more\":{\"what\":\"x\"}\n", Tail::Waits, &[], &[1], false);
        check(b"{\"x\":{\"ts\":\"2026-01-28T15:30:00Z\",\"what\":\"x\"}\n", Tail::Waits, &[], &[1], false);
    }
}
