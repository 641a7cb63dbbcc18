//! What somebody meets on the first day: names without ids, mail that goes nowhere, tags in two spellings, and a moved project.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test moves a folder")]

use crate::hosts::Person;
use crate::mcp::{call, initialize, initialized};
use crate::program::finish;
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

fn refused(person: &Person, words: &[&str]) -> String {
    let ran = person.run(words);
    assert_ne!(ran.status, Some(0), "{ran:?}");
    ran.stderr
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
    let shown = person.ok(&["init", "--host", "codex", "--dry-run"]);
    assert!(shown.contains("+++ ") && shown.contains("AGENTS.md  would be made: a section"), "{shown}");
    let told = person.ok(&["init", "--host", "codex"]);
    let root = person.home.cherry().display().to_string();
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[0].starts_with(&root), "{told}");
    assert_eq!(lines[1], "  .codex/config.toml  made: the MCP server, with the tools");
    assert_eq!(
        lines[2],
        "  .codex/hooks.json  made: hooks, which show what is remembered when a session starts"
    );
    assert_eq!(lines[3], "  AGENTS.md  made: a section that says when to use them");
    assert_eq!(lines[4], "codex is codex:maker here, in memory and in mail");
    let json: Value = serde_json::from_str(&person.ok(&["init", "--host", "codex", "--json"])).unwrap();
    assert_eq!(json["files"][0]["purpose"], "the MCP server, with the tools");
}

#[test] // spec: MAIL-3, IF-4
fn mail_to_a_name_says_what_has_it_and_what_to_do_where_nothing_has() {
    let person = with_brains();
    let send = |to: &str| person.ok(&["mail", "send", "--to", to, "--type", "task", "--body", "do it"]);
    let host = send("codex");
    assert!(host.contains("(an agent that was not here yet; it waits)"), "{host}");
    assert!(!host.contains("note:"), "{host}");
    person.ok(&["mail", "list", "--as", "codex"]);
    let seen = send("codex");
    assert!(seen.contains("(codex.maker is a session, seen just now)"), "{seen}");
    let plum = person.home.plum().display().to_string();
    let other = send("plum");
    assert!(other.contains("(no session, tag or agent here has this name; it waits)"), "{other}");
    let flat = other.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = format!("brainstem mail send --to AGENT --type task --body TEXT --root {plum} writes there");
    assert!(flat.contains("note: plum@") && flat.contains(&line), "{flat}");
    // The call that the note names takes the message back.
    let back = flat.split("brainstem mail archive ").nth(1).unwrap().split(' ').next().unwrap();
    let back = back.trim_matches('\'');
    assert!(person.ok(&["mail", "archive", back]).starts_with("archive "), "{back}");
    let into =
        person.ok(&["mail", "send", "--to", "codex", "--type", "task", "--body", "b", "--root", &plum]);
    let flat = into.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains(&format!("a reply will be in the mail of `{plum}`: brainstem mail list --root {plum}")),
        "{flat}"
    );
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
    let note = answer["result"]["structuredContent"]["note"].as_str().unwrap().to_owned();
    assert!(note.contains("mail with op: archive, file: plum/"), "{note}");
    assert!(note.contains("--root ") && note.ends_with("is a command for a shell)"), "{note}");
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
    let tags = person.ok(&["tags"]);
    let expected =
        "#testing  2 claims\n#\"Ops stuff\"  1 claim\n#Testing  1 claim, another spelling of #testing\n";
    assert_eq!(tags, expected);
    for tag in ["testing", "TESTING", "#Testing"] {
        let listed = person.ok(&["list", "--tag", tag]);
        assert!(["Port", "Db", "Lint"].iter().all(|label| listed.contains(label)), "{tag}: {listed}");
    }
    let slip = person.ok(&["list", "--tag", "testin"]);
    assert_eq!(
        slip,
        "None of 4 claims passes these filters.\ndid you mean --tag testing or --tag Testing?\n"
    );
    for (words, told) in [
        (&["--tag", "testing", "list"][..], "brainstem list --tag testing"),
        (&["tags", "--tag", "testing"], "brainstem list --tag testing"),
        (&["--tag", "testing", "seek", "port"], "brainstem seek QUESTION --tag testing"),
    ] {
        let fix = refused(&person, words);
        assert!(
            fix.contains("a tag that your session carries in mail") && fix.contains(told),
            "{words:?}: {fix}"
        );
    }
    assert!(refused(&person, &["config", "set", "agnt", "x"]).contains("fix: give agent if you meant that"));
}
