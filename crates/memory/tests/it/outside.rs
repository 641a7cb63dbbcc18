//! Evidence outside a project: where memory is committed, no path of this machine gets into it.

use crate::place::Place;
use crate::world::{MAKER, Short as _, caller, claim};
use brainstem_memory::{Freshness, InitRequest, MemorizeRequest, Tier, VerifyRequest};
use std::path::Path;

/// Every file below `.brainstem` of the project, with its text.
fn committed(place: &Place) -> String {
    fn read(dir: &Path, text: &mut String) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => read(&path, text),
                false => text.push_str(&std::fs::read_to_string(path).unwrap()),
            }
        }
    }
    let mut text = String::new();
    read(&place.at("src/cherry/.brainstem"), &mut text);
    text
}

fn with_evidence(place: &Place, label: &str) -> MemorizeRequest {
    let outside = place.at("elsewhere/out.txt").display().to_string();
    let gone = place.at("src/cherry/src/gone.rs").display().to_string();
    let evidence = vec![outside, "../plum/plan.md#L3".into(), gone, "lib/readme".into()];
    MemorizeRequest { evidence, ..claim(label, "three times") }
}

fn world() -> Place {
    let place = Place::new();
    place.repository("src/cherry");
    place.write("elsewhere/out.txt", "out");
    place.write("src/plum/plan.md", "a\nb\nc\n");
    place.begin("src/cherry");
    place
}

fn assert_no_paths(place: &Place) {
    let text = committed(place);
    let machine = place.at("").display().to_string();
    assert!(!text.contains(machine.trim_end_matches('/')) && !text.contains("plum"), "{text}");
    for evidence in
        ["outside://out.txt", "outside://plan.md#L3", "evidence: src/gone.rs", "evidence: lib/readme"]
    {
        assert!(text.contains(evidence), "{evidence} in {text}");
    }
}

#[test] // spec: MEM-2, MEM-32
fn evidence_outside_a_project_whose_memory_is_committed_keeps_its_name_alone() {
    let place = world();
    place.init("src/cherry");
    let (memory, cherry) = (place.memory(), place.in_("src/cherry"));
    let told = memory.memorize(&cherry, &with_evidence(&place, "Retry")).unwrap();
    assert_eq!(told.notes.iter().filter(|note| note.contains("outside://")).count(), 2, "{:?}", told.notes);
    assert!(!told.notes.iter().any(|note| note.contains("kept as given")), "{:?}", told.notes);
    assert_no_paths(&place);
    assert!(memory.memorize(&cherry, &with_evidence(&place, "Retry")).unwrap().unchanged, "twice is once");
    let request = VerifyRequest { label: Some("Retry".into()), tier: Tier::Project, limit: 10 };
    let rows = memory.verify(&cherry, &request).unwrap().rows;
    let found: Vec<Freshness> = rows[0].evidence.iter().map(|(_, found)| *found).collect();
    assert_eq!(
        found,
        [Freshness::Unverifiable, Freshness::Unverifiable, Freshness::Missing, Freshness::Fresh],
        "an address is nothing that is missing"
    );
}

#[test] // spec: MEM-2
fn claims_that_move_into_the_repository_leave_the_paths_of_this_machine_behind() {
    let place = world();
    let (memory, cherry) = (place.memory(), place.in_("src/cherry"));
    let told = memory.memorize(&cherry, &with_evidence(&place, "Retry")).unwrap();
    let outside = place.at("elsewhere/out.txt").display().to_string();
    assert!(
        told.claim.evidence.iter().any(|one| one.path == outside),
        "under the home it is as it was given"
    );
    let done = memory.init(&cherry, &InitRequest::default()).unwrap();
    assert!(
        done.notes.iter().any(|note| note.contains("outside://") && note.contains("Retry")),
        "{:?}",
        done.notes
    );
    assert_no_paths(&place);
    let shown = place.memory().look_at(&cherry, "Retry", Tier::Project).unwrap();
    let live = shown.claim.unwrap();
    assert_eq!(
        (live.source_agent.as_deref(), live.resurrected, shown.history.len()),
        (Some(MAKER), false, 1)
    );
    let past = std::fs::read_to_string(&shown.history[0].path).unwrap();
    assert!(past.contains(&outside), "the version before is kept whole: {past}");
}

#[test] // spec: MEM-2
fn a_private_project_keeps_evidence_as_it_was_given_until_it_is_shared() {
    let place = world();
    let (memory, cherry) = (place.memory(), place.in_("src/cherry"));
    memory.init(&cherry, &InitRequest { private: true, ..InitRequest::default() }).unwrap();
    memory.memorize(&cherry, &with_evidence(&place, "Retry")).unwrap();
    assert!(committed(&place).contains(&place.at("elsewhere/out.txt").display().to_string()));
    memory.init(&cherry, &InitRequest { shared: true, ..InitRequest::default() }).unwrap();
    assert_no_paths(&place);
}

#[test] // spec: MEM-2, MEM-47
fn what_is_imported_into_a_committed_store_brings_no_path_of_another_machine() {
    let place = world();
    place.repository("src/other");
    place.begin("src/other");
    let (memory, cherry, other) =
        (place.memory(), place.in_("src/cherry"), caller(MAKER, place.at("src/other")));
    memory.memorize(&other, &with_evidence(&place, "Retry")).unwrap();
    let store = memory.route(&other).brain().unwrap().store_paths().claims;
    place.init("src/cherry");
    for round in 0..2 {
        let request = brainstem_memory::ImportRequest {
            path: store.clone(),
            from: None,
            tier: None,
            sort: false,
            dry_run: false,
        };
        let done = memory.import(&cherry, &request, &|_, _| true).unwrap();
        assert_eq!((done.born, done.unchanged), if round == 0 { (1, 0) } else { (0, 1) }, "{done:?}");
    }
    assert_no_paths(&place);
}
