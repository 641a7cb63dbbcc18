//! Promotion: a copy in the medulla, a witness in the project, an act in the log, whatever happens between.

use crate::act_line::Act;
use crate::answered::{Answered, assert_answered};
use crate::power_loss::{call, crashed, found_after, later};
use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, claim, clock, code, doctrine, files_below,
    service, two_repositories,
};
use brainstem_base::Coded as _;
use brainstem_base::disk::{Disk as _, SimDisk, UnsyncedFate};
use brainstem_claims::Claim;
use brainstem_claims::State;
use brainstem_claims::light::keys;
use brainstem_memory::{
    BrainScope, Caller, Confirmation, ConsolidateRequest, DoctorRequest, ForgetRequest, HandshakeRequest,
    InitRequest, LearnRequest, MemorizeRequest, Memory, MemoryError, PromoteAs, PromoteRequest, Promoted,
    PromotionsRequest, RenameRequest, Tier, Verdict, WriteTier,
};
use brainstem_transfer::{ImportRequest, Transfer, mixed_medulla};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) const ORCHESTRATOR: &str = "claude:orchestrator";

fn into_the_medulla() -> ImportRequest {
    ImportRequest {
        path: "/tmp/in".into(),
        tier: Some("medulla".into()),
        from: None,
        sort: false,
        dry_run: false,
    }
}

pub(crate) fn asked(label: &str) -> PromoteRequest {
    PromoteRequest {
        label: label.into(),
        reason: "it holds in plum too".into(),
        because: Some("telemetry".into()),
        ..PromoteRequest::default()
    }
}

pub(crate) fn promote(memory: &Memory, who: &Caller, label: &str) -> Result<Promoted, MemoryError> {
    memory.promote(who, &asked(label))
}

pub(crate) fn judge_wrong(memory: &Memory, who: &Caller, label: &str) {
    let request = LearnRequest {
        label: label.into(),
        verdict: Verdict::Wrong,
        note: Some("not in plum".into()),
        tier: Some(WriteTier::Medulla),
    };
    memory.learn(who, &request).unwrap();
}

/// The acts of every log, each line once.
pub(crate) fn acts(disk: &SimDisk) -> Vec<Act> {
    let logs = files_below(disk, "/").into_iter().filter(|(path, _)| path.ends_with("acts.jsonl"));
    let lines =
        logs.flat_map(|(_, bytes)| bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>());
    lines.filter_map(|line| serde_json::from_slice(&line).ok()).collect()
}

fn named(disk: &SimDisk, name: &str) -> Vec<Act> {
    acts(disk).into_iter().filter(|act| act.act == name).collect()
}

/// A project with a claim, whose evidence is there.
fn learned() -> (SimDisk, Arc<brainstem_base::clock::ManualClock>, Memory) {
    let (disk, clock) = (two_repositories(), clock());
    disk.write_raw(format!("{CHERRY}/src/retry.rs"), b"const TRIES: u32 = 3;\n");
    let memory = service(Arc::new(disk.clone()), &clock);
    for root in [CHERRY, PLUM] {
        memory.begin(&caller(MAKER, root)).unwrap();
    }
    let request = MemorizeRequest {
        evidence: vec!["src/retry.rs#L1".into()],
        tags: vec!["net".into()],
        title: Some("How often".into()),
        ..claim("Retry policy", "Three times, then give up.")
    };
    memory.memorize(&caller(MAKER, CHERRY), &request).unwrap();
    clock.advance(60_000);
    (disk, clock, memory)
}

fn live(disk: &SimDisk, path: &Path) -> Claim {
    Claim::parse(&disk.read(path, 1 << 20).unwrap()).unwrap()
}

