//! Whose memory a caller over HTTP gets: its own, and the medulla's, and nobody else's.

use super::mcp::{Session, stateless};
use super::{Daemon, claim};
use brainstem_testkit::TestHome;
use serde_json::{Value, json};

/// A daemon that was started inside a project which has a brain: its own place must not matter.
fn daemon() -> Daemon {
    let home = TestHome::new();
    let cherry = home.cherry();
    let daemon = Daemon::of(home, Some(&cherry)).with_two_brains();
    daemon.done(
        &cherry,
        &["--as", "human:ana", "memorize", "Rule", "--tier", "medulla", "--text", "Fruit is good."],
    );
    daemon
}

fn texts(rows: &Value) -> Vec<&str> {
    let mut texts: Vec<&str> =
        rows.as_array().expect("rows").iter().map(|row| row["text"].as_str().expect("a text")).collect();
    texts.sort_unstable();
    texts
}

#[test] // spec: MEM-15, MEM-17, MEM-18, MEM-21, MEM-23, IF-10
fn a_caller_that_says_nothing_reads_the_medulla_and_writes_nowhere() {
    let daemon = daemon();
    let rest = daemon.get("/api/north?task=fruit").json();
    let session = Session::open(&daemon, "2025-06-18", &[]).call("north", json!({"task": "fruit"}));
    let alone = stateless(&daemon, "north", json!({"task": "fruit"}), None, &[]);
    for beat in [&rest, &session["structuredContent"], &alone["structuredContent"]] {
        assert_eq!(texts(&beat["memory"]), ["Fruit is good."], "{beat}");
        assert_eq!((&beat["binding"]["trust_mode"], &beat["memory_exists"]), (&json!("unbound"), &json!(1)));
        let gaps = beat["honest_gaps"].as_array().expect("gaps");
        assert!(gaps.iter().any(|gap| gap["name"] == "unbound"), "{beat}");
        assert!(beat["reception"]["options"].as_array().is_some_and(|options| !options.is_empty()), "{beat}");
    }
    assert_eq!(rest["served_brain"], Value::Null);
    let blank =
        daemon.post(&format!("/api/memorize?brain={}", daemon.home.plum().display()), &claim("Lost", ""));
    let fix = blank.json()["error"]["fix"].as_str().unwrap_or_default().to_owned();
    assert!(fix.contains("as `text`"), "{blank:?}");
    let refused = daemon.post("/api/memorize", &claim("Lost", "x"));
    let fix = refused.json()["error"]["fix"].as_str().unwrap_or_default().to_owned();
    assert!(fix.contains("?brain=") && !fix.contains("--root") && !fix.contains("cherry"), "{fix}");
    assert_eq!(refused.refusal(), (409, "memory.brainless_root".into()));
    assert!(refused.json()["error"]["fix"].as_str().is_some_and(|fix| fix.contains("bootstrap")));
    // With a brain it is an ordinary write, signed by whoever says so.
    let path = format!("/api/memorize?brain={}", daemon.home.plum().display());
    let told = daemon.ask(
        "POST",
        &path,
        &[("Brainstem-Agent", "codex:maker")],
        &claim("Stone", "Plums have one.").to_string(),
    );
    assert_eq!((told.status, &told.json()["source_agent"]), (200, &json!("codex:maker")), "{told:?}");
    let told =
        daemon.post(&path, &json!({"label": "Stone", "text": "Just one.", "agent_id": "claude:maker"}));
    assert_eq!(told.json()["source_agent"], "claude:maker");
    let told = daemon.post(&path, &claim("Stone", "One."));
    assert_eq!(told.json()["source_agent"], "unknown", "nobody's login is a caller's name");
    // Settings that name a person mean the person at the terminal, and no program that sends a request.
    daemon.done(&daemon.home.plum(), &["config", "set", "agent", "human:ana"]);
    let told = daemon.post(&path, &claim("Stone", "One stone."));
    assert_eq!(told.json()["source_agent"], "unknown", "{told:?}");
    let whoami = daemon.get("/api/whoami").json();
    assert_eq!((&whoami["agent_id"], &whoami["source"]), (&json!("unknown"), &json!("nobody")));
    assert!(!whoami["notes"].to_string().contains("config set"), "{whoami}");
    daemon.done(&daemon.home.plum(), &["config", "set", "agent", "codex:maker"]);
    let told = daemon.post(&path, &claim("Stone", "A stone."));
    assert_eq!(told.json()["source_agent"], "codex:maker", "an agent in the settings is anybody's");
}

