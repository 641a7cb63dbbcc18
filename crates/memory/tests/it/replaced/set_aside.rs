//! A brain that was set aside is in no recall, is named, and comes back whole.

use super::{Kept, OURS, other_project, project, same};
use crate::place::Place;
use crate::world::{MAKER, PERSON, Short as _, caller, code};
use brainstem_base::Coded as _;
use brainstem_memory::{
    BootstrapRequest, BrainScope, BrainWish, DoctorRequest, Gap, HandshakeRequest, Memory, PromotionsRequest,
    RootWish, Tier,
};
use brainstem_transfer::mixed_medulla;

#[test] // spec: MEM-1b, MEM-3c, MEM-22
fn a_brain_that_is_set_aside_is_in_no_recall_and_comes_back_whole_by_a_word() {
    let place = Place::new();
    project(&place, "src/cherry", Kept::Home);
    let (id, origin) = (place.id("src/cherry"), place.origin("src/cherry"));
    place.repository("src/plum");
    place.begin("src/plum");
    let memory = place.memory();
    let person = caller(PERSON, place.at("src/plum"));
    assert_eq!(code(memory.set_aside(&person, "nobody@00000000", "")), "memory.unknown_brain");
    let done = memory.set_aside(&person, &origin, "tried by mistake").unwrap();
    assert_eq!((done.brain.origin(), done.claims), (origin.clone(), Some(1)));
    let brains = memory.brains(&person).unwrap();
    assert_eq!((brains.brains.len(), brains.aside.len(), brains.aside[0].claims), (1, 1, Some(1)));
    let all = memory.find(&person, "merger", Tier::AllBrains);
    assert_eq!((all.groups.unwrap().len(), memory.live_claims().0), (0, 0));
    let found = memory.doctor(&person, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
    assert_eq!(found.len(), 0, "what was meant is no trouble: {found:?}");

    let request = BootstrapRequest { brain: BrainWish::TakeUp(origin.clone()), ..Default::default() };
    let taken = memory.bootstrap(&place.in_("src/cherry"), &request).unwrap();
    assert_eq!(taken.brain.manifest.id.to_string(), id);
    same(&place, "src/cherry", &id);
    let acts = std::fs::read_to_string(place.at("home/.brainstem/acts.jsonl")).unwrap();
    for act in ["set_aside", "take_up"] {
        assert_eq!(acts.matches(&format!(r#""act":"{act}""#)).count(), 1, "{acts}");
    }
    assert!(acts.contains("tried by mistake"), "{acts}");
}

#[test] // spec: MEM-1b
fn a_new_brain_begins_where_one_was_set_aside_and_a_repositorys_own_is_not_set_aside() {
    let place = Place::new();
    project(&place, "src/cherry", Kept::Home);
    project(&place, "src/plum", Kept::Repository);
    let (memory, person) = (place.memory(), caller(PERSON, place.at("src")));
    let refused = memory.set_aside(&person, "plu", "").map(drop);
    assert_eq!(code(refused), "memory.unknown_brain", "a slip names no brain");
    for word in ["plum", &place.origin("src/plum")] {
        let refused = memory.set_aside(&person, word, "").unwrap_err();
        assert!(refused.fix().unwrap().contains("brainstem eject"), "{refused:?}");
    }
    let (old, origin) = (place.id("src/cherry"), place.origin("src/cherry"));
    memory.set_aside(&person, "./cherry", "").unwrap();
    let there = place.in_("src/cherry");
    assert_eq!(code(memory.begin(&there)), "memory.set_aside");
    assert_eq!(code(BrainWish::of_fields(Some(origin.clone()), true)), "input.bad_value");
    let anew = BootstrapRequest { brain: BrainWish::Anew, ..Default::default() };
    let made = memory.bootstrap(&there, &anew).unwrap();
    assert!(made.notes.iter().all(|note| !note.contains("changed nothing")), "{:?}", made.notes);
    let again = memory.bootstrap(&there, &anew).unwrap();
    assert!(again.notes.iter().any(|note| note.contains("`--anew` changed nothing")), "{:?}", again.notes);
    assert!(!made.existed && made.notes[0].contains(&origin), "{made:?}");
    assert_ne!(place.id("src/cherry"), old);
    assert_eq!(place.found("src/cherry"), [] as [String; 0]);
    assert_eq!(memory.brains(&person).unwrap().aside.len(), 1);
}

#[test] // spec: MEM-1, MEM-1b
fn a_brain_that_was_set_aside_is_named_before_what_an_earlier_folder_had_at_its_path() {
    let place = Place::new();
    project(&place, "src/cherry", Kept::Home);
    place.delete("src/cherry");
    other_project(&place, "src/cherry");
    place.begin("src/cherry");
    place.tell("src/cherry", "Port", "8080");
    let (memory, there) = (place.memory(), place.in_("src/cherry"));
    let origin = place.origin("src/cherry");
    memory.set_aside(&there, ".", "").unwrap();
    let gaps = memory.all(&there).gaps;
    let aside = gaps.iter().find(|gap| gap.name == "set_aside");
    assert!(aside.is_some_and(|gap| gap.detail.contains(&origin)), "{gaps:?}");
    assert_eq!(code(memory.begin(&there)), "memory.set_aside");
    let request = BootstrapRequest { brain: BrainWish::TakeUp(origin), ..Default::default() };
    memory.bootstrap(&there, &request).unwrap();
    assert_eq!(place.found("src/cherry"), ["8080"]);
}

#[test] // spec: MEM-1b, MEM-3c
fn a_brain_that_was_set_aside_is_named_wherever_else_no_brain_would_be() {
    // In a repository, and in a folder without one.
    for is_repository in [true, false] {
        let place = Place::new();
        if is_repository {
            place.repository("src/cherry");
        } else {
            place.write("src/cherry/sub/readme", "a folder");
        }
        place.begin("src/cherry");
        place.tell("src/cherry", "Merger", OURS);
        let (id, origin) = (place.id("src/cherry"), place.origin("src/cherry"));
        let (memory, there) = (place.memory(), place.in_("src/cherry"));
        let aside = memory.set_aside(&there, &origin, "").unwrap();
        let root = place.at("src/cherry").display().to_string();
        let back = format!("brainstem bootstrap {root} --take-up {origin}");
        assert_eq!(aside.back.to_string(), back);
        let is_told = |text: &str| {
            assert!(text.contains(&format!("{origin}, 1 claim")) && text.contains("set aside"), "{text}");
            assert!(text.contains(&back) && text.contains(&format!("{root} --anew")), "{text}");
        };
        let gap = |gaps: &[Gap]| {
            let gap = gaps.iter().find(|gap| gap.name == "set_aside").unwrap_or_else(|| panic!("{gaps:?}"));
            is_told(&gap.detail.to_string());
        };
        gap(&memory.status(&there).unwrap().replaced_gap.into_iter().collect::<Vec<_>>());
        gap(&memory.find(&there, "merger", Tier::Both).gaps);
        gap(&memory.all(&there).gaps);
        gap(&memory.boot_list(&there, Some("port"), Tier::Both).unwrap().gaps);
        gap(&memory
            .promotions(&there, &PromotionsRequest { limit: 50, brains: BrainScope::Own })
            .unwrap()
            .gaps);
        let north = memory.beat(&there, "the merger");
        gap(&north.gaps);
        assert!(!north.gaps.iter().any(|gap| gap.name == "empty"), "{:?}", north.gaps);
        let reception = north.reception.unwrap();
        assert_eq!(reception.suggested, back);
        let place_words = format!("in `{root}`, whose brain was set aside; its memory is kept");
        assert!(reception.where_you_are.starts_with(&place_words), "{reception:?}");
        let expected = HandshakeRequest { expect_root: place.at("src/cherry"), expect_fingerprint: None };
        let handshake = memory.handshake(&there, None, &expected).unwrap().reception.unwrap();
        assert_eq!(handshake.suggested, back);
        for refused in [
            memory.tell(&there, "Merger", OURS).map(drop),
            memory.begin(&there).map(drop),
            memory.look_at(&there, "Merger", Tier::Both).map(drop),
        ] {
            let refused = refused.unwrap_err();
            assert_eq!(refused.code().name(), "memory.set_aside");
            is_told(&format!("{refused}; {}", refused.fix().unwrap()));
        }
        let again = memory.set_aside(&there, &origin, "").unwrap_err();
        assert_eq!(again.code().name(), "memory.set_aside");
        assert!(again.fix().unwrap().contains(&back), "{again:?}");
        let elsewhere = place.at("src/plum");
        std::fs::create_dir_all(&elsewhere).unwrap();
        assert_eq!(place.lands("src/plum"), "nowhere", "a folder beside it is not concerned");

        let request = BootstrapRequest { brain: BrainWish::TakeUp(origin.clone()), ..Default::default() };
        assert!(memory.bootstrap(&there, &request).unwrap().taken_up);
        assert!(!memory.bootstrap(&there, &request).unwrap().taken_up, "the repeat takes nothing up");
        same(&place, "src/cherry", &id);
    }
}

#[test] // spec: MEM-1b, MEM-17
fn a_package_whose_brain_was_set_aside_belongs_to_the_brain_around_it_and_comes_back_by_the_word_as_it_stands()
 {
    let place = Place::new();
    place.repository("src/cherry");
    place.write("src/cherry/pkg/a/readme", "a package");
    let exact =
        BootstrapRequest { path: Some("pkg/a".into()), root: RootWish::ExactFolder, ..Default::default() };
    place.memory().bootstrap(&place.in_("src/cherry"), &exact).unwrap();
    let (origin, person) = (place.origin("src/cherry/pkg/a"), caller(PERSON, place.at("src")));
    let aside = place.memory().set_aside(&person, &origin, "").unwrap();
    let package = place.at("src/cherry/pkg/a").display().to_string();
    assert_eq!(aside.back.to_string(), format!("brainstem bootstrap {package} --exact --take-up {origin}"));
    let refused = place.memory().tell(&place.in_("src/cherry/pkg/a"), "Merger", OURS).unwrap_err();
    assert!(refused.fix().unwrap().contains(&aside.back.to_string()), "{refused:?}");
    place.begin("src/cherry");
    assert_eq!(place.origin("src/cherry/pkg/a"), place.origin("src/cherry"));
}

#[test] // spec: MEM-1b, MEM-13
fn setting_aside_is_whole_or_not_there_wherever_power_fails() {
    let prepared = crate::world::two_repositories();
    let clock = crate::world::clock();
    let memory = crate::world::service(std::sync::Arc::new(prepared.clone()), &clock);
    let cherry = caller(MAKER, crate::world::CHERRY);
    let origin = memory.begin(&cherry).unwrap().brain.origin();
    memory.tell(&cherry, "Merger", OURS).unwrap();
    let word = origin.clone();
    let ask =
        crate::power_loss::call(move |memory: &Memory| memory.set_aside(&caller(PERSON, "/src"), &word, ""));
    crate::power_loss::crashed(&prepared, &ask, |disk, told| {
        let memory = crate::world::service(std::sync::Arc::new(disk.clone()), &clock);
        if memory.brains(&cherry).unwrap().aside.is_empty() {
            assert_eq!(memory.all(&cherry).rows.len(), 1, "{told}");
            memory.set_aside(&caller(PERSON, "/src"), &origin, "").unwrap();
        }
        let request = BootstrapRequest { brain: BrainWish::TakeUp(origin.clone()), ..Default::default() };
        memory.bootstrap(&cherry, &request).unwrap();
        assert_eq!(memory.all(&cherry).rows.len(), 1, "{told}");
    });
}

#[test] // spec: MEM-1b
fn a_brain_is_set_aside_by_the_path_that_a_person_types() {
    let place = Place::new();
    project(&place, "src/cherry", Kept::Home);
    place.repository("src/plum");
    place.begin("src/plum");
    let origin = place.origin("src/cherry");
    let person = caller(PERSON, place.at("src/plum"));
    assert_eq!(code(place.memory().set_aside(&person, "../chery", "")), "memory.unknown_brain");
    let done = place.memory().set_aside(&person, "../cherry", "").unwrap();
    assert_eq!(done.brain.origin(), origin);
}
