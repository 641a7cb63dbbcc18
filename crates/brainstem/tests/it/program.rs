//! Runs the built program in an empty home, with nothing of our own environment.

use crate::seen::Seen;
use serde_json::Value;
use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A home and a working directory that nobody else uses.
pub(crate) struct Place(TempDir);

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brainstem"));
        command.env_clear().env("HOME", self.0.path()).env("USER", "ana").current_dir(self.0.path());
        command
    }

    /// The home folder, there or not.
    pub(crate) fn home(&self) -> PathBuf {
        self.0.path().join(".brainstem")
    }

    /// A folder below it, made now.
    #[allow(clippy::disallowed_methods, reason = "a test makes folders")]
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let folder = self.0.path().join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    /// Runs it, and adds what came of it to what was seen.
    pub(crate) fn see(&self, seen: &mut Seen, words: &[&str]) {
        seen.add(words, &self.run(words));
    }

    /// What is seen here, nothing yet.
    pub(crate) fn seen(&self) -> Seen {
        Seen::below(self.0.path())
    }

    pub(crate) fn run(&self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Ran {
        finish(self.command().args(words), b"")
    }
}

/// Runs a command to its end with these bytes as standard input.
pub(crate) fn finish(command: &mut Command, stdin: &[u8]) -> Ran {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = child.stdin.take().expect("piped");
    let bytes = stdin.to_vec();
    // A program that does not read its input closes the pipe early.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&bytes)));
    let out = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends");
    Ran {
        status: out.status.code(),
        stdout: String::from_utf8(out.stdout).expect("UTF-8"),
        stderr: String::from_utf8(out.stderr).expect("UTF-8"),
    }
}

impl Ran {
    /// The one document on standard output.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// The error's code, with nothing but the document on standard output.
    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_else(|| panic!("no code in {self:?}")).to_owned()
    }
}
