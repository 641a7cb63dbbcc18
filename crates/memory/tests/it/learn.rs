//! Verdicts: what they make of a claim, of its rank, and of the medulla.

use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, claim, clock, code, doctrine, files_below,
    service, two_repositories,
};
use brainstem_base::Timestamp;
use brainstem_base::disk::{DiskStep, ObservedDisk, verbs};
use brainstem_claims::Claim;
use brainstem_claims::light::keys;
use brainstem_memory::{
    BrainScope, Caller, Confirmation, ConsolidateAs, LearnRequest, Learned, Memory, MemoryError,
    RenameRequest, ShowRequest, Tier, TierUse, Verdict, WriteTier,
};
use std::path::Path;
use std::sync::{Arc, Mutex};

fn learn(
    memory: &Memory,
    who: &Caller,
    label: &str,
    verdict: &str,
    tier: Option<WriteTier>,
) -> Result<Learned, MemoryError> {
    let request = LearnRequest {
        label: label.into(),
        verdict: LearnRequest::parse_verdict(&memory.floor(), label, verdict, None)?,
        note: Some(format!("{verdict}, as seen in the logs")),
        tier,
    };
    memory.learn(who, &request)
}

fn trust_of(memory: &Memory, label: &str) -> Option<f64> {
    let shown = memory.look_at(&caller(MAKER, CHERRY), label, Tier::Project).unwrap();
    shown.claim.unwrap().trust.map(|trust| (trust.value() * 100.0).round() / 100.0)
}

#[test] // spec: MEM-33, IF-19
fn verdicts_make_the_trust_of_the_live_version_alone() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk), &clock);
    let (maker, person) = (caller(MAKER, CHERRY), caller(PERSON, CHERRY));
    memory.begin(&maker).unwrap();
    memory.tell(&maker, "Retry policy", "three times").unwrap();
    assert_eq!(trust_of(&memory, "Retry policy"), None, "nobody judged it");

    let first = learn(&memory, &maker, "Retry policy", "wrong", None).unwrap();
    assert_eq!((first.verdicts, first.unchanged, first.history), (1, false, None));
    assert_eq!(trust_of(&memory, "Retry policy"), Some(0.33));
    assert!(learn(&memory, &maker, "retry-policy", "wrong", None).unwrap().unchanged, "twice is once");
    // The clock stands still; what was said later counts all the same.
    learn(&memory, &maker, "Retry policy", "correct", None).unwrap();
    assert_eq!(trust_of(&memory, "Retry policy"), Some(0.67), "an agent's last word counts");
    clock.advance(10);
    learn(&memory, &person, "Retry policy", "partial", None).unwrap();
    let row = |memory: &Memory| memory.find(&maker, "retry policy", Tier::Both).rows[0].trust;
    assert_eq!(row(&memory).map(|trust| trust.value()), Some(0.625));
    assert_eq!(memory.all(&maker).rows[0].trust.map(|trust| trust.value()), Some(0.625));
    let beat = memory.beat(&maker, "retry");
    assert_eq!(beat.memory[0].trust.map(|trust| trust.value()), Some(0.625));

    let shown = memory.look_at(&maker, "Retry policy", Tier::Project).unwrap();
    let said: Vec<_> =
        shown.verdicts.iter().map(|voice| (voice.agent.as_str(), voice.verdict.as_str())).collect();
    assert_eq!(said, [(MAKER, "wrong"), (MAKER, "correct"), (PERSON, "partial")]);
    assert_eq!(shown.verdicts[2].note.as_deref(), Some("partial, as seen in the logs"));

    clock.advance(1_000);
    let before = Timestamp::from_ms(clock_now(&clock) - 1);
    memory.tell(&maker, "Retry policy", "four times").unwrap();
    assert_eq!(trust_of(&memory, "Retry policy"), None, "a new version starts without verdicts");
    let shown = memory.look_at(&maker, "Retry policy", Tier::Project).unwrap();
    assert_eq!((shown.verdicts.len(), shown.history[0].verdicts.len()), (0, 3));
    let past = ShowRequest { label: "Retry policy".into(), tier: Tier::Project, at: Some(before) };
    assert_eq!(memory.show(&maker, &past).unwrap().verdicts.len(), 3, "as it was then");
}

fn clock_now(clock: &Arc<brainstem_base::clock::ManualClock>) -> i64 {
    use brainstem_base::Clock as _;
    clock.now().ms()
}

