//! Claims that git or another clone took away, and claims that came back.

use super::shared;
use serde_json::{Value, json};
use std::fs;

#[test] // spec: MEM-2, MEM-3c, MEM-12, MEM-48
fn what_another_clone_took_away_stays_away() {
    let (_dir, ana, ben) = shared();
    for label in ["Taken back", "Forgotten", "Old name"] {
        ben.ask(&["memorize", label, "--text", &format!("about {label}"), "--as", "human:ben"]);
    }
    ben.commit("ben");
    ben.git_ok(&["push", "-q"]);
    ana.git_ok(&["pull", "-q"]);
    ana.ask(&["retract", "Taken back", "--reason", "it was wrong", "--as", "human:ana"]);
    ana.ask(&["forget", "Forgotten", "--yes"]);
    ana.ask(&["rename", "Old name", "New name"]);
    ana.commit("ana");
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);

    assert_eq!(ben.gaps(), ["forgotten_elsewhere"], "nothing is offered back");
    assert_eq!(ben.ask(&["init"])["restored"], json!([]));
    assert!(!ben.texts().contains(&"about Forgotten".to_owned()));
    let shown = ben.ask(&["show", "Taken back"]);
    assert_eq!((&shown["claim"], &shown["history"][0]["reason"]), (&Value::Null, &json!("it was wrong")));
    assert_eq!(shown["history"][0]["retracted_by"], "human:ana");
}

#[test] // spec: MEM-2, MEM-11
fn what_git_took_away_is_weighed_against_what_is_written_next() {
    let (_dir, ana, _) = shared();
    ana.ask(&["memorize", "Strong", "--text", "checked", "--state", "verified"]);
    ana.git_ok(&["clean", "-q", "-fdx"]);
    let refused = ana.run(&["memorize", "Strong", "--text", "a guess"]);
    assert_eq!(refused.code(), "claim.would_downgrade");
    assert!(!ana.texts().contains(&"checked".to_owned()), "a refusal brings nothing into the checkout");
    assert!(ana.gaps().contains(&"absent_here".to_owned()));
    ana.ask(&["init"]);
    assert!(ana.texts().contains(&"checked".to_owned()));

    // A version that a checkout threw away is in history after the next write.
    ana.ask(&["memorize", "Retry policy", "--text", "thrown away"]);
    ana.git_ok(&["checkout", "-q", "-f", "."]);
    ana.ask(&["memorize", "Retry policy", "--text", "five times"]);
    let shown = ana.ask(&["show", "Retry policy"]);
    let before: Vec<_> =
        shown["history"].as_array().expect("history").iter().map(|v| v["text"].clone()).collect();
    assert!(before.contains(&json!("thrown away")) && before.contains(&json!("three times")), "{shown}");
}

#[test] // spec: MEM-26
fn a_claim_that_a_pull_brings_back_is_shown_as_such() {
    let (_dir, ana, _) = shared();
    ana.ask(&["memorize", "Retry policy", "--text", "four times"]);
    ana.commit("newer");
    ana.git_ok(&["revert", "--no-edit", "HEAD"]);
    let row = ana.ask(&["seek", "retry policy"])["rows"][0].clone();
    assert_eq!((&row["text"], &row["resurrected"]), (&json!("three times"), &json!(true)));
    // Written anew, it is an ordinary claim again.
    ana.ask(&["memorize", "Retry policy", "--text", "five times"]);
    let row = ana.ask(&["seek", "retry policy"])["rows"][0].clone();
    assert_eq!((&row["text"], &row["resurrected"]), (&json!("five times"), &Value::Null));
}

