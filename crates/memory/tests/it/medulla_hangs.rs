//! A medulla that does not answer costs a beat a second, and is named.

use crate::world::{
    CHERRY, HOME, MAKER, PERSON, Short as _, caller, clock, doctrine, service, two_repositories,
};
use brainstem_memory::TrustMode;
use std::path::Path;
use std::sync::Arc;
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