#[test] // spec: MEM-33, IF-4
fn a_verdict_that_cannot_be_given_is_refused_with_its_fix() {
    let memory = service(Arc::new(two_repositories()), &clock());
    let maker = caller(MAKER, CHERRY);
    assert_eq!(code(learn(&memory, &maker, "x", "wrong", None)), "memory.brainless_root");
    assert_eq!(code(learn(&memory, &maker, "x", "wrong", Some(WriteTier::Medulla))), "claim.not_found");
    memory.begin(&maker).unwrap();
    memory.tell(&maker, "Retry policy", "three times").unwrap();
    memory.memorize(&caller(PERSON, CHERRY), &doctrine("Commit style", "short")).unwrap();
    assert_eq!(code(learn(&memory, &maker, "Retry policy", "perhaps", None)), "input.bad_value");
    assert_eq!(code(WriteTier::parse(TierUse::Learn, Some("all-brains"))), "input.bad_value");
    let missing = learn(&memory, &maker, "Commit style", "wrong", None).unwrap_err();
    use brainstem_base::Coded as _;
    assert_eq!(missing.code().name(), "claim.not_found");
    assert!(missing.fix().unwrap().contains("tier medulla"), "{missing:?}");
    let long = LearnRequest {
        label: "Retry policy".into(),
        verdict: Verdict::Wrong,
        note: Some("x".repeat(4_097)),
        tier: None,
    };
    assert_eq!(code(memory.learn(&maker, &long)), "input.bad_value");
    assert_eq!(trust_of(&memory, "Retry policy"), None, "nothing of it was recorded");
}

#[test] // spec: MEM-33, MEM-25
fn of_two_claims_that_say_the_same_the_trusted_one_comes_first() {
    let memory = service(Arc::new(two_repositories()), &clock());
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    for label in ["Deploy a", "Deploy b"] {
        memory.tell(&maker, label, "the deploy clears the cache").unwrap();
    }
    let order = || -> Vec<String> {
        memory.find(&maker, "deploy cache", Tier::Project).rows.into_iter().map(|row| row.id).collect()
    };
    assert_eq!(order(), ["deploy-a", "deploy-b"]);
    learn(&memory, &maker, "Deploy b", "correct", None).unwrap();
    assert_eq!(order(), ["deploy-b", "deploy-a"]);
    for agent in ["a:b", "c:d"] {
        learn(&memory, &caller(agent, CHERRY), "Deploy b", "wrong", None).unwrap();
    }
    assert_eq!(order(), ["deploy-a", "deploy-b"]);
}

#[test] // spec: MEM-33, MEM-26
fn an_unchanged_log_is_not_read_again() {
    let (disk, clock) = (two_repositories(), clock());
    let reads = Arc::new(Mutex::new(0));
    let told = reads.clone();
    let observed = ObservedDisk::new(Arc::new(disk), move |step: DiskStep| {
        if step.verb == verbs::READ && step.path.ends_with("acts.jsonl") {
            *told.lock().unwrap() += 1;
        }
    });
    let memory = service(Arc::new(observed), &clock);
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    memory.tell(&maker, "Retry policy", "three times").unwrap();
    learn(&memory, &maker, "Retry policy", "correct", None).unwrap();
    let read_by = |ask: &dyn Fn()| {
        *reads.lock().unwrap() = 0;
        ask();
        *reads.lock().unwrap()
    };
    memory.find(&maker, "retry", Tier::Project);
    assert_eq!(read_by(&|| drop(memory.find(&maker, "retry", Tier::Project))), 0);
    memory.boot_set(&maker, "test", "cargo test", None).unwrap();
    assert_eq!(
        read_by(&|| drop(memory.find(&maker, "retry", Tier::Project))),
        2,
        "it has grown: once for verdicts, once for what was forgotten"
    );
}

