//! What one question may see: the stores it names, and nothing beside them.
//!
//! A store is read as one large segment and a small one for later changes; documents that were replaced or removed are
//! marked as deleted. Documents of all parts are numbered through, so that scores are in one row of numbers. A store
//! outside the scope cannot change a rank: its segments are not here.

use crate::segment::Segment;
use std::collections::{HashMap, HashSet};

/// The documents of a segment that no longer count.
#[derive(Clone, Debug, Default)]
pub struct DeletedDocs {
    bits: Vec<u64>,
    count: u32,
    /// The weights of the deleted documents together.
    weight: u64,
}

impl DeletedDocs {
    /// Marks a document as deleted.
    pub fn delete(&mut self, segment: &Segment<'_>, doc: u32) {
        let (word, bit) = (doc as usize / 64, doc % 64);
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        if self.bits[word] & (1 << bit) == 0 {
            self.bits[word] |= 1 << bit;
            self.count += 1;
            self.weight += u64::from(segment.weight(doc));
        }
    }

    /// Whether a document is deleted.
    pub fn holds(&self, doc: u32) -> bool {
        self.bits.get(doc as usize / 64).is_some_and(|word| word & (1 << (doc % 64)) != 0)
    }

    /// The deleted documents.
    pub(crate) fn docs(&self) -> impl Iterator<Item = u32> + '_ {
        let words = self.bits.iter().enumerate().filter(|(_, word)| **word != 0);
        words.flat_map(|(at, word)| {
            (0..64).filter(move |bit| word & (1 << bit) != 0).map(move |bit| at as u32 * 64 + bit)
        })
    }

    /// How many documents are deleted.
    pub fn count(&self) -> u32 {
        self.count
    }
}

/// One store: its parts, and the groups that are split over both.
#[derive(Clone, Copy)]
pub struct StoreSegments<'a> {
    /// The large part and the small one, either of which may be missing.
    pub parts: [Option<(Segment<'a>, &'a DeletedDocs)>; 2],
    /// The groups that are in both.
    pub split_groups: &'a SplitGroups,
}

/// The groups of a store that are in both of its parts, joined.
#[derive(Clone, Debug, Default)]
pub struct SplitGroups {
    /// The group of the small part → that of the large one.
    same: HashMap<u32, u32>,
    /// The documents of such a group by birth, each with its part.
    joined: Vec<Vec<(u8, u32)>>,
    /// The position of a document in them.
    places: HashMap<(u8, u32), (u32, u32)>,
}

impl SplitGroups {
    /// Joins the groups of two parts.
    pub fn between(large: (Segment<'_>, &DeletedDocs), small: (Segment<'_>, &DeletedDocs)) -> Self {
        let mut split_groups = Self::default();
        if small.0.groups() == 0 || large.0.groups() == 0 {
            return split_groups;
        }
        let names: HashMap<&str, u32> =
            (0..large.0.groups()).map(|group| (large.0.group_name(group), group)).collect();
        for group in 0..small.0.groups() {
            let Some(other) = names.get(small.0.group_name(group)) else { continue };
            let of = |part: u8, (segment, deleted): (Segment<'_>, &DeletedDocs), group: u32| {
                let alive = segment.members(group).filter(|doc| counts(&segment, deleted, *doc));
                alive.map(|doc| (segment.created(doc), segment.key(doc).to_owned(), part, doc)).collect()
            };
            let mut all: Vec<(i64, String, u8, u32)> = of(0, large, *other);
            all.append(&mut of(1, small, group));
            all.sort();
            let list = split_groups.joined.len() as u32;
            for (place, (_, _, part, doc)) in all.iter().enumerate() {
                split_groups.places.insert((*part, *doc), (list, place as u32));
            }
            split_groups.joined.push(all.into_iter().map(|(_, _, part, doc)| (part, doc)).collect());
            split_groups.same.insert(group, *other);
        }
        split_groups
    }
}

/// The stores of one question.
pub struct RecallScope<'a> {
    pub(crate) parts: Vec<ScopePart<'a>>,
    pub(crate) docs: u32,
    /// Documents that are not deleted.
    pub(crate) live: u32,
    pub(crate) weight_total: u64,
    pub(crate) has_groups: bool,
}

#[derive(Clone, Copy)]
pub(crate) struct ScopePart<'a> {
    pub(crate) segment: Segment<'a>,
    pub(crate) deleted: &'a DeletedDocs,
    /// Its index among the parts of its store: 0 is the large one.
    place: u8,
    /// The store's number.
    pub(crate) store: u32,
    split_groups: &'a SplitGroups,
    /// The number of its first document.
    pub(crate) first: u32,
    /// The number of the first document of its sibling.
    sibling_first: u32,
    group_first: u32,
    sibling_group_first: u32,
}

impl<'a> ScopePart<'a> {
    fn speakers(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let segment = self.segment;
        let mut seen = HashSet::new();
        'groups: for group in 0..segment.groups() {
            for doc in segment.members(group).filter(|doc| counts(&segment, self.deleted, *doc)) {
                seen.insert(segment.author(doc));
                if seen.len() == segment.authors() as usize {
                    break 'groups;
                }
            }
        }
        seen.into_iter().map(move |author| segment.author_name(author))
    }
}