#[test] // spec: MEM-34, MEM-34a, MEM-36, MEM-3a, IF-21
fn a_promoted_claim_is_in_every_projects_beat_with_its_chain() {
    let (disk, clock, memory) = learned();
    let (boss, plum) = (caller(ORCHESTRATOR, CHERRY), caller(MAKER, PLUM));
    assert_eq!(memory.beat(&plum, "how often do we retry").memory.len(), 0, "private until it is promoted");
    let before =
        live(&disk, &memory.look_at(&boss, "Retry policy", Tier::Project).unwrap().claim.unwrap().path);
    let promoted = promote(&memory, &boss, "Retry policy").unwrap();
    assert_eq!((promoted.medulla_count, promoted.soft_cap, promoted.unchanged), (Some(1), 200, false));
    let told = "learned in cherry by codex:maker on 2026-07-04; promoted by claude:orchestrator on 2026-07-04: it holds in plum too";
    assert_eq!(promoted.chain, told);

    let copy = live(&disk, promoted.medulla_path.as_ref().unwrap());
    assert_eq!((&copy.title, &copy.text, &copy.tags), (&before.title, &before.text, &before.tags));
    assert_eq!(copy.source_agent.as_deref(), Some(MAKER));
    assert_eq!(copy.created.unwrap().ms(), before.created.unwrap().ms() + 60_000);
    assert_eq!(copy.file.get(keys::ORIGIN_CREATED), before.created.map(|at| at.ms().to_string()));
    assert_eq!(copy.evidence[0].path, format!("{CHERRY}/src/retry.rs"));
    assert_eq!(copy.evidence[0].hash, before.evidence[0].hash);
    assert_eq!(copy.file.get(keys::PROMOTION_GROUND).as_deref(), Some("telemetry"));

    let witness = live(&disk, &promoted.witness_path);
    let mut expected = before.file.clone();
    expected.set(keys::PROMOTED_TO, &format!("medulla@retry-policy@{}", copy.created.unwrap().ms()));
    assert_eq!(witness.file, expected, "one line more, and every other byte as it was");
    let shown = memory.look_at(&boss, "Retry policy", Tier::Project).unwrap();
    assert_eq!(shown.history.len(), 0, "a stamp makes no version");
    let history = Path::new(&promoted.witness_path).with_file_name(".history");
    assert_eq!(files_below(&disk, history).len(), 1, "history keeps the file before");
    assert!(!shown.claim.as_ref().unwrap().resurrected);
    assert_eq!(shown.claim.unwrap().lifecycle.as_str(), "project_private");
    assert_eq!(shown.sharing.unwrap().sentence(), "shared with every project since 2026-07-04");

    clock.advance(1_000);
    for memory in [memory.clone(), service(Arc::new(disk.clone()), &clock)] {
        let beat = memory.beat(&plum, "how often do we retry");
        let row = &beat.memory[0];
        assert_eq!(
            (row.tier, row.lifecycle.as_str(), row.chain.as_deref()),
            ("medulla", "promoted", Some(told))
        );
        assert_eq!(row.age_ms, Some(61_000), "as old as the original");
        let listed = memory.all(&plum);
        assert_eq!(listed.rows[0].lifecycle.as_str(), "promoted");
        let found = memory.find(&plum, "retry", Tier::Both);
        assert_eq!(found.rows[0].chain.as_deref(), Some(told));
        // Its own project has both, and they say the same.
        assert_eq!(memory.beat(&boss, "retry").conflicts.len(), 0);
    }
    let act = &named(&disk, "promote")[0];
    assert_eq!(
        (act.agent.as_str(), act.subject.clone()),
        (ORCHESTRATOR, format!("retry-policy@{}", copy.created.unwrap().ms()))
    );
    assert!(named(&disk, "etiquette_violation").is_empty());
}

#[test] // spec: MEM-34, IF-21
fn a_finished_promotion_is_repeated_without_a_trace() {
    let (disk, clock, memory) = learned();
    promote(&memory, &caller(ORCHESTRATOR, CHERRY), "Retry policy").unwrap();
    let before = files_below(&disk, "/");
    clock.advance(10_000);
    for (who, reason) in [(ORCHESTRATOR, "it holds in plum too"), (MAKER, "another reason")] {
        let request = PromoteRequest { reason: reason.into(), because: None, ..asked("retry-policy") };
        let again = memory.promote(&caller(who, CHERRY), &request).unwrap();
        assert!(again.unchanged && again.history.is_none());
        assert!(again.chain.contains("by claude:orchestrator"), "{}", again.chain);
    }
    assert_eq!(files_below(&disk, "/"), before);
}

/// Every file but the logs, byte for byte, and every act.
fn state(disk: &SimDisk) -> (BTreeMap<PathBuf, Vec<u8>>, Vec<Act>) {
    let mut files = files_below(disk, "/");
    files.retain(|path, _| !path.ends_with("acts.jsonl"));
    (files, acts(disk))
}

