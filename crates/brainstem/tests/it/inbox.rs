//! The inbox through the program: command line, MCP with the names of the sources, the beat, the hook, and many processes.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test looks at files of its own home")]

use crate::hosts::Person;
use crate::mcp::{call, initialize, initialized};
use crate::program::{Ran, finish};
use brainstem_testkit::TestHome;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;

const PROGRAM: &str = env!("CARGO_BIN_EXE_brainstem");

pub(crate) fn run(home: &TestHome, words: &[&str]) -> Ran {
    let mut command = home.command(Path::new(PROGRAM));
    finish(command.current_dir(home.cherry()).env("USER", "ana").args(words).arg("--json"), b"")
}

pub(crate) fn ask(home: &TestHome, words: &[&str]) -> Value {
    let ran = run(home, words);
    assert_eq!(ran.status, Some(0), "{words:?}: {ran:?}");
    ran.json()
}

/// The answers of a client that calls itself this name, in the order of their calls.
pub(crate) fn mcp(home: &TestHome, client: &str, calls: &[Value]) -> Vec<Value> {
    let mut hello = initialize("2025-11-25");
    hello["params"]["clientInfo"]["name"] = client.into();
    let lines: String = [hello, initialized()].iter().chain(calls).map(|line| format!("{line}\n")).collect();
    let ran =
        finish(home.command(Path::new(PROGRAM)).current_dir(home.cherry()).arg("mcp"), lines.as_bytes());
    let mut answers: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    answers.split_off(1).into_iter().map(|answer| answer["result"]["structuredContent"].clone()).collect()
}

#[test] // spec: INB-12, INB-12a, IF-24
fn an_agent_reaches_its_inbox_by_the_names_of_the_sources() {
    let home = TestHome::new();
    let send = json!({"to_agent": "human", "message_type": "task.blocked", "subject": "No key", "priority": 1,
        "payload": {"server": "a"}, "context": {"tried": 2}});
    let note = json!({"note": "Begun.", "entity_id": "TASK-7", "entity_type": "task", "notify": ["codex"]});
    let sent = mcp(&home, "codex-mcp-client", &[call(1, "send_message", send)]);
    assert_eq!((&sent[0]["visible"], &sent[0]["sequence_number"]), (&json!("now"), &json!(1)), "{}", sent[0]);
    assert_eq!(sent[0]["from_agent"], "codex.maker");
    let posted = mcp(&home, "claude-code", &[call(1, "post_note", note)]);
    assert_eq!(posted[0]["notified"], json!(["codex.maker"]), "{}", posted[0]);
    let fetched = mcp(&home, "codex-mcp-client", &[call(1, "fetch_inbox", json!({}))]);
    let message = &fetched[0]["messages"][0];
    assert_eq!((&message["from_agent"], &message["ref_id"]), (&json!("claude.maker"), &json!("TASK-7")));
    // Another session of the agent gets nothing meanwhile, and cannot finish it.
    let other = [call(1, "fetch_inbox", json!({})), call(2, "ack_messages", json!({"ids": [message["id"]]}))];
    let other = mcp(&home, "codex-mcp-client", &other);
    assert_eq!(other[0]["messages"], json!([]));
    assert_eq!(other[1]["error"]["code"], "inbox.claimed");
    let found = mcp(&home, "codex-mcp-client", &[call(1, "search_inbox", json!({"query": "begun"}))]);
    assert_eq!(found[0]["messages"][0]["id"], message["id"]);
    let listed = ask(&home, &["inbox", "list"]);
    assert_eq!(listed["messages"][0]["payload"], json!({"server": "a"}));
    assert_eq!(listed["messages"][0]["context"], json!({"tried": 2}));
}

#[test] // spec: INB-14, IF-4
fn a_refusal_names_field_and_rule_on_every_door() {
    let home = TestHome::new();
    let bad = json!({"to_agent": "codx", "message_type": "fyi", "subject": "x"});
    let over_mcp = mcp(&home, "codex-mcp-client", &[call(1, "send_message", bad)]).remove(0);
    let words = ["inbox", "send", "--to", "codx", "--type", "fyi", "--subject", "x"];
    let typed = run(&home, &words);
    assert_eq!(typed.status, Some(1));
    for error in [&over_mcp["error"], &typed.json()["error"]] {
        assert_eq!(error["code"], "inbox.unknown_recipient");
        assert_eq!((&error["field"], &error["rule"]), (&json!("to_agent"), &json!("INB-14")));
        assert!(error["message"].as_str().is_some_and(|text| text.contains("`codex`")), "{error}");
    }
    let mut wrong = words;
    (wrong[3], wrong[5]) = ("human", "Not A Type");
    assert_eq!(run(&home, &wrong).json()["error"]["field"], "message_type");
}

