//! What people and agents read of the acts between tiers: one row for one finding, its life in order, what
//! waits, what speaks against it, and no secret.

use crate::promote::{ORCHESTRATOR, asked, judge_wrong, promote};
use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, claim, clock, code, doctrine, files_below,
    service, two_repositories,
};
use brainstem_base::Coded as _;
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{Disk as _, SimDisk};
use brainstem_memory::{
    BrainScope, DebriefRequest, DelegateRequest, Gap, LearnRequest, ListRequest, MemorizeRequest, Memory,
    PromoteAs, PromoteRequest, PromotionsRequest, Row, SeekRequest, ShowRequest, Tier, Verdict, WriteTier,
};
use brainstem_transfer::{ImportRequest, Transfer};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Built from pieces, so that no scanner takes this file for a leak.
fn token() -> String {
    ["ghp", "_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat()
}

fn world() -> (SimDisk, Arc<ManualClock>, Memory) {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    for root in [CHERRY, PLUM] {
        memory.begin(&caller(MAKER, root)).unwrap();
    }
    (disk, clock, memory)
}

fn task(task: &str, seeds: &[&str]) -> DelegateRequest {
    let seeds = seeds.iter().map(|seed| (*seed).to_owned()).collect();
    DelegateRequest { task: task.into(), seeds, budget_tokens: 1_200, ..DelegateRequest::default() }
}

fn put_by_hand(disk: &SimDisk, path: &Path, from: &str, to: &str) {
    let text = String::from_utf8(disk.read(path, 1 << 20).unwrap()).unwrap();
    assert!(text.contains(from));
    disk.write_raw(path, text.replace(from, to).as_bytes());
}

#[test] // spec: MEM-14a, MEM-39, MEM-27, MEM-20
fn a_secret_that_somebody_put_into_a_file_is_held_back_and_named_wherever_claims_are_read() {
    let (disk, clock, memory) = world();
    let (boss, token) = (caller(ORCHESTRATOR, CHERRY), token());
    let path = memory.tell(&boss, "Heron key", "the heron key is in the safe").unwrap().path;
    memory.tell(&boss, "Heron nest", "the heron key opens the nest").unwrap();
    memory.memorize(&boss, &doctrine("Heron", "every heron has a key")).unwrap();
    put_by_hand(&disk, &path, "is in the safe", &format!("is {token}"));
    clock.advance(1_000);
    // A process that has just started, and one that knew the file as it was.
    for memory in [memory.clone(), service(Arc::new(disk.clone()), &clock)] {
        let found = memory.find(&boss, "heron key", Tier::Both);
        let beat = memory.beat(&boss, "heron key");
        let recent = memory.beat(&boss, "qwxz vbnm");
        let packet =
            memory.delegate(&boss, &task("heron key", &["Heron key", "Heron"]), &|packet| packet).unwrap();
        let told = |name: &str, rows: &[Row], gaps: &[brainstem_memory::Gap]| {
            let labels: Vec<&str> = rows.iter().map(|row| row.label.as_str()).collect();
            assert!(labels.contains(&"Heron nest") && !labels.contains(&"Heron key"), "{name}: {labels:?}");
            let held: Vec<_> = gaps.iter().filter(|gap| gap.name == "secret_held_back").collect();
            assert_eq!(held.len(), 1, "{name}: {gaps:?}");
            assert!(held[0].detail.contains("heron-key.light.md") && held[0].detail.contains("github_token"));
        };
        told("seek", &found.rows, &found.gaps);
        told("north", &beat.memory, &beat.gaps);
        told("recent", &recent.memory, &recent.gaps);
        told("delegate", &packet.memory, &packet.gaps);
        assert_eq!(packet.seeds.len(), 1);
        // A reader who lists or shows it sees that it is there; the doors mask what it holds.
        assert!(memory.look_at(&boss, "Heron key", Tier::Project).unwrap().claim.is_some());
        assert!(memory.all(&boss).rows.iter().any(|row| row.label == "Heron key"));
        let all = format!("{found:?} {beat:?} {recent:?} {packet:?}");
        assert!(!all.contains(&token));
    }
    // As one side of a pair that disagrees it is held back, too.
    memory.memorize(&boss, &doctrine("Heron key", "the heron key hangs by the door")).unwrap();
    let beat = memory.beat(&boss, "heron key");
    assert_eq!(beat.conflicts.len(), 0);
    assert!(!format!("{beat:?}").contains(&token));
}

#[test] // spec: MEM-14a, MEM-20
fn no_question_learns_more_of_a_secret_than_any_other_question() {
    let (disk, clock, memory) = world();
    let (boss, token) = (caller(ORCHESTRATOR, CHERRY), token());
    let request = MemorizeRequest {
        evidence: vec!["docs/nest".into()],
        tags: vec!["wader".into()],
        ..claim("Heron key", "the heron key")
    };
    let path = memory.memorize(&boss, &request).unwrap().path;
    memory.tell(&boss, "Heron nest", "the heron sleeps in the nest").unwrap();
    put_by_hand(&disk, &path, "docs/nest", &format!("docs/{token}"));
    put_by_hand(&disk, &path, "the heron key", "DB_PASSWORD=\"falcon-River-x77\"");
    clock.advance(1_000);
    for memory in [memory.clone(), service(Arc::new(disk.clone()), &clock)] {
        let seek = |query: &str, scope: Option<&str>, tag: Option<&str>| {
            let filter = memory.filter(None, None, None, tag.map(str::to_owned)).unwrap();
            let (query, inside) = (query.to_owned(), scope.map(str::to_owned));
            let (tier, by) = (Tier::Both, Default::default());
            let found = memory
                .seek(&boss, &SeekRequest { query, tier, scope: inside, limit: 9, filter, by })
                .unwrap();
            // The sentence repeats the scope, which the caller knows.
            let said =
                |gap: &Gap| format!("{}: {}", gap.name, gap.detail).replace(scope.unwrap_or("\n"), "SCOPE");
            let said: Vec<String> = found.gaps.iter().map(said).collect();
            let held =
                found.gaps.into_iter().find(|gap| gap.name == "secret_held_back").expect("it is named");
            assert!(held.detail.contains("heron-key.light.md"), "{}", held.detail);
            (said, found.rows.len())
        };
        let nothing = seek("lake", None, None);
        let starts = |text: &str, name: &str| text.starts_with(&format!("{name}: "));
        assert!(
            starts(&nothing.0[0], "secret_held_back") && starts(&nothing.0[1], "no_match"),
            "{nothing:?}"
        );
        assert_eq!((nothing.0.len(), nothing.1), (2, 0), "{nothing:?}");
        for guess in ["river", "falcon", "x77", &token] {
            assert_eq!(seek(guess, None, None), nothing, "{guess}");
        }
        let outside = seek("heron", Some("lib/"), None);
        for scope in ["docs/", &format!("docs/{}", &token[..9]), "docs/ghp_x"] {
            assert_eq!(seek("heron", Some(scope), None), outside, "{scope}");
        }
        // The claim with the secret has the one tag, and none has the other.
        assert_eq!(seek("heron", None, Some("wader")), seek("heron", None, Some("ghp")));
        assert_eq!(seek("heron", None, None).1, 1);
        // A filter that is a secret is refused, whether a claim has it or not.
        for (agent, tag) in [(Some(token.clone()), None), (None, Some(token.clone()))] {
            assert_eq!(memory.filter(None, agent, None, tag).unwrap_err().code().name(), "hygiene.secret");
        }
    }
}

#[test] // spec: MEM-14a, IF-12
fn a_label_that_is_a_secret_is_in_no_hint_and_in_no_cursor() {
    let (disk, clock, memory) = world();
    let (boss, token) = (caller(ORCHESTRATOR, CHERRY), token());
    let path = memory.tell(&boss, "Heron key", "the heron key").unwrap().path;
    clock.advance(1_000);
    let text = String::from_utf8(disk.read(&path, 1 << 20).unwrap()).unwrap();
    disk.unlink(&path).unwrap();
    for number in 0..3 {
        let label = format!("{token}{number}");
        let path = path.with_file_name(format!("{}.light.md", label.to_lowercase().replace('_', "-")));
        disk.write_raw(&path, text.replace("Heron key", &label).as_bytes());
    }
    let guess = format!("{}zz", &token[..token.len() - 1]);
    let refused = memory.look_at(&boss, &guess, Tier::Project).unwrap_err();
    assert_eq!(refused.code().name(), "hygiene.secret", "as any guess that is a secret");
    assert!(!refused.fix().unwrap_or_default().contains(&token), "{:?}", refused.fix());
    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let (tier, filter) = (Tier::Project, Default::default());
        let listed = memory.list(&boss, &ListRequest { tier, limit: 1, filter, cursor }).unwrap();
        seen.extend(listed.rows.iter().map(|row| row.text.clone()));
        let Some(next) = listed.cursor else { break };
        for spelling in [token.clone(), token.to_lowercase()] {
            let hex: String = spelling.bytes().skip(4).take(8).map(|byte| format!("{byte:02x}")).collect();
            assert!(!next.contains(&hex), "{next}");
        }
        cursor = Some(next);
    }
    assert_eq!(seen.len(), 3, "each is listed once");
}

