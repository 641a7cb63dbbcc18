//! What is on record about the medulla, what is there without a record, and what consolidating does.

use crate::answered::{Answered, assert_answered};
use crate::promote::{ORCHESTRATOR, acts, asked, judge_wrong, promote};
use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, claim, clock, code, doctrine, files_below,
    service, two_repositories,
};
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{Disk as _, SimDisk, UnsyncedFate};
use brainstem_memory::{
    BrainScope, Caller, Confirmation, ConsolidateAs, ConsolidateRequest, Consolidated, DoctorRequest,
    ForgetRequest, LearnRequest, MemorizeRequest, Memory, PromoteAs, PromoteRequest, Promotions,
    PromotionsRequest, Reaffirm, Tier, Verdict, WriteTier,
};
use brainstem_transfer::mixed_medulla;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

const DAY: i64 = 86_400_000;

fn world() -> (SimDisk, Arc<ManualClock>, Memory) {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    for root in [CHERRY, PLUM] {
        memory.begin(&caller(MAKER, root)).unwrap();
    }
    (disk, clock, memory)
}

fn audit(memory: &Memory, who: &Caller) -> Promotions {
    memory.promotions(who, &PromotionsRequest { brains: BrainScope::Own, limit: 100 }).unwrap()
}

/// What, who, the slug, how and what became of it; oldest first.
fn told(audit: &Promotions) -> Vec<String> {
    let entries = audit.entries.iter().rev().map(|entry| {
        let slug = entry.version.split('@').next().unwrap_or_default();
        let by = entry.by.as_deref().unwrap_or("-");
        let standing = entry.standing.map_or("-", |standing| standing.as_str());
        format!("{} {} {slug} {by} {standing}", entry.what.as_str(), entry.agent)
    });
    entries.collect()
}

fn consolidate(memory: &Memory, who: &Caller, apply: bool) -> Consolidated {
    memory.consolidate(who, &ConsolidateRequest { how: ConsolidateAs::of_flag(apply) }).unwrap()
}

fn kinds(found: &Consolidated) -> Vec<(&'static str, &str, bool)> {
    found.rows.iter().map(|row| (row.kind.as_str(), row.label.as_str(), row.is_safe)).collect()
}

