//! A store that moves into the repository, out of it, and while it is written to.

use super::world;
use serde_json::json;
use std::fs;

#[test] // spec: MEM-2, MEM-13
fn writes_go_after_a_store_that_moves_and_make_no_conflict() {
    let (_dir, ana, _) = world();
    ana.ask(&["bootstrap"]);
    let texts: Vec<String> = (0..24).map(|n| format!("version {n}")).collect();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for text in &texts {
                ana.ask(&["memorize", "Moving target", "--text", text]);
            }
        });
        while !writer.is_finished() {
            ana.ask(&["init"]);
            ana.ask(&["eject"]);
        }
    });
    assert_eq!(ana.ask(&["resolve"])["waiting"], json!([]));
    let shown = ana.ask(&["show", "Moving target"]);
    assert_eq!(shown["claim"]["text"], "version 23");
    let history = shown["history"].as_array().expect("history");
    let before: Vec<_> =
        history.iter().rev().map(|version| version["text"].as_str().expect("text")).collect();
    assert_eq!(before, texts[..23].iter().map(String::as_str).collect::<Vec<_>>(), "every version, in order");
}

#[test] // spec: MEM-2
fn claims_under_the_home_are_merged_by_a_plan_and_never_shadowed() {
    let (_dir, ana, ben) = world();
    // Ben has memory of his own before he pulls Ana's.
    ben.ask(&["bootstrap"]);
    ben.ask(&["memorize", "Retry policy", "--text", "bens view", "--as", "human:ben"]);
    ben.ask(&["memorize", "Bens own", "--text", "kept"]);
    ana.ask(&["init"]);
    ana.ask(&["memorize", "Retry policy", "--text", "anas view", "--as", "human:ana"]);
    ana.commit("memory");
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);

    assert_eq!(ben.texts(), ["anas view"], "the repository's store wins");
    assert_eq!(ben.gaps(), ["owner_side_claims"], "and says what it does not show");
    let planned = ben.ask(&["init", "--dry-run"]);
    let outcome = |label: &str| {
        let moves = planned["moves"].as_array().expect("moves");
        moves.iter().find(|moved| moved["label"] == label).expect("a move")["outcome"].clone()
    };
    assert_eq!((outcome("Retry policy"), outcome("Bens own")), (json!("undecided"), json!("moved")));
    ben.ask(&["init"]);
    assert_eq!(ben.texts(), ["anas view", "bens view", "kept"]);
    assert_eq!(ben.gaps(), ["undecided"]);
    ben.ask(&["resolve", "Retry policy", "--take", "ours"]);
    assert_eq!(ben.texts(), ["anas view", "kept"]);
    assert!(ben.gaps().is_empty());
}

#[test] // spec: MEM-2
fn eject_undoes_exactly_what_init_did() {
    let (_dir, ana, _) = world();
    ana.ask(&["bootstrap"]);
    ana.ask(&["memorize", "Retry policy", "--text", "three times"]);
    ana.ask(&["memorize", "Retry policy", "--text", "four times"]);
    let config = fs::read_to_string(ana.clone.join(".git/config")).expect("settings");
    ana.ask(&["init"]);
    assert_ne!(fs::read_to_string(ana.clone.join(".git/config")).expect("settings"), config);
    fs::write(ana.clone.join(".brainstem/inbox.jsonl"), "{}\n").expect("a box");
    let planned = ana.ask(&["eject", "--dry-run"]);
    assert_eq!(planned["moves"].as_array().map(Vec::len), Some(1), "{planned}");
    ana.ask(&["eject"]);
    assert_eq!(fs::read_to_string(ana.clone.join(".git/config")).expect("settings"), config);
    let mut left: Vec<_> = fs::read_dir(ana.clone.join(".brainstem"))
        .expect("the box's folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    left.sort();
    assert_eq!(
        left,
        [".gitattributes", ".gitignore", "inbox.jsonl"],
        "boxes stay, and what git knows of them"
    );
    let shown = ana.ask(&["show", "Retry policy"]);
    assert_eq!(
        (&shown["claim"]["text"], &shown["history"][0]["text"]),
        (&json!("four times"), &json!("three times"))
    );
    assert_eq!(ana.ask(&["eject"])["existed"], true, "twice is once");
}
