//! `cargo xtask soak`: the long suites, in the size that finds rare faults.

use crate::arguments::Arguments;
use crate::process;
use crate::repository::Repository;
use anyhow::Result;

pub(crate) const HELP: &str = "\
usage: cargo xtask soak [--processes N] [--writes N]

Runs in full size what `cargo xtask check` runs in a small one: many processes that write into one
home and are killed, eight senders and two listeners of an inbox that are killed while 20,000 messages pass
through the ledger, all the doors at once on one home, three clones of a repository under two thousand
random runs of memory, editors and git, ten million damaged files through the claim parser, the
properties of memory, its index and the mirror of the inbox with twenty times the cases, drawn anew,
ledgers and mirrors whose files a power loss tore in twenty times the ways, every verb that reads with
hundreds of single reads that fail, forty draws of every kind and form of secret, and ten thousand seeds
of the simulated queue of wakes.

  --processes N   how many processes write at once
  --writes N      how many writes each of them makes

The tests of memory and inbox read BRAINSTEM_SOAK=full, BRAINSTEM_SOAK_PROCESSES (writers, senders) and
BRAINSTEM_SOAK_WRITES. They print their seed; BRAINSTEM_SOAK_SEED gives one. The runs with git read BRAINSTEM_GIT_RUNS (how many of each kind)
and BRAINSTEM_GIT_SEED (one run, again).
";

pub(crate) fn run(repository: &Repository, mut arguments: Arguments) -> Result<()> {
    let processes = arguments.number("--processes")?;
    let writes = arguments.number("--writes")?;
    arguments.finish()?;
    let suites = [
        "test --release -p brainstem-memory --test soak -- --nocapture",
        "test --release -p brainstem-post --test inbox kills -- --nocapture",
        "test --release -p brainstem-ledger-sqlite --test power_loss -- --nocapture",
        "test --release -p brainstem-inbox-sqlite --test it",
        "test --release -p brainstem --test doors -- --nocapture",
        "test --release -p brainstem --test git -- --nocapture",
        "test --release -p brainstem-claims --test formats mutations -- --nocapture",
        "test --release -p brainstem-index -p brainstem-memory -p brainstem-transfer --test it",
        "test --release -p brainstem-api --test it failing_reads",
        "test --release -p brainstem-hygiene --test forms -- --nocapture",
        "test --release -p brainstem-wake --tests -- --nocapture",
    ];
    for suite in suites {
        let args: Vec<&str> = suite.split(' ').collect();
        let mut command = process::cargo(repository.root(), &args);
        command.env("BRAINSTEM_SOAK", "full");
        for (name, number) in [("BRAINSTEM_SOAK_PROCESSES", processes), ("BRAINSTEM_SOAK_WRITES", writes)] {
            if let Some(number) = number {
                command.env(name, number.to_string());
            }
        }
        println!("== soak: {}", process::shown(&command));
        process::run(&mut command)?;
    }
    Ok(())
}