#[test] // spec: IF-12, MEM-20, MEM-21, MEM-22
fn a_brain_is_served_when_it_is_named_and_no_other_is_seen() {
    let daemon = daemon();
    let (cherry, plum) = (daemon.home.cherry(), daemon.home.plum());
    let brains = daemon.get("/api/brains").json();
    let of = |root: &std::path::Path| -> Value {
        let all = brains["brains"].as_array().expect("brains");
        all.iter().find(|brain| brain["root"] == root.to_str().expect("text")).expect("listed").clone()
    };
    for (root, own) in [(&cherry, "Cherries are red."), (&plum, "Plums are blue.")] {
        let brain = of(root);
        for key in ["root", "fingerprint", "brain", "id"] {
            let word = brain[key].as_str().expect("a word");
            for path in ["/api/list", "/api/seek?query=are", "/api/north?task=colour"] {
                let join = if path.contains('?') { '&' } else { '?' };
                let answer = daemon.get(&format!("{path}{join}brain={word}")).json();
                let rows = if path.contains("north") { &answer["memory"] } else { &answer["rows"] };
                let seen = texts(rows);
                assert!(
                    seen.contains(&own) && seen.iter().all(|text| [own, "Fruit is good."].contains(text)),
                    "{path} {word}: {answer}"
                );
                assert_eq!(answer["served_brain"], brain["brain"], "{answer}");
            }
        }
        let inside = root.join(".git");
        let header = [("Brainstem-Caller-Root", inside.to_str().expect("text"))];
        let answer = daemon.ask("GET", "/api/seek?query=are&tier=project", &header, "").json();
        assert_eq!(texts(&answer["rows"]), [own], "the nearest covering root");
    }
    let all = daemon.get("/api/seek?query=are&tier=all-brains").json();
    assert_eq!(all["groups"].as_array().map(Vec::len), Some(3), "only when all are asked for: {all}");
    assert_eq!(daemon.get("/api/seek?query=are&tier=everything").status, 400);
}

#[test] // spec: IF-12
fn the_brain_that_was_served_is_said_also_where_a_field_named_it() {
    let daemon = daemon();
    let (cherry, plum) = (daemon.home.cherry(), daemon.home.plum());
    let (cherry, plum) = (cherry.to_str().expect("text"), plum.to_str().expect("text"));
    let made = daemon.post("/api/bootstrap", &json!({ "path": plum })).json();
    assert_eq!((&made["served_brain"], &made["root"]), (&made["brain"], &json!(plum)), "{made}");
    let plums = made["brain"].as_str().expect("a name").to_owned();
    let inside = format!("{plum}/.git");
    for brain in [plum, &inside, &plums] {
        let asked = json!({
            "label": "Colour", "reason": "both need it", "brain": brain, "propose": true, "agent_id": "codex:maker",
        });
        let told = daemon.post(&format!("/api/promote?brain={cherry}"), &asked);
        assert_eq!((told.status, &told.json()["served_brain"]), (200, &json!(plums)), "{told:?}");
    }
}

#[test] // spec: MEM-4, MEM-19, MEM-46
fn cold_stores_are_listed_and_numbers_are_each_brains_own() {
    let daemon = daemon();
    let cherry = daemon.home.cherry();
    // The repository goes; its memory does not.
    std::fs::rename(daemon.home.plum(), daemon.home.user_home().join("gone")).expect("moved");
    std::fs::remove_dir_all(daemon.home.user_home().join("gone")).expect("removed");
    for _ in 0..3 {
        daemon.get(&format!("/api/north?task=x&brain={}", cherry.display()));
    }
    let counted = || {
        let found = daemon.get("/api/instances").json();
        let cards = found["instances"].as_array().expect("cards").clone();
        let card = |name: &str| {
            cards
                .iter()
                .find(|card| card["brain"].as_str().expect("a name").starts_with(name))
                .expect("listed")
                .clone()
        };
        (card("cherry"), card("plum"), found)
    };
    super::until("beats are counted after they are answered", || counted().0["memory_beats_served"] == 3);
    let (cherry, plum, all) = counted();
    assert_eq!(
        (&plum["claims"], &plum["root_missing"], &plum["memory_beats_served"]),
        (&json!(1), &json!(true), &json!(0))
    );
    assert_eq!((&cherry["claims"], &cherry["stale"]), (&json!(1), &json!(0)));
    assert_eq!(all["across_all_brains"]["memory_beats_served"], 3, "{all}");
    assert_eq!(all["medulla"]["claims"], 1);
    // Dormant is a word of `brains`, where it is about who asks.
    assert_eq!((&cherry["quiet"], cherry.get("dormant")), (&json!(false), None), "{cherry}");
}

