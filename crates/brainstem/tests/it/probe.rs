//! The probe: one claim followed from end to end through real processes.

#![allow(clippy::disallowed_methods, reason = "a test looks at the files behind the answers")]

use crate::program::{Ran, finish};
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

struct Probe(TestHome);

impl Probe {
    fn new() -> Self {
        let probe = Self(TestHome::new());
        for repository in [probe.0.cherry(), probe.0.plum()] {
            assert_eq!(probe.run(&repository, &["bootstrap"]).status, Some(0));
        }
        probe
    }

    /// One process, in one repository.
    fn run(&self, repository: &Path, words: &[&str]) -> Ran {
        let mut command = self.0.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        command.current_dir(repository).args(words).args(["--json", "--as", "claude:probe"]);
        finish(&mut command, b"")
    }

    fn ask(&self, repository: &Path, words: &[&str]) -> Value {
        let ran = self.run(repository, words);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        ran.json()
    }

    /// Every file of a brain's folder, or of the medulla, but for lock files.
    fn files(&self, folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                // The record of the root follows what lies in the project.
                if path.file_name().is_some_and(|name| name == ".locks" || name == "root.json") {
                    continue;
                } else if path.is_dir() {
                    folders.push(path);
                } else {
                    found.insert(path.clone(), fs::read(&path).expect("a file"));
                }
            }
        }
        found
    }

    fn folder_of(&self, name: &str) -> PathBuf {
        let brains = fs::read_dir(self.0.path().join("project-brains")).expect("brains");
        let mut folders = brains.map(|entry| entry.expect("an entry").path());
        let is_its = |path: &PathBuf| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(name));
        folders.find(is_its).expect("its folder")
    }
}

fn labels(rows: &Value) -> Vec<&str> {
    rows.as_array().expect("rows").iter().map(|row| row["label"].as_str().expect("a label")).collect()
}

#[test] // spec: MEM-4, MEM-10, MEM-11, MEM-21, MEM-22, MEM-23, IF-17, IF-18
fn a_sentinel_stays_in_its_project_from_end_to_end() {
    let probe = Probe::new();
    let (cherry, plum) = (probe.0.cherry(), probe.0.plum());
    probe.ask(&plum, &["memorize", "plum fact", "--text", "only here"]);
    let plum_before = probe.files(&probe.folder_of("plum"));
    let medulla = probe.0.path().join("agent-memory");
    let medulla_before = probe.files(&medulla);

    let born = probe.ask(&cherry, &["memorize", "Probe Sentinel", "--text", "the first word"]);
    assert_eq!(born["tier"], "project");
    assert_eq!(born["lifecycle"], "project_private");
    assert_eq!(born["source_agent"], "claude:probe");
    assert!(born["origin_brain"].as_str().is_some_and(|origin| origin.starts_with("cherry@")), "{born}");

    // It surfaces at once in the next process of its own project.
    let found = probe.ask(&cherry, &["seek", "probe sentinel word"]);
    assert_eq!(labels(&found["rows"]), ["Probe Sentinel"]);
    assert_eq!(found["rows"][0]["text"], "the first word");
    assert_eq!(found["rows"][0]["source_agent"], "claude:probe");
    let beat = probe.ask(&cherry, &["north", "verify the probe sentinel"]);
    assert_eq!(labels(&beat["memory"]), ["Probe Sentinel"]);
    assert_eq!(beat["binding"]["trust_mode"], "full");
    assert_eq!(beat["memory_exists"], 1);

    // It is absent from the other project, which does not claim to be empty.
    let other = probe.ask(&plum, &["seek", "probe sentinel word"]);
    assert_eq!(other["rows"], json!([]));
    assert_eq!((&other["memory_exists"], &other["gaps"][0]["name"]), (&json!(1), &json!("no_match")));
    let beat = probe.ask(&plum, &["north", "verify the probe sentinel"]);
    assert_eq!(labels(&beat["memory"]), ["plum fact"]);
    assert_eq!(labels(&probe.ask(&plum, &["list"])["rows"]), ["plum fact"]);
    assert_eq!(probe.run(&plum, &["show", "Probe Sentinel"]).code(), "claim.not_found");
    let all = probe.ask(&plum, &["seek", "sentinel", "--tier", "all-brains"]);
    let origin = all["groups"][0]["origin_brain"].as_str().expect("a group");
    assert!(origin.starts_with("cherry@"), "{all}");

    // Its file lies in its own store; the other stores are byte for byte as they were.
    let folder = fs::canonicalize(probe.folder_of("cherry")).expect("a folder");
    assert!(Path::new(born["path"].as_str().expect("a path")).starts_with(&folder));
    assert_eq!(probe.files(&probe.folder_of("plum")), plum_before);
    assert_eq!(probe.files(&medulla), medulla_before);

    // Superseded in place, the original in history.
    let second = probe.ask(&cherry, &["memorize", "Probe Sentinel", "--text", "closed"]);
    assert_eq!((&second["superseded"], &second["path"]), (&json!(true), &born["path"]));
    let history = fs::read_to_string(second["history"].as_str().expect("a path")).expect("a file");
    assert!(history.contains("State: outdated") && history.contains("the first word"), "{history}");
    let shown = probe.ask(&cherry, &["show", "probe-sentinel"]);
    assert_eq!(shown["claim"]["text"], "closed");
    assert_eq!(shown["history"][0]["text"], "the first word");
    assert_eq!(shown["history"][0]["lifecycle"], "superseded");
    assert_eq!(probe.files(&probe.folder_of("plum")), plum_before);
}

