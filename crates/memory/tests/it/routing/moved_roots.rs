//! Roots that moved, were deleted or cloned again, and brains that are found by their id.

use crate::place::Place;
use crate::world::{MAKER, Short as _, caller, clock, code, principal};
use brainstem_memory::{Caller, CallerPlace, RootHints, Tier};
use std::sync::Arc;

#[test] // spec: MEM-1, MEM-4
fn a_deleted_root_still_has_its_brain() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.tell("src/cherry", "Retry policy", "three times");
    place.delete("src/cherry");
    let hints = RootHints {
        explicit: Some(place.at("src/cherry")),
        cwd: Some(place.at("src")),
        ..RootHints::default()
    };
    let there = Caller::new(principal(MAKER), CallerPlace::lasting(hints));
    let memory = place.memory();
    assert_eq!(memory.find(&there, "retry", Tier::Project).rows[0].text, "three times");
    assert_eq!(memory.beat(&there, "retry").memory.len(), 1);
    let brains = memory.brains(&place.in_("src")).unwrap();
    assert_eq!(
        brains.brains.iter().map(|row| (row.claims, row.missing)).collect::<Vec<_>>(),
        [(Some(1), true)]
    );
    assert_eq!(code(memory.begin(&there)), "memory.root_missing");
    memory.tell(&there, "Retry policy", "four times").unwrap();
    assert_eq!(memory.look_at(&there, "Retry policy", Tier::Project).unwrap().history.len(), 1);
}

#[test] // spec: MEM-1
fn a_moved_root_rebinds_by_itself() {
    let place = Place::new();
    place.repository("src/cherry");
    std::fs::create_dir(place.at("src/plain")).unwrap();
    std::fs::create_dir(place.at("elsewhere")).unwrap();
    for (from, to) in [("src/cherry", "elsewhere/morello"), ("src/plain", "src/simple")] {
        place.begin(from);
        place.tell(from, "Retry policy", from);
        let id = place.id(from);
        place.move_to(from, to);
        std::fs::create_dir_all(place.at(to).join("deep/down")).unwrap();
        assert_eq!(place.lands(&format!("{to}/deep/down")), to);
        assert_eq!((place.id(to), place.found(to)), (id.clone(), vec![from.to_owned()]));
        place.tell(to, "Retry policy", "moved");
        let made = place.memory().begin(&place.in_(to)).unwrap();
        assert!(made.existed && made.brain.manifest.id.to_string() == id);
        let shown = place.memory().look_at(&place.in_(to), "Retry policy", Tier::Project).unwrap();
        assert_eq!(shown.history.len(), 1, "its history came along");
        assert_eq!(place.lands(from), "nowhere");
    }
    assert_eq!(place.memory().brains(&place.in_("src")).unwrap().brains.len(), 2);
}

#[test] // spec: MEM-1
fn a_brain_that_lost_the_record_of_its_root_gets_it_back_with_its_id() {
    for damage in [None, Some("\0\0\0\0"), Some("{}")] {
        let place = Place::new();
        place.repository("src/cherry");
        place.begin("src/cherry");
        place.tell("src/cherry", "Retry policy", "three times");
        let id = place.id("src/cherry");
        let folder = place.memory().route(&place.in_("src/cherry")).brain().unwrap().folder.clone();
        match damage {
            None => std::fs::remove_file(folder.join("root.json")).unwrap(),
            Some(text) => std::fs::write(folder.join("root.json"), text).unwrap(),
        }
        assert_eq!(place.lands("src/cherry"), "src/cherry!");
        let gaps = place.memory().brains(&place.in_("src")).unwrap().gaps;
        assert_eq!(gaps.iter().map(|gap| gap.name).collect::<Vec<_>>(), ["unreadable_brain"]);
        place.begin("src/cherry");
        assert_eq!((place.id("src/cherry"), place.found("src/cherry")), (id, vec!["three times".into()]));
    }
}

#[test] // spec: MEM-1
fn a_bootstrap_where_a_root_was_moved_to_finds_its_brain() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.tell("src/cherry", "Retry policy", "three times");
    place.move_to("src/cherry", "src/morello");
    let made = place.memory().begin(&place.in_("src/morello/lib")).unwrap();
    assert!(made.existed);
    assert_eq!(place.found("src/morello"), ["three times"]);
}

