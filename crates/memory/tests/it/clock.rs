//! A clock that jumps makes no version older than the one before it, and no age negative.

use crate::world::{CHERRY, MAKER, START, Short as _, caller, claim, clock, service, two_repositories};
use brainstem_memory::{MemorizeRequest, Reaffirm, ShowRequest, Tier};
use brainstem_testkit::cases;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

const DAY: i64 = 24 * 60 * 60 * 1000;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(48)))]

    #[test] // spec: MEM-5, MEM-24
    fn versions_grow_younger_whatever_the_clock_does(
        moves in proptest::collection::vec((-400 * DAY..400 * DAY, 0u8..4), 1..12)
    ) {
        let disk = two_repositories();
        let clock = clock();
        let memory = service(Arc::new(disk), &clock);
        let cherry = caller(MAKER, CHERRY);
        memory.begin(&cherry).unwrap();
        let mut born: Vec<i64> = Vec::new();
        for (n, (jump, what)) in moves.into_iter().enumerate() {
            clock.advance(jump);
            let text = format!("text {n}");
            let request = match what {
                0 => MemorizeRequest { reaffirm: Reaffirm::Always, ..claim("Retry policy", "the same") },
                1 => claim("Retry policy", "the same"),
                _ => claim("Retry policy", &text),
            };
            let told = memory.memorize(&cherry, &request).unwrap();
            if !told.unchanged {
                born.push(told.claim.created.unwrap().ms());
            }
            clock.advance(-jump / 2);
            let shown = memory.look_at(&cherry, "Retry policy", Tier::Project).unwrap();
            prop_assert!(shown.claim.as_ref().unwrap().age_ms.unwrap() >= 0);
            prop_assert!(memory.all(&cherry).rows.iter().all(|row| row.age_ms.unwrap() >= 0));
            prop_assert!(memory.beat(&cherry, "same").memory.iter().all(|row| row.age_ms.unwrap() >= 0));
            let mut seen: Vec<_> = shown.history.iter().map(|version| version.created.unwrap().ms()).collect();
            seen.insert(0, shown.claim.unwrap().created.unwrap().ms());
            seen.reverse();
            prop_assert_eq!(&seen, &born);
            prop_assert!(born.is_sorted_by(|a, b| a < b), "{:?}", born);
        }
    }

    #[test] // spec: MEM-3a, MEM-12
    fn versions_have_stamps_of_their_own_across_retractions(
        moves in proptest::collection::vec((-3i64..3, any::<bool>()), 1..24)
    ) {
        let clock = clock();
        let disk = two_repositories();
        let memory = service(Arc::new(disk.clone()), &clock);
        let cherry = caller(MAKER, CHERRY);
        let brain = memory.begin(&cherry).unwrap().brain;
        let (mut born, mut retractions, mut live) = (BTreeSet::new(), 0, false);
        for (jump, retract) in moves {
            clock.advance(jump);
            if retract && live {
                memory.take_back(&cherry, "Retry policy").unwrap();
                (retractions, live) = (retractions + 1, false);
            } else if !retract {
                let request = MemorizeRequest { reaffirm: Reaffirm::Always, ..claim("Retry policy", "the same") };
                let told = memory.memorize(&cherry, &request).unwrap();
                prop_assert!(born.insert(told.claim.created.unwrap()), "two versions with one stamp");
                live = true;
            }
        }
        let shown = memory.look_at(&cherry, "Retry policy", Tier::Project);
        let count = shown.as_ref().map_or(0, |shown| shown.history.len() + usize::from(shown.claim.is_some()));
        prop_assert_eq!(count, born.len());
        let log = disk.dump().remove(&brain.store_paths().acts).unwrap();
        let log = String::from_utf8(log).unwrap();
        prop_assert_eq!(log.lines().filter(|line| line.contains("\"act\":\"retract\"")).count(), retractions);
    }
}

#[test] // spec: MEM-5
fn the_last_instant_there_is_does_not_stop_a_label() {
    let clock = clock();
    clock.set(i64::MAX);
    let memory = service(Arc::new(two_repositories()), &clock);
    let cherry = caller(MAKER, CHERRY);
    memory.begin(&cherry).unwrap();
    for text in ["one", "two", "three"] {
        memory.tell(&cherry, "Retry policy", text).unwrap();
    }
    clock.set(START);
    let shown = memory.look_at(&cherry, "Retry policy", Tier::Project).unwrap();
    let texts: Vec<_> = shown.history.iter().map(|version| version.text.as_str()).collect();
    assert_eq!((shown.claim.unwrap().text.as_str(), texts.len()), ("three", 2));
}

#[test] // spec: MEM-48, MEM-24
fn what_is_live_now_is_shown_as_live_now_after_a_clock_ran_ahead() {
    let clock = clock();
    let memory = service(Arc::new(two_repositories()), &clock);
    let cherry = caller(MAKER, CHERRY);
    memory.begin(&cherry).unwrap();
    memory.tell(&cherry, "F", "one").unwrap();
    clock.advance(DAY);
    let between = memory.now();
    clock.advance(3 * DAY);
    memory.tell(&cherry, "F", "two").unwrap();
    clock.advance(-2 * DAY);
    memory.tell(&cherry, "F", "three").unwrap();
    let at = |at| memory.show(&cherry, &ShowRequest { label: "F".into(), tier: Tier::Both, at: Some(at) });
    let now = memory.now();
    clock.advance(5);
    let shown = at(now).unwrap();
    assert_eq!(shown.claim.unwrap().text, "three");
    assert_eq!(shown.history.iter().map(|version| version.text.as_str()).collect::<Vec<_>>(), ["two", "one"]);
    // Of a time before, nothing tells when the versions were written that are born ahead.
    let shown = at(between).unwrap();
    assert_eq!(shown.claim.unwrap().text, "one");
    assert!(shown.gaps.iter().any(|gap| gap.name == "time_ahead"), "{:?}", shown.gaps);
    // What was taken back is not live now.
    memory.take_back(&cherry, "F").unwrap();
    assert_eq!(crate::world::code(at(memory.now())), "claim.not_found");
}
