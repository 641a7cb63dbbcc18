//! Remembering costs the same in a small store and in a large one, and so does asking again.

#![allow(clippy::disallowed_methods, reason = "a watch needs a real folder")]

use crate::world::{CHERRY, MAKER, Short as _, caller, clock, service, service_at, two_repositories};
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{DiskStep, ObservedDisk, RealDisk, SimDisk, verbs};
use brainstem_memory::{InitRequest, NorthRequest, Tier};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// The operations of a birth, a supersession and a retraction in a store that holds `count` claims.
fn operations(count: usize) -> Vec<(BTreeMap<&'static str, u64>, Vec<PathBuf>)> {
    let disk: SimDisk = two_repositories();
    let clock = clock();
    let cherry = caller(MAKER, CHERRY);
    let brain = service(Arc::new(disk.clone()), &clock).begin(&cherry).unwrap().brain;
    let claims = brain.store_paths().claims;
    for n in 0..count {
        let text = format!("---\nProtocol: L1GHT/1.0\nNode: Claim {n}\n---\n# Claim {n}\n\nSomething.\n");
        disk.write_raw(claims.join(format!("claim-{n}.light.md")), text.as_bytes());
    }
    let listed = Arc::new(Mutex::new(Vec::new()));
    let told = listed.clone();
    let observed = Arc::new(ObservedDisk::new(Arc::new(disk), move |step: DiskStep| {
        if step.verb == verbs::LIST {
            told.lock().unwrap().push(step.path);
        }
    }));
    let memory = service(observed.clone(), &clock);
    let counted = |act: &dyn Fn()| {
        observed.reset();
        listed.lock().unwrap().clear();
        act();
        (observed.counts(), listed.lock().unwrap().clone())
    };
    // The lock files of the three labels are made here.
    for text in ["once", "twice"] {
        memory.tell(&cherry, "Retry policy", text).unwrap();
    }
    memory.take_back(&cherry, "Retry policy").unwrap();
    clock.advance(1_000);
    vec![
        counted(&|| drop(memory.tell(&cherry, "Retry policy", "three times").unwrap())),
        counted(&|| drop(memory.tell(&cherry, "Retry policy", "four times").unwrap())),
        counted(&|| drop(memory.tell(&cherry, "Retry policy", "four times").unwrap())),
        counted(&|| drop(memory.take_back(&cherry, "Retry policy").unwrap())),
    ]
}

#[test] // spec: MEM-16
fn a_write_costs_the_same_operations_at_ten_claims_and_at_fifty_thousand() {
    let (few, many) = (operations(10), operations(50_000));
    assert_eq!(few, many);
    for (counts, listed) in many {
        assert_eq!(listed, [] as [PathBuf; 0], "no folder is listed");
        assert!(counts.values().sum::<u64>() < 60, "{counts:?}");
        assert_eq!(counts[verbs::CANONICAL], 1, "a call is routed once: {counts:?}");
    }
}

/// The operations of one more question over a store in a repository that holds `count` claims, of which
/// git took some away.
fn question(count: usize, gone: usize) -> BTreeMap<&'static str, u64> {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let root = top.join("cherry");
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    // Long after all of this: what changed within the last tick of a clock is looked at again.
    let clock = Arc::new(ManualClock::at(4_000_000_000_000));
    let observed = Arc::new(ObservedDisk::new(Arc::new(RealDisk), |_| ()));
    let memory = service_at(observed.clone(), &clock, &top.join("home"), None);
    let cherry = caller(MAKER, &root);
    memory.init(&cherry, &InitRequest::default()).unwrap();
    for number in 0..count {
        memory.tell(&cherry, &format!("Claim {number}"), &format!("number{number}")).unwrap();
    }
    for number in 0..gone {
        let name = format!(".brainstem/agent-memory/claim-{number}.light.md");
        std::fs::remove_file(root.join(name)).unwrap();
    }
    for _ in 0..2 {
        let gaps = memory.find(&cherry, "number20", Tier::Project).gaps;
        assert_eq!(gaps.iter().filter(|gap| gap.name == "absent_here").count(), gone.min(1), "{gaps:?}");
        observed.reset();
    }
    memory.find(&cherry, "number20", Tier::Project);
    observed.counts()
}

#[test] // spec: MEM-26
fn a_question_over_an_unchanged_repository_costs_the_same_at_thirty_claims_and_at_two_hundred() {
    let few = question(30, 0);
    assert_eq!(few, question(200, 0));
    assert_eq!(few, question(200, 9), "what git took away is known");
}

