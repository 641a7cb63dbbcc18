//! A folder that is recognised as the same project keeps its memory: moved, restored, copied or cloned again.

use super::{BOTH, Kept, OURS, apart, other_project, project, same};
use crate::place::Place;
use brainstem_memory::{BootstrapRequest, RootWish};

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