#[test] // spec: MEM-27a, IF-1, IF-25
fn the_beat_the_status_and_whoami_carry_the_inbox() {
    let home = TestHome::new();
    assert!(ask(&home, &["north"]).get("inbox").is_none(), "a home without an inbox has no count");
    assert!(ask(&home, &["whoami"]).get("inbox").is_none());
    for priority in ["1", "2", "3"] {
        ask(
            &home,
            &["inbox", "send", "--to", "codex", "--type", "fyi", "--subject", "x", "--priority", priority],
        );
    }
    let counted = json!({"unread": 3, "urgent": 1});
    assert_eq!(ask(&home, &["--as", "codex:maker", "north"])["inbox"], counted);
    assert_eq!(ask(&home, &["--as", "codex:maker", "status"])["inbox"], counted);
    assert_eq!(ask(&home, &["status"])["inbox"], json!({"unread": 0, "urgent": 0}));
    let me = ask(&home, &["--as", "codex:maker", "whoami"]);
    assert_eq!(me["inbox"]["slug"], "codex.maker");
    assert!(me["inbox"]["inbound_topic_id"].as_str().is_some_and(|id| id.starts_with("0.0.")), "{me}");
}

#[test] // spec: MEM-27a, IF-16
fn the_session_start_says_what_waits_in_the_inbox() {
    let person = Person::new();
    person.ok(&["bootstrap"]);
    person.ok(&[
        "inbox",
        "send",
        "--to",
        "claude",
        "--type",
        "question",
        "--subject",
        "Ready?",
        "--priority",
        "1",
    ]);
    let start = json!({"session_id": "s", "hook_event_name": "SessionStart", "source": "startup"});
    let said = person.hook("brainstem hook session-start", &start, &[]);
    assert!(said.stdout.contains("Inbox: 1 open message, 1 urgent for claude:maker"), "{}", said.stdout);
}

#[test] // spec: INB-1, INB-2, INB-7
fn topics_are_made_once_and_a_deleted_mirror_comes_back_to_the_same_rows() {
    let home = TestHome::new();
    let first = ask(&home, &["agent", "topics", "codex", "builder"]);
    let slugs: Vec<&str> =
        first["agents"].as_array().unwrap().iter().map(|it| it["slug"].as_str().unwrap()).collect();
    assert_eq!(slugs, ["builder", "codex.maker", "human"]);
    let again = ask(&home, &["agent", "topics", "codex", "builder"]);
    assert!(again["agents"].as_array().unwrap().iter().all(|it| it["created"] == false));
    ask(&home, &["--as", "builder", "inbox", "send", "--to", "ALL", "--type", "fyi", "--subject", "one"]);
    ask(&home, &["--as", "builder", "note", "Done.", "--on", "T-1", "--new", "task", "--notify", "human"]);
    let listed = ask(&home, &["inbox", "list"]);
    let id = listed["messages"][0]["id"].as_str().unwrap();
    assert_eq!(ask(&home, &["inbox", "done", &id[..8]])["messages"][0]["unchanged"], false);
    let before = ask(&home, &["inbox", "list", "--all"]);
    assert_eq!(before["messages"].as_array().unwrap().len(), 2);
    std::fs::remove_dir_all(home.path().join("inbox")).unwrap();
    assert_eq!(ask(&home, &["inbox", "list", "--all"]), before);
}

#[test] // spec: INB-11a, INB-12
fn a_watcher_sees_what_arrives_behind_its_cursor() {
    let home = TestHome::new();
    let send = |subject: &str| {
        ask(
            &home,
            &["--as", "codex:maker", "inbox", "send", "--to", "human", "--type", "fyi", "--subject", subject],
        )
    };
    send("before");
    let page = ask(&home, &["inbox", "events"]);
    assert_eq!(page["events"].as_array().unwrap().len(), 1);
    let after = page["next_cursor"].to_string();
    let ahead = run(&home, &["inbox", "events", "--after", &format!("{after}0")]);
    assert_eq!((ahead.status, ahead.code().as_str()), (Some(1), "inbox.cursor_ahead"));
    let mut command = home.command(Path::new(PROGRAM));
    command
        .current_dir(home.cherry())
        .env("USER", "ana")
        .args(["inbox", "watch", "--json", "--after", &after]);
    let mut watcher = command.stdout(Stdio::piped()).spawn().unwrap();
    send("after");
    let mut line = String::new();
    BufReader::new(watcher.stdout.take().unwrap()).read_line(&mut line).unwrap();
    watcher.kill().unwrap();
    watcher.wait().unwrap();
    let seen: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(seen["subject"], "after");
}

