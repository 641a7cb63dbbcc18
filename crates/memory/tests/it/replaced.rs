//! A folder that is made at the path of a project: the same project keeps its memory by itself, another one sees
//! nothing of it.

use crate::place::Place;
use crate::world::{MAKER, PERSON, Short as _, caller, code, doctrine};
use brainstem_base::Coded as _;
use brainstem_memory::{
    BootstrapRequest, BrainScope, BrainWish, Caller, DelegateRequest, DoctorRequest, Gap, HandshakeRequest,
    InitRequest, Memory, PromotionsRequest, RootWish, Tier,
};
use brainstem_transfer::{ExportRequest, ExportScope, Format, ImportRequest, Transfer, mixed_medulla};
use std::path::Path;

/// A word of the old project, in every one of its claims.
const SECRET: &str = "merger";
const OURS: &str = "the merger is planned for june";

/// Where a project keeps its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    Home,
    Repository,
}

const BOTH: [Kept; 2] = [Kept::Home, Kept::Repository];

/// A project with a commit, a brain and a claim about the merger.
fn project(place: &Place, dir: &str, kept: Kept) {
    place.repository(dir);
    place.begin(dir);
    if kept == Kept::Repository {
        place.init(dir);
    }
    place.tell(dir, "Merger", OURS);
    place.commit_all(dir);
}

/// Another project, which has never heard of the first.
fn other_project(place: &Place, dir: &str) {
    std::fs::create_dir_all(place.at(dir)).unwrap();
    place.git(dir, &["init", "-q", "-b", "main"]);
    place.write(&format!("{dir}/notes"), "of another client");
    place.write(&format!("{dir}/lib/other"), "of another client");
    place.git(dir, &["add", "-A"]);
    place.git(dir, &["commit", "-q", "-m", "of another project"]);
}

/// Everything that a caller there can be told, in one text.
fn told(memory: &Memory, there: &Caller) -> String {
    let mut told = vec![
        format!("{:?}", memory.all(there)),
        format!("{:?}", memory.find(there, "merger june planned", Tier::Both)),
        format!("{:?}", memory.beat(there, "the merger")),
        format!("{:?}", memory.beat(there, "")),
        format!("{:?}", memory.status(there).unwrap()),
        format!("{:?}", memory.look_at(there, "Merger", Tier::Both).map_err(|error| error.to_string())),
        format!("{:?}", memory.boot_list(there, None, Tier::Both).unwrap()),
        format!("{:?}", memory.delegations(there).map_err(|error| error.to_string())),
        format!(
            "{:?}",
            memory
                .promotions(there, &PromotionsRequest { limit: 50, brains: BrainScope::Own })
                .map_err(|error| error.to_string())
        ),
    ];
    let seek = brainstem_memory::SeekRequest {
        query: "merger".into(),
        tier: Tier::Project,
        scope: None,
        limit: 20,
        filter: Default::default(),
        by: Default::default(),
    };
    told.push(format!("{:?}", memory.seek(there, &seek).map_err(|error| error.to_string())));
    let packet = DelegateRequest { task: "the merger".into(), budget_tokens: 1_200, ..Default::default() };
    told.push(format!(
        "{:?}",
        memory.delegate(there, &packet, &|packet| packet).map_err(|error| error.to_string())
    ));
    let export = ExportRequest { scope: ExportScope::Project, format: Format::JsonLines, out: None };
    told.push(format!(
        "{:?}",
        Transfer::new(memory).export(there, &export, &|_, _| ()).map_err(|error| error.to_string())
    ));
    told.join("\n")
}

