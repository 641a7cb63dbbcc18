//! `cargo xtask fuzz`: random bytes against the parser of claim files.

use crate::arguments::Arguments;
use crate::process;
use crate::repository::Repository;
use anyhow::{Result, bail};

pub(crate) const HELP: &str = "\
usage: cargo xtask fuzz [--runs N]

Feeds generated files to the claim parser (fuzz/, target `claim_parser`). Needs a nightly
toolchain and cargo-fuzz; what it finds is kept in fuzz/artifacts.

  --runs N   stop after N inputs (default 1000000)
";

const RUNS: u64 = 1_000_000;

pub(crate) fn run(repository: &Repository, mut arguments: Arguments) -> Result<()> {
    let runs = arguments.number("--runs")?.unwrap_or(RUNS);
    arguments.finish()?;
    let folder = repository.root().join("fuzz");
    if !folder.join("Cargo.toml").is_file() {
        bail!("there is no fuzz/Cargo.toml in this repository");
    }
    if !process::succeeds(&mut process::cargo(&folder, &["+nightly", "fuzz", "--version"])) {
        bail!(
            "cargo-fuzz is not here\n\
             fix: `rustup toolchain install nightly` and `cargo install cargo-fuzz`, then run this again"
        );
    }
    let runs = format!("-runs={runs}");
    let mut command = process::cargo(&folder, &["+nightly", "fuzz", "run", "claim_parser", "--", &runs]);
    println!("== fuzz: {}", process::shown(&command));
    process::run(&mut command)
}
