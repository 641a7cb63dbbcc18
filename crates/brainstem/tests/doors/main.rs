//! All the doors at once on one home: two stdio servers, the daemon over REST and over MCP, the command line and
//! a host's hook write, ask and are killed, and every recall must see every claim that anybody was told is kept.
//!
//! A small size runs with every test; `cargo xtask soak` runs the full one, ten thousand writes. Which claims are
//! written is chosen by `BRAINSTEM_SOAK_SEED`; how the processes meet is not.

#![allow(
    clippy::disallowed_methods,
    reason = "a soak reads its size from the environment and kills what it started"
)]

mod daemon;
mod door;
mod http;
mod kept;
mod stdio;

use brainstem_testkit::{Chance, TestHome};
use daemon::Daemon;
use door::{Door, Went};
use kept::{Claim, Kept};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Every so many writes a door is asked for a claim that some door was told is kept.
const ASK_EVERY: u64 = 3;
/// Every so many writes a new version of an earlier claim is written instead of a new one.
const AGAIN_EVERY: u64 = 4;

#[derive(Clone, Copy, Debug)]
struct Size {
    /// Writes of each door.
    writes: u64,
    /// How long a process lives at most before it is killed.
    life: Duration,
}

impl Size {
    fn from_env() -> Self {
        if std::env::var("BRAINSTEM_SOAK").as_deref() == Ok("full") {
            Self { writes: 2_000, life: Duration::from_secs(6) }
        } else {
            Self { writes: 40, life: Duration::from_millis(600) }
        }
    }
}

#[test] // spec: IF-10, IF-14, MEM-12, MEM-21
fn every_door_sees_what_any_door_was_told_is_kept() {
    let size = Size::from_env();
    let seed = std::env::var("BRAINSTEM_SOAK_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7733);
    println!("doors: BRAINSTEM_SOAK_SEED={seed}, {size:?}");
    let home = TestHome::new();
    // More than any agent should write.
    std::fs::write(home.path().join("config.toml"), "writes_per_minute = 1000000\n").expect("a file");
    door::prepare(&home);

    let daemon = Daemon::start(&home);
    let kept = Kept::default();
    let (kills, asked, unanswered) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let since = Instant::now();
    let doors = [Door::Stdio, Door::Stdio, Door::Rest, Door::McpOverHttp, Door::CommandLine];
    thread::scope(|scope| {
        let (home, daemon, kept) = (&home, &daemon, &kept);
        let (kills, asked, unanswered) = (&kills, &asked, &unanswered);
        let workers: Vec<_> = (0..)
            .zip(doors)
            .map(|(index, door)| {
                scope.spawn(move || {
                    let mut worker = Worker {
                        chance: Chance::new(seed, index),
                        index,
                        way: door.open(home, daemon, size.life, Chance::new(seed, 100 + index)),
                        kept,
                    };
                    let tally = worker.run(size.writes);
                    kills.fetch_add(worker.way.kills(), Ordering::Relaxed);
                    asked.fetch_add(tally.asked, Ordering::Relaxed);
                    unanswered.fetch_add(tally.unanswered, Ordering::Relaxed);
                })
            })
            .collect();
        let mut hooks = 0_u64;
        while !workers.iter().all(thread::ScopedJoinHandle::is_finished) {
            daemon.kill_sometimes(size.life);
            door::hook(home);
            hooks += 1;
            thread::sleep(Duration::from_millis(20));
        }
        println!("doors: {hooks} hooks ran beside");
    });
    let wrote = since.elapsed();

    let lost = kept.missing(&door::every_text(&home));
    let kills = kills.into_inner() + daemon.kills();
    println!(
        "doors: {} claims in {} acknowledged writes, {} unanswered and repeated, {} recalls of another door's \
         claim, {kills} kills, {:.1} s, lost {}",
        kept.claims(),
        kept.acknowledged(),
        unanswered.into_inner(),
        asked.into_inner(),
        wrote.as_secs_f64(),
        lost.len(),
    );
    assert!(lost.is_empty(), "told they are kept, and not found: {lost:?}");
    assert!(kills > 0, "a soak without a kill shows little");
    assert_eq!(kept.acknowledged(), size.writes * doors.len() as u64, "every write was acknowledged at last");
}

#[derive(Default)]
struct Tally {
    asked: u64,
    unanswered: u64,
}

/// How long a door may be gone: whoever kills it also starts it again.
struct Patience(Instant);

impl Default for Patience {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Patience {
    fn wait(&mut self, door: &str) {
        assert!(self.0.elapsed() < Duration::from_secs(120), "{door} does not come back");
        thread::sleep(Duration::from_millis(2));
    }
}

struct Worker<'a> {
    chance: Chance,
    index: u64,
    way: Box<dyn door::Way + 'a>,
    kept: &'a Kept,
}

impl Worker<'_> {
    fn run(&mut self, writes: u64) -> Tally {
        let mut tally = Tally::default();
        let mut own: Vec<Claim> = Vec::new();
        for n in 0..writes {
            let again = n % AGAIN_EVERY == AGAIN_EVERY - 1;
            let claim = if again {
                let at = self.chance.below(own.len() as u64) as usize;
                own[at].version += 1;
                own[at].clone()
            } else {
                own.push(Claim::new(self.index, n));
                own.last().expect("just put there").clone()
            };
            // A process that was killed in between may have written it: the repeat finds out.
            let mut patience = Patience::default();
            while let Went::Unanswered = self.way.remember(&claim) {
                tally.unanswered += 1;
                patience.wait(self.way.name());
            }
            self.kept.acknowledge(&claim);
            if n % ASK_EVERY == 0 {
                let asked = self.kept.any(&mut self.chance);
                let mut patience = Patience::default();
                let found = loop {
                    match self.way.recall(&asked) {
                        Ok(found) => break found,
                        Err(_) => tally.unanswered += 1,
                    }
                    patience.wait(self.way.name());
                };
                assert!(
                    found.is_some_and(|version| version >= asked.version),
                    "{} does not see {asked:?}: {found:?}",
                    self.way.name(),
                );
                tally.asked += 1;
            }
        }
        tally
    }
}
