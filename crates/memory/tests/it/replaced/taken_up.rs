//! Memory that a person takes up by a word.

use super::{BOTH, Kept, OURS, SECRET, apart, other_project, project, same};
use crate::place::Place;
use crate::world::{MAKER, Short as _, code};
use brainstem_base::Coded as _;
use brainstem_memory::{BootstrapRequest, BrainWish, DoctorRequest};
use brainstem_transfer::mixed_medulla;
use std::path::Path;

#[test] // spec: MEM-1, MEM-2
fn a_home_and_its_repositories_at_other_paths_are_listed_and_taken_up_by_a_word() {
    for kept in BOTH {
        let here = Place::new();
        project(&here, "src/cherry", kept);
        let (id, origin) = (here.id("src/cherry"), here.origin("src/cherry"));
        let there = Place::new();
        for dir in ["src/cherry", "home"] {
            let _ = std::fs::remove_dir_all(there.at(dir));
            let out =
                std::process::Command::new("cp").arg("-a").arg(here.at(dir)).arg(there.at(dir)).output();
            assert!(out.unwrap().status.success());
        }
        drop(here);
        match kept {
            Kept::Repository => assert_eq!(there.found("src/cherry"), [OURS], "it came with its brain"),
            Kept::Home => {
                assert_eq!(there.lands("src/cherry"), "src/cherry?");
                let brains = there.memory().brains(&there.in_("src/cherry")).unwrap().brains;
                assert_eq!((brains.len(), brains[0].claims, brains[0].missing), (1, Some(1), true));
                let request = BootstrapRequest { brain: BrainWish::TakeUp(origin), ..Default::default() };
                let taken = there.memory().bootstrap(&there.in_("src/cherry"), &request).unwrap();
                assert!(taken.existed);
                same(&there, "src/cherry", &id);
            }
        }
    }
}

