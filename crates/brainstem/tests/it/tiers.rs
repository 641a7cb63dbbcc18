//! Who sees what: every caller, through every door, at every tier.

#![allow(clippy::disallowed_methods, reason = "a test makes the folders that callers stand in")]
#![allow(clippy::unwrap_used, reason = "everything here is a test")]

use crate::program::{Ran, finish};
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Who asks, and from where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asker {
    /// In a project with a brain.
    Cherry,
    /// In another one.
    Plum,
    /// In a project without a brain.
    Brainless,
    /// In no project.
    Unbound,
}

const ASKERS: [Asker; 4] = [Asker::Cherry, Asker::Plum, Asker::Brainless, Asker::Unbound];
const TIERS: [Option<&str>; 4] = [None, Some("project"), Some("medulla"), Some("all-brains")];
const TEXTS: [&str; 4] =
    ["the heron of cherry", "the heron of plum", "the heron of the medulla", "the heron of the dormant"];

struct World {
    home: TestHome,
    nest: PathBuf,
}

impl World {
    fn new() -> Self {
        let home = TestHome::new();
        let dormant = home.user_home().join("dormant");
        let bare = home.user_home().join("bare");
        for repository in [&dormant, &bare] {
            std::fs::create_dir_all(repository.join(".git")).unwrap();
            std::fs::write(repository.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        }
        let world = Self { nest: bare, home };
        for (repository, text) in
            [(world.home.cherry(), TEXTS[0]), (world.home.plum(), TEXTS[1]), (dormant.clone(), TEXTS[3])]
        {
            assert_eq!(world.run(&repository, &["bootstrap"]).status, Some(0));
            assert_eq!(world.run(&repository, &["memorize", "Heron", "--text", text]).status, Some(0));
        }
        let shared = ["memorize", "Heron", "--text", TEXTS[2], "--tier", "medulla"];
        assert_eq!(world.run(&world.home.cherry(), &shared).status, Some(0));
        // Nobody has opened it, and nobody stands in it any more.
        std::fs::rename(&dormant, world.home.user_home().join("elsewhere")).unwrap();
        world
    }

    fn folder(&self, asker: Asker) -> PathBuf {
        match asker {
            Asker::Cherry => self.home.cherry(),
            Asker::Plum => self.home.plum(),
            Asker::Brainless => self.nest.clone(),
            Asker::Unbound => self.home.user_home().to_owned(),
        }
    }

    fn run(&self, folder: &Path, words: &[&str]) -> Ran {
        let mut command = self.home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        command.current_dir(folder).args(words).args(["--json", "--as", "human:ana"]);
        finish(&mut command, b"")
    }

    /// One question over the command line: the document, or the code of the refusal.
    fn by_command(&self, asker: Asker, verb: &str, tier: Option<&str>) -> Result<Value, String> {
        let mut words = vec![verb, "heron"];
        words.extend(tier.iter().flat_map(|tier| ["--tier", tier]));
        let ran = self.run(&self.folder(asker), &words);
        if ran.status == Some(0) { Ok(ran.json()) } else { Err(ran.code()) }
    }

    /// All these questions over one MCP session.
    fn by_mcp(&self, asker: Asker, calls: &[(&str, Value)]) -> Vec<Result<Value, String>> {
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "Test", "version": "1"}}});
        let mut lines =
            format!("{hello}\n{}\n", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        for (id, (tool, arguments)) in calls.iter().enumerate() {
            let params =
                json!({"name": tool, "arguments": crate::mcp::with_document(tool, arguments.clone())});
            let call = json!({"jsonrpc": "2.0", "id": id + 1, "method": "tools/call", "params": params});
            lines.push_str(&format!("{call}\n"));
        }
        let mut command = self.home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        let ran = finish(
            command.current_dir(self.folder(asker)).args(["mcp", "--toolsets", "all"]),
            lines.as_bytes(),
        );
        let mut answers: Vec<Value> =
            ran.stdout.lines().map(|line| serde_json::from_str(line).expect("one document a line")).collect();
        answers.sort_by_key(|answer| answer["id"].as_u64());
        let answers = answers.split_off(1).into_iter().map(|answer| {
            let document = answer["result"]["structuredContent"].clone();
            match document["error"]["code"].as_str() {
                Some(code) => Err(code.to_owned()),
                None => Ok(document),
            }
        });
        answers.collect()
    }
}

/// Which of the texts may be in an answer; the rest may not be anywhere in it.
fn visible(asker: Asker, tier: Option<&str>) -> Option<BTreeSet<usize>> {
    let own = match asker {
        Asker::Cherry => Some(0),
        Asker::Plum => Some(1),
        Asker::Brainless | Asker::Unbound => None,
    };
    match tier {
        None => Some(own.into_iter().chain([2]).collect()),
        // A caller without a brain gets that answer, and not another one's brain.
        Some("project") => own.map(|own| BTreeSet::from([own])),
        Some("medulla") => Some(BTreeSet::from([2])),
        Some(_) => Some(BTreeSet::from([0, 1, 2, 3])),
    }
}

/// Which of the texts are anywhere in an answer.
fn seen(document: &Value) -> BTreeSet<usize> {
    let text = document.to_string();
    (0..TEXTS.len()).filter(|at| text.contains(TEXTS[*at])).collect()
}

