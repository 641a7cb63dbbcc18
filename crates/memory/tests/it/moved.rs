//! Projects that are moved in the ways people move them: copied and deleted, put at the path of another one, or with a link
//! left behind.

use crate::place::Place;
use crate::world::{PERSON, Short as _, caller};
use brainstem_base::Coded as _;
use brainstem_memory::{BootstrapRequest, BrainWish, RootWish, Tier};

/// A repository with a commit after its first, whose claim `Port` was written over once and stays uncommitted.
fn project(place: &Place, dir: &str, is_in_repository: bool) {
    place.repository(dir);
    place.begin(dir);
    if is_in_repository {
        place.init(dir);
    }
    place.commit_all(dir);
    // The commit is remembered.
    place.memory().count_call(place.in_(dir).place(), None);
    place.tell(dir, "Port", &format!("the first of {dir}"));
    place.tell(dir, "Port", &format!("the second of {dir}"));
    place.memory().boot_set(&caller(PERSON, place.at(dir)), "port", dir, None).unwrap();
}

/// What a reader there sees: the live text, the texts before it, the value of the boot key, and the text that is missing
/// from the checkout.
fn seen(place: &Place, dir: &str) -> Vec<String> {
    let (memory, there) = (place.memory(), place.in_(dir));
    let mut seen: Vec<String> = memory.all(&there).rows.into_iter().map(|row| row.text).collect();
    if let Ok(shown) = memory.look_at(&there, "Port", Tier::Project) {
        seen.extend(shown.history.into_iter().map(|version| version.text));
    }
    seen.extend(memory.boot_list(&there, None, Tier::Project).unwrap().rows.into_iter().map(|row| row.value));
    seen
}

fn all_of(dir: &str) -> Vec<String> {
    vec![format!("the second of {dir}"), format!("the first of {dir}"), dir.to_owned()]
}

#[test] // spec: MEM-1, MEM-1b, MEM-2
fn what_a_deleted_folder_of_a_repository_kept_is_named_and_taken_up_by_a_word() {
    let place = Place::new();
    project(&place, "src/cherry", true);
    let folder = place.memory().route(&place.in_("src/cherry")).brain().unwrap().fingerprint.clone();
    place.copy("src/cherry", "src/plum");
    place.delete("src/cherry");
    let (memory, there) = (place.memory(), place.in_("src/plum"));
    // A folder that only moved, or whose disk is away, may be the one: nothing is taken from it unasked.
    assert_eq!(seen(&place, "src/plum"), ["the second of src/cherry"]);
    let status = memory.status(&there).unwrap();
    let gap = status.project_gaps.iter().find(|gap| gap.name == "root_gone").unwrap();
    let call = format!("brainstem bootstrap {} --take-up {folder}", place.at("src/plum").display());
    assert!(gap.detail.contains(&call), "{gap:?}");
    let request = BootstrapRequest { brain: BrainWish::TakeUp(folder), ..Default::default() };
    assert!(memory.bootstrap(&there, &request).unwrap().taken_up);
    assert_eq!(seen(&place, "src/plum"), all_of("src/cherry"));
    assert!(memory.status(&there).unwrap().project_gaps.iter().all(|gap| gap.name != "root_gone"));
    // By the name of the brain it is as it is.
    let request =
        BootstrapRequest { brain: BrainWish::TakeUp(place.origin("src/plum")), ..Default::default() };
    assert!(!memory.bootstrap(&there, &request).unwrap().taken_up);
}

#[test] // spec: MEM-1, MEM-1b
fn what_a_deleted_clone_kept_is_not_mixed_with_what_was_written_here() {
    let place = Place::new();
    project(&place, "src/cherry", true);
    std::fs::create_dir(place.at("other")).unwrap();
    place.copy("src/cherry", "other/plum");
    place.delete("src");
    // A claim that is born here is in no history.
    place.tell("other/plum", "Plum", "of the plum");
    let request =
        BootstrapRequest { brain: BrainWish::TakeUp(place.origin("other/plum")), ..Default::default() };
    let refused = place.memory().bootstrap(&place.in_("other/plum"), &request).unwrap_err();
    let fix = refused.fix().unwrap().to_string();
    assert!(
        fix.contains("brainstem export") && fix.contains("--root") && fix.contains("brainstem import"),
        "{fix}"
    );
}

