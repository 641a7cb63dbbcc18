//! Paths over HTTP: a relative one stays in the root its caller named, in every field that becomes a path.

use super::Daemon;
use super::mcp::{Session, stateless};
use serde_json::{Value, json};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

/// Every verb with a field that becomes a path, with a path in it.
fn asked(path: &str) -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("export", "/api/export", json!({ "out": path })),
        ("export", "/api/export", json!({ "out": path, "format": "dir" })),
        ("import", "/api/import", json!({ "path": path })),
        ("bootstrap", "/api/bootstrap", json!({ "path": path })),
        ("bootstrap", "/api/bootstrap", json!({ "path": path, "exact": true })),
        ("promote", "/api/promote", json!({ "label": "Colour", "reason": "x", "brain": path })),
        (
            "promote",
            "/api/promote",
            json!({ "label": "Colour", "reason": "x", "because": format!("observed-in:{path}") }),
        ),
        ("session_handshake", "/api/handshake", json!({ "expect_root": path })),
    ]
}

#[test] // spec: MEM-17, IF-11, IF-12
fn a_relative_path_that_leaves_the_callers_root_is_refused_in_every_field() {
    let daemon = Daemon::start().with_two_brains();
    let (cherry, plum) = (daemon.home.cherry(), daemon.home.plum());
    let name = plum.file_name().and_then(|name| name.to_str()).expect("a name");
    // A folder, a link that leads out of the root, one that leads nowhere yet, and one that goes round.
    std::fs::create_dir(cherry.join("sub")).expect("made");
    symlink(&plum, cherry.join("linked")).expect("linked");
    symlink(plum.join("later"), cherry.join("dangling")).expect("linked");
    symlink(cherry.join("round"), cherry.join("round")).expect("linked");
    let root = cherry.to_str().expect("text");
    let header = [("Brainstem-Caller-Root", root)];
    let session = Session::open(&daemon, "2025-06-18", &header);
    let tricks = [
        format!("../{name}"),
        format!("../{name}/new"),
        "..".into(),
        format!("sub/../../{name}/new"),
        "linked".into(),
        "linked/new".into(),
        "linked/../new".into(),
        "sub/../linked/new".into(),
        "dangling".into(),
        "dangling/new".into(),
        "round/new".into(),
    ];
    let listed = |dir: &Path| {
        let mut names: Vec<_> =
            std::fs::read_dir(dir).expect("a folder").map(|e| e.expect("one").path()).collect();
        names.sort();
        names
    };
    let before = (listed(&cherry), listed(&plum));
    for trick in &tricks {
        for (tool, path, body) in asked(trick) {
            let refused = |error: &Value, door: &str| {
                assert_eq!(error["error"]["code"], "input.bad_value", "{door} {tool} {body}: {error}");
                assert!(
                    error["error"]["message"]
                        .as_str()
                        .is_some_and(|told| told.contains("leads out of your root")),
                    "{door} {tool} {body}: {error}"
                );
                assert_eq!(error["error"]["rule"], "MEM-17");
            };
            let answer = daemon.ask("POST", path, &header, &body.to_string());
            assert_eq!(answer.status, 400, "{tool} {body}: {answer:?}");
            refused(&answer.json(), "REST");
            let answer = daemon.post(&format!("{path}?brain={root}"), &body);
            if answer.status != 400 || !answer.body.contains("no field `brain`") {
                refused(&answer.json(), "REST with ?brain=");
            }
            refused(&session.call(tool, body.clone())["structuredContent"], "a session");
            refused(
                &stateless(&daemon, tool, body.clone(), Some(root), &[])["structuredContent"],
                "stateless",
            );
        }
        // Whose letters are shown is a field of a GET.
        let encoded: String = trick.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let answer = daemon.ask("GET", &format!("/api/mailbox?brain={encoded}"), &header, "");
        assert_eq!(answer.refusal(), (400, "input.bad_value".into()), "mailbox {trick}: {answer:?}");
    }
    assert_eq!((listed(&cherry), listed(&plum)), before, "nothing was written");
    // What stays inside is served, also by way of the folder above.
    for inside in ["one.jsonl", "sub/two.jsonl", "sub/../three.jsonl"] {
        let answer = daemon.ask("POST", "/api/export", &header, &json!({ "out": inside }).to_string());
        assert_eq!(answer.status, 200, "{inside}: {answer:?}");
        let path = answer.json()["path"].as_str().expect("a path").to_owned();
        assert!(Path::new(&path).starts_with(&cherry) && Path::new(&path).is_file(), "{path}");
    }
    // A path from / is the caller's own word.
    let out = plum.join("whole.jsonl").display().to_string();
    assert_eq!(daemon.ask("POST", "/api/export", &header, &json!({ "out": out }).to_string()).status, 200);
}

