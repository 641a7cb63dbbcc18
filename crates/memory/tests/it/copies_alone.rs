//! A version that git took away lies as a kept copy and nowhere else. `rename`, `eject` and `forget` are cut off at every
//! operation, or one operation fails: each version stays under one label, shown or named, and what is said to be done is
//! done.

use crate::power_loss::{Mortal, call, crashed, later};
use crate::whose_history::{Kept, World};
use crate::world::{CHERRY, HOME, MAKER, Short as _, caller, code, files_below, service};
use brainstem_base::disk::{Disk, Failing, FailingFor, FaultyDisk, SimDisk, UnsyncedFate, verbs};
use brainstem_base::{Coded as _, DiskFault};
use brainstem_memory::{
    Caller, Confirmation, DoctorRequest, EjectRequest, Ejected, ForgetRequest, Forgotten, Leftovers, Memory,
    MemoryError, Moving, RenameRequest, Tier,
};
use brainstem_testkit::cases;
use brainstem_transfer::mixed_medulla;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const ONE: &str = "/src/cherry/.brainstem/agent-memory/one.light.md";
const LONE: &str = "/src/cherry/.brainstem/agent-memory/lone.light.md";
/// Every text of the world, by the label it was written under.
const TEXTS: [(&str, &str); 4] =
    [("One", "words one"), ("One", "words two"), ("One", "words three"), ("Lone", "alone")];

fn maker() -> Caller {
    caller(MAKER, CHERRY)
}

/// Three versions of one label, the last of which git took back, and a label that git took away whole.
fn taken_away() -> SimDisk {
    let world = World::new(Kept::InTheRepository);
    world.tell("One", "words one");
    world.tell("One", "words two");
    let before = world.disk.read(Path::new(ONE), 1 << 20).unwrap();
    world.tell("One", "words three");
    world.tell("Lone", "alone");
    world.disk.write_raw(ONE, &before);
    world.disk.unlink(Path::new(LONE)).unwrap();
    world.disk.reboot(UnsyncedFate::Kept)
}

fn rename(memory: &Memory) -> Result<Vec<String>, MemoryError> {
    let request = RenameRequest { label: "One".into(), to: "Uno".into(), tier: None };
    memory.rename(&maker(), &request).map(|renamed| renamed.notes.iter().map(ToString::to_string).collect())
}

fn forget(memory: &Memory, label: &str) -> Result<Forgotten, MemoryError> {
    memory.forget(
        &maker(),
        &ForgetRequest { label: label.into(), tier: None, confirmation: Confirmation::Given },
    )
}

fn eject(memory: &Memory) -> Result<Ejected, MemoryError> {
    memory.eject(&maker(), &EjectRequest::default())
}

fn healthy(disk: &SimDisk) -> Memory {
    service(Arc::new(disk.clone()), &later())
}

/// The texts that a label shows, live or before, in the order of their letters.
fn texts(disk: &SimDisk, label: &str) -> Vec<String> {
    let shown = match healthy(disk).look_at(&maker(), label, Tier::Project) {
        Ok(shown) => shown,
        Err(error) => {
            assert_eq!(error.code().name(), "claim.not_found", "{error}");
            return Vec::new();
        }
    };
    // What git did is named. Every file can be read.
    let is_git = |name: &str| ["version_absent", "absent_here", "acts_absent"].contains(&name);
    assert!(shown.gaps.iter().all(|gap| is_git(gap.name)), "{:?}", shown.gaps);
    let past = shown.history.into_iter().map(|version| version.text);
    let mut texts: Vec<String> =
        shown.claim.into_iter().chain(shown.sides).map(|row| row.text).chain(past).collect();
    texts.sort();
    texts.dedup();
    texts
}

fn words() -> Vec<String> {
    ["words one", "words three", "words two"].map(str::to_owned).to_vec()
}

/// The files under the home and in the repository that hold these words.
fn holding(disk: &SimDisk, words: &str) -> Vec<PathBuf> {
    let has = |bytes: &[u8]| bytes.windows(words.len()).any(|window| window == words.as_bytes());
    let files = [HOME, CHERRY].into_iter().flat_map(|top| files_below(disk, top));
    files.filter(|(_, bytes)| has(bytes)).map(|(path, _)| path).collect()
}

/// The kept copies of a slug.
fn copies(disk: &SimDisk, slug: &str) -> usize {
    let is_its = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        path.components().any(|part| part.as_os_str() == ".kept") && name.starts_with(&format!("{slug}."))
    };
    files_below(disk, HOME).into_keys().filter(is_its).count()
}

