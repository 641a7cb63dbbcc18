//! Alphabets, runs and boundaries: what every check is made of.

use crate::limits;
use std::cell::Cell;
use std::ops::Range;

/// A set of ASCII bytes, as bits over the classes below.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Set(u16);

const fn class(byte: u8) -> u16 {
    match byte {
        b'0' | b'1' | b'8' | b'9' => 1,
        b'2'..=b'7' => 1 << 1,
        b'a'..=b'f' => 1 << 2,
        b'g'..=b'z' => 1 << 3,
        b'A'..=b'F' => 1 << 4,
        b'G'..=b'Z' => 1 << 5,
        b'-' => 1 << 6,
        b'_' => 1 << 7,
        b'+' => 1 << 8,
        b'/' => 1 << 9,
        b'.' => 1 << 10,
        b'=' => 1 << 11,
        b'~' => 1 << 12,
        b'%' => 1 << 13,
        _ => 0,
    }
}

const CLASSES: [u16; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = class(byte as u8);
        byte += 1;
    }
    classes
};

pub(crate) const DIGIT: Set = Set(0b11);
pub(crate) const HEX: Set = Set(0b111);
/// Hexadecimal in either case.
pub(crate) const HEX_ANY: Set = Set(0b1_0111);
/// Lower-case letters and digits.
pub(crate) const B36: Set = Set(0b1111);
/// Upper-case letters and digits.
pub(crate) const UPPER36: Set = Set(0b11_0011);
/// Upper-case letters and the digits 2 to 7.
pub(crate) const B32: Set = Set(0b11_0010);
/// Lower-case letters and the digits 2 to 7.
pub(crate) const B32_LOWER: Set = Set(0b1110);
pub(crate) const B62: Set = Set(0b11_1111);
/// Base64 without padding.
pub(crate) const B64: Set = Set(0b11_0011_1111);
/// Base64 with padding.
pub(crate) const B64_PAD: Set = Set(0b1011_0011_1111);
/// Base64 for addresses.
pub(crate) const B64U: Set = Set(0b1111_1111);
/// What a token of an opaque format may hold.
pub(crate) const OPAQUE: Set = Set(0b1_0100_1111_1111);
/// Any form of base64, with padding.
pub(crate) const B64_ANY: Set = Set(0b1011_1111_1111);
/// What RFC 6750 allows in a bearer token.
pub(crate) const BEARER: Set = Set(0b1_1111_1111_1111);
/// Letters, digits and percent signs.
pub(crate) const B62_PERCENT: Set = Set(0b10_0000_0011_1111);

impl Set {
    pub(crate) const fn has(self, byte: u8) -> bool {
        CLASSES[byte as usize] & self.0 != 0
    }
}

/// The text under inspection, and how many bytes the checks have looked at.
pub(crate) struct TextScan<'a> {
    pub(crate) text: &'a [u8],
    steps: Cell<u64>,
}