#[test] // spec: MEM-34, MEM-13, MEM-3a
fn a_promotion_that_was_cut_off_anywhere_is_completed_by_its_repeat_once() {
    // In the home, in a repository, over an older copy, and by somebody who is on record for it.
    for (inits, over, who) in
        [(false, false, ORCHESTRATOR), (true, false, ORCHESTRATOR), (false, true, MAKER), (true, true, MAKER)]
    {
        let (prepared, clock, memory) = learned();
        let (maker, boss) = (caller(MAKER, CHERRY), caller(ORCHESTRATOR, CHERRY));
        if inits {
            memory.init(&boss, &InitRequest::default()).unwrap();
        }
        if over {
            promote(&memory, &boss, "Retry policy").unwrap();
            clock.advance(1_000);
            memory.tell(&maker, "Retry policy", "Four times.").unwrap();
        }
        let ask = call(move |memory: &Memory| promote(memory, &caller(who, CHERRY), "Retry policy"));
        let whole = prepared.reboot(UnsyncedFate::Kept);
        ask(&service(Arc::new(whole.clone()), &later())).unwrap();
        let expected = state(&whole);
        assert_eq!(expected.1.iter().filter(|act| act.act == "promote").count(), if over { 2 } else { 1 });
        let mut cut = 0;
        crashed(&prepared, &ask, |found, told| {
            let told = format!("init {inits}, over {over}: {told}");
            let between = service(Arc::new(found.clone()), &later());
            // Whatever was done by then, the witness says what it said, and is live.
            let witness = between.look_at(&maker, "Retry policy", Tier::Project).unwrap().claim.unwrap();
            assert_eq!(
                witness.text,
                if over { "Four times." } else { "Three times, then give up." },
                "{told}"
            );
            assert!(!witness.resurrected, "{told}");
            ask(&between).unwrap();
            assert_eq!(state(found), expected, "{told}");
            let certain = found.reboot(UnsyncedFate::Lost);
            assert_eq!(state(&certain), expected, "{told}, and the power gone");
            ask(&between).unwrap();
            assert_eq!(state(found), expected, "{told}, repeated again");
            cut += 1;
        });
        assert!(cut > 20, "{cut} states were looked at");
        for (fate, found) in found_after(&whole, 0) {
            assert_eq!(state(&found), expected, "answered, so it must be there: {fate:?}");
        }
    }
}

#[test] // spec: MEM-34, MEM-35
fn what_somebody_else_repeats_is_recorded_as_it_was_begun() {
    let (prepared, _clock, _memory) = learned();
    let ask = call(|memory: &Memory| promote(memory, &caller(MAKER, CHERRY), "Retry policy"));
    crashed(&prepared, &ask, |found, told| {
        let memory = service(Arc::new(found.clone()), &later());
        let had_copy = memory.look_at(&caller(MAKER, PLUM), "Retry policy", Tier::Medulla).is_ok();
        promote(&memory, &caller(ORCHESTRATOR, CHERRY), "Retry policy").unwrap();
        let by = if had_copy { MAKER } else { ORCHESTRATOR };
        let acts = named(found, "promote");
        assert_eq!(acts.iter().map(|act| act.agent.as_str()).collect::<Vec<_>>(), [by], "{told}");
        assert_eq!(named(found, "etiquette_violation").len(), usize::from(had_copy), "{told}");
    });
}

#[test] // spec: MEM-35, MEM-10
fn a_makers_promotion_lands_is_marked_and_is_on_record() {
    let (disk, _clock, memory) = learned();
    let promoted = promote(&memory, &caller(MAKER, CHERRY), "Retry policy").unwrap();
    assert!(
        promoted.notes.iter().any(|note| note.contains("codex:maker is on record")),
        "{:?}",
        promoted.notes
    );
    let breach = &named(&disk, "etiquette_violation")[0];
    assert_eq!((breach.agent.as_str(), breach.data["rule"].as_str()), (MAKER, Some("MEM-35")));
    assert_eq!(memory.beat(&caller(MAKER, PLUM), "retry").memory.len(), 1, "it is let through");
}

