//! What is advised about another project is a call of that project: typed as printed, it changes nothing of the caller's own.

use crate::place::Place;
use brainstem_memory::{
    BrainScope, Confirmation, DoctorRequest, Filter, ForgetRequest, GitWish, InitRequest, SeekRequest, Tier,
};
use brainstem_transfer::mixed_medulla;

/// Two projects with a claim of one label; the second has its memory in its repository.
fn two_projects() -> Place {
    let place = Place::new();
    for dir in ["src/plum", "src/cherry"] {
        place.repository(dir);
        place.begin(dir);
        if dir == "src/cherry" {
            place.init(dir);
        }
        place.tell(dir, "Retry policy", dir);
        place.commit_all(dir);
    }
    place
}

#[test] // spec: MEM-43, IF-4
fn doctor_advises_calls_of_the_project_that_a_finding_is_about() {
    let place = two_projects();
    let forget =
        ForgetRequest { label: "Retry policy".into(), tier: None, confirmation: Confirmation::Given };
    place.memory().forget(&place.in_("src/cherry"), &forget).unwrap();
    place.git("src/cherry", &["checkout", "-q", "."]);
    let request = DoctorRequest { brains: BrainScope::All, ..DoctorRequest::new(mixed_medulla) };
    let found = place.memory().doctor(&place.in_("src/plum"), &request, &|_, _| ()).unwrap().findings;
    let root = place.at("src/cherry").display().to_string();
    let of_cherry: Vec<_> = found.iter().filter(|finding| finding.place.starts_with(&root)).collect();
    assert!(of_cherry.iter().any(|finding| finding.trouble.name() == "claim_forgotten"), "{found:?}");
    for call in of_cherry.iter().flat_map(|finding| finding.fix.calls()) {
        assert_eq!(call.root(), Some(root.as_str()), "{call}");
    }
    // In the project itself they stand as they are.
    let found = place.memory().doctor(&place.in_("src/cherry"), &request, &|_, _| ()).unwrap().findings;
    let own = found.iter().filter(|finding| finding.place.starts_with(&root));
    assert!(own.flat_map(|finding| finding.fix.calls()).all(|call| call.root().is_none()), "{found:?}");
}

#[test] // spec: MEM-23, IF-4
fn a_recall_over_all_brains_advises_calls_of_the_project_that_a_gap_is_about() {
    let place = two_projects();
    place.tell("src/cherry", "Port", "uncommitted");
    place.git("src/cherry", &["clean", "-qfdx"]);
    let seek = SeekRequest {
        query: "uncommitted port".into(),
        tier: Tier::AllBrains,
        scope: None,
        limit: 20,
        filter: Filter::default(),
        by: Default::default(),
    };
    let sought = place.memory().seek(&place.in_("src/plum"), &seek).unwrap();
    let root = place.at("src/cherry").display().to_string();
    let gap = sought.gaps.iter().find(|gap| gap.name == "absent_here").unwrap();
    assert!(gap.detail.calls().all(|call| call.root() == Some(root.as_str())), "{gap:?}");
    assert!(gap.detail.calls().count() > 0, "{gap:?}");
}

#[test] // spec: MEM-2
fn a_copy_of_a_private_project_that_lost_its_manifest_stays_private() {
    let place = Place::new();
    place.repository("src/cherry");
    place.begin("src/cherry");
    let private = InitRequest { git: GitWish::Private, ..InitRequest::default() };
    place.memory().init(&place.in_("src/cherry"), &private).unwrap();
    place.git("src/cherry", &["clean", "-qfdx"]);
    place.tell("src/cherry", "Salaries", "private words");
    place.copy("src/cherry", "src/copy");
    place.init("src/copy");
    assert_eq!(place.committable("src/copy"), [] as [String; 0]);
    // Only a word of its own lets it be committed.
    let shared = InitRequest { git: GitWish::Shared, ..InitRequest::default() };
    place.memory().init(&place.in_("src/copy"), &shared).unwrap();
    assert_ne!(place.committable("src/copy"), [] as [String; 0]);
}
