//! The life of a finding over MCP, between two brains: learned in one, unseen in the other, promoted,
//! seen there with its chain, contradicted, given to a child that reports back, demoted; and its witness is what
//! it was.

#![allow(clippy::disallowed_methods, reason = "a test looks at the files of a witness")]
#![allow(clippy::unwrap_used, reason = "everything here is a test")]

use crate::program::finish;
use crate::seen::{Seen, assert_seen};
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

struct Story {
    home: TestHome,
}

impl Story {
    /// One call in an MCP session of its own: the document, or the code of the refusal.
    fn call(&self, folder: &Path, tool: &str, arguments: Value) -> Result<Value, String> {
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "Test", "version": "1"}}});
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": crate::mcp::with_document(tool, arguments)}});
        let mut command = self.home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        let lines = format!("{hello}\n{ready}\n{call}\n");
        let ran = finish(command.current_dir(folder).args(["mcp", "--toolsets", "all"]), lines.as_bytes());
        let answers = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let answer =
            answers.into_iter().find(|answer| answer["id"] == 1).unwrap_or_else(|| panic!("{ran:?}"));
        let document = answer["result"]["structuredContent"].clone();
        match document["error"]["code"].as_str() {
            Some(code) => Err(code.to_owned()),
            None => Ok(document),
        }
    }

    fn done(&self, folder: &Path, tool: &str, arguments: Value) -> Value {
        self.call(folder, tool, arguments).unwrap_or_else(|code| panic!("{tool}: {code}"))
    }
}

#[test] // spec: MEM-34, MEM-13
fn many_processes_promote_demote_and_rewrite_one_claim_and_every_crossing_is_whole() {
    let story = Story { home: TestHome::new() };
    let cherry = story.home.cherry();
    let run = |words: &[&str]| {
        let mut command = story.home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        finish(command.current_dir(&cherry).args(words).args(["--json", "--as", "claude:orchestrator"]), b"")
    };
    assert_eq!(run(&["bootstrap"]).status, Some(0));
    assert_eq!(run(&["memorize", "Limit", "--text", "one minute"]).status, Some(0));
    std::thread::scope(|scope| {
        for process in 0..8 {
            let run = &run;
            scope.spawn(move || {
                for round in 0..4 {
                    let text = format!("limit {process} of {round}");
                    let ran = match process % 4 {
                        0 | 1 => run(&["promote", "Limit", "--reason", "for all", "--because", "telemetry"]),
                        2 => run(&["memorize", "Limit", "--text", &text]),
                        _ => run(&["learn", "Limit", "wrong", "--tier", "medulla"]),
                    };
                    let is_absent = || ran.code() == "claim.not_found" && process % 4 == 3;
                    assert!(ran.status == Some(0) || is_absent(), "{ran:?}");
                }
            });
        }
    });
    let last = run(&["promote", "Limit", "--reason", "for all", "--because", "telemetry"]).json();
    // Every copy that was ever made is on record once, and the witness names the one that is live.
    let folder = story.home.path().join("agent-memory");
    let copies = |folder: &Path| -> Vec<String> {
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let claims = files.filter(|path| path.to_string_lossy().ends_with(".light.md"));
        claims.map(|path| std::fs::read_to_string(path).unwrap()).collect()
    };
    let all: Vec<String> = copies(&folder).into_iter().chain(copies(&folder.join(".history"))).collect();
    let created = |file: &String| {
        let line = file.lines().find_map(|line| line.strip_prefix("Created: ")).unwrap();
        format!("limit@{line}")
    };
    let mut made: Vec<String> = all.iter().map(created).collect();
    made.sort();
    let log = std::fs::read_to_string(story.home.path().join("acts.jsonl")).unwrap();
    let acts = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut recorded: Vec<String> = acts
        .filter(|act| act["act"] == "promote")
        .map(|act| act["subject"].as_str().unwrap().to_owned())
        .collect();
    recorded.sort();
    assert_eq!(recorded, made);
    let witness = std::fs::read_to_string(last["witness_path"].as_str().unwrap()).unwrap();
    let live = std::fs::read_to_string(last["medulla_path"].as_str().unwrap()).unwrap();
    assert!(witness.contains(&format!("Promoted-To: medulla@{}\n", created(&live))), "{witness}");
    assert_eq!(run(&["doctor"]).json()["findings"], json!([]));
}

fn rows(beat: &Value) -> Vec<(&str, &str, &str)> {
    beat["memory"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let word = |key: &str| row[key].as_str().unwrap_or_default();
            (word("label"), word("tier"), word("lifecycle"))
        })
        .collect()
}

