//! `cargo xtask fuzz`: random bytes against the parser of claim files, random drafts through it.

use crate::arguments::Arguments;
use crate::process;
use crate::repository::Repository;
use anyhow::{Result, bail};

pub(crate) const HELP: &str = "\
usage: cargo xtask fuzz [--runs N]

Feeds generated files to the claim parser and generated drafts through it (fuzz/, targets
`claim_parser` and `claim_roundtrip`). Needs a nightly toolchain and cargo-fuzz; what it finds is
kept in fuzz/artifacts.

  --runs N   stop each target after N inputs (default 1000000)
";

const RUNS: u64 = 1_000_000;
/// The targets and the files each starts from.
const TARGETS: [(&str, &[&str]); 2] = [
    ("claim_parser", &["seeds/claim_parser", "../crates/claims/tests/formats/v1"]),
    ("claim_roundtrip", &[]),
];

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
    for (target, seeds) in TARGETS {
        // What is found goes into the first folder; the others are only read.
        let corpus = format!("corpus/{target}");
        std::fs::create_dir_all(folder.join(&corpus))?;
        let mut args = vec!["+nightly", "fuzz", "run", target, &corpus];
        args.extend_from_slice(seeds);
        args.extend_from_slice(&["--", "-dict=claim.dict", "-max_len=8192", &runs]);
        let mut command = process::cargo(&folder, &args);
        println!("== fuzz: {}", process::shown(&command));
        process::run(&mut command)?;
    }
    Ok(())
}
