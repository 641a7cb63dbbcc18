//! `cargo xtask hosts`: suites and clients that others wrote for servers like ours, against the daemon's own doors: the official
//! conformance suite of MCP, a client of mirror nodes, and Schemathesis for REST.

use crate::arguments::Arguments;
use crate::clients;
use crate::process::{self, run as run_command};
use crate::repository::Repository;
use anyhow::{Context, Result, bail};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub(crate) const HELP: &str = "\
usage: cargo xtask hosts

Runs suites that others wrote, as hosts meet a server: over HTTP, through the guard, the sessions and the bounds
of the daemon.

  1. MCP: every scenario of the released conformance suite, for protocols 2025-06-18 and 2025-11-25: all must hold
  2. MCP: what the draft suite requires of protocol 2026-07-28: all but those that
     tests/conformance/expected-failures.yml names, each with its reason
  3. topics: a client of Hedera's mirror nodes reads the ledger in pages, with filters and errors
  4. REST: Schemathesis with every check, from the document that the daemon serves: what fits the document is
     taken, and what does not is refused (`cargo xtask clients` runs it too, with fewer examples)

Names and versions of the suites of MCP, of the client, and of the node that runs them, are pinned in
tests/conformance/package.json and installed by npm under the target folder. Their server is an example of
crates/server, built with the feature `testing`: the product's doors, and beside its tools those that the suites
ask for (`test_…`). No build of the product has them.

Needs npm and python3, and the network the first time. Not part of `cargo xtask check`.
";

const FOLDER: &str = "tests/conformance";
/// What callers must know; the suite cannot send it, so a proxy of ours adds it.
const TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
/// How many examples Schemathesis draws for each operation.
const EXAMPLES: &str = "40";
/// The suites: the package, and what it is asked for.
const SUITES: &[(&str, &[&str])] = &[
    ("@modelcontextprotocol/conformance", &["--suite", "all"]),
    ("conformance-draft", &["--requirements", "2026-07-28", "--expected-failures", "EXPECTED"]),
];

/// The client of mirror nodes that tests/conformance/mirror_node.mjs drives.
const MIRROR_CLIENT: &str = "@tikz/hedera-mirror-node-ts";

pub(crate) fn run(repository: &Repository, arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    let root = repository.root();
    let target = repository.target()?;
    conformance(root, &target)?;
    println!("== hosts: Schemathesis, {EXAMPLES} examples for each operation of REST");
    clients::rest(repository, EXAMPLES)?;
    println!("hosts: all is well");
    Ok(())
}

/// Runs the suites of MCP and the client of mirror nodes.
fn conformance(root: &Path, target: &Path) -> Result<()> {
    let example = ["build", "-p", "brainstem-server", "--example", "conformance", "--features", "testing"];
    run_command(&mut process::cargo(root, &example))?;
    let packages = install(root, &target.join("hosts"))?;
    let node = packages.join(".bin/node");
    let home = target.join("hosts/home");
    let _ = std::fs::remove_dir_all(&home);
    let mut server = Command::new(target.join("debug/examples/conformance"));
    let (_server, address) = started(server.arg(&home).arg(TOKEN))?;
    let mut proxy = Command::new(&node);
    let (_proxy, port) =
        started(proxy.arg(root.join(FOLDER).join("with_token.mjs")).arg(&address).arg(TOKEN))?;
    let expected = root.join(FOLDER).join("expected-failures.yml");
    for (package, asked) in SUITES {
        println!("== hosts: {package} {}", asked.join(" "));
        let mut suite = Command::new(&node);
        suite.arg(packages.join(package).join("dist/index.js")).arg("server");
        suite.arg("--url").arg(format!("http://localhost:{port}/mcp"));
        for word in *asked {
            if *word == "EXPECTED" {
                suite.arg(&expected)
            } else {
                suite.arg(word)
            };
        }
        // It writes what it found into its working folder.
        run_command(suite.current_dir(target.join("hosts")))?;
    }
    println!("== hosts: {MIRROR_CLIENT} reads topics");
    let mut client = Command::new(&node);
    client.arg(root.join(FOLDER).join("mirror_node.mjs")).arg(&address).arg(TOKEN);
    run_command(client.current_dir(target.join("hosts")))
}

/// Installs the pinned packages, and returns their folder.
fn install(root: &Path, folder: &Path) -> Result<PathBuf> {
    let manifest = root.join(FOLDER).join("package.json");
    let wanted = std::fs::read_to_string(&manifest)
        .with_context(|| format!("cannot read `{}`", manifest.display()))?;
    std::fs::create_dir_all(folder).context("cannot make the folder for the suite")?;
    // Written last, so that a half-made folder is made again.
    let stamp = folder.join("installed.json");
    if !std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        std::fs::write(folder.join("package.json"), &wanted).context("cannot write package.json")?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder);
        run_command(&mut npm)?;
        std::fs::write(&stamp, wanted).context("cannot write what was installed")?;
    }
    Ok(folder.join("node_modules"))
}

/// A program that serves until this is dropped, and the first line that it says.
fn started(command: &mut Command) -> Result<(Serving, String)> {
    let shown = process::shown(command);
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start {shown}"))?;
    let stdout = child.stdout.take().context("piped above")?;
    let serving = Serving(child);
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).with_context(|| format!("{shown} says nothing"))?;
    match line.trim() {
        "" => bail!("{shown} ended without a word"),
        said => Ok((serving, said.to_owned())),
    }
}

struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        // One that has ended already is ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suite_is_pinned() {
        let manifest = include_str!("../../tests/conformance/package.json");
        for package in SUITES.iter().map(|(package, _)| package).chain([&MIRROR_CLIENT]) {
            assert!(manifest.contains(&format!("\"{package}\"")), "{package}");
        }
    }
}
