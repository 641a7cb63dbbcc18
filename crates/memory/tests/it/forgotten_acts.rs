//! Lines of a log that a merge of git brings back after their claim was forgotten.

use crate::place::Place;
use crate::world::Short as _;
use brainstem_memory::{Confirmation, DoctorRequest, ForgetRequest};
use brainstem_transfer::mixed_medulla;

#[test] // spec: MEM-48, MEM-26a
fn acts_of_a_forgotten_claim_that_git_merges_back_are_named_until_they_are_taken_out() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.init("src/cherry");
    let (memory, here) = (place.memory(), place.in_("src/cherry"));
    for label in ["Keep", "Zebra deal"] {
        place.tell("src/cherry", label, "words");
        memory.take_back(&here, label).unwrap();
    }
    let log = place.at("src/cherry/.brainstem/acts.jsonl");
    let before = std::fs::read_to_string(&log).unwrap();
    let forget = || {
        let request =
            ForgetRequest { label: "Zebra deal".into(), tier: None, confirmation: Confirmation::Given };
        memory.forget(&here, &request).unwrap();
        std::fs::read_to_string(&log).unwrap()
    };
    let named = || {
        let found = memory.doctor(&here, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
        let found = found.into_iter().filter(|finding| finding.trouble.name() == "claim_forgotten");
        found.map(|finding| finding.place).collect::<Vec<_>>()
    };
    let after = forget();
    assert!(!after.contains("zebra"));
    assert_eq!(named(), [] as [std::path::PathBuf; 0]);
    // What the union driver makes of the log here and the one that another clone still had.
    let back: Vec<&str> = before.lines().filter(|line| !after.contains(line)).collect();
    std::fs::write(&log, format!("{}\n{after}", back.join("\n"))).unwrap();
    assert_eq!(named(), std::slice::from_ref(&log));
    assert!(!forget().contains("zebra"));
    assert_eq!(named(), [] as [std::path::PathBuf; 0]);
}
