//! What the medulla keeps of a claim that leaves its project is named, whatever became of the claim since its promotion.

use crate::promote::{judge_wrong, promote};
use crate::world::{CHERRY, MAKER, PERSON, PLUM, Short as _, caller, clock, service, two_repositories};
use brainstem_base::Advice;
use brainstem_memory::{
    Caller, Confirmation, ConsolidateRequest, DoctorRequest, ForgetRequest, Memory, RenameRequest, Trouble,
    WriteTier,
};
use brainstem_transfer::mixed_medulla;
use std::sync::Arc;

fn forget(memory: &Memory, there: &Caller, label: &str, tier: Option<WriteTier>) -> Vec<Advice> {
    let request = ForgetRequest { label: label.into(), tier, confirmation: Confirmation::Given };
    memory.forget(there, &request).unwrap().notes
}

fn deletes(notes: &[Advice], label: &str) -> bool {
    notes.iter().any(|note| note.contains(&format!("forget {label} --tier medulla --yes")))
}

fn rename(memory: &Memory, there: &Caller, label: &str, to: &str) {
    memory.rename(there, &RenameRequest { label: label.into(), to: to.into(), tier: None }).unwrap();
}

#[test] // spec: MEM-48, MEM-12
fn a_copy_in_the_medulla_is_named_by_forget_and_by_doctor() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk), &clock);
    let (maker, person) = (caller(MAKER, CHERRY), caller(PERSON, CHERRY));
    memory.begin(&maker).unwrap();
    let tell = |label: &str, text: &str| {
        clock.advance(5);
        memory.tell(&maker, label, text).unwrap();
    };
    let share = |label: &str| {
        clock.advance(5);
        promote(&memory, &person, label).unwrap();
    };
    for label in ["One", "Two", "Three", "Four", "Five", "Six"] {
        tell(label, &format!("ada lives in street {label}"));
        share(label);
    }
    tell("Two", "the address is in the book");
    memory.take_back(&person, "Three").unwrap();
    tell("Four", "the address is in the other book");
    memory.take_back(&person, "Four").unwrap();
    let found = memory.doctor(&person, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
    let taken_back = found.iter().filter(|finding| finding.trouble == Trouble::MedullaWitnessRetracted);
    assert_eq!(taken_back.count(), 2, "{found:?}");
    for label in ["One", "Two", "Three", "Four"] {
        let notes = forget(&memory, &person, label, None);
        assert!(deletes(&notes, label), "{label}: {notes:?}");
    }

    // A copy that gave way to one under a new name, and one that was judged wrong, are in the medulla's history.
    rename(&memory, &person, "Five", "Fifth");
    share("Fifth");
    let notes = forget(&memory, &person, "Fifth", None);
    assert!(deletes(&notes, "Fifth") && deletes(&notes, "Five"), "{notes:?}");
    let notes = forget(&memory, &person, "Fifth", Some(WriteTier::Medulla));
    assert!(deletes(&notes, "Five"), "{notes:?}");
    assert!(!deletes(&forget(&memory, &person, "Five", Some(WriteTier::Medulla)), "Five"));
    judge_wrong(&memory, &person, "Six");
    let notes = forget(&memory, &person, "Six", None);
    assert!(deletes(&notes, "Six"), "{notes:?}");
    forget(&memory, &person, "Six", Some(WriteTier::Medulla));
}

#[test] // spec: MEM-48
fn the_copy_of_another_claim_that_had_the_name_before_is_not_named() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk), &clock);
    let (maker, person) = (caller(MAKER, CHERRY), caller(PERSON, CHERRY));
    memory.begin(&maker).unwrap();
    memory.tell(&maker, "Ports", "8080").unwrap();
    promote(&memory, &person, "Ports").unwrap();
    rename(&memory, &person, "Ports", "Web ports");
    clock.advance(5);
    memory.tell(&maker, "Ports", "the harbours of Genoa").unwrap();
    let notes = forget(&memory, &person, "Ports", None);
    assert!(!deletes(&notes, "Ports"), "{notes:?}");
}

#[test] // spec: MEM-38
fn a_brain_that_was_set_aside_is_not_called_absent() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk), &clock);
    let (maker, person) = (caller(MAKER, CHERRY), caller(PERSON, CHERRY));
    memory.begin(&maker).unwrap();
    memory.begin(&caller(MAKER, PLUM)).unwrap();
    memory.tell(&maker, "Ports", "8080").unwrap();
    promote(&memory, &person, "Ports").unwrap();
    memory.set_aside(&caller(PERSON, PLUM), "cherry", "not now").unwrap();
    let request = ConsolidateRequest::default();
    let gaps = memory.consolidate(&caller(PERSON, PLUM), &request).unwrap().gaps;
    let names: Vec<&str> = gaps.iter().map(|gap| gap.name).collect();
    assert_eq!(names, ["set_aside"], "{gaps:?}");
}
