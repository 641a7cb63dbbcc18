//! Where the parts of a segment are, and the check that all of them are there.

use super::{DIMENSIONS, checksum};
use std::ops::Range;

pub(super) const MAGIC: &[u8; 8] = b"BSTMSEG1";
/// Increased with every change of the format, of how text is cut, or of the weight of a field.
pub(super) const VERSION: u32 = 3;
/// Magic, version, counts, lengths, space, sections; then the blocks; the sum comes last.
pub(super) const HEADER_LEN: usize = 8 + 4 * 6 + 8 * 2 + SECTIONS * 8;
pub(super) const SUM_LEN: usize = 8;

/// The bytes of one entry of [`SegmentSection::Docs`].
pub(super) const DOC_LEN: usize = 32;
/// The bytes of one entry of [`SegmentSection::Stamps`].
pub(super) const STAMP_LEN: usize = 24;
/// The bytes of one entry of [`SegmentSection::Words`].
pub(super) const WORD_LEN: usize = 3;

/// The blocks of a segment, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SegmentSection {
    KeysAt,
    Keys,
    Stamps,
    Docs,
    Weights,
    TermsAt,
    Terms,
    PostingsAt,
    PostingDocs,
    PostingWeights,
    WordsAt,
    Words,
    Vectors,
    Scales,
    VectorKinds,
    GroupsAt,
    Groups,
    MembersAt,
    Members,
    AuthorsAt,
    Authors,
    Slots,
}

pub(super) const SECTIONS: usize = 22;

/// Why a block cannot be read as a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrokenSegment {
    /// It does not begin like a segment.
    #[error("it is no segment")]
    NotASegment,
    /// Another version of the program wrote it.
    #[error("another version wrote it")]
    OtherVersion,
    /// Its vectors are of another model.
    #[error("its vectors are of another model")]
    OtherSpace,
    /// The sizes of its parts do not fit.
    #[error("it is damaged")]
    Damaged,
}

/// The parts of a segment whose bytes were checked.
#[derive(Clone, Debug)]
pub struct Layout {
    pub(super) docs: usize,
    pub(super) terms: usize,
    pub(super) groups: usize,
    pub(super) authors: usize,
    /// How many of the first documents are in no group.
    pub(super) alone: u32,
    pub(super) weight_total: u64,
    sections: Vec<Range<usize>>,
}

impl Layout {
    /// Checks a whole block: its sum, its version, the space of its vectors, and the sizes of its parts.
    pub fn check(bytes: &[u8], space: u64) -> Result<Self, BrokenSegment> {
        let (body, sum) = bytes
            .len()
            .checked_sub(SUM_LEN)
            .filter(|len| *len >= HEADER_LEN)
            .map(|len| bytes.split_at(len))
            .ok_or(BrokenSegment::NotASegment)?;
        if !body.starts_with(MAGIC) {
            return Err(BrokenSegment::NotASegment);
        }
        let u32_at = |at: usize| u32::from_le_bytes(body[at..at + 4].try_into().expect("four bytes"));
        let u64_at = |at: usize| u64::from_le_bytes(body[at..at + 8].try_into().expect("eight bytes"));
        if u32_at(8) != VERSION {
            return Err(BrokenSegment::OtherVersion);
        }
        if u64_at(40) != space {
            return Err(BrokenSegment::OtherSpace);
        }
        let mut sections = Vec::with_capacity(SECTIONS);
        let mut start = HEADER_LEN;
        for section in 0..SECTIONS {
            let len = usize::try_from(u64_at(48 + section * 8)).map_err(|_| BrokenSegment::Damaged)?;
            let end =
                start.checked_add(len).filter(|end| *end <= body.len()).ok_or(BrokenSegment::Damaged)?;
            sections.push(start..end);
            start = end;
        }
        let layout = Self {
            docs: u32_at(12) as usize,
            terms: u32_at(16) as usize,
            groups: u32_at(20) as usize,
            authors: u32_at(24) as usize,
            alone: u32_at(28),
            weight_total: u64_at(32),
            sections,
        };
        // The checksum comes last: a file that is longer than its parts is rejected at once.
        let is_whole = start == body.len() && layout.adds_up();
        let sum = u64::from_le_bytes(sum.try_into().expect("eight bytes"));
        if is_whole && checksum::sum(body) == sum { Ok(layout) } else { Err(BrokenSegment::Damaged) }
    }

    pub(super) fn range(&self, section: SegmentSection) -> Range<usize> {
        self.sections[section as usize].clone()
    }

    /// The sizes that follow from the counts.
    fn adds_up(&self) -> bool {
        use SegmentSection as S;
        let len = |section: S| self.range(section).len();
        let (docs, terms) = (self.docs, self.terms);
        let postings = len(S::PostingWeights);
        len(S::KeysAt) == (docs + 1) * 4
            && len(S::Stamps) == docs * STAMP_LEN
            && len(S::Docs) == docs * DOC_LEN
            && len(S::Weights) == docs * 2
            && len(S::TermsAt) == (terms + 1) * 4
            && len(S::PostingsAt) == (terms + 1) * 4
            && len(S::PostingDocs) == postings * 4
            && len(S::WordsAt) == (docs + 1) * 4
            && len(S::Words) % WORD_LEN == 0
            && len(S::Vectors) == docs * DIMENSIONS
            && len(S::Scales) == docs * 4
            && len(S::VectorKinds) == docs
            && len(S::GroupsAt) == (self.groups + 1) * 4
            && len(S::MembersAt) == (self.groups + 1) * 4
            && len(S::AuthorsAt) == (self.authors + 1) * 4
            && len(S::Slots) % 4 == 0
            && (len(S::Slots) / 4).is_power_of_two()
            && len(S::Slots) / 4 > docs
    }
}