#[test] // spec: MEM-20, MEM-27, MEM-39, MEM-36
fn a_shared_claim_is_one_row_in_the_project_it_was_learned_in_and_counts_once() {
    let (disk, clock, memory) = world();
    let (boss, plum) = (caller(ORCHESTRATOR, CHERRY), caller(MAKER, PLUM));
    memory.tell(&caller(MAKER, CHERRY), "Retry policy", "Retry three times.").unwrap();
    memory.tell(&caller(MAKER, CHERRY), "Retry tests", "The retry tests are slow.").unwrap();
    clock.advance(1_000);
    promote(&memory, &boss, "Retry policy").unwrap();
    let rows = |rows: &[Row]| -> Vec<(String, &'static str, Option<&'static str>)> {
        let mut rows: Vec<_> = rows.iter().map(|row| (row.label.clone(), row.tier, row.also_in)).collect();
        rows.sort();
        rows
    };
    let one = [
        ("Retry policy".to_owned(), "project", Some("medulla")),
        ("Retry tests".to_owned(), "project", None),
    ];
    let found = memory.find(&boss, "retry", Tier::Both);
    let beat = memory.beat(&boss, "retry");
    let packet = memory.delegate(&boss, &task("retry", &[]), &|packet| packet).unwrap();
    let seeded = memory.delegate(&boss, &task("retry", &["Retry policy"]), &|packet| packet).unwrap();
    let listed = memory.all(&boss);
    for found in [&found.rows, &beat.memory, &packet.memory, &seeded.memory, &listed.rows] {
        assert_eq!(rows(found), one);
        let shared = found.iter().find(|row| row.also_in.is_some()).unwrap();
        assert!(shared.chain.as_deref().unwrap().contains("; promoted by claude:orchestrator on "));
    }
    assert_eq!((found.memory_exists, beat.memory_exists, listed.memory_exists), (2, 2, 2));
    assert_eq!((packet.memory_exists, beat.rows_total - beat.memory.len(), packet.left_out()), (2, 0, 0));
    // Each tier alone has it, and so has every other project.
    for tier in [Tier::Project, Tier::Medulla] {
        assert!(memory.find(&boss, "retry policy", tier).rows.iter().any(|row| row.label == "Retry policy"));
    }
    assert_eq!(
        rows(&memory.find(&plum, "retry", Tier::Both).rows),
        [("Retry policy".to_owned(), "medulla", None)]
    );
    // What says something else by now is two rows, and a pair.
    clock.advance(1_000);
    let again = memory.tell(&caller(MAKER, CHERRY), "Retry policy", "Retry four times.").unwrap();
    assert!(again.notes.iter().any(|note| note.contains("promote again to update it")), "{:?}", again.notes);
    let beat = memory.beat(&boss, "retry");
    assert_eq!((rows(&beat.memory).len(), beat.memory_exists, beat.conflicts.len()), (3, 3, 1));
    clock.advance(1_000);
    promote(&memory, &boss, "Retry policy").unwrap();
    assert_eq!(rows(&memory.beat(&boss, "retry").memory), one);
    // A copy that somebody changed by hand is shown beside its witness.
    let copy = memory.look_at(&boss, "Retry policy", Tier::Medulla).unwrap().claim.unwrap().path;
    put_by_hand(&disk, &copy, "four times", "nine times");
    assert_eq!(memory.beat(&boss, "retry").memory.len(), 3);
}

