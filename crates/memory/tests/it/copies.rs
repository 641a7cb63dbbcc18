//! What is said of a claim and its copy in the medulla, or of another claim of its label there.

use crate::promote::{ORCHESTRATOR, asked, promote};
use crate::world::{
    CHERRY, MAKER, PERSON, PLUM, Short as _, caller, clock, doctrine, service, two_repositories,
};
use brainstem_base::clock::ManualClock;
use brainstem_memory::{
    BrainScope, ConsolidateAs, ConsolidateRequest, LearnRequest, Memory, PromoteAs, PromoteRequest,
    PromotionsRequest, RetractRequest, Verdict,
};
use std::sync::Arc;

fn world() -> (Arc<ManualClock>, Memory) {
    let clock = clock();
    let memory = service(Arc::new(two_repositories()), &clock);
    for root in [CHERRY, PLUM] {
        memory.begin(&caller(MAKER, root)).unwrap();
    }
    (clock, memory)
}

fn retract(memory: &Memory, label: &str) {
    let request = RetractRequest { label: label.into(), reason: "it was a guess".into(), tier: None };
    memory.retract(&caller(MAKER, CHERRY), &request).unwrap();
}

#[test] // spec: MEM-29
fn a_copy_of_what_the_project_said_before_is_no_disagreement_at_home_and_one_elsewhere() {
    let (clock, memory) = world();
    let (maker, boss) = (caller(MAKER, CHERRY), caller(ORCHESTRATOR, CHERRY));
    memory.tell(&maker, "Retry policy", "Three times.").unwrap();
    clock.advance(1_000);
    promote(&memory, &boss, "Retry policy").unwrap();
    clock.advance(1_000);
    memory.tell(&maker, "Retry policy", "Five times.").unwrap();
    memory.tell(&caller(MAKER, PLUM), "Retry policy", "Never.").unwrap();
    let because = |root: &str| {
        let beat = memory.beat(&caller(MAKER, root), "retry");
        let pairs = beat.conflicts.iter();
        pairs.map(|pair| (pair.wins.map(|wins| wins.as_str()), pair.because.as_str())).collect::<Vec<_>>()
    };
    assert_eq!(because(CHERRY), [(Some("project"), "earlier_version")]);
    assert_eq!(because(PLUM), [(None, "undecided")]);
    clock.advance(1_000);
    promote(&memory, &boss, "Retry policy").unwrap();
    assert_eq!(because(CHERRY), [], "brought up to date");
}

#[test] // spec: MEM-33, MEM-29
fn who_judges_or_writes_a_label_of_both_tiers_is_told_of_the_other() {
    let (clock, memory) = world();
    let (maker, boss) = (caller(MAKER, CHERRY), caller(ORCHESTRATOR, CHERRY));
    let judge = |label: &str, verdict: &str| {
        let request = LearnRequest {
            label: label.into(),
            verdict: Verdict::parse(verdict).unwrap(),
            note: None,
            tier: None,
        };
        let learned = memory.learn(&maker, &request).unwrap();
        assert_eq!(learned.tier, "project");
        learned.notes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    memory.memorize(&caller(PERSON, CHERRY), &doctrine("Tabs", "Four columns.")).unwrap();
    assert_eq!(memory.tell(&maker, "Colours", "Blue.").unwrap().notes, [] as [&str; 0]);
    let told = memory.tell(&maker, "Tabs", "Eight columns.").unwrap().notes;
    assert!(told.len() == 1 && told[0].contains("something else under this label"), "{told:?}");
    let again = memory.tell(&maker, "Tabs", "Eight columns.").unwrap();
    assert!(again.unchanged && again.notes.is_empty(), "said once");
    assert!(judge("Tabs", "wrong").contains("--tier medulla"));
    assert_eq!(judge("Colours", "wrong"), "");
    clock.advance(1_000);
    promote(&memory, &boss, "Colours").unwrap();
    assert!(judge("Colours", "wrong").starts_with("its copy in the medulla stays"));
}

#[test] // spec: MEM-35, MEM-38
fn what_was_taken_back_is_told_as_that() {
    let (clock, memory) = world();
    let (maker, boss) = (caller(MAKER, CHERRY), caller(ORCHESTRATOR, CHERRY));
    for label in ["Retry policy", "Page size"] {
        memory.tell(&maker, label, &format!("What {label} is.")).unwrap();
    }
    memory.promote(&maker, &PromoteRequest { how: PromoteAs::Propose, ..asked("Retry policy") }).unwrap();
    clock.advance(1_000);
    promote(&memory, &boss, "Page size").unwrap();
    clock.advance(1_000);
    retract(&memory, "Retry policy");
    retract(&memory, "Page size");
    let request = PromotionsRequest { brains: BrainScope::Own, limit: 100 };
    let entries = memory.promotions(&boss, &request).unwrap().entries;
    let proposal = entries.iter().find(|entry| entry.what.as_str() == "proposal").unwrap();
    assert_eq!(proposal.standing.unwrap().as_str(), "retracted");
    let rows = memory.consolidate(&boss, &ConsolidateRequest { how: ConsolidateAs::Report }).unwrap().rows;
    let row = rows.iter().find(|row| row.kind.as_str() == "witness_retracted").unwrap();
    assert!(!row.would.contains("stays"), "{row:?}");
}

#[test] // spec: MEM-35
fn a_maker_is_told_who_decides_and_is_on_record_where_it_decides_itself() {
    let (clock, memory) = world();
    let maker = caller(MAKER, CHERRY);
    memory.tell(&maker, "Retry policy", "Three times.").unwrap();
    memory.promote(&maker, &PromoteRequest { how: PromoteAs::Propose, ..asked("Retry policy") }).unwrap();
    let told = |who: &str| {
        memory
            .beat(&caller(who, CHERRY), "x")
            .next_moves
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert!(told(MAKER).contains("waits for an orchestrator or a person"), "{}", told(MAKER));
    assert!(!told(MAKER).contains("decline it") && told(PERSON).contains("decline it"));
    clock.advance(1_000);
    let decline = PromoteRequest { how: PromoteAs::Decline, ..asked("Retry policy") };
    for _ in 0..2 {
        memory.promote(&maker, &decline).unwrap();
    }
    let request = PromotionsRequest { brains: BrainScope::Own, limit: 100 };
    let entries = memory.promotions(&maker, &request).unwrap().entries;
    let violations: Vec<_> = entries.iter().filter(|entry| entry.what.as_str() == "violation").collect();
    assert_eq!(violations.len(), 1, "{entries:?}");
    let (by, label) = (violations[0].by.as_deref(), violations[0].label.as_deref());
    assert_eq!((by, label), (Some("decline"), Some("Retry policy")));
    assert!(violations[0].version.starts_with("retry-policy@") && !violations[0].version.contains(' '));
}