impl<'a> RecallScope<'a> {
    /// The scope over these stores.
    pub fn over(stores: &[StoreSegments<'a>]) -> Self {
        let mut scope = Self { parts: Vec::new(), docs: 0, live: 0, weight_total: 0, has_groups: false };
        let mut groups = 0;
        for (number, store) in stores.iter().enumerate() {
            let lens = store.parts.map(|part| part.map_or(0, |(segment, _)| segment.len()));
            let group_counts = store.parts.map(|part| part.map_or(0, |(segment, _)| segment.groups()));
            let firsts = [scope.docs, scope.docs + lens[0]];
            let group_firsts = [groups, groups + group_counts[0]];
            for place in 0..2_usize {
                let Some((segment, deleted)) = store.parts[place] else { continue };
                scope.parts.push(ScopePart {
                    segment,
                    deleted,
                    place: place as u8,
                    store: number as u32,
                    split_groups: store.split_groups,
                    first: firsts[place],
                    sibling_first: firsts[1 - place],
                    group_first: group_firsts[place],
                    sibling_group_first: group_firsts[1 - place],
                });
                scope.live += segment.len() - deleted.count;
                let weight = segment.weight_total().saturating_sub(deleted.weight);
                scope.weight_total = scope.weight_total.saturating_add(weight);
                scope.has_groups |= segment.groups() > 0;
            }
            scope.docs += lens[0] + lens[1];
            groups += group_counts[0] + group_counts[1];
        }
        scope
    }

    /// How many documents a question sees.
    pub fn live(&self) -> u32 {
        self.live
    }

    /// The deleted documents of all parts.
    pub(crate) fn deleted(&self) -> impl Iterator<Item = u32> + '_ {
        self.parts.iter().flat_map(|part| {
            part.deleted.docs().filter(|own| *own < part.segment.len()).map(|own| part.first + own)
        })
    }

    /// The part and the number in it of a document.
    pub(crate) fn locate(&self, doc: u32) -> (&ScopePart<'a>, u32) {
        let part = self.parts.partition_point(|part| part.first <= doc).saturating_sub(1);
        let part = &self.parts[part];
        (part, doc - part.first)
    }

    /// The group of a document, one number over all parts.
    pub(crate) fn group(&self, doc: u32) -> Option<u32> {
        let (part, own) = self.locate(doc);
        let group = part.segment.group(own)?;
        if part.place == 1
            && let Some(other) = part.split_groups.same.get(&group)
        {
            return Some(part.sibling_group_first + other);
        }
        Some(part.group_first + group)
    }

    /// How many documents the group of a document has.
    pub(crate) fn group_len(&self, doc: u32) -> usize {
        let (part, own) = self.locate(doc);
        match part.split_groups.places.get(&(part.place, own)) {
            Some((list, _)) => part.split_groups.joined[*list as usize].len(),
            None => part.segment.group(own).map_or(0, |group| {
                let members = part.segment.members(group);
                members.filter(|member| counts(&part.segment, part.deleted, *member)).count()
            }),
        }
    }

    /// The authors of the documents of groups, each name once. Authors of deleted documents only are left out.
    pub(crate) fn speakers(&self) -> HashSet<&'a str> {
        self.parts.iter().flat_map(ScopePart::speakers).collect()
    }

    /// The neighbours of a document in its group.
    pub(crate) fn beside(&self, doc: u32) -> Option<GroupMember<'_>> {
        let (part, own) = self.locate(doc);
        part.beside(own)
    }
}

/// A group of documents by birth, seen from one of them.
pub(crate) struct GroupMember<'s> {
    part: &'s ScopePart<'s>,
    row: GroupRow<'s>,
    /// The position of that one.
    place: u32,
    len: u32,
}

/// Where the documents of a group are listed in their order.
#[derive(Clone, Copy)]
enum GroupRow<'s> {
    /// Those that are in both parts of a store.
    Joined(&'s [(u8, u32)]),
    /// Those of one part, with deleted ones among them.
    Members(u32),
}

impl ScopePart<'_> {
    /// The neighbours of a document of this part in its group.
    pub(crate) fn beside(&self, own: u32) -> Option<GroupMember<'_>> {
        // Most stores have no split group, and a lookup in an empty map costs more than the rest of this.
        if !self.split_groups.places.is_empty()
            && let Some((list, place)) = self.split_groups.places.get(&(self.place, own))
        {
            let joined = &self.split_groups.joined[*list as usize];
            let (place, len) = (*place, joined.len() as u32);
            return Some(GroupMember { part: self, row: GroupRow::Joined(joined), place, len });
        }
        let group = self.segment.group(own)?;
        let len = self.segment.group_len(group) as u32;
        // A damaged segment may have any position here.
        let place = self.segment.place(own).min(len);
        Some(GroupMember { part: self, row: GroupRow::Members(group), place, len })
    }
}

impl GroupMember<'_> {
    /// The earlier ones, youngest first.
    pub(crate) fn before(&self) -> impl Iterator<Item = u32> {
        (0..self.place).rev().filter_map(|place| self.at(place))
    }

    /// The later ones, oldest first.
    pub(crate) fn after(&self) -> impl Iterator<Item = u32> {
        (self.place + 1..self.len).filter_map(|place| self.at(place))
    }

    fn at(&self, place: u32) -> Option<u32> {
        let part = self.part;
        match self.row {
            GroupRow::Joined(joined) => {
                let (side, own) = joined.get(place as usize)?;
                Some(if *side == part.place { part.first } else { part.sibling_first } + own)
            }
            GroupRow::Members(group) => {
                let own = part.segment.member(group, place as usize)?;
                counts(&part.segment, part.deleted, own).then(|| part.first + own)
            }
        }
    }
}

/// Whether a document that is listed in a group exists, and is not deleted.
fn counts(segment: &Segment<'_>, deleted: &DeletedDocs, doc: u32) -> bool {
    doc < segment.len() && !deleted.holds(doc)
}

/// A document of the answer: the store of the scope it is in, and its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundDocument<'a> {
    /// The store's number in the scope.
    pub store: u32,
    /// The document's key.
    pub key: &'a str,
}