#[test] // spec: MEM-33, MEM-48
fn verdicts_follow_a_claim_to_its_new_name_and_are_forgotten_with_it() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    memory.tell(&maker, "Retry policy", "three times").unwrap();
    memory.tell(&maker, "codex", "a name that is also an agent's").unwrap();
    let bare = caller("codex", CHERRY);
    learn(&memory, &bare, "Retry policy", "wrong", None).unwrap();
    let rename = RenameRequest { label: "Retry policy".into(), to: "Attempts".into(), tier: None };
    memory.rename(&maker, &rename).unwrap();
    assert_eq!(trust_of(&memory, "Attempts"), Some(0.33));
    let forget = |label: &str| {
        let request = brainstem_memory::ForgetRequest {
            label: label.into(),
            confirmation: Confirmation::Given,
            tier: None,
        };
        memory.forget(&maker, &request).unwrap()
    };
    forget("codex");
    assert_eq!(trust_of(&memory, "Attempts"), Some(0.33), "another claim's verdicts stay");
    clock.advance(1_000);
    forget("Attempts");
    let log = disk.dump().into_iter().filter(|(path, _)| path.ends_with("acts.jsonl"));
    let log: String = log.map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect();
    assert!(log.contains("\"learn\"") && !log.contains("as seen in the logs"), "{log}");
    assert!(!log.contains("retry-policy") && !log.contains("attempts"), "{log}");
}

/// A copy of a project's claim in the medulla, as promotion writes it.
fn promoted(disk: &brainstem_base::disk::SimDisk, label: &str, text: &str) {
    let file = format!(
        "---\nProtocol: L1GHT/1.0\nNode: {label}\nState: authored\nCreated: 5\n---\n# {label}\n\n{text}\n"
    );
    let mut claim = Claim::parse(file.as_bytes()).unwrap();
    claim.file.set(keys::ORIGIN_CLAIM, "cherry@0a1b2c3d#retry-policy");
    let path = Path::new(HOME).join("agent-memory/retry-policy.light.md");
    disk.write_raw(path, claim.file.render().as_bytes());
}

#[test] // spec: MEM-33, MEM-10
fn wrong_takes_a_copy_and_doctrine_out_of_the_medulla_and_leaves_the_witness() {
    for agent in [PERSON, "claude:orchestrator"] {
        let (disk, clock) = (two_repositories(), clock());
        let memory = service(Arc::new(disk.clone()), &clock);
        let (maker, judge) = (caller(MAKER, CHERRY), caller(agent, CHERRY));
        memory.begin(&maker).unwrap();
        memory.tell(&maker, "Retry policy", "three times").unwrap();
        memory.memorize(&caller(PERSON, PLUM), &doctrine("Commit style", "short")).unwrap();
        promoted(&disk, "Retry policy", "three times");
        let witness = files_below(&disk, CHERRY.to_owned() + "/x");
        let project = |memory: &Memory| memory.look_at(&maker, "Retry policy", Tier::Project).unwrap().claim;
        let before = project(&memory).unwrap().text;

        let kept = learn(&memory, &judge, "Retry policy", "correct", Some(WriteTier::Medulla)).unwrap();
        assert_eq!((kept.history, kept.notes.len()), (None, 0), "praise is for everybody");
        for label in ["Retry policy", "Commit style"] {
            let learned = learn(&memory, &judge, label, "wrong", Some(WriteTier::Medulla)).unwrap();
            assert!(learned.history.is_some_and(|path| path.to_string_lossy().contains("retracted")));
            // Said again it is out already: when, by whom and why is told, and nothing changes.
            let files = files_below(&disk, "/");
            for who in [agent, agent] {
                let again =
                    learn(&memory, &caller(who, PLUM), label, "wrong", Some(WriteTier::Medulla)).unwrap();
                assert!(again.unchanged && again.history.is_some(), "{again:?}");
                let told =
                    format!("out of the medulla since 2026-07-04, taken out by {agent}: wrong, as seen");
                assert!(again.notes.iter().any(|note| note.contains(&told)), "{:?}", again.notes);
            }
            assert_eq!(files_below(&disk, "/"), files);
            // Any other word on what is not there finds nothing.
            assert_eq!(
                code(learn(&memory, &judge, label, "correct", Some(WriteTier::Medulla))),
                "claim.not_found"
            );
            let shown = memory.look_at(&maker, label, Tier::Medulla).unwrap();
            assert!(shown.claim.is_none());
            assert_eq!(shown.history[0].lifecycle.as_str(), "retracted");
            assert_eq!(shown.history[0].verdicts.last().unwrap().verdict.as_str(), "wrong");
            assert_eq!(shown.history[0].retracted.as_ref().unwrap().agent(), agent);
        }
        assert_eq!(project(&memory).unwrap().text, before, "the witness is untouched");
        assert_eq!(project(&memory).unwrap().trust, None, "and so is its trust");
        assert_eq!(witness, files_below(&disk, CHERRY.to_owned() + "/x"));
        let log = String::from_utf8(disk.dump()[&Path::new(HOME).join("acts.jsonl")].clone()).unwrap();
        assert!(!log.contains("etiquette_violation"), "{log}");
    }
}

