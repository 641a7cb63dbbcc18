//! Unpacks what git compressed: zlib (RFC 1950) around deflate (RFC 1951). The bytes are from files that others wrote, so
//! nothing in them makes the output larger than the caller allows.

/// The code lengths of a block are given in this order.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/// The shortest repetition of each length symbol, and how many more bits say how much longer it is.
const LENGTHS: [(usize, u32); 29] = [
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (11, 1),
    (13, 1),
    (15, 1),
    (17, 1),
    (19, 2),
    (23, 2),
    (27, 2),
    (31, 2),
    (35, 3),
    (43, 3),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 4),
    (115, 4),
    (131, 5),
    (163, 5),
    (195, 5),
    (227, 5),
    (258, 0),
];
/// The longest code of a symbol, in bits.
const CODE_LEN_MAX: usize = 15;

/// The bytes that were compressed; `None` if these are not whole zlib data, or would give more than `len_max` bytes.
pub(super) fn inflate(data: &[u8], len_max: usize) -> Option<Vec<u8>> {
    let (method, flags) = (*data.first()?, *data.get(1)?);
    let is_zlib = method & 0x0f == 8
        && flags & 0x20 == 0
        && (u16::from(method) << 8 | u16::from(flags)).is_multiple_of(31);
    if !is_zlib {
        return None;
    }
    let mut bits = BitReader { data: &data[2..], at: 0, held: 0, count: 0 };
    let mut out = Vec::new();
    loop {
        let is_last = bits.take(1)? == 1;
        match bits.take(2)? {
            0 => stored(&mut bits, &mut out, len_max)?,
            1 => {
                let lengths: Vec<usize> = (0..288).map(fixed_length).collect();
                block(&mut bits, &Codes::new(&lengths)?, &Codes::new(&[5; 30])?, &mut out, len_max)?;
            }
            2 => {
                let (literals, distances) = tables(&mut bits)?;
                block(&mut bits, &literals, &distances, &mut out, len_max)?;
            }
            _ => return None,
        }
        if is_last {
            break;
        }
    }
    let sum = bits.data.get(bits.at..bits.at + 4)?;
    (adler32(&out) == u32::from_be_bytes(sum.try_into().ok()?)).then_some(out)
}

/// The bits of compressed data, the lowest of each byte first.
struct BitReader<'a> {
    data: &'a [u8],
    /// The next byte.
    at: usize,
    held: u32,
    /// How many bits are held: fewer than eight between two calls.
    count: u32,
}

impl BitReader<'_> {
    /// The next bits, sixteen at most; `None` at the end of the data.
    fn take(&mut self, count: u32) -> Option<usize> {
        while self.count < count {
            self.held |= u32::from(*self.data.get(self.at)?) << self.count;
            self.at += 1;
            self.count += 8;
        }
        let taken = self.held & ((1 << count) - 1);
        self.held >>= count;
        self.count -= count;
        usize::try_from(taken).ok()
    }
}

/// The codes of an alphabet: how many there are of each length, and the symbols by length.
struct Codes {
    counts: [usize; CODE_LEN_MAX + 1],
    symbols: Vec<usize>,
}

impl Codes {
    /// The codes of symbols with these lengths (0 for an unused one); `None` if more codes have a length than it has.
    fn new(lengths: &[usize]) -> Option<Self> {
        let mut counts = [0; CODE_LEN_MAX + 1];
        for len in lengths {
            *counts.get_mut(*len)? += 1;
        }
        counts[0] = 0;
        let mut free = 1_usize;
        for count in &counts[1..] {
            free = (free * 2).checked_sub(*count)?;
        }
        let mut symbols: Vec<usize> = (0..lengths.len()).filter(|symbol| lengths[*symbol] > 0).collect();
        symbols.sort_by_key(|symbol| (lengths[*symbol], *symbol));
        Some(Self { counts, symbols })
    }

    /// The next symbol.
    fn next(&self, bits: &mut BitReader<'_>) -> Option<usize> {
        let (mut code, mut first, mut index) = (0, 0, 0);
        for count in &self.counts[1..] {
            code |= bits.take(1)?;
            if code < first + count {
                return self.symbols.get(index + code - first).copied();
            }
            index += count;
            first = (first + count) * 2;
            code *= 2;
        }
        None
    }
}

/// The length of a symbol's code in a block without a table of its own.
fn fixed_length(symbol: usize) -> usize {
    match symbol {
        0..144 => 8,
        144..256 => 9,
        256..280 => 7,
        _ => 8,
    }
}

/// The tables at the start of a block: for literals and lengths, and for distances.
fn tables(bits: &mut BitReader<'_>) -> Option<(Codes, Codes)> {
    let (literals, distances, given) = (bits.take(5)? + 257, bits.take(5)? + 1, bits.take(4)? + 4);
    let mut lengths = [0; 19];
    for place in &ORDER[..given] {
        lengths[*place] = bits.take(3)?;
    }
    let codes = Codes::new(&lengths)?;
    let mut lengths: Vec<usize> = Vec::new();
    while lengths.len() < literals + distances {
        let (len, times) = match codes.next(bits)? {
            16 => (*lengths.last()?, bits.take(2)? + 3),
            17 => (0, bits.take(3)? + 3),
            18 => (0, bits.take(7)? + 11),
            len => (len, 1),
        };
        lengths.extend(std::iter::repeat_n(len, times));
    }
    if lengths.len() > literals + distances {
        return None;
    }
    Some((Codes::new(&lengths[..literals])?, Codes::new(&lengths[literals..])?))
}

