//! Where events go: each row of the table through the program, the roles, the settings, and a table that changes later.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test looks at files of its own home")]

use crate::inbox::{ask, run};
use brainstem_testkit::TestHome;
use serde_json::{Value, json};

fn set(home: &TestHome, key: &str, value: &str) {
    ask(home, &["config", "set", key, value]);
}

fn raise(home: &TestHome, kind: &str, text: &str) -> Value {
    let on = if kind.starts_with("phase") {
        ["--on", "P-1", "--new", "phase"]
    } else {
        ["--on", "T-1", "--new", "task"]
    };
    ask(home, &[&["--as", "builder", "note", text, "--type", kind], &on[..]].concat())["notified"].clone()
}

/// What an agent has: sender, type, subject and priority of each message, the newest first.
fn got(home: &TestHome, agent: &str) -> Vec<Value> {
    let listed = ask(home, &["--as", agent, "inbox", "list", "--all"]);
    let messages = listed["messages"].as_array().unwrap().iter();
    messages.map(|it| json!([it["from_agent"], it["message_type"], it["subject"], it["priority"]])).collect()
}

#[test] // spec: INB-10
fn each_row_of_the_default_table_reaches_the_agents_that_play_its_roles() {
    let home = TestHome::new();
    set(&home, "inbox.orchestrator", "codex:orchestrator");
    set(&home, "inbox.engine", "engine:one");
    assert_eq!(raise(&home, "task.blocked", "No key."), json!(["codex.orchestrator", "human"]));
    assert_eq!(raise(&home, "task.complete", "Done."), json!(["engine.one"]));
    assert_eq!(raise(&home, "phase.complete", "All done."), json!(["engine.one", "codex.orchestrator"]));
    let note = ["--as", "builder", "note", "Fine.", "--on", "T-1", "--notify", "engine"];
    assert_eq!(ask(&home, &note)["notified"], json!(["engine.one"]), "a note goes to its notify list alone");
    let blocked = json!(["system", "task.blocked", "No key.", 1]);
    let phase = json!(["system", "phase.complete", "All done.", 2]);
    let complete = json!(["system", "task.complete", "Done.", 3]);
    let noted = json!(["builder", "task.note", "Fine.", 3]);
    assert_eq!(got(&home, "codex:orchestrator"), [phase.clone(), blocked.clone()]);
    assert_eq!(got(&home, "engine:one"), [noted, phase, complete]);
    let human = ask(&home, &["inbox", "list"]);
    assert_eq!(human["messages"].as_array().unwrap().len(), 1);
    assert_eq!((&human["messages"][0]["ref_id"], &human["urgent"]), (&json!("T-1"), &json!(1)));
}

#[test] // spec: INB-10, INB-7
fn a_changed_table_changes_no_row_of_before_also_when_the_mirror_is_made_anew() {
    let home = TestHome::new();
    set(&home, "inbox.orchestrator", "codex:orchestrator");
    set(&home, "inbox.routes", "deploy.failed=orchestrator+gemini/2, task.complete=none");
    raise(&home, "task.blocked", "No key.");
    assert_eq!(raise(&home, "deploy.failed", "It fell."), json!(["codex.orchestrator", "gemini.maker"]));
    assert_eq!(raise(&home, "task.complete", "Done."), json!([]));
    let agents = ["codex:orchestrator", "gemini:maker", "engine:one"];
    let before: Vec<_> = agents.map(|agent| got(&home, agent)).to_vec();
    assert_eq!(before[1], [json!(["system", "deploy.failed", "It fell.", 2])]);
    set(&home, "inbox.orchestrator", "engine:one");
    set(&home, "inbox.routes", "task.blocked=engine/5");
    std::fs::remove_dir_all(home.path().join("inbox")).unwrap();
    assert_eq!(agents.map(|agent| got(&home, agent)).to_vec(), before);
    assert_eq!(raise(&home, "deploy.failed", "Again."), json!([]), "the new table has no such row");
}

#[test] // spec: INB-10
fn a_role_that_no_setting_maps_is_the_owners_and_the_doctor_says_so() {
    let home = TestHome::new();
    let found = |home: &TestHome| -> Vec<Value> {
        let findings = ask(home, &["doctor"])["findings"].clone();
        let is_role = |finding: &&Value| finding["name"] == "inbox_role_unmapped";
        findings.as_array().unwrap().iter().filter(is_role).cloned().collect()
    };
    assert_eq!(found(&home), [] as [Value; 0], "a home without an inbox has no roles");
    assert_eq!(raise(&home, "phase.complete", "All done."), json!(["human"]));
    assert_eq!(found(&home).len(), 1);
    let detail = found(&home)[0]["detail"].to_string();
    assert!(detail.contains("orchestrator and engine"), "{detail}");
    set(&home, "inbox.orchestrator", "codex:orchestrator");
    let detail = found(&home)[0]["detail"].to_string();
    assert!(detail.contains("engine") && !detail.contains("orchestrator"), "{detail}");
    set(&home, "inbox.engine", "codex");
    assert_eq!(found(&home), [] as [Value; 0]);
    let send = ["--as", "builder", "inbox", "send", "--to", "engine", "--type", "fyi", "--subject", "x"];
    assert_eq!(ask(&home, &send)["to_agent"], "codex.maker", "a role is an address, too");
}

#[test] // spec: INB-10, IF-27
fn a_table_that_cannot_be_read_is_refused_and_shown_as_it_counts() {
    let home = TestHome::new();
    for value in ["task.blocked", "task.note=owner", "a=owner/9"] {
        let refused = run(&home, &["config", "set", "inbox.routes", value]);
        assert_eq!((refused.status, refused.code().as_str()), (Some(1), "input.bad_value"), "{value}");
    }
    let shown = ask(&home, &["config", "get", "inbox.routes"]);
    let default =
        "phase.complete=engine+orchestrator/2, task.blocked=orchestrator+owner/1, task.complete=engine/3";
    assert_eq!((&shown["value"], &shown["origin"]), (&json!(default), &json!("default")));
    let refused = run(&home, &["config", "set", "inbox.engine", "codex", "--repo"]);
    assert_ne!(refused.status, Some(0), "a repository plays no part");
}
