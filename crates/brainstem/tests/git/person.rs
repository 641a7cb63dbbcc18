//! One person on one machine: a home, a clone, and what can be done with both.

use brainstem_base::clock::ManualClock;
use brainstem_base::disk::RealDisk;
use brainstem_base::ids::SystemIds;
use brainstem_memory::{
    Caller, CallerPlace, Declared, Filter, Gap, ListRequest, Memory, NoEmbedder, Parts, RootHints,
    ShowRequest, Shown, Tier,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

pub(crate) struct Person {
    pub(crate) name: &'static str,
    pub(crate) clone: PathBuf,
    pub(crate) memory: Memory,
    pub(crate) caller: Caller,
    home: PathBuf,
    clock: Arc<ManualClock>,
}

/// A folder of claims, from the root of a clone.
pub(crate) const CLAIMS: &str = ".brainstem/agent-memory";

impl Person {
    pub(crate) fn new(top: &Path, name: &'static str, remote: &Path, clock: &Arc<ManualClock>) -> Self {
        let home = top.join(name);
        std::fs::create_dir(&home).expect("a folder");
        let clone = home.join("cherry");
        let cloned = git(&home, &home, name).args(["clone", "-q"]).arg(remote).arg(&clone).status();
        assert!(cloned.expect("git runs").success());
        let declared = Declared { argument: Some(format!("human:{name}")), ..Declared::default() };
        let principal =
            brainstem_memory::identity::resolve(&declared, &Default::default()).expect("a valid id");
        let hints = RootHints { explicit: Some(clone.clone()), ..RootHints::default() };
        let caller = Caller::new(principal, CallerPlace::lasting(hints));
        let memory = memory_at(&home, clock);
        Self { name, clone, memory, caller, home, clock: clock.clone() }
    }

    /// As a process that has just started has it.
    pub(crate) fn start_anew(&mut self) {
        self.memory = memory_at(&self.home, &self.clock);
    }

    /// Runs git in the clone; whether it succeeded.
    pub(crate) fn git(&self, words: &[&str]) -> bool {
        let status = git(&self.clone, &self.home, self.name).args(words).status();
        status.expect("git runs").success()
    }

    /// What git prints.
    pub(crate) fn git_says(&self, words: &[&str]) -> String {
        let output = git(&self.clone, &self.home, self.name).args(words).stdout(Stdio::piped()).output();
        String::from_utf8_lossy(&output.expect("git runs").stdout).trim().to_owned()
    }

    pub(crate) fn show(&self, label: &str) -> Option<Shown> {
        let request = ShowRequest { label: label.into(), tier: Tier::Project, at: None };
        match self.memory.show(&self.caller, &request) {
            Ok(shown) => Some(shown),
            Err(error) => {
                let code = brainstem_base::Coded::code(&error).name();
                assert!(
                    ["claim.not_found", "memory.brainless_root", "claim.unreadable"].contains(&code),
                    "{error}"
                );
                None
            }
        }
    }

    /// Every text that `show` and `list` give for these labels.
    pub(crate) fn texts(&self, labels: &[&str]) -> BTreeSet<String> {
        let mut texts: BTreeSet<String> = BTreeSet::new();
        for shown in labels.iter().filter_map(|label| self.show(label)) {
            texts.extend(shown.claim.into_iter().chain(shown.sides).map(|row| row.text));
            texts.extend(shown.history.into_iter().map(|version| version.text));
        }
        texts.extend(self.list().0.into_iter().map(|(_, text)| text));
        texts
    }

    /// The label and text of each row, and the gaps.
    pub(crate) fn list(&self) -> (Vec<(String, String)>, Vec<Gap>) {
        let request =
            ListRequest { tier: Tier::Both, limit: 10_000, filter: Filter::default(), cursor: None };
        let listed = self.memory.list(&self.caller, &request).expect("a list");
        let rows = listed.rows.into_iter().filter(|row| row.tier == "project");
        (rows.map(|row| (row.label, row.text)).collect(), listed.gaps)
    }

    /// The claim files of the checkout with their content.
    pub(crate) fn files(&self) -> Vec<(PathBuf, String)> {
        let Ok(entries) = std::fs::read_dir(self.clone.join(CLAIMS)) else { return Vec::new() };
        let mut files: Vec<(PathBuf, String)> = entries
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.is_file())
            .map(|path| (path.clone(), std::fs::read_to_string(&path).expect("text")))
            .collect();
        files.sort();
        files
    }
}

fn memory_at(home: &Path, clock: &Arc<ManualClock>) -> Memory {
    Memory::new(Parts {
        disk: Arc::new(RealDisk),
        clock: clock.clone(),
        ids: Arc::new(SystemIds),
        home: home.join(".brainstem"),
        user_home: None,
        meanings: Arc::new(NoEmbedder),
    })
}

pub(crate) fn git(cwd: &Path, home: &Path, name: &str) -> Command {
    let mut command = Command::new("git");
    command.env_clear().env("HOME", home).env("PATH", std::env::var_os("PATH").expect("a path"));
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_EDITOR", "true").env("GIT_TERMINAL_PROMPT", "0");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), name).env(format!("GIT_{role}_EMAIL"), "x@example.org");
    }
    command.args(["-c", "core.fsync=none", "-c", "gc.auto=0", "-c", "advice.detachedHead=false"]);
    command.current_dir(cwd).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}
