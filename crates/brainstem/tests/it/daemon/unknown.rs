//! A store that cannot be read is unknown on every door, and never empty.

use super::Daemon;
use super::mcp::{Session, stateless};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::path::Path;

/// Puts something else in a place.
type Put = fn(&Path);

/// Whether a text says that there is nothing.
fn says_nothing_is_there(text: &str) -> Option<&'static str> {
    let absences = [
        "first thing",
        "No durable memory",
        "No claims here",
        "no brain yet",
        "remembers nothing",
        "0 claims",
        "memorize with label: \\\"a label\\\"",
        "brainstem memorize \\\"a label\\\"",
    ];
    absences.into_iter().find(|absence| text.contains(absence))
}

#[test] // spec: MEM-23, MEM-27, MEM-46
fn a_store_out_of_reach_is_unknown_on_every_door() {
    let breaks: [(&str, Put); 2] = [
        ("a file", |at| std::fs::write(at, "x").expect("written")),
        ("a loop of links", |at| symlink(at, at).expect("linked")),
    ];
    for (kind, put) in breaks {
        for part in ["agent-memory", ""] {
            let daemon = Daemon::start().with_two_brains();
            let cherry = daemon.home.cherry();
            let root = cherry.to_str().expect("text");
            let brains = daemon.get("/api/brains").json();
            let all = brains["brains"].as_array().expect("brains");
            let card = all.iter().find(|brain| brain["root"] == root).expect("listed").clone();
            let folder =
                daemon.home.path().join("project-brains").join(card["fingerprint"].as_str().expect("a name"));
            let broken = if part.is_empty() { folder } else { folder.join(part) };
            std::fs::rename(&broken, daemon.home.user_home().join("aside")).expect("moved");
            put(&broken);
            let what = format!("{kind} for {part:?}");

            let header = [("Brainstem-Caller-Root", root)];
            let session = Session::open(&daemon, "2025-06-18", &header);
            let doors: Vec<(&str, Value, &str)> = vec![
                ("north", json!({ "task": "colour" }), "/api/north?task=colour"),
                ("seek", json!({ "query": "colour" }), "/api/seek?query=colour"),
                ("list", json!({}), "/api/list"),
                ("status", json!({}), "/api/status"),
                ("brains", json!({}), "/api/brains"),
            ];
            for (tool, arguments, path) in doors {
                let command: Vec<&str> = match tool {
                    "north" => vec!["north", "colour"],
                    "seek" => vec!["seek", "colour"],
                    "status" => vec![],
                    other => vec![other],
                };
                let answers = [
                    ("REST", daemon.ask("GET", path, &header, "").json()),
                    ("a session", session.call(tool, arguments.clone())["structuredContent"].clone()),
                    (
                        "stateless",
                        stateless(&daemon, tool, arguments, Some(root), &[])["structuredContent"].clone(),
                    ),
                    ("the command line", daemon.done(&cherry, &command)),
                ];
                for (door, answer) in answers {
                    let told = format!("{what}, {tool} over {door}: {answer}");
                    let gaps = answer.get("honest_gaps").unwrap_or(&answer["gaps"]);
                    let names: Vec<&str> = gaps
                        .as_array()
                        .expect("gaps")
                        .iter()
                        .filter_map(|gap| gap["name"].as_str())
                        .collect();
                    let is_named = |name: &&str| ["store_unreadable", "unreadable_brain"].contains(name);
                    assert!(names.iter().any(is_named) && !names.contains(&"empty"), "{told}");
                    if let Some(count) = answer.get("memory_exists") {
                        assert_eq!(count, &Value::Null, "{told}");
                    }
                    if let Some(count) = answer.get("project_claims") {
                        assert_eq!(count, &Value::Null, "{told}");
                    }
                    let text = answer.to_string();
                    // Another brain and the medulla are there, and may be counted.
                    let text = if tool == "brains" { String::new() } else { text };
                    assert_eq!(
                        says_nothing_is_there(&text.replace("the medulla, 0 claims", "")),
                        None,
                        "{told}"
                    );
                }
                let page = daemon.run(&cherry, &command).stdout;
                let page = page.replace("medulla  0 claims", "").replace("medulla", "");
                let own = page
                    .lines()
                    .filter(|line| !line.trim_start().starts_with("0 claims"))
                    .collect::<String>();
                assert_eq!(
                    says_nothing_is_there(&own).filter(|word| *word != "0 claims"),
                    None,
                    "{what} {tool}: {page}"
                );
            }
            let found = daemon.get("/api/instances").json();
            let cards = found["instances"].as_array().expect("cards");
            let own = cards.iter().find(|card| card["root"] == root);
            assert!(
                own.is_none_or(|card| card["claims"].is_null() && card["stale"].is_null()),
                "{what}: {found}"
            );
            assert!(found["gaps"].as_array().is_some_and(|gaps| !gaps.is_empty()), "{what}: {found}");
            let beat = session.request("resources/read", json!({ "uri": "brainstem://beat" }));
            assert_eq!(
                says_nothing_is_there(&beat.to_string().replace("the medulla, 0 claims", "")),
                None,
                "{beat}"
            );
            // Nothing was made in its place.
            assert!(!broken.is_dir(), "{what}");
        }
    }
}