/// Adds a block that was not compressed.
fn stored(bits: &mut BitReader<'_>, out: &mut Vec<u8>, len_max: usize) -> Option<()> {
    (bits.held, bits.count) = (0, 0);
    let head = bits.data.get(bits.at..bits.at + 4)?;
    let (len, check) = (u16::from_le_bytes([head[0], head[1]]), u16::from_le_bytes([head[2], head[3]]));
    if len != !check {
        return None;
    }
    let start = bits.at + 4;
    let block = bits.data.get(start..start + usize::from(len))?;
    bits.at = start + block.len();
    out.extend_from_slice(block);
    (out.len() <= len_max).then_some(())
}

/// Adds a compressed block.
fn block(
    bits: &mut BitReader<'_>,
    literals: &Codes,
    distances: &Codes,
    out: &mut Vec<u8>,
    len_max: usize,
) -> Option<()> {
    loop {
        match literals.next(bits)? {
            literal @ 0..256 => out.push(u8::try_from(literal).ok()?),
            256 => return Some(()),
            symbol => {
                let (shortest, more) = *LENGTHS.get(symbol - 257)?;
                let len = shortest + bits.take(more)?;
                let distance = distance(distances.next(bits)?, bits)?;
                let start = out.len().checked_sub(distance)?;
                if out.len() + len > len_max {
                    return None;
                }
                // The repetition may overlap what it makes.
                for from in start..start + len {
                    out.push(out[from]);
                }
            }
        }
        if out.len() > len_max {
            return None;
        }
    }
}

/// How far back a repetition begins.
fn distance(symbol: usize, bits: &mut BitReader<'_>) -> Option<usize> {
    if symbol < 4 {
        return Some(symbol + 1);
    }
    let more = u32::try_from(symbol / 2 - 1).ok().filter(|more| *more <= 13)?;
    Some(((2 + symbol % 2) << more) + 1 + bits.take(more)?)
}

fn adler32(bytes: &[u8]) -> u32 {
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    b << 16 | a
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Compressed by zlib with a table of codes of its own: 60 lines.
    const LINES: &str = "\
        78da75d5494a44411045d1b9abc80538c8e8b2594e618305a5052ad4f645326278c7ffc28743f2e276fd7a6bbddddfdba5bd\
        dc2ed7cfe7f6b8fe7eb4c7fdfbf5a7f5a7dbfff72d9b0a39c5b245859e62c6a4c24e31e6a0c24f113ba8882cc4a918a77033\
        2ae6292c948a750a9d42c53e856c34954495cea8a9aa882aa9ba1d552559d7405649d7b9d0551276768495941d8ab292b4e1\
        482b69eb036d25716d21ae26ae6ec4d5c2157eb2a92b86ba9aba81b89ab87b22ae26eeda88ab89bb04713571a721ae26ee08\
        c4d5c48d89b896b8be10d712d73be25ae29af22024ae3aea5aeaca405d2b5dc4b5c4455a4bdaad486babfe82b496b47320ad\
        f7da40a475a911445ad75a41a475ab19e4b1f5da41a4f5a821445b1fb584a8eba92b82ba9eba86b89eb83b10377a2d21e286\
        d412226ed421eb881b75c91471a34e99f3298b5a42c48d7ab80b71a3ae5947dca873a6a81bfbe90f020d8b72";

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex")).collect()
    }

    fn lines() -> Vec<u8> {
        let line = |n: usize| format!("line {} of a claim, with words {n}\n", n * 7919 % 1000);
        (0..60).map(line).collect::<String>().into_bytes()
    }

    #[test] // spec: MEM-49
    fn each_kind_of_block_is_unpacked_and_nothing_larger_than_the_limit() {
        assert_eq!(
            inflate(&bytes("78dacb48cdc9c9d751c840a200442806d5"), 100),
            Some(b"hello, hello, hello".to_vec())
        );
        assert_eq!(inflate(&bytes("7801010500faff68656c6c6f062c0215"), 100), Some(b"hello".to_vec()));
        let packed = bytes(LINES);
        assert_eq!(inflate(&packed, 10_000), Some(lines()));
        assert_eq!(inflate(&packed, lines().len() - 1), None);
        for end in 0..packed.len() {
            assert_eq!(inflate(&packed[..end], 10_000), None, "cut at {end}");
        }
    }

    proptest! {
        #[test] // spec: MEM-49
        fn no_bytes_make_it_panic(at in 0..344_usize, byte: u8, other in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut packed = bytes(LINES);
            packed[at] = byte;
            let _ = inflate(&packed, 10_000);
            let _ = inflate(&[&[0x78, 0x9c][..], &other].concat(), 10_000);
        }
    }
}
