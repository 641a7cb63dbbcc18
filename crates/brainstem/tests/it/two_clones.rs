//! Memory that travels: two clones with two homes, real git in between.

#![allow(
    clippy::disallowed_methods,
    reason = "a test makes repositories and looks at the files behind the answers"
)]

mod merging;
mod moving_store;
mod named_gaps;
mod screens;
mod taken_away;
mod travelling;

use crate::program::{Ran, finish};
use crate::seen::Seen;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// One person on one machine, with a clone of the repository.
struct Person {
    home: PathBuf,
    clone: PathBuf,
    name: &'static str,
}

impl Person {
    fn new(top: &Path, name: &'static str, remote: &Path) -> Self {
        let home = top.join(name);
        fs::create_dir(&home).expect("a folder");
        let person = Self { clone: home.join("cherry"), home, name };
        let cloned = person.command("git").arg("clone").arg("-q").arg(remote).arg(&person.clone).status();
        assert!(cloned.expect("git runs").success());
        person
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", &self.home).env("USER", self.name).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("PATH", std::env::var_os("PATH").expect("a path"));
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), self.name)
                .env(format!("GIT_{role}_EMAIL"), "x@example.org");
        }
        command
    }

    fn git(&self, words: &[&str]) -> Ran {
        finish(self.command("git").current_dir(&self.clone).args(words), b"")
    }

    fn git_ok(&self, words: &[&str]) {
        let ran = self.git(words);
        assert_eq!(ran.status, Some(0), "git {words:?}: {ran:?}");
    }

    fn commit(&self, message: &str) {
        self.git_ok(&["add", "-A"]);
        self.git_ok(&["commit", "-q", "-m", message]);
    }

    fn run(&self, words: &[&str]) -> Ran {
        let program = env!("CARGO_BIN_EXE_brainstem");
        finish(self.command(program).current_dir(&self.clone).args(words).arg("--json"), b"")
    }

    /// Runs it as a person does, and adds what came of it to what was seen.
    fn see(&self, seen: &mut Seen, words: &[&str]) {
        let program = env!("CARGO_BIN_EXE_brainstem");
        seen.add(words, &finish(self.command(program).current_dir(&self.clone).args(words), b""));
    }

    fn ask(&self, words: &[&str]) -> Value {
        let ran = self.run(words);
        assert_eq!(ran.status, Some(0), "{words:?}: {ran:?}");
        ran.json()
    }

    fn texts(&self) -> Vec<String> {
        let rows = self.ask(&["list"])["rows"].clone();
        let mut texts: Vec<String> = rows
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| row["text"].as_str().expect("text").to_owned())
            .collect();
        texts.sort();
        texts
    }

    fn gaps(&self) -> Vec<String> {
        let gaps = self.ask(&["list"])["gaps"].clone();
        gaps.as_array()
            .expect("gaps")
            .iter()
            .map(|gap| gap["name"].as_str().expect("name").to_owned())
            .collect()
    }
}

/// A bare remote with one commit, and two people with a clone each.
fn world() -> (TempDir, Person, Person) {
    let dir = tempfile::tempdir().expect("a folder");
    let top = fs::canonicalize(dir.path()).expect("a folder");
    let remote = top.join("remote.git");
    let made = Command::new("git").args(["init", "-q", "--bare", "-b", "main"]).arg(&remote).status();
    assert!(made.expect("git runs").success());
    let ana = Person::new(&top, "ana", &remote);
    ana.git_ok(&["checkout", "-q", "-B", "main"]);
    fs::write(ana.clone.join("README.md"), "cherry\n").expect("a file");
    ana.commit("first");
    ana.git_ok(&["push", "-q", "-u", "origin", "main"]);
    let ben = Person::new(&top, "ben", &remote);
    (dir, ana, ben)
}

/// Ana has two claims in the repository and has pushed them; Ben has pulled.
fn shared() -> (TempDir, Person, Person) {
    let (dir, ana, ben) = world();
    ana.ask(&["bootstrap"]);
    ana.ask(&["memorize", "Retry policy", "--text", "three times", "--as", "codex:maker"]);
    ana.ask(&["memorize", "Cache", "--text", "cleared on deploy", "--as", "claude:maker"]);
    let made = ana.ask(&["init"]);
    assert_eq!(made["moves"].as_array().map(Vec::len), Some(2), "{made}");
    ana.commit("memory");
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);
    (dir, ana, ben)
}

/// The texts that `show` gives of a label: live, waiting, and before.
fn all_texts(person: &Person, label: &str) -> Vec<String> {
    let shown = person.ask(&["show", label]);
    let of = |rows: &Value| -> Vec<String> {
        let rows = rows.as_array().cloned().unwrap_or_default();
        rows.iter().filter_map(|row| row["text"].as_str().map(str::to_owned)).collect()
    };
    let live = shown["claim"]["text"].as_str().map(str::to_owned);
    live.into_iter().chain(of(&shown["sides"])).chain(of(&shown["history"])).collect()
}

/// The names of the gaps of an answer.
fn gap_names(answer: &Value) -> Vec<String> {
    let gaps = answer["gaps"].as_array().map(Vec::as_slice).unwrap_or_default();
    gaps.iter().map(|gap| gap["name"].as_str().expect("a name").to_owned()).collect()
}