#[test] // spec: MEM-21, MEM-29, MEM-33, MEM-34, MEM-35, MEM-36, MEM-39, MEM-41, MEM-3a, MEM-3b, IF-21, IF-26
fn a_finding_is_learned_promoted_cited_contradicted_delegated_debriefed_and_demoted() {
    let story = Story { home: TestHome::new() };
    let (cherry, plum): (PathBuf, PathBuf) = (story.home.cherry(), story.home.plum());
    let mut seen = Seen::of(&story.home);
    for repository in [&cherry, &plum] {
        story.done(repository, "bootstrap", json!({}));
    }
    let text = "The payment gateway drops idle connections after 60 seconds.";
    let learned =
        json!({"label": "Gateway idle limit", "text": text, "confidence": "high", "agent_id": "codex:maker"});
    story.done(&cherry, "memorize", learned);
    let task = json!({"task": "why does the payment gateway drop connections?"});

    // Private: the other project does not see it, and cannot promote what it does not have.
    assert!(rows(&story.done(&plum, "north", task.clone())).is_empty());
    let nothing = json!({"label": "Gateway idle limit", "reason": "x", "agent_id": "claude:orchestrator"});
    assert_eq!(story.call(&plum, "promote", nothing), Err("claim.not_found".into()));

    // A maker proposes; an orchestrator finds it in the audit and promotes.
    let proposal = json!({"label": "Gateway idle limit", "reason": "any client meets it", "propose": true, "agent_id": "codex:maker"});
    assert_eq!(story.done(&cherry, "promote", proposal)["medulla_path"], Value::Null);
    let audit = story.done(&cherry, "audit", json!({"what": "promotions"}));
    assert_eq!(
        (&audit["entries"][0]["act"], &audit["entries"][0]["standing"]),
        (&json!("proposal"), &json!("open"))
    );
    let promotion = json!({"label": "gateway-idle-limit", "reason": "seen in plum too", "because": format!("observed-in:{}", plum.display()), "agent_id": "claude:orchestrator"});
    let promoted = story.done(&cherry, "promote", promotion.clone());
    assert_eq!(
        (&promoted["medulla_count"], &promoted["soft_cap"], &promoted["unchanged"]),
        (&json!(1), &json!(200), &json!(false))
    );
    assert_eq!(story.done(&cherry, "promote", promotion)["unchanged"], true);
    let witness_path = promoted["witness_path"].as_str().unwrap().to_owned();
    let witness = std::fs::read(&witness_path).unwrap();
    assert!(String::from_utf8_lossy(&witness).contains("Promoted-To: medulla@gateway-idle-limit@"));

    // Cited in the other project's beat, under its tier, with a chain that reads.
    let beat = story.done(&plum, "north", task.clone());
    assert_eq!(rows(&beat), [("Gateway idle limit", "medulla", "promoted")]);
    seen.add_text("the chain", beat["memory"][0]["chain"].as_str().unwrap());
    assert_eq!(beat["memory"][0]["source_agent"], "codex:maker");

    // Contradicted there: both are shown, labelled, and neither is changed.
    let other = json!({"label": "Gateway idle limit", "text": "Here it drops idle connections after 300 seconds.", "agent_id": "codex:maker"});
    story.done(&plum, "memorize", other);
    let beat = story.done(&plum, "north", task.clone());
    let pair = &beat["conflicts"][0];
    assert_eq!((&pair["found_by"], &pair["because"]), (&json!("same_slug"), &json!("undecided")));
    for part in ["project", "medulla", "why"] {
        seen.add_text(&format!("the conflict: {part}"), pair[part].as_str().unwrap());
    }

    // Delegated: the child gets what both tiers say of the task, each under its label, and the sources.
    let mission = json!({"task": "keep the payment gateway's connections alive", "to": "codex:maker", "agent_id": "claude:orchestrator"});
    let packet = story.done(&plum, "delegate", mission);
    let memory = packet["context"]["memory"].as_array().unwrap();
    let mut given: Vec<_> = memory.iter().map(|row| (&row["tier"], &row["label"])).collect();
    given.sort_by_key(|(tier, _)| tier.to_string());
    let label = json!("Gateway idle limit");
    assert_eq!(given, [(&json!("medulla"), &label), (&json!("project"), &label)], "{packet}");
    let from_cherry = memory.iter().find(|row| row["tier"] == "medulla").unwrap();
    assert!(from_cherry["origin_brain"].as_str().unwrap().starts_with("cherry@"), "{from_cherry}");
    assert_eq!(packet["sources"]["medulla"], 1);
    let prompt = packet["prompt_markdown"].as_str().unwrap();
    assert!(prompt.contains("300 seconds") && prompt.contains("60 seconds"), "{prompt}");
    let id = packet["delegation_id"].as_str().unwrap();
    assert!(id.starts_with("dlg_") && prompt.contains(&format!("[brainstem {id}]")), "{prompt}");

    // Debriefed: the child's finding is the project's, under the child's id, once, and no other project's.
    let finding =
        "The gateway drops idle connections after 300 seconds here, because the client sends keepalives.";
    let report = json!({"report": format!("[brainstem {id}] success\n\nDEVIATIONS\n- none\n\nFINDINGS\n- {finding}\n"), "agent_id": "codex:maker"});
    let debriefed = story.done(&plum, "debrief", report.clone());
    assert_eq!(debriefed["outcome"], "success", "{debriefed}");
    assert_eq!(story.done(&plum, "debrief", report.clone())["unchanged"], true, "twice is once");
    assert!(story.call(&cherry, "debrief", report).is_err(), "it is not cherry's delegation");
    let found = |folder: &Path| {
        let sought = story.done(folder, "seek", json!({"query": "client sends keepalives"}));
        let rows = sought["rows"].as_array().unwrap().clone();
        rows.into_iter().filter(|row| row["text"] == finding).collect::<Vec<_>>()
    };
    let rows_there = found(&plum);
    assert_eq!(rows_there.len(), 1, "{rows_there:?}");
    assert_eq!(
        (&rows_there[0]["tier"], &rows_there[0]["source_agent"], &rows_there[0]["group"]),
        (&json!("project"), &json!("codex:maker"), &json!(id))
    );
    assert_eq!(found(&cherry), [] as [Value; 0], "private until it is promoted");
    let delegations = story.done(&plum, "audit", json!({"what": "delegations"}));
    assert!(delegations.to_string().contains(id), "{delegations}");

    // Demoted: out of every other beat, and at home it is what it was.
    let wrong = json!({"label": "Gateway idle limit", "verdict": "wrong", "tier": "medulla", "note": "each client sets its own", "agent_id": "human:ana"});
    assert_eq!(story.done(&plum, "learn", wrong.clone())["demoted"], true);
    let again = story.done(&plum, "learn", wrong);
    assert_eq!((&again["unchanged"], &again["demoted"]), (&json!(true), &json!(true)));
    let beat = story.done(&plum, "north", task.clone());
    assert!(rows(&beat).contains(&("Gateway idle limit", "project", "project_private")), "{beat}");
    assert!(rows(&beat).iter().all(|(_, tier, _)| *tier == "project"), "{beat}");
    assert_eq!(beat["conflicts"], json!([]));
    assert_eq!(std::fs::read(&witness_path).unwrap(), witness, "byte for byte");
    let shown = story.done(&cherry, "show", json!({"label": "Gateway idle limit"}));
    assert_eq!(shown["claim"]["lifecycle"], "project_private");
    assert_eq!(shown["sharing"]["shared"], false);
    seen.add_text("the witness", shown["sharing"]["sentence"].as_str().unwrap());
    assert_eq!(
        rows(&story.done(&cherry, "north", task)),
        [("Gateway idle limit", "project", "project_private")]
    );

    // All of it is on record, and it may be promoted again.
    let audit = story.done(&cherry, "audit", json!({"what": "promotions"}));
    let acts: Vec<&str> =
        audit["entries"].as_array().unwrap().iter().rev().filter_map(|entry| entry["act"].as_str()).collect();
    assert_eq!(acts, ["proposal", "promotion", "demotion"]);
    assert_eq!(audit["unaccounted"], json!([]));
    let again = json!({"label": "Gateway idle limit", "reason": "the default is the same everywhere", "because": "telemetry", "agent_id": "human:ana"});
    assert_eq!(story.done(&cherry, "promote", again)["unchanged"], false);
    assert_eq!(story.done(&plum, "consolidate", json!({}))["rows"], json!([]));
    assert_eq!(story.done(&plum, "doctor", json!({}))["findings"], json!([]));
    assert_seen!(seen);
}

#[test] // spec: MEM-33, MEM-36
fn a_copy_is_told_from_another_claim_of_the_same_label() {
    let person = crate::hosts::Person::new();
    person.ok(&["bootstrap"]);
    for label in ["Shared", "Other"] {
        person.ok(&["memorize", label, "--text", &format!("What {label} is."), "--as", "codex:maker"]);
    }
    person.ok(&["promote", "Shared", "--reason", "everywhere", "--as", "human:ana"]);
    person.ok(&["memorize", "Other", "--text", "Else.", "--tier", "medulla", "--as", "human:ana"]);
    let mut seen = Seen::of(&person.home);
    for words in
        [&["show", "Shared"][..], &["show", "Other"], &["learn", "Shared", "wrong", "--as", "codex:maker"]]
    {
        seen.add(words, &person.run(words));
    }
    assert_seen!(seen);
}