#[test] // spec: MEM-46
fn cards_of_all_brains_are_shown_again_without_reading_a_claim() {
    let (disk, clock) = (two_repositories(), clock());
    disk.set_time_ns(1_000_000_007);
    let observed = Arc::new(ObservedDisk::counting(Arc::new(disk.clone())));
    let memory = service(observed.clone(), &clock);
    let cherry = caller(MAKER, CHERRY);
    let claims = memory.begin(&cherry).unwrap().brain.store_paths().claims;
    let file = |n: usize, created: i64| {
        format!(
            "---\nProtocol: L1GHT/1.0\nNode: Claim {n}\nCreated: {created}\n---\n# Claim {n}\n\nSomething.\n"
        )
    };
    let path = |n: usize| claims.join(format!("claim-{n}.light.md"));
    let reads = |memory: &brainstem_memory::Memory| {
        observed.reset();
        let found = memory.instances();
        let standing = found.brains[0].1.clone();
        let reads = observed.counts().get(verbs::READ).copied().unwrap_or_default();
        ((standing.claims, standing.stale, standing.last_written), reads)
    };
    let (none, beside) = reads(&memory);
    assert_eq!(none, (Some(0), Some(0), None));
    let old = 1_000;
    for n in 0..500 {
        disk.write_raw(path(n), file(n, old + n as i64).as_bytes());
    }
    let counted = (Some(500), Some(500), Some(old + 499));
    assert_eq!(reads(&memory), (counted, beside + 500), "each is read once");
    for _ in 0..3 {
        assert_eq!(reads(&memory), (counted, beside), "and not again");
    }
    // What changes, comes or goes is seen, and costs itself alone.
    disk.set_time_ns(2_000_000_007);
    let now = brainstem_base::Clock::now(&*clock).ms();
    disk.write_raw(path(7), file(7, now).as_bytes());
    brainstem_base::Disk::unlink(&disk, &path(8)).unwrap();
    disk.write_raw(path(500), b"no claim");
    assert_eq!(
        reads(&memory),
        ((Some(499), Some(498), Some(now)), beside + 2),
        "each of the two is read once"
    );
    assert_eq!(reads(&memory).1, beside);
    // What changed this moment may change again unseen, and is read until it is settled.
    disk.set_time_ns(i128::from(now) * 1_000_000);
    disk.write_raw(path(9), file(9, now).as_bytes());
    assert_eq!(reads(&memory).1, beside + 1);
    assert_eq!(reads(&memory).1, beside + 1);
    clock.advance(5_000);
    reads(&memory);
    assert_eq!(reads(&memory).1, beside);
}

#[test] // spec: MEM-28
fn a_beat_reads_no_more_claims_than_its_budget_could_show_and_resolves_each_folder_of_evidence_once() {
    const CLAIMS: usize = 300;
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let root = top.join("cherry");
    std::fs::create_dir_all(&root).unwrap();
    // Long after all of this: what changed within the last tick of a clock is read again.
    let clock = Arc::new(ManualClock::at(4_000_000_000_000));
    let claims_read: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
    let noted = claims_read.clone();
    let observed = Arc::new(ObservedDisk::new(Arc::new(RealDisk), move |step: DiskStep| {
        if step.verb == verbs::READ && step.path.to_string_lossy().ends_with(".light.md") {
            noted.lock().unwrap().push(step.path);
        }
    }));
    let memory = service_at(observed.clone(), &clock, &top.join("home"), None);
    let cherry = caller(MAKER, &root);
    let claims = memory.begin(&cherry).unwrap().brain.store_paths().claims;
    for n in 0..CLAIMS {
        let said =
            format!("The worker of queue {n} retries what the broker refuses. {}", "More of it. ".repeat(20));
        let text = format!(
            "---\nProtocol: L1GHT/1.0\nNode: Retry rule of queue {n}\n---\n# Retry rule of queue {n}\n\n\
             [𝔻 evidence: src/queue/worker_{n}.rs]\n\n{said}\n"
        );
        std::fs::write(claims.join(format!("retry-rule-of-queue-{n}.light.md")), text).unwrap();
    }
    let request = NorthRequest {
        task: "retry what the broker refuses".to_owned(),
        budget_tokens: brainstem_memory::limits::BUDGET_DEFAULT,
    };
    memory.north(&cherry, &request).unwrap();
    observed.reset();
    claims_read.lock().unwrap().clear();
    let beat = memory.north(&cherry, &request).unwrap();
    let counts = observed.counts();
    // A row takes at least 48 bytes, its label and 60 bytes of its text.
    let room = request.budget_tokens * 4 / (48 + 20 + 60) + 2;
    assert!(beat.memory.len() > 10 && beat.memory.len() <= room, "{}", beat.memory.len());
    let read = claims_read.lock().unwrap().len();
    assert!((beat.memory.len()..=room).contains(&read), "{read} of {CLAIMS} claims were read");
    assert!(counts[verbs::CANONICAL] < 10, "{counts:?}");
}
