//! What a door can be asked, and the command line with its hook.

use crate::daemon::Daemon;
use crate::http;
use crate::kept::Claim;
use crate::stdio;
use brainstem_testkit::{Chance, TestHome};
use serde_json::Value;
use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// Which door.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Door {
    Stdio,
    Rest,
    McpOverHttp,
    CommandLine,
}

impl Door {
    pub(crate) fn open<'a>(
        self,
        home: &'a TestHome,
        daemon: &'a Daemon<'a>,
        life: Duration,
        chance: Chance,
    ) -> Box<dyn Way + 'a> {
        let root = home.cherry();
        match self {
            Self::Stdio => Box::new(stdio::Server::new(home, life, chance)),
            Self::Rest => Box::new(http::Rest { daemon, root }),
            Self::McpOverHttp => Box::new(http::Mcp { daemon, root, session: None }),
            Self::CommandLine => Box::new(Commands { home, chance, kills: 0 }),
        }
    }
}

/// Nobody answered: the process was killed, or was not there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gone;

/// How a write went.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Went {
    /// The caller has the answer that it is kept.
    Acknowledged,
    /// Nobody knows.
    Unanswered,
}

impl Went {
    pub(crate) fn acknowledged(answer: &Value) -> Self {
        assert!(answer["slug"].is_string(), "an answer nobody expects: {answer}");
        Self::Acknowledged
    }
}

/// A door that is open.
pub(crate) trait Way: Send {
    fn name(&self) -> &'static str;
    fn remember(&mut self, claim: &Claim) -> Went;
    /// The version of a claim that a question for it finds.
    fn recall(&mut self, claim: &Claim) -> Result<Option<u64>, Gone>;
    /// How many of its own processes were killed.
    fn kills(&self) -> u64 {
        0
    }
}

pub(crate) fn version_in_rows(claim: &Claim, answer: &Value) -> Option<u64> {
    let rows = answer["rows"].as_array().unwrap_or_else(|| panic!("an answer nobody expects: {answer}"));
    let row = rows.iter().find(|row| row["label"].as_str() == Some(&claim.label()))?;
    claim.version_in(row["text"].as_str()?)
}

/// Makes the project's brain.
pub(crate) fn prepare(home: &TestHome) {
    let made = program(home).arg("bootstrap").stdout(Stdio::null()).status().expect("the program runs");
    assert!(made.success());
}

/// Runs the hook of a host as the host would: it must say nothing wrong and end well, whatever goes on.
pub(crate) fn hook(home: &TestHome) {
    let mut child = program(home)
        .args(["hook", "session-start"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let payload = format!(
        r#"{{"session_id":"{}","hook_event_name":"SessionStart","source":"startup","cwd":{:?}}}"#,
        child.id(),
        home.cherry()
    );
    // A hook that does not read is not wrong.
    let _ = child.stdin.take().expect("piped").write_all(payload.as_bytes());
    let ended = child.wait_with_output().expect("a child can be waited for");
    assert!(ended.status.success(), "a hook fails its host: {ended:?}");
    assert!(!ended.stdout.is_empty(), "a project with memory has a beat");
}

/// Every live claim file of the project, by its name.
pub(crate) fn every_text(home: &TestHome) -> HashMap<String, String> {
    let exported = program(home).arg("export").output().expect("the program runs");
    let lines = exported.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let lines = lines.map(|line| serde_json::from_slice::<Value>(line).expect("a document"));
    let text = |line: &Value, field: &str| line[field].as_str().unwrap_or_default().to_owned();
    lines
        .filter(|line| line["type"] == "claim" && line["place"] == "live")
        .map(|line| (text(&line, "name"), text(&line, "file")))
        .collect()
}

fn program(home: &TestHome) -> Command {
    let mut command = home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
    command.current_dir(home.cherry());
    command
}

/// A process for each call, some of them killed.
struct Commands<'a> {
    home: &'a TestHome,
    chance: Chance,
    kills: u64,
}

impl Commands<'_> {
    fn run(&mut self, words: &[&str]) -> Result<Value, Gone> {
        let mut child = program(self.home)
            .args(words)
            .arg("--json")
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        if self.chance.once_in(8) {
            thread::sleep(Duration::from_micros(self.chance.below(6_000)));
            // It may have ended before.
            let _ = child.kill();
            self.kills += 1;
        }
        let ended = child.wait_with_output().expect("a child can be waited for");
        match ended.status.code() {
            Some(0) => Ok(serde_json::from_slice(&ended.stdout).expect("one document")),
            None => Err(Gone),
            Some(_) => panic!("{words:?}: {ended:?}"),
        }
    }
}

impl Way for Commands<'_> {
    fn name(&self) -> &'static str {
        "the command line"
    }

    fn remember(&mut self, claim: &Claim) -> Went {
        match self.run(&["memorize", &claim.label(), "--text", &claim.text()]) {
            Ok(answer) => Went::acknowledged(&answer),
            Err(Gone) => Went::Unanswered,
        }
    }

    fn recall(&mut self, claim: &Claim) -> Result<Option<u64>, Gone> {
        let answer = self.run(&["seek", &claim.word])?;
        Ok(version_in_rows(claim, &answer))
    }

    fn kills(&self) -> u64 {
        self.kills
    }
}
