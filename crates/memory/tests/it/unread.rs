//! A disk that no longer reads from some moment of a call on, and still writes: what was done before that is answered as
//! done, and a call that fails has done nothing.

use crate::refused::{Ask, Place, asks, prepared, view};
use crate::world::{clock, service};
use brainstem_base::disk::{Failing, FailingFor, FaultyDisk, SimDisk, UnsyncedFate};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Asks on a disk that goes blind after so many reads. Whether it did.
fn blind(name: &str, ask: Ask, before: &SimDisk, [old, new]: [&BTreeSet<String>; 2], reads: u64) -> bool {
    let disk = before.reboot(UnsyncedFate::Kept);
    let blind = FaultyDisk::after(Arc::new(disk.clone()), Failing::Reads, FailingFor::Good, reads);
    let blind = Arc::new(blind);
    let told = format!("{name}, blind after {reads} reads");
    let now = clock();
    now.advance(60_000);
    let answer = ask(&service(blind.clone(), &now));
    let after = view(&disk);
    let expected = if answer.is_ok() { new } else { old };
    let (more, less): (Vec<_>, Vec<_>) =
        (after.difference(expected).collect(), expected.difference(&after).collect());
    let is_told = match &answer {
        // A second name of a version that could not be found to be taken away loses nothing.
        Ok(()) => less.is_empty() && more.iter().all(|it| it.starts_with("past")),
        Err(error) => error.to_string().starts_with("the claim is forgotten"),
    };
    let is_so = more.is_empty() && less.is_empty();
    assert!(is_told || is_so, "{told}, {answer:?}: new {more:#?}, gone {less:#?}");
    blind.failures() > 0
}

#[test] // spec: MEM-13a
fn what_was_done_before_a_disk_went_blind_is_answered_as_done() {
    for place in [Place::Home, Place::Repository] {
        let before = prepared(place);
        let old = view(&before);
        for (name, ask) in asks() {
            if place == Place::Home && name.ends_with("git took away") {
                continue;
            }
            let whole = before.reboot(UnsyncedFate::Kept);
            let now = clock();
            now.advance(60_000);
            ask(&service(Arc::new(whole.clone()), &now)).unwrap();
            let new = view(&whole);
            let mut reads = 0;
            while blind(name, ask, &before, [&old, &new], reads) {
                reads += 1;
            }
            assert!(reads > 0, "{name} in {place:?} reads something");
        }
    }
}
