//! Many processes write into one home and are killed at any moment; afterwards every answer they
//! got must be true.
//!
//! The test starts itself again as its children ([`child`]), starts those that were killed once more,
//! and then reads the stores file by file ([`inspect`]). A small size runs with every test;
//! `cargo xtask soak` runs the full one. `BRAINSTEM_SOAK_SEED` repeats the choices of a run, though
//! not the order in which the processes happened to meet.

#![allow(
    clippy::disallowed_methods,
    reason = "a soak reads its size from the environment and its stores raw"
)]

mod child;
mod inspect;
mod journal;

use brainstem_base::clock::SystemClock;
use brainstem_base::disk::RealDisk;
use brainstem_base::ids::SystemIds;
use brainstem_base::{Disk, Ids};
use brainstem_memory::{BootstrapRequest, Caller, CallerPlace, Declared, Memory, Parts, RootHints};
use brainstem_testkit::{Chance, TestHome};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// What the children have in common; handed to them as JSON in this variable.
const CHILD: &str = "BRAINSTEM_SOAK_CHILD";
/// The name of the one test, for starting it again.
const TEST: &str = "what_was_acknowledged_survives_processes_that_are_killed";

/// The size of a run.
#[derive(Clone, Copy, Debug)]
struct Size {
    processes: u64,
    writes: u64,
    /// How often each child that can be killed should be, about.
    kills: u64,
}

impl Size {
    fn from_env() -> Self {
        if std::env::var("BRAINSTEM_SOAK").as_deref() != Ok("full") {
            return Self { processes: 16, writes: 40, kills: 3 };
        }
        let processes = number("BRAINSTEM_SOAK_PROCESSES").unwrap_or(16);
        Self { processes, writes: number("BRAINSTEM_SOAK_WRITES").unwrap_or(10_000), kills: 30 }
    }
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text:?} is no number")))
}

/// How a child meets its end before its work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Killed {
    Never,
    /// By itself, before a step of its disk.
    AtAStep,
    /// From outside, at any time.
    AtATime,
}

fn killed(index: u64) -> Killed {
    match index % 4 {
        0 => Killed::Never,
        1 | 2 => Killed::AtAStep,
        _ => Killed::AtATime,
    }
}

#[test] // spec: MEM-6, MEM-11, MEM-12, MEM-13
fn what_was_acknowledged_survives_processes_that_are_killed() {
    if let Ok(task) = std::env::var(CHILD) {
        return child::run(&task);
    }
    let size = Size::from_env();
    let seed = number("BRAINSTEM_SOAK_SEED").unwrap_or_else(|| {
        let random = SystemIds.random();
        u64::from_be_bytes(random[..8].try_into().expect("ten bytes hold eight"))
    });
    println!("soak: BRAINSTEM_SOAK_SEED={seed}, {size:?}");
    let home = TestHome::new();
    // A soak writes more than any agent should.
    std::fs::write(home.path().join("config.toml"), "writes_per_minute = 1000000\n").expect("a file");
    memory_at(&home.path(), Arc::new(RealDisk))
        .bootstrap(&caller("human:ana", &home.cherry()), &BootstrapRequest::default())
        .expect("a fresh home takes a brain");

    let since = Instant::now();
    let kills: u64 = thread::scope(|scope| {
        let home = &home;
        let minders: Vec<_> =
            (0..size.processes).map(|index| scope.spawn(move || mind(home, seed, size, index))).collect();
        minders.into_iter().map(|minder| minder.join().expect("no child failed")).sum()
    });
    let wrote = since.elapsed();

    let found = inspect::inspect(&home, size.processes);
    println!(
        "soak: {} processes x {} writes, {} acknowledged ({} retractions, {} unchanged), {} refused \
         ({} busy), {kills} killed, {:.1} s writing, {} versions in {} labels, {} temporary files left, \
         {} act lines torn, lost {}, torn {}, seed {seed}",
        size.processes,
        size.writes,
        found.acknowledged,
        found.retractions,
        found.unchanged,
        found.refused,
        found.busy,
        wrote.as_secs_f64(),
        found.versions,
        found.labels,
        found.temporary,
        found.damaged_lines,
        found.lost.len(),
        found.torn.len(),
    );
    found.assert_sound(kills);
    assert!(kills > 0 || size.processes < 2, "a soak without a kill shows little");
    inspect::every_stripe_still_takes_a_write(&home);
}

/// Starts a child again and again until its work is done. Answers how often it was killed.
fn mind(home: &TestHome, seed: u64, size: Size, index: u64) -> u64 {
    let mut chance = Chance::new(seed, 1_000_000 + index);
    let mut pace = Duration::from_millis(150);
    for generation in 0_u64.. {
        let since = Instant::now();
        let mut child = start(home, seed, size, index, generation);
        // The last time is left in peace, or a slow machine would never be done.
        let deadline = (killed(index) == Killed::AtATime && generation < size.kills)
            .then(|| pace.mul_f64(chance.below(1_000) as f64 / 1_000.0));
        let status = wait(&mut child, since, deadline);
        if status.success() {
            return generation;
        }
        assert_eq!(signal(status), Some(9), "child {index} failed by itself: {status}");
        // Later kills are spread over a run of any length.
        pace = pace.mul_f64(1.2).min(Duration::from_secs(10));
    }
    unreachable!("a child is done or fails at some time")
}

fn start(home: &TestHome, seed: u64, size: Size, index: u64, generation: u64) -> Child {
    let task = child::Task {
        home: home.path(),
        root: home.cherry(),
        journal: journal_path(home, index),
        seed,
        index,
        generation,
        writes: size.writes,
        steps_to_death: (killed(index) == Killed::AtAStep && generation < 4 * size.kills)
            .then_some((size.writes * child::STEPS_PER_WRITE / size.kills).max(1)),
    };
    let itself = std::env::current_exe().expect("a running test has a file");
    home.command(&itself)
        .args([TEST, "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, serde_json::to_string(&task).expect("plain data"))
        .stdout(Stdio::null())
        .spawn()
        .expect("the test can start itself")
}

/// Waits for the end of a child, and brings it about when the deadline has passed.
fn wait(child: &mut Child, since: Instant, deadline: Option<Duration>) -> ExitStatus {
    let Some(deadline) = deadline else {
        return child.wait().expect("a child can be waited for");
    };
    while since.elapsed() < deadline {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status;
        }
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("a child can be killed, ended or not");
    child.wait().expect("a child can be waited for")
}

fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

fn journal_path(home: &TestHome, index: u64) -> PathBuf {
    home.user_home().join(format!("journal-{index}"))
}

fn memory_at(home: &Path, disk: Arc<dyn Disk>) -> Memory {
    let clock = Arc::new(SystemClock);
    let (ids, home) = (Arc::new(SystemIds), home.to_owned());
    Memory::new(Parts {
        disk,
        clock,
        ids,
        home,
        user_home: None,
        meanings: Arc::new(brainstem_memory::NoEmbedder),
    })
}

fn caller(agent: &str, root: &Path) -> Caller {
    let declared = Declared { argument: Some(agent.to_owned()), ..Declared::default() };
    let principal = brainstem_memory::identity::resolve(&declared, &Default::default()).expect("a valid id");
    let hints = RootHints { explicit: Some(root.to_owned()), ..RootHints::default() };
    Caller::new(principal, CallerPlace::lasting(hints))
}
