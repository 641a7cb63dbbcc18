//! A branch that has no memory: what is written there is written, and what lies elsewhere is not called replaced.

use crate::place::Place;
use crate::world::Short as _;
use brainstem_claims::Lifecycle;
use brainstem_memory::{DelegateRequest, GitWish, InitRequest, Tier};

/// A project with a committed claim, on a branch from before it was written.
fn world(private: bool) -> Place {
    let place = Place::new();
    place.repository("src/cherry");
    place.git("src/cherry", &["branch", "bare"]);
    place.begin("src/cherry");
    let request = InitRequest { git: GitWish::of_flags(private, false).unwrap(), ..InitRequest::default() };
    place.memory().init(&place.in_("src/cherry"), &request).unwrap();
    place.memory().tell(&place.in_("src/cherry"), "Retry", "three times").unwrap();
    if private {
        std::fs::remove_dir_all(place.at("src/cherry/.brainstem")).unwrap();
    } else {
        place.commit("src/cherry");
        place.git("src/cherry", &["checkout", "-q", "bare"]);
    }
    assert!(!place.at("src/cherry/.brainstem").exists());
    place
}

#[test] // spec: MEM-2, MEM-30, MEM-39
fn boot_keys_and_delegations_are_written_on_a_branch_without_memory() {
    for private in [false, true] {
        let (place, other) = (world(private), world(private));
        let cherry = place.in_("src/cherry");
        place.memory().boot_set(&cherry, "build", "cargo build", None).unwrap();
        assert_eq!(place.memory().boot_list(&cherry, None, Tier::Project).unwrap().rows.len(), 1);
        let cherry = other.in_("src/cherry");
        let request =
            DelegateRequest { task: "mend".into(), budget_tokens: 100, ..DelegateRequest::default() };
        other.memory().delegate(&cherry, &request, &|packet| packet).unwrap();
        assert_eq!(other.memory().delegations(&cherry).unwrap().delegations.len(), 1);
        for place in [place, other] {
            assert_eq!(place.committable("src/cherry").is_empty(), private, "private stays private");
        }
    }
}

#[test] // spec: MEM-2, MEM-3a
fn a_claim_that_git_took_away_is_missing_and_not_superseded() {
    let place = world(false);
    let shown = place.memory().look_at(&place.in_("src/cherry"), "Retry", Tier::Project).unwrap();
    let past: Vec<_> = shown.history.iter().map(|version| (version.lifecycle, version.missing)).collect();
    assert_eq!(past, [(Lifecycle::Missing, true)]);
}
