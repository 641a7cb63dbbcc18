//! `cargo xtask check`: the definition of done, step by step, stopping at the first failure.

use crate::arguments::Arguments;
use crate::process::{cargo, run as run_command, shown};
use crate::repository::Repository;
use crate::{clients, shells, tidy};
use anyhow::{Result, bail};
use std::process::Command;
use std::time::{Duration, Instant};

pub(crate) const HELP: &str = "\
usage: cargo xtask check [--offline]

Runs everything that must hold before a commit is merged, here and in CI:

  shells    zsh and fish for the tests of completions, installed where apt-get may
  format    cargo fmt --all --check
  clippy    every target and feature, warnings are errors
  tests     every test of the default members, doc tests too; properties with the same inputs every time
  docs      the documentation builds without a warning
  tidy      layers, spec ids, error codes, generated pages, leftovers, links
  clients   clients written by others talk to the built binary

It stops at the first step that fails and says what to do.

  --offline   use no network: cargo works from what it has, and clients are skipped
";

/// What properties are tried with. The same every time, so that a check fails for what was changed; `cargo
/// xtask soak` draws anew.
const SEED: &str = "7733";

/// How many tests of one program run at the same time.
const TEST_THREADS: &str = "RUST_TEST_THREADS";

/// A step that is one cargo command.
struct CargoStep {
    name: &'static str,
    args: &'static [&'static str],
    env: &'static [(&'static str, &'static str)],
    on_failure: &'static str,
}

const CARGO_STEPS: &[CargoStep] = &[
    CargoStep {
        name: "format",
        args: &["fmt", "--all", "--check"],
        env: &[],
        on_failure: "run `cargo fmt --all`",
    },
    CargoStep {
        name: "clippy",
        args: &["clippy", "--all-targets", "--all-features", "--", "-D", "warnings"],
        env: &[],
        on_failure: "mend what the lints name above; where a lint is wrong, allow it there with a reason",
    },
    CargoStep {
        name: "tests",
        args: &["test", "--all-features"],
        env: &[("PROPTEST_RNG_SEED", SEED), ("BRAINSTEM_DAMAGE_SEED", SEED), ("INSTA_UPDATE", "no")],
        on_failure: "run one test alone with `cargo test -p <crate> <name>`; a changed snapshot is reviewed with \
                     `cargo insta review`",
    },
    CargoStep {
        name: "docs",
        args: &["doc", "--no-deps"],
        env: &[("RUSTDOCFLAGS", "-D warnings")],
        on_failure: "mend the links and examples that rustdoc names above",
    },
];

pub(crate) fn run(repository: &Repository, mut arguments: Arguments) -> Result<()> {
    let offline = arguments.switch("--offline");
    arguments.finish()?;
    let started = Instant::now();
    println!("== shells: {}", shells::ready(offline));
    let clients = if offline { None } else { Some(clients::prepare(repository)?) };
    for step in CARGO_STEPS {
        let mut command = cargo_command(repository, step, offline);
        timed(step.name, &shown(&command), step.on_failure, || run_command(&mut command))?;
    }
    timed("tidy", "cargo xtask tidy", "follow the `fix:` lines above", || tidy::check(repository))?;
    let Some(preparing) = clients else {
        println!("== clients: skipped, because they need the network (--offline)");
        return finished(started);
    };
    timed("clients", "cargo xtask clients", "without a network, run `cargo xtask check --offline`", || {
        let _ = preparing.join();
        clients::check(repository)
    })?;
    finished(started)
}

fn finished(started: Instant) -> Result<()> {
    println!("== all is well ({})", seconds(started.elapsed()));
    Ok(())
}

fn cargo_command(repository: &Repository, step: &CargoStep, offline: bool) -> Command {
    let mut command = cargo(repository.root(), step.args);
    command.envs(step.env.iter().copied());
    // Many tests wait for processes and for the disk, so that as many as there are cores leave the cores idle.
    if std::env::var_os(TEST_THREADS).is_none() {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        command.env(TEST_THREADS, (2 * cores).to_string());
    }
    if offline {
        command.env("CARGO_NET_OFFLINE", "true");
    }
    command
}

fn timed(name: &str, what: &str, on_failure: &str, act: impl FnOnce() -> Result<()>) -> Result<()> {
    println!("== {name}: {what}");
    let started = Instant::now();
    let done = act();
    let took = seconds(started.elapsed());
    match done {
        Ok(()) => {
            println!("== {name}: ok ({took})");
            Ok(())
        }
        Err(error) => {
            println!("== {name}: FAILED ({took})");
            bail!("{error:#}\nfix: {on_failure}")
        }
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_names_its_cause_and_what_to_do() {
        let error = timed("x", "do x", "undo x", || bail!("it broke")).unwrap_err();
        assert_eq!(error.to_string(), "it broke\nfix: undo x");
    }

    #[test]
    fn the_help_names_every_step() {
        for step in CARGO_STEPS {
            assert!(HELP.contains(&format!("\n  {} ", step.name)), "{}", step.name);
        }
    }
}