#[test] // spec: MEM-26, MEM-48
fn a_forgotten_claim_that_git_brings_back_is_shown_as_such() {
    let (_dir, ana, ben) = shared();
    ana.ask(&["memorize", "Retry policy", "--text", "four times"]);
    ana.commit("newer");
    ana.ask(&["forget", "Retry policy", "--yes"]);
    ana.commit("gone");
    let file = ".brainstem/agent-memory/retry-policy.light.md";
    // As it was last, as it was before that, and together with the record.
    for (from, what, text) in [
        ("HEAD~1", file, "four times"),
        ("HEAD~2", file, "three times"),
        ("HEAD~1", ".brainstem", "four times"),
    ] {
        ana.git_ok(&["checkout", "-q", from, "--", what]);
        for words in [["seek", "retry policy"], ["list", "--tier=project"]] {
            let rows = ana.ask(&words)["rows"].clone();
            let rows = rows.as_array().expect("rows");
            let row = rows.iter().find(|row| row["label"] == "Retry policy").expect("it is shown");
            assert_eq!((&row["text"], &row["resurrected"]), (&json!(text), &json!(true)), "{words:?}");
            assert_eq!(row["forgotten"], true);
        }
        assert_eq!(ana.ask(&["show", "Retry policy"])["claim"]["forgotten"], true);
        let found = ana.run(&["doctor"]).json()["findings"].clone();
        let named = |finding: &&Value| finding["name"] == "claim_forgotten";
        let finding = found.as_array().expect("findings").iter().find(named).expect("a finding").clone();
        assert!(
            finding["fix"].as_str().is_some_and(|fix| fix.contains("forget 'Retry policy' --yes")),
            "{finding}"
        );
        ana.ask(&["forget", "Retry policy", "--yes"]);
    }
    ana.git_ok(&["reset", "-q", "--hard"]);
    // Another claim of that label is no ghost, and a clean names it as any other.
    ana.ask(&["memorize", "Retry policy", "--text", "five times"]);
    assert_eq!(ana.ask(&["seek", "retry policy"])["rows"][0]["forgotten"], Value::Null);
    ana.git_ok(&["clean", "-q", "-fdx"]);
    assert_eq!(ana.gaps(), ["absent_here", "acts_absent"], "and the reset took its forgetting away");
    ana.ask(&["init"]);
    assert_eq!(ana.gaps(), [""; 0]);
    assert_eq!(ana.texts(), ["cleared on deploy", "five times"]);
    ana.commit("anew");
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);
    assert_eq!(ben.texts(), ["cleared on deploy", "five times"]);
}

#[test] // spec: MEM-2
fn a_branch_without_memory_and_a_clean_lose_nothing() {
    let (_dir, ana, _) = shared();
    ana.git_ok(&["checkout", "-q", "HEAD~1"]);
    assert!(!ana.clone.join(".brainstem/brain.json").exists());
    assert_eq!(ana.texts(), Vec::<String>::new());
    assert_eq!(ana.gaps(), ["absent_here"], "never reported as if there were none");
    ana.git_ok(&["checkout", "-q", "main"]);
    assert_eq!(ana.texts(), ["cleared on deploy", "three times"]);

    ana.ask(&["memorize", "Not committed", "--text", "yet"]);
    ana.git_ok(&["clean", "-q", "-fdx"]);
    assert_eq!(ana.texts(), ["cleared on deploy", "three times"]);
    assert_eq!(ana.gaps(), ["absent_here"]);
    let planned = ana.ask(&["init", "--dry-run"]);
    assert_eq!(planned["restored"], json!(["Not committed"]));
    assert_eq!(ana.texts().len(), 2, "a dry run changes nothing");
    ana.ask(&["init"]);
    assert_eq!(ana.texts(), ["cleared on deploy", "three times", "yet"]);
    assert!(ana.gaps().is_empty());
}

#[test] // spec: MEM-2
fn a_retraction_that_git_throws_away_is_named_and_comes_back() {
    let (_dir, ana, _) = shared();
    let label = ana.ask(&["list"])["rows"][0]["label"].as_str().expect("a label").to_owned();
    ana.ask(&["retract", &label, "--reason", "it was wrong"]);
    ana.git_ok(&["checkout", "-q", "--", "."]);
    let shown = ana.ask(&["show", &label]);
    let warnings = shown["claim"]["warnings"].to_string();
    assert!(warnings.contains("came back after it was retracted here: \\\"it was wrong\\\""), "{shown}");
    assert_eq!(ana.gaps(), ["acts_absent"]);
    ana.ask(&["init"]);
    assert_eq!(ana.gaps(), [""; 0]);
    let log = fs::read_to_string(ana.clone.join(".brainstem/acts.jsonl")).expect("a log");
    assert_eq!(log.matches("it was wrong").count(), 1);
}

#[test] // spec: MEM-12, MEM-13a, MEM-26
fn a_retraction_that_another_clone_reverted_is_undone_by_no_other_verb() {
    let (_dir, ana, ben) = shared();
    let label = "Retry policy";
    ana.ask(&["retract", label, "--reason", "not sure"]);
    ana.commit("retract");
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);
    ben.git_ok(&["revert", "--no-edit", "HEAD"]);
    ben.git_ok(&["push", "-q"]);
    ana.git_ok(&["pull", "-q"]);
    for words in [
        vec!["learn", label, "correct"],
        vec!["promote", label, "--reason", "for all", "--propose"],
        vec!["rename", label, "Cache"],
        vec!["memorize", label, "--text", "perhaps", "--confidence", "low"],
    ] {
        ana.run(&words);
        let status = ana.git(&["status", "--short", ".brainstem/agent-memory"]);
        assert_eq!(status.stdout, "", "{words:?}");
        let shown = ana.ask(&["show", label]);
        let warnings = shown["claim"]["warnings"].to_string();
        assert!(warnings.contains("came back after it was retracted here"), "{words:?}: {shown}");
    }
    ana.git_ok(&["commit", "-q", "-am", "my work"]);
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);
    assert_eq!(ben.texts(), ["cleared on deploy", "three times"]);
}
