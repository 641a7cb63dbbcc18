use super::{Direction, RankBy, RankQuestion, is_name, rank};
use crate::document::{ClaimForm, Document, ReadStamp};
use crate::scope::{DeletedDocs, RecallScope, SplitGroups, StoreSegments};
use crate::segment::{Builder, DIMENSIONS, Layout, Segment, VectorKind};

/// Forty claims with the vector of the question, and one that holds its only name and has another vector: like a claim
/// whose better vector is not computed yet.
fn first_for(question: &str, group: Option<&str>) -> String {
    let mut builder = Builder::new(1);
    for number in 0..41 {
        let key = format!("claim-{number}");
        let text =
            if number == 33 { "guava tok6q346z quokka by writer 6" } else { "guava by writer of tokens" };
        let document = Document {
            key: &key,
            stamp: ReadStamp::default(),
            form: ClaimForm::Claim,
            created: 1_783_209_431_408 + i64::from(number),
            author: "ana",
            group,
            label: &key,
            title: "",
            text,
            tags: &[],
            paths: &[],
        };
        let doc = builder.add(&document, number as u64);
        let (kind, value) = if number == 33 { (VectorKind::Static, -9) } else { (VectorKind::Encoded, 9) };
        builder.set_vector(doc, kind, &[value; DIMENSIONS], 1.0 / 144.0);
    }
    let bytes = builder.finish();
    let layout = Layout::check(&bytes, 1).unwrap();
    let (deleted, split_groups) = (DeletedDocs::default(), SplitGroups::default());
    let store = StoreSegments {
        parts: [Some((Segment::new(&bytes, &layout), &deleted)), None],
        split_groups: &split_groups,
    };
    let meaning = |_: &str| Some(Direction { values: [9; DIMENSIONS], scale: 1.0 / 144.0 });
    let question =
        RankQuestion { text: question, meaning: &meaning, by: RankBy::All, limit: 10, standing: &|_| 1.0 };
    rank(&RecallScope::over(&[store]), &question).hits[0].found.key.to_owned()
}

#[test] // spec: MEM-25
fn what_alone_holds_the_name_that_is_asked_for_comes_first() {
    for group in [None, Some("s")] {
        for question in ["tok6q346z", "guava tok6q346z", "which tokens did the writer of TOK6Q346Z use?"] {
            assert_eq!(first_for(question, group), "claim-33", "{question}, {group:?}");
        }
    }
    assert_ne!(first_for("guava tokens", None), "claim-33", "by meaning, without its name");
}

#[test] // spec: MEM-25
fn a_claim_that_the_encoder_has_not_read_is_found_by_its_words() {
    assert_eq!(first_for("quokka", None), "claim-33");
    assert_eq!(first_for("what does the quokka of the writer do?", None), "claim-33");
}

#[test]
fn a_name_has_letters_and_digits() {
    assert!(["qx7741", "tok6q346z", "sha256"].into_iter().all(is_name));
    assert!(!["retry", "2026", "v2", "8080"].into_iter().any(is_name));
}
