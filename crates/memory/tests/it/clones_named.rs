//! Clones of one repository have one name@id: a word that means several of them is refused, and their roots are named.

use crate::place::Place;
use brainstem_base::Coded as _;
use brainstem_memory::{BootstrapRequest, BrainWish};

/// A repository with a committed claim, and two clones of it that the home knows.
fn two_clones() -> Place {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.init("src/cherry");
    place.tell("src/cherry", "Retry policy", "three times");
    place.commit_all("src/cherry");
    for (clone, label) in [("src/a", "Port"), ("src/b", "Color")] {
        place.git("src", &["clone", "-q", "cherry", &clone[4..]]);
        place.tell(clone, label, "it is so");
    }
    place.delete("src/cherry");
    place
}

#[test] // spec: MEM-1b, MEM-1
fn a_word_that_means_two_clones_is_refused_with_the_root_of_each() {
    let place = two_clones();
    let (memory, here) = (place.memory(), place.in_("src/a"));
    let (a, b) = (place.at("src/a").display().to_string(), place.at("src/b").display().to_string());
    for word in [place.origin("src/a"), place.id("src/a"), "cherry".into()] {
        let refused = memory.set_aside(&here, &word, "").map(drop).unwrap_err();
        assert_eq!(refused.code().name(), "memory.unknown_brain", "{refused}");
        let fix = refused.fix().unwrap_or_default().to_string();
        assert!(fix.contains(&a) && fix.contains(&b), "{word}: {fix}");
    }
    assert_eq!(memory.brains(&here).unwrap().brains.iter().filter(|row| !row.missing).count(), 2);
}

#[test] // spec: MEM-1b
fn of_two_clones_without_a_folder_each_is_taken_up_by_the_word_that_is_advised() {
    for aside in [false, true] {
        let place = two_clones();
        let memory = place.memory();
        place.repository("src/plum");
        let here = place.in_("src/plum");
        let origin = place.origin("src/a");
        let roots = ["src/a", "src/b"].map(|dir| place.at(dir).display().to_string());
        place.delete("src/a");
        place.delete("src/b");
        for root in roots.iter().filter(|_| aside) {
            memory.set_aside(&here, root, "").unwrap();
        }
        let take_up = |word: &str| {
            memory.bootstrap(
                &here,
                &BootstrapRequest { brain: BrainWish::TakeUp(word.into()), ..Default::default() },
            )
        };
        for word in [origin.as_str(), "cherry"] {
            let fix = take_up(word).map(drop).unwrap_err().fix().unwrap_or_default().to_string();
            assert!(roots.iter().all(|root| fix.contains(root)), "{word}: {fix}");
        }
        let kept = memory.brains(&here).unwrap().aside;
        assert_eq!(kept.len(), if aside { 2 } else { 0 });
        for kept in &kept {
            let advised = kept.back.to_string();
            assert!(advised.contains(&kept.brain.fingerprint) && !advised.contains(&origin), "{advised}");
        }
        let word = kept.first().map(|kept| kept.brain.fingerprint.clone());
        let rows = memory.brains(&here).unwrap().brains;
        let gone = rows.iter().find(|row| roots.contains(&row.brain.root.display().to_string()));
        let word = word.or_else(|| gone.map(|row| row.brain.fingerprint.clone())).unwrap();
        assert!(take_up(&word).unwrap().taken_up);
    }
}
