//! Acts about memory under the home, where a pull brings a brain into the repository.

use crate::place::Place;
use crate::world::Short as _;
use brainstem_memory::{InitRequest, Moving};

#[test] // spec: MEM-2
fn init_names_the_acts_that_come_into_a_log_that_git_can_commit_and_what_was_said_with_them() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.tell("src/cherry", "Salary", "more than yours");
    place.init("src/cherry");
    place.commit("src/cherry");
    let there = place.in_("src/cherry");
    place.memory().take_back(&there, "Salary").unwrap();
    // As after a pull of a log that another clone wrote.
    place.git("src/cherry", &["checkout", "-q", "--", ".brainstem/acts.jsonl"]);
    let said = |moving: Moving| {
        let request = InitRequest { moving, ..InitRequest::default() };
        let notes = place.memory().init(&there, &request).unwrap().notes;
        let note = notes.iter().find(|note| note.contains("recorded here"));
        note.map(ToString::to_string)
    };
    let log = || std::fs::read_to_string(place.at("src/cherry/.brainstem/acts.jsonl")).unwrap();
    let words = "; git can commit what was said with them: \"it was wrong\"";
    let dry = "1 act recorded here is not in the log of this checkout and comes there (retract of salary)";
    assert_eq!(said(Moving::DryRun), Some(format!("{dry}{words}")));
    assert!(!log().contains("it was wrong"));
    let done = "1 act recorded here was not in the log of this checkout and is there now (retract of salary)";
    assert_eq!(said(Moving::Real), Some(format!("{done}{words}")));
    assert!(log().contains("it was wrong"));
    assert_eq!(said(Moving::Real), None);
}
