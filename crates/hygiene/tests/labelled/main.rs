//! The floor against a labelled set that is generated anew at every run from a fixed seed.
//!
//! `cargo run -p brainstem-hygiene --example labelled` prints the same figures as a table.

mod carriers;
mod negatives;
mod positives;
mod rng;
mod set;

use brainstem_hygiene::{inspect, inspect_all};
use set::{Half, SEED};

#[test] // spec: MEM-14
fn nearly_every_secret_is_refused_in_both_halves() {
    for half in [Half::Tuning, Half::HeldOut] {
        let set: Vec<_> = set::positives(SEED).into_iter().filter(|note| note.half == half).collect();
        let missed: Vec<_> = set
            .iter()
            .filter(|note| inspect(&note.text).is_none())
            .map(|note| (note.recipe, note.carrier))
            .collect();
        assert!(set.len() >= 500, "{half:?}: {} notes", set.len());
        assert!(
            missed.len() * 50 <= set.len(),
            "{half:?}: {} of {} missed: {missed:?}",
            missed.len(),
            set.len()
        );
    }
}

#[test] // spec: MEM-14
fn nearly_no_harmless_note_is_refused_in_both_halves() {
    for half in [Half::Tuning, Half::HeldOut] {
        let set: Vec<_> = set::negatives(SEED).into_iter().filter(|note| note.half == half).collect();
        let alarms: Vec<_> =
            set.iter().filter_map(|note| Some((note.class, inspect(&note.text)?.kind.id))).collect();
        assert!(set.len() >= 500, "{half:?}: {} notes", set.len());
        assert!(alarms.len() * 200 <= set.len(), "{half:?}: {} of {}: {alarms:?}", alarms.len(), set.len());
    }
}

#[test] // spec: MEM-14
fn no_finding_and_no_refusal_repeats_any_part_of_a_secret() {
    for note in set::positives(SEED) {
        let mut shown = format!("{:?}", inspect_all(&note.text));
        for finding in inspect_all(&note.text) {
            shown += &format!(" {finding} {finding:?}");
        }
        if let Err(fault) = brainstem_hygiene::check("text", &note.text) {
            shown += &format!(" {fault} {fault:?} {:?}", brainstem_base::Coded::fix(&fault));
        }
        let body: Vec<char> = note.body.chars().collect();
        for window in body.windows(6).map(|window| window.iter().collect::<String>()) {
            assert!(!shown.contains(&window), "{}: {window:?} is shown", note.recipe);
        }
    }
}
