//! Random bytes, and segments that were changed on purpose: nothing is believed, and nothing breaks.

use super::layout::{HEADER_LEN, SUM_LEN, SegmentSection};
use super::{Builder, DIMENSIONS, Layout, Segment, VectorKind, checksum};
use crate::document::{ClaimForm, Document, ReadStamp};
use crate::rank::{Direction, RankBy, RankQuestion, StandingBasis, rank};
use crate::scope::{DeletedDocs, RecallScope, SplitGroups, StoreSegments};
use proptest::prelude::*;

const SPACE: u64 = 7;

fn sample(first: usize, count: usize) -> Vec<u8> {
    let mut builder = Builder::new(SPACE);
    let tags = ["cache".to_owned()];
    for number in first..first + count {
        let key = format!("claim-{number}");
        let form =
            [ClaimForm::Claim, ClaimForm::Secret, ClaimForm::Ours, ClaimForm::Theirs, ClaimForm::Unreadable]
                [number % 5];
        let document = Document {
            key: &key,
            stamp: ReadStamp { inode: 1, modified_ns: 2, len: 3 },
            form,
            created: 1_783_209_431_408 + number as i64,
            author: ["ana", "bo"][number % 2],
            group: [Some("s"), Some("t"), None][number % 3],
            label: &key,
            title: "Upload",
            text: "retry the upload when the cache was changed on monday?",
            tags: &tags,
            paths: &["src/upload.rs"],
        };
        let doc = builder.add(&document, number as u64);
        builder.set_vector(doc, VectorKind::Static, &[number as i8; DIMENSIONS], 0.01);
    }
    builder.finish()
}

/// Computes the checksum anew, as an attacker would.
fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(len) = bytes.len().checked_sub(SUM_LEN) {
        let sum = checksum::sum(&bytes[..len]);
        bytes[len..].copy_from_slice(&sum.to_le_bytes());
    }
    bytes
}

/// Calls every function of a segment.
fn ask_everything(segment: &Segment<'_>) {
    let far = [segment.len(), segment.len().saturating_add(1), u32::MAX];
    for doc in (0..segment.len()).chain(far) {
        let _ = (segment.key(doc), segment.stamp(doc), segment.form(doc), segment.created(doc));
        let _ = (segment.meaning(doc), segment.weight(doc), segment.place(doc), segment.traits(doc));
        let _ = segment.group(doc).map(|group| segment.group_name(group));
        let _ = segment.author_name(segment.author(doc));
        let _: Vec<&str> = segment.words(doc).map(|term| segment.term(term)).collect();
        let _ = (segment.vector_bytes(doc), segment.scale(doc), segment.vector_kind(doc));
        let _ = segment.find(segment.key(doc));
    }
    for term in (0..segment.terms()).chain(far) {
        let _ = segment.postings(term).count();
        let _ = segment.find_term(segment.term(term));
    }
    for group in (0..segment.groups()).chain(far) {
        let _ = segment.members(group).count();
    }
    for author in (0..segment.authors()).chain(far) {
        let _ = segment.author_name(author);
    }
    let _ = (segment.find("nothing"), segment.find_term("nothing"), segment.vectors().len());
    let _ = (segment.is_empty(), segment.weight_total());
}