#[test] // spec: MEM-1
fn a_repository_that_is_cloned_again_keeps_its_brain_and_can_be_moved_then() {
    let place = Place::new();
    place.repository("src/origin");
    place.git("src", &["clone", "-q", "origin", "cherry"]);
    place.begin("src/cherry");
    place.tell("src/cherry", "Retry policy", "three times");
    let id = place.id("src/cherry");
    place.delete("src/cherry");
    // So that the new folder cannot have the old one's number.
    std::fs::create_dir(place.at("src/other")).unwrap();
    place.git("src", &["clone", "-q", "origin", "cherry"]);
    assert_eq!((place.id("src/cherry"), place.found("src/cherry")), (id.clone(), vec!["three times".into()]));
    place.tell("src/cherry", "Retry policy", "four times");
    place.move_to("src/cherry", "src/morello");
    assert_eq!((place.id("src/morello"), place.found("src/morello")), (id, vec!["four times".into()]));
}

#[test] // spec: MEM-1, MEM-21
fn a_new_repository_at_the_old_path_of_a_moved_one_never_sees_its_claims() {
    for visited in [true, false] {
        let place = Place::new();
        place.repository("src/cherry");
        place.begin("src/cherry");
        place.tell("src/cherry", "Retry policy", "of the moved one");
        let id = place.id("src/cherry");
        place.move_to("src/cherry", "src/morello");
        if visited {
            assert_eq!(place.lands("src/morello"), "src/morello");
        }
        place.repository("src/cherry");
        assert_eq!(place.lands("src/cherry"), "src/cherry?", "visited: {visited}");
        assert_eq!(place.found("src/cherry"), [] as [String; 0], "visited: {visited}");
        place.begin("src/cherry");
        place.tell("src/cherry", "Retry policy", "of the new one");
        assert_ne!(place.id("src/cherry"), id);
        assert_eq!(place.found("src/cherry"), ["of the new one"], "visited: {visited}");
        assert_eq!(
            (place.id("src/morello"), place.found("src/morello")),
            (id, vec!["of the moved one".into()])
        );
        place.delete("src/morello");
        assert_eq!(place.found("src/cherry"), ["of the new one"], "visited: {visited}");
        let fingerprints: Vec<_> =
            std::fs::read_dir(place.at("home/.brainstem/project-brains")).unwrap().collect();
        assert_eq!(fingerprints.len(), 2);
    }
}

#[test] // spec: MEM-1, MEM-21
fn a_brain_does_not_come_back_to_a_new_repository_when_the_renamed_one_is_deleted() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.tell("src/cherry", "Retry policy", "of the moved one");
    place.move_to("src/cherry", "src/morello");
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.delete("src/morello");
    assert_eq!(place.found("src/cherry"), [] as [String; 0]);
}

/// A manifest as a repository carries it.
const MANIFEST: &str = r#"{"id":"0197d2a0-0000-7000-8000-0000aaaaaaaa","name":"cherry","kind":"project","created":1,"schema":1}"#;

#[test] // spec: MEM-1, MEM-2
fn two_clones_that_carry_one_id_are_two_brains() {
    let place = Place::new();
    place.repository("src/origin");
    place.write("src/origin/.brainstem/brain.json", MANIFEST);
    place.commit("src/origin");
    place.git("src", &["clone", "-q", "origin", "one"]);
    place.git("src", &["clone", "-q", "origin", "two"]);
    for dir in ["src/one", "src/two"] {
        assert_eq!(place.lands(dir), dir, "a clone comes with its brain");
        place.tell(dir, "Retry policy", dir);
        place.tell(dir, "Retry policy", &format!("{dir} again"));
    }
    for dir in ["src/one", "src/two"] {
        assert_eq!(place.found(dir), [format!("{dir} again")]);
        assert!(place.at(dir).join(".brainstem/agent-memory/retry-policy.light.md").exists());
        assert!(!place.at(dir).join(".brainstem/agent-memory/.history").exists(), "history is not committed");
    }
    let brains = place.memory().brains(&place.in_("src")).unwrap();
    let listed: Vec<_> = brains.brains.iter().map(|row| (row.brain.root.clone(), row.claims)).collect();
    assert_eq!(listed, [(place.at("src/one"), Some(1)), (place.at("src/two"), Some(1))]);
    assert_eq!(brains.gaps, []);

    // Each has its own history, and takes it along.
    place.move_to("src/two", "src/three");
    let shown = place.memory().look_at(&place.in_("src/three"), "Retry policy", Tier::Project).unwrap();
    assert_eq!((shown.claim.unwrap().text.as_str(), shown.history.len()), ("src/two again", 1));
    place.tell("src/three", "Retry policy", "of three");
    let brains = place.memory().brains(&place.in_("src")).unwrap();
    assert_eq!((brains.brains.len(), brains.gaps), (2, vec![]));
}

