//! Text becomes word pieces, exactly as BERT's uncased tokenizer does it.
//!
//! Characters are cleaned, lowered and stripped of accents one by one; words end at white space, and punctuation and
//! ideographs are words of their own; a word is then spelt with the longest pieces that fit, from left to right.

use crate::unicode::{is_accent, is_dropped, is_ideograph, is_punctuation};
use crate::vocabulary::{PrefixHash, UNKNOWN, find};
use unicode_normalization::char::decompose_canonical;

/// The most pieces of a text that count; what follows them is not read.
pub const PIECE_COUNT_MAX: usize = 256;

/// A word of more characters than this is unknown.
const WORD_LEN_MAX: usize = 100;

/// The ids of a text's pieces, at most [`PIECE_COUNT_MAX`].
pub(crate) fn pieces(text: impl Iterator<Item = char>) -> Vec<u16> {
    let mut speller = Speller { ids: Vec::with_capacity(32), word: PieceWord::default() };
    for c in text {
        speller.read(c);
        if speller.ids.len() >= PIECE_COUNT_MAX {
            break;
        }
    }
    speller.end_word();
    speller.ids.truncate(PIECE_COUNT_MAX);
    speller.ids
}

struct Speller {
    ids: Vec<u16>,
    word: PieceWord,
}

impl Speller {
    fn read(&mut self, c: char) {
        if c.is_ascii() {
            match c {
                _ if is_dropped(c) => {}
                _ if c.is_ascii_whitespace() => self.end_word(),
                _ => self.write(c.to_ascii_lowercase()),
            }
        } else if is_dropped(c) {
        } else if c.is_whitespace() {
            self.end_word();
        } else if is_ideograph(c) {
            decompose_canonical(c, |part| self.write_alone(part));
        } else {
            for lowered in c.to_lowercase() {
                decompose_canonical(lowered, |part| {
                    if !is_accent(part) {
                        self.write(part);
                    }
                });
            }
        }
    }

    fn write(&mut self, c: char) {
        if is_punctuation(c) {
            self.write_alone(c);
        } else {
            self.word.push(c);
        }
    }

    fn write_alone(&mut self, c: char) {
        self.end_word();
        self.word.push(c);
        self.end_word();
    }

    /// Spells the word read so far, whole or not at all.
    fn end_word(&mut self) {
        if self.word.len == 0 {
            return;
        }
        let before = self.ids.len();
        if self.word.len > WORD_LEN_MAX || !self.word.spell(&mut self.ids) {
            self.ids.truncate(before);
            self.ids.push(UNKNOWN);
        }
        self.word.clear();
    }
}

/// The word being read.
#[derive(Default)]
struct PieceWord {
    text: String,
    /// Its length in characters; the text stops at [`WORD_LEN_MAX`].
    len: usize,
    /// The hashes of the prefixes of what is left to spell, with their ends, as room to work in.
    prefixes: Vec<(usize, PrefixHash)>,
}

impl PieceWord {
    fn push(&mut self, c: char) {
        self.len += 1;
        if self.len <= WORD_LEN_MAX {
            self.text.push(c);
        }
    }

    fn clear(&mut self) {
        self.len = 0;
        self.text.clear();
    }

    /// Adds the ids of the longest pieces, and says whether they reached the end.
    fn spell(&mut self, ids: &mut Vec<u16>) -> bool {
        let mut start = 0;
        while start < self.text.len() {
            let lead: &[u8] = if start == 0 { b"" } else { b"##" };
            let Some((id, end)) = self.longest(start, lead) else { return false };
            ids.push(id);
            start = end;
        }
        true
    }

    fn longest(&mut self, start: usize, lead: &[u8]) -> Option<(u16, usize)> {
        let bytes = self.text.as_bytes();
        let mut hash = if lead.is_empty() { PrefixHash::START } else { PrefixHash::GOES_ON };
        self.prefixes.clear();
        for (at, &byte) in bytes.iter().enumerate().skip(start) {
            hash = hash.with(byte);
            if self.text.is_char_boundary(at + 1) {
                self.prefixes.push((at + 1, hash));
            }
        }
        self.prefixes
            .iter()
            .rev()
            .find_map(|&(end, hash)| find(hash, lead, &bytes[start..end]).map(|id| (id, end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelt(text: &str) -> Vec<String> {
        let names: Vec<&str> = include_str!("../weights/vocab.txt").lines().collect();
        pieces(text.chars()).into_iter().map(|id| names[usize::from(id)].to_owned()).collect()
    }

    #[test]
    fn words_are_lowered_stripped_and_spelt_with_the_longest_pieces() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[]),
            (" \t\r\n\u{a0}\u{2028}", &[]),
            ("Hello, World!", &["hello", ",", "world", "!"]),
            ("unaffable", &["una", "##ffa", "##ble"]),
            ("naïve CAFÉ", &["naive", "cafe"]),
            ("e\u{301}clair", &["ec", "##lai", "##r"]),
            ("İstanbul", &["istanbul"]),
            ("a\u{0}b\u{200b}c\u{fffd}", &["abc"]),
            ("a东京", &["a", "[UNK]", "京"]),
            // A compatibility ideograph becomes the unified one.
            ("\u{F90A}", &["金"]),
            ("don't", &["don", "'", "t"]),
            ("“quoted”…", &["“", "quoted", "”", "…"]),
            ("[CLS] [SEP]", &["[", "cl", "##s", "]", "[", "sep", "]"]),
            ("\u{301}\u{301}", &[]),
            ("🦀", &["[UNK]"]),
            ("mail_send", &["mail", "_", "send"]),
        ];
        for (text, expected) in cases {
            assert_eq!(spelt(text), *expected, "{text:?}");
        }
    }

    #[test]
    fn a_word_of_more_than_a_hundred_characters_is_unknown() {
        assert!(!pieces("a".repeat(100).chars()).contains(&UNKNOWN));
        assert_eq!(pieces("a".repeat(101).chars()), [UNKNOWN]);
        assert_eq!(pieces("a".repeat(1 << 20).chars()), [UNKNOWN]);
    }

    #[test]
    fn a_long_text_is_cut() {
        let long = "one two three ".repeat(100_000);
        assert_eq!(pieces(long.chars()).len(), PIECE_COUNT_MAX);
        assert_eq!(pieces(long.chars()), pieces(long[..5000].chars()));
        // A last word of several pieces is cut where the limit falls.
        let text = format!("{}unaffable", "one ".repeat(PIECE_COUNT_MAX - 1));
        assert_eq!(spelt(&text)[PIECE_COUNT_MAX - 1], "una");
    }
}
