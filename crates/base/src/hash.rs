//! SHA-256, the names that git gives to the bytes of a file, and lower-case hex, in one place.

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

/// The name that git gives to a file of these bytes, in hex, in a repository whose names have this many hex digits: 64 are
/// of SHA-256, and all others of SHA-1.
pub fn git_object(bytes: &[u8], digits: usize) -> String {
    let object = [format!("blob {}\0", bytes.len()).as_bytes(), bytes].concat();
    if digits == 64 { hex(&sha256(&object)) } else { hex(&sha1(&object)) }
}

/// The SHA-1 digest of `bytes`. Git names its objects with it; nothing is secured by it here.
fn sha1(bytes: &[u8]) -> [u8; 20] {
    let mut state: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    let mut message = bytes.to_vec();
    message.push(0x80);
    message.resize((message.len() + 8).next_multiple_of(64) - 8, 0);
    message.extend((bytes.len() as u64 * 8).to_be_bytes());
    for block in message.chunks_exact(64) {
        let mut words = [0_u32; 80];
        for (word, four) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = u32::from_be_bytes([four[0], four[1], four[2], four[3]]);
        }
        for at in 16..80 {
            words[at] = (words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (at, word) in words.iter().enumerate() {
            let (mixed, constant) = match at / 20 {
                0 => ((b & c) | (!b & d), 0x5a82_7999),
                1 => (b ^ c ^ d, 0x6ed9_eba1),
                2 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6_u32),
            };
            let next = a.rotate_left(5).wrapping_add(mixed).wrapping_add(e);
            let next = next.wrapping_add(constant).wrapping_add(*word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        for (sum, part) in state.iter_mut().zip([a, b, c, d, e]) {
            *sum = sum.wrapping_add(part);
        }
    }
    let mut digest = [0; 20];
    for (four, word) in digest.chunks_exact_mut(4).zip(state) {
        four.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_name_that_git_gives_it() {
        // `git hash-object`, with nothing, a line, and more than one block.
        assert_eq!(git_object(b"", 40), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(git_object(b"hello\n", 40), "ce013625030ba8dba906f756967f9e9ca394464a");
        assert_eq!(git_object("abc\n".repeat(50).as_bytes(), 40), "4f8868ee894f1b8fb61fa8262b9d4d5d6f9ee67f");
        assert_eq!(git_object(b"", 64), "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813");
        assert_eq!(hex(&sha1(b"abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
    }

    #[test]
    fn the_digest_is_the_published_one() {
        assert_eq!(
            sha256_hex(b"abc", 64),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(sha256_hex(b"abc", 8), "ba7816bf");
    }
}
