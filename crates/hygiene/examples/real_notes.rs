//! Prints how many notes of real text are refused: documents and sources of this machine, cut into notes of 2 kB.
//!
//! `cargo run --release -p brainstem-hygiene --example real_notes [-- --count N] [--seed N] [--all] [FOLDER…]`. Without folders
//! it reads what most machines have: the messages of this repository's commits, the sources of the crates that cargo fetched,
//! `/usr/share/doc`, the manual pages, and the libraries of Perl, Node and Python. Each source gives the same
//! number of notes as far as it has them, drawn by a seed; a text that occurs twice counts once. `--all` takes every note. An
//! alarm is listed by file and line, never with its text.
#![allow(clippy::print_stdout, reason = "a program for people")]
#![allow(
    clippy::disallowed_methods,
    reason = "reads the folders it is given, with no simulated disk in sight"
)]
#![allow(missing_docs, reason = "not a library")]

use brainstem_hygiene::inspect;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const NOTE_LEN: usize = 2000;
const NOTE_COUNT: usize = 5000;
const FILE_LEN_MAX: u64 = 4 << 20;

/// A place with real text.
enum Source {
    Folder(PathBuf),
    Commits,
}

struct Note {
    place: String,
    line: usize,
    text: String,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (mut count, mut seed, mut sources) = (NOTE_COUNT, 1, Vec::new());
    let number = |arguments: &mut std::iter::Skip<std::env::Args>, name: &str| -> u64 {
        arguments.next().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{name} needs a number"))
    };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--count" => count = number(&mut arguments, "--count") as usize,
            "--seed" => seed = number(&mut arguments, "--seed"),
            "--all" => count = usize::MAX,
            folder => sources.push(Source::Folder(PathBuf::from(folder))),
        }
    }
    if sources.is_empty() {
        sources = usual_sources();
    }
    let (mut noted, mut seen) = (0, BTreeSet::new());
    let mut alarms = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        let share = if count == usize::MAX { count } else { (count - noted).div_ceil(sources.len() - at) };
        let notes = draw(source, share, seed, &mut seen);
        println!("{} notes of {}", notes.len(), name(source));
        noted += notes.len();
        alarms.extend(notes.iter().filter_map(|note| {
            let finding = inspect(&note.text)?;
            let line = note.line + note.text[..finding.span.start].matches('\n').count();
            Some(format!("{}:{line}: {}", note.place, finding.kind.id))
        }));
    }
    alarms.iter().for_each(|alarm| println!("  {alarm}"));
    println!(
        "{} of {noted} notes refused ({:.3} %)",
        alarms.len(),
        100.0 * alarms.len() as f64 / noted.max(1) as f64
    );
    if alarms.len() * 1000 < noted { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn usual_sources() -> Vec<Source> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let cargo = std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let mut folders = vec![cargo.join("registry/src")];
    folders.extend(
        ["/usr/share/doc", "/usr/share/man", "/usr/share/perl", "/usr/lib/node_modules", "/usr/lib/python3"]
            .map(PathBuf::from),
    );
    folders.extend((8..20).map(|minor| PathBuf::from(format!("/usr/lib/python3.{minor}"))));
    let found = folders.into_iter().filter(|folder| folder.is_dir()).map(Source::Folder);
    std::iter::once(Source::Commits).chain(found).collect()
}

fn name(source: &Source) -> String {
    match source {
        Source::Folder(folder) => folder.display().to_string(),
        Source::Commits => "the messages of this repository's commits".to_owned(),
    }
}

/// The notes of a source with the smallest hashes: a sample that depends on the seed alone.
fn draw(source: &Source, count: usize, seed: u64, seen: &mut BTreeSet<u64>) -> Vec<Note> {
    let mut drawn = BTreeMap::new();
    let mut take = |place: &str, text: &str| {
        for (line, note) in notes(text) {
            let print = hash(note.trim());
            if note.trim().is_empty() || !seen.insert(print) {
                continue;
            }
            drawn.insert(mix(print ^ mix(seed)), Note { place: place.to_owned(), line, text: note });
            if drawn.len() > count {
                drawn.pop_last();
            }
        }
    };
    match source {
        Source::Commits => {
            let log = Command::new("git").args(["log", "--no-merges", "--format=%h %an%n%B"]).output();
            take(
                "git log",
                &log.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default(),
            );
        }
        Source::Folder(folder) => {
            let mut files = Vec::new();
            collect(folder, &mut files);
            for file in files {
                if let Some(text) = read(&file) {
                    take(&file.display().to_string(), &text);
                }
            }
        }
    }
    drawn.into_values().collect()
}

/// A text in pieces of whole lines, each with the number of its first line.
fn notes(text: &str) -> Vec<(usize, String)> {
    let (mut notes, mut note, mut first) = (Vec::new(), String::new(), 1);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        note += line;
        if note.len() >= NOTE_LEN {
            notes.push((first, std::mem::take(&mut note)));
            first = number + 2;
        }
    }
    notes.push((first, note));
    notes
}

/// The text of a file, unpacked where it is packed. `None` for what is no text, or too large.
fn read(file: &Path) -> Option<String> {
    if file.metadata().ok()?.len() > FILE_LEN_MAX {
        return None;
    }
    let bytes = if file.extension().is_some_and(|ending| ending == "gz") {
        Command::new("gzip").arg("-dc").arg(file).output().ok()?.stdout
    } else {
        std::fs::read(file).ok()?
    };
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}

fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

fn mix(number: u64) -> u64 {
    let z = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}
