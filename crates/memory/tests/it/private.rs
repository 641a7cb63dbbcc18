//! A private project: whatever git cleans away and whatever is called, nothing of its memory can be committed until
//! somebody says so.

use crate::place::Place;
use crate::power_loss::{call, crashed};
use crate::world::{CHERRY, MAKER, Short as _, caller, clock, code, service, service_at, two_repositories};
use brainstem_base::Coded as _;
use brainstem_base::disk::RealDisk;
use brainstem_memory::config::ConfigFile;
use brainstem_memory::{
    DoctorRequest, EjectRequest, Finding, GitWish, IndexPace, IndexStart, InitRequest, Initialised, Memory,
    Moving, Trouble,
};
use brainstem_transfer::mixed_medulla;
use std::path::Path;
use std::sync::Arc;

const NOTHING: [String; 0] = [];

fn init(place: &Place, private: bool, shared: bool) -> Initialised {
    let request = InitRequest { git: GitWish::of_flags(private, shared).unwrap(), ..InitRequest::default() };
    place.memory().init(&place.in_("src/cherry"), &request).unwrap()
}

fn private_project() -> Place {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.tell("src/cherry", "Salary", "more than yours");
    init(&place, true, false);
    assert_eq!(place.committable("src/cherry"), NOTHING);
    place
}

/// A project whose memory is committed.
fn shared_project() -> Place {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.tell("src/cherry", "Salary", "more than yours");
    init(&place, false, false);
    place.commit_all("src/cherry");
    place
}

fn clean(place: &Place) {
    place.git("src/cherry", &["clean", "-q", "-fdx"]);
    assert!(!place.at("src/cherry/.brainstem").exists());
}

