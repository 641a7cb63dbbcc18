//! The daemon listens to inboxes.

use super::streams::Events;
use super::{Daemon, until};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const CODEX: [(&str, &str); 2] = [("Brainstem-Agent", "codex:maker"), ("Brainstem-Session", "worker-1")];

fn send(daemon: &Daemon, to: &str, subject: &str, priority: &str) -> Value {
    let cherry = daemon.home.cherry();
    let words =
        ["inbox", "send", "--to", to, "--type", "question", "--subject", subject, "--priority", priority];
    daemon.done(&cherry, &words)
}

/// Polls the live channel as a session of codex.
fn poll(daemon: &Daemon, cursor: &Value, wait_s: u64) -> Value {
    let root = daemon.home.cherry().display().to_string();
    let headers = [CODEX[0], CODEX[1], ("Brainstem-Caller-Root", root.as_str())];
    let body = json!({ "cursor": cursor, "wait_s": wait_s }).to_string();
    let answer = daemon.ask("POST", "/api/live/poll", &headers, &body);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

#[test] // spec: INB-8, INB-8b, INB-13, IF-13
fn what_comes_into_an_inbox_is_an_event_for_its_reader_alone() {
    let daemon = Daemon::start();
    let mut codex = Events::open_with(&daemon, "", "Brainstem-Agent: codex:maker\r\n");
    let mut claude = Events::open_with(&daemon, "", "Brainstem-Agent: claude:maker\r\n");
    // Neither the ledger nor the agents existed when the daemon started.
    let sent = send(&daemon, "codex", "for codex", "3");
    let event = codex.find("inbox.arrived");
    assert_eq!(
        (&event.data["to_agent"], &event.data["subject"]),
        (&json!("codex.maker"), &json!("for codex"))
    );
    assert_eq!((&event.data["priority"], &event.data["message_type"]), (&json!(3), &json!("question")));
    assert!(event.data.get("payload").is_none(), "{event:?}");
    assert_eq!(sent["visible"], "next_cycle");
    send(&daemon, "claude", "for claude", "1");
    assert_eq!(claude.find("inbox.arrived").data["subject"], "for claude", "nothing of codex came before");
    // It is in the mirror, before any reader looked.
    let doctor = daemon.run(&daemon.home.cherry(), &["--json", "doctor"]).json();
    let behind = |found: &Value| found["name"] == "inbox_mirror_behind";
    assert!(!doctor["findings"].as_array().expect("findings").iter().any(behind), "{doctor}");
}

#[test] // spec: INB-13
fn a_poll_that_waits_ends_when_a_message_comes() {
    let daemon = Daemon::start();
    send(&daemon, "codex", "before", "3");
    let cursor = poll(&daemon, &json!(0), 0)["cursor"].clone();
    let got = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| poll(&daemon, &cursor, 60));
        until("the poll waits", || daemon.meter("brainstem_live_waiting") >= 1.0);
        let sent = Instant::now();
        send(&daemon, "codex", "urgent", "1");
        let got = waiting.join().expect("answered");
        assert!(sent.elapsed() < Duration::from_secs(30), "it did not wait for its time to pass");
        got
    });
    let message = &got["messages"][0];
    assert_eq!(
        (&message["type"], &message["subject"], &message["urgent"]),
        (&json!("inbox"), &json!("urgent"), &json!(true))
    );
    let id = message["body"].as_str().expect("an id");
    let read = daemon.done(&daemon.home.cherry(), &["--as", "codex:maker", "inbox", "read", id]);
    assert_eq!(read["subject"], "urgent", "{read}");
}

#[test] // spec: INB-8
fn files_that_are_replaced_under_a_daemon_are_noticed() {
    let daemon = Daemon::start();
    let list = || daemon.ask("GET", "/api/inbox/list", &CODEX, "").json()["messages"].clone();
    let move_away = |name: &str, to: &str| {
        std::fs::rename(daemon.home.path().join(name), daemon.home.path().join(to)).expect("moved");
    };
    send(&daemon, "codex", "one", "3");
    assert_eq!(list()[0]["subject"], "one");
    move_away("inbox", "inbox-before");
    assert_eq!(list()[0]["subject"], "one", "a mirror is made anew");
    move_away("ledger", "ledger-before");
    let refused = daemon.ask("GET", "/api/inbox/list", &CODEX, "");
    let message = refused.json()["error"]["message"].clone();
    assert!(message.as_str().is_some_and(|it| it.contains("is missing or empty")), "{message}");
    move_away("inbox", "inbox-of-it");
    send(&daemon, "codex", "another", "3");
    assert_eq!(list()[0]["subject"], "another");
}

#[test] // spec: LED-5, MEM-48, IF-13, INB-13
fn a_running_daemon_tells_nothing_of_what_was_redacted_or_forgotten() {
    let daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    let head = format!("Brainstem-Agent: codex:maker\r\nBrainstem-Caller-Root: {}\r\n", cherry.display());
    // Online, so that a notice waits for it.
    poll(&daemon, &json!(0), 0);
    let mut events = Events::open_with(&daemon, "", &head);
    let sent = send(&daemon, "codex", "the password is tulip", "1");
    let first = events.find("inbox.arrived");
    assert_eq!(first.data["subject"], "the password is tulip");
    send(&daemon, "codex", "a rose", "1");
    assert_eq!(events.find("inbox.arrived").data["subject"], "a rose");
    daemon.done(&cherry, &["memorize", "Tulip label", "--text", "x"]);
    daemon.done(&cherry, &["memorize", "Rose label", "--text", "x"]);
    assert_eq!(events.find("claim.written").data["label"], "Tulip label");

    let topic = sent["topic_id"].as_str().expect("a topic");
    let redact = ["ledger", "redact", topic, "1", "--reason", "a password", "--yes"];
    daemon.done(&cherry, &redact);
    daemon.done(&cherry, &["forget", "Tulip label", "--yes"]);
    assert_eq!(events.find("claim.gone").data["slug"], "tulip-label", "an open stream hears that it went");

    // A reader that comes back, and the first event that the stream gives it after all of that.
    let (instance, _) = first.id().rsplit_once('-').expect("an id");
    let mut again = Events::open_with(&daemon, "", &format!("{head}Last-Event-ID: {instance}-0\r\n"));
    daemon.done(&cherry, &["memorize", "Last", "--text", "x"]);
    let mut told = Vec::new();
    loop {
        let event = again.next().expect("an event");
        told.push(event.data.to_string().to_lowercase());
        if event.data["label"] == "Last" {
            break;
        }
    }
    assert!(!told.iter().any(|event| event.contains("tulip")), "{told:#?}");
    assert!(told.iter().any(|event| event.contains("a rose")), "the others are told again: {told:#?}");
    assert!(told.iter().any(|event| event.contains("rose label")), "{told:#?}");

    let got = poll(&daemon, &json!(0), 0);
    let subjects: Vec<&Value> =
        got["messages"].as_array().expect("messages").iter().map(|message| &message["subject"]).collect();
    assert_eq!(subjects, ["a rose"], "{got}");
}
