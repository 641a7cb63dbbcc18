//! `migrate` as processes: several at once, killed in the middle, in a pipe.

#![allow(clippy::disallowed_methods, reason = "a test makes the mixed store and counts its files")]
#![allow(clippy::unwrap_used, reason = "everything here is a test")]

use crate::program::{Ran, finish};
use brainstem_testkit::TestHome;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn command(home: &TestHome, words: &[&str]) -> Command {
    let mut command = home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
    command.current_dir(home.cherry()).env("USER", "ana").args(words);
    command
}

fn run(home: &TestHome, words: &[&str]) -> Ran {
    finish(&mut command(home, words), b"")
}

/// Two brains, and a medulla with so many claims of each.
fn mixed(each: usize) -> TestHome {
    let home = TestHome::new();
    for root in [home.cherry(), home.plum()] {
        assert_eq!(finish(command(&home, &["bootstrap"]).current_dir(&root), b"").status, Some(0));
    }
    let medulla = home.path().join("agent-memory");
    for n in 0..each {
        for name in ["cherry", "plum"] {
            let text = format!(
                "---\nProtocol: L1GHT/1.0\nNode: Fact {n} of {name}\nCreated: 1700000000{n:03}\nSource-Agent: m1nd:scout\nTags: {name}\n---\n\n# Fact {n} of {name}\n\nSomething.\n"
            );
            fs::write(medulla.join(format!("fact-{n}-of-{name}.light.md")), text).unwrap();
        }
    }
    home
}

/// The live claims of a home: name, and the folders that hold it.
fn live(home: &TestHome) -> BTreeMap<String, Vec<PathBuf>> {
    let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let brains = fs::read_dir(home.path().join("project-brains")).unwrap();
    let stores = brains.map(|entry| entry.unwrap().path()).chain([home.path()]);
    for store in stores.map(|folder| folder.join("agent-memory")) {
        for entry in fs::read_dir(&store).into_iter().flatten() {
            let name = entry.unwrap().file_name().to_string_lossy().into_owned();
            if name.ends_with(".light.md") && !name.starts_with('.') {
                found.entry(name).or_default().push(store.clone());
            }
        }
    }
    found
}

fn in_projects(home: &TestHome) -> usize {
    let medulla = home.path().join("agent-memory");
    live(home).values().filter(|stores| stores.iter().any(|store| *store != medulla)).count()
}

#[test] // spec: MEM-42, MEM-13, MEM-42b
fn processes_that_apply_and_roll_back_at_once_move_every_claim_once() {
    let home = mixed(15);
    let before = live(&home);
    for round in 0..2 {
        let applied: Vec<Ran> = at_once(&home, &["migrate", "apply", "--json"]);
        let moved: u64 = applied.iter().filter(|ran| ran.status == Some(0)).map(moves).sum();
        assert_eq!(moved, 30, "round {round}: {applied:?}");
        for ran in &applied {
            assert!(ran.status == Some(0) || ran.code() == "store.busy", "{ran:?}");
        }
        assert_eq!(in_projects(&home), 30);
        assert!(live(&home).values().all(|stores| stores.len() == 1), "{:?}", live(&home));

        let undone: Vec<Ran> = at_once(&home, &["migrate", "rollback", "--json"]);
        let done = undone.iter().filter(|ran| ran.status == Some(0)).count();
        assert_eq!(done, 1, "{undone:?}");
        for ran in undone.iter().filter(|ran| ran.status != Some(0)) {
            assert!(["migrate.nothing", "store.busy"].contains(&ran.code().as_str()), "{ran:?}");
        }
        assert_eq!(live(&home), before);
    }
}

fn moves(ran: &Ran) -> u64 {
    ran.json()["moves"].as_u64().unwrap()
}

fn at_once(home: &TestHome, words: &[&str]) -> Vec<Ran> {
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| run(home, words))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    })
}

#[test] // spec: MEM-42, IF-5, MEM-42b
fn a_migration_that_is_killed_again_and_again_is_completed_by_its_repeat() {
    let home = mixed(20);
    let before = live(&home);
    for (words, is_done) in [
        (["migrate", "apply"], (|home: &TestHome| in_projects(home)) as fn(&TestHome) -> usize),
        (["migrate", "rollback"], |home| {
            let medulla = home.path().join("agent-memory");
            live(home).values().filter(|stores| stores.contains(&medulla)).count()
        }),
    ] {
        // Killed once some more claims have gone over than before, until it comes to its end.
        for target in (2..40).step_by(9) {
            let mut child =
                command(&home, &words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            while is_done(&home) < target && child.try_wait().unwrap().is_none() {
                std::thread::yield_now();
            }
            child.kill().unwrap();
            child.wait().unwrap();
            assert_eq!(live(&home).len(), before.len(), "every claim is live somewhere");
        }
        let last = run(&home, &words);
        let is_over = last.stderr.contains("migrate.nothing");
        assert!(last.status == Some(0) || is_over, "{last:?}");
        assert!(!last.stdout.contains('\r') && !last.stderr.contains('\r'), "no progress in a pipe");
        assert!(live(&home).values().all(|stores| stores.len() == 1), "{:?}", live(&home));
        assert_eq!(is_done(&home), 40);
    }
    assert_eq!(live(&home), before);
}

#[test] // spec: MEM-42, IF-4, IF-5
fn a_plan_is_told_and_a_bad_decision_is_refused() {
    let home = mixed(2);
    let told = run(&home, &["migrate", "plan"]);
    assert_eq!((told.status, told.stderr.as_str()), (Some(0), ""));
    assert!(told.stdout.contains("4 claims: 4 would move"), "{told:?}");
    let rows = run(&home, &["migrate", "plan", "--json"]).json();
    assert_eq!((rows["applied"].as_bool(), rows["rows"].as_array().unwrap().len()), (Some(false), 4));
    assert_eq!(rows["rows"][0]["reason"], "it is tagged cherry");
    let refused = run(&home, &["migrate", "plan", "--decide", "x", "--json"]);
    assert_eq!((refused.status, refused.code().as_str()), (Some(1), "input.bad_value"));
    let nothing = run(&home, &["migrate", "rollback", "--json"]);
    assert_eq!((nothing.status, nothing.code().as_str()), (Some(1), "migrate.nothing"));
}