#[test] // spec: MEM-1, MEM-21
fn a_project_that_is_moved_to_the_path_of_a_deleted_one_keeps_its_own_memory() {
    for is_in_repository in [false, true] {
        let place = Place::new();
        project(&place, "src/first", is_in_repository);
        place.git("src", &["clone", "-q", "first", "second"]);
        place.git("src/second", &["remote", "remove", "origin"]);
        if !is_in_repository {
            place.begin("src/second");
        }
        place.tell("src/second", "Port", "only of the second");
        place.memory().count_call(place.in_("src/second").place(), None);
        place.delete("src/first");
        place.move_to("src/second", "src/first");
        assert_eq!(seen(&place, "src/first"), ["only of the second"], "{is_in_repository}");
        place.tell("src/first", "Port", "still of the second");
        assert_eq!(
            seen(&place, "src/first"),
            ["still of the second", "only of the second"],
            "{is_in_repository}"
        );
    }
}

#[test] // spec: MEM-1, MEM-23
fn a_project_that_left_a_link_behind_keeps_its_memory() {
    for is_in_repository in [false, true] {
        // Moved on its disk or copied to another one, alone or with the folder above it.
        for (is_copied, moved) in [(false, "src/cherry"), (true, "src/cherry"), (false, "src"), (true, "src")]
        {
            let place = Place::new();
            project(&place, "src/cherry", is_in_repository);
            std::fs::create_dir(place.at("big")).unwrap();
            let to = format!("big/{}", moved.rsplit('/').next().unwrap());
            match is_copied {
                true => {
                    place.copy(moved, &to);
                    place.delete(moved);
                }
                false => place.move_to(moved, &to),
            }
            std::os::unix::fs::symlink(place.at(&to), place.at(moved)).unwrap();
            let real = place.at("src/cherry").canonicalize().unwrap();
            let dir = real.strip_prefix(place.at("")).unwrap().to_str().unwrap();
            let case = format!("{is_in_repository}, {is_copied}, {moved}");
            for dir in [dir, "src/cherry"] {
                assert_eq!(seen(&place, dir), all_of("src/cherry"), "{case}, {dir}");
            }
            place.tell(dir, "Port", "the third");
            assert_eq!(seen(&place, dir)[1..], all_of("src/cherry"), "{case}");
        }
    }
}

#[test] // spec: MEM-1, MEM-17
fn a_folder_with_a_brain_of_its_own_keeps_it_when_its_repository_or_itself_moves() {
    for (from, to, package) in
        [("src/mono", "src/other", "src/other/pkg"), ("src/mono/pkg", "src/mono/lib2", "src/mono/lib2")]
    {
        for first in [package, to] {
            let place = Place::new();
            project(&place, "src/mono", false);
            place.write("src/mono/pkg/one", "1");
            place.commit_all("src/mono");
            let request = BootstrapRequest { root: RootWish::ExactFolder, ..Default::default() };
            place.memory().bootstrap(&place.in_("src/mono/pkg"), &request).unwrap();
            place.tell("src/mono/pkg", "Payroll", "of the package");
            place.move_to(from, to);
            let _ = seen(&place, first);
            assert_eq!(seen(&place, package), ["of the package"], "{from}, {first}");
            place.tell(package, "Payroll", "still of the package");
            assert_eq!(place.found(package), ["still of the package"], "{from}, {first}");
        }
    }
}

#[test] // spec: MEM-1
fn of_two_projects_with_one_history_that_are_gone_each_is_named_and_none_is_advised_alone() {
    let place = Place::new();
    place.repository("tpl");
    std::fs::create_dir_all(place.at("old")).unwrap();
    for dir in ["old/web", "old/api"] {
        place.copy("tpl", dir);
        place.begin(dir);
        place.tell(dir, "Secret", &format!("only about {dir}"));
    }
    std::fs::create_dir_all(place.at("new")).unwrap();
    for name in ["web", "api"] {
        place.git("new", &["clone", "-q", &place.at(&format!("old/{name}")).display().to_string(), name]);
    }
    let origins = ["old/web", "old/api"].map(|dir| place.origin(dir));
    place.delete("old");
    let (memory, there) = (place.memory(), place.in_("new/web"));
    let refused = memory.bootstrap(&there, &BootstrapRequest::default()).unwrap_err();
    let fix = refused.fix().unwrap();
    let taken: Vec<String> = fix.calls().map(ToString::to_string).collect();
    let call = |origin: &str| format!("--take-up {origin}");
    assert!(taken[0].ends_with(&call(&origins[0])), "the one of the same name is first: {taken:?}");
    assert!(taken[1].ends_with(&call(&origins[1])), "{taken:?}");
    let beat = memory.beat(&there, "anything");
    let moves: Vec<String> = beat.next_moves.iter().map(ToString::to_string).collect();
    assert!(
        origins.iter().all(|origin| moves.iter().any(|advised| advised.contains(&call(origin)))),
        "{moves:?}"
    );
}