#[test] // spec: MEM-36, MEM-3b, MEM-33, MEM-34
fn the_whole_life_of_a_finding_reads_in_order_from_its_project() {
    let (disk, clock, memory) = world();
    let (maker, boss, plum) = (caller(MAKER, CHERRY), caller(ORCHESTRATOR, CHERRY), caller(PERSON, PLUM));
    let step = || clock.advance(60_000);
    let judge = |tier: Option<WriteTier>, verdict: &str, note: &str| {
        let request = LearnRequest {
            label: "Retry policy".into(),
            verdict: Verdict::parse(verdict).unwrap(),
            note: Some(note.into()),
            tier,
        };
        memory.learn(if tier.is_some() { &plum } else { &boss }, &request).unwrap();
        step();
    };
    memory.tell(&maker, "Retry policy", "Three times.").unwrap();
    step();
    judge(None, "correct", "seen in the log");
    memory.promote(&maker, &PromoteRequest { how: PromoteAs::Propose, ..asked("Retry policy") }).unwrap();
    step();
    let observed = PromoteRequest { because: Some(format!("observed-in:{PLUM}")), ..asked("Retry policy") };
    memory.promote(&boss, &observed).unwrap();
    step();
    judge(Some(WriteTier::Medulla), "partial", "not for uploads");
    judge_wrong(&memory, &plum, "Retry policy");
    step();
    promote(&memory, &boss, "Retry policy").unwrap();
    step();
    memory.tell(&maker, "Retry policy", "Four times.").unwrap();
    let expected = [
        "learned in cherry by codex:maker",
        "found correct by claude:orchestrator: seen in the log",
        "proposed for every project by codex:maker: it holds in plum too (reports from the field say so)",
        "promoted by claude:orchestrator: it holds in plum too (observed in plum)",
        "found partial in the medulla by human:ana: not for uploads",
        "found wrong in the medulla and un-shared by human:ana: not in plum",
        "promoted by claude:orchestrator: it holds in plum too (reports from the field say so)",
        "said anew by codex:maker",
    ];
    for memory in [memory.clone(), service(Arc::new(disk.clone()), &clock)] {
        let shown = memory.look_at(&boss, "Retry policy", Tier::Project).unwrap();
        let life: Vec<&str> = shown.life.iter().map(|step| step.sentence.as_str()).collect();
        assert_eq!(life, expected);
        assert!(shown.life.windows(2).all(|two| two[0].at <= two[1].at));
        assert_eq!(shown.history.len(), 1, "each version once, however often it was stamped");
        let sharing = shown.sharing.unwrap();
        assert!(sharing.of_earlier && sharing.sentence().contains("promote again to share this one"));
    }
    // The copy tells the same from its own side.
    let copy = memory.look_at(&plum, "Retry policy", Tier::Medulla).unwrap();
    let life: Vec<&str> = copy.life.iter().map(|step| step.what).collect();
    assert_eq!(life, ["learned", "promoted", "judged", "unshared", "promoted"]);
    // As it was then: nothing of what came later.
    let early = copy.life[1].at.unwrap();
    let request = ShowRequest { label: "Retry policy".into(), tier: Tier::Project, at: Some(early) };
    assert_eq!(memory.show(&boss, &request).unwrap().life.len(), 4);
}

