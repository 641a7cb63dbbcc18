//! The id of a letter.

use crate::filed_line;
use brainstem_base::hash;
use std::fmt;

const DIGITS: usize = 12;

/// The first 12 hex digits of the SHA-256 of a letter's line, without its newline. For a line with a secret, the line
/// without the secret is hashed: a hash of the whole would let a reader of the masked letter test guesses. For a line
/// with a path of this machine, the filed line is hashed.
///
/// Invariant: 12 lower-case hex digits. It is derived from the line and stored nowhere, so it is the same on
/// every machine.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LetterId([u8; DIGITS]);

impl LetterId {
    /// The id of a line.
    pub fn of_line(line: &[u8]) -> Self {
        filed_line::filed(line).map_or_else(|| Self::of_bytes(line), |filed| Self::of_bytes(&filed))
    }

    /// The hash of a line as it is, with its paths: its id in older programs.
    pub fn of_bytes(line: &[u8]) -> Self {
        Self::of_digits(&hash::sha256_hex(line, DIGITS))
    }

    /// The id of a line with a secret, from the line without the secret. Lines that are equal without their secrets are
    /// numbered, from 1.
    pub fn of_masked(left: &str, number: usize) -> Self {
        Self::of_bytes(format!("masked\n{number}\n{left}").as_bytes())
    }

    /// Parses an id, in either case.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = text.len() == DIGITS && text.bytes().all(|b| b.is_ascii_hexdigit());
        fits.then(|| Self::of_digits(text))
    }

    fn of_digits(text: &str) -> Self {
        let mut digits = [0; DIGITS];
        digits.copy_from_slice(text.as_bytes());
        digits.make_ascii_lowercase();
        Self(digits)
    }

    /// The id as written.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("hex digits are text")
    }
}

impl fmt::Debug for LetterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LetterId({})", self.as_str())
    }
}

impl fmt::Display for LetterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: LTR-3
    fn an_id_is_the_hash_of_the_line_as_it_lies_there() {
        // `printf '{"class":"win"}' | sha256sum`
        assert_eq!(LetterId::of_line(br#"{"class":"win"}"#).as_str(), "d0646255fd32");
        assert_ne!(LetterId::of_line(b"{}"), LetterId::of_line(b"{} "));
        assert_ne!(LetterId::of_line(b"{}"), LetterId::of_line(b"{}\r"));
        // The id of a line with a path is the hash of the filed line.
        let (line, filed) = (&br#"{"repo":"/srv/p"}"#[..], &br#"{"repo":"outside://p"}"#[..]);
        assert_eq!(LetterId::of_line(line), LetterId::of_bytes(filed));
        assert_eq!(LetterId::of_line(filed), LetterId::of_bytes(filed));
    }

    #[test] // spec: LTR-3
    fn only_twelve_hex_digits_are_an_id() {
        assert_eq!(LetterId::parse(" ABCDEF012345 ").map(|id| id.to_string()), Some("abcdef012345".into()));
        for bad in ["", "abcdef01234", "abcdef0123456", "abcdef01234g", "L27"] {
            assert_eq!(LetterId::parse(bad), None, "{bad}");
        }
    }
}