#[test] // spec: MEM-35, MEM-3c, MEM-33
fn every_crossing_is_one_entry_with_who_when_why_and_on_what_ground() {
    let (disk, clock, memory) = world();
    let (maker, boss, plum) = (caller(MAKER, CHERRY), caller(ORCHESTRATOR, CHERRY), caller(PERSON, PLUM));
    let step = || clock.advance(1_000);
    memory.tell(&maker, "Retry policy", "Three times.").unwrap();
    memory.tell(&maker, "Page size", "Fifty rows.").unwrap();
    for label in ["Retry policy", "Page size"] {
        memory.promote(&maker, &PromoteRequest { how: PromoteAs::Propose, ..asked(label) }).unwrap();
        step();
    }
    promote(&memory, &boss, "Retry policy").unwrap();
    step();
    promote(&memory, &maker, "Page size").unwrap();
    step();
    judge_wrong(&memory, &plum, "Retry policy");
    step();
    memory.memorize(&caller(MAKER, PLUM), &doctrine("Page size", "moved_to: cherry@0#page-size")).unwrap();
    step();
    memory.tell(&maker, "Tabs", "Four columns.").unwrap();
    memory.promote(&maker, &PromoteRequest { how: PromoteAs::Propose, ..asked("Tabs") }).unwrap();
    let found = audit(&memory, &boss);
    assert_eq!(
        told(&found),
        [
            "proposal codex:maker retry-policy - promoted",
            "proposal codex:maker page-size - promoted",
            "promotion claude:orchestrator retry-policy - unshared",
            "promotion codex:maker page-size - unshared",
            "violation codex:maker page-size promote -",
            "demotion human:ana retry-policy learn -",
            "violation codex:maker page-size memorize -",
            "demotion codex:maker page-size memorize -",
            "proposal codex:maker tabs - open",
        ]
    );
    let promotion = found.entries.iter().find(|entry| entry.agent == ORCHESTRATOR).unwrap();
    assert_eq!(promotion.reason.as_deref(), Some("it holds in plum too"));
    assert_eq!(promotion.ground.as_deref(), Some("telemetry"));
    assert_eq!(promotion.label.as_deref(), Some("Retry policy"));
    assert!(promotion.origin_claim.as_deref().unwrap().starts_with("cherry@"), "{promotion:?}");
    assert!(promotion.at.is_some());
    let demotion = found.entries.iter().find(|entry| entry.by.as_deref() == Some("learn")).unwrap();
    assert_eq!(demotion.reason.as_deref(), Some("not in plum"));
    assert_eq!((found.unaccounted.len(), found.gaps.len(), found.owner.clone()), (0, 0, None));

    // A project's proposals are its own, unless every brain is asked for.
    let elsewhere = |brains| memory.promotions(&plum, &PromotionsRequest { brains, limit: 100 }).unwrap();
    let proposals =
        |found: &Promotions| told(found).iter().filter(|line| line.starts_with("proposal")).count();
    assert_eq!((proposals(&elsewhere(BrainScope::Own)), proposals(&elsewhere(BrainScope::All))), (0, 3));
    let cut = memory.promotions(&boss, &PromotionsRequest { brains: BrainScope::Own, limit: 2 }).unwrap();
    assert_eq!((cut.entries.len(), cut.left_out), (2, 7));

    disk.write_raw(Path::new(HOME).join("config.toml"), b"owner = \"human:ana\"\n");
    assert_eq!(audit(&memory, &boss).owner.as_deref(), Some("human:ana"));
    // A claim that says something else by now answers no proposal.
    memory.tell(&maker, "Tabs", "Eight columns.").unwrap();
    assert_eq!(told(&audit(&memory, &boss)).last().unwrap(), "proposal codex:maker tabs - outdated");
}

#[test] // spec: MEM-35, MEM-43, MEM-48
fn what_no_act_explains_is_listed_by_audit_doctor_and_consolidate() {
    let (disk, clock, memory) = world();
    let boss = caller(ORCHESTRATOR, CHERRY);
    memory.tell(&caller(MAKER, CHERRY), "Retry policy", "Three times.").unwrap();
    let path = promote(&memory, &boss, "Retry policy").unwrap().medulla_path.unwrap();
    memory.memorize(&boss, &doctrine("Commit style", "One thing per commit.")).unwrap();
    let names = |memory: &Memory| -> Vec<String> {
        audit(memory, &boss).unaccounted.into_iter().map(|row| row.label).collect()
    };
    let findings = |memory: &Memory| -> Vec<&'static str> {
        let found = memory.doctor(&boss, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
        let names = found.into_iter().map(|finding| finding.trouble.name());
        names.filter(|name| name.starts_with("medulla")).collect()
    };
    assert_eq!((names(&memory), findings(&memory)), (vec![], vec![]));
    let copy = String::from_utf8(disk.dump()[&path].clone()).unwrap();
    let forged = copy.replace("Retry policy", "Forged").replace("Three times.", "Four times.");
    disk.write_raw(path.with_file_name("forged.light.md"), forged.as_bytes());
    disk.write_raw(
        path.with_file_name("bare.light.md"),
        b"---\nProtocol: L1GHT/1.0\nNode: Bare\n---\n\n# Bare\n\nno origin\n",
    );
    assert_eq!(names(&memory), ["Forged", "Bare"]);
    assert_eq!(findings(&memory), ["medulla_origin_unknown", "medulla_unaccounted"]);
    let found = consolidate(&memory, &boss, true);
    let unaccounted: Vec<_> = found.rows.iter().filter(|row| row.kind.as_str() == "unaccounted").collect();
    assert!(unaccounted.len() == 2 && unaccounted.iter().all(|row| row.history.is_none()), "{found:?}");
    // The fix that is told is one.
    let vouch = MemorizeRequest { reaffirm: Reaffirm::Always, ..doctrine("Bare", "no origin") };
    clock.advance(1_000);
    memory.memorize(&boss, &vouch).unwrap();
    assert_eq!(names(&memory).iter().filter(|name| *name == "Bare").count(), 0);
}