#[test] // spec: MEM-21, MEM-22, MEM-20, MEM-17, MEM-39
fn every_caller_sees_its_own_brain_and_the_medulla_through_every_door() {
    let world = World::new();
    for asker in ASKERS {
        let mut calls: Vec<(&str, Value)> = Vec::new();
        for tier in TIERS {
            let mut arguments = json!({"query": "heron"});
            if let Some(tier) = tier {
                arguments["tier"] = json!(tier);
            }
            calls.push(("seek", arguments));
        }
        calls.push(("north", json!({"task": "heron"})));
        calls.push(("north", json!({"task": ""})));
        calls.push(("delegate", json!({"task": "heron"})));
        let answers = world.by_mcp(asker, &calls);
        assert_eq!(answers.len(), calls.len());
        for (tier, over_mcp) in TIERS.into_iter().zip(&answers) {
            let by_command = world.by_command(asker, "seek", tier);
            for (door, answer) in [("command line", &by_command), ("MCP", over_mcp)] {
                let got = answer.as_ref().map(seen).map_err(String::as_str);
                match visible(asker, tier) {
                    Some(expected) => assert_eq!(got, Ok(expected), "{asker:?} {tier:?} {door}"),
                    None => assert_eq!(got, Err("memory.brainless_root"), "{asker:?} {tier:?} {door}"),
                }
                let grouped = answer.as_ref().is_ok_and(|answer| answer["groups"].is_array());
                assert_eq!(grouped, tier == Some("all-brains"), "{asker:?} {tier:?} {door}");
            }
            // Both doors say the same, but for the age of what they say.
            let rows = |answer: &Value| -> Vec<String> {
                let rows = answer["rows"].as_array().cloned().unwrap_or_default();
                rows.iter().map(|row| format!("{} {} {}", row["path"], row["text"], row["tier"])).collect()
            };
            if let (Ok(one), Ok(other)) = (&by_command, over_mcp) {
                assert_eq!(rows(one), rows(other), "{asker:?} {tier:?}");
            }
        }
        let (packet, beats) = answers[TIERS.len()..].split_last().unwrap();
        for beat in beats {
            assert_eq!(beat.as_ref().map(seen), Ok(visible(asker, None).unwrap()), "{asker:?}");
        }
        let beat = world.by_command(asker, "north", None);
        assert_eq!(beat.as_ref().map(seen), Ok(visible(asker, None).unwrap()), "{asker:?}");
        // A child is given what its mother sees, and nothing where she has no brain.
        for packet in [packet, &world.by_command(asker, "delegate", None)] {
            let expected = visible(asker, Some("project")).and(visible(asker, None));
            let expected = expected.ok_or("memory.brainless_root");
            assert_eq!(packet.as_ref().map(seen).map_err(String::as_str), expected, "{asker:?}");
        }
    }
}

#[test] // spec: MEM-22, MEM-4
fn two_hundred_dormant_stores_are_answered_for_over_the_command_line_and_mcp() {
    let world = World::new();
    // As a home that was restored has them: folders that no process has opened.
    let template = std::fs::read_dir(world.home.path().join("project-brains")).unwrap();
    let is_dormant = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("dormant");
    let template = template.map(|entry| entry.unwrap().path()).find(is_dormant).unwrap();
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(template.join("brain.json")).unwrap()).unwrap();
    let root: Value = serde_json::from_slice(&std::fs::read(template.join("root.json")).unwrap()).unwrap();
    for number in 0..200 {
        let folder = template.with_file_name(format!("restored-{number:012x}"));
        std::fs::create_dir_all(folder.join("agent-memory")).unwrap();
        let mut manifest = manifest.clone();
        manifest["id"] = json!(format!("01920000-0000-7000-8000-{number:012x}"));
        manifest["name"] = json!(format!("restored-{number}"));
        let mut root = root.clone();
        root["root"] = json!(format!("/restored/{number}"));
        std::fs::write(folder.join("brain.json"), manifest.to_string()).unwrap();
        std::fs::write(folder.join("root.json"), root.to_string()).unwrap();
        let claim =
            format!("---\nProtocol: L1GHT/1.0\nNode: Heron\n---\n\n# Heron\n\nheron number{number}end\n");
        std::fs::write(folder.join("agent-memory/heron.light.md"), claim).unwrap();
        if number == 77 {
            std::fs::remove_dir_all(folder.join("agent-memory")).unwrap();
            std::fs::write(folder.join("agent-memory"), "in the way").unwrap();
        }
    }
    let by_command = world.by_command(Asker::Cherry, "seek", Some("all-brains")).unwrap();
    let over_mcp = world.by_mcp(Asker::Cherry, &[("seek", json!({"query": "heron", "tier": "all-brains"}))]);
    for document in [&by_command, over_mcp[0].as_ref().unwrap()] {
        let groups = document["groups"].as_array().unwrap();
        assert_eq!(groups.len(), 199 + 4, "{}", document["honest_gaps"]);
        let text = document["groups"].to_string();
        for number in (0..200).filter(|number| *number != 77) {
            assert_eq!(text.matches(&format!("number{number}end")).count(), 1, "{number}");
        }
        assert!(groups.iter().all(|group| group["rows"].as_array().is_some_and(|rows| rows.len() == 1)));
        assert!(document.to_string().contains("restored-77@"), "the one that cannot be read is named");
    }
}
