//! Prints what an inspection costs, as times and as ratios to one plain pass over the same bytes.
//!
//! `cargo run --release -p brainstem-hygiene --example cost`. A cold figure is the median of the first
//! inspection in processes of its own. With the path of a built `brainstem`, whole runs of `memorize` are
//! measured beside them, in a home that is thrown away.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a program for people")]

use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

const NOTE_LEN: usize = 2000;
/// What a cold process looks at: a short claim, a note, and a page.
const COLD: &[(&str, usize)] = &[("400 bytes", 400), ("2 kB note", NOTE_LEN), ("64 KiB", 64 * 1024)];
const LARGE_LEN: usize = 256 * 1024;
const PROCESS_COUNT: usize = 101;
const PARAGRAPH: &str = "The importer retries three times. `token = self.lexer.next_token()?` parses the header; the \
     password page asks twice, see https://docs.internal/d/3f2a91c/edit#h.k2 and task-list item 4.\n- commit \
     9f86d081884c7d659a2feaa0c55ad015a3bf4f1b, image sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae\n\
     \n```rust\nlet secret = Secret::from_bytes(&bytes[..32])?; // 100% of it\n```\n";

fn main() {
    let mut arguments = std::env::args().skip(1);
    let argument = arguments.next();
    if argument.as_deref() == Some("--first") {
        let len = arguments.next().and_then(|len| len.parse().ok()).expect("a length");
        let note = text(len);
        let plain = time(|| plain_pass(&note));
        let first = time(|| usize::from(brainstem_hygiene::inspect(black_box(&note)).is_some()));
        println!("{} {}", first.as_nanos(), plain.as_nanos());
        return;
    }
    let note = text(NOTE_LEN);
    println!("{:<34} {:>10} {:>12} {:>7}", "", "inspect", "plain pass", "ratio");
    for (name, len) in COLD {
        let (first, plain) = cold(*len);
        row(&format!("{name}, first in its process"), first, plain);
    }
    row("2 kB note, warm", warm(&note, 2000, inspect), warm(&note, 2000, plain_pass));
    let large = text(LARGE_LEN);
    row("256 KiB of notes", warm(&large, 40, inspect), warm(&large, 40, plain_pass));
    for (name, piece) in
        [("256 KiB of `A`", "A"), ("256 KiB of `.eyJ`", ".eyJ"), ("256 KiB of `password=`", "password=")]
    {
        let worst = piece.repeat(LARGE_LEN / piece.len());
        row(name, warm(&worst, 5, inspect), warm(&worst, 5, plain_pass));
    }
    row("2 kB note, masked", warm(&note, 2000, mask), warm(&note, 2000, plain_pass));
    row("256 KiB of notes, masked", warm(&large, 40, mask), warm(&large, 40, plain_pass));
    let pasted = format!("{}{}\n", "ghp_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro").repeat(LARGE_LEN / 41);
    row("256 KiB of tokens, masked", warm(&pasted, 5, mask), warm(&pasted, 5, plain_pass));
    if let Some(program) = argument {
        for (name, len) in COLD {
            let whole = memorize(&program, &text(*len));
            let (first, _) = cold(*len);
            let percent = 100.0 * first.as_secs_f64() / whole.as_secs_f64();
            println!(
                "memorize of {name:<22} {:>8.1}us whole process, {percent:.1} % of it the first inspection",
                micros(whole)
            );
        }
    }
}

/// The median of whole runs of `memorize`, each in its own process and under a label of its own.
fn memorize(program: &str, text: &str) -> Duration {
    let top = std::env::temp_dir().join(format!("brainstem-cost-{}", std::process::id()));
    let project = top.join("project");
    std::fs::create_dir_all(&project).expect("a temporary folder");
    std::fs::write(project.join("text"), text).expect("a temporary file");
    let run = |words: &[&str]| {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", &top).env("BRAINSTEM_AGENT", "codex:maker").current_dir(&project);
        let start = Instant::now();
        let output = command.args(words).output().expect("the program runs");
        let whole = start.elapsed();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        whole
    };
    run(&["bootstrap"]);
    let times = (0..PROCESS_COUNT).map(|n| run(&["memorize", &format!("note {n}"), "--text-file", "text"]));
    let whole = median(times.collect());
    std::fs::remove_dir_all(&top).expect("our own folder");
    whole
}

fn text(len: usize) -> String {
    let mut text = PARAGRAPH.repeat(len / PARAGRAPH.len() + 1);
    text.truncate(len);
    text
}

fn inspect(text: &str) -> usize {
    usize::from(brainstem_hygiene::inspect(text).is_some())
}

fn mask(text: &str) -> usize {
    brainstem_hygiene::mask(text).len()
}

/// What any look at every byte costs.
fn plain_pass(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

fn time(act: impl FnOnce() -> usize) -> Duration {
    let start = Instant::now();
    black_box(act());
    start.elapsed()
}

/// The median of many runs.
fn warm(text: &str, count: usize, act: fn(&str) -> usize) -> Duration {
    median((0..count).map(|_| time(|| act(black_box(text)))).collect())
}

/// The medians of first runs, each in its own process.
fn cold(len: usize) -> (Duration, Duration) {
    let program = std::env::current_exe().expect("this program has a path");
    let runs = (0..PROCESS_COUNT).map(|_| {
        let output =
            Command::new(&program).args(["--first", &len.to_string()]).output().expect("it can run itself");
        let text = String::from_utf8(output.stdout).expect("two numbers");
        let mut numbers =
            text.split_whitespace().map(|number| Duration::from_nanos(number.parse().expect("a number")));
        (numbers.next().expect("the first"), numbers.next().expect("the second"))
    });
    let (first, plain): (Vec<_>, Vec<_>) = runs.unzip();
    (median(first), median(plain))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn row(name: &str, inspect: Duration, plain: Duration) {
    let ratio = inspect.as_secs_f64() / plain.as_secs_f64().max(1e-9);
    println!("{name:<34} {:>8.1}us {:>10.2}us {ratio:>7.0}", micros(inspect), micros(plain));
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