/// Reads a block, ranks over it alone and beside an intact one, and builds it anew.
fn use_it(bytes: &[u8]) {
    let Ok(layout) = Layout::check(bytes, SPACE) else { return };
    let bent = Segment::new(bytes, &layout);
    ask_everything(&bent);
    let sound_bytes = sample(3, 9);
    let sound_layout = Layout::check(&sound_bytes, SPACE).expect("sound");
    let sound = Segment::new(&sound_bytes, &sound_layout);
    let (mut deleted, nothing_struck) = (DeletedDocs::default(), DeletedDocs::default());
    for doc in (0..bent.len()).step_by(4) {
        deleted.delete(&bent, doc);
    }
    let meaning = |_: &str| Some(Direction { values: [3; DIMENSIONS], scale: 0.02 });
    let words_alone = |_: &str| None;
    let standing = |standing: &StandingBasis<'_>| 1.0 + (standing.created % 2) as f32 * 0.1;
    for (large, small) in
        [((bent, &deleted), (sound, &nothing_struck)), ((sound, &nothing_struck), (bent, &deleted))]
    {
        let split_groups = SplitGroups::between(large, small);
        let none = SplitGroups::default();
        for store in [
            StoreSegments { parts: [Some(large), Some(small)], split_groups: &split_groups },
            StoreSegments { parts: [Some(large), None], split_groups: &none },
        ] {
            for text in ["what did ana say about the cache on monday?", "retry upload", ""] {
                for meaning in [&meaning as &dyn Fn(&str) -> Option<Direction>, &words_alone] {
                    let question =
                        RankQuestion { text, meaning, by: RankBy::All, limit: 5, standing: &standing };
                    assert!(rank(&RecallScope::over(&[store, store]), &question).hits.len() <= 5);
                }
            }
        }
    }
    let mut builder = Builder::new(SPACE);
    builder.absorb(&bent, |doc| doc % 3 != 0);
    builder.absorb(&sound, |_| true);
    let _ = Layout::check(&builder.finish(), SPACE);
}

#[test] // spec: MEM-26
fn no_number_of_a_segment_breaks_anything_by_being_huge() {
    let bytes = sample(0, 7);
    let layout = Layout::check(&bytes, SPACE).expect("sound");
    let vectors = layout.range(SegmentSection::Vectors);
    let end = bytes.len() - SUM_LEN;
    // A vector may hold anything.
    for at in (HEADER_LEN..end).step_by(4).filter(|at| !vectors.contains(at) && at + 4 <= end) {
        let mut bent = bytes.clone();
        bent[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        use_it(&resealed(bent));
    }
}

fn any_number() -> impl Strategy<Value = u32> {
    prop_oneof![Just(0), Just(u32::MAX), Just(u32::MAX - 1), Just(1 << 31), 0..40_u32, any::<u32>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test] // spec: MEM-26
    fn any_bytes_are_refused_or_read(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        use_it(&bytes);
        // The same behind a header that looks right.
        let sound = sample(0, 2);
        let mut dressed = sound[..48.min(sound.len())].to_vec();
        dressed.extend(bytes);
        use_it(&resealed(dressed));
    }

    #[test] // spec: MEM-26
    fn a_segment_that_somebody_bent_breaks_nothing(
        count in 0..14_usize,
        bends in proptest::collection::vec((any::<proptest::sample::Index>(), any_number()), 1..12),
        bytes_bent in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..12),
        cut in proptest::option::of(any::<proptest::sample::Index>()),
    ) {
        let mut bytes = sample(0, count);
        for (at, number) in bends {
            // Numbers are at multiples of four behind the magic.
            let at = at.index(bytes.len() / 4) * 4;
            if (16..bytes.len() - 4).contains(&at) && !(40..48).contains(&at) {
                bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
            }
        }
        for (at, byte) in bytes_bent {
            let at = at.index(bytes.len());
            if at >= 48 {
                bytes[at] = byte;
            }
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        use_it(&bytes);
        use_it(&resealed(bytes));
    }

    #[test] // spec: MEM-26
    fn a_number_that_lies_breaks_nothing(
        count in 1..14_usize, at in any::<proptest::sample::Index>(), number in any_number()
    ) {
        let mut bytes = sample(0, count);
        // Only in the blocks, so that the counts still add up and every wrong number is read.
        let at = HEADER_LEN + at.index((bytes.len() - HEADER_LEN - SUM_LEN) / 4) * 4;
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        use_it(&resealed(bytes));
    }

    #[test] // spec: MEM-26
    fn a_header_that_lies_breaks_nothing(count in 0..14_usize, at in 2..56_usize, number in any_number()) {
        let mut bytes = sample(0, count);
        bytes[at * 4..at * 4 + 4].copy_from_slice(&number.to_le_bytes());
        use_it(&resealed(bytes));
    }
}