#[test] // spec: MEM-35
fn a_proposal_is_declined_or_withdrawn_once_and_told_of_while_it_waits() {
    let (disk, clock, memory) = world();
    let (maker, boss) = (caller(MAKER, CHERRY), caller(ORCHESTRATOR, CHERRY));
    memory.tell(&maker, "Retry policy", "Three times.").unwrap();
    memory.tell(&maker, "Page size", "Fifty rows.").unwrap();
    let asks =
        |how: PromoteAs, label: &str| PromoteRequest { how, reason: "not for all".into(), ..asked(label) };
    let (propose, decline, withdraw) = (
        asks(PromoteAs::Propose, "Retry policy"),
        asks(PromoteAs::Decline, "Retry policy"),
        asks(PromoteAs::Withdraw, "Retry policy"),
    );
    let waiting = |root: &str| {
        // Every process is told the same.
        let fresh = service(Arc::new(disk.clone()), &clock);
        let told = memory.status(&caller(MAKER, root)).unwrap().waiting;
        assert_eq!(fresh.status(&caller(MAKER, root)).unwrap().waiting, told);
        let moves = memory.beat(&caller(MAKER, root), "x").next_moves;
        assert_eq!(
            moves.iter().filter(|line| line.to_string().starts_with("brainstem promote: ")).count(),
            usize::from(!told.is_empty())
        );
        told
    };
    let standing = || {
        let request = PromotionsRequest { brains: BrainScope::Own, limit: 100 };
        let found = memory.promotions(&boss, &request).unwrap();
        let mut told: Vec<_> =
            found.entries.into_iter().rev().map(|e| e.standing.unwrap().as_str()).collect();
        told.sort_unstable();
        told
    };
    for nothing in [&decline, &withdraw] {
        let refused = memory.promote(&boss, nothing).unwrap_err();
        assert_eq!(refused.code().name(), "input.bad_value");
        assert!(refused.fix().unwrap().contains("audit promotions"));
    }
    for (propose, decline, withdraw, field) in [
        (false, true, true, "decline"),
        (true, true, false, "decline"),
        (true, false, true, "withdraw"),
        (true, true, true, "decline"),
    ] {
        let refused = PromoteAs::of_flags(propose, decline, withdraw).unwrap_err();
        assert_eq!((refused.code().name(), refused.field().as_deref()), ("input.bad_value", Some(field)));
    }
    memory.promote(&maker, &propose).unwrap();
    memory.promote(&maker, &asks(PromoteAs::Propose, "Page size")).unwrap();
    assert_eq!(waiting(CHERRY), ["Retry policy", "Page size"]);
    assert_eq!(waiting(PLUM), [] as [&str; 0], "it is the project's own matter");
    // Who did not propose it has nothing to withdraw, and may decline it.
    assert_eq!(code(memory.promote(&boss, &withdraw)), "input.bad_value");
    let before = files_below(&disk, HOME);
    let declined = memory.promote(&boss, &decline).unwrap();
    assert!(declined.medulla_path.is_none() && !declined.unchanged && declined.notes.is_empty());
    assert!(declined.chain.ends_with("by claude:orchestrator: not for all"), "{}", declined.chain);
    let changed: Vec<PathBuf> = files_below(&disk, HOME)
        .into_iter()
        .filter(|(path, bytes)| before.get(path) != Some(bytes))
        .map(|(path, _)| path)
        .collect();
    assert!(changed.iter().all(|path| path.ends_with("acts.jsonl")) && changed.len() == 1, "{changed:?}");
    let acts = |disk: &SimDisk| crate::promote::acts(disk).len();
    let count = acts(&disk);
    assert!(memory.promote(&boss, &decline).unwrap().unchanged);
    assert_eq!(acts(&disk), count, "said once");
    assert_eq!(waiting(CHERRY), ["Page size"]);
    assert_eq!(standing(), ["declined", "open"]);
    // It may be proposed again, and then the answer says what was decided.
    clock.advance(1_000);
    let again = memory.promote(&maker, &propose).unwrap();
    assert!(!again.unchanged && again.notes.iter().any(|note| note.contains("it was declined on")));
    assert_eq!(waiting(CHERRY), ["Page size", "Retry policy"]);
    memory.promote(&maker, &withdraw).unwrap();
    assert_eq!(standing(), ["declined", "open", "withdrawn"]);
    // By etiquette others decide; a maker that does is let through, and told.
    let notes = memory.promote(&maker, &asks(PromoteAs::Decline, "Page size")).unwrap().notes;
    assert!(notes.iter().any(|note| note.to_string().starts_with("etiquette:")), "{notes:?}");
    assert_eq!(waiting(CHERRY), [] as [&str; 0]);
    // Promoted, taken out again and proposed anew: it waits anew.
    clock.advance(1_000);
    promote(&memory, &boss, "Retry policy").unwrap();
    judge_wrong(&memory, &boss, "Retry policy");
    clock.advance(1_000);
    assert!(!memory.promote(&maker, &propose).unwrap().unchanged);
    assert_eq!(waiting(CHERRY), ["Retry policy"]);
    // A claim that says something else by now waits for nobody.
    memory.tell(&maker, "Retry policy", "Four times.").unwrap();
    assert_eq!(waiting(CHERRY), [] as [&str; 0]);
}

