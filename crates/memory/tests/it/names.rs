//! What a name means: of an agent, and of a claim.

use crate::world::{
    CHERRY, MAKER, PERSON, PLUM, Short as _, caller, claim, clock, code, doctrine, service, two_repositories,
};
use brainstem_base::Coded as _;
use brainstem_memory::{
    Caller, ForgetRequest, LearnRequest, ListRequest, MemorizeRequest, Memory, RenameRequest, Tier,
};
use std::sync::Arc;

fn memory() -> (Memory, Caller) {
    let (memory, maker) = (service(Arc::new(two_repositories()), &clock()), caller(MAKER, CHERRY));
    memory.begin(&maker).unwrap();
    (memory, maker)
}

fn by(memory: &Memory, who: &Caller, agent: &str) -> Vec<String> {
    let filter = memory.filter(None, Some(agent.to_owned()), None, None).unwrap();
    let request = ListRequest { tier: Tier::Both, limit: 100, filter, cursor: None };
    let mut labels: Vec<String> =
        memory.list(who, &request).unwrap().rows.into_iter().map(|row| row.label).collect();
    labels.sort();
    labels
}

fn judged(memory: &Memory, who: &Caller, label: &str, tier: Option<&str>) -> &'static str {
    let request = LearnRequest {
        label: label.into(),
        verdict: "wrong".into(),
        note: None,
        tier: tier.map(str::to_owned),
    };
    code(memory.learn(who, &request))
}

#[test] // spec: IF-25a
fn claims_are_found_by_every_name_of_the_agent_that_wrote_them() {
    let (memory, maker) = memory();
    // Written by an earlier version, which signed with the name that was given.
    memory.tell(&caller("codex", CHERRY), "Old", "by its short name").unwrap();
    memory.tell(&caller("codex-mcp-client", CHERRY), "Older", "by the name of its client").unwrap();
    memory.tell(&maker, "New", "by its one name").unwrap();
    memory.tell(&caller("codex:orchestrator", CHERRY), "Other", "by another agent").unwrap();
    for name in ["codex", "codex:maker", "codex-mcp-client", "Codex"] {
        assert_eq!(by(&memory, &maker, name), ["New", "Old", "Older"], "{name}");
    }
    assert_eq!(by(&memory, &maker, "codex:orchestrator"), ["Other"]);
    assert_eq!(by(&memory, &maker, "human:codex"), [] as [&str; 0]);
}

#[test] // spec: IF-25a, MEM-33
fn two_names_of_one_agent_are_one_voice() {
    let (memory, maker) = memory();
    memory.memorize(&caller(PERSON, CHERRY), &doctrine("Tabs", "use tabs")).unwrap();
    let is_live = || memory.look_at(&maker, "Tabs", Tier::Medulla).unwrap().claim.is_some();
    for name in ["codex", MAKER] {
        assert_eq!(judged(&memory, &caller(name, CHERRY), "Tabs", Some("medulla")), "ok");
        assert!(is_live(), "{name}: one agent disputes it and does not take it out");
    }
    assert_eq!(judged(&memory, &caller("claude:maker", CHERRY), "Tabs", Some("medulla")), "ok");
    assert!(!is_live(), "a second agent calls it wrong too");
}
