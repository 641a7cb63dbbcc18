//! Memory that was deleted or cannot be read is damage with a name, and never an empty store.

use crate::place::Place;
use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, clock, code, doctrine, service, two_repositories,
};
use brainstem_base::Coded as _;
use brainstem_base::disk::{Disk as _, SimDisk};
use brainstem_memory::{Caller, Gap, Memory, Tier};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn fresh(disk: &SimDisk) -> Memory {
    service(Arc::new(disk.clone()), &clock())
}

/// Cherry with two claims, one of which was said anew; answers the folder of its brain.
fn cherry() -> (SimDisk, PathBuf) {
    let disk = two_repositories();
    let memory = fresh(&disk);
    let folder = memory.begin(&caller(MAKER, CHERRY)).unwrap().brain.folder;
    for text in ["three times", "four times"] {
        memory.tell(&caller(MAKER, CHERRY), "Retry policy", text).unwrap();
    }
    memory.tell(&caller(MAKER, CHERRY), "Cache", "none").unwrap();
    (disk, folder)
}

/// What list, seek and the beat say, and that none of them calls the store empty.
fn never_empty(memory: &Memory, there: &Caller, gap: &str) -> Vec<Gap> {
    let (all, sought, beat) =
        (memory.all(there), memory.find(there, "retry", Tier::Both), memory.beat(there, "retry"));
    for gaps in [&all.gaps, &sought.gaps, &beat.gaps] {
        assert!(gaps.iter().any(|found| found.name == gap), "{gap} in {gaps:?}");
        assert!(!gaps.iter().any(|gap| gap.name == "empty"), "{gaps:?}");
        assert!(!gaps.iter().any(|gap| gap.detail.contains("most recent claims")), "{gaps:?}");
    }
    assert!(!beat.next_moves.iter().any(|next| next.contains("first thing")), "{:?}", beat.next_moves);
    sought.gaps
}

#[test] // spec: MEM-23, MEM-43
fn a_brain_whose_folder_of_claims_was_deleted_is_broken_and_not_empty() {
    let (disk, folder) = cherry();
    let claims = folder.join("agent-memory");
    disk.rename(&claims, &folder.join("lost")).unwrap();
    let (memory, here) = (fresh(&disk), caller(MAKER, CHERRY));
    never_empty(&memory, &here, "unreadable_brain");
    let all = memory.all(&here);
    assert!(all.uncounted && all.memory_exists == 0, "nobody knows how many there were");
    assert_eq!(memory.beat(&here, "retry").binding.trust_mode.as_str(), "degraded");
    let refused = memory.tell(&here, "New", "x").unwrap_err();
    assert_eq!(refused.code().name(), "store.unreadable");
    let fix = refused.fix().unwrap();
    assert!(fix.contains("backup") && fix.contains(&claims.display().to_string()), "{fix}");
    assert!(disk.stat(&claims).is_err(), "nothing made it anew in silence");
    let brains = memory.brains(&here).unwrap();
    assert!(brains.gaps.iter().any(|gap| gap.name == "unreadable_brain"), "{:?}", brains.gaps);
    let everywhere = memory.find(&caller(MAKER, PLUM), "retry", Tier::AllBrains);
    assert!(everywhere.gaps.iter().any(|gap| gap.name == "unreadable_brain"), "{:?}", everywhere.gaps);
    // Restored, all of it is back.
    disk.rename(&folder.join("lost"), &claims).unwrap();
    assert_eq!(fresh(&disk).all(&here).rows.len(), 2);
}

#[test] // spec: MEM-23
fn a_folder_of_claims_that_is_made_anew_by_hand_is_a_sound_empty_store() {
    let (disk, folder) = cherry();
    disk.rename(&folder.join("agent-memory"), &folder.join("lost")).unwrap();
    disk.make_dir(&folder.join("agent-memory")).unwrap();
    let here = caller(MAKER, CHERRY);
    fresh(&disk).tell(&here, "New", "x").unwrap();
    assert_eq!(fresh(&disk).all(&here).rows.len(), 1);
}

