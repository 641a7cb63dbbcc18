use super::{BrokenSegment, Builder, DIMENSIONS, Layout, Segment, VectorKind};
use crate::document::{ClaimForm, Document, ReadStamp};

const SPACE: u64 = 7;

fn document<'a>(key: &'a str, group: Option<&'a str>, created: i64, text: &'a str) -> Document<'a> {
    Document {
        key,
        stamp: ReadStamp { inode: created.unsigned_abs(), modified_ns: -created, len: text.len() as u32 },
        form: ClaimForm::Claim,
        created,
        author: "codex:maker",
        group,
        label: key,
        title: "",
        text,
        tags: &[],
        paths: &[],
    }
}

fn sample() -> Vec<u8> {
    let mut builder = Builder::new(SPACE);
    for (key, group, created, text) in [
        ("one", Some("s"), 30, "retry the flaky upload"),
        ("two", None, 10, "the port is 8080"),
        ("three", Some("s"), 20, "uploads use parseURL"),
    ] {
        let doc = builder.add(&document(key, group, created, text), 1);
        builder.set_vector(doc, VectorKind::Static, &[doc as i8 - 1; DIMENSIONS], 0.5);
    }
    builder.finish()
}

/// Everything in a segment, in words.
fn contents(segment: &Segment<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for doc in 0..segment.len() {
        let words: Vec<&str> = segment.words(doc).map(|term| segment.term(term)).collect();
        out.push(format!(
            "{} {:?} {} {} {:?} {} {} {:?} {} {:?}",
            segment.key(doc),
            segment.stamp(doc),
            segment.created(doc),
            segment.author_name(segment.author(doc)),
            segment.group(doc).map(|group| segment.group_name(group)),
            segment.weight(doc),
            words.join("_"),
            segment.vector_kind(doc),
            segment.scale(doc),
            segment.vector_bytes(doc)[0].cast_signed(),
        ));
    }
    for term in 0..segment.terms() {
        let holders: Vec<(&str, u8)> =
            segment.postings(term).map(|(doc, weight)| (segment.key(doc), weight)).collect();
        out.push(format!("{}: {holders:?}", segment.term(term)));
    }
    for group in 0..segment.groups() {
        let members: Vec<&str> = segment.members(group).map(|doc| segment.key(doc)).collect();
        out.push(format!("{}: {members:?}", segment.group_name(group)));
    }
    out
}

#[test]
fn what_went_in_comes_out() {
    let bytes = sample();
    let layout = Layout::check(&bytes, SPACE).expect("sound");
    let segment = Segment::new(&bytes, &layout);
    // Documents without a group come first, then a group by birth.
    assert_eq!(["two", "three", "one"].map(|key| segment.find(key)), [Some(0), Some(1), Some(2)]);
    assert_eq!(segment.alone(), 1);
    assert_eq!(segment.find("four"), None);
    let upload = segment.find_term("upload").expect("known");
    assert_eq!(segment.postings(upload).collect::<Vec<_>>(), [(1, 4), (2, 4)]);
    assert!(segment.find_term("parseurl").is_some(), "an identifier is found whole");
    assert!(segment.find_term("nothing").is_none());
    assert_eq!(segment.members(0).map(|doc| segment.key(doc)).collect::<Vec<_>>(), ["three", "one"]);
    assert_eq!((segment.place(1), segment.place(2), segment.group(0)), (0, 1, None));
    assert_eq!(
        segment.words(0).map(|term| segment.term(term)).collect::<Vec<_>>(),
        ["the", "port", "is", "8080"]
    );
}

#[test]
fn a_merge_of_parts_says_what_one_build_would() {
    let bytes = sample();
    let layout = Layout::check(&bytes, SPACE).expect("sound");
    let segment = Segment::new(&bytes, &layout);
    let mut merged = Builder::new(SPACE);
    assert_eq!(merged.absorb(&segment, |doc| doc != 0), [None, Some(0), Some(1)]);
    let doc = merged.add(&document("two", None, 10, "the port is 8080"), 1);
    merged.set_vector(doc, VectorKind::Static, &[0; DIMENSIONS], 0.5);
    let merged = merged.finish();
    let merged_layout = Layout::check(&merged, SPACE).expect("sound");
    assert_eq!(contents(&Segment::new(&merged, &merged_layout)), contents(&segment));
}

#[test]
fn the_two_sides_of_a_file_stay_together_whatever_their_groups_are() {
    let side = |key, group, form| Document { form, ..document(key, group, 10, "upload") };
    let mut builder = Builder::new(SPACE);
    builder.add(&side("both", None, ClaimForm::Ours), 1);
    builder.add(&side("both", Some("s"), ClaimForm::Theirs), 2);
    builder.add(&side("mine", Some("s"), ClaimForm::Ours), 3);
    builder.add(&side("mine", None, ClaimForm::Theirs), 4);
    builder.add(&side("alone", None, ClaimForm::Claim), 5);
    builder.add(&side("neither", None, ClaimForm::Ours), 6);
    builder.add(&side("neither", None, ClaimForm::Theirs), 7);
    let bytes = builder.finish();
    let layout = Layout::check(&bytes, SPACE).expect("sound");
    let segment = Segment::new(&bytes, &layout);
    let keys: Vec<&str> = (0..segment.len()).map(|doc| segment.key(doc)).collect();
    assert_eq!(keys, ["alone", "neither", "neither", "both", "both", "mine", "mine"]);
    assert_eq!(segment.alone(), 3);
    assert!((0..segment.alone()).all(|doc| segment.group(doc).is_none()));
    for key in ["neither", "both", "mine"] {
        let first = segment.find(key).expect("known");
        assert_eq!(
            [segment.form(first), segment.form(first + 1)],
            [ClaimForm::Ours, ClaimForm::Theirs],
            "{key}"
        );
    }
}

#[test]
fn a_damaged_block_is_noticed_whichever_byte_it_is() {
    let bytes = sample();
    for at in 0..bytes.len() {
        let mut bad = bytes.clone();
        bad[at] ^= 0x10;
        assert!(Layout::check(&bad, SPACE).is_err(), "byte {at}");
        assert!(Layout::check(&bytes[..at], SPACE).is_err(), "cut at {at}");
    }
    assert_eq!(Layout::check(&bytes, SPACE + 1).err(), Some(BrokenSegment::OtherSpace));
    // Longer than its parts, with a correct checksum.
    let mut long = bytes[..bytes.len() - 8].to_vec();
    long.resize(long.len() + 4096, 0);
    long.extend(super::checksum::sum(&long).to_le_bytes());
    assert_eq!(Layout::check(&long, SPACE).err(), Some(BrokenSegment::Damaged));
}

#[test]
fn a_block_that_changes_under_its_reader_breaks_nothing() {
    let bytes = sample();
    let layout = Layout::check(&bytes, SPACE).expect("sound");
    for fill in [0x00, 0x5a, 0xff] {
        let bad = vec![fill; bytes.len()];
        let _ = contents(&Segment::new(&bad, &layout));
    }
    let _ = contents(&Segment::new(&bytes[..100], &layout));
    assert_eq!(Segment::new(&[], &layout).find("one"), None);
}