#[test] // spec: IF-12
fn a_brain_is_named_by_its_root_and_never_by_way_of_another() {
    let daemon = Daemon::start().with_two_brains();
    let (cherry, plum) = (daemon.home.cherry(), daemon.home.plum());
    let name = plum.file_name().and_then(|name| name.to_str()).expect("a name");
    for way in [format!("{}/../{name}", cherry.display()), format!("{}/none/../../{name}", cherry.display())]
    {
        let refused = daemon.get(&format!("/api/list?brain={way}"));
        assert_eq!(refused.refusal(), (404, "memory.unknown_brain".into()), "{way}");
    }
    // A link to a root is that root, and said to be.
    let alias = daemon.home.user_home().join("alias");
    symlink(&plum, &alias).expect("linked");
    let served = daemon.get(&format!("/api/list?brain={}", alias.display())).json();
    let plain = daemon.get(&format!("/api/list?brain={}", plum.display())).json();
    assert_eq!(served["served_brain"], plain["served_brain"]);
    assert!(served["served_brain"].as_str().is_some_and(|brain| brain.starts_with(name)), "{served}");
}

#[test] // spec: MEM-22, MEM-47
fn an_export_is_private_whole_and_never_named_by_accident() {
    let daemon = Daemon::start().with_two_brains();
    let cherry = daemon.home.cherry();
    let header = [("Brainstem-Caller-Root", cherry.to_str().expect("text"))];
    let export = |body: Value| daemon.ask("POST", "/api/export", &header, &body.to_string());
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    // Standard output is nothing that a daemon has.
    let dash = export(json!({ "out": "-" }));
    assert_eq!(dash.refusal(), (400, "input.bad_value".into()));
    assert!(
        dash.json()["error"]["fix"].as_str().is_some_and(|fix| fix.contains("leave `out` out")),
        "{dash:?}"
    );
    assert!(!cherry.join("-").exists());
    // Through a folder that is a link, on the command line: told as it is, and not twice.
    let behind = daemon.home.user_home().join("behind");
    std::fs::create_dir(&behind).expect("made");
    symlink(&behind, cherry.join("link")).expect("linked");
    for (format, out) in [("jsonl", "link/a.jsonl"), ("dir", "link/a")] {
        let told = daemon.done(&cherry, &["export", "--format", format, "--out", out]);
        let path = told["path"].as_str().expect("a path");
        assert!(Path::new(path).exists() && Path::new(path).starts_with(&behind), "{told}");
        let again = daemon.run(&cherry, &["--json", "export", "--format", format, "--out", out]);
        assert_eq!(again.json()["error"]["code"], "export.taken", "{again:?}");
    }
    assert_eq!(mode(&behind.join("a.jsonl")), 0o600);
    assert_eq!((mode(&behind.join("a")), mode(&behind.join("a/acts.jsonl"))), (0o700, 0o600));
    let left: Vec<_> =
        std::fs::read_dir(&behind).expect("a folder").map(|e| e.expect("one").file_name()).collect();
    assert_eq!(left.len(), 2, "nothing is left over: {left:?}");
    // On the command line a dash is standard output, as it is elsewhere.
    let lines = daemon.run(&cherry, &["export", "--out", "-"]);
    assert!(lines.status == Some(0) && lines.stdout.starts_with("{\"type\":\"export\""), "{lines:?}");
    // Everything is named as plainly as all brains are: from no project too, and never unless it is named.
    let all = daemon.post("/api/export", &json!({ "all": true }));
    assert_eq!((all.status, &all.json()["stores"]), (200, &json!(3)), "{all:?}");
    assert_eq!(daemon.post("/api/export", &json!({})).refusal(), (409, "memory.brainless_root".into()));
}
