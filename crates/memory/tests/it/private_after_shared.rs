//! A project whose memory was committed becomes private, and shared again.

use crate::place::Place;
use brainstem_memory::{EjectRequest, GitWish, InitRequest};

const ROOT: &str = "src/cherry";

fn init(place: &Place, git: GitWish) -> String {
    let request = InitRequest { git, ..InitRequest::default() };
    let notes = place.memory().init(&place.in_(ROOT), &request).unwrap().notes;
    notes.iter().map(|note| format!("{note}\n")).collect()
}

fn excluded(place: &Place) -> String {
    std::fs::read_to_string(place.at("src/cherry/.git/info/exclude")).unwrap_or_default()
}

/// A project whose memory was committed, with one claim that was not, made private.
fn private_after_shared() -> Place {
    let place = Place::new();
    place.repository(ROOT);
    place.begin(ROOT);
    place.tell(ROOT, "Salary", "more than yours");
    place.init(ROOT);
    place.commit_all(ROOT);
    place.tell(ROOT, "Notice", "in a month");
    init(&place, GitWish::Private);
    place
}

#[test] // spec: MEM-2
fn what_a_private_project_is_told_to_do_keeps_it_out_of_git_by_itself() {
    let place = private_after_shared();
    // As the answer says, and no call of this program between that and the next commit.
    place.git(ROOT, &["rm", "-r", "-q", "--cached", ".brainstem"]);
    place.git(ROOT, &["commit", "-q", "-m", "away"]);
    assert_eq!(place.committable(ROOT), [] as [String; 0]);
    place.write("src/cherry/lib/readme", "changed");
    assert_eq!(place.committable(ROOT), ["lib/readme"]);

    // Shared again, all of it can be committed, and what a person excluded stays so.
    place.write("src/cherry/.git/info/exclude", &format!("*.log\n{}*.tmp\n", excluded(&place)));
    init(&place, GitWish::Shared);
    assert!(place.committable(ROOT).iter().any(|path| path.ends_with("notice.light.md")));
    let left = excluded(&place);
    assert!(left.contains("*.log") && left.contains("*.tmp") && !left.contains("brainstem"), "{left}");
}

#[test] // spec: MEM-2
fn an_eject_takes_back_what_keeps_a_private_clone_out_of_git() {
    let place = private_after_shared();
    assert!(excluded(&place).contains("/.brainstem/"));
    init(&place, GitWish::Private);
    assert_eq!(excluded(&place).matches("/.brainstem/").count(), 1);
    place.memory().eject(&place.in_(ROOT), &EjectRequest::default()).unwrap();
    assert_eq!(place.at("src/cherry/.brainstem").exists(), excluded(&place).contains("/.brainstem/"));
}

#[test] // spec: MEM-2
fn a_rule_that_takes_the_folder_in_again_is_named_and_what_the_answer_says_keeps_it_out() {
    let place = private_after_shared();
    let note = init(&place, GitWish::AsItIs);
    assert!(!note.contains(".gitignore"), "{note}");
    for (file, rule) in [(".gitignore", "!.brainstem"), (".gitignore", "!/.brainstem/\n!/.brainstem/**")] {
        let place = private_after_shared();
        place.write(&format!("{ROOT}/{file}"), &format!("*.log\n{rule}\n"));
        place.commit_all(ROOT);
        let note = init(&place, GitWish::Private);
        assert!(
            note.contains(file) && note.contains("--cached .brainstem") && note.contains("init"),
            "{note}"
        );
        place.git(ROOT, &["rm", "-r", "-q", "--cached", ".brainstem"]);
        init(&place, GitWish::AsItIs);
        place.git(ROOT, &["commit", "-q", "-m", "away"]);
        place.write("src/cherry/lib/readme", rule);
        assert_eq!(place.committable(ROOT), ["lib/readme"], "{rule}");
    }
}

#[test] // spec: MEM-2
fn what_a_pull_let_git_track_in_a_private_project_is_not_added_again_once_it_is_untracked() {
    let place = Place::new();
    place.repository(ROOT);
    place.begin(ROOT);
    place.tell(ROOT, "Salary", "more than yours");
    init(&place, GitWish::Private);
    assert_eq!(place.committable(ROOT), [] as [String; 0]);
    // Another clone shared its memory: its files took the place of those here.
    place.write("src/cherry/.brainstem/.gitignore", ".tmp-*\n");
    place.git(ROOT, &["add", "-f", ".brainstem/.gitignore"]);
    place.git(ROOT, &["commit", "-q", "-m", "from another clone"]);
    // Any call that only reads.
    place.memory().count_call(place.in_(ROOT).place(), None);
    place.git(ROOT, &["rm", "-r", "-q", "--cached", ".brainstem"]);
    place.git(ROOT, &["commit", "-q", "-m", "away"]);
    assert_eq!(place.committable(ROOT), [] as [String; 0]);
}