#[test] // spec: MEM-34, MEM-14, IF-21, IF-26
fn what_cannot_be_promoted_is_refused_and_nothing_is_written() {
    let (disk, _clock, memory) = learned();
    let boss = caller(ORCHESTRATOR, CHERRY);
    // A credential that an editor put there, where no memorize looked at it.
    let path = memory.tell(&caller(MAKER, CHERRY), "Token", "it is in the vault").unwrap().path;
    let text = String::from_utf8(disk.read(&path, 1 << 20).unwrap()).unwrap();
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    disk.write_raw(&path, text.replace("it is in the vault", &token).as_bytes());
    memory.memorize(&caller(PERSON, PLUM), &doctrine("Commit style", "short")).unwrap();
    let before = files_below(&disk, "/");
    let refused = |request: PromoteRequest, expected: &str| {
        let error = memory.promote(&boss, &request).unwrap_err();
        assert_eq!(error.code().name(), expected, "{error}");
        assert!(error.fix().is_some(), "{error}");
        assert_eq!(files_below(&disk, "/"), before, "{expected}");
        error.fix().unwrap()
    };
    let fix = refused(asked("Retry polcy"), "claim.not_found");
    assert!(fix.contains("\"Retry policy\""), "{fix}");
    for how in [PromoteAs::Share, PromoteAs::Propose] {
        let fix = refused(PromoteRequest { how, ..asked("Commit style") }, "claim.not_found");
        assert!(fix.to_string().starts_with("the medulla has it"), "{fix}");
    }
    refused(asked("Token"), "hygiene.secret");
    refused(PromoteRequest { reason: " ".into(), ..asked("Retry policy") }, "input.missing");
    refused(PromoteRequest { reason: "x".repeat(4_097), ..asked("Retry policy") }, "input.bad_value");
    refused(PromoteRequest { reason: token, ..asked("Retry policy") }, "hygiene.secret");
    for because in ["rumour", "observed-in:", &format!("observed-in:{CHERRY}")] {
        refused(PromoteRequest { because: Some(because.into()), ..asked("Retry policy") }, "input.bad_value");
    }
    let nowhere =
        PromoteRequest { because: Some("observed-in:/src/nowhere".into()), ..asked("Retry policy") };
    refused(nowhere, "memory.root_missing");
    let elsewhere = PromoteRequest { brain: Some("/home/ana".into()), ..asked("Retry policy") };
    refused(elsewhere, "memory.brainless_root");
}

#[test] // spec: MEM-34, MEM-11
fn a_weaker_promotion_over_what_the_medulla_has_is_refused() {
    let (disk, _clock, memory) = learned();
    let strong = MemorizeRequest { state: Some(State::Verified), ..doctrine("Retry policy", "Five times.") };
    memory.memorize(&caller(PERSON, PLUM), &strong).unwrap();
    let before = files_below(&disk, "/");
    assert_eq!(code(promote(&memory, &caller(PERSON, CHERRY), "Retry policy")), "claim.would_downgrade");
    memory.memorize(&caller(PERSON, PLUM), &doctrine("retry/policy two", "x")).unwrap();
    assert_eq!(
        files_below(&disk, CHERRY),
        before.into_iter().filter(|(path, _)| path.starts_with(CHERRY)).collect()
    );
    memory.tell(&caller(MAKER, CHERRY), "retry policy two", "y").unwrap();
    assert_eq!(code(promote(&memory, &caller(PERSON, CHERRY), "retry policy two")), "claim.slug_taken");
}

#[test] // spec: IF-21, IF-26
fn a_claim_is_promoted_from_another_root_and_on_a_ground_that_names_a_brain() {
    let (disk, _clock, memory) = learned();
    let observed = |place: &str| PromoteRequest {
        brain: Some(CHERRY.into()),
        because: Some(format!("observed-in:{place}")),
        ..asked("Retry policy")
    };
    let promoted = memory.promote(&caller(PERSON, PLUM), &observed(PLUM)).unwrap();
    let copy = live(&disk, promoted.medulla_path.as_ref().unwrap());
    let ground = copy.file.get(keys::PROMOTION_GROUND).unwrap();
    assert!(ground.starts_with("observed-in:plum@"), "{ground}");
    assert!(copy.origin_claim.unwrap().starts_with("cherry@"));
    assert!(promoted.notes.is_empty(), "{:?}", promoted.notes);
}

#[test] // spec: MEM-34
fn what_leans_on_its_repository_is_told_and_promoted() {
    let (_disk, _clock, memory) = learned();
    let leaning = MemorizeRequest {
        depends_on: vec!["Retry policy".into()],
        ..claim("Deploy", "In this repo, run ./deploy.sh after src/net/mod.rs changed.")
    };
    memory.memorize(&caller(MAKER, CHERRY), &leaning).unwrap();
    let request = PromoteRequest { because: None, ..asked("Deploy") };
    let notes = memory
        .promote(&caller(PERSON, CHERRY), &request)
        .unwrap()
        .notes
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n");
    for word in ["`this repo`", "`./deploy.sh`", "`src/net/mod.rs`", "\"Retry policy\"", "--because"] {
        assert!(notes.contains(word), "{word}: {notes}");
    }
}