#[test] // spec: MEM-6, MEM-8, MEM-9, IF-4, IF-6
fn every_refusal_has_a_code_and_a_fix_and_loses_nothing() {
    let probe = Probe::new();
    let cherry = probe.0.cherry();
    probe.ask(&cherry, &["memorize", "Kept", "--text", "as it is", "--confidence", "high"]);
    let folder = probe.folder_of("cherry");
    let huge = folder.join("agent-memory/huge.light.md");
    fs::write(&huge, vec![b'x'; 50_000_000]).expect("a file");
    fs::write(folder.join("agent-memory/latin.light.md"), b"---\nNode: caf\xe9\n---\n").expect("a file");
    let (big, latin) = (cherry.join("big.txt"), cherry.join("latin.txt"));
    fs::write(&big, vec![b'y'; 300_000]).expect("a file");
    fs::write(&latin, b"caf\xe9").expect("a file");
    let before = probe.files(&folder);
    let name = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let long = "x".repeat(600);
    let table: Vec<(Vec<&str>, &str)> = vec![
        (vec!["memorize", "", "--text", "x"], "claim.bad_label"),
        (vec!["memorize", &long, "--text", "x"], "claim.bad_label"),
        (vec!["memorize", "kept!", "--text", "x"], "claim.slug_taken"),
        (vec!["memorize", "Kept", "--text", "x"], "claim.would_downgrade"),
        (vec!["memorize", "x", "--confidence", "99"], "claim.bad_confidence"),
        (vec!["memorize", "x", "--state", "sure"], "claim.bad_state"),
        (vec!["memorize", "x", "--kind", "thing"], "input.bad_value"),
        (vec!["memorize", "x", "--text", "x", "--tier", "all-brains"], "input.bad_value"),
        (vec!["memorize", "x", "--text", "<<<<<<< a\n=======\n>>>>>>> b"], "claim.conflict_markers"),
        (vec!["memorize", "huge", "--text", "x"], "claim.unreadable"),
        (vec!["memorize", "latin", "--text", "x"], "claim.unreadable"),
        (vec!["retract", "huge", "--reason", "x"], "claim.unreadable"),
        (vec!["retract", "Kept", "--reason", "  "], "input.missing"),
        (vec!["retract", "Gone", "--reason", "x"], "claim.not_found"),
        (vec!["show", "huge"], "claim.unreadable"),
        (vec!["show", "Gone"], "claim.not_found"),
        (vec!["list", "--tier", "everything"], "input.bad_value"),
        (vec!["list", "--limit", "0"], "input.bad_value"),
        (vec!["seek", "x", "--limit", "many"], "input.bad_value"),
        (vec!["bootstrap", "/"], "memory.not_a_project"),
        (vec!["bootstrap", "no/such/folder"], "memory.root_missing"),
    ];
    for (words, code) in table {
        let ran = probe.run(&cherry, &words);
        assert_eq!((ran.status, ran.code().as_str()), (Some(1), code), "{words:?}");
        assert!(ran.json()["error"]["fix"].as_str().is_some_and(|fix| !fix.is_empty()), "{words:?}");
    }
    let from_file = |path| probe.run(&cherry, &["memorize", "x", "--text-file", &name(path)]).code();
    assert_eq!(from_file(&big), "claim.too_large");
    assert_eq!(from_file(&latin), "input.not_utf8");
    assert_eq!(from_file(&huge), "input.too_large");
    assert_eq!(from_file(&cherry.join("none")), "input.unreadable");
    assert_eq!(probe.files(&folder), before, "nothing was lost, changed or added");
    let listed = probe.ask(&cherry, &["list"]);
    assert_eq!((&listed["memory_exists"], labels(&listed["rows"])), (&json!(1), vec!["Kept"]));
    assert_eq!(listed["gaps"].as_array().map(Vec::len), Some(2), "{listed}");
}
