//! Remembering costs the same in a small store and in a large one, and so does asking again.

#![allow(clippy::disallowed_methods, reason = "a watch needs a real folder")]

use crate::world::{CHERRY, MAKER, Short as _, caller, clock, service, service_at, two_repositories};
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{ObservedDisk, RealDisk, SimDisk, Step, verbs};
use brainstem_memory::{InitRequest, Tier};
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
    let observed = Arc::new(ObservedDisk::new(Arc::new(disk), move |step: Step| {
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
