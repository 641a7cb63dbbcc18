//! A process of its own does the work that a recall leaves for later, so that no command waits for it.

use crate::surroundings;
use brainstem_api::cli::Globals;
use brainstem_base::next::VerbId;
use brainstem_memory::Memory;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

/// Starts the process if the command that was just answered left work.
pub(crate) fn after(memory: &Memory, globals: &Globals) {
    if surroundings::background() && memory.is_index_unsettled() {
        // The command does not wait for it, and nothing is lost without it.
        let _ = start(globals, &[]);
    }
}

/// Starts the process and waits for its end; for a server's idle thread.
pub(crate) fn settle(globals: &Globals) {
    if let Some(mut child) = start(globals, &[]) {
        let _ = child.wait();
    }
}

/// As [`settle`], for every brain: a daemon serves all of them.
pub(crate) fn settle_all(globals: &Globals) {
    if let Some(mut child) = start(globals, &["--tier", "all-brains"]) {
        let _ = child.wait();
    }
}

fn start(globals: &Globals, which: &[&str]) -> Option<Child> {
    let mut command = Command::new(surroundings::program()?);
    command.arg("--home").arg(surroundings::home(globals).ok()?);
    if let Some(root) = &globals.root {
        command.arg("--root").arg(root);
    }
    command
        .args(VerbId::Index.words())
        .arg("--gentle")
        .args(which)
        .env(surroundings::BACKGROUND, "off")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Ctrl-C is meant for the command that was typed.
        .process_group(0)
        .spawn()
        .ok()
}
