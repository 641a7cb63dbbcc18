//! What lies under a name that a claim had: left by a renaming that was killed or half failed, or brought back by git.

use crate::power_loss::Mortal;
use crate::whose_history::{Kept, World};
use crate::world::{CHERRY, HOME, MAKER, Short as _, caller, code, files_below, service};
use brainstem_base::disk::{Disk as _, SimDisk, UnsyncedFate};
use brainstem_memory::{
    Caller, Confirmation, Diagnosis, DoctorRequest, ForgetRequest, Forgotten, Leftovers, Memory, MemoryError,
    RenameRequest, RetractRequest, Row, Tier,
};
use brainstem_transfer::mixed_medulla;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn maker() -> Caller {
    caller(MAKER, CHERRY)
}

fn rename(memory: &Memory, from: &str, to: &str) -> Result<Vec<String>, MemoryError> {
    let request = RenameRequest { label: from.into(), to: to.into(), tier: None };
    memory.rename(&maker(), &request).map(|renamed| renamed.notes.iter().map(ToString::to_string).collect())
}

fn forget(memory: &Memory, label: &str) -> Result<Forgotten, MemoryError> {
    memory.forget(
        &maker(),
        &ForgetRequest { label: label.into(), tier: None, confirmation: Confirmation::Given },
    )
}

fn look_over(memory: &Memory, leftovers: Leftovers) -> Diagnosis {
    let request = DoctorRequest { leftovers, ..DoctorRequest::new(mixed_medulla) };
    memory.doctor(&maker(), &request, &|_, _| {}).unwrap()
}

fn findings(memory: &Memory) -> Vec<String> {
    let found = look_over(memory, Leftovers::Named).findings.into_iter();
    found.map(|finding| finding.trouble.name().to_owned()).collect()
}

/// The files that hold a word of the claim.
fn holding(disk: &SimDisk, words: &str) -> Vec<PathBuf> {
    let has = |bytes: &[u8]| bytes.windows(words.len()).any(|window| window == words.as_bytes());
    let files = [HOME, CHERRY].into_iter().flat_map(|top| files_below(disk, top));
    files.filter(|(_, bytes)| has(bytes)).map(|(path, _)| path).collect()
}

/// The files in history that a name begins.
fn past(disk: &SimDisk, slug: &str) -> usize {
    let files = files_below(disk, HOME).into_keys();
    let is_its = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        path.components().any(|part| part.as_os_str() == ".history") && name.starts_with(&format!("{slug}."))
    };
    files.filter(is_its).count()
}

#[test] // spec: MEM-48, MEM-48b
fn whatever_a_killed_renaming_left_is_forgotten_with_its_claim_and_counted_once() {
    for kept in [Kept::UnderTheHome, Kept::InTheRepository] {
        let world = World::new(kept);
        for text in ["words one", "words two", "words three"] {
            world.tell("One", text);
        }
        let mut has_left = 0;
        for operations in 0.. {
            let disk = world.disk.reboot(UnsyncedFate::Kept);
            let mortal = Arc::new(Mortal::new(disk.clone(), operations));
            let _ = rename(&service(mortal.clone(), &world.clock), "One", "Uno");
            let told = format!("{kept:?}, killed after {operations} operations");
            let memory = service(Arc::new(disk.clone()), &world.clock);
            let labels: Vec<String> = memory.all(&maker()).rows.into_iter().map(|row| row.label).collect();
            let is_renamed = labels.iter().any(|label| label == "Uno");
            if is_renamed && (past(&disk, "one") > 0 || labels.len() == 2) {
                has_left += 1;
                assert!(findings(&memory).contains(&"rename_interrupted".to_owned()), "{told}");
                let counted = look_over(&memory, Leftovers::Named)
                    .stores
                    .iter()
                    .map(|store| store.versions)
                    .sum::<usize>();
                assert_eq!(counted, 2, "{told}");
            }
            let gone = forget(&memory, if is_renamed { "Uno" } else { "One" });
            let gone = gone.unwrap_or_else(|error| panic!("{told}: {error}"));
            assert_eq!((gone.live, gone.versions), (true, 2), "{told}: {:?}", gone.notes);
            assert_eq!(holding(&disk, "words "), Vec::<PathBuf>::new(), "{told}");
            if mortal.has_survived() {
                break;
            }
        }
        assert!(has_left > 2, "{kept:?}: {has_left}");
    }
}

