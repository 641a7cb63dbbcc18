//! `cargo xtask soak`: the suites with many processes and kills, in the size that finds rare faults.

use crate::arguments::Arguments;
use crate::process;
use crate::repository::Repository;
use anyhow::Result;

pub(crate) const HELP: &str = "\
usage: cargo xtask soak [--processes N] [--writes N]

Runs the suites that start many processes on one home and kill them, in full size. The same
suites run in a small size inside `cargo xtask check`.

  --processes N   how many processes write at once
  --writes N      how many writes each of them makes

The test reads BRAINSTEM_SOAK=full, BRAINSTEM_SOAK_PROCESSES and BRAINSTEM_SOAK_WRITES. It prints its
seed; BRAINSTEM_SOAK_SEED gives one.
";

pub(crate) fn run(repository: &Repository, mut arguments: Arguments) -> Result<()> {
    let processes = arguments.number("--processes")?;
    let writes = arguments.number("--writes")?;
    arguments.finish()?;
    let args = ["test", "--release", "-p", "brainstem-memory", "--test", "soak", "--", "--nocapture"];
    let mut command = process::cargo(repository.root(), &args);
    command.env("BRAINSTEM_SOAK", "full");
    for (name, number) in [("BRAINSTEM_SOAK_PROCESSES", processes), ("BRAINSTEM_SOAK_WRITES", writes)] {
        if let Some(number) = number {
            command.env(name, number.to_string());
        }
    }
    println!("== soak: {}", process::shown(&command));
    process::run(&mut command)
}
