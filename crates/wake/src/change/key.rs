//! The keys of changes: SHA-256 in hex over canonical texts.

use brainstem_base::hash::{hex, sha256};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// A text is not 64 lower-case hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a key of a change has 64 lower-case hex digits")]
pub struct ChangeKeyFault;

/// Defines a key. Each is a type of its own, so that none is compared with another.
macro_rules! change_keys {
    ($($(#[$about:meta])* $name:ident;)*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; 32]);

        impl $name {
            /// The digest of a canonical text.
            pub(in crate::change) fn of(text: &str) -> Self {
                Self(sha256(text.as_bytes()))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&hex(&self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl FromStr for $name {
            type Err = ChangeKeyFault;

            fn from_str(text: &str) -> Result<Self, ChangeKeyFault> {
                read_hex(text).map(Self).ok_or(ChangeKeyFault)
            }
        }
    )*};
}

change_keys! {
    /// The key of one unit of change.
    ChangeUnitKey;
    /// The key of one change: what a run key is made from, and the same on every device that sees the change.
    LogicalChangeKey;
    /// The key of one unit in version 1, which is in rows of earlier programs.
    ChangeUnitKeyV1;
    /// The key of one change in version 1. No code compares it with a key of version 2.
    LogicalChangeKeyV1;
}

/// The key of the change that has these units: over their keys, sorted, each once.
pub fn logical_change_key(units: &BTreeSet<ChangeUnitKey>) -> LogicalChangeKey {
    LogicalChangeKey::of(&joined("v2|", units))
}

/// The keys in hex behind a version. The order of bytes is the order of their hex digits.
pub(in crate::change) fn joined<K: fmt::Display>(version: &str, units: &BTreeSet<K>) -> String {
    let keys: Vec<String> = units.iter().map(K::to_string).collect();
    format!("{version}{}", keys.join(","))
}

fn read_hex(text: &str) -> Option<[u8; 32]> {
    let digit = |b: u8| match b {
        b'0'..=b'9' => Some(b - b'0'),
        b'a'..=b'f' => Some(b - b'a' + 10),
        _ => None,
    };
    let mut key = [0; 32];
    if text.len() != 64 {
        return None;
    }
    for (byte, pair) in key.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_is_written_and_nothing_else_is_one() {
        let key = LogicalChangeKey::of("x");
        assert_eq!(key.to_string().parse(), Ok(key));
        let text = key.to_string();
        for bad in ["", &text[1..], &text.to_uppercase(), &format!("{text}0"), &text.replace('2', "g")] {
            assert_eq!(bad.parse::<LogicalChangeKey>(), Err(ChangeKeyFault), "{bad:?}");
        }
    }
}