#[test] // spec: MEM-3b, MEM-33, MEM-34
fn a_witness_outlives_every_demotion_byte_for_byte_and_is_promoted_again() {
    let (disk, clock, memory) = learned();
    let (boss, plum) = (caller(ORCHESTRATOR, CHERRY), caller(PERSON, PLUM));
    let pointer = "moved_to: cherry@00000000#retry-policy";
    let demotions: [(&str, &dyn Fn()); 3] = [
        ("not in plum", &|| judge_wrong(&memory, &plum, "Retry policy")),
        (pointer, &|| drop(memory.memorize(&plum, &doctrine("Retry policy", pointer)).unwrap())),
        ("it was wrong", &|| {
            let request = brainstem_memory::RetractRequest {
                label: "Retry policy".into(),
                reason: "it was wrong".into(),
                tier: Some(WriteTier::Medulla),
            };
            memory.retract(&plum, &request).unwrap();
        }),
    ];
    for (why, demote) in demotions {
        let promoted = promote(&memory, &boss, "Retry policy").unwrap();
        assert!(!promoted.unchanged, "{why}");
        let witness = disk.read(&promoted.witness_path, 1 << 20).unwrap();
        clock.advance(86_400_000);
        demote();
        assert_eq!(disk.read(&promoted.witness_path, 1 << 20).unwrap(), witness, "{why}");
        let shown = memory.look_at(&boss, "Retry policy", Tier::Project).unwrap();
        assert_eq!(shown.claim.as_ref().unwrap().lifecycle.as_str(), "project_private", "{why}");
        let sentence = shown.sharing.unwrap().sentence();
        assert!(
            sentence.starts_with("un-shared on 2026-07-")
                && sentence.ends_with(&format!("by human:ana: {why}")),
            "{sentence}"
        );
        let rows = memory.find(&plum, "retry policy", Tier::Medulla).rows;
        assert!(rows.iter().all(|row| row.lifecycle.as_str() != "promoted"), "{why}");
    }
    let log = named(&disk, "promote");
    assert_eq!(log.len(), 3);
    assert_eq!(named(&disk, "demote").len(), 1);
    assert_eq!(named(&disk, "retract").len(), 2);
}

#[test] // spec: MEM-33, MEM-3c
fn a_demotion_by_doctrine_that_was_cut_off_is_recorded_by_its_repeat() {
    let (prepared, clock, memory) = learned();
    promote(&memory, &caller(ORCHESTRATOR, CHERRY), "Retry policy").unwrap();
    clock.advance(1_000);
    let ask = call(|memory: &Memory| {
        memory.memorize(&caller(PERSON, PLUM), &doctrine("Retry policy", "Never retry."))
    });
    crashed(&prepared, &ask, |found, told| {
        ask(&service(Arc::new(found.clone()), &later())).unwrap();
        let demoted = named(found, "demote");
        assert_eq!(demoted.len(), 1, "{told}");
        assert_eq!(demoted[0].data["by"], "memorize");
        let shown = service(Arc::new(found.clone()), &later())
            .look_at(&caller(MAKER, CHERRY), "Retry policy", Tier::Project)
            .unwrap();
        assert!(shown.sharing.unwrap().unshared.unwrap().at.is_some(), "{told}");
    });
}

