//! Random characters from a fixed seed, so that the set is the same everywhere.

pub(crate) struct Rng(u64);

pub(crate) const B62: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const B64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Rng {
    /// A generator of its own for a named thing: adding one kind does not change the others.
    pub(crate) fn named(seed: u64, name: &str) -> Self {
        Self(seed ^ hash(name))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() >> 33) as usize % count
    }

    pub(crate) fn between(&mut self, min: usize, max: usize) -> usize {
        min + self.below(max - min + 1)
    }

    pub(crate) fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    pub(crate) fn from(&mut self, alphabet: &[u8], len: usize) -> String {
        (0..len).map(|_| char::from(alphabet[self.below(alphabet.len())])).collect()
    }

    pub(crate) fn b62(&mut self, len: usize) -> String {
        self.from(B62, len)
    }
    pub(crate) fn b64(&mut self, len: usize) -> String {
        self.from(B64, len)
    }
    pub(crate) fn b64u(&mut self, len: usize) -> String {
        self.from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", len)
    }
    pub(crate) fn hex(&mut self, len: usize) -> String {
        self.from(b"0123456789abcdef", len)
    }
    pub(crate) fn upper_hex(&mut self, len: usize) -> String {
        self.from(b"0123456789ABCDEF", len)
    }
    pub(crate) fn b36(&mut self, len: usize) -> String {
        self.from(b"0123456789abcdefghijklmnopqrstuvwxyz", len)
    }
    pub(crate) fn upper36(&mut self, len: usize) -> String {
        self.from(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", len)
    }
    pub(crate) fn b32(&mut self, len: usize) -> String {
        self.from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", len)
    }
    pub(crate) fn lower32(&mut self, len: usize) -> String {
        self.from(b"abcdefghijklmnopqrstuvwxyz234567", len)
    }
    pub(crate) fn letters(&mut self, len: usize) -> String {
        self.from(&B62[10..], len)
    }
    /// Decimal digits that do not start with zero.
    pub(crate) fn digits(&mut self, len: usize) -> String {
        self.from(b"123456789", 1) + &self.from(b"0123456789", len - 1)
    }
    pub(crate) fn uuid(&mut self) -> String {
        [8, 4, 4, 4, 12].map(|len| self.hex(len)).join("-")
    }
    pub(crate) fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }
}

/// FNV-1a: names to numbers, the same on every machine.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().enumerate().fold(0u32, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        for at in 0..4 {
            let sign = char::from(B64[(bits >> (18 - 6 * at)) as usize & 63]);
            text.push(if at <= chunk.len() { sign } else { '=' });
        }
    }
    text
}

pub(crate) fn base64url(bytes: &[u8]) -> String {
    base64(bytes).replace('+', "-").replace('/', "_").trim_end_matches('=').to_owned()
}

/// CRC-32 as in gzip.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |mut crc, byte| {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        }
        crc
    })
}

/// A number in base 62, padded to a length.
pub(crate) fn base62_number(mut number: u32, len: usize) -> String {
    let mut digits = vec![b'0'; len];
    for digit in digits.iter_mut().rev() {
        *digit = B62[number as usize % 62];
        number /= 62;
    }
    digits.into_iter().map(char::from).collect()
}
