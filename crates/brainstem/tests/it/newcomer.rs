//! What somebody meets on the first day: names without ids, mail that goes nowhere, tags in two spellings, and a moved project.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test moves a folder")]

use crate::hosts::Person;
use crate::mcp::{call, initialize, initialized};
use crate::program::finish;
use crate::seen::{Seen, assert_seen};
use serde_json::{Value, json};
use std::path::Path;

/// A person with a brain in both repositories.
fn with_brains() -> Person {
    let person = Person::new();
    person.ok(&["bootstrap"]);
    person.ok(&["bootstrap", &person.home.plum().display().to_string()]);
    person
}

/// What a command says in a folder.
fn said_in(person: &Person, folder: &Path, words: &[&str]) -> String {
    let ran = finish(person.process("brainstem").current_dir(folder).args(words), b"");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    ran.stdout
}

#[test] // spec: IF-15
fn a_connected_project_stays_connected_where_it_is_moved_to() {
    let person = Person::new();
    assert!(person.ok(&["status"]).contains("brainstem init --host HOST"));
    person.ok(&["init", "--host", "codex"]);
    assert!(!person.ok(&["status"]).contains("init --host"), "connected");
    let moved = person.home.user_home().join("moved");
    std::fs::rename(person.home.cherry(), &moved).unwrap();
    let there = said_in(&person, &moved, &["status"]);
    assert!(there.contains("cherry@") && !there.contains("init --host"), "{there}");
    std::fs::remove_dir_all(moved.join(".codex")).unwrap();
    assert!(said_in(&person, &moved, &["status"]).contains("init --host"), "its files are gone");
}

#[test] // spec: IF-15
fn connecting_a_host_names_each_file_and_the_dry_run_shows_the_difference() {
    let person = Person::new();
    let mut seen = Seen::of(&person.home);
    for words in [&["init", "--host", "codex", "--dry-run"][..], &["init", "--host", "codex"]] {
        seen.add(words, &person.run(words));
    }
    assert_seen!(seen);
    let json: Value = serde_json::from_str(&person.ok(&["init", "--host", "codex", "--json"])).unwrap();
    assert_eq!(json["files"][0]["purpose"], "the MCP server, with the tools");
}

#[test] // spec: MAIL-3, IF-4
fn mail_to_a_name_says_what_has_it_and_what_to_do_where_nothing_has() {
    let person = with_brains();
    let mut seen = Seen::of(&person.home);
    let mut send = |words: &[&str]| {
        let words = [&["mail", "send", "--type", "task", "--body", "do it"], words].concat();
        let ran = person.run(&words);
        seen.add(&words, &ran);
        ran.stdout
    };
    send(&["--to", "codex"]);
    person.ok(&["mail", "list", "--as", "codex"]);
    send(&["--to", "codex"]);
    let other = send(&["--to", "plum"]);
    send(&["--to", "codex", "--root", &person.home.plum().display().to_string()]);
    // The call that the note names takes the message back.
    let back = other.split("brainstem mail archive ").nth(1).unwrap().split(' ').next().unwrap();
    let back = back.trim_matches('\'');
    assert!(person.ok(&["mail", "archive", back]).starts_with("archive "), "{back}");
    // The name of a message that is not the first of its second is quoted.
    seen.replace("'", "");
    assert_seen!(seen);
}

#[test] // spec: MAIL-3, IF-4
fn over_mcp_the_same_note_names_tools_and_says_what_is_a_command() {
    let person = with_brains();
    let sent = call(1, "mail", json!({"op": "send", "to": "plum", "type": "task", "body": "b"}));
    let lines: String = [initialize("2025-11-25"), initialized(), sent]
        .iter()
        .map(|message| format!("{message}\n"))
        .collect();
    let ran = finish(person.process("brainstem").arg("mcp"), lines.as_bytes());
    let mut answers = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let answer = answers.rfind(|answer| answer["id"] == 1).unwrap();
    let mut seen = Seen::of(&person.home);
    seen.add_text("the note over MCP", answer["result"]["structuredContent"]["note"].as_str().unwrap());
    assert_seen!(seen);
}

#[test] // spec: MAIL-3, INB-7a
fn sessions_are_listed_with_the_time_at_which_they_were_seen() {
    let person = with_brains();
    person.ok(&["mail", "list", "--as", "claude"]);
    let listed = person.ok(&["session", "list", "--as", "claude"]);
    let json: Value =
        serde_json::from_str(&person.ok(&["session", "list", "--as", "claude", "--json"])).unwrap();
    let id = json["sessions"][0]["id"].as_str().unwrap();
    assert_eq!(listed, format!("claude.maker  seen just now  claude:maker  {id}\n"));
    assert_eq!(json["sessions"][0]["live"], true, "a program gets what it got");
}

#[test] // spec: MEM-15, IF-4
fn case_makes_no_other_tag_and_a_slip_is_answered_with_the_tag_in_use() {
    let person = with_brains();
    for (label, tags) in [("Port", "testing"), ("Db", "testing"), ("Lint", "Testing"), ("Rota", "Ops stuff")]
    {
        person.ok(&["memorize", label, "--text", label, "--tags", tags, "--as", "codex:maker"]);
    }
    for tag in ["testing", "TESTING", "#Testing"] {
        let listed = person.ok(&["list", "--tag", tag]);
        assert!(["Port", "Db", "Lint"].iter().all(|label| listed.contains(label)), "{tag}: {listed}");
    }
    let mut seen = Seen::of(&person.home);
    for words in [
        &["tags"][..],
        &["list", "--tag", "testin"],
        &["--tag", "testing", "list"],
        &["tags", "--tag", "testing"],
        &["--tag", "testing", "seek", "port"],
        &["config", "set", "agnt", "x"],
    ] {
        seen.add(words, &person.run(words));
    }
    assert_seen!(seen);
}