#[test] // spec: MEM-2, MEM-34, MEM-3b
fn git_may_take_a_witness_away_and_it_comes_back_with_its_stamp() {
    let (disk, clock, memory) = learned();
    let boss = caller(ORCHESTRATOR, CHERRY);
    // Once in, out and in again: the copy that is kept is from before the promotion.
    memory.init(&boss, &InitRequest::default()).unwrap();
    memory.eject(&boss, &Default::default()).unwrap();
    promote(&memory, &boss, "Retry policy").unwrap();
    memory.init(&boss, &InitRequest::default()).unwrap();
    let witness = memory.look_at(&boss, "Retry policy", Tier::Project).unwrap().claim.unwrap();
    let bytes = disk.read(&witness.path, 1 << 20).unwrap();
    assert!(String::from_utf8(bytes.clone()).unwrap().contains("Promoted-To: medulla@"));
    assert!(
        !String::from_utf8(bytes.clone()).unwrap().contains(CHERRY),
        "no path of this machine is committed"
    );
    disk.unlink(&witness.path).unwrap();
    let gaps = memory.beat(&boss, "retry").gaps;
    assert!(gaps.iter().any(|gap| gap.detail.contains("not in this checkout")), "{gaps:?}");
    memory.init(&boss, &InitRequest::default()).unwrap();
    assert_eq!(disk.read(&witness.path, 1 << 20).unwrap(), bytes);
    // What is superseded later is gone from there for good.
    clock.advance(1_000);
    memory.tell(&caller(MAKER, CHERRY), "Retry policy", "Four times.").unwrap();
    disk.unlink(&witness.path).unwrap();
    memory.init(&boss, &InitRequest::default()).unwrap();
    assert_eq!(
        memory.look_at(&boss, "Retry policy", Tier::Project).unwrap().claim.unwrap().text,
        "Four times."
    );
}

#[test] // spec: MEM-35
fn a_proposal_is_an_act_in_the_project_and_shares_nothing() {
    let (disk, clock, memory) = learned();
    let maker = caller(MAKER, CHERRY);
    let request = PromoteRequest { how: PromoteAs::Propose, ..asked("Retry policy") };
    let proposed = memory.promote(&maker, &request).unwrap();
    assert!(proposed.proposed && proposed.medulla_path.is_none() && !proposed.unchanged);
    assert!(proposed.chain.ends_with("; proposed by codex:maker on 2026-07-04: it holds in plum too"));
    let witness = disk.read(&proposed.witness_path, 1 << 20).unwrap();
    assert!(!String::from_utf8(witness).unwrap().contains("Promoted"), "the claim is as it was");
    clock.advance(5);
    assert!(memory.promote(&maker, &request).unwrap().unchanged, "said once");
    let other = PromoteRequest { reason: "and in pear".into(), ..request.clone() };
    let again = memory.promote(&maker, &other).unwrap();
    assert!(again.unchanged && again.chain.ends_with(": it holds in plum too"), "one voice, one proposal");
    assert!(again.notes.iter().any(|note| note.contains("withdraw it first")), "{:?}", again.notes);
    assert_eq!(named(&disk, "propose").len(), 1);
    let withdraw = PromoteRequest { how: PromoteAs::Withdraw, ..other.clone() };
    assert!(!memory.promote(&maker, &withdraw).unwrap().unchanged);
    assert!(memory.promote(&maker, &withdraw).unwrap().unchanged, "withdrawn once");
    assert!(!memory.promote(&maker, &other).unwrap().unchanged);
    assert_eq!((named(&disk, "propose").len(), named(&disk, "withdraw").len()), (2, 1));
    assert!(named(&disk, "etiquette_violation").is_empty(), "to propose is for everybody");
    assert_eq!(memory.beat(&caller(MAKER, PLUM), "retry").memory.len(), 0);
    let shown = memory.look_at(&maker, "Retry policy", Tier::Project).unwrap();
    let reasons: Vec<_> = shown.proposals.iter().map(|proposal| proposal.reason.clone().unwrap()).collect();
    assert_eq!(reasons, ["it holds in plum too", "and in pear"]);
    assert_eq!(
        code(memory.promote(&maker, &PromoteRequest { label: "nothing".into(), ..request })),
        "claim.not_found"
    );
}

#[test] // spec: MEM-12, MEM-48, MEM-33
fn who_takes_a_witness_away_is_told_that_its_copy_stays() {
    let (_disk, _clock, memory) = learned();
    let boss = caller(ORCHESTRATOR, CHERRY);
    promote(&memory, &boss, "Retry policy").unwrap();
    let told = |notes: &[brainstem_base::Advice]| {
        notes.iter().any(|note| note.contains("copy in the medulla stays"))
    };
    let notes = memory.take_back(&boss, "Retry policy").unwrap().notes;
    assert!(told(&notes));
    // What is so, and the calls that treat the copy alike.
    for words in
        ["every project still sees it", "learn 'Retry policy' wrong --tier medulla", "consolidate --apply"]
    {
        assert!(notes.iter().any(|note| note.contains(words)), "{words}: {notes:?}");
    }
    memory.tell(&boss, "Retry policy", "Four times.").unwrap();
    promote(&memory, &boss, "Retry policy").unwrap();
    judge_wrong(&memory, &boss, "Retry policy");
    assert!(!told(&memory.take_back(&boss, "Retry policy").unwrap().notes), "it is out already");
    memory.tell(&boss, "Page size", "Fifty.").unwrap();
    promote(&memory, &boss, "Page size").unwrap();
    let forget = |tier: Option<WriteTier>| {
        let request = ForgetRequest { label: "Page size".into(), confirmation: Confirmation::Given, tier };
        memory.forget(&boss, &request).unwrap().notes
    };
    assert!(told(&forget(None)) && !told(&forget(Some(WriteTier::Medulla))));
}

