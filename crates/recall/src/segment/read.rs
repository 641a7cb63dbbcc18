//! Reading a segment. Nothing here can panic, whatever the bytes are.

use super::layout::{DOC_LEN, Layout, STAMP_LEN, SegmentSection, WORD_LEN};
use super::vector_kind::VectorKind;
use super::{DIMENSIONS, checksum};
use crate::cues::TextTraits;
use crate::document::{ClaimForm, ReadStamp};
use std::cmp::Ordering;

/// The bytes of a segment, part by part.
#[derive(Clone, Copy)]
pub struct Segment<'a> {
    layout: &'a Layout,
    keys: NameTable<'a>,
    stamps: &'a [u8],
    docs: &'a [u8],
    weights: &'a [u8],
    terms: NameTable<'a>,
    postings_at: &'a [u8],
    posting_docs: &'a [u8],
    posting_weights: &'a [u8],
    words_at: &'a [u8],
    words: &'a [u8],
    vectors: &'a [u8],
    scales: &'a [u8],
    kinds: &'a [u8],
    groups: NameTable<'a>,
    members_at: &'a [u8],
    members: &'a [u8],
    authors: NameTable<'a>,
    slots: &'a [u8],
}

impl<'a> Segment<'a> {
    /// The segment in a block whose layout was checked.
    pub fn new(bytes: &'a [u8], layout: &'a Layout) -> Self {
        use SegmentSection as S;
        // A block that shrank since then has empty parts: nothing is found, and nothing breaks.
        let part = |section: S| bytes.get(layout.range(section)).unwrap_or_default();
        let names = |at: S, bytes: S| NameTable { at: part(at), bytes: part(bytes) };
        Self {
            layout,
            keys: names(S::KeysAt, S::Keys),
            stamps: part(S::Stamps),
            docs: part(S::Docs),
            weights: part(S::Weights),
            terms: names(S::TermsAt, S::Terms),
            postings_at: part(S::PostingsAt),
            posting_docs: part(S::PostingDocs),
            posting_weights: part(S::PostingWeights),
            words_at: part(S::WordsAt),
            words: part(S::Words),
            vectors: part(S::Vectors),
            scales: part(S::Scales),
            kinds: part(S::VectorKinds),
            groups: names(S::GroupsAt, S::Groups),
            members_at: part(S::MembersAt),
            members: part(S::Members),
            authors: names(S::AuthorsAt, S::Authors),
            slots: part(S::Slots),
        }
    }

    /// How many documents it holds.
    pub fn len(&self) -> u32 {
        self.layout.docs as u32
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.layout.docs == 0
    }

    /// The weights of all its words together, in quarters.
    pub fn weight_total(&self) -> u64 {
        self.layout.weight_total
    }

