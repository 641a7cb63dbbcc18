//! Building a segment from documents.

use super::layout::{HEADER_LEN, MAGIC, SECTIONS, VERSION};
use super::read::Segment;
use super::vector_kind::VectorKind;
use super::{DIMENSIONS, checksum};
use crate::cues::TextTraits;
use crate::document::{ClaimForm, Document, InRunningText, ReadStamp};
use std::collections::HashMap;
use std::ops::Range;

/// Words past this many in one document are found, and have no position in the running text.
const RUNNING_MAX: usize = 4096;

/// Collects documents and lays them out.
pub struct Builder {
    space: u64,
    terms: NameTableBuilder,
    groups: NameTableBuilder,
    authors: NameTableBuilder,
    docs: Vec<Doc>,
    keys: NameTableBuilder,
    /// Term, document, weight.
    postings: Vec<(u32, u32, u8)>,
    words_at: Vec<u32>,
    words: Vec<u32>,
    vectors: Vec<u8>,
    scales: Vec<f32>,
    kinds: Vec<u8>,
    /// The weights of the document at hand.
    scratch: HashMap<u32, u32>,
}

struct Doc {
    stamp: ReadStamp,
    form: u8,
    created: i64,
    meaning: u64,
    group: u32,
    author: u32,
    weight: u16,
    traits: [u8; 2],
}

const NO_GROUP: u32 = u32::MAX;

