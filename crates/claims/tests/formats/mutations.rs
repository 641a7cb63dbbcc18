//! Golden files with bytes flipped, cut, inserted and lines doubled: what the fuzzer does, in small,
//! on every machine.

use crate::{FOLDER, bytes_of, drafts, files, properties};
use proptest::prelude::*;
use std::path::Path;

/// One change of a file. Positions are taken modulo its length.
#[derive(Clone, Debug)]
enum Mutation {
    Flip { at: usize, bit: u8 },
    Cut { at: usize, len: usize },
    Truncate { at: usize },
    Insert { at: usize, bytes: Vec<u8> },
    DoubleLine { at: usize },
    DropLine { at: usize },
    SwapLines { at: usize },
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let piece = prop_oneof![
        proptest::collection::vec(any::<u8>(), 1..6),
        prop::sample::select(vec![
            "\n",
            "\r\n",
            "\r",
            "---\n",
            "---",
            "\\",
            "\\u{",
            "}",
            ":",
            "State: outdated\n",
            "Node: x\n",
            "# ",
            "## ",
            "[𝔻 confidence: 0.5]\n",
            "[⍂ entity: ",
            "]",
            "\u{feff}",
            "\u{2028}",
            "\u{85}",
            "<<<<<<< a\n",
            ">>>>>>> b\n",
        ])
        .prop_map(|text: &str| text.as_bytes().to_vec()),
    ];
    prop_oneof![
        (any::<usize>(), 0..8_u8).prop_map(|(at, bit)| Mutation::Flip { at, bit }),
        (any::<usize>(), 1..20_usize).prop_map(|(at, len)| Mutation::Cut { at, len }),
        any::<usize>().prop_map(|at| Mutation::Truncate { at }),
        (any::<usize>(), piece).prop_map(|(at, bytes)| Mutation::Insert { at, bytes }),
        any::<usize>().prop_map(|at| Mutation::DoubleLine { at }),
        any::<usize>().prop_map(|at| Mutation::DropLine { at }),
        any::<usize>().prop_map(|at| Mutation::SwapLines { at }),
    ]
}

fn apply(bytes: &mut Vec<u8>, mutation: Mutation) {
    let end = bytes.len() + 1;
    match mutation {
        Mutation::Flip { at, bit } => {
            let at = at % end;
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << bit;
            }
        }
        Mutation::Cut { at, len } => {
            let at = at % end;
            bytes.drain(at..(at + len).min(end - 1));
        }
        Mutation::Truncate { at } => bytes.truncate(at % end),
        Mutation::Insert { at, bytes: piece } => {
            let at = at % end;
            bytes.splice(at..at, piece);
        }
        Mutation::DoubleLine { at } => with_lines(bytes, |lines| {
            let at = at % lines.len();
            lines.insert(at, lines[at].clone());
        }),
        Mutation::DropLine { at } => with_lines(bytes, |lines| {
            lines.remove(at % lines.len());
        }),
        Mutation::SwapLines { at } => with_lines(bytes, |lines| {
            let (at, last) = (at % lines.len(), lines.len() - 1);
            lines.swap(at, (at + 1).min(last));
        }),
    }
}

fn with_lines(bytes: &mut Vec<u8>, change: impl FnOnce(&mut Vec<Vec<u8>>)) {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    if !lines.is_empty() {
        change(&mut lines);
    }
    *bytes = lines.concat();
}

/// Ten million in the full size (`cargo xtask soak`).
#[allow(clippy::disallowed_methods, reason = "the size of a suite comes from the environment")]
fn cases_wanted() -> u32 {
    if std::env::var("BRAINSTEM_SOAK").is_ok_and(|size| size == "full") { 10_000_000 } else { 4_000 }
}

#[test] // spec: MEM-5, MEM-6, MEM-7
fn a_damaged_file_is_no_claim_or_keeps_its_bytes() {
    let golden: Vec<Vec<u8>> = files(Path::new(FOLDER)).iter().map(|path| bytes_of(path)).collect();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: cases_wanted(),
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let cases = (0..golden.len(), proptest::collection::vec(mutation(), 1..5));
    let claims = std::cell::Cell::new(0_u32);
    let checked = runner.run(&cases, |(at, mutations)| {
        let mut bytes = golden[at].clone();
        mutations.into_iter().for_each(|mutation| apply(&mut bytes, mutation));
        claims.set(claims.get() + u32::from(properties::check(&bytes)));
        Ok(())
    });
    checked.unwrap();
    let (cases, claims) = (cases_wanted(), claims.get());
    println!("{cases} damaged files, {claims} of them still claims, none lost a byte");
    assert!(claims > cases / 4, "{claims} of the damaged files are still claims");
}

/// Words as callers give them, with signs that mean something in a file.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-zA-Z ]{1,12}", 1 => "\\PC{0,12}", 1 => "(\n|\r|---|: |State: |\\[⟁ |\\]|,|[a-z]){0,8}"]
}

#[test] // spec: MEM-5, MEM-7
fn a_draft_that_passes_its_checks_is_read_as_it_was_meant() {
    let words = || proptest::collection::vec(word(), 0..3);
    let said = (
        word(),
        proptest::option::of(word()),
        word(),
        any::<u8>(),
        proptest::option::of(0.0..1.0_f64),
        any::<u8>(),
    );
    let more = (words(), words(), words(), proptest::option::of(word()), any::<bool>());
    let kept =
        ("[a-z]{1,5}@[0-9a-f]{8}", 0..4_000_000_000_000_i64, proptest::option::of("[a-z]{1,5}@[0-9]{1,13}"));
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: cases_wanted() / 4,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let drafted = std::cell::Cell::new(0_u32);
    let checked = runner.run(&(said, more, kept), |(said, more, kept)| {
        let (label, title, text, state, confidence, kind) = said;
        let (evidence, depends_on, tags, group, absolute) = more;
        let (origin_brain, created, supersedes) = kept;
        let given = drafts::Given {
            label,
            title,
            text,
            state,
            confidence,
            kind,
            evidence,
            depends_on,
            tags,
            group,
            absolute,
            origin_brain,
            created,
            supersedes,
        };
        drafted.set(drafted.get() + u32::from(drafts::check(given)));
        Ok(())
    });
    checked.unwrap();
    assert!(drafted.get() > 100, "{} drafts passed their checks", drafted.get());
}