#[test] // spec: MEM-23, MEM-43
fn a_medulla_whose_folder_of_claims_was_deleted_is_unreadable_and_not_empty() {
    let (disk, _) = cherry();
    fresh(&disk).memorize(&caller(PERSON, CHERRY), &doctrine("Tabs", "use tabs")).unwrap();
    disk.rename(&Path::new(HOME).join("agent-memory"), &Path::new(HOME).join("lost")).unwrap();
    let memory = fresh(&disk);
    for root in [CHERRY, PLUM] {
        let there = caller(MAKER, root);
        let gaps = never_empty(&memory, &there, "store_unreadable");
        assert!(gaps.iter().any(|gap| gap.detail.contains("the medulla")), "{gaps:?}");
    }
    assert_eq!(memory.brains(&caller(MAKER, PLUM)).unwrap().medulla_claims, None);
    let refused = memory.memorize(&caller(PERSON, CHERRY), &doctrine("Tabs", "use tabs"));
    assert_eq!(code(refused), "store.unreadable");
    assert!(disk.stat(&Path::new(HOME).join("agent-memory")).is_err());
}

#[test] // spec: MEM-23
fn a_store_whose_live_files_were_all_deleted_says_what_history_knows() {
    let (disk, folder) = cherry();
    for name in ["retry-policy", "cache"] {
        disk.unlink(&folder.join(format!("agent-memory/{name}.light.md"))).unwrap();
    }
    let (memory, here) = (fresh(&disk), caller(MAKER, CHERRY));
    let gaps = never_empty(&memory, &here, "claims_gone");
    let gap = gaps.iter().find(|gap| gap.name == "claims_gone").unwrap();
    assert!(gap.detail.contains("\"retry-policy\"") && !gap.detail.contains("cache"), "{}", gap.detail);
    // What was taken back is not missed.
    let (disk, _) = cherry();
    for label in ["Retry policy", "Cache"] {
        fresh(&disk).take_back(&here, label).unwrap();
    }
    let gaps = fresh(&disk).all(&here).gaps;
    assert!(!gaps.iter().any(|gap| gap.name == "claims_gone"), "{gaps:?}");
    assert!(fresh(&disk).beat(&here, "").gaps.iter().any(|gap| gap.name == "empty"));
}

#[test] // spec: MEM-23, MEM-2
fn a_checkout_without_the_claims_is_never_called_empty() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.init("src/cherry");
    place.tell("src/cherry", "Retry policy", "three times");
    place.commit_all("src/cherry");
    place.git("src", &["clone", "-q", "cherry", "clone"]);
    place.memory().count_call(place.in_("src/clone").place(), None);
    for dir in ["src/cherry", "src/clone"] {
        place.git(dir, &["checkout", "-q", "HEAD~1"]);
        assert!(!place.at(dir).join(".brainstem").exists());
        never_empty(&place.memory(), &place.in_(dir), "absent_here");
        assert_eq!(place.found(dir), [] as [String; 0]);
    }
}

#[test] // spec: MEM-23
fn nothing_is_said_about_the_claims_of_a_brain_that_cannot_be_read() {
    for file in ["brain.json", "root.json"] {
        let (disk, folder) = cherry();
        disk.unlink(&folder.join(file)).unwrap();
        let (memory, here) = (fresh(&disk), caller(MAKER, CHERRY));
        let gaps = never_empty(&memory, &here, "unreadable_brain");
        assert!(!gaps.iter().any(|gap| gap.name == "no_match"), "{file}: nobody looked at them: {gaps:?}");
    }
}

#[test] // spec: MEM-2, MEM-43
fn a_manifest_in_the_repository_that_cannot_be_read_is_named_where_it_was_made() {
    for text in ["{", "", r#"{"kind":"other"}"#] {
        let place = Place::new();
        place.repository("src/cherry");
        place.begin("src/cherry");
        place.init("src/cherry");
        place.tell("src/cherry", "Retry policy", "three times");
        let manifest = place.at("src/cherry/.brainstem/brain.json");
        let whole = std::fs::read_to_string(&manifest).unwrap();
        std::fs::write(&manifest, text).unwrap();
        assert_eq!(place.found("src/cherry"), ["three times"], "the home knows it still");
        let gaps = place.memory().all(&place.in_("src/cherry")).gaps;
        assert!(gaps.iter().any(|gap| gap.name == "manifest_damaged"), "{text:?}: {gaps:?}");
        place.init("src/cherry");
        assert_eq!(std::fs::read_to_string(&manifest).unwrap(), whole, "init writes it anew");
        assert_eq!(place.memory().all(&place.in_("src/cherry")).gaps, []);
    }
}