#[test] // spec: MEM-48, MEM-48b
fn a_renaming_that_could_not_remove_an_old_name_says_so_and_the_sweep_completes_it() {
    let world = World::new(Kept::UnderTheHome);
    for text in ["words one", "words two"] {
        world.tell("One", text);
    }
    let of_one = |path: &&PathBuf| path.components().any(|part| part.as_os_str() == ".history");
    let history = files_below(&world.disk, HOME).into_keys().collect::<Vec<_>>();
    let history = history.iter().find(of_one).unwrap().parent().unwrap().to_owned();
    let mut seen = 0;
    for steps in 0..60 {
        let disk = world.disk.reboot(UnsyncedFate::Kept);
        disk.freeze_after(&history, steps);
        let memory = service(Arc::new(disk.clone()), &world.clock);
        let answer = rename(&memory, "One", "Uno");
        disk.thaw();
        let Ok(notes) = answer else { continue };
        if past(&disk, "one") == 0 {
            continue;
        }
        seen += 1;
        let told = notes.join("\n");
        assert!(told.contains("1 version of its history") && told.contains("doctor --sweep"), "{told}");
        assert_eq!(findings(&memory), ["rename_interrupted"]);
        assert_eq!(code(memory.look_at(&maker(), "One", Tier::Project)), "claim.not_found");
        assert_eq!(memory.look_at(&maker(), "Uno", Tier::Project).unwrap().history.len(), 1);
        // Forgetting the old name touches nothing of the claim.
        assert_eq!(code(forget(&memory, "One")), "claim.not_found");
        assert_eq!(look_over(&memory, Leftovers::Swept).swept.len(), 1);
        assert_eq!((past(&disk, "one"), past(&disk, "uno")), (0, 1));
        assert_eq!(findings(&memory), Vec::<String>::new());
    }
    assert!(seen > 0);
}

const ONE: &str = "/src/cherry/.brainstem/agent-memory/one.light.md";

/// A claim in a repository that was renamed; with the bytes of its file from before.
fn renamed() -> (World, Vec<u8>) {
    let world = World::new(Kept::InTheRepository);
    world.tell("One", "words old");
    let before = world.disk.read(Path::new(ONE), 1 << 20).unwrap();
    world.rename("One", "Uno");
    (world, before)
}

fn row(memory: &Memory, label: &str) -> Row {
    memory.all(&maker()).rows.into_iter().find(|row| row.label == label).unwrap()
}

/// What a row says of a claim that came back.
fn marks(memory: &Memory, label: &str) -> String {
    let row = row(memory, label);
    let shown = memory.look_at(&maker(), label, Tier::Project).unwrap().claim.unwrap();
    assert_eq!((row.resurrected, row.forgotten), (shown.resurrected, shown.forgotten));
    let words = row.facts().into_iter().map(|fact| fact.words).filter(|text| text.contains("came back"));
    words.collect::<Vec<_>>().join("\n")
}

#[test] // spec: MEM-26, MEM-26a
fn what_comes_back_under_the_old_name_of_a_renamed_claim_is_marked_and_named() {
    let retract = |world: &World| {
        let request = RetractRequest { label: "Uno".into(), reason: "not so".into(), tier: None };
        world.memory.retract(&maker(), &request).unwrap();
    };
    type Then<'a> = &'a dyn Fn(&World);
    let table: [(&str, Then<'_>, &str, &str); 3] = [
        ("superseded", &|world| world.tell("Uno", "words new"), "renamed to \"Uno\"", "claim_resurrected"),
        ("retracted", &retract, "retracted here: \"not so\"", "claim_resurrected"),
        ("forgotten", &|world| drop(forget(&world.memory, "Uno").unwrap()), "forgotten", "claim_forgotten"),
    ];
    for (name, then, told, finding) in table {
        let (world, before) = renamed();
        then(&world);
        assert_eq!(findings(&world.memory), Vec::<String>::new(), "{name}");
        world.disk.write_raw(ONE, &before);
        assert!(marks(&world.memory, "One").contains(told), "{name}: {}", marks(&world.memory, "One"));
        assert!(
            findings(&world.memory).contains(&finding.to_owned()),
            "{name}: {:?}",
            findings(&world.memory)
        );
        // Another renaming does not make it new.
        world.rename("One", "Two");
        assert!(marks(&world.memory, "Two").contains("came back"), "{name}");
        assert!(
            findings(&world.memory).contains(&finding.to_owned()),
            "{name}: {:?}",
            findings(&world.memory)
        );
        // What is said anew is new.
        world.tell("Two", "words of today");
        assert_eq!(marks(&world.memory, "Two"), "", "{name}");
    }
}

#[test] // spec: MEM-26, MEM-26a
fn a_claim_that_came_back_stays_one_that_came_back_under_another_name() {
    let world = World::new(Kept::InTheRepository);
    world.tell("One", "words old");
    let before = world.disk.read(Path::new(ONE), 1 << 20).unwrap();
    world.tell("One", "words new");
    world.disk.write_raw(ONE, &before);
    assert!(marks(&world.memory, "One").contains("superseded"));
    world.rename("One", "Two");
    assert!(marks(&world.memory, "Two").contains("superseded"));
}

#[test] // spec: MEM-48, MEM-48b
fn a_version_that_came_back_under_the_old_name_is_forgotten_with_its_claim() {
    let (world, before) = renamed();
    world.tell("Uno", "words new");
    world.disk.write_raw(ONE, &before);
    let gone = forget(&world.memory, "Uno").unwrap();
    assert!(gone.notes.iter().any(|note| note.contains("under another name")), "{:?}", gone.notes);
    assert_eq!(holding(&world.disk, "words "), Vec::<PathBuf>::new());
    // A claim that was written under that name since is another one.
    let (world, _) = renamed();
    world.tell("One", "another thing");
    assert_eq!(marks(&world.memory, "One"), "");
    forget(&world.memory, "Uno").unwrap();
    assert_eq!(row(&world.memory, "One").text, "another thing");
    assert_eq!(marks(&world.memory, "One"), "");
}