#[test] // spec: MEM-38, MEM-3c
fn consolidate_proposes_and_applies_only_what_is_safe_each_on_record() {
    let (disk, clock, memory) = world();
    let (maker, boss) = (caller(MAKER, CHERRY), caller(ORCHESTRATOR, CHERRY));
    for (label, text) in [
        ("Superseded", "the gateway drops idle connections"),
        ("Retracted", "the nightly build takes an hour"),
        ("Wrong", "the search index is rebuilt on start"),
        ("Fine", "every timestamp is in universal time"),
    ] {
        memory.tell(&maker, label, text).unwrap();
        promote(&memory, &boss, label).unwrap();
    }
    clock.advance(1_000);
    // To affirm is not to say something else.
    let affirmed = MemorizeRequest {
        reaffirm: Reaffirm::Always,
        ..claim("Fine", "every timestamp is in universal time")
    };
    memory.memorize(&maker, &affirmed).unwrap();
    memory.tell(&maker, "Superseded", "the gateway keeps idle connections for a minute").unwrap();
    memory.take_back(&maker, "Retracted").unwrap();
    let wrong = LearnRequest { label: "Wrong".into(), verdict: Verdict::Wrong, note: None, tier: None };
    memory.learn(&maker, &wrong).unwrap();
    for (label, text) in [
        ("Style a", "One thing per commit, in the form area: what."),
        ("Style b", "One thing per commit,  in the form area: what."),
        ("Style c", "One thing per commit, in the form of area: what"),
    ] {
        memory.memorize(&boss, &doctrine(label, text)).unwrap();
        clock.advance(1_000);
    }
    let tagged = MemorizeRequest {
        tags: vec!["git".into()],
        ..doctrine("Style d", "One thing per commit, in the form area: what.")
    };
    memory.memorize(&boss, &tagged).unwrap();
    disk.write_raw(
        format!("{CHERRY}/AGENTS.md"),
        b"# Rules\n\n- Every timestamp is in universal time (UTC).\n",
    );
    let expected = [
        ("wrong_marked", "Wrong", true),
        ("witness_retracted", "Retracted", true),
        ("duplicate", "Style b", true),
        ("duplicate", "Style d", false),
        ("witness_superseded", "Superseded", false),
        ("near_duplicate", "Style c", false),
        ("restates_host", "Fine", false),
    ];
    let before = files_below(&disk, "/");
    let dry = consolidate(&memory, &boss, false);
    assert_eq!(kinds(&dry), expected);
    assert!(
        dry.rows.iter().all(|row| !row.reason.is_empty() && !row.would.is_empty() && row.history.is_none())
    );
    assert_eq!(files_below(&disk, "/"), before, "a dry run changes nothing");
    assert_eq!((dry.medulla_count, dry.soft_cap, dry.hard_cap), (8, 200, 300));
    let host = dry.rows.iter().find(|row| row.label == "Fine").unwrap();
    assert!(host.reason.contains("AGENTS.md#L3"), "{}", host.reason);

    let witnesses = |disk: &SimDisk| {
        let mut files = files_below(disk, HOME);
        files.retain(|path, _| path.starts_with(Path::new(HOME).join("project-brains")));
        files
    };
    let kept = witnesses(&disk);
    let done = consolidate(&memory, &boss, true);
    let gone: Vec<&str> =
        done.rows.iter().filter(|row| row.history.is_some()).map(|row| row.label.as_str()).collect();
    assert_eq!(gone, ["Wrong", "Retracted", "Style b"]);
    assert_eq!(witnesses(&disk), kept, "the witnesses are as they were");
    assert_eq!(done.medulla_count, 5);
    let taken: Vec<_> = acts(&disk).into_iter().filter(|act| act.data["by"] == "consolidate").collect();
    assert_eq!(taken.len(), 3);
    assert!(taken.iter().all(|act| act.act == "retract" && act.data["reason"].is_string()));
    let demotions =
        audit(&memory, &boss).entries.into_iter().filter(|entry| entry.by.as_deref() == Some("consolidate"));
    assert_eq!(demotions.count(), 3);
    let shown = memory.look_at(&boss, "Wrong", Tier::Project).unwrap();
    assert!(shown.sharing.unwrap().sentence().contains("un-shared on"), "MEM-3b");
    assert_eq!(consolidate(&memory, &boss, true).rows.iter().filter(|row| row.history.is_some()).count(), 0);
    assert!(acts(&disk).iter().all(|act| act.act != "etiquette_violation"));
}

