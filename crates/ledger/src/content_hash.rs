//! The hash of what a message says. It stays when the message is redacted, so that the chain can still be verified.

use brainstem_base::hash::hex;
use sha2::{Digest as _, Sha384};
use std::fmt;

/// The SHA-384 digest of a message's bytes, which is the part of them that the running hash takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentHash([u8; Self::LEN]);

impl ContentHash {
    /// How many bytes a hash has.
    pub const LEN: usize = 48;

    /// The hash of these bytes of a message.
    pub fn of(message: &[u8]) -> Self {
        Self(Sha384::digest(message).into())
    }

    /// The hash that was kept as these bytes.
    pub fn from_bytes(bytes: [u8; Self::LEN]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}