#[test] // spec: MEM-34
fn who_promotes_is_told_what_speaks_against_it() {
    let (disk, clock, memory) = world();
    let (maker, boss) = (caller(MAKER, CHERRY), caller(ORCHESTRATOR, CHERRY));
    disk.write_raw(format!("{CHERRY}/src/a.rs"), b"a");
    disk.write_raw(format!("{CHERRY}/src/b.rs"), b"b");
    let evidence = ["src/a.rs", "src/b.rs", "src/never.rs", "~/notes.txt", "https://example.org/x"];
    let request = MemorizeRequest {
        evidence: evidence.iter().map(|path| (*path).to_owned()).collect(),
        ..claim("Retry policy", "Three times.")
    };
    let path = memory.memorize(&maker, &request).unwrap().path;
    let told = |label: &str| {
        memory.promote(&boss, &PromoteRequest { how: PromoteAs::Propose, ..asked(label) }).unwrap().notes
    };
    assert_eq!(told("Retry policy"), ["its evidence `src/never.rs` was not found"]);
    disk.write_raw(format!("{CHERRY}/src/a.rs"), b"another");
    disk.unlink(Path::new(&format!("{CHERRY}/src/b.rs"))).unwrap();
    let wrong = LearnRequest {
        label: "Retry policy".into(),
        verdict: Verdict::Wrong,
        note: Some("it is five".into()),
        tier: None,
    };
    memory.learn(&boss, &wrong).unwrap();
    put_by_hand(&disk, &path, "State: authored", "State: outdated");
    clock.advance(40 * 86_400_000);
    let notes = promote(&memory, &boss, "Retry policy").unwrap().notes;
    let expected = [
        "it says of itself that it is outdated",
        "nobody affirmed it since its birth on 2026-07-04",
        "those who used it doubt it (trust 0.33); claude:orchestrator found it wrong: it is five",
        "its evidence `src/a.rs` says something else by now",
        "its evidence `src/b.rs` is gone",
        "its evidence `src/never.rs` was not found",
    ];
    assert_eq!(notes, expected);
    // Evidence in a person's own folder stays what it is, in the copy, too.
    let copy = memory.look_at(&boss, "Retry policy", Tier::Medulla).unwrap().claim.unwrap();
    let paths: Vec<&str> = copy.evidence.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(paths[0], format!("{CHERRY}/src/a.rs"));
    assert_eq!(paths[3..], ["~/notes.txt", "https://example.org/x"]);
    // A birth in the future is told; where a claim came from stays what its file says.
    let path = memory.tell(&maker, "Page size", "Fifty rows.").unwrap().path;
    let text = String::from_utf8(disk.read(&path, 1 << 20).unwrap()).unwrap();
    let line = |key: &str| text.lines().find(|line| line.starts_with(key)).unwrap().to_owned();
    put_by_hand(&disk, &path, &line("Created:"), "Created: 4102444800000");
    put_by_hand(&disk, &path, &line("Origin-Brain:"), "Origin-Brain: pear@00c0ffee");
    let promoted = promote(&memory, &boss, "Page size").unwrap();
    assert_eq!(promoted.notes, ["it says that it was born on 2100-01-01, which lies in the future"]);
    assert!(promoted.chain.starts_with("learned in pear by codex:maker"), "{}", promoted.chain);
    let copy = memory.look_at(&boss, "Page size", Tier::Medulla).unwrap().claim.unwrap();
    assert_eq!(copy.origin_brain.as_deref(), Some("pear@00c0ffee"));
}