impl Builder {
    /// An empty segment whose vectors will be of this space.
    pub fn new(space: u64) -> Self {
        Self {
            space,
            terms: NameTableBuilder::default(),
            groups: NameTableBuilder::default(),
            authors: NameTableBuilder::default(),
            docs: Vec::new(),
            keys: NameTableBuilder::default(),
            postings: Vec::new(),
            words_at: vec![0],
            words: Vec::new(),
            vectors: Vec::new(),
            scales: Vec::new(),
            kinds: Vec::new(),
            scratch: HashMap::new(),
        }
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.docs.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    /// Adds a document; `meaning` is the hash of the text of its vector. Returns its number.
    pub fn add(&mut self, document: &Document<'_>, meaning: u64) -> u32 {
        let doc = self.docs.len() as u32;
        let Self { terms, words, scratch, .. } = self;
        let running_end = words.len() + RUNNING_MAX;
        let mut total = 0_u32;
        document.each_weighted(|word, weight, running| {
            let term = terms.intern(word);
            *scratch.entry(term).or_default() += u32::from(weight);
            total += u32::from(weight);
            if running == InRunningText::Yes && words.len() < running_end {
                words.push(term);
            }
        });
        self.words_at.push(self.words.len() as u32);
        let cap = |weight: u32| weight.min(255) as u8;
        self.postings.extend(self.scratch.drain().map(|(term, weight)| (term, doc, cap(weight))));
        let entry = Doc {
            stamp: document.stamp,
            form: document.form.byte(),
            created: document.created,
            meaning,
            group: document.group.map_or(NO_GROUP, |group| self.groups.intern(group)),
            author: self.authors.intern(document.author),
            weight: total.min(u32::from(u16::MAX)) as u16,
            traits: TextTraits::of(document.text).bytes(),
        };
        self.push_doc(document.key, entry);
        doc
    }

    fn push_doc(&mut self, key: &str, doc: Doc) {
        self.keys.push(key);
        self.docs.push(doc);
        self.vectors.resize(self.docs.len() * DIMENSIONS, 0);
        self.scales.push(0.0);
        self.kinds.push(VectorKind::None as u8);
    }

    /// Gives a document its vector.
    pub fn set_vector(&mut self, doc: u32, kind: VectorKind, values: &[i8; DIMENSIONS], scale: f32) {
        let at = doc as usize;
        let row = &mut self.vectors[at * DIMENSIONS..(at + 1) * DIMENSIONS];
        row.iter_mut().zip(values).for_each(|(to, from)| *to = from.cast_unsigned());
        self.scales[at] = scale;
        self.kinds[at] = kind as u8;
    }

    /// Takes over the documents of a segment that `keep` accepts, with their vectors and without reading a text again.
    /// Returns the new number of each document, in order.
    pub fn absorb(&mut self, from: &Segment<'_>, keep: impl Fn(u32) -> bool) -> Vec<Option<u32>> {
        let count = from.len();
        let mut new = Vec::with_capacity(count as usize);
        for doc in 0..count {
            if !keep(doc) {
                new.push(None);
                continue;
            }
            new.push(Some(self.docs.len() as u32));
            let group = from.group(doc).map_or(NO_GROUP, |group| self.groups.intern(from.group_name(group)));
            let taken = Doc {
                stamp: from.stamp(doc),
                form: from.form(doc).byte(),
                created: from.created(doc),
                meaning: from.meaning(doc),
                group,
                author: self.authors.intern(from.author_name(from.author(doc))),
                weight: from.weight(doc),
                traits: from.traits(doc).bytes(),
            };
            self.push_doc(from.key(doc), taken);
            let at = self.docs.len() - 1;
            self.vectors[at * DIMENSIONS..].copy_from_slice(from.vector_bytes(doc));
            self.scales[at] = from.scale(doc);
            self.kinds[at] = from.vector_kind(doc) as u8;
        }
        // A word that no kept document holds is dropped.
        let mut terms: Vec<Option<u32>> = vec![None; from.terms() as usize];
        for (term, own) in terms.iter_mut().enumerate() {
            let term = term as u32;
            for (doc, weight) in from.postings(term) {
                if let Some(doc) = new.get(doc as usize).copied().flatten() {
                    let own = *own.get_or_insert_with(|| self.terms.intern(from.term(term)));
                    self.postings.push((own, doc, weight));
                }
            }
        }
        for doc in (0..count).filter(|doc| new[*doc as usize].is_some()) {
            let words = from.words(doc).filter_map(|term| terms.get(term as usize).copied().flatten());
            self.words.extend(words);
            self.words_at.push(self.words.len() as u32);
        }
        new
    }

    /// Lays everything out. Documents get new numbers: those that are in no group come first, those
    /// of a group are together.
    pub fn finish(self) -> Vec<u8> {
        let rank = self.terms.rank();
        let DocumentOrder { old, alone } = self.order();
        let docs = || old.iter().map(|number| &self.docs[*number as usize]);
        let keys = || old.iter().map(|number| self.keys.get(*number));
        let mut out = Sections::default();
        // In the order of `Section`.
        out.names(keys());
        out.block(|block| {
            for doc in docs() {
                block.extend(doc.stamp.inode.to_le_bytes());
                block.extend(doc.stamp.modified_ns.to_le_bytes());
                block.extend(doc.stamp.len.to_le_bytes());
                block.extend([doc.form, 0, 0, 0]);
            }
        });
        let (groups, members) = self.members(&old);
        out.block(|block| {
            for (doc, (group, place)) in docs().zip(&groups) {
                block.extend(doc.created.to_le_bytes());
                block.extend(doc.meaning.to_le_bytes());
                block.extend(group.to_le_bytes());
                block.extend(doc.author.to_le_bytes());
                block.extend(place.to_le_bytes());
                block.extend(doc.traits);
                block.extend([0; 2]);
            }
        });
        out.block(|block| docs().for_each(|doc| block.extend(doc.weight.to_le_bytes())));
        out.names(rank.order.iter().map(|term| self.terms.get(*term)));
        let (postings_at, posting_docs, posting_weights) = self.inverted(&rank, &old);
        out.numbers(&postings_at);
        out.numbers(&posting_docs);
        out.block(|block| block.extend(posting_weights));
        let words = |number: u32| {
            let (start, end) = (self.words_at[number as usize], self.words_at[number as usize + 1]);
            &self.words[start as usize..end as usize]
        };
        let mut words_at = vec![0_u32];
        old.iter()
            .for_each(|number| words_at.push(words_at[words_at.len() - 1] + words(*number).len() as u32));
        out.numbers(&words_at);
        out.block(|block| {
            for term in old.iter().flat_map(|number| words(*number)) {
                block.extend(&rank.place[*term as usize].to_le_bytes()[..3]);
            }
        });
        out.block(|block| {
            let row = |number: &u32| *number as usize * DIMENSIONS..(*number as usize + 1) * DIMENSIONS;
            old.iter().for_each(|number| block.extend(&self.vectors[row(number)]));
        });
        out.block(|block| {
            old.iter().for_each(|number| block.extend(self.scales[*number as usize].to_le_bytes()));
        });
        out.block(|block| block.extend(old.iter().map(|number| self.kinds[*number as usize])));
        out.names(self.groups.in_order());
        let mut members_at = vec![0_u32];
        members
            .iter()
            .for_each(|group| members_at.push(members_at[members_at.len() - 1] + group.len() as u32));
        out.numbers(&members_at);
        out.numbers(&members.concat());
        out.names(self.authors.in_order());
        out.numbers(&slots(keys(), old.len()));

        let weight_total: u64 = self.docs.iter().map(|doc| u64::from(doc.weight)).sum();
        let counts = [old.len(), self.terms.len(), self.groups.len(), self.authors.len(), alone];
        out.seal(self.space, weight_total, counts)
    }

    /// The order in which documents are laid out. The two sides of one file stay together.
    fn order(&self) -> DocumentOrder {
        let is_second = |number: usize| self.docs[number].form == ClaimForm::Theirs.byte();
        let mut files: Vec<Range<u32>> = Vec::with_capacity(self.docs.len());
        for number in 0..self.docs.len() {
            match files.last_mut() {
                Some(file) if is_second(number) => file.end += 1,
                _ => files.push(number as u32..number as u32 + 1),
            }
        }
        let group = |file: &Range<u32>| {
            let groups = file.clone().map(|number| self.docs[number as usize].group);
            groups.filter(|group| *group != NO_GROUP).min()
        };
        let mut keyed: Vec<(Option<u32>, i64, Range<u32>)> = files
            .into_iter()
            .map(|file| match group(&file) {
                None => (None, 0, file),
                grouped => (grouped, self.docs[file.start as usize].created, file),
            })
            .collect();
        // Those without a group keep their order.
        keyed.sort_by_key(|(group, created, file)| (*group, *created, file.start));
        let alone = keyed.iter().take_while(|(group, ..)| group.is_none()).map(|(.., file)| file.len()).sum();
        DocumentOrder { old: keyed.into_iter().flat_map(|(.., file)| file).collect(), alone }
    }

    /// The group and the position of each document, and for each group its documents by birth.
    fn members(&self, old: &[u32]) -> (Vec<(u32, u32)>, Vec<Vec<u32>>) {
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); self.groups.len()];
        let group_of = |doc: u32| self.docs[old[doc as usize] as usize].group;
        for doc in 0..old.len() as u32 {
            if let Some(group) = members.get_mut(group_of(doc) as usize) {
                group.push(doc);
            }
        }
        let mut places: Vec<(u32, u32)> = (0..old.len() as u32).map(|doc| (group_of(doc), 0)).collect();
        for group in &mut members {
            group.sort_by_key(|doc| {
                let number = old[*doc as usize];
                (self.docs[number as usize].created, self.keys.get(number))
            });
            for (place, doc) in group.iter().enumerate() {
                places[*doc as usize].1 = place as u32;
            }
        }
        (places, members)
    }

    fn inverted(&self, rank: &Rank, old: &[u32]) -> (Vec<u32>, Vec<u32>, Vec<u8>) {
        let mut new = vec![0_u32; old.len()];
        old.iter().enumerate().for_each(|(at, number)| new[*number as usize] = at as u32);
        // By document first, so that the documents of each word come in order.
        let by_doc = counted(old.len(), self.postings.iter().map(|(_, doc, _)| new[*doc as usize]));
        let mut ordered = vec![0_u32; self.postings.len()];
        let mut next = by_doc;
        for (at, (_, doc, _)) in self.postings.iter().enumerate() {
            let slot = &mut next[new[*doc as usize] as usize];
            ordered[*slot as usize] = at as u32;
            *slot += 1;
        }
        let place = |term: u32| rank.place[term as usize];
        let at = counted(self.terms.len(), self.postings.iter().map(|(term, _, _)| place(*term)));
        let mut next = at.clone();
        let mut docs = vec![0_u32; self.postings.len()];
        let mut weights = vec![0_u8; self.postings.len()];
        for posting in ordered {
            let (term, doc, weight) = self.postings[posting as usize];
            let slot = &mut next[place(term) as usize];
            docs[*slot as usize] = new[doc as usize];
            weights[*slot as usize] = weight;
            *slot += 1;
        }
        (at, docs, weights)
    }
}