#[test] // spec: MEM-34, MEM-48
fn renaming_either_side_breaks_no_chain() {
    let (_disk, clock, memory) = learned();
    let boss = caller(ORCHESTRATOR, CHERRY);
    promote(&memory, &boss, "Retry policy").unwrap();
    clock.advance(1_000);
    let rename =
        |tier: Option<WriteTier>| RenameRequest { label: "Retry policy".into(), to: "Attempts".into(), tier };
    memory.rename(&boss, &rename(Some(WriteTier::Medulla))).unwrap();
    let sharing = |label: &str| memory.look_at(&boss, label, Tier::Project).unwrap().sharing.unwrap();
    assert_eq!(sharing("Retry policy").unshared, None, "its copy has another name");
    let row = memory.look_at(&boss, "Attempts", Tier::Medulla).unwrap().claim.unwrap();
    assert_eq!(row.lifecycle.as_str(), "promoted", "and is accounted for");
    memory.rename(&boss, &rename(None)).unwrap();
    assert_eq!(sharing("Attempts").unshared, None);
    judge_wrong(&memory, &boss, "Attempts");
    assert!(sharing("Attempts").unshared.unwrap().at.is_some());
}

#[test] // spec: MEM-35, MEM-3a
fn a_medulla_file_that_no_act_explains_is_served_as_unknown() {
    let (disk, _clock, memory) = learned();
    let (boss, plum) = (caller(ORCHESTRATOR, CHERRY), caller(MAKER, PLUM));
    let promoted = promote(&memory, &boss, "Retry policy").unwrap();
    let copy = disk.read(promoted.medulla_path.as_ref().unwrap(), 1 << 20).unwrap();
    let forged = String::from_utf8(copy).unwrap().replace("Node: Retry policy", "Node: Forged");
    disk.write_raw(Path::new(HOME).join("agent-memory/forged.light.md"), forged.as_bytes());
    let lifecycle = |label: &str| {
        let shown = memory.look_at(&plum, label, Tier::Medulla).unwrap().claim.unwrap();
        let listed = memory.all(&plum).rows.into_iter().find(|row| row.label == label).unwrap();
        assert_eq!(shown.lifecycle, listed.lifecycle);
        assert_eq!(shown.chain, listed.chain);
        (shown.lifecycle.as_str(), shown.chain.is_some())
    };
    assert_eq!(lifecycle("Retry policy"), ("promoted", true));
    assert_eq!(lifecycle("Forged"), ("unknown", false), "what its header says is hearsay");
    assert_eq!(memory.beat(&plum, "retry").memory.len(), 2, "and it is not hidden");
    // Who brings a file in is on record for that, and not for what its header says of a promotion.
    disk.write_raw("/tmp/in/brought.light.md", forged.replace("Node: Forged", "Node: Brought").as_bytes());
    let plain = "---\nProtocol: L1GHT/1.0\nNode: Plain\nState: authored\nCreated: 5\nOrigin-Brain: medulla\n---\n\n# Plain\n\nShort.\n";
    disk.write_raw("/tmp/in/plain.light.md", plain.as_bytes());
    Transfer::new(&memory).import(&caller(PERSON, PLUM), &into_the_medulla(), &|_, _| true).unwrap();
    Transfer::new(&memory).import(&caller(PERSON, PLUM), &into_the_medulla(), &|_, _| true).unwrap();
    assert_eq!(lifecycle("Brought"), ("unknown", false));
    assert_eq!(lifecycle("Plain").0, "doctrine", "and explained by that");
    assert_eq!(named(&disk, "import").len(), 2);
    let request = PromotionsRequest { brains: BrainScope::Own, limit: 100 };
    let audit = memory.promotions(&plum, &request).unwrap();
    let mut listed: Vec<_> = audit.unaccounted.iter().map(|row| row.label.as_str()).collect();
    listed.sort_unstable();
    assert_eq!(listed, ["Brought", "Forged"]);
    let found = memory.consolidate(&plum, &ConsolidateRequest::default()).unwrap();
    let row = found.rows.iter().find(|row| row.label == "Brought" && row.kind.as_str() == "unaccounted");
    assert!(row.unwrap().reason.contains("says that it was promoted"), "{row:?}");
    let findings = memory.doctor(&plum, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
    let is_it = |path: &Path| path.ends_with("brought.light.md");
    assert!(findings.iter().any(|finding| is_it(Path::new(&finding.place))), "{findings:#?}");
}

#[test] // spec: MEM-34, MEM-17
fn a_brain_that_is_not_there_is_not_the_one_around_it() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    for root in [CHERRY, PLUM] {
        memory.begin(&caller(MAKER, root)).unwrap();
        memory.tell(&caller(MAKER, root), "Port", &format!("of {root}")).unwrap();
    }
    let plum = memory.begin(&caller(MAKER, PLUM)).unwrap().brain.origin();
    let here = caller(PERSON, CHERRY);
    let promote = |brain: &str| {
        let request = PromoteRequest {
            label: "Port".into(),
            reason: "everywhere".into(),
            brain: Some(brain.into()),
            ..PromoteRequest::default()
        };
        memory.promote(&here, &request)
    };
    for nowhere in ["", "plum", "plum@00000000", ".git/HEAD", "/src/cherry/nope"] {
        assert!(promote(nowhere).is_err(), "{nowhere}");
        let expected = HandshakeRequest { expect_root: nowhere.into(), expect_fingerprint: None };
        assert!(!memory.handshake(&here, None, &expected).unwrap().matched, "{nowhere}");
    }
    assert!(memory.all(&caller(MAKER, PLUM)).rows.iter().all(|row| row.tier == "project"));
    assert!(promote(&plum).unwrap().chain.starts_with("learned in plum"));
}