#[test] // spec: MEM-41
fn a_finding_says_which_delegation_it_came_of_and_which_files_prove_it() {
    let (disk, clock, memory) = world();
    let boss = caller(ORCHESTRATOR, CHERRY);
    disk.write_raw(format!("{CHERRY}/src/retry.rs"), b"loop {}");
    let request = DelegateRequest { to: Some(MAKER.into()), ..task("Bound the retry loop.\nSoon.", &[]) };
    let packet = memory.delegate(&boss, &request, &|packet| packet).unwrap();
    let report = format!(
        "```\n[brainstem {}] success\n\nDEVIATIONS\n- none\n\nFINDINGS\n- The loop in `src/retry.rs:1` has no bound, see src/gone.rs.\n```\n",
        packet.id
    );
    let debrief = DebriefRequest { report: Some(report), ..DebriefRequest::default() };
    let done = memory.debrief(&boss, &debrief).unwrap();
    let shown = memory.look_at(&boss, &done.memorized[0].label, Tier::Project).unwrap();
    let row = shown.claim.unwrap();
    let evidence: Vec<_> = row
        .evidence
        .iter()
        .map(|entry| (entry.path.as_str(), entry.anchor.as_deref(), entry.hash.is_some()))
        .collect();
    assert_eq!(evidence, [("src/retry.rs", Some("L1"), true)]);
    let found = shown.found_in.unwrap();
    assert_eq!(
        (found.id.as_str(), found.task.as_deref()),
        (packet.id.as_str(), Some("Bound the retry loop.…"))
    );
    assert_eq!((found.by.as_deref(), found.outcome), (Some(ORCHESTRATOR), Some("success")));
    let told = &memory.delegations(&boss).unwrap().delegations[0];
    assert_eq!(told.task.as_deref(), Some("Bound the retry loop.…"));
    // The task lies where it can be lost, and is in no log.
    let logs = files_below(&disk, HOME).into_iter().filter(|(path, _)| path.ends_with("acts.jsonl"));
    assert!(!logs.into_iter().any(|(_, bytes)| String::from_utf8(bytes).unwrap().contains("Bound the")));
    disk.unlink(&Path::new(HOME).join("local/tasks").join(packet.id.as_str())).unwrap();
    assert_eq!(memory.delegations(&boss).unwrap().delegations[0].task, None);
    // Told again after its file changed, it is the same finding still.
    let before = files_below(&disk, HOME);
    disk.write_raw(format!("{CHERRY}/src/retry.rs"), b"for _ in 0..5 {}");
    clock.advance(1_000);
    assert!(memory.debrief(&boss, &debrief).unwrap().unchanged);
    assert_eq!(files_below(&disk, HOME), before);
}

