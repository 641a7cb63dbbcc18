//! The lines of a spool or a box.

use crate::{Letter, LetterId, LineFault};
use std::collections::HashSet;

/// What to make of a last line without its newline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    /// Somebody may still be writing it: it waits. A spool is read like this.
    Waits,
    /// It counts if it is a letter. A box is read like this: an editor or a merge may have left it so.
    Counts,
}

/// What a file of letters holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Its letters in order, each once.
    pub letters: Vec<Lettered>,
    /// Lines that are no letters.
    pub unreadable: Vec<Unreadable>,
    /// The last line has no newline, and waits.
    pub waiting: bool,
}

/// A letter and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lettered {
    /// The number of the line, from 1.
    pub number: usize,
    /// The line, without its newline.
    pub line: Vec<u8>,
    /// What it says.
    pub letter: Letter,
}

/// A line that is no letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The number of the line, from 1.
    pub number: usize,
    /// Why.
    pub why: LineFault,
}

impl Lines {
    /// Reads a file of letters. Blank lines are nothing.
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
            match Letter::parse(line) {
                Ok(letter) if known.insert(letter.id.clone()) => {
                    read.letters.push(Lettered { number, line: line.to_vec(), letter });
                }
                Ok(_) => {}
                Err(why) => read.unreadable.push(Unreadable { number, why }),
            }
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &[u8], tail: Tail, letters: &[usize], unreadable: &[usize], waiting: bool) {
        let read = Lines::read(text, tail);
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
}