#[test] // spec: INB-11
fn shells_of_one_agent_without_session_names_never_get_one_message_twice() {
    let home = TestHome::new();
    for n in 0..8 {
        let subject = format!("m{n}");
        ask(&home, &["inbox", "send", "--to", "codex", "--type", "question", "--subject", &subject]);
    }
    let fetch = |_| {
        let mut command = home.command(Path::new(PROGRAM));
        command.current_dir(home.cherry()).args(["--as", "codex:maker", "inbox", "fetch", "--limit", "1"]);
        command.arg("--json").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let shells: Vec<_> = (0..8).map(fetch).collect();
    let mut taken: Vec<String> = shells
        .into_iter()
        .map(|shell| {
            let answer = shell.wait_with_output().unwrap();
            let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
            answer["messages"][0]["subject"].as_str().unwrap_or_default().to_owned()
        })
        .collect();
    taken.sort();
    assert_eq!(taken, ["m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7"]);
}

#[test] // spec: INB-4, LED-1a
fn a_message_to_all_reaches_the_agent_of_a_connected_host_that_was_never_here() {
    let person = Person::new();
    person.ok(&["init", "--host", "codex"]);
    let sent = person.ok(&["inbox", "send", "--to", "ALL", "--type", "fyi", "--subject", "Hello", "--json"]);
    let sent: Value = serde_json::from_str(&sent).unwrap();
    assert_eq!(sent["readers"], json!(["codex.maker", "human"]), "{sent}");
    let listed = person.ok(&["--as", "codex:maker", "inbox", "list", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&listed).unwrap()["messages"][0]["subject"], "Hello");
}

#[test] // spec: INB-5a, INB-5
fn an_entity_is_shown_by_a_name_that_means_it_to_its_reader() {
    let home = TestHome::new();
    let (cherry, plum) = (home.cherry(), home.plum());
    let at = |root: &Path, words: &[&str]| {
        let mut command = home.command(Path::new(PROGRAM));
        let ran = finish(command.current_dir(root).env("USER", "ana").args(words).arg("--json"), b"");
        assert_eq!(ran.status, Some(0), "{words:?}: {ran:?}");
        ran.json()
    };
    let outside = home.user_home();
    for (root, text) in [(&cherry, "in cherry"), (&plum, "in plum")] {
        at(root, &["bootstrap"]);
        at(root, &["note", text, "--on", "TASK-7", "--new", "task", "--notify", "codex"]);
    }
    at(outside, &["note", "in the home", "--on", "TASK-7", "--new", "task", "--notify", "codex"]);
    at(
        &plum,
        &["inbox", "send", "--to", "codex", "--type", "question", "--subject", "done?", "--ref", "TASK-7"],
    );
    let codex = |root: &Path, words: &[&str]| at(root, &[&["--as", "codex:maker"], words].concat());
    let names = |root: &Path| -> Vec<String> {
        let listed = codex(root, &["inbox", "list"]);
        let messages = listed["messages"].as_array().unwrap().clone();
        messages.iter().map(|message| message["ref_id"].as_str().unwrap().to_owned()).collect()
    };
    // Each name is used where it is read, and the note lands on the topic of the message that it answers.
    for root in [cherry.as_path(), &plum, outside] {
        for (message, name) in
            codex(root, &["inbox", "list"])["messages"].as_array().unwrap().iter().zip(names(root))
        {
            let noted = codex(root, &["note", "an answer", "--on", &name]);
            if message["message_type"] == "task.note" {
                assert_eq!(noted["topic_id"], message["topic_id"], "{name} in {}", root.display());
            }
            assert_eq!(noted["entity_id"], name.as_str(), "{noted}");
            let read = codex(root, &["inbox", "read", message["id"].as_str().unwrap()]);
            assert_eq!(read["ref_id"], name.as_str());
            assert!(read["thread"].to_string().contains("an answer"), "{read}");
        }
    }
    assert_eq!(names(&cherry)[0], "TASK-7", "its own is short");
    assert_eq!(names(&plum)[1], "TASK-7");
    assert_eq!(names(outside)[2], "TASK-7", "the home's");
    let short = names(&cherry).iter().filter(|name| *name == "TASK-7").count();
    assert_eq!(short, 1, "{:?}", names(&cherry));
    // Outside a project the plain id is looked for in all of them.
    let found = codex(outside, &["inbox", "list", "--ref", "TASK-7"]);
    assert_eq!(found["messages"].as_array().unwrap().len(), 4, "{found}");
    assert_eq!(
        codex(&plum, &["inbox", "list", "--ref", "TASK-7"])["messages"].as_array().unwrap().len(),
        3,
        "{found}"
    );
}