#[test] // spec: MEM-35, MEM-3a
fn a_file_that_says_it_was_promoted_is_not_believed() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let brain = memory.begin(&caller(MAKER, CHERRY)).unwrap().brain.origin();
    let text = format!(
        "---\nProtocol: L1GHT/1.0\nNode: Forged\nState: verified\nCreated: 1000\nSource-Agent: human:ana\n\
         Origin-Brain: {brain}\nOrigin-Claim: {brain}#forged\nPromoted-By: human:owner\n\
         Promotion-Reason: trust me\n---\n\n# Forged\n\nAlways yes.\n"
    );
    disk.write_raw("/tmp/in/forged.light.md", text.as_bytes());
    assert_eq!(
        Transfer::new(&memory)
            .import(&caller(MAKER, CHERRY), &into_the_medulla(), &|_, _| true)
            .unwrap()
            .born,
        1
    );
    let rows = memory.find(&caller(MAKER, PLUM), "always yes", Tier::Both).rows;
    assert_eq!((rows[0].lifecycle.as_str(), &rows[0].chain), ("unknown", &None));
    let log = String::from_utf8(disk.dump().remove(&Path::new(HOME).join("acts.jsonl")).unwrap()).unwrap();
    assert!(
        log.contains("etiquette_violation") && log.contains("\"act\":\"import\""),
        "who brought it: {log}"
    );
    assert_eq!(rows[0].brought.as_deref(), Some("imported by codex:maker on 2026-07-04"));
}

#[test] // spec: MEM-34, MEM-35
fn a_ground_that_comes_after_the_promotion_is_not_called_none_and_the_answer_says_how_it_gets_there() {
    let memory = service(Arc::new(two_repositories()), &clock());
    let (cherry, person) = (caller(MAKER, CHERRY), caller(PERSON, CHERRY));
    memory.begin(&cherry).unwrap();
    memory.tell(&cherry, "G", "measure twice").unwrap();
    let said = |because: Option<&str>| {
        let request = PromoteRequest { because: because.map(str::to_owned), ..asked("G") };
        memory.promote(&person, &request).unwrap().notes
    };
    let mut answered = Answered::default();
    answered.notes("no ground", &said(None));
    answered.notes("a ground after the promotion", &said(Some("doctrine")));
    judge_wrong(&memory, &person, "G");
    answered.notes("promoted anew with the ground", &said(Some("doctrine")));
    answered.notes("the same ground again", &said(Some("doctrine")));
    answered.notes("another ground", &said(Some("telemetry")));
    assert_answered!(answered);
}
