//! What git's rules do to memory: shared memory that they leave out is named, and a private worktree keeps its own rule.

use crate::place::Place;
use brainstem_memory::{DoctorRequest, GitWish, InitRequest, Trouble};
use brainstem_transfer::mixed_medulla;

const ROOT: &str = "src/cherry";

fn findings(place: &Place, dir: &str) -> Vec<Trouble> {
    let request = DoctorRequest::new(mixed_medulla);
    let found = place.memory().doctor(&place.in_(dir), &request, &|_, _| ()).unwrap().findings;
    let about = [Trouble::PrivateExposed, Trouble::SharedIgnored];
    found.into_iter().map(|finding| finding.trouble).filter(|trouble| about.contains(trouble)).collect()
}

fn shared(place: &Place) {
    place.repository(ROOT);
    place.begin(ROOT);
    place.tell(ROOT, "Salary", "more than yours");
    place.init(ROOT);
    place.commit_all(ROOT);
}

#[test] // spec: MEM-43, MEM-23
fn a_rule_that_leaves_shared_memory_out_is_named_by_init_status_and_doctor() {
    for (file, rule) in [
        ("src/cherry/.gitignore", "*.md"),
        ("src/cherry/.git/info/exclude", ".brainstem/"),
        ("home/.config/git/ignore", ".*"),
    ] {
        let place = Place::new();
        shared(&place);
        assert_eq!(findings(&place, ROOT), []);
        place.write(file, &format!("{rule}\n"));
        assert_eq!(findings(&place, ROOT), [Trouble::SharedIgnored], "{rule}");
        let named = |text: &str| text.contains(&format!("`{rule}`")) && text.contains(file);
        let done = place.memory().init(&place.in_(ROOT), &InitRequest::default()).unwrap();
        assert!(done.notes.iter().any(|note| named(&note.to_string())), "{rule}: {:?}", done.notes);
        let gaps = place.memory().status(&place.in_(ROOT)).unwrap().project_gaps;
        let gap = gaps.iter().find(|gap| gap.name == "shared_ignored");
        assert!(gap.is_some_and(|gap| named(&gap.detail.to_string())), "{rule}: {gaps:?}");
    }
}

#[test] // spec: MEM-43, MEM-2
fn memory_that_the_rules_of_this_clone_keep_out_is_not_called_exposed() {
    let place = Place::new();
    shared(&place);
    let request = InitRequest { git: GitWish::Private, ..InitRequest::default() };
    place.memory().init(&place.in_(ROOT), &request).unwrap();
    assert_eq!(findings(&place, ROOT), [Trouble::PrivateExposed], "git still tracks it");
    place.git(ROOT, &["rm", "-r", "-q", "--cached", ".brainstem"]);
    place.commit_all(ROOT);
    assert_eq!(findings(&place, ROOT), []);
    assert_eq!(place.committable(ROOT), [] as [String; 0]);
    place.write("src/cherry/.git/info/exclude", "");
    assert_eq!(findings(&place, ROOT), [Trouble::PrivateExposed]);
}

#[test] // spec: MEM-2, MEM-17
fn a_private_worktree_of_a_bare_repository_and_a_shared_one_leave_each_other_alone() {
    let place = Place::new();
    shared(&place);
    place.git("src", &["clone", "-q", "--bare", "cherry", "p.git"]);
    place.git("src/p.git", &["worktree", "add", "-q", "../w1", "main"]);
    place.git("src/p.git", &["worktree", "add", "-q", "-b", "two", "../w2"]);
    place.init("src/w2");
    let request = InitRequest { git: GitWish::Private, ..InitRequest::default() };
    let done = place.memory().init(&place.in_("src/w1"), &request).unwrap();
    assert!(done.notes.iter().any(|note| note.contains("once more")), "{:?}", done.notes);
    // As the answer says.
    place.git("src/w1", &["rm", "-r", "-q", "--cached", ".brainstem"]);
    place.init("src/w1");
    place.git("src/w1", &["commit", "-q", "-m", "away"]);
    assert_eq!(place.committable("src/w1"), [] as [String; 0]);

    place.tell("src/w2", "Lunch", "at noon");
    let claim = ".brainstem/agent-memory/lunch.light.md".to_owned();
    assert!(place.committable("src/w2").contains(&claim));
    place.init("src/w2");
    assert_eq!(findings(&place, "src/w2"), []);
    place.write("src/w1/.brainstem/agent-memory/draft.txt", "private");
    place.tell("src/w1", "Notice", "in a month");
    assert_eq!(place.committable("src/w1"), [] as [String; 0]);
}
