//! Remembering costs the same in a small store and in a large one.

use crate::world::{CHERRY, MAKER, Short as _, caller, clock, service, two_repositories};
use brainstem_base::disk::{ObservedDisk, SimDisk, Step, verbs};
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
