//! A browser's cookie looks, and changes nothing.

use super::{Daemon, claim};
use brainstem_api::{Method, table};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Every file below a folder with its bytes, but for what the daemon says in its own folder.
fn files(dir: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.ends_with("brainstem-home/daemon") {
        } else if entry.is_dir() {
            files(&entry, found);
        } else {
            found.insert(entry.clone(), std::fs::read(&entry).unwrap_or_default());
        }
    }
}

#[test] // spec: IF-11
fn a_cookie_changes_nothing_whatever_it_asks_for() {
    let daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    // Mail that waits, and a project without a brain.
    daemon
        .done(&cherry, &["--session", "w1", "mail", "send", "--to", "work", "--type", "task", "--body", "x"]);
    let bare = daemon.home.user_home().join("bare");
    std::fs::create_dir_all(bare.join(".git")).expect("a folder");
    let cookie = daemon.cookie();
    let snapshot = || {
        let mut found = BTreeMap::new();
        files(daemon.home.user_home(), &mut found);
        found
    };
    let before = snapshot();
    let values = [
        ("label", "Colour"),
        ("query", "cherries"),
        ("question", "cherries"),
        ("what", "promotions"),
        ("key", "agent"),
        ("file", "20261116T000000Z_a_task.md"),
        ("id", "x"),
        ("box", "work"),
        ("task", "cherries"),
    ];
    let mut answered = 0;
    for entry in table().iter().filter(|entry| entry.spec().doors.has_path()) {
        let (method, path) = (entry.spec().method(), entry.spec().path());
        if method != Method::Get {
            continue;
        }
        let schema = entry.input_schema();
        let required = schema.get("required").and_then(|names| names.as_array()).cloned().unwrap_or_default();
        let value_of =
            |field: &str| values.iter().find(|(name, _)| *name == field).map_or("x", |(_, value)| value);
        let asked = path.to_owned();
        let query: Vec<String> = required
            .iter()
            .filter_map(|name| name.as_str())
            .map(|name| format!("{name}={}", value_of(name)))
            .collect();
        let query = if path == "/api/seek" { vec!["query=cherries".to_owned()] } else { query };
        for root in [&cherry, &bare] {
            let headers = [
                ("Host", daemon.address.as_str()),
                ("Cookie", &cookie),
                ("Brainstem-Caller-Root", &root.display().to_string()),
                ("Brainstem-Session", "intruder"),
                ("Brainstem-Tags", "work,orchestrator"),
                ("Brainstem-Agent", "codex:maker"),
            ];
            let answer = daemon.send("GET", &format!("{asked}?{}", query.join("&")), &headers, "");
            assert!(answer.status < 500, "{asked}: {answer:?}");
            answered += usize::from(answer.status == 200);
            let now = snapshot();
            let changed: Vec<_> =
                now.iter().filter(|(path, bytes)| before.get(*path) != Some(bytes)).collect();
            assert!(now.len() == before.len() && changed.is_empty(), "{asked} changed {changed:?}");
        }
    }
    assert!(answered > 20, "{answered} were answered");
    for path in ["/", "/metrics", "/api/instances", "/api/openapi.json"] {
        let headers = [("Host", daemon.address.as_str()), ("Cookie", cookie.as_str())];
        assert_eq!(daemon.send("GET", path, &headers, "").status, 200, "{path}");
    }
    let headers =
        [("Host", daemon.address.as_str()), ("Cookie", cookie.as_str()), ("Accept", "text/event-stream")];
    assert_eq!(daemon.send("GET", "/mcp", &headers, "").refusal(), (401, "access.token".into()));
    assert_eq!(snapshot(), before);
    // The same looks with the token leave what they always left.
    let headers = [
        ("Brainstem-Caller-Root", &*cherry.display().to_string()),
        ("Brainstem-Session", "intruder"),
        ("Brainstem-Tags", "work"),
    ];
    assert_eq!(daemon.ask("GET", "/api/mail", &headers, "").status, 200);
    assert_ne!(snapshot(), before, "a session that shows the token is on record");
    let wrote =
        daemon.ask("POST", "/api/memorize", &headers, &claim("Written", "With the token.").to_string());
    assert_eq!((wrote.status, &wrote.json()["created"].is_null()), (200, &false), "{}", json!(wrote.body));
}

#[test] // spec: IF-11, INB-8, MEM-27a
fn a_cookie_sees_the_inbox_and_its_counts() {
    let daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    let send = |subject: &str, priority: &str| {
        let words = ["inbox", "send", "--to", "codex", "--type", "fyi", "--subject", subject];
        daemon.done(&cherry, &[&words[..], &["--priority", priority]].concat())
    };
    let cookie = daemon.cookie();
    let root = cherry.display().to_string();
    let headers = [
        ("Host", daemon.address.as_str()),
        ("Cookie", cookie.as_str()),
        ("Brainstem-Caller-Root", root.as_str()),
        ("Brainstem-Agent", "codex:maker"),
    ];
    let look = |path: &str| {
        let answer = daemon.send("GET", path, &headers, "");
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    };
    // Whether the daemon has taken a message in already or not, the looks show it.
    for (count, (subject, priority)) in [(1, ("hello one", "1")), (2, ("hello two", "3"))] {
        send(subject, priority);
        let listed = look("/api/inbox/list");
        assert_eq!((&listed["unread"], &listed["urgent"]), (&json!(count), &json!(1)), "{listed}");
        assert_eq!(look("/api/status")["inbox"]["unread"], count);
        assert_eq!(look("/api/north?task=x")["inbox"]["unread"], count);
        let found = look("/api/inbox/search?query=hello");
        assert_eq!(found["messages"].as_array().map(Vec::len), Some(count));
        let id = listed["messages"][0]["id"].as_str().expect("an id");
        assert_eq!(look(&format!("/api/inbox/read?id={id}"))["subject"], "hello one");
        look("/api/inbox/events");
        look("/api/inbox/requests");
    }
}