#[test] // spec: MEM-38, MEM-35
fn a_maker_that_consolidates_is_on_record_and_old_claims_are_named() {
    let (disk, clock, memory) = world();
    let maker = caller(MAKER, CHERRY);
    for label in ["One", "Two"] {
        memory.memorize(&caller(PERSON, PLUM), &doctrine(label, "the same words in both of them")).unwrap();
        clock.advance(1_000);
    }
    let done = consolidate(&memory, &maker, true);
    assert!(done.notes.iter().any(|note| note.contains("codex:maker is on record")), "{:?}", done.notes);
    assert_eq!(acts(&disk).iter().filter(|act| act.act == "etiquette_violation").count(), 1);
    clock.advance(31 * DAY);
    let found = consolidate(&memory, &maker, true);
    assert_eq!(kinds(&found), [("aged", "One", false)]);
    assert!(found.rows[0].reason.starts_with("it is 31 days old"), "{}", found.rows[0].reason);
}

#[test] // spec: MEM-38, MEM-13
fn a_consolidation_that_was_cut_off_is_completed_by_its_repeat() {
    let (prepared, clock, memory) = world();
    for label in ["One", "Two", "Three"] {
        memory.memorize(&caller(PERSON, PLUM), &doctrine(label, "the same words in all of them")).unwrap();
        clock.advance(1_000);
    }
    let ask = crate::power_loss::call(|memory: &Memory| {
        memory.consolidate(&caller(PERSON, PLUM), &ConsolidateRequest { how: ConsolidateAs::Apply })
    });
    crate::power_loss::crashed(&prepared, &ask, |found, told| {
        ask(&service(Arc::new(found.clone()), &crate::power_loss::later())).unwrap();
        let found = found.reboot(UnsyncedFate::Lost);
        let memory = service(Arc::new(found.clone()), &crate::power_loss::later());
        let rows = memory.all(&caller(PERSON, PLUM)).rows;
        assert_eq!(rows.iter().map(|row| row.label.as_str()).collect::<Vec<_>>(), ["One"], "{told}");
        let taken: Vec<String> =
            acts(&found).into_iter().filter(|act| act.act == "retract").map(|act| act.id).collect();
        assert_eq!(taken.len(), 2, "{told}");
        for label in ["Two", "Three"] {
            let shown = memory.look_at(&caller(PERSON, PLUM), label, Tier::Medulla).unwrap();
            assert_eq!((shown.claim.is_none(), shown.history.len()), (true, 1), "{told}");
        }
    });
}

#[test] // spec: MEM-37
fn the_count_is_told_from_the_soft_cap_on() {
    let (disk, _clock, memory) = world();
    let boss = caller(ORCHESTRATOR, CHERRY);
    memory.tell(&boss, "Retry policy", "Three times.").unwrap();
    memory.tell(&boss, "Page size", "Fifty rows.").unwrap();
    for number in 0..199 {
        let text = format!(
            "---\nProtocol: L1GHT/1.0\nNode: n{number}\nOrigin-Brain: medulla\n---\n\n# n{number}\n\nnumber {number}\n"
        );
        disk.write_raw(Path::new(HOME).join(format!("agent-memory/n{number}.light.md")), text.as_bytes());
    }
    let at = promote(&memory, &boss, "Retry policy").unwrap();
    assert!(
        at.medulla_count == Some(200) && at.notes.iter().any(|note| note.contains("200 claims")),
        "{at:?}"
    );
    let told = |label: &str, text: &str| memory.memorize(&boss, &doctrine(label, text)).unwrap().notes;
    let is_said = |notes: &[brainstem_base::Advice]| notes.iter().any(|note| note.contains("201 claims"));
    let added = told("Commit style", "One thing per commit.");
    assert!(is_said(&added), "{added:?}");
    let replaced = told("Commit style", "One thing per commit, with its test.");
    assert!(!is_said(&replaced), "nothing is added: {replaced:?}");
    disk.write_raw(Path::new(HOME).join("agent-memory/n0.light.md"), b"");
    assert!(consolidate(&memory, &boss, false).notes.iter().any(|note| note.contains("warehouse")));
}

