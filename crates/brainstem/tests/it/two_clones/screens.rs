//! What a person reads in two clones: a claim that both changed, one that git took away, and one that came back.

use super::shared;
use crate::seen::{Seen, assert_seen};

#[test] // spec: MEM-49, MEM-3c
fn a_claim_that_both_changed_is_shown_listed_and_decided() {
    let (dir, ana, ben) = shared();
    ben.ask(&["init"]);
    ana.ask(&["memorize", "Retry policy", "--text", "four times", "--as", "human:ana"]);
    ana.commit("four");
    ana.git_ok(&["push", "-q"]);
    ben.ask(&["memorize", "Retry policy", "--text", "five times", "--as", "human:ben"]);
    ben.commit("five");
    assert_ne!(
        ben.git(&["pull", "-q", "--no-rebase", "--no-edit"]).status,
        Some(0),
        "a person has to decide"
    );
    let mut seen = Seen::below(&std::fs::canonicalize(dir.path()).expect("a folder"));
    for words in [
        &["status"][..],
        &["list"],
        &["show", "Retry policy"],
        &["memorize", "Retry policy", "--text", "six times", "--confidence", "low"],
        &["resolve"],
        &["resolve", "Retry policy", "--take", "ours", "--as", "human:ben"],
        &["list"],
        &["resolve"],
    ] {
        ben.see(&mut seen, words);
    }
    assert_seen!(seen);
}

#[test] // spec: MEM-2, MEM-23
fn claims_that_git_took_away_are_named_and_brought_back() {
    let (dir, ana, _) = shared();
    let mut seen = Seen::below(&std::fs::canonicalize(dir.path()).expect("a folder"));
    ana.git_ok(&["checkout", "-q", "HEAD~1"]);
    for words in [&["status"][..], &["list"], &["show", "Cache"]] {
        ana.see(&mut seen, words);
    }
    ana.git_ok(&["checkout", "-q", "main"]);
    ana.ask(&["retract", "Cache", "--reason", "no cache any more"]);
    ana.git_ok(&["checkout", "-q", "--", "."]);
    for words in [&["list"][..], &["show", "Cache"], &["init"], &["list"]] {
        ana.see(&mut seen, words);
    }
    assert_seen!(seen);
}