    /// The key of a document.
    pub fn key(&self, doc: u32) -> &'a str {
        self.keys.get(doc)
    }

    /// The first document with a key. Where a file holds two sides, the second follows it.
    pub fn find(&self, key: &str) -> Option<u32> {
        let mask = (self.slots.len() / 4).checked_sub(1)?;
        let mut slot = checksum::spread(key.as_bytes()) as usize & mask;
        for _ in 0..=mask {
            let doc = u32_at(self.slots, slot).checked_sub(1)?;
            if self.key(doc) == key {
                return Some(doc);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// The stamp by which a document's file is recognised.
    pub fn stamp(&self, doc: u32) -> ReadStamp {
        let at = doc as usize * STAMP_LEN;
        let Some(entry) = self.stamps.get(at..at + STAMP_LEN) else { return ReadStamp::default() };
        ReadStamp {
            inode: u64_at(entry, 0),
            modified_ns: u64_at(entry, 1).cast_signed(),
            len: u32_at(entry, 4),
        }
    }

    /// What a document's file holds.
    pub fn form(&self, doc: u32) -> ClaimForm {
        ClaimForm::of_byte(self.stamps.get(doc as usize * STAMP_LEN + 20).copied().unwrap_or(u8::MAX))
    }

    fn doc(&self, doc: u32) -> &'a [u8] {
        let at = doc as usize * DOC_LEN;
        self.docs.get(at..at + DOC_LEN).unwrap_or(&[0; DOC_LEN])
    }

    /// When a document was born.
    pub fn created(&self, doc: u32) -> i64 {
        u64_at(self.doc(doc), 0).cast_signed()
    }

    /// The hash of the text of its vector.
    pub fn meaning(&self, doc: u32) -> u64 {
        u64_at(self.doc(doc), 1)
    }

    /// Its group.
    pub fn group(&self, doc: u32) -> Option<u32> {
        let group = u32_at(self.doc(doc), 4);
        ((group as usize) < self.layout.groups).then_some(group)
    }

    /// Its author.
    pub fn author(&self, doc: u32) -> u32 {
        u32_at(self.doc(doc), 5)
    }

    /// Its position in its group, by birth.
    pub fn place(&self, doc: u32) -> u32 {
        u32_at(self.doc(doc), 6)
    }

    /// The traits of its text.
    pub(crate) fn traits(&self, doc: u32) -> TextTraits {
        let entry = self.doc(doc);
        TextTraits::of_bytes([entry[28], entry[29]])
    }

    /// The weights of all its words together, in quarters.
    pub fn weight(&self, doc: u32) -> u16 {
        let at = doc as usize * 2;
        self.weights.get(at..at + 2).map_or(0, |two| u16::from_le_bytes([two[0], two[1]]))
    }

    /// How many groups there are.
    pub fn groups(&self) -> u32 {
        self.layout.groups as u32
    }

    /// The name of a group.
    pub fn group_name(&self, group: u32) -> &'a str {
        self.groups.get(group)
    }

    /// The documents of a group, by birth.
    pub fn members(&self, group: u32) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        numbers(slice(self.members_at, self.members, group, 4))
    }

    /// How many documents a group has.
    pub(crate) fn group_len(&self, group: u32) -> usize {
        slice(self.members_at, self.members, group, 4).len() / 4
    }

    /// The document at a position of a group.
    pub(crate) fn member(&self, group: u32, place: usize) -> Option<u32> {
        let members = slice(self.members_at, self.members, group, 4);
        (place < members.len() / 4).then(|| u32_at(members, place))
    }

    /// How many authors there are.
    pub fn authors(&self) -> u32 {
        self.layout.authors as u32
    }

    /// The name of an author.
    pub fn author_name(&self, author: u32) -> &'a str {
        self.authors.get(author)
    }

    /// How many different words there are.
    pub fn terms(&self) -> u32 {
        self.layout.terms as u32
    }

    /// A word, by its number.
    pub fn term(&self, term: u32) -> &'a str {
        self.terms.get(term)
    }

    /// The number of a word.
    pub fn find_term(&self, word: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.layout.terms as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.terms.get(middle).as_bytes().cmp(word.as_bytes()) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    /// The documents that hold a word, in order, and what it weighs in each, in quarters.
    pub fn postings(&self, term: u32) -> impl ExactSizeIterator<Item = (u32, u8)> + use<'a> {
        let docs = numbers(slice(self.postings_at, self.posting_docs, term, 4));
        docs.zip(slice(self.postings_at, self.posting_weights, term, 1).iter().copied())
    }

    /// Whether a document holds a word.
    pub(crate) fn holds(&self, term: u32, doc: u32) -> bool {
        let docs = slice(self.postings_at, self.posting_docs, term, 4);
        let place = self.holders_before(term, doc);
        place < docs.len() / 4 && u32_at(docs, place) == doc
    }

    /// How many documents before this one hold a word.
    pub(crate) fn holders_before(&self, term: u32, doc: u32) -> usize {
        let docs = slice(self.postings_at, self.posting_docs, term, 4);
        let (mut low, mut high) = (0, docs.len() / 4);
        while low < high {
            let middle = low + (high - low) / 2;
            if u32_at(docs, middle) < doc { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// How many of the first documents are in no group.
    pub(crate) fn alone(&self) -> u32 {
        self.layout.alone
    }

    /// The words of the running text, in order.
    pub fn words(&self, doc: u32) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        let words = slice(self.words_at, self.words, doc, WORD_LEN);
        words.chunks_exact(WORD_LEN).map(|word| u32::from_le_bytes([word[0], word[1], word[2], 0]))
    }

    /// All vectors, one row of [`DIMENSIONS`] signed bytes a document.
    pub fn vectors(&self) -> &'a [u8] {
        self.vectors
    }

    /// The vector of a document, as bytes.
    pub fn vector_bytes(&self, doc: u32) -> &'a [u8] {
        let at = doc as usize * DIMENSIONS;
        self.vectors.get(at..at + DIMENSIONS).unwrap_or(&[0; DIMENSIONS])
    }

    /// The factor of a vector's values.
    pub fn scale(&self, doc: u32) -> f32 {
        f32::from_bits(u32_at(self.scales, doc as usize))
    }

    /// Where a document's vector came from.
    pub fn vector_kind(&self, doc: u32) -> VectorKind {
        VectorKind::of_byte(self.kinds.get(doc as usize).copied().unwrap_or_default())
    }
}

/// Names by number: where each ends, and their bytes.
#[derive(Clone, Copy)]
struct NameTable<'a> {
    at: &'a [u8],
    bytes: &'a [u8],
}

impl<'a> NameTable<'a> {
    fn get(&self, number: u32) -> &'a str {
        std::str::from_utf8(slice(self.at, self.bytes, number, 1)).unwrap_or_default()
    }
}

/// The entries of one owner, where `at` says how many entries come before those of each.
fn slice<'a>(at: &[u8], entries: &'a [u8], owner: u32, entry_len: usize) -> &'a [u8] {
    let owner = owner as usize;
    if owner + 1 >= at.len() / 4 {
        return &[];
    }
    let (start, end) = (u32_at(at, owner) as usize, u32_at(at, owner + 1) as usize);
    entries.get(start * entry_len..end * entry_len).unwrap_or_default()
}

fn numbers(bytes: &[u8]) -> impl ExactSizeIterator<Item = u32> + use<'_> {
    bytes.chunks_exact(4).map(|number| u32::from_le_bytes([number[0], number[1], number[2], number[3]]))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at * 4..at * 4 + 4).map_or(0, |four| u32::from_le_bytes(four.try_into().expect("four bytes")))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes
        .get(at * 8..at * 8 + 8)
        .map_or(0, |eight| u64::from_le_bytes(eight.try_into().expect("eight bytes")))
}