#[test] // spec: MEM-52, MEM-4, MEM-22
fn a_brain_that_was_only_read_is_known_everywhere_from_then_on() {
    type Reading<'a> = &'a dyn Fn(&brainstem_memory::Memory, &Caller);
    let reads: [Reading<'_>; 2] =
        [&|memory, there| memory.count_call(there.place(), None), &|memory, there| {
            drop(memory.beat(there, "retry"))
        }];
    for (at, read) in reads.into_iter().enumerate() {
        for has_home in [true, false] {
            let place = Place::new();
            place.repository("src/origin");
            place.write("src/origin/.brainstem/brain.json", MANIFEST);
            place.write(
                "src/origin/.brainstem/agent-memory/retry.light.md",
                "---\nProtocol: L1GHT/1.0\nNode: Retry\nState: authored\nCreated: 5\n---\n\n# Retry\n\nthree times\n",
            );
            place.commit("src/origin");
            for clone in ["one", "two"] {
                place.git("src", &["clone", "-q", "origin", clone]);
            }
            place.repository("src/other");
            if has_home {
                place.begin("src/other");
            }
            for clone in ["src/one", "src/two"] {
                read(&place.memory(), &place.in_(clone));
            }
            let (memory, other) = (place.memory(), place.in_("src/other"));
            let brains = memory.brains(&other).unwrap();
            let roots: Vec<_> =
                brains.brains.iter().map(|row| (row.brain.root.clone(), row.claims)).collect();
            for clone in ["src/one", "src/two"] {
                assert!(roots.contains(&(place.at(clone), Some(1))), "{at} {has_home}: {roots:?}");
            }
            let all = memory.find(&other, "retry", Tier::AllBrains).groups.unwrap();
            assert_eq!(all.iter().filter(|group| group.rows.len() == 1).count(), 2, "{at} {has_home}");
            assert_eq!(memory.live_claims().0, 2);
            // The clones have what they had, and nothing more.
            assert_eq!(place.committable("src/one"), [] as [String; 0]);
        }
    }
}

#[test] // spec: MEM-52
fn where_nothing_can_be_written_a_brain_is_read_all_the_same() {
    let disk = crate::world::two_repositories();
    disk.write_raw("/src/cherry/.brainstem/brain.json", MANIFEST.as_bytes());
    disk.make_dirs(crate::world::HOME);
    let before = disk.dump();
    disk.set_read_only(true);
    let memory = crate::world::service(Arc::new(disk.clone()), &clock());
    let cherry = caller(MAKER, crate::world::CHERRY);
    assert_eq!(memory.beat(&cherry, "retry").binding.brain.as_deref(), Some("cherry@aaaaaaaa"));
    memory.count_call(cherry.place(), None);
    assert_eq!(disk.dump(), before);
}

#[test] // spec: MEM-2
fn a_checkout_that_takes_the_claims_away_does_not_stop_a_write() {
    let place = Place::new();
    place.repository("src/cherry");
    place.write("src/cherry/.brainstem/brain.json", MANIFEST);
    place.commit("src/cherry");
    place.git("src/cherry", &["branch", "without"]);
    place.tell("src/cherry", "Retry policy", "three times");
    place.commit("src/cherry");
    place.git("src/cherry", &["checkout", "-q", "without"]);
    assert!(!place.at("src/cherry/.brainstem/agent-memory").exists());
    assert_eq!(place.found("src/cherry"), [] as [String; 0]);
    place.tell("src/cherry", "Retry policy", "on this branch");
    assert_eq!(place.found("src/cherry"), ["on this branch"]);
}

#[test] // spec: MEM-2
fn a_manifest_that_is_no_projects_makes_no_brain() {
    let place = Place::new();
    place.repository("src/cherry");
    place.write("src/cherry/.brainstem/brain.json", &MANIFEST.replace("project", "medulla"));
    assert_eq!(place.lands("src/cherry"), "src/cherry?");
    place.write("home/.brainstem/brain.json", MANIFEST);
    place.write("home/.brainstem/.brainstem/brain.json", MANIFEST);
    place.write("home/project/readme", "");
    for dir in ["home", "home/.brainstem", "home/project"] {
        assert_eq!(place.lands(dir), "nowhere", "{dir}");
    }
}
