//! A fast checksum over a whole block, to notice damage by a disk or an edit. It does not protect against an attacker:
//! a forged segment can only offer candidates, and those are read from their files.

const PRIMES: [u64; 4] =
    [0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63];

/// Sums a block.
pub(super) fn sum(bytes: &[u8]) -> u64 {
    let mut lanes = PRIMES;
    let mut blocks = bytes.chunks_exact(32);
    for block in &mut blocks {
        for (lane, word) in lanes.iter_mut().zip(block.chunks_exact(8)) {
            let word = u64::from_le_bytes(word.try_into().expect("eight bytes"));
            *lane = (*lane ^ word).wrapping_mul(PRIMES[0]).rotate_left(29);
        }
    }
    let mut total = bytes.len() as u64;
    for lane in lanes {
        total = mix(total ^ lane);
    }
    for byte in blocks.remainder() {
        total = mix(total ^ u64::from(*byte));
    }
    total
}

fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 29)).wrapping_mul(PRIMES[1]);
    (value ^ (value >> 32)).wrapping_mul(PRIMES[2])
}

/// Spreads the bytes of a key, for the table that finds documents by key.
pub(super) fn spread(key: &[u8]) -> u64 {
    let mut hash = PRIMES[3] ^ key.len() as u64;
    for chunk in key.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = mix(hash ^ u64::from_le_bytes(word));
    }
    hash
}
