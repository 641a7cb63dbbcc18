//! Folders inside one repository that have brains of their own: the commits of the repository do not tell them apart.

use crate::place::Place;
use crate::world::{Short as _, code};
use brainstem_memory::{BootstrapRequest, BrainScope, DoctorRequest, Gap, NorthRequest, Tier};
use brainstem_transfer::mixed_medulla;

/// A repository with two packages from one scaffold, of which `pk/a` has a brain of its own.
fn monorepo(place: &Place) {
    place.repository("src/mono");
    for package in ["a", "n"] {
        for (file, text) in [("lib", package), ("manifest", package), ("licence", "MIT"), ("lint", "strict")]
        {
            place.write(&format!("src/mono/pk/{package}/{file}"), &format!("{text} {file}"));
        }
    }
    place.commit("src/mono");
    begin(place, "src/mono/pk/a");
    place.tell("src/mono/pk/a", "Payroll", "of package a");
}

fn begin(place: &Place, dir: &str) {
    let request = BootstrapRequest { root: brainstem_memory::RootWish::ExactFolder, ..Default::default() };
    place.memory().bootstrap(&place.in_(dir), &request).unwrap();
}

#[test] // spec: MEM-1a, MEM-21
fn another_package_at_the_path_of_a_deleted_one_sees_nothing_of_it() {
    let place = Place::new();
    monorepo(&place);
    place.git("src/mono", &["rm", "-rqf", "pk/a"]);
    place.commit("src/mono");
    place.git("src/mono", &["mv", "pk/n", "pk/a"]);
    place.commit("src/mono");
    assert_eq!(place.lands("src/mono/pk/a"), "src/mono/pk/a*");
    assert_eq!(place.found("src/mono/pk/a"), [] as [String; 0]);
    let memory = place.memory();
    assert_eq!(code(memory.tell(&place.in_("src/mono/pk/a"), "Port", "of n")), "memory.root_replaced");
    // In a fresh clone at the same path it is the other package too.
    place.move_to("src/mono", "src/hub");
    place.git("src", &["clone", "-q", "hub", "mono"]);
    place.delete("src/hub");
    assert_eq!(place.found("src/mono/pk/a"), [] as [String; 0]);
    begin(&place, "src/mono/pk/a");
    place.tell("src/mono/pk/a", "Port", "of n");
    assert_eq!(place.found("src/mono/pk/a"), ["of n"]);
}

#[test] // spec: MEM-1a, MEM-21
fn another_package_is_told_by_its_files_before_git_hears_of_it() {
    type Change = fn(&Place);
    let ways: [(&str, Change); 3] = [
        ("another package is moved there", |place| place.move_to("src/mono/pk/n", "src/mono/pk/a")),
        ("a new one is written there", |place| place.write("src/mono/pk/a/main", "entirely new")),
        ("the folder is empty", |place| std::fs::create_dir(place.at("src/mono/pk/a")).unwrap()),
    ];
    for (what, change) in ways {
        let place = Place::new();
        monorepo(&place);
        place.delete("src/mono/pk/a");
        change(&place);
        assert_eq!(place.found("src/mono/pk/a"), [] as [String; 0], "{what}");
        let told = place.memory().tell(&place.in_("src/mono/pk/a"), "Port", "of another");
        assert_eq!(code(told), "memory.root_replaced", "{what}");
        // Nothing was bound to the new folder meanwhile: the package itself is still recognised.
        place.delete("src/mono/pk/a");
        place.git("src/mono", &["checkout", "-q", "--", "pk/a"]);
        assert_eq!(place.found("src/mono/pk/a"), ["of package a"], "{what}");
    }
}

#[test] // spec: MEM-1a
fn a_fresh_clone_of_a_repository_at_its_path_keeps_the_memory_of_its_packages() {
    let place = Place::new();
    monorepo(&place);
    place.move_to("src/mono", "src/hub");
    // A package that went on meanwhile is still the same.
    place.write("src/hub/pk/a/lib", "written anew");
    place.commit("src/hub");
    place.git("src", &["clone", "-q", "hub", "mono"]);
    place.delete("src/hub");
    assert_eq!(place.found("src/mono/pk/a"), ["of package a"]);
    place.tell("src/mono/pk/a", "Payroll", "still of package a");
    assert_eq!(place.found("src/mono/pk/a"), ["still of package a"]);
}

