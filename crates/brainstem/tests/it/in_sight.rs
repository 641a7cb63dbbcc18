//! Nothing for a person is out of sight: mail under every name, what is taken, what a backup misses, what git may commit.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test reads files")]

use crate::hosts::Person;
use crate::mcp::{call, initialize, initialized};
use crate::program::finish;
use serde_json::{Value, json};

fn with_brain() -> Person {
    let person = Person::new();
    person.ok(&["bootstrap"]);
    person
}

fn answer(person: &Person, words: &[&str]) -> Value {
    serde_json::from_str(&person.ok(&[&["--json"], words].concat())).unwrap()
}

/// What a tool answers to an agent.
fn tool(person: &Person, name: &str, arguments: Value) -> Value {
    let lines: String = [initialize("2025-11-25"), initialized(), call(1, name, arguments)]
        .iter()
        .map(|message| format!("{message}\n"))
        .collect();
    let ran = finish(person.process("brainstem").arg("mcp"), lines.as_bytes());
    let mut answers = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    answers.rfind(|answer| answer["id"] == 1).unwrap()["result"]["structuredContent"].clone()
}

#[test] // spec: MAIL-3b, MAIL-15
fn mail_that_an_agent_sends_to_human_is_seen_by_the_person_under_every_name() {
    let person = with_brain();
    for to in ["human", "owner", "ana"] {
        let sent = tool(
            &person,
            "mail",
            json!({"op": "send", "to": to, "type": "question", "subject": to, "priority": "urgent"}),
        );
        assert_eq!(
            (sent["mailbox"].as_str(), sent["rule"].as_str()),
            (Some("human.ana"), Some("person")),
            "{sent}"
        );
    }
    assert_eq!(answer(&person, &["status"])["mail"]["unread"], 3);
    person.ok(&["config", "set", "agent", "human:eva"]);
    assert_eq!(answer(&person, &["mail", "list"])["messages"].as_array().unwrap().len(), 3);
    // And a second name: the one of before is kept.
    tool(&person, "mail", json!({"op": "send", "to": "human", "type": "task", "subject": "to eva"}));
    let set = answer(&person, &["config", "set", "agent", "human:eve"]);
    assert!(set.get("notes").is_none(), "{set}");
    assert_eq!(answer(&person, &["config", "get", "other_names"])["value"], "human:eva");
    assert_eq!(answer(&person, &["status"])["mail"]["unread"], 4);
}

#[test] // spec: IF-27, IF-25
fn a_bare_name_in_the_settings_is_said_to_be_an_agent() {
    let person = with_brain();
    let notes = answer(&person, &["config", "set", "agent", "ana"])["notes"][0].to_string();
    assert!(notes.contains("brainstem config set agent human:ana"), "{notes}");
    assert!(answer(&person, &["config", "set", "agent", "codex"]).get("notes").is_none());
    assert!(answer(&person, &["config", "set", "agent", "codex:maker"]).get("notes").is_none());
}

#[test] // spec: MAIL-15a
fn a_box_that_nobody_reads_is_named_to_the_person() {
    let person = with_brain();
    person.ok(&["mail", "send", "--to", "nowhere", "--type", "task", "--subject", "x"]);
    let waiting = json!([{"box": "nowhere", "unread": 1}]);
    assert_eq!(answer(&person, &["status"])["mail_without_reader"], waiting);
    let findings = answer(&person, &["doctor"])["findings"].to_string();
    assert!(findings.contains("mail_never_read") && findings.contains("nowhere"), "{findings}");
}

#[test] // spec: MAIL-15a
fn what_is_taken_and_not_finished_stays_in_sight() {
    let person = with_brain();
    person.ok(&["--session", "w1", "--as", "codex", "mail", "list"]);
    person.ok(&["mail", "send", "--to", "w1", "--type", "task", "--subject", "Write the tests"]);
    person.ok(&["--session", "w1", "--as", "codex", "mail", "claim"]);
    let again = answer(&person, &["--session", "w1", "--as", "codex", "mail", "list"]);
    assert_eq!(again["taken"][0]["subject"], "Write the tests");
    let status = answer(&person, &["--session", "w1", "--as", "codex", "status"]);
    assert_eq!((&status["mail"]["unread"], &status["mail"]["taken"]), (&json!(0), &json!(1)));
    assert_eq!(answer(&person, &["mail", "list", "--all"])["taken"][0]["owner"], "w1");
    assert!(answer(&person, &["mail", "list"]).get("taken").is_none(), "another's work");
}

#[test] // spec: MEM-47
fn an_export_counts_the_mail_that_it_does_not_hold() {
    let person = with_brain();
    person.ok(&["memorize", "Port", "--text", "8080"]);
    person.ok(&["mail", "send", "--to", "codex", "--type", "task", "--subject", "must not be lost"]);
    let whole = answer(&person, &["export", "--all", "--format", "dir", "--out", "copy"]);
    let left = &whole["mail_left_out"][0];
    assert_eq!((&left["messages"], &left["unread"]), (&json!(1), &json!(1)), "{whole}");
    assert!(left["path"].as_str().unwrap().ends_with("cherry/.mail"));
    assert!(whole.get("not_included").is_none(), "{whole}");
    let lines = answer(&person, &["export", "--out", "cherry.jsonl"]);
    assert_eq!(lines["not_included"], json!(["inbox", "settings", "letters", "battery"]));
    assert_eq!(lines["mail_left_out"][0]["messages"], 1);
}

