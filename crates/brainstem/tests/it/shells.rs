//! Completions, in the shells themselves. `cargo xtask check` installs those that are missing where it may, and says which it
//! tried; run alone, a test is skipped where its shell is not there.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a test writes the script that a shell reads, and names a shell that is not there"
)]

use crate::program::Place;
use std::fs;
use std::process::Command;
use tempfile::TempDir;

/// The script in a file of its own.
fn script(shell: &str) -> (TempDir, String) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("script");
    fs::write(&path, Place::new().run(["completions", shell]).stdout).expect("our own folder");
    let path = path.display().to_string();
    (dir, path)
}

/// What a shell prints for a program, or nothing where there is no such shell.
fn shell(name: &str, words: &[&str]) -> Option<String> {
    let Ok(output) = Command::new(name).args(words).output() else {
        eprintln!("skipped: there is no {name} here");
        return None;
    };
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && error.is_empty(), "{name}: {error}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test] // spec: IF-6
fn bash_completes_verbs_groups_and_options() {
    let (_dir, path) = script("bash");
    let complete = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let list: Vec<_> = words.iter().map(|word| format!("'{word}'")).collect();
        let program = format!(
            "source '{path}'; COMP_WORDS=({}); COMP_CWORD={}; \
             _brainstem brainstem \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            list.join(" "),
            words.len() - 1
        );
        shell("bash", &["--norc", "--noprofile", "-c", &program])
            .map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
    };
    let Some(known) =
        shell("bash", &["--norc", "--noprofile", "-c", &format!("source '{path}'; complete -p brainstem")])
    else {
        return;
    };
    assert!(known.contains("_brainstem"), "{known}");
    assert_eq!(complete("brainstem memo").as_deref(), Some(&["memorize".to_owned()][..]));
    let inside = complete("brainstem config ").expect("bash is there");
    for word in ["get", "set", "list", "path"] {
        assert!(inside.iter().any(|offered| offered == word), "{word} in {inside:?}");
    }
    let options = complete("brainstem doctor --").expect("bash is there");
    for option in ["--sweep", "--all-brains", "--json", "--home"] {
        assert!(options.iter().any(|offered| offered == option), "{option} in {options:?}");
    }
}

#[test] // spec: IF-6
fn zsh_reads_its_script_and_completes_verbs() {
    let (_dir, path) = script("zsh");
    shell("zsh", &["-f", "-n", &path]);
    let program =
        format!("autoload -U compinit && compinit -u -D && source '{path}' && print $_comps[brainstem]");
    let known = shell("zsh", &["-f", "-c", &program]);
    assert!(known.is_none_or(|known| known.trim() == "_brainstem"));
}

#[test] // spec: IF-6
fn fish_reads_its_script_and_completes_verbs_groups_and_options() {
    let (_dir, path) = script("fish");
    shell("fish", &["--no-config", "--no-execute", &path]);
    let complete = |line: &str| {
        let program = format!("source '{path}'; complete --do-complete '{line}'");
        let offered = shell("fish", &["--no-config", "-c", &program])?;
        // Each with what it does, behind a tab.
        let words = offered.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned());
        Some(words.collect::<Vec<_>>())
    };
    let Some(verbs) = complete("brainstem memo") else { return };
    assert_eq!(verbs, ["memorize"]);
    for (line, word) in [
        ("brainstem config ", "get"),
        ("brainstem doctor --sw", "--sweep"),
        ("brainstem up --log-level ", "debug"),
    ] {
        let offered = complete(line).expect("fish is there");
        assert!(offered.iter().any(|one| one == word), "{word} in {offered:?}");
    }
}