/// In which order documents are laid out.
struct DocumentOrder {
    /// The number that each had before.
    old: Vec<u32>,
    /// How many of the first ones are in no group.
    alone: usize,
}

/// Where the entries of each owner start, and where the last end.
fn counted(owners: usize, entries: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut at = vec![0_u32; owners + 1];
    entries.for_each(|owner| at[owner as usize + 1] += 1);
    for owner in 1..at.len() {
        at[owner] += at[owner - 1];
    }
    at
}

/// The table that finds a document by its key: open addressing, the first of equals wins.
fn slots<'a>(keys: impl Iterator<Item = &'a str>, count: usize) -> Vec<u32> {
    let size = (count * 2 + 1).next_power_of_two();
    let mut slots = vec![0_u32; size];
    for (doc, key) in keys.enumerate() {
        let mut slot = checksum::spread(key.as_bytes()) as usize & (size - 1);
        while slots[slot] != 0 {
            slot = (slot + 1) & (size - 1);
        }
        slots[slot] = doc as u32 + 1;
    }
    slots
}

/// Names with numbers, their bytes in one piece.
#[derive(Default)]
struct NameTableBuilder {
    bytes: String,
    at: Vec<u32>,
    known: HashMap<Box<str>, u32>,
}

struct Rank {
    /// The names' numbers in the order of their bytes.
    order: Vec<u32>,
    /// The place of each number in that order.
    place: Vec<u32>,
}