#[test] // spec: IF-12
fn a_list_goes_on_behind_its_cursor() {
    let daemon = daemon();
    let brain = daemon.home.cherry().display().to_string();
    let first = daemon.get(&format!("/api/list?limit=1&brain={brain}")).json();
    assert_eq!((texts(&first["rows"]), &first["left_out"]), (vec!["Cherries are red."], &json!(1)));
    let cursor = first["cursor"].as_str().expect("there is more");
    let next = daemon.get(&format!("/api/list?limit=1&brain={brain}&cursor={cursor}")).json();
    assert_eq!((texts(&next["rows"]), &next["cursor"]), (vec!["Fruit is good."], &Value::Null));
    let broken = daemon.get("/api/list?cursor=x");
    assert_eq!((broken.refusal().0, &broken.json()["error"]["field"]), (400, &json!("cursor")));
}

#[test] // spec: IF-12
fn who_names_no_brain_is_told_which_was_near() {
    let daemon = daemon();
    let cherry = daemon.home.cherry();
    let bare = daemon.home.user_home().join("bare");
    std::fs::create_dir_all(bare.join(".git")).expect("made");
    std::fs::write(bare.join(".git/HEAD"), "ref: refs/heads/main\n").expect("written");
    let fix = |word: &str| {
        let refused = daemon.get(&format!("/api/list?brain={word}"));
        assert_eq!(refused.refusal(), (404, "memory.unknown_brain".into()), "{word}");
        refused.json()["error"]["fix"].as_str().expect("a fix").to_owned()
    };
    let inside = fix(&format!("{}/.git", cherry.display()));
    assert!(inside.contains(&format!("its root, `{}`", cherry.display())), "{inside}");
    assert!(fix(&bare.display().to_string()).contains("call bootstrap"), "a project without one");
    assert!(fix("cherri").contains("did you mean cherry@"), "a slip in its name");
    assert!(daemon.get("/api/list?brain=cherry").json()["rows"].is_array(), "a name that one brain has");
    assert!(fix("pear").contains("`GET /api/brains` lists"), "nothing near");
}

#[test] // spec: IF-4, IF-12
fn what_an_error_says_to_call_next_answers_for_the_same_caller_and_the_same_project() {
    let daemon = daemon();
    let brain = daemon.home.cherry().display().to_string().replace('/', "%2F");
    let next = |answer: &Value| answer["error"]["next"].as_array().cloned().unwrap_or_default();
    let missing = daemon.get(&format!("/api/show?label=Zebra&brain={brain}&agent_id=codex%3Amaker")).json();
    let calls = next(&missing);
    assert!(!calls.is_empty(), "{missing}");
    for call in &calls {
        let path = call["path"].as_str().expect("a path");
        assert!(
            path.contains(&format!("brain={brain}")) && path.contains("agent_id=codex%3Amaker"),
            "{call}"
        );
        let answer = daemon.get(path).json();
        assert!(answer["served_brain"].as_str().is_some_and(|name| name.contains("cherry")), "{answer}");
    }
    let body = json!({ "agent_id": "codex:maker", "box": "codex:maker" });
    let nothing = daemon.post(&format!("/api/mail/read?brain={brain}"), &body).json();
    let path = next(&nothing).iter().find_map(|call| call["path"].as_str().map(str::to_owned));
    let path = path.unwrap_or_else(|| panic!("{nothing}"));
    assert!(path.contains("agent_id=codex%3Amaker") && path.contains(&format!("brain={brain}")), "{path}");
    // What was refused is not repeated.
    let unknown = daemon.get("/api/show?label=Zebra&brain=%2Fnowhere&agent_id=codex%3Amaker").json();
    assert!(next(&unknown).iter().all(|call| !call.to_string().contains("nowhere")), "{unknown}");
    let session = Session::open(&daemon, "2025-06-18", &[]);
    let nothing = session.call("mail_read", json!({ "agent_id": "codex:maker" }));
    for call in next(&nothing["structuredContent"]) {
        assert_eq!(call["arguments"]["agent_id"], "codex:maker", "{nothing}");
    }
}