#[test] // spec: MEM-42d
fn a_dry_run_of_an_import_tells_of_two_files_that_want_one_name() {
    let (disk, _clock, memory) = world();
    let person = caller(PERSON, CHERRY);
    let origin = memory.tell(&person, "Own", "x").unwrap().claim.origin_brain.unwrap();
    for (file, label) in [("one", "Retry Policy"), ("two", "retry-policy!")] {
        let text = format!(
            "---\nProtocol: L1GHT/1.0\nNode: {label}\nOrigin-Brain: {origin}\n---\n\n# {label}\n\ntext {file}\n"
        );
        disk.write_raw(format!("/tmp/in/{file}.light.md"), text.as_bytes());
    }
    let request =
        |dry_run| ImportRequest { path: "/tmp/in".into(), tier: None, from: None, sort: true, dry_run };
    let weighed = Transfer::new(&memory).import(&person, &request(true), &|_, _| true).unwrap();
    let done = Transfer::new(&memory).import(&person, &request(false), &|_, _| true).unwrap();
    for told in [weighed, done] {
        assert_eq!(told.born, 1, "{told:?}");
        let refused: Vec<_> = told.not_taken.iter().map(|item| item.code.name()).collect();
        assert_eq!(refused, ["claim.slug_taken"], "{told:?}");
    }
}

#[test] // spec: MEM-35
fn the_audit_calls_things_by_their_labels_and_tells_what_was_replaced_from_what_was_taken_out() {
    let (_disk, clock, memory) = world();
    let (maker, boss) = (caller(MAKER, CHERRY), caller(ORCHESTRATOR, CHERRY));
    memory.tell(&maker, "Retry policy", "Three times.").unwrap();
    promote(&memory, &maker, "Retry policy").unwrap();
    clock.advance(1_000);
    memory.tell(&maker, "Retry policy", "Four times.").unwrap();
    clock.advance(1_000);
    promote(&memory, &boss, "Retry policy").unwrap();
    clock.advance(1_000);
    memory.memorize(&boss, &doctrine("Commit style", "One thing.")).unwrap();
    judge_wrong(&memory, &boss, "Commit style");
    clock.advance(1_000);
    judge_wrong(&memory, &boss, "Retry policy");
    let found = memory.promotions(&boss, &PromotionsRequest { brains: BrainScope::Own, limit: 100 }).unwrap();
    let mut told: Vec<String> = found
        .entries
        .iter()
        .rev()
        .map(|entry| {
            let standing = entry.standing.map_or("-", |standing| standing.as_str());
            format!("{} {} {standing}", entry.what.as_str(), entry.label.as_deref().unwrap_or("?"))
        })
        .collect();
    told.dedup();
    assert_eq!(
        told,
        [
            "promotion Retry policy replaced",
            "violation Retry policy -",
            "promotion Retry policy unshared",
            "demotion Commit style -",
            "demotion Retry policy -",
        ]
    );
    let violation = found.entries.iter().find(|entry| entry.rule.is_some()).unwrap();
    assert_eq!(violation.rule.as_deref(), Some("MEM-35"));
    assert!(!violation.reason.as_deref().unwrap().contains("MEM-"), "{violation:?}");
}