/// What is said where nothing of the memory before may be served.
fn apart(place: &Place, dir: &str, origin: &str) {
    let (memory, there) = (place.memory(), place.in_(dir));
    assert_eq!(place.lands(dir), format!("{dir}*"));
    let told = told(&memory, &there);
    assert!(!told.to_lowercase().contains(&format!("{SECRET} is")), "{told}");
    assert!(!told.contains("\"Merger\""), "no label either: {told}");
    for gaps in [
        memory.all(&there).gaps,
        memory.find(&there, "merger", Tier::Both).gaps,
        memory.beat(&there, "merger").gaps,
        memory.status(&there).unwrap().replaced_gap.into_iter().collect(),
        memory.boot_list(&there, None, Tier::Both).unwrap().gaps,
        memory.promotions(&there, &PromotionsRequest { limit: 50, brains: BrainScope::Own }).unwrap().gaps,
    ] {
        assert_eq!(gaps.iter().filter(|gap| gap.name == "root_replaced").count(), 1, "{gaps:?}");
        let gap = gaps.iter().find(|gap| gap.name == "root_replaced").unwrap_or_else(|| panic!("{gaps:?}"));
        assert!(gap.detail.contains(&format!("{origin}, 1 claim")), "{}", gap.detail);
        assert!(gap.detail.contains(&format!("--take-up {origin}")), "{}", gap.detail);
        assert!(!gaps.iter().any(|gap| gap.name == "empty"), "{gaps:?}");
    }
    let refused = memory.tell(&there, "New", "text").unwrap_err();
    assert_eq!(refused.code().name(), "memory.root_replaced");
    let fix = refused.fix().unwrap();
    assert!(fix.contains("--take-up") && fix.contains("brainstem bootstrap"), "{fix}");
    assert_eq!(code(memory.look_at(&there, "Merger", Tier::Both)), "memory.root_replaced");
    assert_eq!(code(memory.init(&there, &InitRequest::default())), "memory.root_replaced");
    assert!(!place.at(dir).join(".brainstem").exists(), "nothing was made");
    let reception = memory.beat(&there, "merger").reception.unwrap();
    assert!(reception.options.iter().any(|choice| choice.call.contains("--take-up")), "{reception:?}");
    let found = memory.doctor(&there, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
    let finding = found.iter().find(|finding| finding.trouble.name() == "root_replaced");
    assert!(finding.is_some_and(|finding| finding.fix.contains("--take-up")), "{found:?}");
    let brains = memory.brains(&there).unwrap().brains;
    let row = brains.iter().find(|row| row.brain.origin() == origin).unwrap();
    assert_eq!((row.replaced, row.here, row.claims), (true, false, Some(1)));
}

/// The same project: nothing is asked, and nothing is missing.
fn same(place: &Place, dir: &str, id: &str) {
    assert_eq!(place.lands(dir), dir);
    assert_eq!((place.id(dir), place.found(dir)), (id.to_owned(), vec![OURS.to_owned()]));
    place.tell(dir, "Merger", "it is said and done");
    assert_eq!((place.id(dir), place.found(dir)), (id.to_owned(), vec!["it is said and done".to_owned()]));
    let found =
        place.memory().doctor(&place.in_(dir), &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap();
    assert_eq!(
        found.findings.iter().filter(|finding| finding.trouble.name().starts_with("root_")).count(),
        0
    );
}

#[test] // spec: MEM-1, MEM-21
fn a_new_repository_where_one_was_deleted_sees_nothing_of_it_and_nothing_is_lost() {
    for kept in BOTH {
        let place = Place::new();
        project(&place, "src/cherry", kept);
        let (id, origin) = (place.id("src/cherry"), place.origin("src/cherry"));
        place.delete("src/cherry");
        other_project(&place, "src/cherry");
        apart(&place, "src/cherry", &origin);
        // All of it is there for who asks for all brains.
        let all = place.memory().find(&place.in_("src/cherry"), "merger", Tier::AllBrains);
        let groups: Vec<_> = all.groups.unwrap().into_iter().map(|group| group.origin_brain).collect();
        match kept {
            Kept::Home => assert_eq!(groups, [origin.as_str()]),
            // The copies are named, and no claim is live.
            Kept::Repository => {
                assert!(all.gaps.iter().any(|gap| gap.name == "absent_here"), "{:?}", all.gaps)
            }
        }

        // It gets a brain of its own, and the other one stays apart.
        let made = place.memory().begin(&place.in_("src/cherry")).unwrap();
        assert!(!made.existed && made.notes[0].contains(&origin), "{:?}", made.notes);
        assert_ne!(made.brain.manifest.id.to_string(), id);
        assert_eq!(place.found("src/cherry"), [] as [String; 0]);
        place.tell("src/cherry", "New", "of the new one");
        assert_eq!(place.found("src/cherry"), ["of the new one"]);
        if kept == Kept::Repository {
            let done = place.memory().init(&place.in_("src/cherry"), &InitRequest::default()).unwrap();
            assert_eq!(done.restored, [] as [String; 0], "nothing of the old one comes back");
            assert_eq!(place.found("src/cherry"), ["of the new one"]);
        }
        let brains = place.memory().brains(&place.in_("src/cherry")).unwrap().brains;
        let mut rows: Vec<_> = brains.iter().map(|row| (row.here, row.replaced, row.claims)).collect();
        rows.sort();
        assert_eq!(rows, [(false, true, Some(1)), (true, false, Some(1))]);
    }
}

#[test] // spec: MEM-1, MEM-21
fn a_project_that_moved_to_another_folder_keeps_its_memory_whoever_calls_first() {
    for kept in BOTH {
        for first in ["archive/cherry", "src/cherry"] {
            let place = Place::new();
            std::fs::create_dir(place.at("archive")).unwrap();
            project(&place, "src/cherry", kept);
            let (id, origin) = (place.id("src/cherry"), place.origin("src/cherry"));
            place.move_to("src/cherry", "archive/cherry");
            other_project(&place, "src/cherry");
            if first == "src/cherry" {
                apart(&place, "src/cherry", &origin);
            }
            assert_eq!(
                (place.id("archive/cherry"), place.found("archive/cherry")),
                (id.clone(), vec![OURS.into()])
            );
            place.memory().count_call(place.in_("archive/cherry").place(), None);
            assert_eq!(place.found("src/cherry"), [] as [String; 0], "{kept:?} {first}");
            place.begin("src/cherry");
            place.tell("src/cherry", "New", "of the new one");
            assert_eq!(place.found("src/cherry"), ["of the new one"], "{kept:?} {first}");
            assert_eq!(place.found("archive/cherry"), [OURS], "{kept:?} {first}");
            assert_eq!(place.id("archive/cherry"), id);
        }
    }
}

#[test] // spec: MEM-1
fn a_project_that_moved_is_found_after_the_new_one_has_a_brain_of_its_own() {
    let place = Place::new();
    std::fs::create_dir(place.at("archive")).unwrap();
    project(&place, "src/cherry", Kept::Home);
    let id = place.id("src/cherry");
    place.move_to("src/cherry", "archive/cherry");
    other_project(&place, "src/cherry");
    place.begin("src/cherry");
    place.tell("src/cherry", "New", "of the new one");
    same(&place, "archive/cherry", &id);
}

#[test] // spec: MEM-1
fn a_restored_backup_keeps_its_memory() {
    for kept in BOTH {
        let place = Place::new();
        project(&place, "src/cherry", kept);
        let id = place.id("src/cherry");
        place.copy("src/cherry", "backup");
        place.delete("src/cherry");
        place.copy("backup", "src/cherry");
        same(&place, "src/cherry", &id);
    }
}

#[test] // spec: MEM-1
fn a_restored_backup_without_git_and_a_repository_without_commits_keep_their_memory() {
    for has_git in [false, true] {
        let place = Place::new();
        std::fs::create_dir(place.at("src/notes")).unwrap();
        if has_git {
            place.git("src/notes", &["init", "-q", "-b", "main"]);
        }
        for name in ["monday", "tuesday", "more/wednesday"] {
            place.write(&format!("src/notes/{name}"), name);
        }
        place.begin("src/notes");
        place.tell("src/notes", "Merger", OURS);
        let id = place.id("src/notes");
        place.copy("src/notes", "backup");
        place.delete("src/notes");
        place.copy("backup", "src/notes");
        same(&place, "src/notes", &id);

        // Other notes with the same names and sizes are other notes.
        place.delete("src/notes");
        std::fs::create_dir(place.at("src/notes")).unwrap();
        for name in ["monday", "tuesday", "more/wednesday"] {
            place.write(&format!("src/notes/{name}"), &name.to_uppercase());
        }
        assert_eq!(place.lands("src/notes"), "src/notes*");
        assert_eq!(place.found("src/notes"), [] as [String; 0]);
    }
}

#[test] // spec: MEM-1
fn a_home_and_its_repositories_copied_to_another_machine_work_at_the_same_paths() {
    for kept in BOTH {
        let place = Place::new();
        project(&place, "src/cherry", kept);
        std::fs::create_dir(place.at("src/notes")).unwrap();
        for name in ["monday", "tuesday"] {
            place.write(&format!("src/notes/{name}"), name);
        }
        place.begin("src/notes");
        place.tell("src/notes", "Merger", OURS);
        let (id, notes) = (place.id("src/cherry"), place.id("src/notes"));
        for dir in ["src", "home"] {
            place.copy(dir, &format!("{dir}-copy"));
            place.delete(dir);
            place.move_to(&format!("{dir}-copy"), dir);
        }
        same(&place, "src/cherry", &id);
        same(&place, "src/notes", &notes);
    }
}

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

#[test] // spec: MEM-1, MEM-2
fn a_repository_that_is_cloned_again_keeps_its_memory() {
    for kept in BOTH {
        let place = Place::new();
        project(&place, "src/cherry", kept);
        let id = place.id("src/cherry");
        place.git("src", &["clone", "-q", "--bare", "cherry", "../origin.git"]);
        place.delete("src/cherry");
        place.git("src", &["clone", "-q", "../origin.git", "cherry"]);
        same(&place, "src/cherry", &id);
    }
}

#[test] // spec: MEM-1
fn a_clone_without_its_past_keeps_the_memory_of_its_project() {
    let place = Place::new();
    place.repository("src/work");
    place.git("src", &["clone", "-q", "--bare", "work", "../origin.git"]);
    let url = format!("file://{}", place.at("origin.git").display());
    let clone = || place.git("src", &["clone", "-q", "--depth", "1", &url, "cherry"]);
    clone();
    place.begin("src/cherry");
    place.tell("src/cherry", "Merger", OURS);
    let id = place.id("src/cherry");
    // The project went on, so that the next clone has none of the commits of this one.
    place.write("src/work/more", "more");
    place.commit("src/work");
    place.git("src/work", &["push", "-q", &url, "main"]);
    place.delete("src/cherry");
    clone();
    same(&place, "src/cherry", &id);

    // Another repository that was cloned in the same way is another project.
    let origin = place.origin("src/cherry");
    other_project(&place, "src/strange");
    place.git("src", &["clone", "-q", "--bare", "strange", "../strange.git"]);
    place.delete("src/cherry");
    let strange = format!("file://{}", place.at("strange.git").display());
    place.git("src", &["clone", "-q", "--depth", "1", &strange, "cherry"]);
    apart(&place, "src/cherry", &origin);
}

#[test] // spec: MEM-1, MEM-21
fn another_project_that_began_with_the_same_commit_is_another_project() {
    let place = Place::new();
    place.repository("src/template");
    place.git("src", &["clone", "-q", "template", "cherry"]);
    place.begin("src/cherry");
    place.write("src/cherry/work", "for the first client");
    place.commit("src/cherry");
    place.tell("src/cherry", "Merger", OURS);
    place.memory().count_call(place.in_("src/cherry").place(), None);
    let origin = place.origin("src/cherry");
    place.delete("src/cherry");
    place.git("src", &["clone", "-q", "template", "cherry"]);
    apart(&place, "src/cherry", &origin);
}

#[test] // spec: MEM-1
fn a_folder_inside_a_repository_keeps_its_brain_when_a_checkout_makes_it_anew() {
    let place = Place::new();
    place.repository("src/cherry");
    place.git("src/cherry", &["branch", "without"]);
    place.write("src/cherry/pkg/a/readme", "a package");
    place.commit("src/cherry");
    let request =
        BootstrapRequest { path: Some("pkg/a".into()), root: RootWish::ExactFolder, ..Default::default() };
    place.memory().bootstrap(&place.in_("src/cherry"), &request).unwrap();
    place.tell("src/cherry/pkg/a", "Merger", OURS);
    let id = place.id("src/cherry/pkg/a");
    place.git("src/cherry", &["checkout", "-q", "without"]);
    assert!(!place.at("src/cherry/pkg").exists());
    place.git("src/cherry", &["checkout", "-q", "main"]);
    same(&place, "src/cherry/pkg/a", &id);
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

/// Makes the record of the only brain say that it was made of the folder that is at a path now, on this device or on
/// another: as on two volumes that were made from one image.
fn record_as(place: &Place, dir: &str, on_device: bool) {
    use brainstem_base::Disk as _;
    let folders = std::fs::read_dir(place.at("home/.brainstem/project-brains")).unwrap();
    let folder = folders.map(|entry| entry.unwrap().path()).next().unwrap();
    let path = folder.join("root.json");
    let mut record: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let stat = brainstem_base::disk::RealDisk.stat(&place.at(dir)).unwrap();
    let identity = stat.identity.expect("the file system tells births");
    record["inode"] = identity.inode.into();
    record["born_ns"] = identity.born_ns.to_string().into();
    record["device"] = (identity.device + u64::from(!on_device)).into();
    std::fs::write(&path, record.to_string()).unwrap();
}

#[test] // spec: MEM-1, MEM-1a, MEM-21
fn a_folder_with_the_number_and_birth_of_a_project_sees_nothing_where_something_speaks_against_it() {
    for (has_git, on_device, is_moved) in
        [(false, true, true), (false, false, false), (true, true, false), (true, false, false)]
    {
        let place = Place::new();
        match has_git {
            true => project(&place, "src/secret", Kept::Home),
            false => {
                std::fs::create_dir(place.at("src/secret")).unwrap();
                place.begin("src/secret");
                place.tell("src/secret", "Merger", OURS);
            }
        }
        let (id, origin) = (place.id("src/secret"), place.origin("src/secret"));
        place.delete("src/secret");
        match has_git {
            true => other_project(&place, "src/public"),
            false => std::fs::create_dir(place.at("src/public")).unwrap(),
        }
        record_as(&place, "src/public", on_device);
        if is_moved {
            same(&place, "src/public", &id);
            continue;
        }
        let (memory, there) = (place.memory(), place.in_("src/public"));
        assert_eq!(place.lands("src/public"), "src/public*", "{has_git} {on_device}");
        assert_eq!(place.found("src/public"), [] as [String; 0]);
        let refused = memory.tell(&there, "New", "text").unwrap_err();
        assert_eq!(refused.code().name(), "memory.root_replaced");
        assert!(refused.to_string().contains("src/secret"), "{refused}");
        assert!(refused.fix().unwrap().contains(&format!("--take-up {origin}")), "{refused:?}");

        // Both ways on lead there.
        if on_device {
            let made = memory.begin(&there).unwrap();
            assert!(!made.existed && made.notes[0].contains(&origin), "{:?}", made.notes);
            place.tell("src/public", "New", "of the new one");
            assert_eq!(place.found("src/public"), ["of the new one"]);
        } else {
            let request = BootstrapRequest { brain: BrainWish::TakeUp(origin), ..Default::default() };
            memory.bootstrap(&there, &request).unwrap();
            same(&place, "src/public", &id);
        }
    }
}

#[test] // spec: MEM-1, MEM-21
fn a_device_that_is_numbered_anew_keeps_the_memory_and_another_volume_at_the_path_does_not() {
    let place = Place::new();
    project(&place, "src/cherry", Kept::Home);
    let (id, origin) = (place.id("src/cherry"), place.origin("src/cherry"));
    record_as(&place, "src/cherry", false);
    same(&place, "src/cherry", &id);
    place.tell("src/cherry", "Merger", OURS);
    place.move_to("src/cherry", "src/morello");
    record_as(&place, "src/morello", false);
    assert_eq!((place.id("src/morello"), place.found("src/morello")), (id, vec![OURS.to_owned()]));
    place.move_to("src/morello", "src/cherry");
    assert_eq!(place.found("src/cherry"), [OURS]);

    place.memory().count_call(place.in_("src/cherry").place(), None);
    place.delete("src/cherry");
    other_project(&place, "src/cherry");
    for on_device in [false, true] {
        record_as(&place, "src/cherry", on_device);
        apart(&place, "src/cherry", &origin);
    }
}

#[test] // spec: MEM-1a, MEM-21
fn another_project_from_the_same_template_sees_nothing_of_the_one_before_it() {
    let place = Place::new();
    place.repository("src/template");
    let begin = |url: &str| {
        place.git("src", &["clone", "-q", "template", "app"]);
        place.git("src/app", &["remote", "set-url", "origin", url]);
    };
    begin("https://example.org/acme/app.git");
    place.begin("src/app");
    place.tell("src/app", "Merger", OURS);
    let (id, origin) = (place.id("src/app"), place.origin("src/app"));
    place.delete("src/app");
    begin("https://example.org/rival/app.git");
    apart(&place, "src/app", &origin);

    place.delete("src/app");
    begin("git@example.org:acme/app.git");
    same(&place, "src/app", &id);
    place.tell("src/app", "Merger", OURS);

    // A fork that goes on with the same memory says so.
    place.delete("src/app");
    begin("https://example.org/fork/app.git");
    apart(&place, "src/app", &origin);
    let request = BootstrapRequest { brain: BrainWish::TakeUp(origin), ..Default::default() };
    place.memory().bootstrap(&place.in_("src/app"), &request).unwrap();
    same(&place, "src/app", &id);
}

#[test] // spec: MEM-1a, MEM-2, MEM-21
fn a_repository_of_another_origin_that_carries_the_brains_id_gets_what_is_committed_in_it_alone() {
    let place = Place::new();
    place.repository("src/template");
    place.begin("src/template");
    place.init("src/template");
    place.tell("src/template", "Style", "four spaces");
    place.commit_all("src/template");
    let begin = |from: &str, url: &str| {
        place.git("src", &["clone", "-q", from, "app"]);
        place.git("src/app", &["remote", "set-url", "origin", url]);
    };
    begin("template", "https://example.org/acme/app.git");
    place.tell("src/app", "Merger", OURS);
    assert_eq!(place.found("src/app"), ["four spaces", OURS]);
    place.delete("src/app");

    begin("template", "https://example.org/rival/app.git");
    let (memory, there) = (place.memory(), place.in_("src/app"));
    let text = told(&memory, &there);
    assert!(!text.to_lowercase().contains(&format!("{SECRET} is")) && !text.contains("\"Merger\""), "{text}");
    place.init("src/app");
    assert_eq!(place.found("src/app"), ["four spaces"], "no copy came back");
    place.tell("src/app", "Rival", "of the rival");
    let rows = memory.brains(&there).unwrap().brains;
    let kept: Vec<_> = rows.iter().filter(|row| row.replaced).map(|row| row.claims).collect();
    assert_eq!(kept, [Some(1)], "what came with the clone is in no copy: {rows:?}");

    // The first project finds its own again, and goes on in a mirror that has its commits.
    place.delete("src/app");
    begin("template", "git@example.org:acme/app.git");
    place.init("src/app");
    assert_eq!(place.found("src/app"), ["four spaces", OURS]);
    place.commit_all("src/app");
    place.memory().count_call(place.in_("src/app").place(), None);
    place.git("src", &["clone", "-q", "--bare", "app", "../mirror.git"]);
    place.tell("src/app", "Later", "not committed yet");
    place.delete("src/app");
    begin("../mirror.git", "https://example.org/mirror/app.git");
    place.init("src/app");
    assert_eq!(place.found("src/app"), ["four spaces", "not committed yet", OURS]);
}

#[test] // spec: MEM-1, MEM-21
fn letters_mail_news_and_migrations_take_nothing_of_the_new_folder_for_the_old_project() {
    let place = Place::new();
    project(&place, "src/cherry", Kept::Repository);
    place.delete("src/cherry");
    other_project(&place, "src/cherry");
    // Files that look like the memory of the old project, and are of the new one.
    place.write(
        "src/cherry/.brainstem/agent-memory/new.light.md",
        "---\nProtocol: L1GHT/1.0\nNode: New\n---\n# New\n",
    );
    let memory = place.memory();
    let roster = memory.home().roster().unwrap();
    assert_eq!((roster.brains.len(), roster.displaced.len(), roster.broken.len()), (0, 1, 0));
    let store = memory.home().displaced_store(&roster.displaced[0]);
    for path in [&store.paths().claims, &store.paths().acts, &store.paths().history] {
        assert!(path.starts_with(place.at("home/.brainstem")), "{}", path.display());
    }
    assert_eq!(memory.instances().brains.len(), 1);
    assert!(memory.instances().brains[0].1.replaced);
    let person = caller(PERSON, place.at("src/cherry"));
    memory.memorize(&person, &doctrine("Merger", "of the medulla")).unwrap();
    let moved = Transfer::new(&memory).migrate_plan(&Default::default()).unwrap();
    assert!(moved.rows.iter().all(|row| row.to.is_none()) && moved.ghosts.is_empty(), "{moved:?}");
}

#[test] // spec: MEM-1, MEM-47
fn an_import_says_that_a_brain_is_kept_whose_folder_was_replaced() {
    let place = Place::new();
    project(&place, "src/cherry", Kept::Repository);
    project(&place, "src/plum", Kept::Home);
    place.delete("src/cherry");
    other_project(&place, "src/cherry");
    let (memory, plum) = (place.memory(), place.in_("src/plum"));
    let out = Some(place.at("all.jsonl"));
    let request = ExportRequest { scope: ExportScope::All, format: Format::JsonLines, out };
    Transfer::new(&memory).export(&plum, &request, &|_, _| ()).unwrap();
    let path = place.at("all.jsonl");
    let request = ImportRequest { path, from: None, tier: None, sort: false, dry_run: false };
    let done = Transfer::new(&memory).import(&plum, &request, &|_, _| true).unwrap();
    let gaps: Vec<&str> = done.gaps.iter().map(|gap| gap.name).collect();
    assert_eq!((gaps, done.born), (vec!["root_replaced"], 0), "{done:?}");
    let detail = &done.gaps[0].detail;
    assert!(detail.contains("is kept in this home") && detail.contains("--take-up"), "{detail}");
}

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
    let refused = memory.set_aside(&person, "plum", "").map(drop);
    assert_eq!(code(refused), "memory.unknown_brain", "a name alone may be many");
    let refused = memory.set_aside(&person, &place.origin("src/plum"), "").unwrap_err();
    assert!(refused.fix().unwrap().contains("brainstem eject"), "{refused:?}");
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
