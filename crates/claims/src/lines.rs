//! A range of lines, in the form of an anchor.

use std::fmt;

/// A range of lines, counted from 1, with the last one included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineRange {
    /// The first.
    pub first: usize,
    /// The last.
    pub last: usize,
}

impl LineRange {
    /// Reads `6`, `6-20` and `6-L20`.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| {
            let is_number = (1..=7).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
            is_number.then(|| text.parse::<usize>().ok()).flatten()
        };
        let (first, last) = match text.split_once('-') {
            Some((first, last)) => (number(first)?, number(last.strip_prefix(['L', 'l']).unwrap_or(last))?),
            None => (number(text)?, number(text)?),
        };
        (1 <= first && first <= last).then_some(Self { first, last })
    }

    pub(crate) fn count(self) -> usize {
        self.last - self.first + 1
    }
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first == self.last {
            true => write!(f, "L{}", self.first),
            false => write!(f, "L{}-L{}", self.first, self.last),
        }
    }
}
