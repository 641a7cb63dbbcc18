//! How much is kept of a brain whose repository is gone: one number, wherever it is shown.

use crate::place::Place;
use crate::world::Short as _;
use brainstem_base::next::calls;
use brainstem_memory::{BrainScope, DoctorRequest, Tier};
use brainstem_transfer::mixed_medulla;

#[test] // spec: MEM-43, MEM-1b
fn every_count_of_a_brain_whose_repository_is_gone_has_its_copies() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.init("src/cherry");
    place.tell("src/cherry", "Retry policy", "three times");
    place.commit("src/cherry");
    place.tell("src/cherry", "Only copy", "never committed");
    std::fs::remove_dir_all(place.at("src/cherry")).unwrap();
    place.repository("src/plum");
    let (memory, there) = (place.memory(), place.in_("src/plum"));
    let listed = memory.brains(&there).unwrap().brains;
    assert_eq!(listed.iter().map(|row| row.claims).collect::<Vec<_>>(), [Some(2)]);
    let request = DoctorRequest { brains: BrainScope::All, ..DoctorRequest::new(mixed_medulla) };
    let stores = memory.doctor(&there, &request, &|_, _| ()).unwrap().stores;
    let count = stores.iter().find(|count| count.store != "medulla").unwrap();
    assert_eq!(count.claims, 2, "{stores:?}");
    let brain = listed[0].brain.origin();
    let aside = memory.set_aside(&there, &brain, "").unwrap();
    assert_eq!(aside.claims, Some(2));
    let aside = memory.brains(&there).unwrap().aside;
    assert_eq!(aside.iter().map(|aside| aside.claims).collect::<Vec<_>>(), [Some(2)]);
}

#[test] // spec: MEM-23, MEM-43
fn no_answer_about_a_project_that_is_gone_advises_init_where_the_caller_is() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.init("src/cherry");
    place.tell("src/cherry", "Only copy", "never committed");
    std::fs::remove_dir_all(place.at("src/cherry")).unwrap();
    // Another history: the first commits of two repositories that were made within one second are one.
    place.write("src/plum/other", "plum");
    place.repository("src/plum");
    place.begin("src/plum");
    let (memory, there) = (place.memory(), place.in_("src/plum"));
    let sought = memory.find(&there, "committed", Tier::AllBrains);
    let gap =
        sought.gaps.iter().find(|gap| gap.name == "root_gone").unwrap_or_else(|| panic!("{:?}", sought.gaps));
    assert!(gap.detail.contains("--take-up cherry@"), "{gap:?}");
    let request = DoctorRequest { brains: BrainScope::All, ..DoctorRequest::new(mixed_medulla) };
    let found = memory.doctor(&there, &request, &|_, _| ()).unwrap().findings;
    let advised = sought.gaps.iter().map(|gap| &gap.detail).chain(found.iter().map(|finding| &finding.fix));
    for advice in advised {
        assert!(!advice.calls().any(|call| *call == calls::init()), "{advice}");
    }
}
