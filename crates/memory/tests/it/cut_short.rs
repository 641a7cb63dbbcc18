//! An index that somebody cuts short in the middle of a question.

#![allow(clippy::disallowed_methods, reason = "what is cut is a mapped file, which needs a real one")]

use crate::world::{MAKER, Short as _, caller, clock, service_with};
use brainstem_base::disk::RealDisk;
use brainstem_index::{Embedder, QuantisedVector};
use brainstem_memory::Tier;
use brainstem_recall::rank::Direction;
use brainstem_recall::segment::DIMENSIONS;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cuts every index of a home when it is told a question, which is after words were compared and before
/// meanings are.
struct Cutter {
    indexes: PathBuf,
    is_armed: AtomicBool,
}

fn values(text: &str) -> [i8; DIMENSIONS] {
    let mut values = [1; DIMENSIONS];
    text.bytes().for_each(|byte| values[usize::from(byte) % DIMENSIONS] = 20);
    values
}

impl Embedder for Cutter {
    fn space(&self) -> &str {
        "cutter"
    }

    fn embed_static(&self, text: &str) -> Option<QuantisedVector> {
        Some(QuantisedVector { values: values(text), scale: 0.01 })
    }

    fn embed_encoded(&self, _: &str) -> Option<QuantisedVector> {
        None
    }

    fn has_better(&self) -> bool {
        false
    }

    fn question(&self, text: &str) -> Option<Direction> {
        if self.is_armed.swap(false, Ordering::SeqCst) {
            let files = std::fs::read_dir(&self.indexes).unwrap().map(|entry| entry.unwrap().path());
            let segments: Vec<PathBuf> =
                files.filter(|path| path.extension().is_some_and(|kind| kind == "segment")).collect();
            assert!(!segments.is_empty(), "there is something to cut");
            for path in segments {
                std::fs::File::options().write(true).open(path).unwrap().set_len(100).unwrap();
            }
        }
        Some(Direction { values: values(text), scale: 0.01 })
    }
}

#[test] // spec: MEM-26
fn an_index_that_is_cut_within_a_question_costs_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let (root, home) = (top.join("cherry"), top.join("home"));
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let cutter = Arc::new(Cutter { indexes: home.join("index"), is_armed: AtomicBool::new(false) });
    let memory = service_with(Arc::new(RealDisk), &clock(), &home, None, cutter.clone());
    let cherry = caller(MAKER, &root);
    memory.begin(&cherry).unwrap();
    for number in 0..60 {
        memory.tell(&cherry, &format!("Claim {number}"), &format!("upload number{number}")).unwrap();
    }
    let ask = |question: &str| {
        let sought = memory.find(&cherry, question, Tier::Both);
        assert_eq!(sought.gaps, []);
        sought.rows.iter().map(|row| format!("{} {:?}", row.id, row.why)).collect::<Vec<_>>()
    };
    // By words and meaning, and by meaning alone.
    for question in ["which upload is number7", "uploadnumber"] {
        memory.settle(&cherry, Tier::Both);
        memory.adopt_indexes();
        ask("something else");
        cutter.is_armed.store(true, Ordering::SeqCst);
        let cut = ask(question);
        assert!(!cutter.is_armed.load(Ordering::SeqCst), "it was cut");
        assert!(!cut.is_empty());
        assert_eq!(cut, ask(question));
    }
}
