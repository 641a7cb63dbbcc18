//! A line of a batch that is older than what is live, and a brain whose manifest is damaged: the answers say what is so.

use crate::place::Place;
use crate::world::{claim, code};
use brainstem_base::Timestamp;
use brainstem_memory::{BatchLine, BootstrapRequest, DoctorRequest, Trouble};
use brainstem_transfer::mixed_medulla;

const ROOT: &str = "src/cherry";

#[test] // spec: MEM-47, MEM-10
fn an_older_line_that_takes_the_place_of_a_younger_word_is_named() {
    let place = Place::new();
    place.repository(ROOT);
    place.begin(ROOT);
    let line = |text: &str, created: i64| {
        Ok(BatchLine {
            agent: None,
            created: Some(Timestamp::from_ms(created)),
            request: Ok(claim("Region", text)),
        })
    };
    let lines = vec![line("eu-west", 1_780_000_000_000), line("us-east", 1_600_000_000_000)];
    let done = place.memory().memorize_batch(&place.in_(ROOT), None, lines, &|_| true).unwrap();
    let notes = |at: usize| done[at].notes.iter().map(ToString::to_string).collect::<String>();
    assert!(!notes(0).contains("was said at"), "{}", notes(0));
    assert!(notes(1).contains("was said at 2020-09-13"), "{}", notes(1));
    let lines = vec![line("us-west", 1_790_000_000_000)];
    let done = place.memory().memorize_batch(&place.in_(ROOT), None, lines, &|_| true).unwrap();
    assert!(done[0].notes.is_empty(), "{:?}", done[0].notes);
}

#[test] // spec: MEM-43
fn the_fix_for_a_damaged_manifest_is_not_a_call_that_is_refused() {
    let place = Place::new();
    place.repository(ROOT);
    place.begin(ROOT);
    let brains = std::fs::read_dir(place.at("home/.brainstem/project-brains")).unwrap();
    let folder = brains.map(|entry| entry.unwrap().path()).find(|path| path.join("brain.json").exists());
    std::fs::write(folder.unwrap().join("brain.json"), "{").unwrap();
    let (memory, there) = (place.memory(), place.in_(ROOT));
    assert_eq!(code(memory.bootstrap(&there, &BootstrapRequest::default())), "store.unreadable");
    let found = memory.doctor(&there, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
    let broken = found.iter().find(|finding| finding.trouble == Trouble::BrainBroken).unwrap();
    assert!(broken.fix.contains("brain.json") && !broken.fix.contains("bootstrap"), "{}", broken.fix);
}
