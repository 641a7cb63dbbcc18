//! `cargo xtask bench`: how fast memory is, in full size.

use crate::arguments::Arguments;
use crate::process;
use crate::repository::Repository;
use anyhow::{Context, Result};
use std::process::Command;

pub(crate) const HELP: &str = "\
usage: cargo xtask bench [--smoke]

Measures memory at 1,000, 10,000 and 100,000 claims: in process against tantivy, SQLite and the bare
disk (bench/memory), then through the command line and MCP (bench/memory/doors.py, needs python3).
Prints tables and writes JSON to `bench/` of the target folder; docs/performance.md says what is
promised. Takes about half an hour, and wants a machine that does nothing else.

  --smoke   1,000 claims alone, a minute or two

Peers are measured by `doors.py` itself, where they were installed: see its first lines.
";

pub(crate) fn run(repository: &Repository, mut arguments: Arguments) -> Result<()> {
    let sizes = if arguments.switch("--smoke") { "1000" } else { "1000,10000,100000" };
    arguments.finish()?;
    let root = repository.root();
    let folder = root.join("bench/memory");
    // Both packages build there, so that they share what is the same.
    let target = repository.target()?;
    let results = target.join("bench");
    std::fs::create_dir_all(&results).context("cannot make the folder for the results")?;
    let ours = ["build", "--release", "-p", "brainstem"];
    let filler = target.join("release/brainstem-bench-memory");
    let mut building = process::cargo(&folder, &["build", "--release"]);
    building.env("CARGO_TARGET_DIR", &target);
    let mut in_process = Command::new(&filler);
    in_process.args(["--claims", sizes, "--json"]).arg(results.join("memory.json")).current_dir(root);
    let mut doors = Command::new("python3");
    doors.arg(folder.join("doors.py")).args(["--sizes", sizes]).current_dir(root);
    doors.arg("--binary").arg(target.join("release/brainstem")).arg("--filler").arg(&filler);
    doors.arg("--json").arg(results.join("doors.json"));
    for command in [&mut process::cargo(root, &ours), &mut building, &mut in_process, &mut doors] {
        println!("== bench: {}", process::shown(command));
        process::run(command)?;
    }
    println!("bench: the figures are in {}", results.display());
    Ok(())
}