#[test] // spec: MEM-34b, MEM-33
fn one_makers_wrong_disputes_what_the_medulla_says_and_takes_nothing_from_anybody() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let (maker, person) = (caller(MAKER, CHERRY), caller(PERSON, CHERRY));
    memory.begin(&maker).unwrap();
    memory.memorize(&person, &doctrine("House rule", "tests come first")).unwrap();
    let wrong = |who: &str| {
        clock.advance(1_000);
        learn(&memory, &caller(who, CHERRY), "House rule", "wrong", Some(WriteTier::Medulla)).unwrap()
    };
    let row = || memory.find(&maker, "tests come first", Tier::Both).rows.pop();
    let said = wrong(MAKER);
    assert!(said.disputed && said.history.is_none(), "{said:?}");
    assert!(said.notes[0].contains("stays in the medulla"), "{:?}", said.notes);
    let words = row().unwrap().disputed.unwrap();
    assert_eq!(words, "disputed: codex:maker found it wrong: \"wrong, as seen in the logs\"");
    assert!(wrong(MAKER).unchanged && row().is_some(), "said twice, it is one voice");
    let moves = |who: &str| {
        memory
            .beat(&caller(who, CHERRY), "x")
            .next_moves
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert!(moves(PERSON).contains("brainstem learn house-rule wrong --tier medulla"), "{}", moves(PERSON));
    assert!(!moves(MAKER).contains("learn house-rule"), "a maker does not decide");
    let audit = |memory: &Memory| {
        let request = brainstem_memory::PromotionsRequest { brains: BrainScope::Own, limit: 50 };
        let entries = memory.promotions(&person, &request).unwrap().entries;
        let disputes = entries.into_iter().filter(|entry| entry.what.as_str() == "dispute");
        disputes
            .map(|entry| format!("{} {}", entry.agent, entry.standing.unwrap().as_str()))
            .collect::<Vec<_>>()
    };
    assert_eq!(audit(&memory), ["codex:maker open"]);
    let tidy = |who: &str| {
        let request = brainstem_memory::ConsolidateRequest { how: ConsolidateAs::Apply };
        memory.consolidate(&caller(who, CHERRY), &request).unwrap()
    };
    let left = tidy("claude:maker");
    assert!(
        row().is_some() && left.notes.iter().any(|note| note.contains("left as it is")),
        "{:?}",
        left.notes
    );

    // Somebody who decides upholds it, and the maker insists.
    clock.advance(1_000);
    learn(&memory, &person, "House rule", "correct", Some(WriteTier::Medulla)).unwrap();
    assert_eq!((row().unwrap().disputed, audit(&memory)), (None, vec!["codex:maker upheld".to_owned()]));
    clock.advance(1_000);
    learn(&memory, &maker, "House rule", "partial", Some(WriteTier::Medulla)).unwrap();
    wrong(MAKER);
    assert!(row().unwrap().disputed.is_some());

    // A second agent that calls it wrong takes it out, and no breach is on record.
    let second = wrong("claude:maker");
    assert!(second.history.is_some() && !second.disputed, "{second:?}");
    assert!(row().is_none());
    let shown = memory.look_at(&maker, "House rule", Tier::Medulla).unwrap();
    assert_eq!(shown.history[0].retracted.as_ref().unwrap().agent(), "claude:maker");
    assert!(audit(&memory).iter().all(|entry| entry.ends_with("unshared")), "{:?}", audit(&memory));
    let log = String::from_utf8(disk.dump()[&Path::new(HOME).join("acts.jsonl")].clone()).unwrap();
    assert!(!log.contains("etiquette_violation"), "{log}");
}