impl NameTableBuilder {
    fn len(&self) -> usize {
        self.at.len()
    }

    fn push(&mut self, name: &str) -> u32 {
        self.bytes.push_str(name);
        self.at.push(self.bytes.len() as u32);
        self.at.len() as u32 - 1
    }

    fn intern(&mut self, name: &str) -> u32 {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let number = self.push(name);
        self.known.insert(name.into(), number);
        number
    }

    fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.at[before]);
        &self.bytes[start as usize..self.at[number] as usize]
    }

    fn in_order(&self) -> impl Iterator<Item = &str> {
        (0..self.at.len() as u32).map(|number| self.get(number))
    }

    fn rank(&self) -> Rank {
        let mut order: Vec<u32> = (0..self.at.len() as u32).collect();
        order.sort_unstable_by_key(|number| self.get(*number));
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, number)| place[*number as usize] = at as u32);
        Rank { order, place }
    }
}

/// The blocks, one after the other behind room for the header.
struct Sections {
    bytes: Vec<u8>,
    lens: Vec<u64>,
}

impl Default for Sections {
    fn default() -> Self {
        Self { bytes: vec![0; HEADER_LEN], lens: Vec::with_capacity(SECTIONS) }
    }
}

impl Sections {
    fn block(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        write(&mut self.bytes);
        self.lens.push((self.bytes.len() - start) as u64);
    }

    fn numbers(&mut self, numbers: &[u32]) {
        self.block(|block| numbers.iter().for_each(|number| block.extend(number.to_le_bytes())));
    }

    /// Two blocks: where each name ends, and the names.
    fn names<'a>(&mut self, names: impl Iterator<Item = &'a str>) {
        let mut ends = vec![0_u32];
        let mut bytes: Vec<u8> = Vec::new();
        for name in names {
            bytes.extend(name.as_bytes());
            ends.push(bytes.len() as u32);
        }
        self.numbers(&ends);
        self.block(|block| block.extend(bytes));
    }

    fn seal(self, space: u64, weight_total: u64, counts: [usize; 5]) -> Vec<u8> {
        let Self { mut bytes, lens } = self;
        debug_assert_eq!(lens.len(), SECTIONS);
        let mut header = MAGIC.to_vec();
        header.extend(VERSION.to_le_bytes());
        counts.iter().for_each(|count| header.extend((*count as u32).to_le_bytes()));
        header.extend(weight_total.to_le_bytes());
        header.extend(space.to_le_bytes());
        lens.iter().for_each(|len| header.extend(len.to_le_bytes()));
        bytes[..HEADER_LEN].copy_from_slice(&header);
        let sum = checksum::sum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }
}
