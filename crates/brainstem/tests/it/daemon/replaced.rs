//! A new project at the path of one that moved away, while a daemon runs: no door tells it anything of the old one.

use super::mcp::{Session, stateless};
use super::{Daemon, claim};
use serde_json::json;
use std::path::Path;

/// Another repository is made where cherry was, and cherry lies elsewhere; answers where.
fn replace(daemon: &Daemon) -> std::path::PathBuf {
    let (cherry, archive) = (daemon.home.cherry(), daemon.home.user_home().join("archive"));
    std::fs::create_dir(&archive).expect("a folder");
    std::fs::rename(&cherry, archive.join("cherry")).expect("moved");
    let made = daemon.home.command(Path::new("git")).args(["init", "--quiet"]).arg(&cherry).status();
    assert!(made.expect("git is installed").success());
    archive.join("cherry")
}

#[test] // spec: INB-5a, MEM-1, MEM-17, MEM-21, MEM-22
fn no_door_tells_a_new_project_of_the_one_whose_path_it_has() {
    for in_repository in [false, true] {
        let daemon = Daemon::start().with_two_brains();
        let cherry = daemon.home.cherry();
        let root = cherry.to_str().expect("text").to_owned();
        if in_repository {
            daemon.done(&cherry, &["init"]);
        }
        let header = [("Brainstem-Caller-Root", root.as_str())];
        let open = Session::open(&daemon, "2025-06-18", &header);
        assert!(open.call("list", json!({})).to_string().contains("Cherries are red."));
        let moved = replace(&daemon);

        let fresh = Session::open(&daemon, "2025-06-18", &header);
        let mut told = Vec::new();
        for session in [&open, &fresh] {
            for (tool, arguments) in [
                ("list", json!({})),
                ("seek", json!({"query": "cherries red colour"})),
                ("north", json!({"task": "the colour of cherries"})),
                ("status", json!({})),
            ] {
                told.push(session.call(tool, arguments).to_string());
            }
            told.push(session.request("resources/read", json!({"uri": "brainstem://beat"})).to_string());
            let listed = session.request("resources/list", json!({})).to_string();
            assert!(!listed.contains("Colour") && !listed.contains("Cherries"), "{listed}");
        }
        told.push(stateless(&daemon, "north", json!({"task": "colour"}), Some(&root), &[]).to_string());
        for path in ["/api/list", "/api/seek?query=red", "/api/north?task=colour", "/api/status"] {
            told.push(daemon.ask("GET", path, &header, "").body);
        }
        for words in
            [&["list"][..], &["seek", "red"], &["north", "colour"], &["north", "--fenced", "colour"], &[]]
        {
            told.push(daemon.run(&cherry, words).stdout);
        }
        let mut hook = daemon.home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        let hook = crate::program::finish(
            hook.args(["hook", "session-start"]).current_dir(&cherry),
            json!({"session_id": "s", "hook_event_name": "SessionStart", "source": "startup"})
                .to_string()
                .as_bytes(),
        );
        told.push(hook.stdout);
        for text in &told {
            assert!(!text.contains("Cherries are red.") && !text.contains("\"Colour\""), "{text}");
            let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(flat.contains("another folder than the one that was remembered"), "{text}");
            assert!(flat.contains("take-up") || flat.contains("take_up"), "the way to take it up: {text}");
            assert!(!text.contains("No claims here") && !text.contains("No durable memory yet"), "{text}");
        }
        let refused = daemon.ask("POST", "/api/memorize", &header, &claim("New", "x").to_string());
        assert_eq!(refused.refusal(), (409, "memory.root_replaced".into()));
        assert_eq!(
            daemon.get(&format!("/api/list?brain={root}")).refusal(),
            (409, "memory.root_replaced".into())
        );
        assert_eq!(daemon.run(&cherry, &["memorize", "New", "--text", "x"]).status, Some(1));
        // An id of an entity means one of the project, and so does what a message is about.
        let note = json!({"entity_id": "TASK-7", "entity_type": "task", "note": "x"}).to_string();
        let refused = daemon.ask("POST", "/api/note", &header, &note);
        assert_eq!(refused.refusal(), (409, "memory.root_replaced".into()));
        let about = ["inbox", "send", "--to", "codex", "--type", "fyi", "--subject", "x", "--ref", "TASK-7"];
        assert_eq!(daemon.run(&cherry, &about).status, Some(1));
        assert!(!cherry.join(".brainstem").exists());

        // The project that moved is found where it is, and the new one gets its own brain.
        assert!(daemon.run(&moved, &["list"]).stdout.contains("Cherries are red."));
        daemon.done(&cherry, &["bootstrap"]);
        daemon.done(&cherry, &["memorize", "New", "--text", "Of the new one."]);
        let list = daemon.run(&cherry, &["list"]).stdout;
        assert!(list.contains("Of the new one.") && !list.contains("Cherries"), "{list}");
        assert!(fresh.call("list", json!({})).to_string().contains("Of the new one."));
        assert!(daemon.run(&moved, &["list"]).stdout.contains("Cherries are red."));
    }
}
