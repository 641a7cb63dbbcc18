//! Beats: counted per brain and week, and never false about what there is.

use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, clock, doctrine, service, two_repositories,
};
use brainstem_memory::{DoctorRequest, Memory, Tier};
use brainstem_transfer::mixed_medulla;
use std::path::Path;
use std::sync::Arc;

fn beats(memory: &Memory, root: &str) -> (Vec<u64>, u64) {
    let brains = memory.brains(&caller(MAKER, root)).unwrap();
    let mut counts: Vec<u64> = brains.brains.iter().map(|row| row.served.beats).collect();
    counts.sort_unstable();
    (counts, brains.medulla_served.beats)
}

#[test] // spec: MEM-31
fn beats_are_counted_for_each_brain_and_week_and_apart_without_a_brain() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let (cherry, plum) = (caller(MAKER, CHERRY), caller(MAKER, PLUM));
    memory.beat(&cherry, "before there is a home");
    assert!(!disk.dump().keys().any(|path| path.starts_with(HOME)), "a beat makes no home");
    memory.begin(&cherry).unwrap();
    memory.beat(&plum, "no brain here");
    for _ in 0..3 {
        memory.beat(&cherry, "retry");
        memory.find(&cherry, "retry", Tier::Both);
    }
    memory.begin(&plum).unwrap();
    memory.beat(&plum, "retry");
    assert_eq!(beats(&memory, CHERRY), (vec![1, 3], 1), "by north, not by seek");
    let doctor = memory.doctor(&cherry, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap();
    let mut told: Vec<(bool, u64)> =
        doctor.stores.iter().map(|store| (store.store == "medulla", store.beats)).collect();
    told.sort_unstable();
    assert_eq!(told, [(false, 1), (false, 3), (true, 1)]);

    for _ in 0..15 {
        clock.advance(7 * 24 * 60 * 60 * 1_000);
        memory.beat(&cherry, "retry");
    }
    assert_eq!(beats(&memory, CHERRY), (vec![0, 1], 0), "another week starts anew");
    let below = Path::new(HOME).join("local/beats");
    let kept = disk.dump().keys().filter(|path| path.starts_with(&below)).count();
    assert_eq!(kept, 13 + 2, "old weeks go");
}

#[test] // spec: MEM-31
fn a_home_that_cannot_be_written_serves_its_beat() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let cherry = caller(MAKER, CHERRY);
    memory.begin(&cherry).unwrap();
    memory.tell(&cherry, "Retry policy", "three times").unwrap();
    disk.set_read_only(true);
    assert_eq!(memory.beat(&cherry, "retry").memory.len(), 1);
    assert_eq!(beats(&memory, CHERRY).0, [0]);
}

#[test] // spec: MEM-23
fn no_task_makes_a_beat_over_memory_say_that_there_is_none() {
    let long = "a very long story about nothing in particular ".repeat(220);
    let tasks = [
        "",
        "   \n\t",
        "xqzzk vvwpl jjrrq",
        "wie oft wird ein fehlgeschlagener Aufruf wiederholt?",
        "何回リトライしますか",
        "كم مرة نعيد المحاولة",
        "🦀🔥🚀",
        "the of and to a in is it",
        "?!… --- ///",
        "\u{0}\u{202e}\u{7f}",
        long.as_str(),
    ];
    for (project, medulla) in [(1, 0), (0, 1), (1, 1), (30, 8)] {
        let memory = service(Arc::new(two_repositories()), &clock());
        let cherry = caller(MAKER, CHERRY);
        memory.begin(&cherry).unwrap();
        for n in 0..project {
            memory.tell(&cherry, &format!("Retry {n}"), &format!("a call is tried {n} times")).unwrap();
        }
        for n in 0..medulla {
            let person = caller(PERSON, CHERRY);
            memory.memorize(&person, &doctrine(&format!("Style {n}"), &format!("rule {n} holds"))).unwrap();
        }
        for task in tasks {
            let beat = memory.beat(&cherry, task);
            let shown: String = task.chars().take(20).collect();
            assert_eq!(beat.memory_exists, project + medulla, "{shown:?}");
            assert!(!beat.memory.is_empty(), "{shown:?}: memory is surfaced");
            let about = beat.memory.iter().any(|row| row.why.score() > 0.0);
            let says_why = beat.gaps.iter().any(|gap| gap.name == "no_match");
            assert!(about || says_why || task.trim().is_empty(), "{shown:?}: {:?}", beat.gaps);
            assert!(!format!("{beat:?}").contains("No durable memory yet"), "{shown:?}");
        }
    }
}
