//! Answers that name what this checkout lacks.

use super::{gap_names, shared};
use serde_json::json;
use std::fs;

#[test] // spec: MEM-23
fn the_status_names_claims_that_are_on_another_branch() {
    let (_dir, ana, _) = shared();
    assert_eq!(gap_names(&ana.ask(&[])), Vec::<String>::new());
    ana.git_ok(&["checkout", "-q", "HEAD~1"]);
    assert_eq!(gap_names(&ana.ask(&[])), ["absent_here"]);
}

#[test] // spec: MEM-23, MEM-41
fn an_audit_whose_log_is_not_there_or_damaged_does_not_call_it_none() {
    let (_dir, ana, _) = shared();
    ana.ask(&["--as", "codex:orchestrator", "delegate", "mend the cache"]);
    ana.commit("a delegation");
    let audit = || ana.ask(&["audit", "delegations"]);
    assert_eq!((gap_names(&audit()), audit()["delegations"].as_array().map(Vec::len)), (Vec::new(), Some(1)));
    ana.git_ok(&["checkout", "-q", "HEAD~2"]);
    assert_eq!(gap_names(&audit()), ["acts_absent"]);
    ana.git_ok(&["checkout", "-q", "main"]);
    fs::write(ana.clone.join(".brainstem/acts.jsonl"), "garbage\n").expect("a file");
    assert_eq!(gap_names(&audit()), ["acts_damaged"]);
}

#[test] // spec: MEM-23, MEM-35
fn the_medullas_copy_does_not_hide_what_the_project_did() {
    let (_dir, ana, _) = shared();
    ana.ask(&["--as", "human:ana", "promote", "Retry policy", "--reason", "for all of us"]);
    ana.commit("promoted");
    ana.git_ok(&["checkout", "-q", "HEAD~2"]);
    let shown = ana.ask(&["show", "Retry policy"]);
    assert_eq!(
        (&shown["tier"], gap_names(&shown)),
        (&json!("medulla"), vec!["absent_here".to_owned()]),
        "{shown}"
    );
    ana.git_ok(&["checkout", "-q", "main"]);
    ana.ask(&["retract", "Retry policy", "--reason", "not here"]);
    let shown = ana.ask(&["show", "Retry policy"]);
    assert_eq!(
        (&shown["tier"], gap_names(&shown)),
        (&json!("medulla"), vec!["retracted_in_project".to_owned()]),
        "{shown}"
    );
    assert!(shown["gaps"][0]["detail"].as_str().is_some_and(|detail| detail.contains("not here")), "{shown}");
}

#[test] // spec: MEM-23, MEM-35
fn copies_in_a_medulla_that_is_gone_are_not_called_unshared() {
    let (_dir, ana, _) = shared();
    ana.ask(&["--as", "human:ana", "promote", "Retry policy", "--reason", "for all of us"]);
    fs::rename(ana.home.join(".brainstem/agent-memory"), ana.home.join("aside")).expect("a folder");
    let audit = ana.ask(&["audit", "promotions"]);
    assert_eq!(gap_names(&audit), ["medulla_unreadable"], "{audit}");
    assert_eq!(audit["entries"][0]["standing"], "unreadable", "{audit}");
}

#[test] // spec: MAIL-15
fn a_box_that_is_a_file_is_named_where_all_boxes_are_listed() {
    let (_dir, ana, _) = shared();
    let words =
        ["--as", "codex:maker", "mail", "send", "--to", "codex:maker", "--type", "task", "--body", "x"];
    let sent = ana.ask(&words);
    let path = ana.clone.join(sent["path"].as_str().expect("a path"));
    let mailbox = path.parent().expect("a box");
    fs::rename(mailbox, ana.home.join("box.aside")).expect("a folder");
    fs::write(mailbox, "no folder").expect("a file");
    for words in
        [&["--as", "codex:maker", "mail", "list"][..], &["--as", "codex:maker", "mail", "list", "--all"]]
    {
        let gaps = ana.ask(words)["gaps"].to_string();
        assert!(gaps.contains("no folder"), "{words:?}: {gaps}");
    }
}
