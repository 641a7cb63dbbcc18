//! What a session may count on at the live channel: nothing is lost by a wrong cursor, a restart or a lost token, unsaid.

use super::live::{Caller, Watching, messages, one, waiting};
use super::mcp::Session;
use super::{Daemon, until};
use crate::program::finish;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;

#[test] // spec: MAIL-17
fn a_cursor_of_the_future_loses_nothing_at_any_door() {
    let daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    let (w1, orch) = (Caller::new(&daemon, "w1", ""), Caller::new(&daemon, "orch", ""));
    w1.poll(&Value::Null, 0);
    orch.send(&json!({ "target": "w1", "subject": "kept", "body": "x", "persist": true }));
    orch.send(&json!({ "target": "w1", "subject": "spoken", "body": "x" }));
    let words = ["--session", "w1", "live", "poll", "--cursor", "1797152400000001", "--wait-s", "30"];
    let ran = daemon.run(&cherry, &words);
    assert!(ran.stdout.contains("did not give you this cursor"), "{ran:?}");
    let got = w1.poll(&json!(1_797_152_400_000_001_u64), 0);
    let both = [one("task", "kept"), one("task", "spoken")].concat();
    assert_eq!((messages(&got), got["gap"].is_string()), (both, true), "{got}");
    let unread = daemon.done(&cherry, &["--session", "w1", "mail", "list"]);
    assert_eq!(unread["messages"].as_array().map(Vec::len), Some(1), "{unread}");
    let rest = w1.poll(&got["cursor"], 0);
    assert_eq!((messages(&rest), rest["gap"].is_string()), (vec![], false), "{rest}");
}

#[test] // spec: MAIL-17, IF-10
fn who_watches_waits_for_the_next_daemon() {
    let mut daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    let watch = daemon
        .home
        .command(Path::new(env!("CARGO_BIN_EXE_brainstem")))
        .args(["--json", "--session", "w1", "live", "watch"])
        .current_dir(&cherry)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut watch = Watching(watch);
    let mut said = BufReader::new(watch.0.stderr.take().expect("piped")).lines();
    let mut lines = BufReader::new(watch.0.stdout.take().expect("piped")).lines();
    let mut next =
        || serde_json::from_str::<Value>(&lines.next().expect("a line").expect("text")).expect("JSON");
    let send = |daemon: &Daemon, subject: &str| {
        let sent =
            Caller::new(daemon, "orch", "").send(&json!({ "target": "w1", "subject": subject, "body": "x" }));
        assert_eq!(sent["recipients"], json!(["w1"]));
    };
    until("it waits", || waiting(&daemon) > 0.0);
    send(&daemon, "before");
    assert_eq!(next()["subject"], "before");
    // Ended in good order, and killed.
    for (signal, subject) in [("-TERM", "after"), ("-KILL", "at last")] {
        let pid = daemon.pid.to_string();
        let killed = finish(daemon.home.command(Path::new("kill")).args([signal, &pid]), b"");
        assert_eq!(killed.status, Some(0), "{killed:?}");
        assert!(said.any(|line| line.expect("text").starts_with("the daemon is gone")), "{signal}");
        assert_eq!(watch.0.try_wait().expect("asked"), None, "it goes on");
        let again = daemon.done(&cherry, &["up", "--detach", "--bind", "127.0.0.1:0"]);
        daemon.address = again["address"].as_str().expect("an address").to_owned();
        daemon.pid = again["pid"].as_u64().expect("a process");
        until("it waits again", || waiting(&daemon) > 0.0);
        send(&daemon, subject);
        assert_eq!(next()["subject"], subject);
    }
    drop(watch);
    let rest: Vec<String> = said.map_while(Result::ok).collect();
    assert!(rest.iter().any(|line| line == "the daemon is back"), "{rest:?}");
    assert!(rest.iter().any(|line| line.contains("did not give you this cursor")), "{rest:?}");
}

#[test] // spec: IF-10, IF-11
fn a_token_that_is_gone_is_said_and_no_daemon_is_not() {
    let daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    std::fs::remove_file(daemon.files().join("token")).expect("removed");
    for words in [&["live", "poll"][..], &["live", "watch"], &["live", "status"], &["page"]] {
        let told = daemon.run(&cherry, &[&["--json"], words].concat()).json();
        let message = told["error"]["message"].as_str().unwrap_or_default();
        assert!(message.starts_with("the daemon runs, but") && message.contains("token"), "{words:?} {told}");
    }
}

#[test] // spec: MAIL-17, IF-8
fn live_status_alone_says_who_is_online() {
    let daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    let status = |words: &[&str]| daemon.done(&cherry, &[&["live", "status"], words].concat());
    assert_eq!(status(&[])["online"], json!([]), "who only looks is not online");
    daemon.done(&cherry, &["--session", "w1", "live", "status", "blocked", "--note", "no key"]);
    let told = status(&[]);
    assert_eq!(told["online"].as_array().map(Vec::len), Some(1), "{told}");
    let one = &told["online"][0];
    assert_eq!(
        (&one["name"], &one["status"], &one["note"]),
        (&json!("w1"), &json!("blocked"), &json!("no key"))
    );
    assert_eq!(daemon.done(&daemon.home.plum(), &["live", "status"])["online"], json!([]), "of this project");
    assert_eq!(daemon.run(&cherry, &["live", "status"]).stdout, "w1 blocked: no key\n");
    let lone = Caller::new(&daemon, "w1", "").post("/api/live/status", &json!({ "note": "no status" }));
    assert_eq!(lone.refusal(), (400, "input.bad_value".into()));
    // The words of its command reach a tool, and so does a name of before.
    let root = cherry.display().to_string();
    let session = Session::open(&daemon, "2025-06-18", &[("Brainstem-Caller-Root", &root)]);
    for name in ["live_poll", "poll_messages"] {
        let polled = session.call(name, json!({}));
        assert_eq!(polled["structuredContent"]["messages"], json!([]), "{polled}");
    }
}