#[test] // spec: MEM-2, MEM-43
fn a_private_project_without_its_manifest_is_not_told_to_commit_it() {
    for (place, commits) in [(private_project(), false), (shared_project(), true)] {
        std::fs::remove_file(place.at("src/cherry/.brainstem/brain.json")).unwrap();
        let (memory, there) = (place.memory(), place.in_("src/cherry"));
        let listed = memory.all(&there);
        let gap = listed.gaps.iter().find(|gap| gap.name == "manifest_missing").unwrap();
        let found = memory.doctor(&there, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
        let missing = found.iter().find(|finding| finding.trouble == Trouble::ManifestMissing).unwrap();
        for told in [&gap.detail, &missing.fix] {
            assert_eq!(told.contains("commit it"), commits, "{told}");
            assert!(told.contains("brainstem init"), "{told}");
        }
    }
}

#[test] // spec: MEM-2
fn a_private_project_stays_private_when_init_is_repeated() {
    let place = private_project();
    for _ in 0..2 {
        let done = init(&place, false, false);
        assert!(
            done.notes.iter().any(|note| note.contains("private") && note.contains("--shared")),
            "{:?}",
            done.notes
        );
        assert_eq!(place.committable("src/cherry"), NOTHING);
    }
    assert_eq!(code(GitWish::of_flags(true, true)), "input.bad_value");
}

#[test] // spec: MEM-2
fn a_folder_that_git_tracks_is_not_called_private() {
    let place = shared_project();
    let dry = InitRequest { git: GitWish::Private, moving: Moving::DryRun, ..InitRequest::default() };
    let planned = place.memory().init(&place.in_("src/cherry"), &dry).unwrap();
    for notes in [planned.notes, init(&place, true, false).notes, init(&place, false, false).notes] {
        let told: Vec<&brainstem_base::Advice> =
            notes.iter().filter(|note| note.contains("private") || note.contains("out of git")).collect();
        assert_eq!(told.len(), 1, "{notes:?}");
        assert!(told[0].contains("not private yet: git rm -r --cached .brainstem"), "{notes:?}");
    }
    place.git("src/cherry", &["rm", "-q", "-r", "--cached", ".brainstem"]);
    place.git("src/cherry", &["commit", "-q", "-m", "private"]);
    let notes = init(&place, true, false).notes;
    assert!(notes.iter().any(|note| note.to_string().starts_with("private: ")), "{notes:?}");
    assert_eq!(place.committable("src/cherry"), NOTHING);
}

#[test] // spec: MEM-2
fn making_the_index_keeps_a_private_project_out_of_git_too() {
    let place = private_project();
    std::fs::remove_file(place.at("src/cherry/.brainstem/.gitignore")).unwrap();
    let request = brainstem_memory::IndexRequest {
        tier: brainstem_memory::Tier::Both,
        start: IndexStart::Existing,
        pace: IndexPace::Gentle,
    };
    let indexed = place.memory().bring_index_up(&place.in_("src/cherry"), &request, &|| true, &|_, _| ());
    indexed.unwrap();
    assert_eq!(place.committable("src/cherry"), NOTHING);
}

#[test] // spec: MEM-2
fn what_git_cleaned_away_of_a_private_project_comes_back_private() {
    let memorize = |place: &Place| place.tell("src/cherry", "Bonus", "even more");
    let again = |place: &Place| drop(init(place, false, false));
    let setting = |place: &Place| {
        let there = place.in_("src/cherry");
        place.memory().set(there.place(), "agent", "codex:maker", ConfigFile::Repository).unwrap();
    };
    let letter = |place: &Place| {
        let letters = place.memory().home().letter_box(Some(&place.at("src/cherry")));
        letters.file(&[br#"{"class":"bug","what":"x"}"#]).unwrap();
    };
    let acts: [&dyn Fn(&Place); 4] = [&memorize, &again, &setting, &letter];
    for (at, act) in acts.into_iter().enumerate() {
        let place = private_project();
        clean(&place);
        act(&place);
        assert!(place.at("src/cherry/.brainstem").exists(), "{at}");
        assert_eq!(place.committable("src/cherry"), NOTHING, "{at}");
        again(&place);
        memorize(&place);
        assert_eq!(place.committable("src/cherry"), NOTHING, "{at}");
        assert_eq!(place.found("src/cherry"), ["even more", "more than yours"], "{at}");
    }
}

#[test] // spec: MEM-2
fn leaving_private_needs_its_own_word_which_says_what_can_be_committed_then() {
    let place = private_project();
    let plan = InitRequest { git: GitWish::Shared, moving: Moving::DryRun, ..InitRequest::default() };
    let planned = place.memory().init(&place.in_("src/cherry"), &plan).unwrap();
    assert!(planned.notes[0].contains("1 claim (\"Salary\")"), "{:?}", planned.notes);
    assert_eq!(place.committable("src/cherry"), NOTHING);
    let done = init(&place, false, true);
    assert!(done.notes[0].contains("1 claim (\"Salary\")"), "{:?}", done.notes);
    assert!(place.committable("src/cherry").contains(&".brainstem/agent-memory/salary.light.md".to_owned()));
    assert!(!init(&place, false, false).notes.iter().any(|note| note.contains("private")));
    init(&place, true, false);
    assert_eq!(place.committable("src/cherry"), NOTHING, "and back");
}

#[test] // spec: MEM-2
fn a_private_project_of_an_earlier_version_is_recognised_and_recorded_by_the_next_call() {
    let acts: [&dyn Fn(&Place); 2] =
        [&|place| place.memory().count_call(place.in_("src/cherry").place(), None), &|place| {
            place.tell("src/cherry", "Bonus", "even more")
        }];
    for (at, act) in acts.into_iter().enumerate() {
        let place = private_project();
        let folder = place.memory().route(&place.in_("src/cherry")).brain().unwrap().folder.clone();
        std::fs::remove_file(folder.join("sharing.json")).unwrap();
        init(&place, false, false);
        assert_eq!(place.committable("src/cherry"), NOTHING, "{at}");
        std::fs::remove_file(folder.join("sharing.json")).unwrap();
        act(&place);
        clean(&place);
        place.tell("src/cherry", "Bonus", "even more now");
        init(&place, false, false);
        assert_eq!(place.committable("src/cherry"), NOTHING, "{at}");
    }
}

#[test] // spec: MEM-2
fn a_record_of_sharing_that_cannot_be_read_refuses_writes_and_leaves_the_repository_alone() {
    for is_private in [false, true] {
        let place = private_project();
        if !is_private {
            init(&place, false, true);
        }
        let there = place.in_("src/cherry");
        let record = place.memory().route(&there).brain().unwrap().folder.join("sharing.json");
        let said = std::fs::read(&record).unwrap();
        let gitignore = place.at("src/cherry/.brainstem/.gitignore");
        let before = (std::fs::read(&gitignore).unwrap(), place.committable("src/cherry"));
        std::fs::write(&record, "\0\0").unwrap();
        let memory = place.memory();
        assert_eq!(code(memory.tell(&there, "Bonus", "even more")), "store.unreadable", "{is_private}");
        assert_eq!(code(memory.take_back(&there, "Salary")), "store.unreadable");
        for dry_run in [true, false] {
            let request = InitRequest { moving: Moving::of_flag(dry_run), ..InitRequest::default() };
            assert_eq!(code(memory.init(&there, &request)), "store.unreadable", "{dry_run}");
        }
        memory.count_call(there.place(), None);
        assert_eq!(memory.all(&there).rows.len(), 1, "it is read all the same");
        let found = memory.doctor(&there, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
        assert!(found.iter().any(|finding| finding.detail.contains("sharing.json")), "{found:?}");
        assert_eq!((std::fs::read(&gitignore).unwrap(), place.committable("src/cherry")), before);
        assert_eq!(std::fs::read(&record).unwrap(), b"\0\0");

        std::fs::write(&record, said).unwrap();
        place.tell("src/cherry", "Bonus", "even more");
        assert_eq!(place.committable("src/cherry") == NOTHING, is_private);
    }
}

#[test] // spec: MEM-2
fn a_project_that_was_taken_out_of_its_repository_is_private_when_it_comes_back() {
    let place = private_project();
    place.memory().eject(&place.in_("src/cherry"), &Default::default()).unwrap();
    init(&place, false, false);
    assert_eq!(place.committable("src/cherry"), NOTHING);
}

/// Copies the private project and takes away what keeps the copy out of git, before anything is called there.
fn bare_copy(place: &Place) {
    place.copy("src/cherry", "src/copy");
    std::fs::remove_file(place.at("src/copy/.brainstem/.gitignore")).unwrap();
    place.delete("src/copy/.git");
    place.git("src/copy", &["init", "-q"]);
    place.git("src/copy", &["add", "lib"]);
    place.git("src/copy", &["commit", "-q", "-m", "the code"]);
    assert_ne!(place.committable("src/copy"), NOTHING);
}

/// The manifest in a repository as an older program wrote it: it does not say that the project is private.
fn without_word_of_sharing(place: &Place, dir: &str) {
    let path = place.at(&format!("{dir}/.brainstem/brain.json"));
    let mut manifest: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    manifest.as_object_mut().unwrap().remove("sharing");
    std::fs::write(&path, manifest.to_string()).unwrap();
}

#[test] // spec: MEM-2, MEM-43
fn a_copy_of_a_private_project_that_lost_what_keeps_it_out_of_git_is_private() {
    let read = |place: &Place| {
        let there = place.in_("src/copy");
        assert_eq!(place.memory().all(&there).rows.len(), 1);
        place.memory().count_call(there.place(), None);
    };
    let write = |place: &Place| place.tell("src/copy", "Bonus", "even more");
    let again = |place: &Place| {
        place.memory().init(&place.in_("src/copy"), &InitRequest::default()).unwrap();
    };
    let acts: [&dyn Fn(&Place); 3] = [&read, &write, &again];
    for (at, act) in acts.into_iter().enumerate() {
        // Known by the manifest in any home; the home of the original knows it of a manifest without that word as well.
        for (is_old, is_other_home) in [(false, false), (false, true), (true, false)] {
            let told = format!("{at} {is_old} {is_other_home}");
            let place = private_project();
            bare_copy(&place);
            if is_old {
                without_word_of_sharing(&place, "src/copy");
            }
            if is_other_home {
                place.delete("home/.brainstem");
                place.repository("src/plum");
                place.begin("src/plum");
            }
            let troubles = || {
                let found = place.memory().doctor(
                    &place.in_("src/copy"),
                    &DoctorRequest::new(mixed_medulla),
                    &|_, _| (),
                );
                let is_it = |finding: &Finding| finding.trouble == Trouble::PrivateExposed;
                found.unwrap().findings.into_iter().filter(is_it).collect::<Vec<Finding>>()
            };
            let before = troubles();
            assert_eq!(before.len(), 1, "{told}");
            assert!(before[0].fix.to_string().starts_with("brainstem init "), "{}", before[0].fix);
            act(&place);
            assert_eq!(place.committable("src/copy"), NOTHING, "{told}");
            assert!(troubles().is_empty(), "{told}");

            // Only its own word lets it be committed, and that word stays.
            let request = InitRequest { git: GitWish::Shared, ..InitRequest::default() };
            place.memory().init(&place.in_("src/copy"), &request).unwrap();
            place.tell("src/copy", "Office", "on the second floor");
            std::fs::remove_file(place.at("src/copy/.brainstem/.gitignore")).unwrap();
            place.memory().count_call(place.in_("src/copy").place(), None);
            assert_ne!(place.committable("src/copy"), NOTHING, "{told}");
            assert_eq!(place.committable("src/cherry"), NOTHING, "{told}");
        }
    }
}

#[test] // spec: MEM-2
fn a_clone_of_a_shared_project_stays_shared_where_another_clone_became_private() {
    let place = shared_project();
    place.git("src", &["clone", "-q", "cherry", "clone"]);
    place.tell("src/clone", "Office", "on the second floor");
    init(&place, true, false);
    place.tell("src/clone", "Lunch", "at noon");
    let new = ["lunch", "office"].map(|name| format!(".brainstem/agent-memory/{name}.light.md"));
    assert_eq!(place.committable("src/clone"), new);
}

#[test] // spec: MEM-2, MEM-13
fn no_claim_of_a_private_project_lies_in_the_repository_before_git_leaves_it_out() {
    let prepared = two_repositories();
    let memory = service(Arc::new(prepared.clone()), &clock());
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    memory.tell(&caller(MAKER, CHERRY), "Salary", "more than yours").unwrap();
    let request = InitRequest { git: GitWish::Private, ..InitRequest::default() };
    let ask = call(move |memory: &Memory| memory.init(&caller(MAKER, CHERRY), &request));
    crashed(&prepared, &ask, |disk, told| {
        let files = disk.dump();
        let folder = Path::new(CHERRY).join(".brainstem");
        let is_claim =
            |path: &Path| path.starts_with(&folder) && path.to_string_lossy().ends_with(".light.md");
        let ignores = files.get(&folder.join(".gitignore")).is_some_and(|bytes| bytes.ends_with(b"\n*\n"));
        assert!(ignores || !files.keys().any(|path| is_claim(path)), "{told}: {:?}", files.keys());
        // Whoever comes next and says nothing of it leaves it private.
        let memory = service(Arc::new(disk.clone()), &clock());
        memory
            .init(
                &caller(MAKER, CHERRY),
                &InitRequest { git: GitWish::of_flags(ignores, false).unwrap(), ..InitRequest::default() },
            )
            .unwrap();
        if ignores {
            memory.init(&caller(MAKER, CHERRY), &InitRequest::default()).unwrap();
            assert!(disk.dump()[&folder.join(".gitignore")].ends_with(b"\n*\n"), "{told}");
        }
    });
}

/// A clone of a private project, whose next commit brings something that lets git take private memory.
fn colleague(place: &Place, bring: impl Fn(&Path)) {
    place.git("src", &["clone", "-q", "cherry", "clone"]);
    std::fs::create_dir_all(place.at("src/clone/.brainstem")).unwrap();
    bring(&place.at("src/clone/.brainstem"));
    place.git("src/clone", &["add", "-A", "-f"]);
    place.git("src/clone", &["commit", "-q", "-m", "free"]);
    place.git("src/cherry", &["pull", "-q", "../clone", "HEAD"]);
}

/// The codes of what doctor finds about sharing.
fn sharing_findings(memory: &Memory, there: &brainstem_memory::Caller) -> Vec<Trouble> {
    let found = memory.doctor(there, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
    let about = [Trouble::PrivateExposed, Trouble::SharedIgnored];
    found
        .into_iter()
        .map(|finding: Finding| finding.trouble)
        .filter(|trouble| about.contains(trouble))
        .collect()
}

#[test] // spec: MEM-2
fn a_commit_that_lets_git_take_private_memory_is_named_and_nothing_more_is_written_there() {
    type Bring = fn(&Path);
    let brings: [Bring; 4] = [
        |folder| std::fs::write(folder.join(".gitignore"), "# free\n!*\n").unwrap(),
        |folder| std::os::unix::fs::symlink("nowhere", folder.join(".gitignore")).unwrap(),
        |folder| {
            std::fs::create_dir_all(folder.join(".gitignore")).unwrap();
            std::fs::write(folder.join(".gitignore/x"), "").unwrap();
        },
        |folder| {
            std::fs::create_dir_all(folder.join("agent-memory")).unwrap();
            std::fs::write(folder.join("agent-memory/readme"), "less").unwrap();
        },
    ];
    for (at, bring) in brings.into_iter().enumerate() {
        let place = private_project();
        colleague(&place, bring);
        let (memory, there) = (place.memory(), place.in_("src/cherry"));
        let gaps = memory.all(&there).gaps;
        assert!(gaps.iter().any(|gap| gap.name == "private_exposed"), "{at}: {gaps:?}");
        let before = place.committable("src/cherry");
        for label in ["Bonus", "Salary"] {
            let refused = memory.tell(&there, label, "even more");
            assert_eq!(code(refused), "store.private_exposed", "{at}, {label}");
        }
        let set = memory.set(there.place(), "agent", "codex:maker", ConfigFile::Repository);
        assert!(set.is_err(), "{at}");
        assert_eq!(place.committable("src/cherry"), before, "{at}");
        assert_eq!(sharing_findings(&memory, &there), [Trouble::PrivateExposed], "{at}");

        // What the fix names brings every claim home, where git cannot take it.
        memory.eject(&there, &EjectRequest::default()).unwrap();
        assert!(place.found("src/cherry").contains(&"more than yours".to_owned()), "{at}");
        let left = place.committable("src/cherry");
        assert!(!left.iter().any(|path| path.ends_with("bonus.light.md")), "{at}: {left:?}");
        place.tell("src/cherry", "Bonus", "even more");
        assert!(!place.committable("src/cherry").iter().any(|path| path.contains("bonus")), "{at}");
    }
}

#[test] // spec: MEM-2
fn a_private_project_whose_ignore_file_was_changed_by_hand_is_kept_out_again_by_init() {
    let place = private_project();
    place.write("src/cherry/.brainstem/.gitignore", "# mine\n!*\n");
    let there = place.in_("src/cherry");
    assert_eq!(code(place.memory().tell(&there, "Bonus", "even more")), "store.private_exposed");
    let done = init(&place, false, false);
    assert!(done.notes.iter().any(|note| note.contains("stays out of git")), "{:?}", done.notes);
    assert_eq!(place.committable("src/cherry"), NOTHING);
    let kept = std::fs::read_to_string(place.at("src/cherry/.brainstem/.gitignore")).unwrap();
    assert!(kept.starts_with("# mine\n"), "what the person wrote stays: {kept}");
    place.tell("src/cherry", "Bonus", "even more");
    assert_eq!(place.committable("src/cherry"), NOTHING);
}

#[test] // spec: MEM-2
fn a_private_project_leaves_alone_what_a_colleague_shares_in_its_place() {
    let place = private_project();
    place.git("src", &["clone", "-q", "cherry", "ann"]);
    let anns = || {
        let (disk, home) = (Arc::new(RealDisk), place.at("ann-home/.brainstem"));
        service_at(disk, &clock(), &home, Some(&place.at("ann-home")))
    };
    let ann = place.in_("src/ann");
    anns().begin(&ann).unwrap();
    anns().tell(&ann, "Office", "on the second floor").unwrap();
    anns().init(&ann, &InitRequest::default()).unwrap();
    place.commit_all("src/ann");
    place.git("src/cherry", &["pull", "-q", "../ann", "main"]);

    // Whatever the colleague with the private project calls, no file that git tracks changes.
    place.memory().all(&place.in_("src/cherry"));
    let refused = place.memory().tell(&place.in_("src/cherry"), "Bonus", "even more");
    assert_eq!(code(refused), "store.private_exposed");
    place.git("src/cherry", &["diff", "--exit-code"]);

    // Where an earlier version did so, and it was committed, the memory of the other one is shared all the same.
    std::fs::write(place.at("src/ann/.brainstem/.gitignore"), IGNORE_ALL).unwrap();
    place.commit_all("src/ann");
    let fresh = anns();
    assert_eq!(sharing_findings(&fresh, &ann), [Trouble::SharedIgnored]);
    fresh.tell(&ann, "Lunch", "at noon").unwrap();
    fresh.init(&ann, &InitRequest::default()).unwrap();
    assert_eq!(sharing_findings(&fresh, &ann), []);
    assert!(place.committable("src/ann").contains(&".brainstem/agent-memory/lunch.light.md".to_owned()));
}

const IGNORE_ALL: &str = "# Written by `brainstem init --private`; `brainstem eject` removes it.\n*\n";

#[test] // spec: MEM-2
fn what_git_only_remembers_of_a_conflict_is_not_called_tracked() {
    let place = Place::new();
    place.repository("src/cherry");
    let claim = ".brainstem/agent-memory/salary.light.md";
    for (branch, text) in [("left", "l"), ("right", "r")] {
        place.git("src/cherry", &["checkout", "-q", "-B", branch, "main"]);
        place.write(&format!("src/cherry/{claim}"), text);
        place.commit("src/cherry");
    }
    // The conflict is resolved by taking the file away; git's index keeps the sides, to undo that.
    let merge = || place.git("src/cherry", &["merge", "-q", "left"]);
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(merge)).is_err(), "a conflict");
    place.git("src/cherry", &["rm", "-q", claim]);
    place.git("src/cherry", &["commit", "-q", "-m", "away"]);
    let index = std::fs::read(place.at("src/cherry/.git/index")).unwrap();
    assert!(index.windows(4).any(|window| window == b"REUC"), "git remembers the sides");
    place.begin("src/cherry");
    place.tell("src/cherry", "Salary", "more than yours");
    let notes = init(&place, true, false).notes;
    assert!(notes.iter().any(|note| note.to_string().starts_with("private: ")), "{notes:?}");
    assert_eq!(place.committable("src/cherry"), NOTHING);
}

#[test] // spec: MEM-2
fn a_shared_project_becomes_private_by_the_way_that_the_refusal_names() {
    let place = shared_project();
    let there = place.in_("src/cherry");
    place.memory().eject(&there, &EjectRequest::default()).unwrap();
    let private = InitRequest { git: GitWish::Private, ..InitRequest::default() };
    let refused = place.memory().init(&there, &private).unwrap_err();
    let told = refused.to_string();
    assert!(told.contains("cannot be private there yet") && !told.contains("is private"), "{told}");
    let line = format!(
        "git -C {} rm -r -q --cached --ignore-unmatch .brainstem, then git commit",
        place.at("src/cherry").display()
    );
    assert!(refused.fix().unwrap().to_string().starts_with(&line), "{refused:?}");
    place.git("src/cherry", &["rm", "-r", "-q", "--cached", "--ignore-unmatch", ".brainstem"]);
    place.git("src/cherry", &["commit", "-q", "-m", "away"]);
    init(&place, true, false);
    assert_eq!(place.committable("src/cherry"), NOTHING);
    assert_eq!(place.found("src/cherry"), ["more than yours"]);
}