fn findings(disk: &SimDisk, leftovers: Leftovers) -> Vec<String> {
    let request = DoctorRequest { leftovers, ..DoctorRequest::new(mixed_medulla) };
    let found = healthy(disk).doctor(&maker(), &request, &|_, _| {}).unwrap().findings.into_iter();
    found.map(|finding| finding.trouble.name().to_owned()).collect()
}

/// Calls `ask` on a disk of which one operation fails, or that one and every later one, for each operation of the call;
/// hands what is found to `check`.
fn failing_at_each<T>(
    prepared: &SimDisk,
    ask: impl Fn(&Memory) -> Result<T, MemoryError>,
    mut check: impl FnMut(Result<T, (String, String)>, &SimDisk, &str),
) {
    for (failing, long) in [
        (Failing::All, FailingFor::Once),
        (Failing::Additions, FailingFor::Once),
        (Failing::All, FailingFor::Good),
    ] {
        // Every operation in the soak; in a check every one that fails once, and every few of the rest.
        let stride = if long == FailingFor::Good && cases(1) == 1 { 5 } else { 1 };
        for passes in (0..).step_by(stride) {
            let disk = prepared.reboot(UnsyncedFate::Kept);
            let faulty = Arc::new(FaultyDisk::after(Arc::new(disk.clone()), failing, long, passes));
            let answer = ask(&service(faulty.clone(), &later()));
            if faulty.failures() == 0 {
                assert!(passes > 3);
                break;
            }
            let answer = answer.map_err(|error| (error.code().name().to_owned(), error.to_string()));
            check(answer, &disk, &format!("{failing:?} failing for {long:?} after {passes}"));
        }
    }
}

/// Nothing is lost, and both ways on from here end well: the renaming is repeated, or the claim is forgotten.
fn goes_on(found: &SimDisk, told: &str) {
    let (one, uno) = (texts(found, "One"), texts(found, "Uno"));
    let mut all = [one.clone(), uno.clone()].concat();
    all.sort();
    all.dedup();
    assert_eq!(all, words(), "{told}: One {one:?}, Uno {uno:?}");
    let is_both = found.stat(Path::new(ONE)).is_ok() && !uno.is_empty();
    assert!(one.is_empty() || uno.is_empty() || is_both, "{told}: One {one:?}, Uno {uno:?}");
    if is_both {
        assert!(findings(found, Leftovers::Named).contains(&"rename_interrupted".to_owned()), "{told}");
    }
    let repeated = found.reboot(UnsyncedFate::Kept);
    rename(&healthy(&repeated)).unwrap_or_else(|error| panic!("{told}, repeated: {error}"));
    assert_eq!((texts(&repeated, "One"), texts(&repeated, "Uno")), (vec![], words()), "{told}, repeated");
    assert_eq!(copies(&repeated, "one"), 0, "{told}, repeated");
    for label in ["One", "Uno"] {
        let after = found.reboot(UnsyncedFate::Kept);
        let shown = texts(&after, label);
        let gone = forget(&healthy(&after), label);
        if shown.is_empty() {
            // A temporary file that names the label may go.
            let is_nothing = gone.as_ref().map_or(true, |gone| !gone.live && gone.versions == 0);
            assert!(is_nothing, "{told}: {label}: {gone:?}");
            assert_eq!((texts(&after, "One"), texts(&after, "Uno")), (one.clone(), uno.clone()), "{told}");
        } else {
            let gone = gone.unwrap_or_else(|error| panic!("{told}: {label}: {error}"));
            // A file that says the same under a name of which this home knows nothing is named.
            let is_named = gone.notes.iter().any(|note| note.contains("says the same"));
            let held = holding(&after, "words ");
            assert!(held.is_empty() || is_named, "{told}: {label}: {held:?} {:?}", gone.notes);
        }
        assert_eq!(texts(&after, "Lone"), ["alone"], "{told}: {label}");
    }
}

#[test] // spec: MEM-2, MEM-48, MEM-48b
fn a_renaming_that_is_killed_anywhere_leaves_no_version_behind() {
    let prepared = taken_away();
    assert_eq!((texts(&prepared, "One"), texts(&prepared, "Lone")), (words(), vec!["alone".to_owned()]));
    for operations in 0.. {
        let disk = prepared.reboot(UnsyncedFate::Kept);
        let mortal = Arc::new(Mortal::new(disk.clone(), operations));
        let _ = rename(&service(mortal.clone(), &later()));
        goes_on(&disk, &format!("killed after {operations} operations"));
        if mortal.has_survived() {
            break;
        }
    }
}

#[test] // spec: MEM-2, MEM-48, MEM-48b
fn a_renaming_that_loses_power_anywhere_leaves_no_version_behind() {
    crashed(&taken_away(), &call(rename), goes_on);
}

