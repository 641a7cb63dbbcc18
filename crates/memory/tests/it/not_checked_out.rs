//! Memory that a repository shares and that the working tree does not have: it is named with what brings it, and nothing is
//! written beside it.

use crate::place::Place;
use crate::world::Short as _;
use brainstem_base::Coded as _;
use brainstem_memory::{BootstrapRequest, DoctorRequest, InitRequest};
use brainstem_transfer::mixed_medulla;

/// A repository with a committed claim, and a clone of it in which `leave_out` was called. `known` says whether the home read
/// the clone before.
fn clone(known: bool, leave_out: &[&[&str]]) -> Place {
    let place = Place::new();
    place.repository("src/cherry");
    place.write("src/cherry/app/main.rs", "fn main() {}\n");
    place.begin("src/cherry");
    place.init("src/cherry");
    place.tell("src/cherry", "Retry policy", "three times");
    place.commit_all("src/cherry");
    place.git("src", &["clone", "-q", "cherry", "clone"]);
    if known {
        place.tell("src/clone", "Port", "5432");
        place.commit_all("src/clone");
    }
    for words in leave_out {
        place.git("src/clone", words);
    }
    assert!(!place.at("src/clone/.brainstem/brain.json").exists());
    place
}

const SPARSE: [&[&[&str]]; 3] = [
    &[&["sparse-checkout", "set", "--cone", "app"]],
    &[&["sparse-checkout", "set", "--cone", "--sparse-index", "app"]],
    &[&["sparse-checkout", "set", "--no-cone", "/*", "!/.brainstem/"]],
];

/// Every call says what is so, nothing is written, and the advised call of git brings the memory.
fn check(place: &Place, advised: &str, found: &[&str]) {
    let (memory, there) = (place.memory(), place.in_("src/clone"));
    let before = place.committable("src/clone");
    let brains = place.memory().brains(&there).unwrap().brains.len();
    for refused in [
        memory.tell(&there, "Retry policy", "four times").map(drop).unwrap_err(),
        memory.init(&there, &InitRequest::default()).map(drop).unwrap_err(),
        memory.bootstrap(&there, &BootstrapRequest::default()).map(drop).unwrap_err(),
        memory.boot_set(&there, "build", "make", None).map(drop).unwrap_err(),
    ] {
        assert_eq!(refused.code().name(), "store.unreadable", "{refused}");
        let fix = refused.fix().unwrap_or_default().to_string();
        assert!(fix.contains(advised), "{refused}: {fix}");
    }
    assert!(!place.at("src/clone/.brainstem").exists(), "a refused write leaves nothing");
    assert_eq!(place.committable("src/clone"), before);
    assert_eq!(place.memory().brains(&there).unwrap().brains.len(), brains, "no brain was made");
    let gaps = memory.all(&there).gaps;
    assert!(gaps.iter().any(|gap| gap.detail.to_string().contains(advised)), "{gaps:?}");
    let status = memory.status(&there).unwrap();
    assert!(status.broken.is_some_and(|words| words.to_string().contains(advised)));
    let doctor = memory.doctor(&there, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap();
    let troubles: Vec<&str> = doctor.findings.iter().map(|found| found.trouble.name()).collect();
    assert_eq!(troubles, ["not_checked_out"]);
    let words: Vec<&str> = advised.split(' ').collect();
    place.git("src/clone", &words);
    assert_eq!(place.found("src/clone"), found);
    assert_eq!(place.id("src/clone"), place.id("src/cherry"));
}

#[test] // spec: MEM-2, MEM-4
fn shared_memory_that_a_sparse_checkout_leaves_out_is_named_with_what_brings_it() {
    for (known, leave_out) in [false, true].into_iter().flat_map(|known| SPARSE.map(|words| (known, words))) {
        let place = clone(known, leave_out);
        let found: &[&str] = if known { &["5432", "three times"] } else { &["three times"] };
        check(&place, "sparse-checkout add .brainstem", found);
    }
}

#[test] // spec: MEM-2
fn shared_memory_that_was_deleted_before_it_was_read_once_is_named_with_what_brings_it() {
    let place = clone(false, &[&["rm", "-r", "-q", ".brainstem"], &["reset", "-q"]]);
    check(&place, "checkout -- .brainstem", &["three times"]);
    let place = clone(false, &[&["rm", "-r", "-q", ".brainstem"]]);
    place.begin("src/clone");
    assert_ne!(place.id("src/clone"), place.id("src/cherry"), "git was told that it is gone");
}

#[test] // spec: MEM-2
fn settings_alone_that_a_sparse_checkout_leaves_out_are_no_memory() {
    for leave_out in SPARSE {
        let place = Place::new();
        place.repository("src/cherry");
        place.write("src/cherry/app/main.rs", "fn main() {}\n");
        place.write("src/cherry/.brainstem/config.toml", "");
        place.commit_all("src/cherry");
        for words in leave_out {
            place.git("src/cherry", words);
        }
        assert_eq!(place.begin("src/cherry"), place.at("src/cherry"));
    }
}