#[test] // spec: MEM-34b, MEM-13
fn a_second_makers_word_is_completed_wherever_power_fails() {
    for steps in 1.. {
        let (disk, clock) = (two_repositories(), clock());
        let memory = service(Arc::new(disk.clone()), &clock);
        let maker = caller(MAKER, CHERRY);
        memory.begin(&maker).unwrap();
        memory.memorize(&caller(PERSON, CHERRY), &doctrine("House rule", "short")).unwrap();
        learn(&memory, &maker, "House rule", "wrong", Some(WriteTier::Medulla)).unwrap();
        disk.lose_power_after(steps);
        let second = caller("claude:maker", CHERRY);
        let done = learn(&memory, &second, "House rule", "wrong", Some(WriteTier::Medulla));
        let lost = disk.lost_power();
        let memory = service(Arc::new(disk.reboot(brainstem_base::disk::UnsyncedFate::Lost)), &clock);
        if done.is_err() {
            let again = learn(&memory, &second, "House rule", "wrong", Some(WriteTier::Medulla)).unwrap();
            assert!(again.history.is_some(), "the repeat completes it: {again:?}");
        }
        assert!(memory.look_at(&maker, "House rule", Tier::Medulla).unwrap().claim.is_none());
        if !lost {
            break;
        }
    }
}

#[test] // spec: MEM-33
fn a_verdict_before_the_label_is_told_as_that() {
    let memory = service(Arc::new(two_repositories()), &clock());
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    let swapped = learn(&memory, &maker, "correct", "Retry policy", None).unwrap_err();
    assert!(brainstem_base::Coded::fix(&swapped).unwrap().contains("the other way round"), "{swapped:?}");
}

#[test] // spec: MEM-33, MEM-12
fn a_verdict_is_whole_or_not_there_wherever_power_fails() {
    for steps in 1.. {
        let (disk, clock) = (two_repositories(), clock());
        let memory = service(Arc::new(disk.clone()), &clock);
        let (maker, person) = (caller(MAKER, CHERRY), caller(PERSON, CHERRY));
        memory.begin(&maker).unwrap();
        memory.memorize(&maker, &claim("Retry policy", "three times")).unwrap();
        memory.memorize(&person, &doctrine("Commit style", "short")).unwrap();
        disk.lose_power_after(steps);
        let project = learn(&memory, &person, "Retry policy", "wrong", None);
        let medulla = learn(&memory, &person, "Commit style", "wrong", Some(WriteTier::Medulla));
        let lost = disk.lost_power();
        let disk = disk.reboot(brainstem_base::disk::UnsyncedFate::Lost);
        let memory = service(Arc::new(disk), &clock);
        if project.is_ok() {
            assert_eq!(trust_of(&memory, "Retry policy"), Some(0.33), "answered, so it must survive");
        }
        if medulla.is_err() {
            let again = learn(&memory, &person, "Commit style", "wrong", Some(WriteTier::Medulla));
            assert!(again.is_ok(), "the repeat completes it: {again:?}");
        }
        let shown = memory.look_at(&maker, "Commit style", Tier::Medulla).unwrap();
        assert!(shown.claim.is_none(), "{shown:?}");
        assert_eq!((shown.history.len(), shown.history[0].verdicts.len()), (1, 1));
        if !lost {
            break;
        }
    }
}

#[test] // spec: MEM-33
fn a_second_voice_on_what_is_out_already_is_on_record() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    memory.memorize(&caller(PERSON, PLUM), &doctrine("Commit style", "short")).unwrap();
    let say = |who: &str, note: &str| {
        let request = LearnRequest {
            label: "Commit style".into(),
            verdict: Verdict::Wrong,
            note: Some(note.into()),
            tier: Some(WriteTier::Medulla),
        };
        clock.advance(1_000);
        memory.learn(&caller(who, PLUM), &request).unwrap()
    };
    say(PERSON, "first");
    let second = say("human:bo", "they are long here");
    assert!(!second.unchanged && second.verdicts == 2, "{second:?}");
    assert!(second.notes.iter().any(|note| note.contains("taken out by human:ana: first")), "{second:?}");
    let files = files_below(&disk, "/");
    assert!(say("human:bo", "they are long here").unchanged, "twice is once");
    assert_eq!(files_below(&disk, "/"), files);
    let shown = memory.look_at(&caller(PERSON, PLUM), "Commit style", Tier::Medulla).unwrap();
    let notes: Vec<_> = shown.history[0].verdicts.iter().filter_map(|voice| voice.note.as_deref()).collect();
    assert_eq!(notes, ["first", "they are long here"]);
    assert_eq!(shown.history[0].retracted.as_ref().unwrap().agent(), PERSON, "who took it out stays who did");
}