#[test] // spec: MEM-2, MEM-48, MEM-48b
fn a_renaming_on_a_disk_that_fails_takes_every_version_along_or_changes_nothing_or_says_so() {
    failing_at_each(&taken_away(), rename, |answer, disk, told| {
        match &answer {
            Ok(notes) => {
                assert_eq!((texts(disk, "One"), texts(disk, "Uno")), (vec![], words()), "{told}");
                let is_named = notes.iter().any(|note| note.contains("under the old name"));
                assert!(copies(disk, "one") == 0 || is_named, "{told}: {notes:?}");
            }
            Err((code, _)) if code == "store.unconfirmed" => {}
            Err(refused) => {
                let shown = (texts(disk, "One"), texts(disk, "Uno"), copies(disk, "uno"));
                assert_eq!(shown, (words(), vec![], 0), "{told}: {refused:?}");
            }
        }
        goes_on(disk, &format!("{told}: {answer:?}"));
    });
}

#[test] // spec: MEM-2, MEM-48, MEM-48b
fn the_sweep_removes_the_copies_that_a_renaming_left_under_the_old_name() {
    let disk = taken_away();
    let kept = |step: &brainstem_base::disk::DiskStep| {
        let path = step.path.to_string_lossy();
        (step.verb == verbs::UNLINK && path.contains(".kept") && path.contains("/one."))
            .then_some(DiskFault::Other)
    };
    let faulty = Arc::new(FaultyDisk::new(Arc::new(disk.clone()), kept));
    let notes = rename(&service(faulty, &later())).unwrap().join("\n");
    assert!(notes.contains("under the old name") && notes.contains("doctor --sweep"), "{notes}");
    assert!(copies(&disk, "one") > 0);
    assert!(findings(&disk, Leftovers::Named).contains(&"rename_interrupted".to_owned()));
    findings(&disk, Leftovers::Swept);
    assert!(!findings(&disk, Leftovers::Named).contains(&"rename_interrupted".to_owned()));
    assert_eq!((copies(&disk, "one"), texts(&disk, "One"), texts(&disk, "Uno")), (0, vec![], words()));
}

/// A disk that gives no copy of this label.
fn closed(disk: &SimDisk, verb: &'static str, part: &'static str) -> Arc<dyn Disk> {
    Arc::new(FaultyDisk::new(Arc::new(disk.clone()), move |step| {
        let path = step.path.to_string_lossy();
        (step.verb == verb && path.contains(".kept/") && path.contains(part)).then_some(DiskFault::ReadOnly)
    }))
}

fn all_files(disk: &SimDisk) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = disk.dump();
    files.retain(|path, _| !path.to_string_lossy().contains("/local/"));
    files
}

#[test] // spec: MEM-2, MEM-48
fn a_copy_that_cannot_be_read_refuses_the_renaming_and_the_eject_before_anything_changes() {
    type Ask = fn(&Memory) -> Result<(), MemoryError>;
    let asks: [(&str, Ask); 3] = [
        ("rename", |memory| rename(memory).map(drop)),
        ("eject", |memory| eject(memory).map(drop)),
        ("eject --dry-run", |memory| {
            memory
                .eject(&maker(), &EjectRequest { moving: Moving::DryRun, ..EjectRequest::default() })
                .map(drop)
        }),
    ];
    for (name, ask) in asks {
        for (verb, part) in [(verbs::READ, "/one."), (verbs::LIST, "/_")] {
            let prepared = taken_away();
            let disk = prepared.reboot(UnsyncedFate::Kept);
            let refused = ask(&service(closed(&disk, verb, part), &later()));
            let error = refused.err().unwrap_or_else(|| panic!("{name}, {verb} fails"));
            assert_ne!(error.code().name(), "store.unconfirmed", "{name}, {verb} fails: {error}");
            assert_eq!(all_files(&disk), all_files(&prepared), "{name}, {verb} fails: {error}");
        }
    }
}

#[test] // spec: MEM-2
fn a_damaged_copy_goes_along_with_the_label_and_stops_an_eject() {
    let disk = taken_away();
    let copy = holding(&disk, "words three").into_iter().next().unwrap();
    disk.write_raw(&copy, b"no claim");
    assert_eq!(code(eject(&healthy(&disk))), "claim.unreadable");
    rename(&healthy(&disk)).unwrap();
    assert_eq!((copies(&disk, "one"), holding(&disk, "no claim").len()), (0, 1));
    let gaps = healthy(&disk).look_at(&maker(), "Uno", Tier::Project).unwrap().gaps;
    assert_eq!(gaps.len(), 1, "{gaps:?}");
}

