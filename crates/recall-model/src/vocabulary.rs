//! The vocabulary: 30,522 word pieces, found by a hash table that the compiler made.
//!
//! Nothing is built when a process starts. A lookup touches a slot of the table and, where the slot is taken, the
//! piece itself.

/// The piece for what the vocabulary cannot spell.
pub(crate) const UNKNOWN: u16 = 100;
/// The piece that opens every text given to the encoder.
pub(crate) const OPENING: u16 = 101;
/// The piece that closes it.
pub(crate) const CLOSING: u16 = 102;
/// The number of pieces.
pub(crate) const PIECE_COUNT: usize = 30_522;

/// One piece on each line, in the order of their ids.
static TEXT: &[u8] = include_bytes!("../weights/vocab.txt");
static TABLE: Table = Table::new();

/// A prefix of a word, or of the rest of a word, as its hash.
///
/// The hash grows byte by byte, so that one pass over a word gives the hashes of all its prefixes.
#[derive(Clone, Copy)]
pub(crate) struct PrefixHash(u32);

impl PrefixHash {
    /// The hash of nothing, at the start of a word.
    pub(crate) const START: Self = Self(0x811C_9DC5);
    /// The hash of `##`, which opens each piece that goes on with a word.
    pub(crate) const GOES_ON: Self = Self::START.with(b'#').with(b'#');

    /// The hash of one byte more (FNV-1a).
    pub(crate) const fn with(self, byte: u8) -> Self {
        Self((self.0 ^ byte as u32).wrapping_mul(0x0100_0193))
    }

    const fn slot(self) -> usize {
        // The low bits of FNV mix least with the last bytes; a multiplication brings all of them to the top.
        (self.0.wrapping_mul(0x9E37_79B1) >> (u32::BITS - SLOT_BITS)) as usize
    }
}

/// Finds the piece that is `lead` followed by `piece`, whose hash is given.
pub(crate) fn find(hash: PrefixHash, lead: &[u8], piece: &[u8]) -> Option<u16> {
    let mut slot = hash.slot();
    loop {
        let id = match TABLE.slots[slot] {
            0 => return None,
            taken => taken - 1,
        };
        let (start, end) = (TABLE.starts[usize::from(id)], TABLE.starts[usize::from(id) + 1]);
        // The line end is not part of the piece.
        let found = &TEXT[start as usize..end as usize - 1];
        if found.strip_prefix(lead) == Some(piece) {
            return Some(id);
        }
        slot = (slot + 1) % SLOT_COUNT;
    }
}

const SLOT_BITS: u32 = 16;
const SLOT_COUNT: usize = 1 << SLOT_BITS;

struct Table {
    /// One more than the id of a piece, or 0 for an empty slot. Less than half are taken.
    slots: [u16; SLOT_COUNT],
    /// Where each piece begins in the text, and where the last one ends.
    starts: [u32; PIECE_COUNT + 1],
}

impl Table {
    const fn new() -> Self {
        let mut table = Self { slots: [0; SLOT_COUNT], starts: [0; PIECE_COUNT + 1] };
        let (mut at, mut id) = (0, 0);
        let mut hash = PrefixHash::START;
        while at < TEXT.len() {
            let byte = TEXT[at];
            at += 1;
            if byte != b'\n' {
                hash = hash.with(byte);
                continue;
            }
            let mut slot = hash.slot();
            while table.slots[slot] != 0 {
                slot = (slot + 1) % SLOT_COUNT;
            }
            id += 1;
            table.slots[slot] = id as u16;
            table.starts[id] = at as u32;
            hash = PrefixHash::START;
        }
        assert!(id == PIECE_COUNT, "the vocabulary has as many lines as the weights have rows");
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look_up(lead: &str, piece: &str) -> Option<u16> {
        let hash = lead.bytes().chain(piece.bytes()).fold(PrefixHash::START, PrefixHash::with);
        find(hash, lead.as_bytes(), piece.as_bytes())
    }

    #[test]
    fn every_piece_is_found_under_its_line() {
        let text = std::str::from_utf8(TEXT).unwrap();
        for (id, piece) in text.lines().enumerate() {
            assert_eq!(look_up("", piece), Some(id as u16), "{piece:?}");
        }
        assert_eq!(look_up("##", "s"), look_up("", "##s"));
        assert_eq!(
            ["[UNK]", "[CLS]", "[SEP]"].map(|piece| look_up("", piece)),
            [Some(UNKNOWN), Some(OPENING), Some(CLOSING)]
        );
    }

    #[test]
    fn what_is_no_piece_is_not_found() {
        for piece in ["", "qqqqq", "##qqqqq", "\n", "the\n", "#"] {
            let expected = (piece == "#").then(|| look_up("", "#").unwrap());
            assert_eq!(look_up("", piece), expected, "{piece:?}");
        }
    }
}
