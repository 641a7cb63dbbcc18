//! The shells that tests of completions need. A test without its shell proves nothing, so the check brings them or says so.

use crate::process::{is_root, run as run_command, succeeds};
use std::process::Command;

const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

/// Installs the shells that are missing, where that can be done; returns what the tests will find.
pub(crate) fn ready(offline: bool) -> String {
    let missing = missing();
    if !missing.is_empty() && !offline && is_root() && succeeds(Command::new("apt-get").arg("--version")) {
        let install = |words: &[&str]| {
            let mut apt = Command::new("apt-get");
            apt.args(["-qq", "-o=Dpkg::Use-Pty=0"]).args(words).env("DEBIAN_FRONTEND", "noninteractive");
            run_command(&mut apt)
        };
        let wanted = [&["install", "-y", "--no-install-recommends"], missing.as_slice()].concat();
        // The lists of a fresh machine may be old. What cannot be installed is named below.
        let _ = install(&wanted).or_else(|_| install(&["update"]).and_then(|()| install(&wanted)));
    }
    report(&self::missing())
}

fn missing() -> Vec<&'static str> {
    SHELLS.into_iter().filter(|shell| !succeeds(Command::new(shell).arg("--version"))).collect()
}

fn report(missing: &[&str]) -> String {
    if missing.is_empty() {
        return format!("{} are here", SHELLS.join(", "));
    }
    format!(
        "no {}: the tests of completions there are SKIPPED (install them to run those)",
        missing.join(", no ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_that_is_missing_is_named() {
        assert_eq!(report(&[]), "bash, zsh, fish are here");
        assert!(
            report(&["zsh", "fish"])
                .starts_with("no zsh, no fish: the tests of completions there are SKIPPED")
        );
    }
}
