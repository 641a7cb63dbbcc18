//! `cargo xtask clients`: clients that others wrote talk to the built binary.
//!
//! Our own tests share our reading of a protocol; the official SDK does not.

use crate::arguments::Arguments;
use crate::process::{self, run as run_command};
use crate::repository::Repository;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::JoinHandle;

pub(crate) const HELP: &str = "\
usage: cargo xtask clients [--full]

Builds the binary, installs the clients of tests/clients/requirements.txt (names and versions are
pinned there) into a Python environment under the target folder, and runs the scripts beside it with
the path of the binary: the official SDK of MCP over stdio and over HTTP, a property-based tester of
REST, and a YAML parser that reads mail. Needs python3, and the network the first time.

  --full   as many examples for each operation of REST as are worth an afternoon's patience
";

const REQUIREMENTS: &str = "tests/clients/requirements.txt";
/// The Python environment, in the target folder.
const ENVIRONMENT: &str = "clients-venv";
const REST: &str = "tests/clients/rest_schemathesis.py";
/// The scripts, each with how much of it is tried in a check and in full.
const SCRIPTS: &[(&str, &[&str], &[&str])] = &[
    ("tests/clients/mcp_python.py", &[], &[]),
    ("tests/clients/mcp_http_python.py", &[], &[]),
    (REST, &["10"], &["300"]),
    ("tests/clients/mail_yaml.py", &[], &[]),
];

pub(crate) fn run(repository: &Repository, mut arguments: Arguments) -> Result<()> {
    let full = arguments.switch("--full");
    arguments.finish()?;
    drive(repository, full)
}

/// Runs every client; an error says which could not do what.
pub(crate) fn check(repository: &Repository) -> Result<()> {
    drive(repository, false)
}

/// Makes the Python environment of the clients beside other work, so that the network is waited for while cargo compiles.
/// What fails is tried again, and named, when the clients run.
pub(crate) fn prepare(repository: &Repository) -> Result<JoinHandle<()>> {
    let (root, target) = (repository.root().to_owned(), repository.target()?);
    Ok(std::thread::spawn(move || drop(environment(&root, &target.join(ENVIRONMENT)))))
}

/// Runs the tester of REST alone, with so many examples for each operation.
pub(crate) fn rest(repository: &Repository, examples: &str) -> Result<()> {
    run_scripts(repository, &[(REST, &[examples])])
}

fn drive(repository: &Repository, full: bool) -> Result<()> {
    let sized = |(script, smoke, whole): &(&'static str, _, _)| (*script, if full { *whole } else { *smoke });
    run_scripts(repository, &SCRIPTS.iter().map(sized).collect::<Vec<_>>())
}

/// Runs scripts of tests/clients with the built binary, each with words of its own.
fn run_scripts(repository: &Repository, scripts: &[(&str, &[&str])]) -> Result<()> {
    let root = repository.root();
    for (script, _) in scripts {
        if !root.join(script).is_file() {
            bail!("`{script}` is not there");
        }
    }
    let target = repository.target()?;
    run_command(&mut process::cargo(root, &["build", "-p", "brainstem"]))?;
    let python = environment(root, &target.join(ENVIRONMENT))?;
    let binary = target.join("debug").join(format!("brainstem{}", std::env::consts::EXE_SUFFIX));
    for (script, words) in scripts {
        run_command(Command::new(&python).arg(script).arg(&binary).args(*words).current_dir(root))?;
    }
    Ok(())
}

/// Makes the Python environment if needed, brings it to the pinned versions, and returns its python.
fn environment(root: &Path, folder: &Path) -> Result<PathBuf> {
    let wanted = std::fs::read_to_string(root.join(REQUIREMENTS))
        .with_context(|| format!("cannot read `{REQUIREMENTS}`"))?;
    let python = folder.join("bin/python");
    // Written last, so that a half-made environment is made again.
    let stamp = folder.join("installed.txt");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    make_environment(folder)?;
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS]);
    run_command(pip.current_dir(root))?;
    std::fs::write(&stamp, wanted).with_context(|| format!("cannot write `{}`", stamp.display()))?;
    Ok(python)
}

fn make_environment(folder: &Path) -> Result<()> {
    let make = || run_command(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder));
    let Err(error) = make() else { return Ok(()) };
    // Debian ships python3 without venv; where we may, we add it.
    if process::is_root() && process::succeeds(Command::new("apt-get").arg("--version")) {
        run_command(Command::new("apt-get").args(["install", "-y", "python3-venv"]))?;
        return make();
    }
    Err(error.context("cannot make a Python environment; install python3 with its venv module"))
}
