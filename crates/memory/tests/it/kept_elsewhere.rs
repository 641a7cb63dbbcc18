//! What a project has and does not show where it is asked: under the home, in another branch, in a deleted clone, in a home
//! that git can commit.

use crate::place::Place;
use crate::world::{PERSON, Short as _, caller, doctrine};
use brainstem_memory::{BrainScope, ConsolidateRequest, DoctorRequest, EjectRequest, PromoteRequest, Tier};
use brainstem_transfer::mixed_medulla;

/// A project with its memory in its repository.
fn project(place: &Place, dir: &str) {
    place.repository(dir);
    place.begin(dir);
    place.init(dir);
    place.tell(dir, "Retry policy", "three times");
    place.commit(dir);
}

#[test] // spec: MEM-2, MEM-23
fn the_projects_own_claim_under_the_home_is_named_beside_one_of_the_medulla() {
    let place = Place::new();
    project(&place, "src/cherry");
    place.memory().eject(&place.in_("src/cherry"), &EjectRequest::default()).unwrap();
    place.tell("src/cherry", "Port", "of the project");
    place.memory().memorize(&caller(PERSON, place.at("src/cherry")), &doctrine("Port", "of all")).unwrap();
    // Git brings the store of the repository back.
    place.git("src/cherry", &["checkout", "-q", "."]);
    let shown = place.memory().look_at(&place.in_("src/cherry"), "Port", Tier::Both).unwrap();
    assert_eq!((shown.tier, shown.claim.unwrap().text), ("medulla", "of all".to_owned()));
    let gap = shown.gaps.iter().find(|gap| gap.name == "owner_side_claims").unwrap();
    assert!(gap.detail.contains("brainstem init"), "{gap:?}");
    // Of a label that only the medulla has, nothing is said.
    place.memory().memorize(&caller(PERSON, place.at("src/cherry")), &doctrine("Tabs", "yes")).unwrap();
    let shown = place.memory().look_at(&place.in_("src/cherry"), "Tabs", Tier::Both).unwrap();
    assert!(shown.gaps.iter().all(|gap| gap.name != "owner_side_claims"), "{:?}", shown.gaps);
}

#[test] // spec: MEM-37, MEM-2
fn a_witness_that_another_branch_has_is_not_called_gone() {
    let place = Place::new();
    place.repository("src/cherry");
    place.git("src/cherry", &["branch", "without"]);
    place.begin("src/cherry");
    place.init("src/cherry");
    place.tell("src/cherry", "Retry policy", "three times");
    place.commit("src/cherry");
    let ana = caller(PERSON, place.at("src/cherry"));
    let request = PromoteRequest {
        label: "Retry policy".into(),
        reason: "it holds everywhere".into(),
        because: Some("telemetry".into()),
        ..PromoteRequest::default()
    };
    place.memory().promote(&ana, &request).unwrap();
    place.commit_all("src/cherry");
    place.git("src/cherry", &["checkout", "-q", "without"]);
    let found = place.memory().consolidate(&ana, &ConsolidateRequest::default()).unwrap();
    assert!(found.rows.is_empty(), "{:?}", found.rows);
    assert!(found.gaps.iter().any(|gap| gap.name == "absent_here"), "{:?}", found.gaps);
}

#[test] // spec: MEM-1, MEM-30
fn what_each_of_two_deleted_clones_kept_is_named_by_status_and_by_the_boot_keys() {
    let place = Place::new();
    project(&place, "src/hub");
    for clone in ["src/one", "src/two"] {
        place.git("src", &["clone", "-q", "hub", clone.strip_prefix("src/").unwrap()]);
        place.memory().boot_set(&place.in_(clone), "port", clone, None).unwrap();
    }
    place.git("src", &["clone", "-q", "hub", "three"]);
    place.delete("src/one");
    place.delete("src/two");
    let (memory, there) = (place.memory(), place.in_("src/three"));
    let status = memory.status(&there).unwrap();
    let listed = memory.boot_list(&there, None, Tier::Project).unwrap();
    for gaps in [&status.project_gaps, &listed.gaps] {
        let gap = gaps.iter().find(|gap| gap.name == "root_gone").unwrap();
        assert_eq!(gap.detail.calls().count(), 2, "{gap:?}");
        for clone in ["src/one", "src/two"] {
            assert!(gap.detail.contains(&place.at(clone).display().to_string()), "{gap:?}");
        }
    }
    // Both have one name and one id, so that doctor names them by their folders.
    let request = DoctorRequest { brains: BrainScope::All, ..DoctorRequest::new(mixed_medulla) };
    let found = memory.doctor(&there, &request, &|_, _| ()).unwrap().findings;
    let gone: Vec<_> = found.iter().filter(|finding| finding.trouble.name() == "root_gone").collect();
    assert_eq!(gone.len(), 2, "{found:?}");
    assert!(gone.iter().all(|finding| !finding.fix.contains("@")), "{gone:?}");
}

#[test] // spec: MEM-43
fn a_home_that_a_repository_around_it_can_commit_is_named_with_what_keeps_it_out() {
    let place = Place::new();
    project(&place, "src/cherry");
    let named = || {
        let request = DoctorRequest::new(mixed_medulla);
        let found = place.memory().doctor(&place.in_("src/cherry"), &request, &|_, _| ()).unwrap().findings;
        found.into_iter().find(|finding| finding.trouble.name() == "home_in_git")
    };
    assert!(named().is_none());
    place.git("home", &["init", "-q", "-b", "main"]);
    assert!(!place.committable("home").is_empty());
    let finding = named().unwrap();
    // The fix, as it stands.
    let line = finding.fix.to_string().trim_matches('`').to_owned();
    let done = std::process::Command::new("sh").args(["-c", &line]).status().unwrap();
    assert!(done.success(), "{line}");
    assert_eq!(place.committable("home"), [] as [String; 0]);
    assert!(named().is_none());
    for (rule, is_kept_out) in
        [(".brainstem", true), ("/.brainstem/", true), (".*", true), ("target/", false)]
    {
        std::fs::remove_file(place.at("home/.git/info/exclude")).ok();
        place.write("home/.gitignore", &format!("# rules\n{rule}\n"));
        assert_eq!(named().is_none(), is_kept_out, "{rule}");
    }
}

#[test] // spec: MEM-43
fn a_home_that_git_tracks_is_named_until_no_file_of_it_is_tracked() {
    let place = Place::new();
    project(&place, "src/cherry");
    let named = || {
        let request = DoctorRequest::new(mixed_medulla);
        let found = place.memory().doctor(&place.in_("src/cherry"), &request, &|_, _| ()).unwrap().findings;
        found.into_iter().find(|finding| finding.trouble.name() == "home_in_git")
    };
    place.git("home", &["init", "-q", "-b", "main"]);
    place.commit("home");
    // A rule alone keeps nothing out that git tracks.
    place.write("home/.git/info/exclude", "/.brainstem/\n");
    assert!(named().is_some(), "git goes on committing what it tracks");
    std::fs::remove_file(place.at("home/.git/info/exclude")).unwrap();
    let line = named().unwrap().fix.to_string().trim_matches('`').to_owned();
    assert!(std::process::Command::new("sh").args(["-c", &line]).status().unwrap().success(), "{line}");
    assert!(named().is_none());
    place.git("home", &["commit", "-q", "-m", "out"]);
    place.tell("src/cherry", "Plan", "written after that");
    assert_eq!(place.committable("home"), [] as [String; 0]);
}