impl<'a> TextScan<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, steps: Cell::new(0) }
    }

    /// The work so far. The tests hold it against the length of the text.
    #[cfg(test)]
    pub(crate) fn steps(&self) -> u64 {
        self.steps.get()
    }

    pub(crate) fn count(&self, steps: usize) {
        self.steps.set(self.steps.get() + steps as u64);
    }

    pub(crate) fn at(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    pub(crate) fn before(&self, at: usize) -> Option<u8> {
        at.checked_sub(1).and_then(|at| self.at(at))
    }

    pub(crate) fn has(&self, at: usize, literal: &str) -> bool {
        self.text.get(at..).is_some_and(|rest| rest.starts_with(literal.as_bytes()))
    }

    pub(crate) fn has_folded(&self, at: usize, literal: &str) -> bool {
        self.text
            .get(at..at + literal.len())
            .is_some_and(|here| here.eq_ignore_ascii_case(literal.as_bytes()))
    }

    /// How many bytes from `at` on are in the set, at most `max`.
    pub(crate) fn run(&self, at: usize, set: Set, max: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or(&[]);
        let len = rest.iter().take(max).take_while(|byte| set.has(**byte)).count();
        self.count(len + 1);
        len
    }

    /// How many bytes before `at` are in the set, at most `max`.
    pub(crate) fn run_back(&self, at: usize, set: Set, max: usize) -> usize {
        let rest = self.text.get(..at).unwrap_or(&[]);
        let len = rest.iter().rev().take(max).take_while(|byte| set.has(**byte)).count();
        self.count(len + 1);
        len
    }

    /// Where spaces and tabs end.
    pub(crate) fn skip_blanks(&self, mut at: usize) -> usize {
        let max = at + limits::VALUE_LEN_MAX;
        while at < max && matches!(self.at(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        self.count(1);
        at
    }

    /// The text from `at` on, at most `max` bytes. The caller counts what it looks at.
    pub(crate) fn up_to(&self, at: usize, max: usize) -> &'a [u8] {
        let rest = self.text.get(at..).unwrap_or(&[]);
        &rest[..rest.len().min(max)]
    }

    /// The rest of the line from `at`, at most `max` bytes.
    pub(crate) fn line_from(&self, at: usize, max: usize) -> &'a [u8] {
        let rest = self.text.get(at..).unwrap_or(&[]);
        let rest = &rest[..rest.len().min(max)];
        let len = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        self.count(len + 1);
        &rest[..len]
    }

    /// Up to `max` bytes on either side of `span`.
    pub(crate) fn around(&self, span: &Range<usize>, max: usize) -> &'a [u8] {
        let around = span.start.saturating_sub(max)..(span.end + max).min(self.text.len());
        self.count(around.len());
        &self.text[around]
    }

    /// Whether a token may start at `at`: what is before it is not part of a word.
    ///
    /// A letter that ends an escape (`\n`, `%3D`, a terminal colour) is no part of a word either.
    pub(crate) fn starts_at(&self, at: usize) -> bool {
        let Some(before) = self.before(at) else { return true };
        if !(before.is_ascii_alphanumeric() || before == b'_') {
            return true;
        }
        let back = |n: usize| at.checked_sub(n).and_then(|at| self.at(at));
        match before {
            b'n' | b'r' | b't' if back(2) == Some(b'\\') => back(3) != Some(b'\\') || back(4) == Some(b'\\'),
            b'm' => {
                let code = (2..8).find(|n| !matches!(back(*n), Some(b'0'..=b'9' | b';'))).unwrap_or(8);
                // The sign before the number may be lost with the escape.
                code > 2 && !back(code).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            }
            _ => {
                HEX_ANY.has(before) && back(3) == Some(b'%') && back(2).is_some_and(|byte| HEX_ANY.has(byte))
            }
        }
    }

    /// Whether a token of a known kind may start at `at`: also behind the `_` of a name that it was glued to
    /// (`file_ghp_…`). There the caller looks whether its body was written by hand: names are made of words and `_`.
    pub(crate) fn starts_token_at(&self, at: usize) -> bool {
        self.before(at) == Some(b'_') || self.starts_at(at)
    }

    /// Whether a token may end before `at`: no letter or digit follows.
    pub(crate) fn ends_at(&self, at: usize) -> bool {
        !self.at(at).is_some_and(|byte| byte.is_ascii_alphanumeric())
    }
}

/// Where `needle` (in lower case) is first found in `hay`, in any case.
pub(crate) fn find_folded(hay: &[u8], needle: &str) -> Option<usize> {
    let needle = needle.as_bytes();
    let first = *needle.first()?;
    (0..hay.len().checked_sub(needle.len())? + 1).find(|at| {
        hay[*at].to_ascii_lowercase() == first && hay[*at..*at + needle.len()].eq_ignore_ascii_case(needle)
    })
}

/// Where `needle` is first found in `hay`.
pub(crate) fn find(hay: &[u8], needle: &str) -> Option<usize> {
    let needle = needle.as_bytes();
    let first = needle.first()?;
    // Most values lack the byte altogether, and that is known fast.
    if !hay.contains(first) {
        return None;
    }
    (0..hay.len().checked_sub(needle.len())? + 1).find(|at| hay[*at..].starts_with(needle))
}

/// Shannon entropy of a short value, in bits per byte.
pub(crate) fn entropy(value: &[u8]) -> f32 {
    let mut counts = [0u16; 256];
    for byte in value {
        counts[*byte as usize] += 1;
    }
    let len = value.len() as f32;
    let parts = counts.iter().filter(|count| **count > 0).map(|count| {
        let share = f32::from(*count) / len;
        -share * share.log2()
    });
    parts.sum()
}

/// How many different bytes a value holds.
pub(crate) fn distinct(value: &[u8]) -> usize {
    let mut seen = [0u64; 4];
    for byte in value {
        seen[(byte >> 6) as usize] |= 1 << (byte & 63);
    }
    seen.iter().map(|part| part.count_ones() as usize).sum()
}
