//! What a name means: of an agent, and of a claim.

use crate::world::{
    CHERRY, MAKER, PERSON, PLUM, Short as _, caller, claim, clock, code, doctrine, service, two_repositories,
};
use brainstem_base::Coded as _;
use brainstem_memory::{
    Caller, Confirmation, DelegateRequest, DoctorRequest, ForgetRequest, LearnRequest, ListRequest,
    MemorizeRequest, Memory, PromoteRequest, RenameRequest, ResolveRequest, Tier, Verdict, VerifyRequest,
    WriteTier,
};
use brainstem_transfer::mixed_medulla;
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

fn judged(memory: &Memory, who: &Caller, label: &str, tier: Option<WriteTier>) -> &'static str {
    let request = LearnRequest { label: label.into(), verdict: Verdict::Wrong, note: None, tier };
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
        assert_eq!(judged(&memory, &caller(name, CHERRY), "Tabs", Some(WriteTier::Medulla)), "ok");
        assert!(is_live(), "{name}: one agent disputes it and does not take it out");
    }
    assert_eq!(judged(&memory, &caller("claude:maker", CHERRY), "Tabs", Some(WriteTier::Medulla)), "ok");
    assert!(!is_live(), "a second agent calls it wrong too");
}

#[test] // spec: MEM-8, MEM-33, MEM-48
fn a_writer_means_a_claim_however_its_label_is_capitalised_or_by_the_name_that_answers_give_it() {
    let (memory, maker) = memory();
    let origin = memory.brains(&maker).unwrap().brains[0].brain.origin();
    for label in ["db port", "DB  PORT", "db-port", &format!("{origin}#db-port")] {
        memory.tell(&maker, "DB port", "5432").unwrap();
        assert_eq!(judged(&memory, &maker, label, None), "ok", "{label}");
        assert!(memory.begin_edit(&maker, label, None).is_ok(), "{label}");
        assert!(memory.look_at(&maker, label, Tier::Both).unwrap().claim.is_some(), "{label}");
        let rename = |label: &str, to: &str| RenameRequest { label: label.into(), to: to.into(), tier: None };
        memory.rename(&maker, &rename(label, "Port")).unwrap_or_else(|error| panic!("{label}: {error}"));
        memory.rename(&maker, &rename("PORT", "DB port")).unwrap();
        assert_eq!(memory.take_back(&maker, label).unwrap().label, "DB port", "{label}");
        memory.tell(&maker, "DB port", "5433").unwrap();
        let forget = ForgetRequest { label: label.into(), confirmation: Confirmation::Given, tier: None };
        assert!(memory.forget(&maker, &forget).unwrap().live, "{label}");
    }
    memory.tell(&maker, "DB port", "5432").unwrap();
    // A label that only looks like it, and the name of a claim of another brain, mean nothing here.
    for label in ["DB ports", "plum@00000000#db-port", &format!("{origin}#nothing"), &format!("{origin}#")] {
        assert_eq!(judged(&memory, &maker, label, None), "claim.not_found", "{label}");
    }
    memory.memorize(&caller(PERSON, CHERRY), &doctrine("Tabs", "use tabs")).unwrap();
    assert_eq!(judged(&memory, &maker, "medulla#tabs", Some(WriteTier::Medulla)), "ok");
}

#[test] // spec: MEM-8, MEM-48
fn a_label_that_was_renamed_leads_to_the_one_its_claim_has_now() {
    let (memory, maker) = memory();
    memory.tell(&maker, "DB port", "5432").unwrap();
    for (label, to) in [("DB port", "Port"), ("Port", "Port of the database")] {
        memory.rename(&maker, &RenameRequest { label: label.into(), to: to.into(), tier: None }).unwrap();
    }
    for old in ["DB port", "db port", "db-port", "Port"] {
        let refused = memory.look_at(&maker, old, Tier::Both).unwrap_err();
        assert_eq!(refused.code().name(), "claim.not_found");
        let told = refused.to_string();
        assert!(told.contains("renamed to \"Port of the database\" by codex:maker on "), "{told}");
        assert_eq!(refused.fix().unwrap(), "give its label now: \"Port of the database\"");
        assert!(memory.take_back(&maker, old).unwrap_err().to_string().contains("renamed"), "{old}");
    }
    // Of a claim that was taken back, its last name shows the history; where all of it is gone, that name is no help.
    memory.take_back(&maker, "Port of the database").unwrap();
    let refused = memory.look_at(&maker, "DB port", Tier::Both).unwrap_err();
    assert!(refused.to_string().contains("renamed to \"Port of the database\""), "{refused}");
    let label = "Port of the database".to_owned();
    memory.forget(&maker, &ForgetRequest { label, tier: None, confirmation: Confirmation::Given }).unwrap();
    let refused = memory.look_at(&maker, "DB port", Tier::Both).unwrap_err();
    assert!(!refused.to_string().contains("renamed"), "{refused}");
}