#[test] // spec: MEM-48, MEM-35
fn what_is_forgotten_leaves_no_word_in_the_audit() {
    let (_disk, _clock, memory) = world();
    let boss = caller(ORCHESTRATOR, CHERRY);
    memory.tell(&boss, "Zebra", "stripes").unwrap();
    memory
        .promote(
            &boss,
            &PromoteRequest {
                how: PromoteAs::Propose,
                reason: "zebras are everywhere".into(),
                ..asked("Zebra")
            },
        )
        .unwrap();
    memory
        .promote(&boss, &PromoteRequest { reason: "zebras are everywhere".into(), ..asked("Zebra") })
        .unwrap();
    for tier in [None, Some(WriteTier::Medulla)] {
        let request = ForgetRequest { label: "Zebra".into(), confirmation: Confirmation::Given, tier };
        memory.forget(&boss, &request).unwrap();
    }
    let found = audit(&memory, &boss);
    assert_eq!(found.entries.len(), 2, "that something was done stays");
    assert!(!format!("{found:?}").to_lowercase().contains("zebra"), "{found:?}");
    assert_eq!(code(memory.promote(&boss, &asked("Zebra"))), "claim.not_found");
    memory.memorize(&boss, &claim("Zebra", "spots")).unwrap();
    promote(&memory, &boss, "Zebra").unwrap();
}

#[test] // spec: MEM-38, MEM-3a
fn a_witness_that_cannot_be_read_is_a_gap_and_no_candidate() {
    let (disk, clock, memory) = world();
    let boss = caller(ORCHESTRATOR, CHERRY);
    memory.tell(&boss, "Retry policy", "Three times.").unwrap();
    clock.advance(1_000);
    let witness = promote(&memory, &boss, "Retry policy").unwrap().witness_path;
    let brain = memory.begin(&boss).unwrap().brain;
    let whole = disk.dump();
    let log =
        whole.keys().find(|path| path.starts_with(&brain.folder) && path.ends_with("acts.jsonl")).unwrap();
    let spoiled = [
        (witness.clone(), "unreadable_claim"),
        (log.clone(), "acts_unreadable"),
        (brain.folder.join("brain.json"), "unreadable_brain"),
        (brain.folder.join("root.json"), "unreadable_brain"),
    ];
    for (path, code) in spoiled {
        assert_eq!(kinds(&consolidate(&memory, &boss, false)), [], "as it should be");
        disk.unlink(&path).unwrap();
        // Nothing can read a folder as a file.
        disk.make_dirs(&path);
        let found = consolidate(&service(Arc::new(disk.clone()), &clock), &caller(PERSON, PLUM), true);
        assert_eq!(kinds(&found), [], "{}", path.display());
        let gap = found.gaps.iter().find(|gap| gap.name == code);
        assert!(gap.is_some(), "{}: {:?}", path.display(), found.gaps);
        assert!(!found.gaps.iter().any(|gap| gap.detail.contains("not in this home")), "{:?}", found.gaps);
        assert!(
            !found.gaps.iter().any(|gap| gap.detail.contains("root.json is missing")),
            "{:?}",
            found.gaps
        );
        disk.remove_dir(&path).unwrap();
        disk.write_raw(&path, &whole[&path]);
    }
    disk.write_raw(&witness, b"<<<<<<< ours\nnonsense\n");
    let found = consolidate(&memory, &caller(PERSON, PLUM), true);
    assert_eq!((kinds(&found).len(), found.gaps[0].name), (0, "unreadable_claim"));
}

