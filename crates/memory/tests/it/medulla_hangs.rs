//! A medulla that does not answer costs a beat a second, and is named.

use crate::world::{
    CHERRY, HOME, MAKER, PERSON, Short as _, caller, clock, doctrine, service, two_repositories,
};
use brainstem_base::disk::{DiskStep, ObservedDisk, verbs};
use brainstem_memory::{Tier, TrustMode};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

#[test] // spec: MEM-27
fn a_beat_comes_without_the_medulla_when_that_hangs() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    let cherry = caller(MAKER, CHERRY);
    memory.begin(&cherry).unwrap();
    memory.tell(&cherry, "Retry policy", "three times").unwrap();
    memory.memorize(&caller(PERSON, CHERRY), &doctrine("Tabs", "use tabs")).unwrap();

    disk.hang_reads_below(Path::new(HOME).join("agent-memory"));
    let since = Instant::now();
    let beat = memory.beat(&cherry, "retry");
    let took = since.elapsed();
    disk.release();

    assert!(took >= Duration::from_secs(1) && took < Duration::from_secs(5), "{took:?}");
    assert_eq!(beat.binding.trust_mode, TrustMode::Degraded);
    let labels: Vec<_> = beat.memory.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(labels, ["Retry policy"]);
    let gaps: Vec<_> = beat.gaps.iter().map(|gap| gap.name).collect();
    assert_eq!(gaps, ["medulla_timeout"]);

    let beat = memory.beat(&cherry, "retry");
    assert_eq!((beat.binding.trust_mode, beat.memory.len()), (TrustMode::Full, 2));
}

#[test] // spec: MEM-23, MEM-27
fn a_medulla_that_hangs_is_never_an_empty_memory() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    let cherry = caller(MAKER, CHERRY);
    memory.begin(&cherry).unwrap();
    disk.hang_reads_below(Path::new(HOME).join("agent-memory"));
    let beat = memory.beat(&cherry, "retry");
    disk.release();
    assert_eq!(beat.gaps.iter().map(|gap| gap.name).collect::<Vec<_>>(), ["medulla_timeout"]);
    assert!(!format!("{beat:?}").contains("No durable memory yet"));
}

#[test] // spec: MEM-27, MEM-26
fn a_claim_of_the_medulla_that_hangs_while_it_is_read_costs_no_beat() {
    let disk = two_repositories();
    let clock = clock();
    // Long ago, so that what was read once is not read again before the ranking.
    disk.set_time_ns(1_000_000_007);
    let gate = Arc::new(Mutex::new(()));
    let (hangs, hanging) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let observed = ObservedDisk::new(Arc::new(disk.clone()), {
        let (gate, hangs, hanging) = (gate.clone(), hangs.clone(), hanging.clone());
        move |step: DiskStep| {
            let is_claim = step.verb == verbs::READ && step.path.ends_with("agent-memory/tabs.light.md");
            if is_claim
                && step.path.starts_with(Path::new(HOME).join("agent-memory"))
                && hangs.load(Ordering::SeqCst)
            {
                hanging.fetch_add(1, Ordering::SeqCst);
                drop(gate.lock().unwrap_or_else(PoisonError::into_inner));
            }
        }
    });
    let memory = service(Arc::new(observed), &clock);
    let cherry = caller(MAKER, CHERRY);
    memory.begin(&cherry).unwrap();
    memory.tell(&cherry, "Retry policy", "three times").unwrap();
    // The same label in both, so that the two are compared too.
    memory.tell(&cherry, "Tabs", "use spaces").unwrap();
    memory.memorize(&caller(PERSON, CHERRY), &doctrine("Tabs", "use tabs")).unwrap();
    assert_eq!(memory.settle(&cherry, Tier::Both).len(), 2);
    let whole = memory.beat(&cherry, "tabs");
    assert_eq!((whole.memory.len(), whole.conflicts.len()), (2, 1));

    let held = gate.lock().unwrap();
    hangs.store(true, Ordering::SeqCst);
    // A second beat comes as well, while the first question still hangs.
    for beats in 1..=2 {
        let beat = memory.beat(&cherry, "tabs");
        assert_eq!(beat.binding.trust_mode, TrustMode::Degraded);
        assert_eq!(beat.gaps.iter().map(|gap| gap.name).collect::<Vec<_>>(), ["medulla_timeout"]);
        assert_eq!(beat.memory.iter().map(|row| row.text.as_str()).collect::<Vec<_>>(), ["use spaces"]);
        assert!(beat.conflicts.is_empty());
        assert_eq!(hanging.load(Ordering::SeqCst), beats, "it hangs where a claim is read");
    }
    hangs.store(false, Ordering::SeqCst);
    drop(held);
    let again = memory.beat(&cherry, "tabs");
    assert_eq!((again.memory.len(), again.binding.trust_mode), (2, TrustMode::Full));
}

#[test] // spec: MEM-27
fn what_comes_after_a_beat_does_not_wait_for_a_medulla_that_hangs() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    let cherry = caller(MAKER, CHERRY);
    memory.begin(&cherry).unwrap();
    memory.tell(&cherry, "Retry policy", "three times").unwrap();
    disk.hang_reads_below(Path::new(HOME).join("agent-memory"));
    for _ in 0..2 {
        let beat = memory.beat(&cherry, "retry");
        assert_eq!(beat.memory.len(), 1);
        assert!(disk.hanging() >= 1, "the medulla still hangs");
        // What a command asks when it has answered, and a server in idle moments.
        assert!(memory.is_index_unsettled(), "the project has something to share");
        assert_eq!(memory.find(&cherry, "retry", Tier::Project).rows.len(), 1);
    }
    disk.release();
    assert_eq!(memory.beat(&cherry, "retry").binding.trust_mode, TrustMode::Full);
}