#[test] // spec: MEM-6
fn a_claim_that_rests_on_no_claim_is_written_and_told() {
    let (memory, maker) = memory();
    memory.tell(&maker, "Orders", "in a table").unwrap();
    memory.memorize(&caller(PERSON, PLUM), &doctrine("Tabs", "use tabs")).unwrap();
    let resting = |labels: &[&str]| MemorizeRequest {
        depends_on: labels.iter().map(|label| (*label).to_owned()).collect(),
        ..claim("Refunds", &format!("of {} things", labels.len()))
    };
    let notes = memory.memorize(&maker, &resting(&["Orders", "Tabs", "No such"])).unwrap().notes;
    assert_eq!(notes, ["it rests on what no claim is called: \"No such\""]);
    assert_eq!(
        memory.memorize(&maker, &resting(&["orders", "tabs"])).unwrap().notes.len(),
        1,
        "what it rested on"
    );
}

/// A token that is none, as the name of a claim's file spells it, and one that differs in its last letter.
fn tokens() -> [String; 2] {
    let token = format!("xoxb-{}-{}-fgqwmnbvcxzaslkjhgfdpoi", "263594206564", "2343594206564");
    [format!("{token}u"), format!("{token}v")]
}

/// What each verb that takes a label answers for this one.
fn answers(memory: &Memory, who: &Caller, label: &str) -> Vec<(&'static str, &'static str)> {
    let text = || label.to_owned();
    let verify = VerifyRequest { label: Some(text()), tier: Tier::Both, limit: 9 };
    let promote = PromoteRequest { label: text(), reason: "r".into(), ..PromoteRequest::default() };
    let seeded = DelegateRequest { seeds: vec![text()], task: "t".into(), ..DelegateRequest::default() };
    let resolve =
        ResolveRequest { label: Some(text()), take: Some("ours".into()), ..ResolveRequest::default() };
    let rename = |label: &str, to: &str| RenameRequest { label: label.into(), to: to.into(), tier: None };
    let rests = MemorizeRequest { depends_on: vec![text()], ..claim("Rests", "on it") };
    vec![
        ("show", code(memory.look_at(who, label, Tier::Both))),
        ("verify", code(memory.verify(who, &verify))),
        ("edit", code(memory.begin_edit(who, label, None))),
        ("learn", judged(memory, who, label, None)),
        ("retract", code(memory.take_back(who, label))),
        ("promote", code(memory.promote(who, &promote))),
        ("rename", code(memory.rename(who, &rename(label, "Other")))),
        ("rename to", code(memory.rename(who, &rename("Good One", label)))),
        ("resolve", code(memory.resolve(who, &resolve))),
        ("delegate", code(memory.delegate(who, &seeded, &|packet| packet))),
        ("memorize", code(memory.tell(who, label, "words"))),
        ("depends on", code(memory.memorize(who, &rests))),
        (
            "forget",
            code(memory.forget(
                who,
                &ForgetRequest { label: text(), tier: None, confirmation: Confirmation::Given },
            )),
        ),
    ]
}

#[test] // spec: MEM-14a, MEM-14
fn a_label_that_spells_a_secret_is_refused_whether_a_claim_has_it_or_not() {
    let disk = two_repositories();
    let (memory, maker) = (service(Arc::new(disk.clone()), &clock()), caller(MAKER, CHERRY));
    memory.begin(&maker).unwrap();
    let good = memory.tell(&maker, "Good One", "plain words").unwrap();
    let [there, wrong] = tokens();
    let file = String::from_utf8(disk.dump()[&good.path].clone()).unwrap();
    let path = good.path.with_file_name(format!("{there}.light.md"));
    disk.write_raw(&path, file.replace("Good One", &there).as_bytes());
    for spelled in [|name: &str| name.to_owned(), |name: &str| name.replace('-', " "), str::to_uppercase] {
        for label in [&there, &wrong] {
            for (verb, answer) in answers(&memory, &maker, &spelled(label)) {
                assert_eq!(answer, "hygiene.secret", "{verb} {}", spelled(label));
            }
        }
    }
    assert!(disk.dump().contains_key(&path), "what was refused did nothing");
    assert!(!disk.dump().keys().any(|path| path.display().to_string().contains(&wrong)));
    // The doctor names it, so that a person can mend it.
    let told = format!(
        "{:?}",
        memory.doctor(&maker, &DoctorRequest::new(mixed_medulla), &|_, _| {}).unwrap().findings
    );
    assert!(told.contains("ClaimSecret") && told.contains("agent-memory"), "{told}");
    assert!(!told.contains(&there), "{told}");
}