#[test] // spec: MEM-38
fn what_is_taken_out_is_not_named_as_what_stays() {
    let (_disk, clock, memory) = world();
    let (maker, boss) = (caller(MAKER, CHERRY), caller(ORCHESTRATOR, CHERRY));
    memory.tell(&maker, "Style", "One thing per commit, in the form area: what.").unwrap();
    promote(&memory, &boss, "Style").unwrap();
    clock.advance(1_000);
    memory.memorize(&boss, &doctrine("Form", "One thing per commit, in the form of area: what")).unwrap();
    let wrong = LearnRequest { label: "Style".into(), verdict: Verdict::Wrong, note: None, tier: None };
    memory.learn(&maker, &wrong).unwrap();
    let looked = consolidate(&memory, &boss, false);
    assert_eq!(kinds(&looked), [("wrong_marked", "Style", true), ("near_duplicate", "Form", false)]);
    assert_eq!(kinds(&consolidate(&memory, &boss, true)), [("wrong_marked", "Style", true)]);
}

#[test] // spec: MEM-34, MEM-48, MEM-33
fn who_takes_a_copy_out_is_told_what_became_of_its_original() {
    let told = |leave: &dyn Fn(&Memory, &Caller)| {
        let (_, clock, memory) = world();
        let boss = caller(ORCHESTRATOR, CHERRY);
        memory.tell(&boss, "Retry policy", "Three times.").unwrap();
        clock.advance(1_000);
        promote(&memory, &boss, "Retry policy").unwrap();
        clock.advance(1_000);
        leave(&memory, &boss);
        let request = LearnRequest {
            label: "Retry policy".into(),
            verdict: Verdict::Wrong,
            note: None,
            tier: Some(WriteTier::Medulla),
        };
        memory.learn(&boss, &request).unwrap().notes
    };
    let (mut answered, forgotten) = (Answered::default(), RefCell::default());
    answered.notes("its original stays", &told(&|_, _| ()));
    let notes = told(&|memory, boss| drop(memory.take_back(boss, "Retry policy").unwrap()));
    answered.notes("its original was retracted", &notes);
    let notes = told(&|memory, boss| drop(memory.tell(boss, "Retry policy", "Five times.").unwrap()));
    answered.notes("its original was written over", &notes);
    let notes = told(&|memory, boss| {
        let request =
            ForgetRequest { label: "Retry policy".into(), tier: None, confirmation: Confirmation::Given };
        forgotten.replace(memory.forget(boss, &request).unwrap().notes);
    });
    answered.notes("its original is forgotten", &forgotten.take());
    answered.notes("its original was forgotten", &notes);
    assert_answered!(answered);
}

#[test] // spec: MEM-38
fn the_fix_for_a_witness_that_is_gone_can_be_followed() {
    let (_, clock, memory) = world();
    let boss = caller(ORCHESTRATOR, CHERRY);
    memory.tell(&boss, "Retry policy", "Three times.").unwrap();
    clock.advance(1_000);
    promote(&memory, &boss, "Retry policy").unwrap();
    let request =
        ForgetRequest { label: "Retry policy".into(), tier: None, confirmation: Confirmation::Given };
    memory.forget(&boss, &request).unwrap();
    clock.advance(1_000);
    let found = consolidate(&memory, &boss, false);
    assert_eq!(kinds(&found), [("witness_gone", "Retry policy", false)]);
    let fix = &found.rows[0].would;
    for step in [
        "brainstem learn 'Retry policy' wrong --tier medulla",
        "brainstem forget 'Retry policy' --tier medulla --yes",
        "brainstem memorize 'Retry policy' --text TEXT",
    ] {
        assert!(fix.contains(step), "{fix}");
    }
    // The longest way: written down again, and promoted again.
    assert!(promote(&memory, &boss, "Retry policy").is_err());
    memory.tell(&boss, "Retry policy", "Three times.").unwrap();
    clock.advance(1_000);
    promote(&memory, &boss, "Retry policy").unwrap();
    assert_eq!(kinds(&consolidate(&memory, &boss, false)), []);
}
