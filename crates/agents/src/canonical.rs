//! The one form in which this program hashes several values into a key.
//!
//! A hash over values that are merely written one behind the other has collisions that an attacker chooses: `("ab", "c")`
//! and `("a", "bc")` are the same bytes. Here every value is written as a letter for its kind, its length in bytes as a
//! decimal number, `:`, and its bytes; the first is the domain, which says what the key is for. So no two inputs have the
//! same bytes, and no key of one domain is a key of another. The digest is SHA-256.
//!
//! | value | written as | example |
//! | --- | --- | --- |
//! | domain | `d`, its UTF-8 | `d9:example.1` |
//! | text | `t`, its UTF-8 | `t5:coach` |
//! | no text | `n`, nothing | `n0:` |
//! | whole number | `i`, its decimal digits | `i2:42` |
//! | list of texts | `l`, its items as texts | `l8:t1:at1:b` |
//! | JSON | `j`, its spelling by RFC 8785 | `j7:{"a":1}` |
//!
//! The form never changes: keys are stored, and other devices derive the same ones. A new form gets new domains. The
//! vectors in `tests/vectors/canonical.json` hold it.

use crate::canonical_json::CanonicalJson;
use brainstem_base::hash::{hex, sha256};
use std::fmt;
use std::str::FromStr;

/// The values that one key is made of, in their order.
///
/// ```
/// use brainstem_agents::HashInput;
///
/// let key = HashInput::new("example.1").text("coach").number(7).digest();
/// assert_eq!(key, HashInput::new("example.1").text("coach").number(7).digest());
/// assert_ne!(key, HashInput::new("example.1").text("coach7").digest());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashInput(Vec<u8>);

impl HashInput {
    /// Begins the input of a key. The domain says what the key is for, and ends with a version.
    pub fn new(domain: &'static str) -> Self {
        let mut bytes = Vec::new();
        write_field(&mut bytes, b'd', domain.as_bytes());
        Self(bytes)
    }

    /// Adds a text.
    pub fn text(self, text: &str) -> Self {
        self.with(b't', text.as_bytes())
    }

    /// Adds a text that may be missing, which differs from an empty one.
    pub fn optional_text(self, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.text(text),
            None => self.with(b'n', b""),
        }
    }

    /// Adds a whole number.
    pub fn number(self, number: u64) -> Self {
        self.with(b'i', number.to_string().as_bytes())
    }

    /// Adds a list of texts, which differs from the same texts one by one. A set is sorted by its caller.
    pub fn texts<'a>(self, texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut items = Vec::new();
        for text in texts {
            write_field(&mut items, b't', text.as_bytes());
        }
        self.with(b'l', &items)
    }

    /// Adds a JSON value.
    pub fn json(self, json: &CanonicalJson) -> Self {
        self.with(b'j', json.as_str().as_bytes())
    }

    /// The bytes that are hashed.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The key.
    pub fn digest(&self) -> CanonicalDigest {
        CanonicalDigest(sha256(&self.0))
    }

    fn with(mut self, kind: u8, bytes: &[u8]) -> Self {
        write_field(&mut self.0, kind, bytes);
        self
    }
}

fn write_field(input: &mut Vec<u8>, kind: u8, bytes: &[u8]) {
    input.push(kind);
    input.extend_from_slice(bytes.len().to_string().as_bytes());
    input.push(b':');
    input.extend_from_slice(bytes);
}

/// The SHA-256 of a [`HashInput`]; as text, 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CanonicalDigest([u8; 32]);

/// A text is not 64 lower-case hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is not 64 lower-case hex digits")]
pub struct DigestFault;

impl fmt::Display for CanonicalDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for CanonicalDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CanonicalDigest({self})")
    }
}

impl FromStr for CanonicalDigest {
    type Err = DigestFault;

    fn from_str(text: &str) -> Result<Self, DigestFault> {
        let is_hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        if text.len() != 64 || !text.bytes().all(is_hex) {
            return Err(DigestFault);
        }
        let mut digest = [0; 32];
        for (byte, pair) in digest.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).expect("hex digits are ASCII");
            *byte = u8::from_str_radix(pair, 16).expect("two hex digits are a byte");
        }
        Ok(Self(digest))
    }
}

#[cfg(test)]
#[path = "canonical_tests.rs"]
mod tests;