#[test] // spec: MEM-2
fn init_names_the_record_that_git_can_commit_with_it() {
    let person = with_brain();
    person.ok(&["memorize", "Ask Eva", "--text", "about the raise"]);
    person.ok(&["memorize", "Port", "--text", "8080"]);
    person.ok(&["retract", "Ask Eva", "--reason", "Eva is leaving in March"]);
    for words in [&["init", "--dry-run"][..], &["init"]] {
        let done = answer(&person, words);
        let record = &done["record"];
        assert!(record["acts"].as_u64().unwrap() >= 1, "{done}");
        assert_eq!(record["reasons_and_notes"], json!(["Eva is leaving in March"]), "{done}");
        assert_eq!(record["claims_not_live"], json!(["ask-eva"]), "{done}");
        assert!(done["notes"].to_string().contains("brainstem init --private"), "{done}");
    }
    assert!(answer(&person, &["init"]).get("record").is_none(), "it could be committed before");
}

#[test] // spec: MAIL-1a
fn letting_git_commit_mail_counts_what_is_there_already() {
    let person = with_brain();
    person.ok(&["mail", "send", "--to", "human", "--type", "task", "--subject", "one"]);
    let two = answer(&person, &["mail", "send", "--to", "human", "--type", "status", "--subject", "two"]);
    person.ok(&["mail", "archive", two["file"].as_str().unwrap()]);
    let opened = answer(&person, &["mail", "init", "--commit-mail"]);
    assert_eq!(opened["messages"], json!({"unread": 1, "read": 0, "archived": 1}), "{opened}");
    assert!(opened["notes"].to_string().contains("brainstem mail init --private-mail"), "{opened}");
    assert!(answer(&person, &["mail", "init", "--commit-mail"]).get("messages").is_none());
}

#[test] // spec: INB-5a, IF-4
fn the_fix_of_a_note_works_as_it_is_typed() {
    let person = with_brain();
    for words in [&["note", "done now"][..], &["note", "done now", "--on", "TASK-1"]] {
        let ran = person.run(&[&["--json"], words].concat());
        let fault: Value =
            serde_json::from_str(&ran.stdout).or_else(|_| serde_json::from_str(&ran.stderr)).unwrap();
        let fix = fault["error"]["fix"].as_str().unwrap();
        assert!(fix.contains("brainstem note TEXT --on TASK-1 --new task"), "{fix}");
    }
    person.ok(&["note", "done now", "--on", "TASK-1", "--new", "task"]);
}

#[test] // spec: MAIL-2
fn a_message_is_found_by_its_subject() {
    let person = with_brain();
    person.ok(&["mail", "send", "--to", "human", "--type", "task", "--subject", "Fix the footer"]);
    let read = answer(&person, &["mail", "read", "fix the footer"]);
    assert_eq!(read["subject"], "Fix the footer");
    assert!(read["answer"].as_str().unwrap().starts_with("brainstem mail reply "), "{read}");
    assert_eq!(answer(&person, &["mail", "read", "footer"])["subject"], "Fix the footer");
    let ran = person.run(&["mail", "read", "no such subject"]);
    assert!(ran.stderr.contains("in its name or its subject"), "{ran:?}");
}

#[test] // spec: INB-13a, INB-4b, INB-4c
fn the_inbox_takes_the_words_of_mail_and_says_from_which_project_a_message_is() {
    let person = with_brain();
    let sent = tool(
        &person,
        "inbox",
        json!({"op": "send", "to": "human", "type": "question", "subject": "May I?", "body": "Delete it?", "priority": "urgent"}),
    );
    assert_eq!(sent["to_agent"], "human", "{sent}");
    let listed = answer(&person, &["inbox", "list"]);
    let row = &listed["messages"][0];
    assert_eq!((&row["payload"], &row["priority"]), (&json!("Delete it?"), &json!(1)), "{row}");
    assert!(row["project"].as_str().unwrap().starts_with("cherry@"), "{row}");
    assert!(person.ok(&["inbox", "list"]).contains(" in cherry: May I?"));
    let id = row["id"].as_str().unwrap();
    let replied = answer(&person, &["inbox", "reply", id, "yes, do it"]);
    assert!(id.starts_with(replied["still_open"].as_str().unwrap()), "{replied}");
    assert!(person.ok(&["status"]).contains("1 open message"));
}

#[test] // spec: IF-17
fn a_quoted_text_behind_the_label_is_the_text() {
    let person = with_brain();
    person.ok(&["memorize", "Port", "The server listens on 8080."]);
    assert!(person.ok(&["show", "Port"]).contains("The server listens on 8080."));
    assert_eq!(person.run(&["memorize", "retry", "policy"]).status, Some(2), "a label without quotes");
    assert_eq!(person.run(&["memorize", "Port", "a b", "--text", "c"]).status, Some(2));
    assert_eq!(answer(&person, &["rename", "Port", "Server port"])["from"], "Port");
}
