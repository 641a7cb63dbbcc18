//! Prints how many secrets of the kinds and forms in `tests/forms` are refused, and which hard innocents are.
//!
//! `cargo run --release -p brainstem-hygiene --example forms [-- --tuned] [--held-out] [--seeds N] [--show] [--missed]`.
//! The first seed is that of the check; `--seeds N` adds N others drawn from the clock. `--missed` names what
//! was missed, `--show` prints the drawn notes besides. No draw is a real credential.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a program for people")]
#![allow(missing_docs, reason = "not a library")]

#[path = "../tests/labelled/carriers.rs"]
mod carriers;
#[path = "../tests/forms/draw.rs"]
mod draw;
#[path = "../tests/forms/environment.rs"]
mod environment;
#[path = "../tests/forms/innocents.rs"]
mod innocents;
#[path = "../tests/forms/later.rs"]
mod later;
#[path = "../tests/forms/named.rs"]
mod named;
#[path = "../tests/forms/places.rs"]
mod places;
#[path = "../tests/forms/prose.rs"]
mod prose;
#[path = "../tests/labelled/rng.rs"]
#[allow(dead_code, reason = "the other set draws more")]
mod rng;
#[path = "../tests/forms/set.rs"]
mod set;
#[path = "../tests/forms/tokens.rs"]
mod tokens;

use brainstem_hygiene::inspect;
use rng::Rng;
use set::{Part, SEED, forms};
use std::collections::BTreeMap;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let parts = match (has("--tuned"), has("--held-out")) {
        (true, false) => vec![Part::Tuned],
        (false, true) => vec![Part::HeldOut],
        _ => vec![Part::Tuned, Part::HeldOut, Part::Later],
    };
    let mut seeds = vec![SEED];
    if let Some(at) = arguments.iter().position(|argument| argument == "--seeds") {
        let count: u64 = arguments.get(at + 1).and_then(|count| count.parse().ok()).unwrap_or(3);
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(1, |now| now.as_nanos() as u64);
        seeds.extend((0..count).map(|n| now.wrapping_add(n)));
    }
    for seed in seeds {
        println!("seed {seed}");
        for part in &parts {
            recall(*part, seed, has("--missed"), has("--show"));
        }
        harmless(seed, has("--show"));
    }
}

#[derive(Default)]
struct Count {
    forms: usize,
    notes: usize,
    missed: usize,
    share: f64,
}

fn recall(part: Part, seed: u64, name_missed: bool, show: bool) {
    let mut counts = BTreeMap::<&str, Count>::new();
    for form in forms().filter(|form| form.part() == part) {
        let missed: Vec<String> =
            form.notes(seed).filter(|note| inspect(&note.text).is_none()).map(|note| note.text).collect();
        for group in [form.group, "all"] {
            let count = counts.entry(group).or_default();
            count.forms += 1;
            count.notes += set::DRAW_COUNT;
            count.missed += missed.len();
            count.share += 1.0 - missed.len() as f64 / set::DRAW_COUNT as f64;
        }
        if name_missed && !missed.is_empty() {
            println!("  missed {} of {}: {} / {}", missed.len(), set::DRAW_COUNT, form.group, form.name);
        }
        if show {
            missed.iter().for_each(|text| println!("    {text:?}"));
        }
    }
    for (group, count) in counts {
        println!(
            "{part:?} {group}: {} forms, recall {:.2} % ({} of {} notes missed)",
            count.forms,
            100.0 * count.share / count.forms as f64,
            count.missed,
            count.notes
        );
    }
}

fn harmless(seed: u64, show: bool) {
    let mut refused = 0;
    for (class, template) in innocents::INNOCENTS.iter().chain(environment::HARMLESS_VARIABLES) {
        let mut r = Rng::named(seed, class);
        for _ in 0..set::DRAW_COUNT {
            let text = draw::draw(&mut r, template).text;
            if let Some(finding) = inspect(&text) {
                refused += 1;
                println!("  refused {class}: {}", finding.kind.id);
                if show {
                    println!("    {:?}", &text[finding.span]);
                }
            }
        }
    }
    println!(
        "innocents: {refused} of {} refused",
        (innocents::INNOCENTS.len() + environment::HARMLESS_VARIABLES.len()) * set::DRAW_COUNT
    );
}
