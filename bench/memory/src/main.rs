//! Measures memory in process, against the machine and against other search libraries (PERF-2a, PERF-3).
//!
//! `cargo run --release` in this folder prints a table; `--json FILE` writes the same for programs and
//! `--claims 1000,10000` chooses the sizes. `fill FOLDER CLAIMS` makes a home for `doors.py`, with its
//! notes and questions as JSON lines beside it, and `dormant FOLDER STORES CLAIMS` adds brains to it. Docs: docs/performance.md.

mod figures;
mod homes;
mod notes;
mod others;
mod recall;
mod writes;

use figures::Report;
use homes::Place;
use notes::Groups;
use serde_json::json;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// How many durable writes of each kind are measured.
const WRITES: usize = 300;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["fill", folder, claims] => fill(Path::new(folder), number(claims)),
        ["dormant", folder, stores, claims] => {
            Place::at(Path::new(folder)).fill_dormant(number(stores) as u64, number(claims) as u64);
        }
        ["dwell", folder, claims] => recall::dwell(&Place::at(Path::new(folder)), number(claims)),
        options => measure(options),
    }
}

fn number(word: &str) -> usize {
    word.parse().unwrap_or_else(|_| panic!("`{word}` is no number of claims"))
}

fn measure(options: &[&str]) {
    let mut sizes = SIZES.to_vec();
    let mut json_file = None;
    for pair in options.chunks(2) {
        match pair {
            ["--claims", list] => sizes = list.split(',').map(number).collect(),
            ["--json", file] => json_file = Some(file.to_string()),
            other => panic!("{other:?} is not understood"),
        }
    }
    let mut report = Report::default();
    println!("| claims | what | p50 | p99 | processor p50 |\n| ---: | --- | ---: | ---: | ---: |");
    for claims in sizes {
        one_size(claims, &mut report);
    }
    if let Some(file) = json_file {
        let text = serde_json::to_string_pretty(&report.json()).expect("JSON");
        std::fs::write(file, text + "\n").expect("the file can be written");
    }
}

fn one_size(claims: usize, report: &mut Report) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = Place::at(&folder.path().join("grouped"));
    place.fill(claims as u64, Groups::Some);
    recall::build(&place, claims, report);
    let tantivy = recall::words(&place, &folder.path().join("others"), claims, Groups::Some, report);
    recall::whole(&place, &tantivy, claims, report);
    private_memory(&folder.path().join("grouped"), claims, report);
    writes::measure(&place, claims, WRITES, report);
    recall::freshness(&place, claims, report);

    let place = Place::at(&folder.path().join("alone"));
    place.fill(claims as u64, Groups::None);
    place.settle(&place.store());
    recall::words(&place, &folder.path().join("others-alone"), claims, Groups::None, report);
}

/// What two processes that ask the same store have for themselves: pages that both map are not counted.
fn private_memory(folder: &Path, claims: usize, report: &mut Report) {
    let program = std::env::current_exe().expect("the path of this program");
    let mut dwellers: Vec<_> = (0..2)
        .map(|_| {
            let mut command = Command::new(&program);
            command.arg("dwell").arg(folder).arg(claims.to_string());
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("this program again")
        })
        .collect();
    for dweller in &mut dwellers {
        let mut line = String::new();
        let output = dweller.stdout.as_mut().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("its answer");
        assert_eq!(line.trim(), "ready");
    }
    let path = format!("/proc/{}/smaps_rollup", dwellers[0].id());
    let rollup = std::fs::read_to_string(path).unwrap_or_default();
    let sum = |wanted: &str| -> f64 {
        let lines = rollup.lines().filter(|line| line.starts_with(wanted));
        lines.filter_map(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok()).sum::<f64>() / 1024.0
    };
    report.number(claims, "private memory (at most 60)", sum("Private_"), "MiB");
    report.number(claims, "resident memory", sum("Rss"), "MiB");
    for mut dweller in dwellers {
        drop(dweller.stdin.take());
        dweller.wait().expect("its end");
    }
}

/// A home with a built index, and beside it what other programs need to ask the same.
fn fill(folder: &Path, claims: usize) {
    let place = Place::at(folder);
    place.fill(claims as u64, Groups::Some);
    place.settle(&place.store());
    let mut notes =
        std::io::BufWriter::new(std::fs::File::create(folder.join("notes.jsonl")).expect("a file"));
    for at in 0..claims as u64 {
        let note = notes::note(at, Groups::Some);
        let line = json!({"label": note.label, "title": note.title, "text": note.text, "tags": note.tags});
        writeln!(notes, "{line}").expect("a line");
    }
    let mut asked = std::fs::File::create(folder.join("questions.jsonl")).expect("a file");
    for question in recall::questions(claims, 200) {
        let line = json!({"sentence": question.sentence, "words": question.words, "answer": question.answer});
        writeln!(asked, "{line}").expect("a line");
    }
}
