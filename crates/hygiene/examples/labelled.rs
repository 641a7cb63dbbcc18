//! Prints how the floor does on the labelled set, and on files of your own.
//!
//! `cargo run -p brainstem-hygiene --example labelled [--tuning] [--show] [--seeds] [FOLDER…]`. `--seeds`
//! adds twenty other seeds; `--show` prints the invented
//! texts that went wrong. With folders, their text files
//! are cut into notes of 2 kB and every alarm is listed by file and line, never with its text.
#![allow(clippy::print_stdout, reason = "a program for people")]
#![allow(
    clippy::disallowed_methods,
    reason = "reads the folders it is given, with no simulated disk in sight"
)]
#![allow(missing_docs, reason = "not a library")]

#[path = "../tests/labelled/carriers.rs"]
mod carriers;
#[path = "../tests/labelled/negatives.rs"]
mod negatives;
#[path = "../tests/labelled/positives.rs"]
mod positives;
#[path = "../tests/labelled/rng.rs"]
mod rng;
#[allow(dead_code, reason = "the tests look at more of a note than this program")]
#[path = "../tests/labelled/set.rs"]
mod set;

use brainstem_hygiene::{inspect, kinds};
use set::{Half, SEED};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const NOTE_LEN: usize = 2000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folders: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    if folders.is_empty() {
        let halves: &[Half] = if arguments.iter().any(|argument| argument == "--tuning") {
            &[Half::Tuning]
        } else {
            &[Half::Tuning, Half::HeldOut]
        };
        println!(
            "{} kinds, {} recipes, {} classes",
            kinds().count(),
            positives::RECIPES.len(),
            negatives::CLASSES.len()
        );
        halves.iter().for_each(|half| measure(*half));
        if arguments.iter().any(|argument| argument == "--seeds") {
            other_seeds();
        }
    }
    folders.into_iter().for_each(|folder| read(Path::new(folder)));
}

fn measure(half: Half) {
    let positives: Vec<_> = set::positives(SEED).into_iter().filter(|note| note.half == half).collect();
    let mut missed = BTreeMap::<&str, Vec<&str>>::new();
    for note in positives.iter().filter(|note| inspect(&note.text).is_none()) {
        missed.entry(note.recipe).or_default().push(note.carrier);
    }
    let miss_count = missed.values().map(Vec::len).sum::<usize>();
    let negatives: Vec<_> = set::negatives(SEED).into_iter().filter(|note| note.half == half).collect();
    let mut alarms = BTreeMap::<(&str, &str), usize>::new();
    for (class, finding) in negatives.iter().filter_map(|note| Some((note.class, inspect(&note.text)?))) {
        *alarms.entry((class, finding.kind.id)).or_default() += 1;
    }
    if std::env::args().any(|argument| argument == "--show") {
        let of = |text: &str| inspect(text).map(|finding| text[finding.span].to_owned());
        negatives.iter().filter_map(|note| of(&note.text)).for_each(|text| println!("  alarm at {text:?}"));
        positives
            .iter()
            .filter(|note| inspect(&note.text).is_none())
            .for_each(|note| println!("  missed {:?}", note.text));
    }
    let alarm_count = alarms.values().sum::<usize>();
    println!(
        "{half:?}: recall {:.2} % ({miss_count} of {} missed), false positives {:.2} % ({alarm_count} of {})",
        100.0 - 100.0 * miss_count as f64 / positives.len() as f64,
        positives.len(),
        100.0 * alarm_count as f64 / negatives.len() as f64,
        negatives.len()
    );
    missed.iter().for_each(|(recipe, carriers)| println!("  missed {recipe}: {}", carriers.join(", ")));
    alarms.iter().for_each(|((class, id), count)| println!("  alarm {class}: {id} x {count}"));
}

/// The same recipes and classes from seeds that nobody tuned on.
fn other_seeds() {
    let (mut positives, mut missed, mut negatives, mut alarms) = (0, BTreeMap::<&str, usize>::new(), 0, 0);
    for seed in SEED + 101..=SEED + 120 {
        for note in set::positives(seed) {
            positives += 1;
            if inspect(&note.text).is_none() {
                *missed.entry(note.recipe).or_default() += 1;
            }
        }
        for note in set::negatives(seed) {
            negatives += 1;
            alarms += usize::from(inspect(&note.text).is_some());
        }
    }
    let miss_count = missed.values().sum::<usize>();
    println!("20 other seeds: {miss_count} of {positives} missed, {alarms} of {negatives} false: {missed:?}");
}

fn read(folder: &Path) {
    let mut files = Vec::new();
    collect(folder, &mut files);
    let (mut notes, mut alarms) = (0usize, BTreeMap::<&str, usize>::new());
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let mut line = 1;
        let mut note = String::new();
        for (number, content) in text.split_inclusive('\n').enumerate() {
            note += content;
            if note.len() >= NOTE_LEN {
                notes += 1;
                report(&file, line, &note, &mut alarms);
                note.clear();
                line = number + 2;
            }
        }
        if !note.is_empty() {
            notes += 1;
            report(&file, line, &note, &mut alarms);
        }
    }
    println!("{}: {} alarms in {notes} notes {alarms:?}", folder.display(), alarms.values().sum::<usize>());
}

fn report(file: &Path, line: usize, note: &str, alarms: &mut BTreeMap<&'static str, usize>) {
    if let Some(finding) = inspect(note) {
        *alarms.entry(finding.kind.id).or_default() += 1;
        let down = note[..finding.span.start].matches('\n').count();
        println!("{}:{}: {}", file.display(), line + down, finding.kind.id);
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ending| {
            ["md", "txt", "rs", "toml", "lock", "json", "yml", "yaml", "py", "js", "go", "sh"]
                .iter()
                .any(|known| ending == *known)
        }) {
            files.push(path);
        }
    }
}
