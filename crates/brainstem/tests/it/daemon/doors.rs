//! Every door at once, on one home, with a daemon that is killed in between.

use super::{Daemon, claim, until};
use crate::program::finish;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;

const EACH: usize = 25;

#[test] // spec: IF-10, IF-14, MEM-13, MEM-16
fn what_any_door_acknowledged_every_door_finds() {
    let mut daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    let told: Mutex<BTreeSet<String>> = Mutex::default();
    for round in 0..2 {
        let path = format!("/api/memorize?brain={}", cherry.display());
        std::thread::scope(|scope| {
            for writer in 0..3 {
                let (daemon, told, path) = (&daemon, &told, &path);
                scope.spawn(move || {
                    for n in 0..EACH {
                        let label = format!("Rest {round} {writer} {n}");
                        let answer = daemon.raw_or_nothing("POST", path, &claim(&label, "text").to_string());
                        if answer.is_some_and(|answer| answer.status == 200) {
                            told.lock().expect("sound").insert(label);
                        }
                    }
                });
            }
            let (daemon, told, cherry) = (&daemon, &told, &cherry);
            scope.spawn(move || {
                for n in 0..EACH / 2 {
                    let label = format!("Line {round} {n}");
                    daemon.done(cherry, &["memorize", &label, "--text", "text"]);
                    told.lock().expect("sound").insert(label);
                }
            });
            scope.spawn(move || {
                let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}});
                let mut lines = vec![hello, json!({"jsonrpc": "2.0", "method": "notifications/initialized"})];
                let label = |n: usize| format!("Pipe {round} {n}");
                lines.extend((1..=EACH).map(|n| {
                    json!({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {
                        "name": "memorize", "arguments": {"label": label(n), "text": "text"}}})
                }));
                let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
                let mut command = daemon.home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
                let ran = finish(command.arg("mcp").current_dir(cherry), text.as_bytes());
                for line in ran.stdout.lines() {
                    let answer: Value = serde_json::from_str(line).expect("JSON");
                    let done = answer["result"]["isError"] == false && answer["id"] != 0;
                    if let (true, Some(n)) = (done, answer["id"].as_u64()) {
                        told.lock().expect("sound").insert(label(usize::try_from(n).expect("small")));
                    }
                }
            });
            if round == 0 {
                until("some were told", || told.lock().expect("sound").len() > 20);
                finish(daemon.home.command(Path::new("kill")).args(["-9", &daemon.pid.to_string()]), b"");
            }
        });
        if round == 0 {
            until("the lock is free", || daemon.done(&cherry, &[])["daemon"].is_null());
            let up = daemon.done(&cherry, &["up", "--detach", "--bind", "127.0.0.1:0"]);
            daemon.address = up["address"].as_str().expect("an address").to_owned();
            daemon.pid = up["pid"].as_u64().expect("a process");
        }
    }
    let labels = |rows: &Value| -> BTreeSet<String> {
        let rows = rows["rows"].as_array().expect("rows").iter();
        rows.map(|row| row["label"].as_str().expect("a label").to_owned()).collect()
    };
    let told = told.into_inner().expect("sound");
    assert!(told.len() > 3 * EACH, "{} were told", told.len());
    let rest = labels(&daemon.get(&format!("/api/list?limit=10000&brain={}", cherry.display())).json());
    let line = labels(&daemon.done(&cherry, &["list", "--limit", "10000"]));
    assert_eq!(rest, line);
    let missing: Vec<&String> = told.difference(&rest).collect();
    assert!(missing.is_empty(), "acknowledged and lost: {missing:?}");
    let doctor = daemon.done(&cherry, &["doctor"]);
    assert_eq!(doctor["healthy"], true, "{doctor}");
}
