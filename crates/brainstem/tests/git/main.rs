//! Three clones of one repository, each with a home of its own, and random acts of memory, of editors and of git between
//! them. Afterwards every version that was acknowledged must still be there: shown, named, or waiting for a decision.
//!
//! A few runs are part of every check; `cargo xtask soak` makes two thousand. A run is repeated by its seed:
//! `BRAINSTEM_GIT_SEED=7 cargo test -p brainstem --test git -- --nocapture`.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test makes repositories, reads its size from the environment, and prints what it did"
)]

mod person;
mod run;

use run::{Manners, Run};
use std::sync::atomic::{AtomicU64, Ordering};

/// How many runs of each kind are made.
fn runs() -> u64 {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().expect("a number"));
    match number("BRAINSTEM_GIT_RUNS") {
        Some(runs) => runs,
        None if std::env::var("BRAINSTEM_SOAK").as_deref() == Ok("full") => 1_000,
        None => 6,
    }
}

fn seeds() -> Vec<u64> {
    if let Ok(seed) = std::env::var("BRAINSTEM_GIT_SEED") {
        return vec![seed.parse().expect("a number")];
    }
    // Drawn anew each time where many are made; the same few in every check.
    let first = match std::env::var("BRAINSTEM_SOAK").as_deref() {
        Ok("full") => brainstem_base::Clock::now(&brainstem_base::clock::SystemClock).ms() as u64 * 10_000,
        _ => 0,
    };
    (0..runs()).map(|n| first + n).collect()
}

/// Makes the runs on as many threads as the machine has, and tells what they did.
fn make(manners: Manners) {
    let seeds = seeds();
    let next = AtomicU64::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let total = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut total = run::Tally::default();
                    loop {
                        let at = next.fetch_add(1, Ordering::SeqCst) as usize;
                        let Some(seed) = seeds.get(at) else { break total };
                        total.add(&Run::new(*seed, manners).make());
                    }
                })
            })
            .collect();
        let mut total = run::Tally::default();
        for worker in workers {
            total.add(&worker.join().expect("a run failed; its seed is above"));
        }
        total
    });
    println!("git: {manners:?}, {} runs from seed {}: {total}", seeds.len(), seeds[0]);
}

#[test] // spec: MEM-2, MEM-49, MEM-13
fn every_acknowledged_version_survives_whatever_git_does() {
    make(Manners::Rough);
}

#[test] // spec: MEM-2, MEM-49
fn clones_that_only_pull_and_push_lose_no_edit_and_agree_in_the_end() {
    make(Manners::Gentle);
}
