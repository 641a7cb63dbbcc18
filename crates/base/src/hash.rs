//! SHA-256 and lower-case hex, in one place.

use sha2::{Digest as _, Sha256};

/// The SHA-256 digest of `bytes`.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Lower-case hex of `bytes`.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// The first `digits` hex digits of the SHA-256 digest of `bytes`.
pub fn sha256_hex(bytes: &[u8], digits: usize) -> String {
    let mut text = hex(&sha256(bytes)[..digits.div_ceil(2).min(32)]);
    text.truncate(digits);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_the_published_one() {
        assert_eq!(
            sha256_hex(b"abc", 64),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(sha256_hex(b"abc", 8), "ba7816bf");
    }
}
