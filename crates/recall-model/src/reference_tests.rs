//! Both models against vectors that an independent reader of the weight files computed in floats.
//!
//! The reference takes its texts as they are, without splitting identifiers.

use crate::pieces::pieces;
use crate::{Encoder, KernelPath, PieceTable, Vector};
use serde_json::Value;

struct Case {
    text: String,
    ids: Vec<u16>,
    encoder: Vec<f32>,
    /// Empty if the text has no piece, and so no direction.
    document: Vec<f32>,
}

fn cases() -> Vec<Case> {
    let all: Value = serde_json::from_str(include_str!("../tests/reference.json")).unwrap();
    let numbers = |value: &Value| -> Vec<f32> {
        value.as_array().into_iter().flatten().map(|number| number.as_f64().unwrap() as f32).collect()
    };
    all.as_array()
        .unwrap()
        .iter()
        .map(|case| Case {
            text: case["text"].as_str().unwrap().to_owned(),
            ids: case["ids"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as u16).collect(),
            encoder: numbers(&case["encoder"]),
            document: numbers(&case["static_doc"]),
        })
        .collect()
}

/// A checksum over every bit of some vectors.
fn checksum(vectors: &[Vector]) -> u64 {
    let numbers = vectors.iter().flat_map(|vector| vector.as_array());
    numbers.fold(0xCBF2_9CE4_8422_2325, |hash, number| {
        (hash ^ u64::from(number.to_bits())).wrapping_mul(0x0100_0000_01B3)
    })
}

/// The same on every path of every processor. If it changes, vectors that were made before no longer match exactly.
const CHECKSUM: u64 = 0x6BDD_2069_F07F_76F1;

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot =
        |a: &[f32], b: &[f32]| -> f64 { a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum() };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[test]
fn pieces_are_those_of_the_reference() {
    for case in cases() {
        let ids = pieces(case.text.chars());
        assert_eq!([&[101], &ids[..], &[102]].concat(), case.ids, "{:?}", case.text);
    }
}

#[test]
fn every_path_of_the_encoder_meets_the_reference_and_all_paths_agree_to_the_bit() {
    let cases = cases();
    for path in KernelPath::all() {
        let encoder = Encoder::on(path);
        let vectors: Vec<_> = cases.iter().map(|case| encoder.encode(&pieces(case.text.chars()))).collect();
        let cosines: Vec<f64> = vectors
            .iter()
            .zip(&cases)
            .map(|(vector, case)| cosine(vector.as_array(), &case.encoder))
            .collect();
        let least = cosines.iter().copied().fold(1.0, f64::min);
        println!(
            "{}: {least:.5} at least, {:.5} in the mean",
            path.name(),
            cosines.iter().sum::<f64>() / 24.0
        );
        assert!(least >= 0.998, "{}: {cosines:?}", path.name());
        assert_eq!(checksum(&vectors), CHECKSUM, "{} gives other bits", path.name());
    }
}

#[test]
fn the_table_meets_the_reference() {
    let table = PieceTable::new();
    for case in cases() {
        let vector = table.sum(&pieces(case.text.chars()), |_| 1.0);
        if case.document.is_empty() {
            assert_eq!(vector.as_array(), &[0.0; 256]);
            continue;
        }
        let cosine = cosine(vector.as_array(), &case.document);
        assert!(cosine > 0.99999, "{:?}: {cosine}", case.text);
    }
}
