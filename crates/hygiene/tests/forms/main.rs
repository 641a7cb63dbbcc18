//! Kinds and forms of secrets, drawn anew for every seed, and notes that only look like them.
//!
//! The templates were written from published formats before the rules that they measure. A third of them is held
//! out, and a part was written later: `set::Part`. `cargo run --release -p brainstem-hygiene --example forms` prints the figures.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "the soak draws a seed and says which")]

#[path = "../labelled/carriers.rs"]
mod carriers;
mod draw;
mod environment;
mod innocents;
mod later;
mod named;
#[path = "../labelled/negatives.rs"]
mod negatives;
mod places;
#[path = "../labelled/positives.rs"]
mod positives;
mod prose;
#[allow(dead_code, reason = "only its positives are asked for here")]
#[path = "../labelled/set.rs"]
mod recipes;
#[path = "../labelled/rng.rs"]
#[allow(dead_code, reason = "the other set draws more")]
mod rng;
mod set;
mod tokens;

use brainstem_hygiene::{inspect, inspect_all, kinds, mask};
use draw::draw;
use environment::HARMLESS_VARIABLES;
use innocents::INNOCENTS;
use rng::Rng;
use set::{DRAW_COUNT, Part, SEED, forms};
use std::collections::BTreeSet;

/// How many other seeds the soak draws.
const SOAK_SEED_COUNT: u64 = 40;

#[test] // spec: MEM-14
fn the_set_has_at_least_four_hundred_kinds_and_forms_and_each_once() {
    let names: Vec<&str> = forms().map(|form| form.name).collect();
    let unique: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), unique.len(), "a name is used twice");
    assert!(names.len() >= 400, "{}", names.len());
    let held_out = forms().filter(|form| form.part() == Part::HeldOut).count();
    assert!((names.len() / 4..=names.len() * 2 / 5).contains(&held_out), "{held_out} of {}", names.len());
}

/// The share of notes that are refused, averaged over the forms of a part, and what was missed.
fn recall(part: Part, seed: u64) -> (f64, Vec<String>) {
    let (mut shares, mut missed) = (Vec::new(), Vec::new());
    for form in forms().filter(|form| form.part() == part) {
        let count = form.notes(seed).filter(|note| inspect(&note.text).is_none()).count();
        shares.push(1.0 - count as f64 / DRAW_COUNT as f64);
        if count > 0 {
            missed.push(format!("{} / {}: {count} of {DRAW_COUNT}", form.group, form.name));
        }
    }
    (shares.iter().sum::<f64>() / shares.len() as f64, missed)
}

/// The soak draws anew; the check always draws the same.
fn seeds() -> Vec<u64> {
    let mut seeds = vec![SEED];
    if std::env::var("BRAINSTEM_SOAK").is_ok_and(|size| size == "full") {
        let given = std::env::var("BRAINSTEM_SOAK_SEED").ok().and_then(|seed| seed.parse().ok());
        let first = given.unwrap_or_else(|| {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.expect("after 1970").as_nanos() as u64
        });
        println!("forms: BRAINSTEM_SOAK_SEED={first}, and the {} seeds after it", SOAK_SEED_COUNT - 1);
        seeds.extend((0..SOAK_SEED_COUNT).map(|number| first.wrapping_add(number)));
    }
    seeds
}

#[test] // spec: MEM-14
fn nearly_every_kind_and_form_is_refused() {
    for seed in seeds() {
        for (part, share_min) in [(Part::Tuned, 0.98), (Part::HeldOut, 0.98), (Part::Later, 0.90)] {
            let (share, missed) = recall(part, seed);
            assert!(share >= share_min, "seed {seed}, {part:?}: {share:.4}, missed {missed:?}");
        }
    }
}

#[test] // spec: MEM-14
fn a_password_of_letters_in_a_variable_of_the_environment_is_refused() {
    let missed = forms().filter(|form| form.group == "later variables").flat_map(|form| {
        let notes = form.notes(SEED).filter(|note| inspect(&note.text).is_none());
        notes.map(move |note| format!("{}: {}", form.name, note.text))
    });
    assert_eq!(missed.collect::<Vec<_>>(), [""; 0]);
}

