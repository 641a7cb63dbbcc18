//! A looping agent is bounded, across processes.

use crate::world::{
    CHERRY, HOME, MAKER, PERSON, Short as _, caller, claim, clock, code, service, two_repositories,
};
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{Disk, SimDisk};
use brainstem_memory::{BatchLine, Memory};
use std::path::Path;
use std::sync::Arc;

/// A process in a home where three writes a minute are allowed.
fn bounded(disk: &SimDisk, clock: &Arc<ManualClock>) -> Memory {
    disk.write_raw(Path::new(HOME).join("config.toml"), b"writes_per_minute = 3\n");
    service(Arc::new(disk.clone()), clock)
}

#[test] // spec: MEM-50
fn an_agent_that_writes_too_often_is_refused_until_the_next_minute() {
    let (disk, clock) = (two_repositories(), clock());
    let (one, other) = (bounded(&disk, &clock), bounded(&disk, &clock));
    let maker = caller(MAKER, CHERRY);
    one.begin(&maker).unwrap();
    let mut told = Vec::new();
    for n in 0..5 {
        let memory = if n % 2 == 0 { &one } else { &other };
        told.push(code(memory.tell(&maker, &format!("Loop {n}"), "again")));
    }
    assert_eq!(told, ["ok", "ok", "ok", "memory.quota", "memory.quota"]);
    assert_eq!(one.all(&maker).rows.len(), 3, "nothing was written");
    assert_eq!(code(one.take_back(&maker, "Loop 0")), "memory.quota");
    assert_eq!(code(one.tell(&caller(PERSON, CHERRY), "Mine", "x")), "ok", "each agent for itself");
    let lines = (0..9).map(|n| Ok(BatchLine::from(claim(&format!("Many {n}"), "x"))));
    one.memorize_batch(&maker, None, lines.collect(), &|_| true).unwrap();
    assert_eq!(one.all(&maker).rows.len(), 13, "a batch is apart");

    clock.advance(60_000);
    assert_eq!(code(other.tell(&maker, "Loop 9", "again")), "ok");
    let counts = disk.list(&Path::new(HOME).join("local/writes")).unwrap();
    assert_eq!(counts.len(), 1, "old counts are swept: {counts:?}");
}

#[test] // spec: MEM-50
fn a_count_that_cannot_be_kept_refuses_nothing() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = bounded(&disk, &clock);
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    disk.write_raw(Path::new(HOME).join("local"), b"in the way");
    for n in 0..5 {
        assert_eq!(code(memory.tell(&maker, &format!("Loop {n}"), "again")), "ok");
    }
}
