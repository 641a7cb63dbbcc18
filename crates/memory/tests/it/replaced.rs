//! A folder that is made at the path of a project: the same project keeps its memory by itself, another one sees
//! nothing of it.

mod other_project;
mod same_project;
mod set_aside;
mod taken_up;

use crate::place::Place;
use crate::world::{Short as _, code};
use brainstem_base::Coded as _;
use brainstem_memory::{
    BrainScope, Caller, DelegateRequest, DoctorRequest, InitRequest, Memory, PromotionsRequest, Tier,
};
use brainstem_transfer::{ExportRequest, ExportScope, Format, Transfer, mixed_medulla};

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