/// What is refused of the hard innocents for one seed.
fn refused_innocents(seed: u64) -> Vec<String> {
    let mut refused = Vec::new();
    for (class, template) in INNOCENTS.iter().chain(HARMLESS_VARIABLES) {
        let mut r = Rng::named(seed, class);
        for _ in 0..DRAW_COUNT {
            if let Some(finding) = inspect(&draw(&mut r, template).text) {
                refused.push(format!("seed {seed}, {class}: {}", finding.kind.id));
            }
        }
    }
    refused
}

#[test] // spec: MEM-14
fn no_hard_innocent_is_refused() {
    assert_eq!(refused_innocents(SEED), [""; 0]);
}

// A random run may look like a token by chance, so that other draws are held to a share.
#[test] // spec: MEM-14
fn hardly_any_hard_innocent_of_another_draw_is_refused() {
    let seeds = seeds();
    let refused: Vec<String> = seeds.iter().flat_map(|seed| refused_innocents(*seed)).collect();
    let count = seeds.len() * (INNOCENTS.len() + HARMLESS_VARIABLES.len()) * DRAW_COUNT;
    assert!(refused.len() * 1000 < count, "{} of {count}: {refused:?}", refused.len());
}

#[test] // spec: MEM-14
fn every_kind_of_the_table_is_met_by_the_sets() {
    let notes = forms().flat_map(|form| form.notes(SEED)).map(|note| note.text);
    let recipes = recipes::positives(recipes::SEED).into_iter().map(|note| note.text);
    let met: BTreeSet<&str> =
        notes.chain(recipes).flat_map(|text| inspect_all(&text)).map(|finding| finding.kind.id).collect();
    let dead: Vec<&str> = kinds().map(|kind| kind.id).filter(|id| !met.contains(id)).collect();
    assert_eq!(dead, [""; 0]);
}

#[test] // spec: MEM-14
fn no_finding_repeats_any_part_of_a_secret() {
    for note in forms().flat_map(|form| form.notes(SEED)) {
        let mut shown = format!("{:?}", inspect_all(&note.text));
        if let Err(fault) = brainstem_hygiene::check("text", &note.text) {
            shown += &format!(" {fault} {fault:?} {:?}", brainstem_base::Coded::fix(&fault));
        }
        for secret in &note.secrets {
            let letters: Vec<char> = secret.chars().collect();
            for window in letters.windows(8).map(|window| window.iter().collect::<String>()) {
                assert!(!shown.contains(&window), "{window:?} is shown");
            }
        }
    }
}

/// Whether a secret, or a stretch of a long one, can be read in a text.
fn is_shown(secret: &str, text: &str) -> bool {
    const STRETCH_LEN: usize = 12;
    // The lines of a key have an armour around them, which is no secret.
    let lines = secret.lines().filter(|line| !line.starts_with("-----"));
    { lines }.any(|line| match line.len() {
        0..6 => false,
        6..=STRETCH_LEN => text.contains(line),
        _ => (0..=line.len() - STRETCH_LEN).any(|at| text.contains(&line[at..at + STRETCH_LEN])),
    })
}

// The span of a finding is what is masked, so it must cover all that is secret.
#[test] // spec: MEM-14
fn what_is_found_is_masked_whole() {
    let mut shown = std::collections::BTreeMap::<String, usize>::new();
    for form in forms() {
        for note in form.notes(SEED).filter(|note| inspect(&note.text).is_some()) {
            let masked = mask(&note.text);
            if note.secrets.iter().any(|secret| is_shown(secret, &masked)) {
                *shown.entry(format!("{} / {}", form.group, form.name)).or_default() += 1;
            }
        }
    }
    assert_eq!(shown, std::collections::BTreeMap::new());
}
