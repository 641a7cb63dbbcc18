//! What deleted clones kept is carried over into a clone that was written to.

use crate::place::Place;
use brainstem_base::Coded as _;
use brainstem_memory::{BootstrapRequest, BrainWish, Status};

#[test] // spec: MEM-1, MEM-2
fn what_is_carried_over_goes_through_a_file_under_the_home_of_each_clone_alone() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    place.tell("src/cherry", "Port", "8080");
    place.init("src/cherry");
    place.commit("src/cherry");
    for clone in ["one", "two", "three"] {
        place.git("src", &["clone", "-q", "cherry", clone]);
        place.tell(&format!("src/{clone}"), "Port", &format!("of {clone}"));
    }
    place.delete("src/one");
    place.delete("src/two");
    let folders = std::fs::read_dir(place.at("home/.brainstem/project-brains")).unwrap();
    let names: Vec<String> =
        folders.map(|folder| folder.unwrap().file_name().into_string().unwrap()).collect();
    for clone in ["one-", "two-"] {
        let kept = names.iter().find(|name| name.starts_with(clone)).unwrap();
        let request = BootstrapRequest { brain: BrainWish::TakeUp(kept.clone()), ..Default::default() };
        let refused = place.memory().bootstrap(&place.in_("src/three"), &request).unwrap_err();
        let fix = refused.fix().unwrap().to_string();
        let file = place.at(&format!("home/.brainstem/taken-up-{kept}.jsonl"));
        for call in [
            format!("brainstem export --out {}", file.display()),
            format!("brainstem import {}", file.display()),
            format!("brainstem set-aside {kept}"),
        ] {
            assert!(fix.contains(&call), "{call}: {fix}");
        }
        assert!(fix.contains("delete that file"), "{fix}");
        // The status names that way, and not the call that is refused.
        let status = || place.memory().status(&place.in_("src/three")).unwrap();
        let offered = |status: Status| {
            let gap = status.project_gaps.into_iter().find(|gap| gap.name == "root_gone");
            gap.map(|gap| gap.detail.to_string()).unwrap_or_default()
        };
        let offer = offered(status());
        assert!(offer.contains(&fix) && !offer.contains("--take-up"), "{offer}");
        // What was carried over and set aside is offered no more.
        place.memory().set_aside(&place.in_("src/three"), kept, "carried over").unwrap();
        assert!(!offered(status()).contains(kept.as_str()));
    }
}