#[test] // spec: MEM-2, MEM-13
fn an_eject_into_a_folder_that_cannot_be_written_is_refused_and_changes_nothing() {
    let prepared = taken_away();
    let disk = prepared.reboot(UnsyncedFate::Kept);
    let is_change = |verb: &str| ![verbs::READ, verbs::LIST, verbs::STAT, verbs::LOCK].contains(&verb);
    let closed = move |step: &brainstem_base::disk::DiskStep| {
        let is_in = step.path.starts_with(HOME)
            && step.path.parent().is_some_and(|folder| folder.ends_with("agent-memory"))
            && !step.path.starts_with(Path::new(HOME).join("agent-memory"));
        (is_in && is_change(step.verb)).then_some(DiskFault::ReadOnly)
    };
    let faulty = Arc::new(FaultyDisk::new(Arc::new(disk.clone()), closed));
    let error = eject(&service(faulty, &later())).unwrap_err();
    assert_ne!(error.code().name(), "store.unconfirmed", "{error}");
    assert_eq!(all_files(&disk), all_files(&prepared), "{error}");
}

/// Every text is shown under the label it was written under.
fn all_shown(disk: &SimDisk, told: &str) {
    for (label, text) in TEXTS {
        let shown = texts(disk, label);
        assert!(shown.iter().any(|it| it == text), "{told}: {text:?} is not among {shown:?} of {label}");
    }
}

#[test] // spec: MEM-2, MEM-13
fn an_eject_that_loses_power_anywhere_shows_every_version_and_is_completed_by_the_repeat() {
    crashed(&taken_away(), &call(eject), |found, told| {
        all_shown(found, told);
        eject(&healthy(found)).unwrap_or_else(|error| panic!("{told}, repeated: {error}"));
        all_shown(found, &format!("{told}, repeated"));
    });
}

#[test] // spec: MEM-2, MEM-13
fn an_eject_on_a_disk_that_fails_shows_every_version_and_is_completed_by_the_repeat() {
    failing_at_each(&taken_away(), eject, |answer, disk, told| {
        let answer = answer.map(|ejected| ejected.notes);
        let told = format!("{told}: {answer:?}");
        all_shown(disk, &told);
        if answer.is_ok() {
            // A copy that could not be removed says nothing new, and is forgotten with its claim.
            let after = disk.reboot(UnsyncedFate::Kept);
            forget(&healthy(&after), "Lone").unwrap_or_else(|error| panic!("{told}: {error}"));
            assert_eq!(holding(&after, "alone"), Vec::<PathBuf>::new(), "{told}");
        }
        eject(&healthy(disk)).unwrap_or_else(|error| panic!("{told}, repeated: {error}"));
        all_shown(disk, &format!("{told}, repeated"));
        assert_eq!((copies(disk, "one"), copies(disk, "lone")), (0, 0), "{told}, repeated");
    });
}

#[test] // spec: MEM-48, MEM-13
fn a_forgetting_on_a_disk_that_fails_is_done_or_changes_nothing_or_says_so() {
    let ask = |memory: &Memory| forget(memory, "One");
    failing_at_each(&taken_away(), ask, |answer, disk, told| {
        let answer = answer.map(|gone| gone.notes);
        match &answer {
            Ok(_) => assert_eq!(holding(disk, "words "), Vec::<PathBuf>::new(), "{told}"),
            Err((code, text))
                if code == "store.unconfirmed" || text.starts_with("the claim is forgotten") => {}
            Err(refused) => assert_eq!(texts(disk, "One"), words(), "{told}: {refused:?}"),
        }
        let again = forget(&healthy(disk), "One");
        assert!(again.is_ok() || code(again) == "claim.not_found", "{told}: {answer:?}, repeated");
        assert_eq!(holding(disk, "words "), Vec::<PathBuf>::new(), "{told}: {answer:?}, repeated");
        assert_eq!(texts(disk, "Lone"), ["alone"], "{told}");
    });
}

#[test] // spec: MEM-48, MEM-13
fn one_read_that_fails_makes_no_version_of_the_live_one() {
    for kept in [Kept::UnderTheHome, Kept::InTheRepository] {
        let world = World::new(kept);
        world.tell("One", "one a");
        world.tell("One", "one b");
        failing_at_each(&world.disk.reboot(UnsyncedFate::Kept), rename, |answer, disk, told| {
            if answer.is_err() {
                return;
            }
            let shown = healthy(disk).look_at(&maker(), "Uno", Tier::Project).unwrap();
            let past: Vec<String> = shown.history.into_iter().map(|version| version.text).collect();
            assert_eq!(
                (shown.claim.unwrap().text.as_str(), past),
                ("one b", vec!["one a".to_owned()]),
                "{told}"
            );
            assert_eq!(texts(disk, "One"), Vec::<String>::new(), "{kept:?}: {told}");
        });
    }
}