#[test] // spec: MEM-43, IF-4
fn doctor_advises_a_deleted_package_to_be_taken_up_as_a_folder_of_its_own() {
    let place = Place::new();
    monorepo(&place);
    place.copy("src/mono", "src/copy");
    place.delete("src/mono");
    let request = DoctorRequest { brains: BrainScope::All, ..DoctorRequest::new(mixed_medulla) };
    let found = place.memory().doctor(&place.in_("src/copy"), &request, &|_, _| ()).unwrap().findings;
    let gone = found.iter().find(|finding| finding.trouble.name() == "root_gone").unwrap();
    assert!(gone.fix.to_string().contains("brainstem bootstrap PATH --exact --take-up"), "{gone:?}");
}

#[test] // spec: MEM-1, MEM-21
fn the_memory_of_a_package_is_offered_to_that_package_of_a_copy_alone() {
    let place = Place::new();
    monorepo(&place);
    let brain = place.origin("src/mono/pk/a");
    place.copy("src/mono", "src/copy");
    place.delete("src/mono");
    let offered = |dir: &str| {
        let status = place.memory().status(&place.in_(dir)).unwrap();
        status.orphan.filter(|orphan| orphan.is_recognised).map(|orphan| orphan.take_up().to_string())
    };
    for other in ["src/copy", "src/copy/pk", "src/copy/pk/n"] {
        assert_eq!(offered(other), None, "{other}");
    }
    let root = place.at("src/copy/pk/a");
    let call = format!("brainstem bootstrap {} --exact --take-up {brain}", root.display());
    assert_eq!(offered("src/copy/pk/a"), Some(call));
    let request = BootstrapRequest {
        root: brainstem_memory::RootWish::ExactFolder,
        brain: brainstem_memory::BrainWish::TakeUp(brain),
        ..Default::default()
    };
    assert!(place.memory().bootstrap(&place.in_("src/copy/pk/a"), &request).unwrap().taken_up);
    assert_eq!(place.found("src/copy/pk/a"), ["of package a"]);
    assert!(place.memory().look_at(&place.in_("src/copy/pk/n"), "Payroll", Tier::Both).is_err());
}

#[test] // spec: MEM-1, MEM-23
fn the_memory_of_a_package_is_named_in_it_where_the_copied_repository_has_a_brain_too() {
    let place = Place::new();
    monorepo(&place);
    place.begin("src/mono");
    place.init("src/mono");
    place.commit("src/mono");
    let brain = place.origin("src/mono/pk/a");
    place.copy("src/mono", "src/copy");
    place.delete("src/mono");
    let memory = place.memory();
    let named = |dir: &str| {
        let there = place.in_(dir);
        let request = NorthRequest { task: String::new(), budget_tokens: 2_000 };
        let north = memory.north(&there, &request).unwrap().gaps;
        let answers = [memory.status(&there).unwrap().project_gaps, memory.all(&there).gaps, north];
        answers.map(|gaps| {
            let is_of_package = |gap: &Gap| gap.name == "root_gone" && gap.detail.contains(&brain);
            let gap = gaps.into_iter().find(is_of_package);
            gap.map(|gap| gap.detail.to_string())
        })
    };
    for other in ["src/copy", "src/copy/pk", "src/copy/pk/n"] {
        assert_eq!(named(other), [None, None, None], "{other}");
    }
    let root = place.at("src/copy/pk/a");
    let call = format!("brainstem bootstrap {} --exact --take-up {brain}", root.display());
    let around = format!("goes to {}", place.origin("src/copy"));
    for told in named("src/copy/pk/a").map(Option::unwrap) {
        assert!(told.contains(&call) && told.ends_with(&around), "{told}");
    }
}