// A move to another disk is a copy and a deletion.
#[test] // spec: MEM-1, MEM-15
fn a_project_that_was_copied_and_deleted_is_led_back_to_its_memory() {
    let place = Place::new();
    project(&place, "src/cherry", Kept::Home);
    let (id, origin) = (place.id("src/cherry"), place.origin("src/cherry"));
    place.copy("src/cherry", "src/elsewhere");
    place.delete("src/cherry");
    other_project(&place, "src/plum");
    let (memory, there) = (place.memory(), place.in_("src/elsewhere"));
    let call = format!("brainstem bootstrap {} --take-up {origin}", place.at("src/elsewhere").display());
    let anew = format!("brainstem bootstrap {} --anew", place.at("src/elsewhere").display());
    // Every way to that folder names the memory that has no folder, and the call that takes it up.
    let status = memory.status(&there).unwrap();
    let gap = status.project_gaps.iter().find(|gap| gap.name == "root_gone").unwrap();
    assert!(gap.detail.contains(&call) && gap.detail.contains(&anew), "{gap:?}");
    let refused = memory.tell(&there, "New", "text").unwrap_err();
    assert_eq!(refused.code().name(), "memory.brainless_root");
    assert!(refused.fix().unwrap().contains(&call), "{refused:?}");
    // No answer calls it empty, and none names the plain call, which is refused.
    let beat = memory.beat(&there, "");
    assert!(!beat.gaps.iter().any(|gap| gap.name == "empty"), "{:?}", beat.gaps);
    let moves: Vec<String> = beat.next_moves.iter().map(ToString::to_string).collect();
    assert!(moves[0].starts_with(&call) && moves[1].starts_with(&anew), "{moves:?}");
    let reception = beat.reception.unwrap();
    let calls: Vec<String> = reception.options.iter().map(|choice| choice.call.to_string()).collect();
    assert_eq!((reception.suggested.to_string(), &calls[1]), (call.clone(), &anew));
    assert_eq!(status.orphan.as_ref().unwrap().own_brain().to_string(), anew);
    let refused = memory.begin(&there).unwrap_err();
    assert_eq!(refused.code().name(), "memory.root_gone");
    assert!(refused.fix().unwrap().contains(&call) && refused.fix().unwrap().contains(&anew), "{refused:?}");
    assert!(!format!("{refused} {:?} {gap:?}", refused.fix()).contains(SECRET));
    let diagnosis = memory.doctor(&there, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap();
    let gone = diagnosis.findings.iter().find(|finding| finding.trouble.name() == "root_gone").unwrap();
    assert!(gone.fix.contains(&format!("brainstem bootstrap PATH --take-up {origin}")), "{gone:?}");
    // Another project hears nothing of it, and gets its brain.
    let plum = place.in_("src/plum");
    assert!(memory.status(&plum).unwrap().orphan.is_none());
    assert_eq!(memory.begin(&plum).unwrap().notes, [] as [&str; 0]);
    // The call works as it stands there.
    let request = BootstrapRequest { brain: BrainWish::TakeUp(origin), ..Default::default() };
    assert!(memory.bootstrap(&there, &request).unwrap().taken_up);
    same(&place, "src/elsewhere", &id);
}

#[test] // spec: MEM-1, MEM-15
fn a_folder_with_the_name_of_one_that_is_gone_gets_its_brain_and_is_told_of_the_other() {
    let place = Place::new();
    project(&place, "src/cherry", Kept::Home);
    let origin = place.origin("src/cherry");
    place.delete("src/cherry");
    other_project(&place, "work/cherry");
    let (memory, there) = (place.memory(), place.in_("work/cherry"));
    let notes =
        memory.begin(&there).unwrap().notes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let root = place.at("work/cherry");
    for words in [
        format!("brainstem set-aside {}", root.display()),
        format!("brainstem bootstrap {} --take-up {origin}", root.display()),
    ] {
        assert!(notes.contains(&words), "{notes}");
    }
    // Both calls, one after the other.
    memory.set_aside(&there, &root.display().to_string(), "the other one is meant").unwrap();
    let request = BootstrapRequest { brain: BrainWish::TakeUp(origin), ..Default::default() };
    assert!(memory.bootstrap(&there, &request).unwrap().taken_up);
    // A brain of its own by a word, and no note then.
    project(&place, "src/apple", Kept::Home);
    place.copy("src/apple", "src/pear");
    place.delete("src/apple");
    let request = BootstrapRequest { brain: BrainWish::Anew, ..Default::default() };
    assert_eq!(memory.bootstrap(&place.in_("src/pear"), &request).unwrap().notes, [] as [&str; 0]);
}

#[test] // spec: MEM-1, MEM-3c
fn memory_is_taken_up_by_a_word_and_that_is_on_record() {
    for kept in BOTH {
        let place = Place::new();
        project(&place, "src/cherry", kept);
        let (id, origin) = (place.id("src/cherry"), place.origin("src/cherry"));
        place.delete("src/cherry");
        other_project(&place, "src/cherry");
        place.repository("src/plum");
        place.begin("src/plum");
        let take_up = |word: &str, dir: &str| {
            let request = BootstrapRequest { brain: BrainWish::TakeUp(word.into()), ..Default::default() };
            place.memory().bootstrap(&place.in_(dir), &request)
        };
        for word in ["", "cherr", "plum@00000000", &place.origin("src/plum")] {
            assert_eq!(code(take_up(word, "src/cherry")), "memory.unknown_brain", "{word:?}");
        }
        assert_eq!(code(take_up(&origin, "src/plum")), "memory.has_brain", "it has a brain of its own");
        // Nobody sets a brain aside for memory that cannot be taken up.
        assert_eq!(code(take_up("nope@00000000", "src/plum")), "memory.unknown_brain");
        let taken = take_up(&origin, "src/cherry").unwrap();
        assert!(taken.existed && taken.brain.manifest.id.to_string() == id);
        assert!(take_up(&origin, "src/cherry").unwrap().existed, "twice is once");
        assert_eq!(place.id("src/cherry"), id);
        if kept == Kept::Repository {
            assert!(taken.notes[0].contains("brainstem init"), "{:?}", taken.notes);
            place.init("src/cherry");
        }
        assert_eq!(place.found("src/cherry"), [OURS]);
        let acts = std::fs::read_to_string(place.at("home/.brainstem/acts.jsonl")).unwrap();
        let lines: Vec<&str> = acts.lines().filter(|line| line.contains(r#""act":"take_up""#)).collect();
        assert!(lines.len() == 1 && lines[0].contains(&id) && lines[0].contains(MAKER), "{acts}");
    }
}

#[test] // spec: MEM-1, MEM-21
fn a_brain_without_marks_is_found_by_its_folder_and_gets_marks_when_it_is_read() {
    let place = Place::new();
    project(&place, "src/cherry", Kept::Home);
    let (id, origin) = (place.id("src/cherry"), place.origin("src/cherry"));
    let folder = place.memory().route(&place.in_("src/cherry")).brain().unwrap().folder.clone();
    let record = folder.join("root.json");
    let of_an_earlier_version = |record: &Path| {
        let mut json: serde_json::Value = serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
        json.as_object_mut().unwrap().remove("marks").unwrap();
        std::fs::write(record, serde_json::to_vec(&json).unwrap()).unwrap();
    };
    // The disk got another number when the machine started.
    of_an_earlier_version(&record);
    let text = std::fs::read_to_string(&record).unwrap();
    let device = serde_json::from_str::<serde_json::Value>(&text).unwrap()["device"].to_string();
    std::fs::write(&record, text.replace(&format!("\"device\":{device}"), "\"device\":424242")).unwrap();
    assert_eq!((place.id("src/cherry"), place.found("src/cherry")), (id.clone(), vec![OURS.into()]));

    // Without marks nothing tells a copy from another project: it is asked.
    place.copy("src/cherry", "backup");
    place.delete("src/cherry");
    place.copy("backup", "src/cherry");
    apart(&place, "src/cherry", &origin);
    let request = BootstrapRequest { brain: BrainWish::TakeUp(origin), ..Default::default() };
    place.memory().bootstrap(&place.in_("src/cherry"), &request).unwrap();

    // A read is enough to take them.
    of_an_earlier_version(&record);
    place.memory().count_call(place.in_("src/cherry").place(), None);
    place.delete("src/cherry");
    place.copy("backup", "src/cherry");
    same(&place, "src/cherry", &id);
}
