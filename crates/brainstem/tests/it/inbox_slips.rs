//! Slips around the inbox: names that are not the caller's, settings that name no agent, a project that was replaced, a wrong clock.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test changes files of its own home")]

use crate::inbox::{ask, run};
use crate::program::Ran;
use brainstem_sqlite::rusqlite::Connection;
use brainstem_testkit::TestHome;
use serde_json::{Value, json};

fn fix(ran: &Ran) -> String {
    ran.json()["error"]["fix"].as_str().unwrap().to_owned()
}

fn finding(home: &TestHome, name: &str) -> Option<Value> {
    let doctor = run(home, &["doctor"]).json();
    doctor["findings"].as_array().unwrap().iter().find(|found| found["name"] == name).cloned()
}

#[test] // spec: INB-11, MAIL-4
fn messages_are_taken_under_no_session_name_that_mail_refuses() {
    let home = TestHome::new();
    ask(&home, &["inbox", "send", "--to", "gemini", "--type", "fyi", "--subject", "one"]);
    let taken = run(&home, &["--as", "gemini:maker", "--session", "claude", "inbox", "fetch"]);
    assert_eq!(taken.code(), "mail.name_taken", "{taken:?}");
    let taken = ask(&home, &["--as", "gemini:maker", "--session", "mine", "inbox", "fetch"]);
    let id = taken["messages"][0]["id"].as_str().unwrap();
    ask(&home, &["--as", "gemini:maker", "--session", "mine", "inbox", "done", id]);
}

#[test] // spec: INB-11
fn a_fetch_says_that_there_is_more_only_if_a_higher_limit_gets_it() {
    let home = TestHome::new();
    for subject in ["one", "two", "three"] {
        ask(&home, &["inbox", "send", "--to", "codex", "--type", "fyi", "--subject", subject]);
    }
    let fetch = |session: &str| {
        ask(&home, &["--as", "codex:maker", "--session", session, "inbox", "fetch", "--limit", "1"])
    };
    assert_eq!(fetch("a")["has_more"], true);
    let second = fetch("b");
    assert_eq!((&second["has_more"], &second["held_by_others"]), (&json!(true), &json!(1)), "{second}");
    let third = fetch("c");
    assert_eq!((&third["has_more"], &third["held_by_others"]), (&json!(false), &json!(2)), "{third}");
}

#[test] // spec: INB-10
fn a_slip_in_the_settings_of_the_inbox_is_named() {
    let home = TestHome::new();
    let present =
        ["--as", "codex:orchestrator", "inbox", "send", "--to", "human", "--type", "fyi", "--subject", "x"];
    ask(&home, &present);
    let set = |key: &str, value: &str| ask(&home, &["config", "set", key, value])["notes"].clone();
    assert!(set("inbox.orchestrator", "codx:orchestrator").to_string().contains("codex:orchestrator"));
    assert!(
        set("inbox.routes", "task.blocked=codex:orchestrater/1").to_string().contains("codex:orchestrator")
    );
    // An event makes an inbox for the agent that the setting names; the slip is still one.
    ask(&home, &["note", "No key.", "--on", "TASK-7", "--new", "task", "--type", "task.blocked"]);
    let found = finding(&home, "inbox_role_unknown").expect("a finding");
    assert!(found["detail"].as_str().unwrap().contains("codex:orchestrator"), "{found}");
    assert_eq!(set("inbox.orchestrator", "codex:orchestrator"), Value::Null);
    assert_eq!(set("inbox.routes", "task.blocked=orchestrator/1"), Value::Null);
    assert_eq!(finding(&home, "inbox_role_unknown"), None);
}

#[test] // spec: LED-2b
fn the_doctor_names_a_ledger_that_is_ahead_of_the_clock() {
    let home = TestHome::new();
    ask(&home, &["inbox", "send", "--to", "codex", "--type", "fyi", "--subject", "one"]);
    assert_eq!(finding(&home, "ledger_time_ahead"), None);
    let file = Connection::open(home.path().join("ledger/ledger.sqlite")).unwrap();
    file.execute("UPDATE heads SET seconds = seconds + 86400", ()).unwrap();
    drop(file);
    assert!(finding(&home, "ledger_time_ahead").is_some());
}

#[test] // spec: INB-8c
fn counts_that_do_not_fit_the_rows_are_named() {
    let home = TestHome::new();
    ask(&home, &["inbox", "send", "--to", "codex", "--type", "fyi", "--subject", "one"]);
    ask(&home, &["--as", "codex:maker", "inbox", "list"]);
    assert_eq!(finding(&home, "inbox_mirror_counts"), None);
    let file = Connection::open(home.path().join("inbox/inbox.sqlite")).unwrap();
    file.execute("UPDATE unread SET unread = 99", ()).unwrap();
    drop(file);
    assert!(finding(&home, "inbox_mirror_counts").is_some());
    ask(&home, &["inbox", "rebuild"]);
    assert_eq!(finding(&home, "inbox_mirror_counts"), None);
}

#[test] // spec: MAIL-1
fn a_mail_root_among_the_files_of_git_is_refused() {
    let home = TestHome::new();
    let root = home.cherry().join(".git").display().to_string();
    let words = ["--mail-root", &root, "mail", "send", "--to", "refs", "--type", "task", "--body", "x"];
    assert_eq!(run(&home, &words).code(), "mail.root_refused");
    assert!(!home.cherry().join(".git/refs").join("inbox").exists());
}

#[test] // spec: INB-14, INB-5
fn the_advice_about_readers_and_entities_works() {
    let home = TestHome::new();
    let refused = run(&home, &["note", "hi", "--on", "T-1", "--new", "task", "--notify", "nobodyx"]);
    assert!(!fix(&refused).contains("ALL"), "{refused:?}");
    let unknown = run(&home, &["note", "hi", "--on", "T-1"]);
    assert!(!fix(&unknown).contains("title"), "{unknown:?}");
    ask(&home, &["note", "hi", "--on", "T-1", "--new", "task"]);
}
