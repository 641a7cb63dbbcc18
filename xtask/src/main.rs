//! The commands of this repository: what to run before a commit, what is generated, and the long suites.
//!
//! Run as `cargo xtask <command>`; every command has a file of its own here. Nothing in this crate is
//! part of the product.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a tool for developers talks to the terminal and reads the repository directly"
)]

mod arguments;
mod bench;
mod check;
mod clients;
mod docs;
mod fuzz;
mod hosts;
mod process;
mod reference;
mod repository;
mod shells;
mod soak;
mod spec;
mod tidy;

use arguments::{Arguments, Usage};
use repository::Repository;
use std::process::ExitCode;

/// A command: its name, one line about it, its full help, and what it does.
struct Command {
    name: &'static str,
    about: &'static str,
    help: &'static str,
    run: fn(&Repository, Arguments) -> anyhow::Result<()>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "check",
        about: "everything that must hold before a commit is merged",
        help: check::HELP,
        run: check::run,
    },
    Command {
        name: "tidy",
        about: "the rules of the repository that no compiler checks",
        help: tidy::HELP,
        run: tidy::run,
    },
    Command { name: "docs", about: "write the generated reference pages", help: docs::HELP, run: docs::run },
    Command {
        name: "spec",
        about: "which lines of the specification a test proves",
        help: spec::HELP,
        run: spec::run,
    },
    Command {
        name: "clients",
        about: "drive the built binary with clients written by others",
        help: clients::HELP,
        run: clients::run,
    },
    Command {
        name: "hosts",
        about: "the official suite of MCP and a tester of REST against the daemon",
        help: hosts::HELP,
        run: hosts::run,
    },
    Command {
        name: "soak",
        about: "the suites with many processes, in full size",
        help: soak::HELP,
        run: soak::run,
    },
    Command { name: "bench", about: "how fast memory is, in full size", help: bench::HELP, run: bench::run },
    Command { name: "fuzz", about: "fuzz what reads files and calls", help: fuzz::HELP, run: fuzz::run },
];

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let wants_help = words.iter().any(|word| word == "--help" || word == "-h");
    words.retain(|word| word != "--help" && word != "-h");
    if words.first().is_some_and(|word| word == "help") {
        words.remove(0);
        return help(words.first().map(String::as_str));
    }
    let Some(name) = words.first().cloned() else { return help(None) };
    if wants_help {
        return help(Some(&name));
    }
    let Some(command) = find(&name) else { return unknown(&name) };
    words.remove(0);
    let done = Repository::find().and_then(|repository| (command.run)(&repository, Arguments::new(words)));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            if error.is::<Usage>() {
                eprintln!("fix: see `cargo xtask {name} --help`");
                return ExitCode::from(2);
            }
            ExitCode::FAILURE
        }
    }
}

fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

fn help(about: Option<&str>) -> ExitCode {
    match about.map(|name| (name, find(name))) {
        Some((_, Some(command))) => print!("{}", command.help),
        Some((name, None)) => return unknown(name),
        None => {
            println!("usage: cargo xtask <command> [options]\n");
            for command in COMMANDS {
                println!("  {:<9} {}", command.name, command.about);
            }
            println!("\n`cargo xtask help <command>` says more.");
        }
    }
    ExitCode::SUCCESS
}

fn unknown(name: &str) -> ExitCode {
    eprintln!("error: there is no command `{name}`\nfix: `cargo xtask help` lists them");
    ExitCode::from(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_help_text_starts_with_its_own_usage() {
        for command in COMMANDS {
            let start = format!("usage: cargo xtask {}", command.name);
            assert!(command.help.starts_with(&start), "{}", command.name);
            assert!(command.help.ends_with('\n'), "{}", command.name);
        }
    }
}
